//! What the lines of a prompt are, and under which heading or lead-in each of them stands.
//!
//! "Never:" with a list below it forbids every point of the list; "Say:" asks for each of them.

use std::ops::Range;

use super::grammar::{Frame, Grammar};
use super::source::Source;
use super::tokens::Tokens;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Blank,
    /// Nothing but template tags or a comment: no break in a list.
    Clear,
    /// Front matter or fenced code.
    Masked,
    /// `#` to `######`; 7 is a line that is bold as a whole.
    Heading(u8),
    /// `<tone>` or `</tone>` alone on its line.
    Tag {
        closes: bool,
    },
    Bullet,
    /// A row of a table.
    Row,
    Plain,
}

#[derive(Debug, Clone, Copy)]
pub struct Shape {
    pub kind: Kind,
    /// Columns of white space at the start.
    pub indent: usize,
    /// `1.`, `2)`.
    pub numbered: bool,
    /// A cross or a no-entry sign stands in front.
    pub crossed: bool,
}

impl Shape {
    fn plain(kind: Kind, indent: usize) -> Shape {
        Shape { kind, indent, numbered: false, crossed: false }
    }
}

pub struct Layout {
    pub shapes: Vec<Shape>,
    /// What the place of each line says about it.
    pub frames: Vec<Frame>,
    /// For rows of tables: what the heads of the columns say.
    columns: Vec<(Range<usize>, Vec<Frame>)>,
}

pub fn shapes(source: &Source<'_>) -> Vec<Shape> {
    let body = source.front.as_ref().map_or(0, |front| front.lines.end);
    let mut shapes: Vec<Shape> = (0..source.lines.len())
        .map(|number| if number < body { Shape::plain(Kind::Masked, 0) } else { shape_of(source, number) })
        .collect();
    for fence in &source.fences {
        for shape in shapes.get_mut(fence.clone()).unwrap_or_default() {
            *shape = Shape::plain(Kind::Masked, 0);
        }
    }
    shapes
}

fn shape_of(source: &Source<'_>, number: usize) -> Shape {
    let line = source.masked_line(number);
    let text = line.trim_start();
    let indent = line.len() - text.len();
    let text = text.trim_end();
    if text.is_empty() {
        let kind = if source.line(number).trim().is_empty() { Kind::Blank } else { Kind::Clear };
        return Shape::plain(kind, indent);
    }
    let written = source.line(number).trim();
    let is_tag = text.chars().all(|c| c == super::source::WALL) && written.matches('<').count() == 1;
    if is_tag {
        return Shape::plain(Kind::Tag { closes: written.starts_with("</") }, indent);
    }
    let hashes = text.bytes().take_while(|b| *b == b'#').count();
    if (1..=6).contains(&hashes) && text[hashes..].starts_with(char::is_whitespace) {
        let level = u8::try_from(hashes).unwrap_or(6);
        return Shape::plain(Kind::Heading(level), indent);
    }
    let inner = text.strip_prefix("**").and_then(|t| t.trim_end_matches(':').strip_suffix("**"));
    if inner.is_some_and(|inner| !inner.contains("**")) {
        return Shape::plain(Kind::Heading(7), indent);
    }
    if text.starts_with('|') {
        return Shape::plain(Kind::Row, indent);
    }
    if let Some((length, numbered)) = marker_of(text) {
        let crossed = is_crossed(text) || is_crossed(text[length..].trim_start());
        return Shape { kind: Kind::Bullet, indent, numbered, crossed };
    }
    Shape { crossed: is_crossed(text), ..Shape::plain(Kind::Plain, indent) }
}

fn is_crossed(text: &str) -> bool {
    text.starts_with(['❌', '🚫', '⛔', '✗', '✘', '✖'])
}

