//! A key combination for the whole desktop, as text: `Ctrl+Alt+C`.

use std::fmt;

/// Each modifier with its other names. The first is the one that is kept.
const MODIFIERS: [&[&str]; 4] =
    [&["Ctrl", "Control"], &["Alt", "Option"], &["Shift"], &["Super", "Cmd", "Command", "Meta", "Win"]];

/// Modifiers, then one key; a combination that would take a letter away from every other program is none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shortcut(String);

impl Shortcut {
    /// `None` where it is no such combination.
    pub fn read(text: &str) -> Option<Shortcut> {
        let (modifiers, key) = text.rsplit_once('+')?;
        let key = key_of(key.trim())?;
        let mut held = [false; MODIFIERS.len()];
        for name in modifiers.split('+') {
            let known = |names: &&[&str]| names.iter().any(|it| it.eq_ignore_ascii_case(name.trim()));
            let at = MODIFIERS.iter().position(known)?;
            if std::mem::replace(&mut held[at], true) {
                return None;
            }
        }
        let [ctrl, alt, _, command] = held;
        let names =
            MODIFIERS.iter().zip(held).filter(|(_, held)| *held).filter_map(|(names, _)| names.first().copied());
        let text = names.chain([key.as_str()]).collect::<Vec<_>>().join("+");
        (ctrl || alt || command).then_some(Shortcut(text))
    }
}

impl fmt::Display for Shortcut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A letter, a digit, `F1` to `F12`, or `Space`.
fn key_of(name: &str) -> Option<String> {
    let name = name.to_ascii_uppercase();
    let one = name.len() == 1 && name.chars().all(|c| c.is_ascii_alphanumeric());
    let function = name.strip_prefix('F').and_then(|number| number.parse::<u8>().ok());
    if one || function.is_some_and(|number| (1..=12).contains(&number) && name == format!("F{number}")) {
        return Some(name);
    }
    (name == "SPACE").then(|| "Space".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("Ctrl+Alt+C", "Ctrl+Alt+C")]
    #[case("shift + control + f12", "Ctrl+Shift+F12")]
    #[case("cmd+space", "Super+Space")]
    #[case("alt+7", "Alt+7")]
    fn a_combination_reads_in_one_spelling(#[case] text: &str, #[case] kept: &str) {
        let read = Shortcut::read(text).expect("a combination").to_string();
        assert_eq!(read, kept);
        assert_eq!(Shortcut::read(&read).expect("its own spelling").to_string(), kept);
    }

    #[rstest]
    #[case::a_letter_alone("C")]
    #[case::a_capital("Shift+C")]
    #[case::no_key("Ctrl+Alt+")]
    #[case::only_modifiers("Ctrl+Alt")]
    #[case::twice("Ctrl+Control+C")]
    #[case::two_keys("Ctrl+C+D")]
    #[case::unknown("Ctrl+F13")]
    #[case::padded("Ctrl+F01")]
    #[case::letters_of_another_alphabet("Ctrl+Alt+Ф")]
    #[case::nothing("")]
    fn what_is_no_combination_is_refused(#[case] text: &str) {
        assert_eq!(Shortcut::read(text), None);
    }
}
