//! Words with what stands between them: sentences, clauses, quotations.
//!
//! A sentence may run over a soft line break, never out of its bullet, heading or table cell.

use std::ops::Range;

use super::layout::{Kind, Shape};
use super::pattern::{Key, key_of};
use super::quotes::{self, Quote};
use super::source::{HOLE, Source, WALL};
use crate::stems::{normal, words};

/// What stands before a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Gap(u8);

impl Gap {
    pub const COMMA: Gap = Gap(1);
    pub const COLON: Gap = Gap(2);
    pub const SEMICOLON: Gap = Gap(4);
    pub const DASH: Gap = Gap(8);
    pub const BRACKET: Gap = Gap(16);
    pub const END: Gap = Gap(32);
    /// An end that only a line break made.
    pub const BREAK: Gap = Gap(64);
    pub const SLASH: Gap = Gap(128);

    pub fn has(self, other: Gap) -> bool {
        self.0 & other.0 != 0
    }

    /// A clause may end here.
    pub fn is_pause(self) -> bool {
        self.0 & !Gap::BREAK.0 != 0
    }

    pub fn and(self, other: Gap) -> Gap {
        Gap(self.0 | other.0)
    }

    fn add(&mut self, other: Gap) {
        self.0 |= other.0;
    }
}

#[derive(Debug)]
pub struct Token {
    /// As `stems::normal`; empty for a value that is not known yet.
    pub norm: String,
    pub key: Option<Key>,
    /// Bytes in the file.
    pub start: usize,
    pub end: usize,
    pub line: usize,
    pub sentence: u32,
    pub gap: Gap,
    /// Index of the quotation it stands in.
    pub quote: Option<u32>,
    pub capital: bool,
}

pub struct Tokens {
    pub list: Vec<Token>,
    pub quotes: Vec<Quote>,
}

impl Tokens {
    pub fn of(source: &Source<'_>, shapes: &[Shape]) -> Tokens {
        let text = source.masked.as_str();
        let quotes = quotes::of(source, shapes);
        let mut list: Vec<Token> = Vec::with_capacity(text.len() / 8);
        let mut builder = Builder { source, shapes, quotes: &quotes, next_quote: 0, line: 0, sentence: 0 };
        let mut from = 0;
        for word in words(text) {
            let gap = &text[from..word.start];
            if let Some(hole) = gap.find(HOLE) {
                let end = from + gap.rfind(HOLE).unwrap_or(hole) + 1;
                builder.push(&mut list, from, from + hole..end, "");
                from = end;
            }
            builder.push(&mut list, from, word.start..word.end, word.text);
            from = word.end;
        }
        if let Some(hole) = text[from..].find(HOLE) {
            builder.push(&mut list, from, from + hole..from + hole + 1, "");
        }
        Tokens { list, quotes }
    }

    pub fn norm(&self, at: usize) -> &str {
        self.list.get(at).map_or("", |t| t.norm.as_str())
    }

    pub fn key(&self, at: usize) -> Option<Key> {
        self.list.get(at).and_then(|t| t.key)
    }

    pub fn gap(&self, at: usize) -> Gap {
        self.list.get(at).map_or(Gap::END, |t| t.gap)
    }

    pub fn same_sentence(&self, a: usize, b: usize) -> bool {
        matches!((self.list.get(a), self.list.get(b)), (Some(a), Some(b)) if a.sentence == b.sentence)
    }

    /// The token opens a sentence, a quotation, or what follows a colon or a dash.
    pub fn opens(&self, at: usize) -> bool {
        let Some(before) = at.checked_sub(1) else { return true };
        let quote = |i: usize| self.list.get(i).and_then(|t| t.quote);
        !self.same_sentence(before, at)
            || quote(at).is_some() && quote(at) != quote(before)
            || self.gap(at).has(Gap::COLON)
            || self.gap(at).has(Gap::DASH)
    }

    /// The tokens of the sentence around `at`, no further than `reach` words to either side.
    pub fn sentence(&self, at: usize, reach: usize) -> Range<usize> {
        let from = at.saturating_sub(reach);
        let start = (from..at).rev().take_while(|i| self.same_sentence(*i, at)).last().unwrap_or(at);
        let to = (at + 1 + reach).min(self.list.len());
        let end = (at + 1..to).take_while(|i| self.same_sentence(*i, at)).last().map_or(at + 1, |i| i + 1);
        start..end
    }

