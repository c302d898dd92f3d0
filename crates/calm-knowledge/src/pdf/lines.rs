//! Glyphs to lines, lines to paragraphs.
//!
//! A page has no words and no lines, only glyphs at places. They are taken in the order in which the page shows them,
//! which is the order of reading in what word processors and typesetters write: a step to the right is a space, a step
//! down is a new line, a wider step down, an indent or another size of letters is a new paragraph.

/// A page of lines.
#[derive(Default)]
pub(super) struct Lines {
    done: Vec<Line>,
    now: Option<Line>,
}

struct Line {
    text: String,
    /// Along the direction of writing: where the line begins and has come to.
    start: f64,
    end: f64,
    /// Across it, growing upwards.
    base: f64,
    /// Height of the letters.
    size: f64,
    direction: (f64, f64),
    /// The last glyph, to know the same one drawn twice for a bolder look.
    last: (String, f64),
}

/// Parts of the letters' size.
const SAME_LINE: f64 = 0.5;
const SPACE: f64 = 0.11;
const BACKWARDS: f64 = 0.8;

impl Lines {
    /// `from` and `to` are the ends of the glyph's baseline on the page, `size` the height of its letters.
    pub(super) fn glyph(&mut self, text: &str, from: (f64, f64), to: (f64, f64), size: f64) {
        let length = (to.0 - from.0).hypot(to.1 - from.1);
        if ![from.0, from.1, length, size].iter().all(|number| number.is_finite()) || size <= 0.0 {
            return;
        }
        let turned = length > size * 1e-3;
        let direction = match &self.now {
            _ if turned => ((to.0 - from.0) / length, (to.1 - from.1) / length),
            Some(line) => line.direction,
            None => (1.0, 0.0),
        };
        let start = from.0 * direction.0 + from.1 * direction.1;
        let base = from.1 * direction.0 - from.0 * direction.1;
        if let Some(line) = &mut self.now {
            let parallel = line.direction.0 * direction.0 + line.direction.1 * direction.1 > 0.99;
            let largest = line.size.max(size);
            let step = start - line.end;
            if parallel && (base - line.base).abs() < SAME_LINE * largest && step > -BACKWARDS * largest {
                if line.last.0 == text && (start - line.last.1).abs() < 0.1 * size && length > 0.2 * size {
                    return;
                }
                if step > SPACE * size && !text.is_empty() {
                    line.space();
                }
                line.add(text, start, start + length, size, base);
                return;
            }
        }
        let line = Line {
            text: String::new(),
            start,
            end: start,
            base,
            size,
            direction,
            last: (String::new(), f64::NEG_INFINITY),
        };
        self.close();
        let line = self.now.insert(line);
        line.add(text, start, start + length, size, base);
    }

    fn close(&mut self) {
        let Some(line) = self.now.take().filter(|line| !line.text.trim().is_empty()) else { return };
        if !self.done.last().is_some_and(|last| last.is_under(&line)) {
            self.done.push(line);
        }
    }

    /// Paragraphs; the text within one runs on, with the hyphens at the ends of its lines taken out.
    pub(super) fn paragraphs(mut self) -> Vec<String> {
        self.close();
        let leading = self.leading();
        let mut paragraphs: Vec<String> = Vec::new();
        let (mut widest, mut above): (f64, Option<&Line>) = (f64::NEG_INFINITY, None);
        for (index, line) in self.done.iter().enumerate() {
            let goes_on = above.is_some_and(|above| !breaks(above, line, self.done.get(index + 1), leading, widest));
            match paragraphs.last_mut().filter(|_| goes_on) {
                Some(paragraph) => join(paragraph, line.text.trim()),
                None => {
                    paragraphs.push(line.text.trim().to_owned());
                    widest = f64::NEG_INFINITY;
                }
            }
            widest = widest.max(line.end);
            above = Some(line);
        }
        paragraphs
    }

    /// The usual step from line to line, in sizes of the letters.
    fn leading(&self) -> f64 {
        let mut steps: Vec<f64> = self
            .done
            .windows(2)
            .map(|pair| (pair[0].base - pair[1].base) / pair[1].size)
            .filter(|step| (0.6..2.5).contains(step))
            .collect();
        steps.sort_by(f64::total_cmp);
        // Gaps between paragraphs are the rarer steps, and the wider ones.
        steps.get(steps.len() / 5).copied().unwrap_or(1.2)
    }
}

impl Line {
    /// Drawn once more over itself, for a bolder look.
    fn is_under(&self, line: &Line) -> bool {
        let near = 0.15 * self.size;
        self.text == line.text && (self.start - line.start).abs() < near && (self.base - line.base).abs() < near
    }

