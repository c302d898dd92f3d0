//! Foreign text on a terminal: a transcript or an imported name must not steer it.

use std::borrow::Cow;

/// With every control character made visible, line breaks and tabs apart.
///
/// What reorders text on the screen (Unicode's bidirectional controls) counts as well.
pub fn visible(text: &str) -> Cow<'_, str> {
    if !text.contains(steers) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.chars().map(|c| if steers(c) { stand_in(c) } else { c }).collect())
}

/// The same for a line of JSON, where such a character may be written as `\u009b` instead.
pub fn escaped(json: &str) -> Cow<'_, str> {
    if !json.contains(steers) {
        return Cow::Borrowed(json);
    }
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        if steers(c) {
            out.push_str(&format!("\\u{:04x}", u32::from(c)));
        } else {
            out.push(c);
        }
    }
    Cow::Owned(out)
}

fn steers(c: char) -> bool {
    let reorders = matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    reorders || c.is_control() && !matches!(c, '\n' | '\t')
}

/// Unicode's picture of the character, where it has one.
fn stand_in(c: char) -> char {
    match c {
        '\0'..='\u{1f}' => char::from_u32(0x2400 + u32::from(c)).unwrap_or(char::REPLACEMENT_CHARACTER),
        '\u{7f}' => '␡',
        _ => char::REPLACEMENT_CHARACTER,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case::plain("Не злюсь.\n\tДа.", "Не злюсь.\n\tДа.")]
    #[case::colour("\u{1b}[31mred", "␛[31mred")]
    #[case::title("a\u{1b}]0;owned\u{7}b", "a␛]0;owned␇b")]
    #[case::one_byte_sequence("\u{9b}2J", "\u{fffd}2J")]
    #[case::drawn_over("honest\rforged", "honest␍forged")]
    #[case::turned_round("a\u{202e}b", "a\u{fffd}b")]
    #[case::delete("\u{7f}", "␡")]
    fn nothing_steers_the_terminal(#[case] text: &str, #[case] shown: &str) {
        assert_eq!(visible(text), shown);
    }

    #[test]
    fn json_stays_the_same_json() {
        let text = "a\u{9b}2J\u{7f}\u{202e}é\u{1b}";
        let line = serde_json::to_string(text).unwrap();
        let escaped = escaped(&line);
        assert!(!escaped.contains(steers));
        assert_eq!(serde_json::from_str::<String>(&escaped).unwrap(), text);
    }
}
