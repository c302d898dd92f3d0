//! One utterance cut into words for the readers of times and sums, with the lexicon that they share.

use std::ops::Range;
use std::sync::LazyLock;

use crate::lang::Lang;
use crate::understand::lexicon::Lexicon;
use crate::understand::normal;

static RU: LazyLock<Lexicon> = LazyLock::new(|| embedded(include_str!("../../lexicon/ru/tools.toml")));
static EN: LazyLock<Lexicon> = LazyLock::new(|| embedded(include_str!("../../lexicon/en/tools.toml")));

fn embedded(file: &str) -> Lexicon {
    // The data is part of the program, and a test reads it.
    Lexicon::parse(&[file]).expect("the embedded lexicon is valid")
}

/// Longer utterances are read up to here.
const MOST_WORDS: usize = 400;

pub struct Word {
    pub norm: String,
    /// Bytes in the text.
    pub span: Range<usize>,
}

pub struct Words<'t> {
    text: &'t str,
    pub lang: Lang,
    list: Vec<Word>,
}

impl<'t> Words<'t> {
    pub fn of(text: &'t str, lang: Lang) -> Words<'t> {
        let mut list = Vec::new();
        let mut at = 0;
        while let Some(first) = text[at..].chars().next() {
            if list.len() >= MOST_WORDS {
                break;
            }
            let end = if first.is_ascii_digit() {
                end_of_figure(text, at)
            } else if first.is_alphabetic() {
                end_of_word(text, at)
            } else {
                at += first.len_utf8();
                continue;
            };
            list.push(Word { norm: normal(&text[at..end]), span: at..end });
            at = end;
        }
        Words { text, lang, list }
    }

    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Empty past the end.
    pub fn norm(&self, at: usize) -> &str {
        self.list.get(at).map_or("", |word| word.norm.as_str())
    }

    pub fn is_digits(&self, at: usize) -> bool {
        self.norm(at).starts_with(|c: char| c.is_ascii_digit())
    }

    /// What stands between the word before `at` and the word at `at`; the tail for `at == len`.
    pub fn gap_before(&self, at: usize) -> &'t str {
        let from = at.checked_sub(1).and_then(|i| self.list.get(i)).map_or(0, |word| word.span.end);
        let to = self.list.get(at).map_or(self.text.len(), |word| word.span.start);
        self.text.get(from..to).unwrap_or("")
    }

    /// The user's own words for a range of words.
    pub fn written(&self, range: Range<usize>) -> &'t str {
        let last = range.end.checked_sub(1).and_then(|i| self.list.get(i));
        match (self.list.get(range.start), last) {
            (Some(first), Some(last)) => self.text.get(first.span.start..last.span.end).unwrap_or(""),
            _ => "",
        }
    }

    /// The entry of `section` that the word at `at` stands in.
    pub fn entry(&self, section: &str, at: usize) -> Option<&'static str> {
        lexicon(self.lang).entry_of(section, self.norm(at))
    }

    pub fn is(&self, section: &str, name: &str, at: usize) -> bool {
        lexicon(self.lang).has_word(section, name, self.norm(at))
    }

    /// An entry whose name is a number.
    pub fn number(&self, section: &str, at: usize) -> Option<u32> {
        self.entry(section, at)?.parse().ok()
    }

    /// Past words that only fill: "about", "где-то".
    pub fn past_articles(&self, mut at: usize) -> usize {
        while self.is("joining", "article", at) {
            at += 1;
        }
        at
    }
}

fn lexicon(lang: Lang) -> &'static Lexicon {
    match lang {
        Lang::Ru => &RU,
        Lang::En => &EN,
    }
}

/// "7,5", "9:30" and "1,000" stay whole; "2к" is a figure and a word.
fn end_of_figure(text: &str, at: usize) -> usize {
    let bytes = text.as_bytes();
    let digit = |i: usize| bytes.get(i).is_some_and(u8::is_ascii_digit);
    let mut end = at;
    while digit(end) || matches!(bytes.get(end), Some(b'.' | b',' | b':')) && digit(end + 1) {
        end += 1;
    }
    end
}

/// Apostrophes and combining marks belong to the word; a figure ends it.
fn end_of_word(text: &str, at: usize) -> usize {
    let mut end = at;
    let mut chars = text[at..].chars().peekable();
    while let Some(c) = chars.next() {
        let apostrophe = matches!(c, '\'' | '’') && chars.peek().is_some_and(|next| next.is_alphabetic());
        if !(c.is_alphabetic() || ('\u{300}'..='\u{36f}').contains(&c) || apostrophe) {
            break;
        }
        end += c.len_utf8();
    }
    end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_languages_have_the_same_entries() {
        for section in [
            "duration",
            "minutes",
            "fraction",
            "joining",
            "clock",
            "ordinal",
            "half_ordinal",
            "part",
            "part_alone",
            "day",
        ] {
            let names = |lang| lexicon(lang).names(section).map(str::to_owned).collect::<Vec<_>>();
            assert_eq!(names(Lang::Ru), names(Lang::En), "{section}");
        }
        for section in ["weekday", "reminding", "figures", "asked", "role"] {
            let names = |lang| lexicon(lang).names(section).map(str::to_owned).collect::<Vec<_>>();
            assert_eq!(names(Lang::Ru), names(Lang::En), "{section}");
        }
    }
}
