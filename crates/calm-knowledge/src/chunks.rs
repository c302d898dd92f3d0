//! Cutting a document into chunks the size of a search result.
//!
//! A part that fits stays whole. A longer one is cut where it costs least: the price of a cut is lowest between
//! paragraphs, then between lines, sentences and words, and highest after a heading; the price of a chunk grows with its
//! distance from the wanted length. The cheapest row of cuts through the part is taken, so there is no small rest at
//! the end and no overlap. A chunk never holds text of two places.

use crate::Document;
use serde::{Deserialize, Serialize};
use std::ops::{Range, RangeInclusive};

/// Characters of a chunk's text: fewest and most. Only a part that is shorter itself makes a shorter chunk.
pub const CHUNK_CHARACTERS: RangeInclusive<usize> = FEWEST..=MOST;

const FEWEST: usize = 300;
const WANTED: usize = 600;
const MOST: usize = 900;

/// A piece of a document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Chunk {
    /// From 0, in the order of the document.
    pub seq: usize,
    /// As in [`crate::Part`]; headings are here and not in the text, so a search should look at both.
    pub place: Option<String>,
    /// The question that the text answers; a long answer repeats it in each of its chunks.
    pub question: Option<String>,
    pub text: String,
}
/// Characters; longer sentences may be cut between words. Small enough that any text can be laid out in chunks of
/// [`CHUNK_CHARACTERS`].
const LONGEST_ATOM: usize = 250;
/// Characters; words of a long sentence are taken together up to here, to have fewer cuts to weigh.
const SHORTEST_GROUP: usize = 50;
/// Spaces in a row that are kept: enough for an indentation.
const MOST_SPACES: usize = 4;
/// Characters; a longer line is no heading.
const LONGEST_HEADING: usize = 80;

/// What a cut costs; a chunk of 300 or 900 characters costs 100.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cut {
    Paragraph = 0,
    Line = 10,
    Sentence = 25,
    Word = 90,
    /// Would leave a heading without its text.
    AfterHeading = 160,
    Letter = 200,
}

const TOO_SHORT: u64 = 10_000;

/// Cuts a document; chunks come in the order of the text and cover all of it.
pub fn chunks(document: &Document) -> Vec<Chunk> {
    let mut chunks = Vec::new();
    for part in &document.parts {
        for text in cut(&squeezed(&part.text)) {
            let (place, question) = (part.place.clone(), part.question.clone());
            chunks.push(Chunk { seq: chunks.len(), place, question, text: text.to_owned() });
        }
    }
    chunks
}

/// Runs of spaces and blank lines count for as little as they say.
fn squeezed(text: &str) -> String {
    let mut squeezed = String::with_capacity(text.len());
    for line in text.lines() {
        let mut spaces = 0;
        for c in line.trim_end().chars() {
            spaces = if c.is_whitespace() { spaces + 1 } else { 0 };
            if spaces <= MOST_SPACES {
                squeezed.push(c);
            }
        }
        squeezed.push('\n');
        if squeezed.ends_with("\n\n\n") {
            squeezed.pop();
        }
    }
    squeezed.trim().to_owned()
}

/// What is never cut: bytes and characters in the text, and the price of a cut before it.
struct Atom {
    bytes: Range<usize>,
    characters: Range<usize>,
    before: Cut,
}

fn cut(text: &str) -> Vec<&str> {
    let atoms = atoms(text);
    let Some(length) = atoms.last().map(|atom| atom.characters.end) else { return Vec::new() };
    if length <= MOST {
        return vec![text];
    }
    // The cheapest way to cut everything before an atom, and where the last chunk of that way begins.
    let mut best: Vec<(u64, usize)> = vec![(0, 0)];
    for end in 1..=atoms.len() {
        let mut cheapest = (u64::MAX, end - 1);
        for start in (0..end).rev() {
            let chunk = atoms[end - 1].characters.end - atoms[start].characters.start;
            if chunk > MOST && start + 1 < end {
                break;
            }
            let cut = if start == 0 { 0 } else { atoms[start].before as u64 };
            let price = best[start].0.saturating_add(cut).saturating_add(price(chunk));
            if price < cheapest.0 {
                cheapest = (price, start);
            }
        }
        best.push(cheapest);
    }
    let (mut found, mut end) = (Vec::new(), atoms.len());
    while end > 0 {
        let start = best[end].1;
        found.push(&text[atoms[start].bytes.start..atoms[end - 1].bytes.end]);
        end = start;
    }
    found.reverse();
    found
}

fn price(chunk: usize) -> u64 {
    let away = chunk.abs_diff(WANTED) as u64;
    away * away / 900 + if chunk < FEWEST { TOO_SHORT } else { 0 }
}

struct Word<'a> {
    text: &'a str,
    bytes: Range<usize>,
    characters: Range<usize>,
    before: Cut,
}

