//! A prompt file as the rules see it: what is not prose is blanked out, byte for byte, so that every place
//! found in the rest is a place in the file.

use std::ops::Range;

use crate::Both;

use super::finding::{Finding, Rule};
use super::layout::Layout;
use super::tokens::Tokens;
use crate::stems::Lang;

/// Stands in the masked text for a value that is not known yet (`{{user.name}}`, `{userName}`).
pub const HOLE: char = '\u{1}';
/// Stands in the masked text for something that ends a sentence (`<tone>`).
pub const WALL: char = '\u{2}';

/// Characters are counted in strides, so that a place in a very long line is found in constant time.
const STRIDE: usize = 256;

pub struct Source<'d> {
    pub path: &'d str,
    pub text: &'d str,
    /// As long as `text`, in bytes.
    pub masked: String,
    /// Byte ranges without the line break.
    pub lines: Vec<Range<usize>>,
    pub front: Option<FrontMatter<'d>>,
    /// Lines of fenced code, fences included.
    pub fences: Vec<Range<usize>>,
    chars_before: Vec<usize>,
}

pub struct FrontMatter<'d> {
    /// Line numbers from 0, both `---` included.
    pub lines: Range<usize>,
    /// Key, value, line.
    pub fields: Vec<(&'d str, &'d str, usize)>,
}

impl FrontMatter<'_> {
    pub fn field(&self, key: &str) -> Option<(&str, usize)> {
        self.fields.iter().find(|(k, _, _)| *k == key).map(|(_, value, line)| (*value, *line))
    }
}

/// A file that has been cut up once, for all the rules.
pub struct Page<'d> {
    pub source: Source<'d>,
    pub layout: Layout,
    pub tokens: Tokens,
    pub lang: Lang,
}

impl<'d> Page<'d> {
    pub fn of(path: &'d str, text: &'d str) -> Page<'d> {
        let source = Source::of(path, text);
        let lang = source.lang();
        Page::from_source(source, lang)
    }

    pub fn from_source(source: Source<'d>, lang: Lang) -> Page<'d> {
        let shapes = super::layout::shapes(&source);
        let tokens = Tokens::of(&source, &shapes);
        let layout = Layout::of(&source, shapes, &tokens);
        Page { source, layout, tokens, lang }
    }

    /// The path inside the set of its language: "check-in/short.md".
    pub fn inner_path(&self) -> &'d str {
        inner_path(self.source.path)
    }

    /// Whether the file belongs to a folder such as `check-in`, by its place or by its id.
    pub fn is_in(&self, folder: &str) -> bool {
        let id = self.source.front.as_ref().and_then(|front| front.field("id")).map_or("", |(id, _)| id);
        let within = |path: &str| path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'));
        within(id) || within(self.inner_path()) || self.source.path.split('/').rev().nth(1) == Some(folder)
    }
}

fn inner_path(path: &str) -> &str {
    let mut rest = path;
    let mut inner = path;
    while let Some((folder, below)) = rest.split_once('/') {
        if is_language(folder) {
            inner = below;
        }
        rest = below;
    }
    inner
}

/// Folder names that stand for a language, also those that are only known to the envelope.
fn is_language(folder: &str) -> bool {
    matches!(folder, "ru" | "en" | "es" | "id")
}

impl<'d> Source<'d> {
    pub fn of(path: &'d str, text: &'d str) -> Source<'d> {
        let lines = lines(text);
        let front = front_matter(text, &lines);
        let body = front.as_ref().map_or(0, |front| front.lines.end);
        let fences = fences(text, &lines, body);
        let mut masked = Mask::of(text);
        if let Some(from) = lines.get(body).map_or(Some(text.len()), |line| Some(line.start)) {
            masked.blank(0..from);
        }
        for fence in &fences {
            masked.blank(byte_range(&lines, fence));
        }
        masked.template_tags(text);
        masked.markup(text);
        Source { path, text, masked: masked.into_text(), lines, front, fences, chars_before: strides(text) }
    }

    /// A reply: nothing in it is template or front matter.
    pub fn reply(text: &'d str) -> Source<'d> {
        let lines = lines(text);
        let fences = fences(text, &lines, 0);
        let mut masked = Mask::of(text);
        for fence in &fences {
            masked.blank(byte_range(&lines, fence));
        }
        Source { path: "", text, masked: masked.into_text(), lines, front: None, fences, chars_before: strides(text) }
    }

    /// The language said in the front matter, else that of the folder, else that of the letters.
    fn lang(&self) -> Lang {
        let said = self.front.as_ref().and_then(|front| front.field("language"));
        said.and_then(|(code, _)| Lang::from_code(code))
            .or_else(|| self.path.split('/').rev().skip(1).find_map(Lang::from_code))
            .unwrap_or_else(|| Lang::detect(&self.masked))
    }

    pub fn line(&self, number: usize) -> &'d str {
        self.lines.get(number).and_then(|range| self.text.get(range.clone())).unwrap_or("")
    }

    pub fn masked_line(&self, number: usize) -> &str {
        self.lines.get(number).and_then(|range| self.masked.get(range.clone())).unwrap_or("")
    }

    pub fn line_of(&self, offset: usize) -> usize {
        self.lines.partition_point(|line| line.start <= offset).saturating_sub(1)
    }

    pub fn finding(&self, rule: Rule, at: Range<usize>, message: Both, hint: Both) -> Finding {
        let number = self.line_of(at.start);
        let line = self.lines.get(number).cloned().unwrap_or(0..0);
        let start = at.start.clamp(line.start, line.end);
        let end = at.end.clamp(start, line.end);
        let column = self.chars_to(start) - self.chars_to(line.start) + 1;
        Finding {
            rule,
            severity: rule.severity(),
            file: self.path.to_owned(),
            line: small(number + 1),
            column: small(column),
            length: small(self.chars_to(end) - self.chars_to(start)),
            message,
            hint,
        }
    }

    fn chars_to(&self, offset: usize) -> usize {
        let from = offset / STRIDE * STRIDE;
        let before = self.chars_before.get(offset / STRIDE).copied().unwrap_or(0);
        let rest = self.text.as_bytes().get(from..offset).unwrap_or(&[]);
        before + rest.iter().filter(|b| starts_char(**b)).count()
    }
}

