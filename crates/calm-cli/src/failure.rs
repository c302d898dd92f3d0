//! Every error is one readable line in the user's language; with `--json` it is an object, in English.

use std::process::ExitCode;

use calm_app::{AppError, Lang};
use serde_json::json;

use crate::bilingual::Both;
use crate::errors;
use crate::output::{Output, complain};

pub struct Failure {
    code: &'static str,
    message: Both,
    exit: u8,
}

impl Failure {
    pub fn bad_input(message: Both) -> Failure {
        Failure { code: "bad_input", message, exit: 2 }
    }

    /// Understood and well formed, but not done.
    pub fn refused(message: Both) -> Failure {
        Failure { code: "refused", message, exit: 1 }
    }

    /// The first sentence of the parser's complaint, in English; its usage text is `--help`'s business.
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
        let message = format!("{message} (see calm --help)");
        Failure { code: "usage", message: Both::english(message), exit: 2 }
    }

    /// `lang` is asked only where a person reads the line.
    pub fn report(&self, json: bool, lang: impl FnOnce() -> Lang) -> ExitCode {
        if json {
            let message = one_line(&self.message.en);
            Output::new(true).event("error", &json!({"code": self.code, "message": message}));
        } else {
            complain(&one_line(self.message.of(lang())));
        }
        ExitCode::from(self.exit)
    }
}

impl From<AppError> for Failure {
    fn from(error: AppError) -> Failure {
        let exit = if error.is_bad_input() { 2 } else { 1 };
        let mut message = errors::both(&error);
        if error.code() == "locked" {
            message.ru.push_str(": набери её в терминале или передай через --passphrase-stdin");
            message.en.push_str(": type it in a terminal, or give it with --passphrase-stdin");
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
