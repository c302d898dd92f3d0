//! Quotations: «», “”, „“, "", ‘’, '' and ``, never longer than their bullet or paragraph.

use std::ops::Range;

use super::layout::{Kind, Shape};
use super::source::Source;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Quote {
    /// Bytes between the marks.
    pub inner: Range<usize>,
    pub mark: char,
}

/// How many marks may be open at once; deeper nesting is not a text.
const DEEPEST: usize = 8;

/// The outermost quotations, in order.
pub fn of(source: &Source<'_>, shapes: &[Shape]) -> Vec<Quote> {
    let mut quotes = Vec::new();
    let mut block = 0..0;
    for (number, line) in source.lines.iter().enumerate() {
        let kind = shapes.get(number).map_or(Kind::Blank, |shape| shape.kind);
        if !matches!(kind, Kind::Plain | Kind::Clear) {
            in_block(&source.masked, block.clone(), &mut quotes);
            block = line.start..line.start;
        }
        block.end = line.end;
    }
    in_block(&source.masked, block, &mut quotes);
    quotes
}

fn in_block(text: &str, block: Range<usize>, quotes: &mut Vec<Quote>) {
    let Some(inside) = text.get(block.clone()) else { return };
    let mut open: Vec<(char, usize)> = Vec::new();
    let mut found: Vec<Quote> = Vec::new();
    let mut before = ' ';
    let mut chars = inside.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let after = chars.peek().map_or(' ', |(_, next)| *next);
        let at = block.start + at;
        if c == '`' && after == '`' {
            // ``code``: the last of a run is the mark.
        } else if let Some(depth) = closes(c, before, after, &open) {
            let (_, start) = open[depth];
            open.truncate(depth);
            let end = start + text[start..at].trim_end_matches('`').len();
            found.push(Quote { inner: start..end, mark: c });
        } else if opens(c, before, after) {
            if open.len() == DEEPEST {
                open.remove(0);
            }
            open.push((c, at + c.len_utf8()));
        }
        before = c;
    }
    found.sort_by_key(|quote| quote.inner.start);
    let mut end = 0;
    for quote in found {
        if quote.inner.start >= end && !quote.inner.is_empty() {
            end = quote.inner.end;
            quotes.push(quote);
        }
    }
}

fn opens(c: char, before: char, after: char) -> bool {
    match c {
        '«' | '“' | '„' | '‘' => true,
        '"' => !before.is_alphanumeric(),
        '\'' => !before.is_alphanumeric() && !after.is_whitespace(),
        '`' => true,
        _ => false,
    }
}

/// The open mark that `c` closes, counted from the outside.
fn closes(c: char, before: char, after: char, open: &[(char, usize)]) -> Option<usize> {
    let opener: &[char] = match c {
        '»' => &['«'],
        '”' => &['“', '„', '”'],
        '“' => &['„'],
        '’' if !after.is_alphanumeric() => &['‘'],
        '"' => &['"'],
        '\'' if !after.is_alphanumeric() && !before.is_whitespace() => &['\''],
        '`' => &['`'],
        _ => return None,
    };
    open.iter().rposition(|(mark, _)| opener.contains(mark))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::layout;
    use rstest::rstest;

    #[rstest]
    #[case("скажи «да» и “нет”", &["да", "нет"])]
    #[case("„так“ и «вот „это“ тут»", &["так", "вот „это“ тут"])]
    #[case("don't say 'just', traders' words", &["just"])]
    #[case("a 5\" screen and \"x\"", &["x"])]
    #[case("``code`` and `one`", &["code", "one"])]
    #[case("«не закрыта\n\nдругая» строка", &[])]
    #[case("- «раз\n- два»", &[])]
    #[case("««««« \"ok\"", &["ok"])]
    fn quotations_of(#[case] text: &str, #[case] expected: &[&str]) {
        let source = Source::of("x", text);
        let found = of(&source, &layout::shapes(&source));
        let inner: Vec<&str> = found.iter().map(|q| &text[q.inner.clone()]).collect();
        assert_eq!(inner, expected);
    }
}
