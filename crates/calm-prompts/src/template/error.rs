//! What is wrong with a template, and where.

use std::fmt;

use crate::Both;
use crate::stems::Lang;

/// Shown characters of the line that is at fault.
const EXCERPT: usize = 80;

/// A mistake in a prompt file. The line it shows is the author's text, never the user's.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub struct TemplateError {
    /// Inside the set, with forward slashes.
    pub file: String,
    /// From 1.
    pub line: u32,
    /// From 1, in characters.
    pub column: u32,
    /// The line, or the part of a long one around the column.
    pub excerpt: String,
    pub problem: Both,
    pub hint: Option<Box<Both>>,
}

impl fmt::Display for TemplateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.told(Lang::En))
    }
}

impl TemplateError {
    /// In one line: where, what, how to mend it, and the text there.
    pub fn told(&self, lang: Lang) -> String {
        let TemplateError { file, line, column, excerpt, problem, hint } = self;
        let hint = hint.as_ref().map(|hint| format!(" ({})", hint.of(lang))).unwrap_or_default();
        format!("{file}:{line}:{column}: {}{hint}: “{excerpt}”", problem.of(lang))
    }
}

/// A mistake by its place in the source; [`Mistake::at`] turns it into an error for people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Mistake {
    /// Bytes from the start of the source.
    pub offset: usize,
    pub problem: Both,
    pub hint: Option<Box<Both>>,
}

impl Mistake {
    pub fn new(offset: usize, problem: Both) -> Mistake {
        Mistake { offset, problem, hint: None }
    }

    pub fn hint(mut self, hint: Both) -> Mistake {
        self.hint = Some(Box::new(hint));
        self
    }

    pub fn at(self, file: &str, source: &str) -> TemplateError {
        let (line, column) = place(source, self.offset);
        TemplateError {
            file: file.to_owned(),
            line,
            column,
            excerpt: excerpt(source, self.offset),
            problem: self.problem,
            hint: self.hint,
        }
    }
}

/// Line and column from 1, the column in characters.
pub(crate) fn place(source: &str, offset: usize) -> (u32, u32) {
    let before = source.get(..offset).unwrap_or(source);
    let line = before.bytes().filter(|b| *b == b'\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    (u32::try_from(line).unwrap_or(u32::MAX), u32::try_from(column).unwrap_or(u32::MAX))
}

fn excerpt(source: &str, offset: usize) -> String {
    let offset = offset.min(source.len());
    let start = source.get(..offset).and_then(|s| s.rfind('\n')).map_or(0, |at| at + 1);
    let end = source.get(offset..).and_then(|s| s.find('\n')).map_or(source.len(), |at| offset + at);
    let before: Vec<char> = source.get(start..offset).unwrap_or_default().chars().collect();
    let after: Vec<char> = source.get(offset..end).unwrap_or_default().chars().take(EXCERPT + 1).collect();
    let skipped = if before.len() + after.len() > EXCERPT { before.len().saturating_sub(EXCERPT / 2) } else { 0 };
    let mut shown: String = if skipped > 0 { "…".into() } else { String::new() };
    let room = EXCERPT - (before.len() - skipped).min(EXCERPT);
    shown.extend(before.iter().skip(skipped).chain(after.iter().take(room)).map(|c| visible(*c)));
    if after.len() > room {
        shown.push('…');
    }
    shown.trim().to_owned()
}

/// Control characters and those that turn the direction of a line would garble the message.
fn visible(c: char) -> char {
    match c {
        '\t' => ' ',
        '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}' => '·',
        c if c.is_control() => '·',
        c => c,
    }
}

/// The candidate that is most like `name`, where one is like it at all.
pub(crate) fn closest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // Comparing takes time by the product of the lengths, and no name is this long.
    if name.len() > 100 {
        return None;
    }
    candidates
        .into_iter()
        .map(|candidate| (strsim::damerau_levenshtein(name, candidate), candidate))
        .filter(|(distance, candidate)| *distance <= (candidate.chars().count() / 3).max(2))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}
