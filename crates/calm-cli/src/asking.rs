//! Questions to the person at the terminal: for words that nobody may see, and for a yes.

use std::fs::File;
use std::io::{IsTerminal, Read, Write};

use calm_app::Lang;
use calm_app::passphrase::Passphrase;

use crate::bilingual::{both, say};
use crate::failure::Failure;

/// Longer than any passphrase; a whole file is a mistake.
const LONGEST_LINE: usize = 4096;

/// Typed without an echo in a terminal, else the next line of standard input.
pub fn passphrase(lang: Lang) -> Result<Passphrase, Failure> {
    if std::io::stdin().is_terminal() {
        let typed = rpassword::prompt_password(say!(lang, "фраза: ", "passphrase: "));
        return typed.map(Passphrase::taken).map_err(|_| nothing_typed());
    }
    line().map(Passphrase::taken)
}

/// A new one: twice in a terminal, where nobody sees what they type.
pub fn new_passphrase(lang: Lang) -> Result<Passphrase, Failure> {
    if !std::io::stdin().is_terminal() {
        return passphrase(lang);
    }
    let typed = |question| rpassword::prompt_password(question).map(Passphrase::taken);
    match (typed(say!(lang, "новая фраза: ", "new passphrase: ")), typed(say!(lang, "ещё раз: ", "once more: ")))
    {
        (Ok(first), Ok(again)) if first == again => Ok(first),
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

/// What comes after it stays for whoever reads next. It goes past the buffer of standard input, which nobody wipes, into
/// one that never moves.
fn line() -> Result<String, Failure> {
    let unread = |_| Failure::bad_input(both!("стандартный ввод не читается", "standard input cannot be read"));
    let mut input = unbuffered().map_err(unread)?;
    let mut line = Vec::with_capacity(LONGEST_LINE);
    let mut byte = [0];
    while line.len() < LONGEST_LINE && input.read(&mut byte).map_err(unread)? == 1 {
        line.push(byte[0]);
        if byte == *b"\n" {
            break;
        }
    }
    String::from_utf8(line).map_err(|_| not_text())
}

#[cfg(unix)]
fn unbuffered() -> std::io::Result<File> {
    use std::os::fd::AsFd;
    std::io::stdin().as_fd().try_clone_to_owned().map(File::from)
}

#[cfg(windows)]
fn unbuffered() -> std::io::Result<File> {
    use std::os::windows::io::AsHandle;
    std::io::stdin().as_handle().try_clone_to_owned().map(File::from)
}