    /// The tokens of a line.
    pub fn of_line(&self, line: usize) -> Range<usize> {
        let start = self.list.partition_point(|t| t.line < line);
        start..start + self.list[start..].partition_point(|t| t.line <= line)
    }

    pub fn bytes(&self, range: &Range<usize>) -> Range<usize> {
        let last = range.end.checked_sub(1).and_then(|i| self.list.get(i));
        match (self.list.get(range.start), last) {
            (Some(first), Some(last)) => first.start..last.end.max(first.start),
            _ => 0..0,
        }
    }
}

struct Builder<'a> {
    source: &'a Source<'a>,
    shapes: &'a [Shape],
    quotes: &'a [Quote],
    next_quote: usize,
    line: usize,
    sentence: u32,
}

impl Builder<'_> {
    fn push(&mut self, list: &mut Vec<Token>, gap_from: usize, span: Range<usize>, written: &str) {
        let before = self.source.masked.get(gap_from..span.start).unwrap_or("");
        let from_line = self.line;
        while self.source.lines.get(self.line + 1).is_some_and(|next| next.start <= span.start) {
            self.line += 1;
        }
        let first = list.is_empty();
        let previous = list.last().map_or("", |t| t.norm.as_str());
        let mut gap = gap_of(before, previous, written);
        if self.line != from_line && !first && !self.is_soft(from_line, gap, written) {
            gap.add(Gap::END);
            gap.add(Gap::BREAK);
        }
        if !first && gap.has(Gap::END) {
            self.sentence += 1;
        }
        while self.quotes.get(self.next_quote).is_some_and(|quote| quote.inner.end <= span.start) {
            self.next_quote += 1;
        }
        let inside = self.quotes.get(self.next_quote).is_some_and(|quote| quote.inner.contains(&span.start));
        let norm = normal(written);
        list.push(Token {
            key: key_of(&norm),
            norm,
            start: span.start,
            end: span.end,
            line: self.line,
            sentence: self.sentence,
            gap,
            quote: inside.then(|| u32::try_from(self.next_quote).unwrap_or(u32::MAX)),
            capital: written.starts_with(char::is_uppercase),
        });
    }

    /// The line goes on: nothing but prose in between, and a word that does not look like a beginning.
    fn is_soft(&self, from_line: usize, gap: Gap, written: &str) -> bool {
        let opens = |line: usize| self.shapes.get(line).is_none_or(|s| !matches!(s.kind, Kind::Plain | Kind::Clear));
        let ends = |line: usize| self.shapes.get(line).is_some_and(|s| matches!(s.kind, Kind::Heading(_) | Kind::Row));
        let lead_in = self.source.masked_line(from_line).trim_end().ends_with(':');
        let goes_on = gap.has(Gap::COMMA) || written.starts_with(char::is_lowercase) || written.starts_with("I");
        goes_on && !ends(from_line) && !lead_in && !(from_line + 1..=self.line).any(opens)
    }
}

fn gap_of(between: &str, previous: &str, next: &str) -> Gap {
    let mut gap = Gap::default();
    let lower = next.starts_with(char::is_lowercase);
    for (at, c) in between.char_indices() {
        let rest = &between[at + c.len_utf8()..];
        match c {
            ',' => gap.add(Gap::COMMA),
            ':' => gap.add(Gap::COLON),
            ';' => gap.add(Gap::SEMICOLON),
            '—' | '–' | '→' | '=' => gap.add(Gap::DASH),
            '-' if between[..at].ends_with(char::is_whitespace) && rest.starts_with(char::is_whitespace) => {
                gap.add(Gap::DASH);
            }
            '(' | ')' | '[' | ']' => gap.add(Gap::BRACKET),
            '/' => gap.add(Gap::SLASH),
            '|' | WALL => gap.add(Gap::END),
            '.' => {
                let abbreviation = lower && (previous.chars().count() <= 2 || is_abbreviation(previous));
                let inside_a_name = rest.is_empty();
                if !abbreviation && !inside_a_name {
                    gap.add(Gap::END);
                }
            }
            // «Готов?» — спроси это: the sentence goes on after the quotation.
            '!' | '?' if lower && rest.contains(['»', '”', '"', '’']) => {}
            '!' | '?' => gap.add(Gap::END),
            '…' if !lower => gap.add(Gap::END),
            _ => {}
        }
    }
    gap
}

fn is_abbreviation(word: &str) -> bool {
    ["etc", "напр", "др", "пр", "см", "руб", "тыс", "млн", "мин", "сек", "тд", "тп"].contains(&word)
}