fn small(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

fn starts_char(byte: u8) -> bool {
    byte & 0b1100_0000 != 0b1000_0000
}

fn strides(text: &str) -> Vec<usize> {
    let mut sum = 0;
    let mut before = vec![0];
    for stride in text.as_bytes().chunks(STRIDE) {
        sum += stride.iter().filter(|b| starts_char(**b)).count();
        before.push(sum);
    }
    before
}

fn lines(text: &str) -> Vec<Range<usize>> {
    let mut lines = Vec::new();
    let mut start = 0;
    for line in text.split('\n') {
        let end = start + line.strip_suffix('\r').unwrap_or(line).len();
        lines.push(start..end);
        start += line.len() + 1;
    }
    lines
}

fn byte_range(lines: &[Range<usize>], numbers: &Range<usize>) -> Range<usize> {
    let start = lines.get(numbers.start).map_or(0, |line| line.start);
    let end = numbers.end.checked_sub(1).and_then(|last| lines.get(last)).map_or(start, |line| line.end);
    start..end
}

fn front_matter<'d>(text: &'d str, lines: &[Range<usize>]) -> Option<FrontMatter<'d>> {
    let line = |number: usize| -> &'d str { text.get(lines[number].clone()).unwrap_or("") };
    if lines.is_empty() || line(0).trim_start_matches('\u{feff}').trim_end() != "---" {
        return None;
    }
    let close = (1..lines.len()).find(|number| line(*number).trim_end() == "---")?;
    let fields = (1..close)
        .filter_map(|number| {
            let (key, value) = line(number).split_once(':')?;
            Some((key.trim(), value.trim().trim_matches(['"', '\'']), number))
        })
        .collect();
    Some(FrontMatter { lines: 0..close + 1, fields })
}

/// Fenced code from line `from` on; an open fence goes to the end, as it does in Markdown.
fn fences(text: &str, lines: &[Range<usize>], from: usize) -> Vec<Range<usize>> {
    let mut fences = Vec::new();
    let mut open: Option<(usize, char, usize)> = None;
    for (number, range) in lines.iter().enumerate().skip(from) {
        let line = text.get(range.clone()).unwrap_or("").trim_start();
        let Some(mark) = line.chars().next().filter(|c| matches!(c, '`' | '~')) else { continue };
        let run = line.chars().take_while(|c| *c == mark).count();
        let rest = line.get(run..).unwrap_or("");
        match open {
            None if run >= 3 && !rest.contains('`') => open = Some((number, mark, run)),
            Some((start, opened_by, length)) if mark == opened_by && run >= length && rest.trim().is_empty() => {
                fences.push(start..number + 1);
                open = None;
            }
            _ => {}
        }
    }
    fences.extend(open.map(|(start, _, _)| start..lines.len()));
    fences
}

struct Mask {
    bytes: Vec<u8>,
}

impl Mask {
    fn of(text: &str) -> Mask {
        Mask { bytes: text.as_bytes().to_vec() }
    }

    fn blank(&mut self, range: Range<usize>) {
        self.fill(range, ' ');
    }

    /// `with` is one byte, so that offsets stay.
    fn fill(&mut self, range: Range<usize>, with: char) {
        for byte in self.bytes.get_mut(range).unwrap_or_default() {
            if !matches!(*byte, b'\n' | b'\r') {
                *byte = u8::try_from(with).unwrap_or(b' ');
            }
        }
    }

    fn template_tags(&mut self, text: &str) {
        let mut at = 0;
        while let Some(start) = self.find(at, b"{{") {
            let end = self.end_of_tag(start);
            let inside = text.get(start + 2..end).unwrap_or("").trim_start();
            let quiet =
                inside.starts_with(['#', '/', '!']) || inside.starts_with("else") || inside.starts_with("include");
            self.fill(start..end, if quiet { ' ' } else { HOLE });
            at = end;
        }
    }

