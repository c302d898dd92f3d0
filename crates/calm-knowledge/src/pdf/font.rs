//! Fonts, as far as text needs them: which text a code stands for, and how wide it is.
//!
//! What the letters are is said by the map to Unicode, or by the encoding and the names of the glyphs; of font files only
//! the table of codes at the head of a Type 1 font is read, which is all that TeX gives. A font that says nothing cannot
//! be read, letter by letter.

use super::cmap::CMap;
use super::names::{self, Classic};
use encoding_rs::WINDOWS_1251;
use hayro_syntax::object::{Array, Dict, Name, Object, Stream};
use std::cell::Cell;

/// Entries of a table of widths.
const MOST_WIDTHS: usize = 100_000;
/// Letters of a page after which the suspicion that a font hides Russian letters is decided.
const ENOUGH_LETTERS: u32 = 20;

/// The content of a stream within the bounds of the document.
type Unpack<'u> = &'u mut dyn FnMut(&Stream<'_>) -> Option<Vec<u8>>;

pub(super) struct Font {
    kind: Kind,
    unicode: Option<CMap>,
    /// Ems to one unit of the widths.
    unit: f64,
}

enum Kind {
    Simple(Box<Simple>),
    Composite(Box<Composite>),
}

struct Simple {
    texts: Vec<Option<String>>,
    widths: Option<(usize, Vec<f32>)>,
    missing: f32,
    /// Fonts made for Windows-1251 claim to be Western; their letters are then all accented ones.
    suspect: bool,
    accented: Cell<u32>,
    plain: Cell<u32>,
    cyrillic: Cell<bool>,
}

struct Composite {
    codes: Codes,
    widths: Vec<(u32, u32, Widths)>,
    usual: f32,
}

enum Codes {
    /// Two bytes, which are the CID.
    Identity,
    /// Two bytes, which are UTF-16.
    Utf16,
    Map(CMap),
    /// A predefined map that is not known here.
    Unknown,
}

enum Widths {
    Each(Vec<f32>),
    All(f32),
}

impl Font {
    pub(super) fn new(dict: &Dict<'_>, unpack: Unpack<'_>) -> Self {
        let unicode = dict.get::<Stream<'_>>("ToUnicode").and_then(|stream| unpack(&stream));
        let unicode = unicode.map(|map| CMap::parse(&map));
        let subtype = dict.get::<Name<'_>>("Subtype");
        let kind = match subtype.as_ref().map(AsRef::as_ref) {
            Some(b"Type0") => Kind::Composite(Box::new(Composite::new(dict, unpack))),
            _ => Kind::Simple(Box::new(Simple::new(dict, unicode.is_some(), unpack))),
        };
        let unit = match subtype.as_ref().map(AsRef::as_ref) {
            Some(b"Type3") => {
                let matrix = dict.get::<Array<'_>>("FontMatrix").and_then(|m| m.iter::<f32>().next());
                matrix.map_or(0.001, |scale| f64::from(scale.abs()))
            }
            _ => 0.001,
        };
        Self { kind, unicode, unit }
    }

    /// Takes the next code off `bytes`, which are not empty: its value and its length.
    pub(super) fn code(&self, bytes: &[u8]) -> (u32, usize) {
        match (&self.kind, bytes) {
            (Kind::Simple(_), _) | (_, [_]) => (u32::from(bytes[0]), 1),
            (Kind::Composite(font), _) => match &font.codes {
                Codes::Map(map) => map.code(bytes),
                _ => (u32::from(bytes[0]) << 8 | u32::from(bytes[1]), 2),
            },
        }
    }

    pub(super) fn text(&self, code: u32) -> Option<String> {
        if let Some(text) = self.unicode.as_ref().and_then(|map| map.text(code)) {
            return Some(text);
        }
        match &self.kind {
            Kind::Simple(font) => font.text(u8::try_from(code).ok()?),
            Kind::Composite(font) => match font.codes {
                Codes::Utf16 => char::from_u32(code).filter(|c| !c.is_control()).map(String::from),
                _ => None,
            },
        }
    }

    /// In ems.
    pub(super) fn width(&self, code: u32) -> f64 {
        let width = match &self.kind {
            Kind::Simple(font) => font.width(code),
            Kind::Composite(font) => font.width(code),
        };
        f64::from(width) * self.unit
    }

    /// Whether what the page showed so far proves the font to be a Russian one in Western disguise; true only once.
    pub(super) fn turns_cyrillic(&self) -> bool {
        let Kind::Simple(font) = &self.kind else { return false };
        let (accented, plain) = (font.accented.get(), font.plain.get());
        let turns = font.suspect && !font.cyrillic.get() && accented >= ENOUGH_LETTERS && accented > plain * 3;
        if turns {
            font.cyrillic.set(true);
        }
        turns
    }
}

impl Simple {
    fn new(dict: &Dict<'_>, has_map: bool, unpack: Unpack<'_>) -> Self {
        let encoding = dict.get::<Object<'_>>("Encoding");
        let mut base = None;
        let mut differences = None;
        match &encoding {
            Some(Object::Name(name)) => base = Classic::named(name.as_ref()),
            Some(Object::Dict(encoding)) => {
                base = encoding.get::<Name<'_>>("BaseEncoding").and_then(|name| Classic::named(name.as_ref()));
                differences = encoding.get::<Array<'_>>("Differences");
            }
            _ => {}
        }
        let descriptor = dict.get::<Dict<'_>>("FontDescriptor");
        let is_sign_font = dict.get::<Name<'_>>("BaseFont").is_some_and(|name| {
            ["Symbol", "ZapfDingbats", "Wingdings"].iter().any(|sign| name.as_str().contains(sign))
        });
        let table = |classic: Classic| (0..=255).map(|code| classic.text(code)).collect();
        let mut texts: Vec<Option<String>> = match (base, &descriptor) {
            _ if is_sign_font => (0..=255).map(|code| (code == 0xB7).then(|| "•".to_owned())).collect(),
            (Some(base), _) => table(base),
            (None, Some(descriptor)) => assumed(dict, descriptor, unpack),
            (None, None) => table(Classic::Standard),
        };
        if let Some(differences) = &differences {
            differ(&mut texts, differences);
        }
        let widths = dict.get::<Array<'_>>("Widths").map(|widths| {
            let first = dict.get::<u32>("FirstChar").unwrap_or(0) as usize;
            (first, widths.iter::<f32>().take(256).collect())
        });
        Self {
            texts,
            widths,
            missing: descriptor.and_then(|font| font.get::<f32>("MissingWidth")).unwrap_or(0.0),
            suspect: !has_map && differences.is_none() && !is_sign_font,
            accented: Cell::new(0),
            plain: Cell::new(0),
            cyrillic: Cell::new(false),
        }
    }

    fn text(&self, code: u8) -> Option<String> {
        if self.suspect {
            let count = if code >= 0xC0 { &self.accented } else { &self.plain };
            count.set(count.get().saturating_add(u32::from(code >= 0xC0 || code.is_ascii_alphabetic())));
        }
        if self.cyrillic.get() {
            let (text, _) = WINDOWS_1251.decode_without_bom_handling(std::slice::from_ref(&code));
            return Some(text.into_owned());
        }
        self.texts[usize::from(code)].clone()
    }

    fn width(&self, code: u32) -> f32 {
        match &self.widths {
            Some((first, widths)) => {
                let index = (code as usize).checked_sub(*first);
                index.and_then(|index| widths.get(index)).copied().unwrap_or(self.missing)
            }
            // One of the fourteen fonts that every reader knows; about so wide are the letters of Helvetica.
            None => match u8::try_from(code).unwrap_or(b'n') {
                b'm' | b'w' | b'M' | b'W' | b'@' | b'%' => 850.0,
                b'i' | b'j' | b'l' | b'I' | b'f' | b't' | b'r' | b' '..=b'/' | b':' | b';' | b'|' => 290.0,
                b'A'..=b'Z' => 690.0,
                _ => 550.0,
            },
        }
    }
}

