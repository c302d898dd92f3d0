//! Questions to the person at the terminal: for words that nobody may see, and for a yes.

use std::io::{BufRead, IsTerminal, Read, Write};

use calm_app::Lang;
use calm_app::passphrase::Passphrase;

use crate::bilingual::{both, say};
use crate::failure::Failure;

/// Longer than any passphrase; a whole file is a mistake.
const LONGEST_LINE: u64 = 4096;

/// Typed without an echo in a terminal, else the next line of standard input.
pub fn passphrase(lang: Lang) -> Result<Passphrase, Failure> {
    if std::io::stdin().is_terminal() {
        let typed = rpassword::prompt_password(say!(lang, "фраза: ", "passphrase: "));
        return typed.map(|words| Passphrase::typed(&words)).map_err(|_| nothing_typed());
    }
    line().map(|words| Passphrase::typed(&words))
}

/// A new one: twice in a terminal, where nobody sees what they type.
pub fn new_passphrase(lang: Lang) -> Result<Passphrase, Failure> {
    if !std::io::stdin().is_terminal() {
        return passphrase(lang);
    }
    let first = rpassword::prompt_password(say!(lang, "новая фраза: ", "new passphrase: "));
    let again = rpassword::prompt_password(say!(lang, "ещё раз: ", "once more: "));
    match (first, again) {
        (Ok(first), Ok(again)) if first == again => Ok(Passphrase::typed(&first)),
        (Ok(_), Ok(_)) => Err(Failure::bad_input(both!(
            "фразы разные, всё осталось как было",
            "the two are not the same: nothing was changed"
        ))),
        _ => Err(nothing_typed()),
    }
}

fn nothing_typed() -> Failure {
    Failure::bad_input(both!("фраза не набрана", "no passphrase was typed"))
}

pub fn not_text() -> Failure {
    Failure::bad_input(both!("на входе не текст в UTF-8", "standard input: not UTF-8 text"))
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
    read.map(|_| line).map_err(|_| not_text())
}
