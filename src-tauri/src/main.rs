#![cfg_attr(not(debug_assertions), windows_subsystem = "windows")]

use std::process::ExitCode;

use calmtrader::Asked;

fn main() -> ExitCode {
    let arguments = std::env::args_os().skip(1).map(|argument| argument.to_string_lossy().into_owned());
    let asked = match Asked::read(arguments) {
        Ok(asked) => asked,
        Err(problem) => {
            eprintln!("calmtrader: {problem}");
            return ExitCode::from(2);
        }
    };
    match calmtrader::run(asked) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("calmtrader: {error:#}");
            ExitCode::FAILURE
        }
    }
}