/// What the codes of a font without an encoding mean.
fn assumed(dict: &Dict<'_>, descriptor: &Dict<'_>, unpack: Unpack<'_>) -> Vec<Option<String>> {
    if let Some(program) = descriptor.get::<Stream<'_>>("FontFile").and_then(|file| unpack(&file)) {
        return built_in(&program);
    }
    let embedded = descriptor.contains_key("FontFile2") || descriptor.contains_key("FontFile3");
    let symbolic = descriptor.get::<i32>("Flags").is_some_and(|flags| flags & 4 != 0);
    // Codes from the first on are numbers of glyphs; codes from the space on are mostly letters.
    let numbers = dict.get::<u32>("FirstChar").is_none_or(|first| first < 32) || descriptor.contains_key("FontFile3");
    let unknown = embedded && symbolic && numbers;
    (0..=255).map(|code| Classic::Standard.text(code).filter(|_| !unknown && code < 0x7F || !embedded)).collect()
}

/// The encoding of a Type 1 font: `dup 102 /f put` for each code, or the name of the standard one.
fn built_in(program: &[u8]) -> Vec<Option<String>> {
    let end = memchr::memmem::find(program, b"eexec").unwrap_or(program.len());
    let head = String::from_utf8_lossy(&program[..end]);
    if head.contains("/Encoding StandardEncoding") {
        return (0..=255).map(|code| Classic::Standard.text(code)).collect();
    }
    let mut texts = vec![None; 256];
    let mut words = head.split_ascii_whitespace();
    while let Some(word) = words.next() {
        let (true, mut ahead) = (word == "dup", words.clone()) else { continue };
        if let (Some(code), Some(name)) = (ahead.next(), ahead.next())
            && let (Ok(code), Some(name)) = (code.parse::<u8>(), name.strip_prefix('/'))
        {
            texts[usize::from(code)] = names::text_of(name);
        }
    }
    texts
}

