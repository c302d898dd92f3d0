//! Markdown: headings become places, front matter gives the title and the language, pairs of question and answer become
//! parts of their own.
//!
//! Only as much markdown is understood as that takes. Everything else in the text stays as the author wrote it,
//! template tags and HTML included.

use crate::document::Found;
use crate::pairs::{self, Piece};
use crate::{DocumentError, Part, clean};

/// Characters of one heading in a place; a longer one is a paragraph that was marked up as a heading.
const LONGEST_HEADING: usize = 120;
/// Lines; front matter that has not ended by then is text after a ruler.
const LONGEST_FRONT_MATTER: usize = 60;

/// A line of markdown, `number` counting from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Line<'a> {
    pub(crate) number: usize,
    pub(crate) raw: &'a str,
    /// Level 1–6 and the words of a heading.
    pub(crate) heading: Option<(usize, &'a str)>,
    /// In a fenced block of code, its fences included.
    pub(crate) code: bool,
}

pub(crate) fn lines(text: &str) -> impl Iterator<Item = Line<'_>> {
    let mut fence: Option<(u8, usize)> = None;
    text.lines().enumerate().map(move |(index, raw)| {
        let mark = fence_mark(raw);
        let code = fence.is_some() || mark.is_some();
        match (fence, mark) {
            (None, Some((sign, length, _))) => fence = Some((sign, length)),
            (Some(open), Some((sign, length, true))) if open.0 == sign && length >= open.1 => fence = None,
            _ => {}
        }
        Line { number: index + 1, raw, heading: if code { None } else { heading(raw) }, code }
    })
}

/// The sign of a fence, how many of them, and whether the line could close a block.
fn fence_mark(raw: &str) -> Option<(u8, usize, bool)> {
    let line = raw.trim_start_matches(' ');
    let sign = *line.as_bytes().first().filter(|sign| matches!(sign, b'`' | b'~'))?;
    let length = line.bytes().take_while(|&b| b == sign).count();
    let rest = &line[length..];
    let opens = sign == b'~' || !rest.contains('`');
    (raw.len() - line.len() <= 3 && length >= 3 && opens).then_some((sign, length, rest.trim().is_empty()))
}

fn heading(raw: &str) -> Option<(usize, &str)> {
    let line = raw.trim_start_matches(' ');
    let level = line.bytes().take_while(|&b| b == b'#').count();
    let words = &line[level..];
    if raw.len() - line.len() > 3 || !(1..=6).contains(&level) || !(words.is_empty() || words.starts_with([' ', '\t']))
    {
        return None;
    }
    let words = words.trim();
    let open = words.trim_end_matches('#');
    // A closing run of signs is no part of the heading; a sign that touches a word is ("C#").
    Some((level, if open.is_empty() || open.ends_with([' ', '\t']) { open.trim_end() } else { words }))
}

/// # Errors
/// When a question has no answer, or is too long to be one.
pub(crate) fn read(text: &str) -> Result<Found, DocumentError> {
    let (matter, skipped) = front_matter(text);
    let mut reader = Reader::default();
    for line in lines(text).skip(skipped) {
        match line.heading {
            Some((level, words)) if pairs::question_in(words).is_none() => reader.turn_to(level, words)?,
            _ => reader.body.push(line),
        }
    }
    reader.close(true)?;
    reader.pairs.check()?;
    let title = matter.title.or_else(|| reader.title.take());
    Ok(Found { title, language: matter.language, parts: reader.parts, ..Found::default() })
}

#[derive(Default)]
struct Matter {
    title: Option<String>,
    language: Option<String>,
}

/// What the front matter says, and how many lines it takes.
fn front_matter(text: &str) -> (Matter, usize) {
    let mut matter = Matter::default();
    if text.lines().next().map(str::trim_end) != Some("---") {
        return (matter, 0);
    }
    for (index, line) in text.lines().enumerate().skip(1).take(LONGEST_FRONT_MATTER) {
        if matches!(line.trim_end(), "---" | "...") {
            return (matter, index + 1);
        }
        let Some((key, value)) = line.split_once(':') else { continue };
        let value = value.trim().trim_matches(['"', '\'']).trim();
        match key.trim() {
            "title" if !value.is_empty() => matter.title = Some(value.to_owned()),
            "language" | "lang" if (2..=8).contains(&value.len()) && value.is_ascii() => {
                matter.language = Some(value.to_ascii_lowercase());
            }
            _ => {}
        }
    }
    (Matter::default(), 0)
}

#[derive(Default)]
struct Reader<'a> {
    /// The first heading of the first level, where nothing stood before it.
    title: Option<String>,
    path: Vec<(usize, String)>,
    /// The words of the last heading when they did not fit into the place.
    long: Option<&'a str>,
    body: Vec<Line<'a>>,
    pairs: pairs::Tally,
    parts: Vec<Part>,
}

impl<'a> Reader<'a> {
    fn turn_to(&mut self, level: usize, words: &'a str) -> Result<(), DocumentError> {
        let goes_deeper = self.path.last().is_none_or(|&(above, _)| level > above);
        self.close(!goes_deeper)?;
        self.path.retain(|&(above, _)| above < level);
        let short = clean::line(words, LONGEST_HEADING);
        if level == 1 && self.title.is_none() && self.parts.is_empty() && short == words {
            self.title = Some(short);
            return Ok(());
        }
        self.long = (short != words).then_some(words);
        self.path.push((level, short));
        Ok(())
    }

    /// Ends the text under the current heading. With `last`, no deeper heading follows that would name this one.
    fn close(&mut self, last: bool) -> Result<(), DocumentError> {
        let pieces = pairs::pieces(&std::mem::take(&mut self.body), &mut self.pairs)?;
        let nothing = pieces.is_empty();
        let place = self.place(self.path.len());
        if let Some(words) = self.long.take() {
            self.parts.push(Part { place: place.clone(), question: None, text: words.to_owned() });
        } else if nothing && last {
            // A heading over nothing is all there is to say about it.
            if let Some((_, words)) = self.path.last() {
                let place = self.place(self.path.len() - 1);
                self.parts.push(Part { place, question: None, text: words.clone() });
            } else if let (true, Some(title)) = (self.parts.is_empty(), &self.title) {
                self.parts.push(Part { place: None, question: None, text: title.clone() });
            }
        }
        self.parts.extend(pieces.into_iter().map(|piece| match piece {
            Piece::Text(text) => Part { place: place.clone(), question: None, text },
            Piece::Pair { question, answer } => Part { place: place.clone(), question: Some(question), text: answer },
        }));
        Ok(())
    }

    fn place(&self, depth: usize) -> Option<String> {
        let words = self.path[..depth].iter().map(|(_, words)| words.as_str());
        let words: Vec<&str> = words.filter(|words| !words.is_empty()).collect();
        (!words.is_empty()).then(|| words.join(" › "))
    }
}
