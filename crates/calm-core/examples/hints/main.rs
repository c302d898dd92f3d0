//! Learns the hints of a crisis, and measures them.
//!
//! `cargo run --release -p calm-core --example hints -- train` writes `hints/weights.bin`;
//! `… try` shows cross-validation alone, `… measure FILE…` what is found in corpus files.

#[path = "../../tests/understanding/corpus.rs"]
#[allow(dead_code)]
mod corpus;
mod data;
mod learn;
mod regression;
mod trial;

use std::env;
use std::path::PathBuf;
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let done = match arguments.split_first() {
        Some((command, [])) if command == "train" => trial::train(),
        Some((command, rest)) if command == "try" => trial::cross_validate(rest),
        Some((command, files)) if command == "measure" && !files.is_empty() => {
            files.iter().try_for_each(|file| trial::measure(&PathBuf::from(file)))
        }
        _ => Err("train, try [L2…] or measure FILE…".to_owned()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
