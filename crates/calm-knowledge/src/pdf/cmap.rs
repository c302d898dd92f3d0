//! Character maps: the small PostScript programs that say how long the codes of a font are and which text or which
//! glyph number (CID) they stand for.
//!
//! Ranges stay ranges, so a map that claims four thousand million characters costs one entry.

use std::collections::HashMap;

/// Entries of a map; the largest honest ones name each of the 65,536 codes.
const MOST_ENTRIES: usize = 100_000;
/// UTF-16 units that one code may stand for; ligatures have up to four.
const LONGEST_TEXT: usize = 32;

#[derive(Default)]
pub(super) struct CMap {
    /// Bytes of a code, its first and last value.
    codes: Vec<(usize, u32, u32)>,
    texts: HashMap<u32, String>,
    text_ranges: Vec<(u32, u32, Vec<u16>)>,
    cid_ranges: Vec<(u32, u32, u32)>,
}

impl CMap {
    pub(super) fn parse(bytes: &[u8]) -> Self {
        let mut map = Self::default();
        let mut operands = Vec::new();
        for token in (Lexer { rest: bytes }) {
            match token {
                Token::Word(b"begincodespacerange" | b"beginbfchar" | b"beginbfrange" | b"begincidchar")
                | Token::Word(b"begincidrange") => operands.clear(),
                Token::Word(b"endcodespacerange") => map.add_codes(&operands),
                Token::Word(b"endbfchar") => map.add_texts(&operands),
                Token::Word(b"endbfrange") => map.add_text_ranges(&operands),
                Token::Word(b"endcidchar") => map.add_cids(&operands, 2),
                Token::Word(b"endcidrange") => map.add_cids(&operands, 3),
                // Outside of a section nothing is of interest, and inside there are only a few thousand.
                _ if operands.len() < MOST_ENTRIES * 3 => operands.push(token),
                _ => {}
            }
        }
        map.text_ranges.sort_by_key(|range| range.0);
        map.cid_ranges.sort_by_key(|range| range.0);
        map
    }

    /// Takes the next code off `bytes`, which are not empty: its value and its length.
    pub(super) fn code(&self, bytes: &[u8]) -> (u32, usize) {
        let mut code = 0;
        for (index, &byte) in bytes.iter().take(4).enumerate() {
            code = code << 8 | u32::from(byte);
            let length = index + 1;
            if self.codes.iter().any(|&(of, first, last)| of == length && (first..=last).contains(&code)) {
                return (code, length);
            }
        }
        // No such code: skip as many bytes as the shortest has.
        let length = self.codes.iter().map(|range| range.0).min().unwrap_or(1).clamp(1, bytes.len());
        (bytes[..length].iter().fold(0, |code, &byte| code << 8 | u32::from(byte)), length)
    }

    pub(super) fn text(&self, code: u32) -> Option<String> {
        if let Some(text) = self.texts.get(&code) {
            return Some(text.clone());
        }
        let (first, _, text) = covering(&self.text_ranges, code, |range| (range.0, range.1))?;
        let mut units = text.clone();
        let last = units.last_mut()?;
        *last = last.checked_add(u16::try_from(code - first).ok()?)?;
        decode(&units)
    }

    pub(super) fn cid(&self, code: u32) -> u32 {
        let range = covering(&self.cid_ranges, code, |range| (range.0, range.1));
        range.map_or(0, |&(first, _, cid)| cid.saturating_add(code - first))
    }