fn atoms(text: &str) -> Vec<Atom> {
    let words = words(text);
    let mut atoms: Vec<Atom> = Vec::new();
    let mut start = 0;
    while start < words.len() {
        let next = words[start + 1..].iter().position(|word| word.before != Cut::Word);
        let end = next.map_or(words.len(), |at| start + 1 + at);
        let sentence = &words[start..end];
        let whole = sentence[sentence.len() - 1].characters.end - sentence[0].characters.start;
        for word in sentence {
            let Some(last) = atoms.last_mut().filter(|_| word.before == Cut::Word) else {
                push(&mut atoms, word);
                continue;
            };
            let (length, with) = (last.characters.len(), word.characters.end.saturating_sub(last.characters.start));
            if whole <= LONGEST_ATOM || (length < SHORTEST_GROUP && with <= LONGEST_ATOM) {
                last.bytes.end = word.bytes.end;
                last.characters.end = word.characters.end;
            } else {
                push(&mut atoms, word);
            }
        }
        start = end;
    }
    atoms
}

/// A word as an atom, or as several where it is no word of any language.
fn push(atoms: &mut Vec<Atom>, word: &Word<'_>) {
    let (mut from, mut character, mut before) = (word.bytes.start, word.characters.start, word.before);
    let mut inside = 0;
    for (at, c) in word.text.char_indices() {
        if inside >= LONGEST_ATOM || (inside >= LONGEST_ATOM - 10 && !joins(c)) {
            let bytes = from..word.bytes.start + at;
            from = bytes.end;
            atoms.push(Atom { bytes, characters: character..character + inside, before });
            (character, inside, before) = (character + inside, 0, Cut::Letter);
        }
        inside += 1;
    }
    atoms.push(Atom { bytes: from..word.bytes.end, characters: character..word.characters.end, before });
}

/// Belongs to the character before it: an accent, a variation, the joint of an emoji.
fn joins(c: char) -> bool {
    unicode_normalization::char::is_combining_mark(c)
        || matches!(c, '\u{200D}' | '\u{FE00}'..='\u{FE0F}' | '\u{1F3FB}'..='\u{1F3FF}')
}

fn words(text: &str) -> Vec<Word<'_>> {
    let mut words: Vec<Word<'_>> = Vec::new();
    let (mut newlines, mut line) = (0, 0);
    let mut characters = text.char_indices().enumerate().peekable();
    while let Some((index, (at, c))) = characters.next() {
        if c.is_whitespace() {
            newlines += usize::from(c == '\n');
            continue;
        }
        let (mut end, mut count) = (at + c.len_utf8(), 1);
        while let Some((_, (at, c))) = characters.next_if(|(_, (_, c))| !c.is_whitespace()) {
            (end, count) = (at + c.len_utf8(), count + 1);
        }
        let word = &text[at..end];
        let before = match words.last() {
            None => Cut::Paragraph,
            Some(last) => {
                let above = &text[line..last.bytes.end];
                boundary(newlines, above, last.text, word)
            }
        };
        if newlines > 0 {
            line = at;
        }
        newlines = 0;
        words.push(Word { text: word, bytes: at..end, characters: index..index + count, before });
    }
    words
}

/// The price of a cut between two words; `above` is the line of the first, up to it.
fn boundary(newlines: usize, above: &str, last: &str, next: &str) -> Cut {
    let sentence = ends_sentence(last) && !next.starts_with(char::is_lowercase);
    match newlines {
        0 if sentence => Cut::Sentence,
        0 => Cut::Word,
        _ if is_heading(above) => Cut::AfterHeading,
        1 if sentence || starts_item(next) || above.chars().count() < LONGEST_HEADING / 2 => Cut::Line,
        // A line that was broken to fit a page goes on in the next one.
        1 => Cut::Word,
        _ => Cut::Paragraph,
    }
}

fn is_heading(line: &str) -> bool {
    let ends = |c: char| matches!(c, '.' | '!' | '?' | '…' | ';' | ',');
    !starts_item(line) && !line.ends_with(ends) && line.chars().take(LONGEST_HEADING + 1).count() <= LONGEST_HEADING
}

fn starts_item(line: &str) -> bool {
    line.starts_with(['-', '*', '+', '•', '–', '—', '▪', '◦', '|', '>'])
        || line.trim_start_matches(|c: char| c.is_ascii_digit()).starts_with(['.', ')'])
}

fn ends_sentence(word: &str) -> bool {
    let word = word.trim_end_matches(['»', '”', '’', '"', '\'', ')', ']', '*', '_']);
    let Some(bare) = word.strip_suffix(['.', '!', '?', '…']) else { return false };
    let bare = bare.trim_start_matches(['«', '„', '“', '"', '(', '[']);
    let initial = word.ends_with('.') && bare.chars().count() == 1 && bare.chars().all(char::is_alphabetic);
    let short = ["см", "рис", "гл", "стр", "табл", "mr", "mrs", "ms", "dr", "fig", "vs"];
    !initial && !short.contains(&bare.to_lowercase().as_str())
}