fn differ(texts: &mut [Option<String>], differences: &Array<'_>) {
    let mut code = 0usize;
    for item in differences.iter::<Object<'_>>().take(1024) {
        match item {
            Object::Number(number) => code = usize::try_from(number.as_i64()).unwrap_or(usize::MAX),
            Object::Name(name) => {
                if let Some(text) = texts.get_mut(code) {
                    *text = names::text_of(name.as_str());
                }
                code = code.saturating_add(1);
            }
            _ => {}
        }
    }
}

impl Composite {
    fn new(dict: &Dict<'_>, unpack: Unpack<'_>) -> Self {
        let codes = match dict.get::<Object<'_>>("Encoding") {
            Some(Object::Name(name)) => match name.as_ref() {
                b"Identity-H" | b"Identity-V" => Codes::Identity,
                name if name.ends_with(b"UCS2-H") || name.ends_with(b"UTF16-H") => Codes::Utf16,
                _ => Codes::Unknown,
            },
            Some(Object::Stream(stream)) => unpack(&stream).map_or(Codes::Unknown, |map| Codes::Map(CMap::parse(&map))),
            _ => Codes::Unknown,
        };
        let descendant = dict.get::<Array<'_>>("DescendantFonts").and_then(|fonts| fonts.iter::<Dict<'_>>().next());
        let usual = descendant.as_ref().and_then(|font| font.get::<f32>("DW")).unwrap_or(1000.0);
        let widths = descendant.and_then(|font| font.get::<Array<'_>>("W")).map(|table| read_widths(&table));
        Self { codes, widths: widths.unwrap_or_default(), usual }
    }

    fn width(&self, code: u32) -> f32 {
        let cid = match &self.codes {
            Codes::Map(map) => map.cid(code),
            _ => code,
        };
        let after = self.widths.partition_point(|range| range.0 <= cid);
        match self.widths[..after].last() {
            Some((first, last, widths)) if cid <= *last => match widths {
                Widths::All(width) => *width,
                Widths::Each(widths) => widths.get((cid - first) as usize).copied().unwrap_or(self.usual),
            },
            _ => self.usual,
        }
    }
}

/// `[first [w w w] first last w …]`, kept as ranges: a range may claim any number of glyphs.
fn read_widths(table: &Array<'_>) -> Vec<(u32, u32, Widths)> {
    let mut ranges: Vec<(u32, u32, Widths)> = Vec::new();
    let (mut pending, mut entries): (Vec<f64>, usize) = (Vec::new(), 0);
    for item in table.iter::<Object<'_>>().take(MOST_WIDTHS) {
        match item {
            Object::Number(number) => pending.push(number.as_f64()),
            Object::Array(each) => {
                if let Some(&first) = pending.last() {
                    let widths: Vec<f32> = each.iter::<f32>().take(MOST_WIDTHS - entries).collect();
                    entries += widths.len();
                    let first = first as u32;
                    ranges.push((
                        first,
                        first.saturating_add(widths.len() as u32).saturating_sub(1),
                        Widths::Each(widths),
                    ));
                }
                pending.clear();
            }
            _ => pending.clear(),
        }
        if let [first, last, width] = pending[..] {
            ranges.push((first as u32, last as u32, Widths::All(width as f32)));
            pending.clear();
        }
    }
    ranges.sort_by_key(|range| range.0);
    ranges
}
