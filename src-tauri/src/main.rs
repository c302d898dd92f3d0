#![cfg_attr(not(debug_assertions), windows_subsystem = "windows")]

use std::process::ExitCode;

fn main() -> ExitCode {
    match calmtrader::run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("calmtrader: {error:#}");
            ExitCode::FAILURE
        }
    }
}