    fn space(&mut self) {
        if !self.text.is_empty() && !self.text.ends_with(' ') {
            self.text.push(' ');
        }
    }

    fn add(&mut self, text: &str, start: f64, end: f64, size: f64, base: f64) {
        if text.chars().all(char::is_whitespace) {
            if !text.is_empty() {
                self.space();
            }
        } else {
            if self.text.trim().is_empty() {
                (self.start, self.base, self.size) = (start, base, size);
            }
            text.chars().for_each(|letter| push(&mut self.text, letter));
        }
        // A small raised figure neither moves the line nor makes it smaller.
        self.size = self.size.max(size);
        self.end = self.end.max(end);
        text.clone_into(&mut self.last.0);
        self.last.1 = start;
    }
}

/// Ligatures are how letters look, not what they are.
fn push(text: &mut String, letter: char) {
    match letter {
        'ﬀ' => text.push_str("ff"),
        'ﬁ' => text.push_str("fi"),
        'ﬂ' => text.push_str("fl"),
        'ﬃ' => text.push_str("ffi"),
        'ﬄ' => text.push_str("ffl"),
        'ﬅ' | 'ﬆ' => text.push_str("st"),
        letter if letter.is_whitespace() => text.push(' '),
        letter => text.push(letter),
    }
}

fn breaks(above: &Line, line: &Line, below: Option<&Line>, leading: f64, widest: f64) -> bool {
    let size = line.size.max(above.size);
    let step = (above.base - line.base) / line.size;
    let open = above.text.trim_end().ends_with([':', ';']) || !ends_a_sentence(&above.text);
    let unfinished = open && line.text.trim_start().starts_with(char::is_lowercase);
    if (line.size - above.size).abs() > 0.12 * size || starts_an_item(&line.text) {
        return true;
    }
    if unfinished && ends_with_hyphen(&above.text) {
        return false;
    }
    // Up the page, or beside: another column, or another box.
    if step < 0.2 || line.start > above.end {
        return !unfinished;
    }
    if step > leading * 1.25 + 0.05 {
        return true;
    }
    let indented = line.start > above.start + 0.9 * size;
    let hangs = below.is_some_and(|below| line.start > below.start + 0.9 * size);
    if indented && !unfinished && !starts_an_item(&above.text) && (hangs || ends_a_sentence(&above.text)) {
        return true;
    }
    // A last line that stops well before the margin.
    ends_a_sentence(&above.text) && above.end < widest - 0.2 * (widest - above.start).abs()
}

fn ends_a_sentence(text: &str) -> bool {
    let text = text.trim_end().trim_end_matches(['»', '”', '"', ')', '’']);
    text.ends_with(['.', '!', '?', '…', ':', ';'])
}

fn starts_an_item(text: &str) -> bool {
    let text = text.trim_start();
    let after = text.trim_start_matches(|c: char| c.is_ascii_digit());
    text.starts_with(['•', '▪', '◦', '‣', '●', '■'])
        || (after.len() < text.len() && text.len() - after.len() < 3 && after.starts_with([')', '.']) && {
            let rest = after[1..].trim_start();
            rest.len() < after.len() - 1 && rest.starts_with(char::is_uppercase)
        })
}

pub(super) fn ends_with_hyphen(text: &str) -> bool {
    let mut letters = text.trim_end().chars().rev();
    matches!(letters.next(), Some('-' | '\u{2010}' | '\u{AD}')) && letters.next().is_some_and(char::is_alphabetic)
}

/// Puts a line after another.
pub(super) fn join(text: &mut String, line: &str) {
    text.truncate(text.trim_end().len());
    if !ends_with_hyphen(text) || !line.starts_with(char::is_lowercase) {
        text.push(' ');
    } else if text.ends_with('\u{AD}') || !keeps_hyphen(text, line) {
        text.pop();
    }
    text.push_str(line);
}

/// A hyphen that belongs to the word, and would be there in the middle of a line too.
fn keeps_hyphen(text: &str, line: &str) -> bool {
    const BEFORE: [&str; 12] = ["из", "по", "кое", "кой", "во", "self", "non", "well", "short", "long", "high", "low"];
    const AFTER: [&str; 6] = ["то", "либо", "нибудь", "таки", "ка", "де"];
    let word =
        text.trim_end_matches(['-', '\u{2010}']).rsplit(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    let next = line.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    BEFORE.contains(&word.to_lowercase().as_str()) || AFTER.contains(&next)
}