    fn add_codes(&mut self, operands: &[Token<'_>]) {
        for pair in operands.chunks_exact(2) {
            if let [Token::Hex(first), Token::Hex(last)] = pair
                && self.codes.len() < 100
                && (1..=4).contains(&first.len())
            {
                self.codes.push((first.len(), number(first), number(last)));
            }
        }
    }

    fn add_texts(&mut self, operands: &[Token<'_>]) {
        for pair in operands.chunks_exact(2) {
            if let [Token::Hex(code), Token::Hex(text)] = pair {
                self.add_text(number(code), &units(text));
            }
        }
    }

    fn add_text(&mut self, code: u32, units: &[u16]) {
        if self.texts.len() < MOST_ENTRIES
            && let Some(text) = decode(units)
        {
            self.texts.insert(code, text);
        }
    }

    fn add_text_ranges(&mut self, operands: &[Token<'_>]) {
        let mut tokens = operands.iter();
        while let (Some(Token::Hex(first)), Some(Token::Hex(last)), Some(target)) =
            (tokens.next(), tokens.next(), tokens.next())
        {
            let (first, last) = (number(first), number(last));
            match target {
                Token::Hex(text) if self.text_ranges.len() < MOST_ENTRIES => {
                    self.text_ranges.push((first, last, units(text)));
                }
                Token::Open => {
                    let mut code = first;
                    while let Some(Token::Hex(text)) = tokens.next() {
                        if code <= last {
                            self.add_text(code, &units(text));
                        }
                        code = code.saturating_add(1);
                    }
                }
                _ => {}
            }
        }
    }

    /// `width` 2: a code and its CID; 3: the first code, the last, and the CID of the first.
    fn add_cids(&mut self, operands: &[Token<'_>], width: usize) {
        for entry in operands.chunks_exact(width) {
            let (Token::Hex(first), Token::Hex(last), Token::Word(cid)) =
                (&entry[0], &entry[width - 2], &entry[width - 1])
            else {
                continue;
            };
            let cid = std::str::from_utf8(cid).ok().and_then(|cid| cid.parse().ok());
            if let Some(cid) = cid.filter(|_| self.cid_ranges.len() < MOST_ENTRIES) {
                self.cid_ranges.push((number(first), number(last), cid));
            }
        }
    }
}

/// The range of a sorted list that a code falls into.
fn covering<T>(ranges: &[T], code: u32, bounds: impl Fn(&T) -> (u32, u32)) -> Option<&T> {
    let after = ranges.partition_point(|range| bounds(range).0 <= code);
    ranges[..after].last().filter(|range| code <= bounds(range).1)
}

fn number(bytes: &[u8]) -> u32 {
    bytes.iter().take(4).fold(0, |number, &byte| number << 8 | u32::from(byte))
}

fn units(bytes: &[u8]) -> Vec<u16> {
    match bytes {
        [one] => vec![u16::from(*one)],
        _ => bytes.chunks_exact(2).take(LONGEST_TEXT).map(|pair| u16::from_be_bytes([pair[0], pair[1]])).collect(),
    }
}

/// Maps say U+0000 and U+FFFD for "unknown".
fn decode(units: &[u16]) -> Option<String> {
    let text = String::from_utf16_lossy(units);
    (!text.is_empty() && !text.contains(['\0', char::REPLACEMENT_CHARACTER])).then_some(text)
}

#[derive(Debug)]
enum Token<'a> {
    Hex(Vec<u8>),
    Open,
    Close,
    Word(&'a [u8]),
}

struct Lexer<'a> {
    rest: &'a [u8],
}

impl<'a> Lexer<'a> {
    fn take(&mut self, length: usize) -> &'a [u8] {
        let (taken, rest) = self.rest.split_at(length.min(self.rest.len()));
        self.rest = rest;
        taken
    }

    fn take_while(&mut self, holds: impl Fn(u8) -> bool) -> &'a [u8] {
        let length = self.rest.iter().position(|&byte| !holds(byte)).unwrap_or(self.rest.len());
        self.take(length)
    }
}

impl<'a> Iterator for Lexer<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        loop {
            self.take_while(|byte| byte.is_ascii_whitespace() || byte == 0);
            match *self.rest.first()? {
                b'%' => {
                    self.take_while(|byte| !matches!(byte, b'\n' | b'\r'));
                }
                b'<' if self.rest.starts_with(b"<<") => return Some(Token::Word(self.take(2))),
                b'<' => {
                    self.take(1);
                    let digits: Vec<u8> =
                        self.take_while(|byte| byte != b'>').iter().filter_map(|&b| digit(b)).collect();
                    self.take(1);
                    return Some(Token::Hex(digits.chunks(2).map(|d| d[0] << 4 | d.get(1).unwrap_or(&0)).collect()));
                }
                b'[' => {
                    self.take(1);
                    return Some(Token::Open);
                }
                b']' => {
                    self.take(1);
                    return Some(Token::Close);
                }
                b'>' | b'(' | b')' | b'{' | b'}' => return Some(Token::Word(self.take(1))),
                b'/' => {
                    self.take(1);
                    return Some(Token::Word(self.take_while(is_regular)));
                }
                _ => return Some(Token::Word(self.take_while(is_regular))),
            }
        }
    }
}

fn is_regular(byte: u8) -> bool {
    !byte.is_ascii_whitespace()
        && !matches!(byte, 0 | b'<' | b'>' | b'[' | b']' | b'(' | b')' | b'{' | b'}' | b'/' | b'%')
}

fn digit(byte: u8) -> Option<u8> {
    (byte as char).to_digit(16).and_then(|digit| u8::try_from(digit).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAP: &[u8] = b"/CIDInit /ProcSet findresource begin 12 dict begin begincmap
        1 begincodespacerange <00> <7F> <8000> <FFFF> endcodespacerange
        2 beginbfchar <01> <041F> <8002> <00660066> endbfchar
        2 beginbfrange <10><12> <0430> <20><21>[<0451> <D83DDE00>] endbfrange
        1 beginbfrange <8100><FFFFFFFF> <0041> endbfrange
        1 begincidrange <8000> <80FF> 500 endcidrange endcmap";

    #[test]
    fn texts() {
        let map = CMap::parse(MAP);
        let text = |code| map.text(code).unwrap_or_default();
        assert_eq!(text(0x01), "П");
        assert_eq!(text(0x8002), "ff");
        assert_eq!([0x10, 0x11, 0x12].map(text).concat(), "абв");
        assert_eq!(text(0x20) + &text(0x21), "ё😀");
        assert_eq!(text(0x8101), "B");
        assert_eq!(map.text(0x13), None);
    }

    #[test]
    fn codes_of_mixed_length() {
        let map = CMap::parse(MAP);
        assert_eq!(map.code(&[0x01, 0x80]), (0x01, 1));
        assert_eq!(map.code(&[0x80, 0x02, 0x01]), (0x8002, 2));
        assert_eq!(map.code(&[0xFF]), (0xFF, 1));
        assert_eq!(map.cid(0x8003), 503);
        assert_eq!(map.cid(0x01), 0);
    }

    #[test]
    fn a_vast_range_costs_one_entry() {
        let map = CMap::parse(b"beginbfrange <00000000> <FFFFFFFF> <0041> endbfrange");
        assert_eq!(map.text_ranges.len(), 1);
        assert_eq!(map.text(0xFFFF_FFFF), None);
    }
}
