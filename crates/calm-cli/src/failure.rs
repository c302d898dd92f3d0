//! Every error is one readable line; with `--json` it is an object as well.

use std::process::ExitCode;

use calm_app::AppError;
use serde_json::json;

use crate::output::{Output, complain};

pub struct Failure {
    code: &'static str,
    message: String,
    exit: u8,
}

impl Failure {
    pub fn bad_input(message: impl Into<String>) -> Failure {
        Failure { code: "bad_input", message: message.into(), exit: 2 }
    }

    /// Understood and well formed, but not done.
    pub fn refused(message: impl Into<String>) -> Failure {
        Failure { code: "refused", message: message.into(), exit: 1 }
    }

    /// The first sentence of the parser's complaint; its usage text is `--help`'s business.
    pub fn usage(wrong: &clap::Error) -> Failure {
        let text = wrong.to_string();
        let message: Vec<&str> = text
            .lines()
            .map(str::trim)
            .take_while(|line| !line.starts_with("Usage:") && !line.starts_with("For more information"))
            .filter(|line| !line.is_empty())
            .collect();
        let message = message.join(" ");
        let message = message.strip_prefix("error: ").unwrap_or(&message);
        Failure { code: "usage", message: format!("{message} (see calm --help)"), exit: 2 }
    }

    pub fn report(&self, json: bool) -> ExitCode {
        let line = one_line(&self.message);
        if json {
            Output::new(true).event("error", &json!({"code": self.code, "message": line}));
        } else {
            complain(&line);
        }
        ExitCode::from(self.exit)
    }
}

impl From<AppError> for Failure {
    fn from(error: AppError) -> Failure {
        let exit = if error.is_bad_input() { 2 } else { 1 };
        let mut message = error.to_string();
        if error.code() == "locked" {
            message.push_str(": type it in a terminal, or give it with --passphrase-stdin");
        }
        Failure { code: error.code(), message, exit }
    }
}

/// File names may hold line breaks and control characters; an error stays one line.
fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_break_in_a_file_name_does_not_break_the_line() {
        assert_eq!(one_line("no\nsuch\u{1b}[31m file"), "no such [31m file");
    }
}
