//! Text without what nobody sees: control and direction marks, byte order marks, Windows line ends, hyphens that only
//! stand where a line might have been broken.
//!
//! What the words say stays as it is, template tags and HTML included.

use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};

/// A whole text. Line ends become `\n`, no-break spaces become spaces, letters and their accents one character.
pub(crate) fn text(raw: &str) -> String {
    let mut clean = String::with_capacity(raw.len());
    let mut characters = raw.chars().peekable();
    while let Some(c) = characters.next() {
        match c {
            '\r' => {
                characters.next_if_eq(&'\n');
                clean.push('\n');
            }
            '\u{0B}' | '\u{0C}' | '\u{85}' | '\u{2028}' | '\u{2029}' => clean.push('\n'),
            '\n' | '\t' => clean.push(c),
            '\u{A0}' | '\u{2007}' | '\u{202F}' => clean.push(' '),
            c if is_unseen(c) => {}
            c => clean.push(c),
        }
    }
    match is_nfc_quick(clean.chars()) {
        IsNormalized::Yes => clean,
        _ => clean.nfc().collect(),
    }
}

/// One line of at most `longest` characters.
pub(crate) fn line(raw: &str, longest: usize) -> String {
    let words: Vec<&str> = raw.split_whitespace().collect();
    let clean = text(&words.join(" "));
    if clean.chars().count() <= longest {
        return clean.trim().to_owned();
    }
    let cut: String = clean.chars().take(longest.saturating_sub(1)).collect();
    format!("{}…", cut.trim_end())
}

fn is_unseen(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{AD}' | '\u{200B}' | '\u{200E}' | '\u{200F}' | '\u{2060}' | '\u{FEFF}' | '\u{FFFE}' | '\u{FFFF}'
            // Direction marks and tag characters can hide a text from the reader, but not from a model.
            | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' | '\u{E0000}'..='\u{E007F}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case::line_ends("а\r\nб\rв\nг\u{2028}д", "а\nб\nв\nг\nд")]
    #[case::nothing_hidden("сто\u{AD}ит\u{200B}\u{202E}\u{E0041}\u{0}\u{FEFF}!", "стоит!")]
    #[case::short_i_of_two_characters("Мои\u{306} е\u{308}жик", "Мой ёжик")]
    #[case::tags_are_text("{{user.name}} <b>x</b> {currentTime}", "{{user.name}} <b>x</b> {currentTime}")]
    fn cleaned(#[case] raw: &str, #[case] clean: &str) {
        assert_eq!(text(raw), clean);
    }

    #[test]
    fn a_long_line_ends_with_an_ellipsis() {
        assert_eq!(line(" один\n два  три ", 9), "один два…");
        assert_eq!(line(" один\n два ", 9), "один два");
    }
}
