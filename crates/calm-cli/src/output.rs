//! How lines reach the terminal.

use std::io::{self, Write};

use calm_app::paths;
use serde::Serialize;

use crate::bilingual::say;
use crate::errors;
use crate::plain::{escaped, visible};

#[derive(Serialize)]
struct Event<'a, T: Serialize> {
    #[serde(rename = "type")]
    kind: &'a str,
    #[serde(flatten)]
    fields: &'a T,
}

/// Prints for people or as JSON Lines.
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

    /// Whatever stands in it, it steers no terminal.
    pub fn line(&self, line: &str) {
        self.print(&visible(line));
    }

    pub fn lines(&self, lines: &[String]) {
        lines.iter().for_each(|line| self.line(line));
    }

    /// A reader that went away misses the rest; the session it started goes on to its end.
    fn print(&self, line: &str) {
        match writeln!(io::stdout(), "{line}") {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
                let why = errors::system(&error);
                complain(&say!(paths::system_language(), "не выходит напечатать: {why}", "cannot print: {error}"));
                std::process::exit(1);
            }
            _ => {}
        }
    }

    /// An object whose first field says what it is.
    pub fn event(&self, kind: &str, fields: &impl Serialize) {
        self.object(&Event { kind, fields });
    }

    pub fn object(&self, object: &impl Serialize) {
        match serde_json::to_string(object) {
            Ok(text) => self.print(&escaped(&text)),
            Err(error) => complain(&format!("cannot print a line: {error}")),
        }
    }
}

/// "1 file", "2 files": for commands that speak English alone.
pub fn counted(n: usize, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}

/// One line on stderr; where even that is closed there is nobody left to tell.
pub fn complain(line: &str) {
    writeln!(io::stderr(), "calm: {}", visible(line)).ok();
}
