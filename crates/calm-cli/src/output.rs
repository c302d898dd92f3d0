//! How lines reach the terminal.

use std::io::{self, Write};

use serde::Serialize;

/// Prints for people or as JSON Lines; a reader that went away ends the program quietly.
pub struct Output {
    json: bool,
}

impl Output {
    pub fn new(json: bool) -> Output {
        Output { json }
    }

    pub fn json(&self) -> bool {
        self.json
    }

    pub fn line(&self, line: &str) {
        if writeln!(io::stdout(), "{line}").is_err() {
            std::process::exit(0);
        }
    }

    pub fn object(&self, object: &impl Serialize) {
        match serde_json::to_string(object) {
            Ok(text) => self.line(&text),
            Err(error) => eprintln!("calm: cannot print a line: {error}"),
        }
    }
}