/// The length of a list marker in bytes, and whether it is a number.
fn marker_of(text: &str) -> Option<(usize, bool)> {
    let first = text.chars().next()?;
    let rest = &text[first.len_utf8()..];
    let spaced = rest.starts_with(char::is_whitespace);
    if matches!(first, '-' | '*' | '+' | '•' | '–' | '—' | '·' | '▪' | '◦' | '‣') && spaced
        || matches!(first, '❌' | '🚫' | '⛔' | '✗' | '✘' | '✖' | '✅' | '✓' | '✔')
    {
        return Some((first.len_utf8(), false));
    }
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let after = &text[digits..];
    let numbered = (1..=3).contains(&digits)
        && after.starts_with(['.', ')'])
        && after[1..].chars().next().is_some_and(char::is_whitespace);
    if numbered {
        return Some((digits + 1, true));
    }
    (first.is_alphabetic() && rest.starts_with(") ")).then_some((first.len_utf8() + 1, true))
}

/// A line that announces the lines after it.
struct LeadIn {
    frame: Frame,
    indent: usize,
    bullet: bool,
    /// A line came under it.
    followed: bool,
    /// The line before was empty.
    blank: bool,
}

/// The section whose lines are being read.
struct Section {
    /// 0 for a tag.
    level: u8,
    frame: Frame,
}

/// What the lines read so far mean for the next.
#[derive(Default)]
struct Reader {
    frames: Vec<Frame>,
    sections: Vec<Section>,
    lead_ins: Vec<LeadIn>,
    columns: Vec<(Range<usize>, Vec<Frame>)>,
    /// The section has bullets, so its other lines are not points of a list.
    has_bullets: bool,
    /// Whether the first list of the section is numbered, and whether an empty line came after it.
    list: Option<(bool, bool)>,
}

impl Layout {
    pub fn of(source: &Source<'_>, shapes: Vec<Shape>, tokens: &Tokens) -> Layout {
        let mut reader = Reader::default();
        for (number, shape) in shapes.iter().enumerate() {
            reader.frames.push(Frame::Open);
            match shape.kind {
                Kind::Blank => reader.blank(),
                Kind::Clear | Kind::Masked => {}
                Kind::Heading(level) => reader.heading(level, &shapes, number, tokens),
                Kind::Tag { closes } => reader.tag(closes, source, &shapes, number),
                Kind::Row => reader.row(source, &shapes, number, tokens),
                Kind::Bullet | Kind::Plain => reader.line(source, *shape, number, tokens),
            }
        }
        Layout { shapes, frames: reader.frames, columns: reader.columns }
    }

    /// What the place of a byte says about it; `source` tells the cells of a table apart.
    pub fn frame_at(&self, source: &Source<'_>, line: usize, offset: usize) -> Frame {
        let at = self.columns.partition_point(|(rows, _)| rows.end <= line);
        if let Some((rows, heads)) = self.columns.get(at).filter(|(rows, _)| rows.contains(&line)) {
            let start = source.lines.get(line).map_or(0, |range| range.start);
            let cells = source.masked.get(start..offset).unwrap_or("").matches('|').count();
            let head = cells.checked_sub(1).and_then(|cell| heads.get(cell)).copied();
            return head.filter(|_| line > rows.start).unwrap_or(Frame::Open);
        }
        self.frames.get(line).copied().unwrap_or(Frame::Open)
    }
}

impl Reader {
    fn blank(&mut self) {
        self.lead_ins.iter_mut().for_each(|lead| lead.blank = true);
        self.list = self.list.map(|(numbered, _)| (numbered, true));
    }

    fn heading(&mut self, level: u8, shapes: &[Shape], number: usize, tokens: &Tokens) {
        self.sections.retain(|above| above.level < level);
        let inherited = self.sections.last().map_or(Frame::Open, |above| above.frame);
        let own = Grammar::shared().frame_of_heading(tokens, tokens.of_line(number));
        self.sections.push(Section { level, frame: own.unwrap_or(inherited) });
        self.lead_ins.clear();
        self.list = None;
        self.has_bullets = bullets_below(shapes, number);
    }

