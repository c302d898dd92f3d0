//! A finding for people: the place, the line, a caret under the words, what to do.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::stems::Lang;

use super::finding::Finding;

/// Longer lines are cut around the place, in columns.
const WIDEST: usize = 100;
/// What is kept before the place in a line that is cut, in columns.
const KEPT_BEFORE: usize = 40;

/// `path:line:col: severity rule: message`, then `line`, the line of the file that the finding is about, then a
/// caret under the place and the hint, in `lang`.
pub fn for_people(finding: &Finding, line: &str, lang: Lang) -> String {
    let Finding { file, line: number, column, severity, rule, .. } = finding;
    let (message, hint) = (finding.message.of(lang), finding.hint.of(lang));
    let head = format!("{file}:{number}:{column}: {} {}: {message}", severity.name(), rule.name());
    let shown: Vec<char> = line.trim_end_matches(['\r', '\n']).chars().map(plain).collect();
    let start = usize::try_from(column.saturating_sub(1)).unwrap_or(usize::MAX).min(shown.len());
    let length = usize::try_from(finding.length).unwrap_or(usize::MAX);
    let end = start.saturating_add(length).min(shown.len());
    let (from, to) = window(&shown, start);
    let text = |part: &[char]| part.iter().collect::<String>();
    let before = if from > 0 { "…" } else { "" };
    let after = if to < shown.len() { "…" } else { "" };
    let lead = UnicodeWidthStr::width(before) + UnicodeWidthStr::width(text(&shown[from..start]).as_str());
    let under = UnicodeWidthStr::width(text(&shown[start..end.clamp(start, to)]).as_str()).max(1);
    let gutter = format!("{number} | ");
    let margin = " ".repeat(gutter.len() - 2);
    format!(
        "{head}\n{gutter}{before}{}{after}\n{margin}| {}{}\n{margin}= {hint}\n",
        text(&shown[from..to]),
        " ".repeat(lead),
        "^".repeat(under)
    )
}

/// The part of the line to show, as positions of characters; it holds `start`.
fn window(shown: &[char], start: usize) -> (usize, usize) {
    let width = |c: char| c.width().unwrap_or(0);
    if shown.iter().map(|c| width(*c)).sum::<usize>() <= WIDEST {
        return (0, shown.len());
    }
    let (mut from, mut before) = (start, 0);
    while from > 0 && before + width(shown[from - 1]) <= KEPT_BEFORE {
        from -= 1;
        before += width(shown[from]);
    }
    let (mut to, mut whole) = (from, 0);
    while to < shown.len() && whole + width(shown[to]) <= WIDEST {
        whole += width(shown[to]);
        to += 1;
    }
    (from, to)
}

/// Control characters and directions would move the caret or the terminal.
fn plain(c: char) -> char {
    let turns = matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    if c == '\t' {
        ' '
    } else if c.is_control() || turns {
        '\u{fffd}'
    } else {
        c
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::both::both;
    use crate::lint::{Rule, Severity};
    use rstest::rstest;

    fn shown(line: &str, column: u32, length: u32) -> Vec<String> {
        let finding = Finding {
            rule: Rule::AntiAi,
            severity: Severity::HardFail,
            file: "ru/base/tone.md".to_owned(),
            line: 12,
            column,
            length,
            message: both!("выпадает из роли", "breaks the character"),
            hint: both!("говори как Calm", "speak as Calm"),
        };
        for_people(&finding, line, Lang::En).lines().map(str::to_owned).collect()
    }

    #[rstest]
    #[case("Ты — бот.", 6, 3, "   |      ^^^")]
    #[case("日本 bot", 4, 3, "   |      ^^^")]
    #[case("е\u{308}ж бот", 5, 3, "   |    ^^^")]
    #[case("\tбот", 2, 3, "   |  ^^^")]
    #[case("", 1, 0, "   | ^")]
    fn the_caret_stands_under_the_words(
        #[case] line: &str,
        #[case] column: u32,
        #[case] length: u32,
        #[case] expected: &str,
    ) {
        let lines = shown(line, column, length);
        assert_eq!(lines[0], format!("ru/base/tone.md:12:{column}: hard_fail anti_ai: breaks the character"));
        assert_eq!(lines[2], expected);
        assert_eq!(lines[3], "   = speak as Calm");
    }

    #[test]
    fn a_long_line_is_cut_around_the_place() {
        let line = format!("{}бот{}", "а ".repeat(200), " б".repeat(200));
        let lines = shown(&line, 401, 3);
        assert!(lines[1].starts_with("12 | …") && lines[1].ends_with('…'), "{}", lines[1]);
        assert!(lines[1].chars().count() < 120);
        let caret = lines[2].chars().position(|c| c == '^').unwrap();
        assert_eq!(lines[1].chars().skip(caret).take(3).collect::<String>(), "бот");
    }

    #[test]
    fn a_place_past_the_line_is_no_panic() {
        assert_eq!(shown("аб", 900, 7).len(), 4);
    }
}
