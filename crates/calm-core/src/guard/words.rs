//! A sentence as the guard sees it: words with the usual disguises taken off.
//!
//! Bold marks inside a word, zero-width characters, look-alike letters, full-width letters and letters
//! spaced out ("к у п и") change nothing for a reader, so they must change nothing here. Every word keeps
//! its place in the original, because a hit is quoted.

use std::ops::Range;

use crate::understand::normal;

pub struct Word {
    pub norm: String,
    pub span: Range<usize>,
    /// Counts up at a comma, a dash, a colon, a bracket or a quotation mark.
    pub clause: usize,
    /// Two to eight Latin capitals, perhaps with digits: "BTC", "NQ", "SPX500".
    pub ticker: bool,
    pub number: bool,
}

/// Longest text that is looked at, in bytes; a sentence that streams is cut off long before.
const LONGEST: usize = 4000;
/// How many letters on their own make a word: Russian has one-letter words in plenty, English has two.
const SPELLED_CYRILLIC: usize = 4;
const SPELLED_LATIN: usize = 3;

/// Capitals that are no instrument.
const NO_TICKER: [&str; 17] =
    ["ok", "ai", "fomo", "usa", "uk", "eu", "am", "pm", "sms", "pnl", "cbt", "adhd", "ptsd", "tv", "pc", "ui", "id"];

pub fn of(text: &str) -> Vec<Word> {
    let limit = (0..=LONGEST.min(text.len())).rev().find(|i| text.is_char_boundary(*i)).unwrap_or(0);
    let mut chars = text[..limit].char_indices().map(|(at, c)| (at..at + c.len_utf8(), plain(c))).peekable();
    let mut words: Vec<Word> = Vec::new();
    let mut clause = 0;
    let mut last = ' ';
    while let Some((place, c)) = chars.next() {
        if c == '%' || c == '$' || c == '€' {
            let norm = if c == '€' { '$' } else { c };
            words.push(Word { norm: norm.into(), span: place, clause, ticker: false, number: false });
        } else if c.is_alphanumeric() {
            let mut raw = String::from(c);
            let mut end = place.end;
            let figure = c.is_ascii_digit();
            while let Some((next, n)) = chars.peek().cloned() {
                let after = text[next.end..].chars().next().unwrap_or(' ');
                let inside = if figure {
                    n.is_ascii_digit() || matches!(n, '.' | ',' | ':') && after.is_ascii_digit()
                } else {
                    n.is_alphanumeric() || is_mark(n) || is_silent(n) && goes_on(&text[next.start..])
                };
                if !inside {
                    break;
                }
                if !is_silent(n) {
                    raw.push(n);
                }
                end = next.end;
                chars.next();
            }
            push(&mut words, &raw, place.start..end, clause);
        } else if ends_clause(c) || is_dash(c) && (last.is_whitespace() || c == '—') {
            clause += 1;
        }
        last = c;
    }
    joined(words)
}

fn push(words: &mut Vec<Word>, raw: &str, span: Range<usize>, clause: usize) {
    let norm = normal(raw);
    if norm.is_empty() {
        return;
    }
    let capital = raw.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit());
    let number = norm.starts_with(|c: char| c.is_ascii_digit());
    let ticker = capital && !number && (2..=8).contains(&raw.len()) && !NO_TICKER.contains(&norm.as_str());
    words.push(Word { norm, span, clause, ticker, number });
}

/// Letters on their own become the word that they spell.
fn joined(words: Vec<Word>) -> Vec<Word> {
    let mut out: Vec<Word> = Vec::with_capacity(words.len());
    let mut rest = words.into_iter().peekable();
    while let Some(word) = rest.next() {
        let mut run = vec![word];
        while run.iter().all(is_letter)
            && rest.peek().is_some_and(|next| is_letter(next) && run.last().is_some_and(|l| next.clause == l.clause))
        {
            run.extend(rest.next());
        }
        let latin = run.iter().all(|w| w.norm.is_ascii());
        let (Some(first), Some(last)) = (run.first(), run.last()) else { continue };
        if run.len() >= if latin { SPELLED_LATIN } else { SPELLED_CYRILLIC } {
            let norm = normal(&run.iter().map(|w| w.norm.as_str()).collect::<String>());
            let span = first.span.start..last.span.end;
            out.push(Word { norm, span, clause: first.clause, ticker: false, number: false });
        } else {
            out.extend(run);
        }
    }
    out
}

fn is_letter(word: &Word) -> bool {
    let mut chars = word.norm.chars();
    chars.next().is_some_and(char::is_alphabetic) && chars.next().is_none()
}

/// Whether a word goes on behind silent marks.
fn goes_on(text: &str) -> bool {
    text.chars().find(|c| !is_silent(*c)).is_some_and(char::is_alphanumeric)
}

/// Written, but not read: emphasis, soft hyphens, zero-width characters.
fn is_silent(c: char) -> bool {
    matches!(c, '*' | '_' | '~' | '`' | '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{fe0f}' | '\u{feff}')
}

fn is_mark(c: char) -> bool {
    ('\u{300}'..='\u{36f}').contains(&c) || matches!(c, '\'' | '’' | '‘' | 'ʼ' | '´' | '′')
}

fn ends_clause(c: char) -> bool {
    matches!(c, ',' | ';' | ':' | '(' | ')' | '«' | '»' | '"' | '“' | '”' | '.' | '!' | '?' | '…' | '\n')
}

fn is_dash(c: char) -> bool {
    matches!(c, '-' | '–' | '—' | '−')
}

/// Full-width, Greek and rare Cyrillic letters that pass for common ones.
fn plain(c: char) -> char {
    match c {
        'ａ'..='ｚ' | 'Ａ'..='Ｚ' | '０'..='９' => char::from_u32(u32::from(c) - 0xfee0).unwrap_or(c),
        'і' | 'І' | 'ι' => 'i',
        'ѕ' | 'Ѕ' => 's',
        'ј' => 'j',
        'һ' => 'h',
        'ԁ' => 'd',
        'α' => 'a',
        'ο' | 'Ο' => 'o',
        'ε' | 'Ε' => 'e',
        'ρ' | 'Ρ' => 'p',
        'υ' => 'u',
        'κ' | 'Κ' => 'k',
        'τ' | 'Τ' => 't',
        'Β' => 'B',
        'Υ' => 'Y',
        _ => c,
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::bold("**Прод**авай, да", &["продавай", "да"])]
    #[case::spaced("к у п и, пока", &["купи", "пока"])]
    #[case::one_letter_words("и я в деле", &["и", "я", "в", "деле"])]
    #[case::latin_spaced("B U Y now", &["buy", "now"])]
    #[case::look_alikes("Пpодaвай", &["продавай"])]
    #[case::cyrillic_in_latin("S\u{435}ll", &["sell"])]
    #[case::zero_width("ку\u{200b}пи", &["купи"])]
    #[case::emoji("Закрой👍сделку", &["закрой", "сделку"])]
    #[case::figures("1.5% от 95,000", &["1.5", "%", "от", "95,000"])]
    #[case::full_width("ｂｕｙ", &["buy"])]
    fn words_of(#[case] text: &str, #[case] expected: &[&str]) {
        let norms: Vec<String> = of(text).into_iter().map(|w| w.norm).collect();
        assert_eq!(norms, expected);
    }
}