    fn tag(&mut self, closes: bool, source: &Source<'_>, shapes: &[Shape], number: usize) {
        self.sections.clear();
        self.lead_ins.clear();
        self.list = None;
        let name = source.line(number).trim().trim_matches(['<', '>', '/']).to_lowercase();
        if !closes && let Some(frame) = Grammar::shared().frame_of_tag(&name) {
            self.sections.push(Section { level: 0, frame });
            self.has_bullets = bullets_below(shapes, number);
        }
    }

    fn row(&mut self, source: &Source<'_>, shapes: &[Shape], number: usize, tokens: &Tokens) {
        let previous = number.checked_sub(1).and_then(|i| shapes.get(i)).map(|shape| shape.kind);
        if previous != Some(Kind::Row) {
            self.columns.push((number..number, heads(source, tokens, number)));
        }
        if let Some((rows, _)) = self.columns.last_mut() {
            rows.end = number + 1;
        }
        self.lead_ins.clear();
    }

    fn line(&mut self, source: &Source<'_>, shape: Shape, number: usize, tokens: &Tokens) {
        let bullet = shape.kind == Kind::Bullet;
        let small = source.masked_line(number).trim_start().starts_with(char::is_lowercase);
        self.lead_ins.retain_mut(|lead| {
            let goes_on = lead.takes(shape, small);
            lead.followed = true;
            lead.blank = false;
            goes_on
        });
        let frame = self.frame_of_line(shape, bullet);
        if let Some(of_line) = self.frames.last_mut() {
            *of_line = frame;
        }
        if source.masked_line(number).trim_end().trim_end_matches('*').ends_with(':') {
            let own = Grammar::shared().frame_of_lead_in(tokens, tokens.of_line(number));
            let frame = own.unwrap_or(frame);
            self.lead_ins.push(LeadIn { frame, indent: shape.indent, bullet, followed: false, blank: false });
        }
    }

    fn frame_of_line(&mut self, shape: Shape, bullet: bool) -> Frame {
        if shape.crossed {
            return Frame::Forbids;
        }
        if bullet && self.list.is_none() {
            self.list = Some((shape.numbered, false));
        }
        if let Some(lead) = self.lead_ins.last() {
            return lead.frame;
        }
        // A second list of another kind is no longer what the heading announced.
        let other_list = bullet && self.list.is_some_and(|(numbered, apart)| apart && numbered != shape.numbered);
        let listed = bullet && !other_list || shape.indent > 0 || !self.has_bullets;
        self.sections.last().filter(|_| listed).map_or(Frame::Open, |section| section.frame)
    }
}

impl LeadIn {
    /// Whether a line stands under this one; `small`: it begins with a small letter.
    fn takes(&self, line: Shape, small: bool) -> bool {
        let deeper = line.indent > self.indent;
        if line.kind == Kind::Bullet {
            return deeper || line.indent >= self.indent && !self.bullet;
        }
        deeper && (self.followed || !self.blank) || small && !self.blank && !self.bullet
    }
}

fn bullets_below(shapes: &[Shape], heading: usize) -> bool {
    let below = shapes.iter().skip(heading + 1).take_while(|s| !matches!(s.kind, Kind::Heading(_) | Kind::Tag { .. }));
    below.into_iter().any(|s| s.kind == Kind::Bullet)
}

fn heads(source: &Source<'_>, tokens: &Tokens, row: usize) -> Vec<Frame> {
    let grammar = Grammar::shared();
    let line = source.lines.get(row).cloned().unwrap_or(0..0);
    let mut start = line.start;
    let mut frames = Vec::new();
    for cell in source.masked_line(row).split('|').skip(1) {
        start += if frames.is_empty() { source.masked_line(row).find('|').map_or(0, |i| i + 1) } else { 0 };
        let from = tokens.list.partition_point(|t| t.start < start);
        let to = tokens.list.partition_point(|t| t.start < start + cell.len());
        frames.push(grammar.frame_of_heading(tokens, from..to.max(from)).unwrap_or(Frame::Open));
        start += cell.len() + 1;
    }
    frames
}