    /// One past `}}`, with tags inside tags and texts in quotes; an unclosed tag ends with its line.
    fn end_of_tag(&self, start: usize) -> usize {
        let (mut depth, mut at, mut quoted) = (0usize, start, false);
        let comment = self.bytes.get(start + 2) == Some(&b'!');
        while let Some(byte) = self.bytes.get(at) {
            let pair = self.bytes.get(at..at + 2).unwrap_or(&[]);
            if *byte == b'"' && !comment {
                quoted = !quoted;
            } else if *byte == b'\n' && !comment {
                break;
            } else if !quoted && pair == b"{{" {
                depth += 1;
                at += 2;
                continue;
            } else if !quoted && pair == b"}}" {
                depth -= 1;
                at += 2;
                if depth == 0 {
                    return at;
                }
                continue;
            }
            at += 1;
        }
        at
    }

    /// `<tone>`, `<!-- note -->` and `{userName}`.
    fn markup(&mut self, text: &str) {
        let mut at = 0;
        while let Some(start) = self.bytes.get(at..).and_then(|rest| rest.iter().position(|b| matches!(b, b'<' | b'{')))
        {
            let start = at + start;
            let rest = text.get(start..).unwrap_or("");
            at = start + 1;
            if rest.starts_with("<!--") {
                let end = rest.find("-->").map_or(rest.len(), |i| i + 3);
                self.blank(start..start + end);
                at = start + end;
            } else if let Some(length) = bracketed(rest) {
                self.fill(start..start + length, if rest.starts_with('<') { WALL } else { HOLE });
                at = start + length;
            }
        }
    }

    fn find(&self, from: usize, what: &[u8; 2]) -> Option<usize> {
        self.bytes.get(from..)?.windows(2).position(|pair| pair == what).map(|i| from + i)
    }

    fn into_text(self) -> String {
        // Whole characters are replaced by single bytes, so this is always UTF-8.
        String::from_utf8(self.bytes).unwrap_or_default()
    }
}

/// How long `<name>`, `</name>` or `{name}` at the start of `text` is, in bytes.
fn bracketed(text: &str) -> Option<usize> {
    const LONGEST_NAME: usize = 60;
    let bytes = text.as_bytes();
    let close = if bytes.first() == Some(&b'<') { b'>' } else { b'}' };
    let from = if bytes.get(1) == Some(&b'/') && close == b'>' { 2 } else { 1 };
    let name = bytes.get(from..)?;
    let length = name.iter().take(LONGEST_NAME).take_while(|b| b.is_ascii_alphanumeric() || b"_-.".contains(b)).count();
    let named = name.first().is_some_and(u8::is_ascii_alphabetic);
    (named && name.get(length) == Some(&close)).then_some(from + length + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("a {{user.name}} b", "a \u{1}\u{1}\u{1}\u{1}\u{1}\u{1}\u{1}\u{1}\u{1}\u{1}\u{1}\u{1}\u{1} b")]
    #[case("{{#if a == \"}}\"}}x{{/if}}", &format!("{}x       ", " ".repeat(17)))]
    #[case("{{include {{a}}/b.md}} c", &format!("{} c", " ".repeat(22)))]
    #[case("<tone>x", "\u{2}\u{2}\u{2}\u{2}\u{2}\u{2}x")]
    #[case("2 < 3 and 4 > 3", "2 < 3 and 4 > 3")]
    #[case("<!-- я -->x", &format!("{}x", " ".repeat(11)))]
    #[case("{{open\nx", "\u{1}\u{1}\u{1}\u{1}\u{1}\u{1}\nx")]
    fn masks(#[case] text: &str, #[case] expected: &str) {
        assert_eq!(Source::of("a.md", text).masked, expected);
    }

    #[test]
    fn front_matter_and_fences_are_not_prose() {
        let text = "\u{feff}---\nid: base/tone\nlanguage: ru\n---\nтон\n```\ncode\n```\nend";
        let source = Source::of("x.md", text);
        let words: Vec<&str> = source.masked.split_whitespace().collect();
        assert_eq!(words, ["тон", "end"]);
        assert_eq!(source.front.as_ref().and_then(|f| f.field("id")), Some(("base/tone", 1)));
        assert_eq!(source.lang(), Lang::Ru);
    }

    #[rstest]
    #[case("/home/en/prompts/ru/check-in/short.md", "check-in/short.md")]
    #[case("tools.md", "tools.md")]
    fn the_path_below_the_language(#[case] path: &str, #[case] expected: &str) {
        assert_eq!(inner_path(path), expected);
    }

    #[test]
    fn a_place_is_counted_in_characters() {
        let text = format!("{}\nёж и бот", "я".repeat(1000));
        let source = Source::of("x", &text);
        let at = text.find("бот").map(|i| i..i + "бот".len() + 40).unwrap_or_default();
        let finding = source.finding(Rule::AntiAi, at, Both::same(""), Both::same(""));
        assert_eq!((finding.line, finding.column, finding.length), (2, 6, 3));
    }
}
