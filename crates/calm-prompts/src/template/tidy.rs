//! Closes the holes that a rendering left: headings, labels and tags with nothing under them, and blank lines
//! that have piled up. What is not beside a hole passes through as it is.

use std::ops::Range;

#[derive(Clone, Copy, PartialEq)]
enum Kind<'a> {
    /// `## …`, by its depth.
    Heading(usize),
    /// A line that ends in a colon and announces what follows; its indent where it is an item of a list itself.
    Label(Option<usize>),
    /// An item of a list, by its indent.
    Item(usize),
    /// `<name>`
    Open(&'a str),
    /// `</name>`
    Close(&'a str),
    Words,
    /// Behind the last line.
    End,
}

/// `holes` are ascending offsets of line starts, `filled` ascending ranges; a line that holds something filled in is
/// never taken away.
pub(super) fn tidy(mut text: String, holes: &[usize], filled: &[Range<usize>]) -> String {
    if holes.is_empty() {
        text.truncate(text.trim_end().len());
        return text;
    }
    let mut tidied = Tidied { text: String::with_capacity(text.len()), filled: Vec::with_capacity(filled.len()) };
    let mut filled = filled.iter().peekable();
    let mut from = 0;
    for (i, hole) in holes.iter().enumerate() {
        // An earlier hole has seen to this one.
        if *hole < from || i > 0 && holes.get(i - 1) == Some(hole) {
            continue;
        }
        tidied.take(&text, from..*hole, &mut filled);
        from = tidied.close(&text, *hole, filled.peek().map(|range| range.start));
    }
    tidied.take(&text, from..text.len(), &mut filled);
    tidied.text.truncate(tidied.text.trim_end().len());
    tidied.text
}

struct Tidied {
    text: String,
    filled: Vec<Range<usize>>,
}

impl Tidied {
    /// Takes a stretch over as it is.
    fn take<'a>(
        &mut self,
        text: &str,
        stretch: Range<usize>,
        filled: &mut std::iter::Peekable<impl Iterator<Item = &'a Range<usize>>>,
    ) {
        let shift = self.text.len();
        while let Some(range) = filled.next_if(|range| range.start < stretch.end) {
            if range.end > stretch.start {
                let moved = |at: usize| at.saturating_sub(stretch.start) + shift;
                self.filled.push(moved(range.start)..moved(range.end));
            }
        }
        self.text.push_str(text.get(stretch).unwrap_or_default());
    }

    /// Brings together what stands before and after the hole; gives where the text goes on.
    fn close(&mut self, text: &str, mut hole: usize, next_filled: Option<usize>) -> usize {
        let mut blanks = 0;
        loop {
            let before = self.drop_blanks();
            let (next, start, skipped) = after(text, hole, next_filled);
            blanks += before + skipped;
            let last = self.last_line();
            let line = self.text.get(last.clone()).unwrap_or_default();
            let is_filled = self.filled.last().is_some_and(|range| range.end > last.start);
            let kind = if is_filled || line.is_empty() { Kind::Words } else { kind(line) };
            if line.is_empty() || !is_empty_before(kind, next, before, skipped) {
                let at_start = line.is_empty() || matches!(kind, Kind::Open(_));
                if blanks > 0 && !at_start && !matches!(next, Kind::Close(_) | Kind::End) {
                    self.text.push('\n');
                }
                return start;
            }
            // A closing tag goes with its opening one, and the hole reaches behind it.
            let swallows = matches!((kind, next), (Kind::Open(_), Kind::Close(_)));
            hole = if swallows { end_of_line(text, start) } else { start };
            self.text.truncate(last.start);
        }
    }

    /// Takes the blank lines at the end away and says how many there were.
    fn drop_blanks(&mut self) -> usize {
        let mut blanks = 0;
        loop {
            let last = self.last_line();
            let line = self.text.get(last.clone()).unwrap_or_default();
            let is_filled = self.filled.last().is_some_and(|range| range.end > last.start);
            if line.is_empty() || is_filled || !line.trim().is_empty() {
                return blanks;
            }
            self.text.truncate(last.start);
            blanks += 1;
        }
    }

    /// With its line break; empty where there is no line.
    fn last_line(&self) -> Range<usize> {
        let body = self.text.strip_suffix('\n').unwrap_or(&self.text);
        body.rfind('\n').map_or(0, |at| at + 1)..self.text.len()
    }
}

/// The first line behind the hole that is not blank, where it begins, and how many blank ones are before it.
fn after(text: &str, hole: usize, next_filled: Option<usize>) -> (Kind<'_>, usize, usize) {
    let (mut at, mut blanks) = (hole, 0);
    for line in text.get(hole..).unwrap_or_default().split_inclusive('\n') {
        let is_filled = next_filled.is_some_and(|filled| filled < at + line.len());
        if is_filled {
            return (Kind::Words, at, blanks);
        }
        if !line.trim().is_empty() {
            return (kind(line), at, blanks);
        }
        blanks += 1;
        at += line.len();
    }
    (Kind::End, text.len(), blanks)
}

fn end_of_line(text: &str, at: usize) -> usize {
    text.get(at..).and_then(|rest| rest.find('\n')).map_or(text.len(), |end| at + end + 1)
}

/// Whether `line` announces something and `next`, which follows the hole under it, is not that.
fn is_empty_before(line: Kind<'_>, next: Kind<'_>, before: usize, after: usize) -> bool {
    match (line, next) {
        (Kind::Heading(depth), Kind::Heading(next)) => next <= depth,
        (Kind::Heading(_) | Kind::Label(_), Kind::Close(_) | Kind::End) => true,
        (Kind::Label(_), Kind::Heading(_)) => true,
        // Its own items would stand further in.
        (Kind::Label(Some(indent)), Kind::Item(next) | Kind::Label(Some(next))) => next <= indent,
        (Kind::Label(None), Kind::Label(None)) => true,
        (Kind::Label(_), Kind::Words | Kind::Open(_) | Kind::Label(None)) => before == 0 && after > 0,
        (Kind::Open(name), Kind::Close(closed)) => name == closed,
        (Kind::Open(_), Kind::End) => true,
        _ => false,
    }
}

fn kind(whole: &str) -> Kind<'_> {
    let line = whole.trim();
    let indent = whole.len() - whole.trim_start().len();
    let number = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let is_item = ["- ", "* ", "• "].iter().any(|mark| line.starts_with(mark))
        || number.len() < line.len() && (number.starts_with(". ") || number.starts_with(") "));
    let depth = line.bytes().take_while(|b| *b == b'#').count();
    if (1..=6).contains(&depth) && line.get(depth..).is_some_and(|rest| rest.starts_with(' ')) {
        return Kind::Heading(depth);
    }
    let name = line.strip_prefix('<').and_then(|rest| rest.strip_suffix('>')).unwrap_or_default();
    let is_name = |name: &str| !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || "_-".contains(c));
    match name.strip_prefix('/') {
        Some(closed) if is_name(closed) => Kind::Close(closed),
        None if is_name(name) => Kind::Open(name),
        _ if line.ends_with(':') => Kind::Label(is_item.then_some(indent)),
        _ if is_item => Kind::Item(indent),
        _ => Kind::Words,
    }
}
