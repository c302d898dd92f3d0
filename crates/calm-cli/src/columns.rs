//! Columns on a terminal, by the width that it gives each character.

use unicode_width::UnicodeWidthStr;

/// No line that can be broken is longer.
pub const WIDTH: usize = 100;

/// Filled up to `width`; text that is wider stays whole.
pub fn padded(text: &str, width: usize) -> String {
    format!("{text}{:1$}", "", width.saturating_sub(text.width()))
}

/// A label in a margin and the text beside it, wrapped.
pub fn beside(label: &str, margin: usize, width: usize, text: &str) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = String::new();
    for word in text.split_whitespace() {
        if !line.is_empty() && line.width() + 1 + word.width() > width.saturating_sub(margin) {
            lines.push(std::mem::take(&mut line));
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    lines.push(line);
    let label = |i: usize| padded(if i == 0 { label } else { "" }, margin);
    lines.iter().enumerate().map(|(i, line)| format!("{}{line}", label(i))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_filled_by_what_the_terminal_shows() {
        assert_eq!(padded("日経", 6), "日経  ");
        assert_eq!(padded("Йод", 5), "Йод  ");
        assert_eq!(padded("too wide", 3), "too wide");
    }

    #[test]
    fn long_text_wraps_beside_its_label() {
        let lines = beside("Calm", 9, 78, &"слово ".repeat(30));
        assert!(lines.len() > 1);
        assert!(lines[0].starts_with("Calm     слово"));
        assert!(lines[1].starts_with("         слово"));
        assert!(lines.iter().all(|line| line.width() <= 78));
    }
}
