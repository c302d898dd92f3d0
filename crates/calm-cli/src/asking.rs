//! Questions to the person at the terminal: for words that nobody may see, and for a yes.

use std::io::{BufRead, IsTerminal, Read, Write};

use calm_app::passphrase::Passphrase;

use crate::failure::Failure;

/// Longer than any passphrase; a whole file is a mistake.
const LONGEST_LINE: u64 = 4096;

/// Typed without an echo in a terminal, else the next line of standard input.
pub fn passphrase(question: &str) -> Result<Passphrase, Failure> {
    if std::io::stdin().is_terminal() {
        let typed = rpassword::prompt_password(question);
        return typed.map(|words| Passphrase::typed(&words)).map_err(|_| Failure::bad_input("no passphrase was typed"));
    }
    line().map(|words| Passphrase::typed(&words))
}

/// A new one: twice in a terminal, where nobody sees what they type.
pub fn new_passphrase() -> Result<Passphrase, Failure> {
    if !std::io::stdin().is_terminal() {
        return passphrase("");
    }
    let first = rpassword::prompt_password("new passphrase: ");
    let again = rpassword::prompt_password("once more: ");
    match (first, again) {
        (Ok(first), Ok(again)) if first == again => Ok(Passphrase::typed(&first)),
        (Ok(_), Ok(_)) => Err(Failure::bad_input("the two are not the same: nothing was changed")),
        _ => Err(Failure::bad_input("no passphrase was typed")),
    }
}

/// Whether the next line is one of `words`.
pub fn agreed(question: &str, words: &[&str]) -> Result<bool, Failure> {
    eprint!("{question} ");
    std::io::stderr().flush().ok();
    let answer = line()?;
    Ok(words.contains(&answer.trim().to_lowercase().as_str()))
}

/// What comes after it stays for whoever reads next.
fn line() -> Result<String, Failure> {
    let mut line = String::new();
    let read = std::io::stdin().lock().take(LONGEST_LINE).read_line(&mut line);
    read.map(|_| line).map_err(|_| Failure::bad_input("standard input: not UTF-8 text"))
}
