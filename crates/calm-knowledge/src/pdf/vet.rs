//! A look at every stream of a PDF before the parser may unpack it.
//!
//! The parser (hayro-syntax) bounds its depth and its loops, but unpacks whatever a stream holds, whole and into memory,
//! and trusts the figures that describe its rows. So each stream is measured first, without keeping what comes out. One
//! that is too large, described nonsensically, or of no use for text (pictures) is hidden: its keyword is blanked in
//! our copy of the file, and to the parser it is a plain dictionary.

use super::measure::{self, Packing};
use crate::DocumentError;
use hayro_syntax::object::{Array, Dict, FromBytes, MaybeRef, Name, Object};
use memchr::memmem::{self, Finder};

/// Bytes that all the streams of a file may hold when unpacked, and bytes of a single one.
pub(super) const LARGEST_UNPACKED: usize = 256 << 20;
pub(super) const LARGEST_STREAM: usize = 64 << 20;
/// Bytes that may come after the faults of all damaged streams.
const LARGEST_POSSIBLE: usize = 128 << 20;

/// Of an encrypted file the packed bytes cannot be measured here. Streams of objects are small in honest files; these
/// are the most packed bytes that one, and all of them, may have.
const LARGEST_SEALED: usize = 128 << 10;
const LARGEST_SEALED_ALL: usize = 1 << 20;

/// Dictionaries in a file. The parser holds about one kilobyte for each that calls itself a page.
const MOST_DICTIONARIES: usize = 400_000;

/// Passes over the whole file that broken syntax may cost.
const MOST_PASSES: usize = 8;

const TOO_MUCH: DocumentError = DocumentError::TooLong("it unpacks to more than 256 MB");
const TOO_MANY: DocumentError = DocumentError::TooLong("it has more than 400,000 objects");
const BROKEN: &str = "it is damaged beyond reading";

/// A copy of the file that is safe to parse, and whether it is encrypted.
///
/// # Errors
/// When the whole file is too much.
pub(super) fn vet(bytes: &[u8]) -> Result<(Vec<u8>, bool), DocumentError> {
    let sealed = memmem::find(bytes, b"/Encrypt").is_some();
    let mut vetting = Vetting {
        bytes,
        sealed,
        budget: bytes.len().saturating_mul(MOST_PASSES),
        unpacked: 0,
        possible: 0,
        sealed_objects: 0,
        dictionaries: memmem::find_iter(bytes, b"<<").count(),
    };
    let mut copy = bytes.to_vec();
    for at in memmem::find_iter(bytes, b"obj") {
        if bytes[..at].ends_with(b"end") {
            continue;
        }
        if let Some(keyword) = vetting.hides(at + 3)? {
            copy[keyword..keyword + STREAM.len()].fill(b' ');
        }
    }
    if vetting.dictionaries > MOST_DICTIONARIES { Err(TOO_MANY) } else { Ok((copy, sealed)) }
}

const STREAM: &[u8] = b"stream";

struct Vetting<'a> {
    bytes: &'a [u8],
    sealed: bool,
    budget: usize,
    unpacked: usize,
    possible: usize,
    sealed_objects: usize,
    dictionaries: usize,
}

impl Vetting<'_> {
    /// Where the keyword of the stream stands that is to be hidden, if the object at `at` is such a one.
    fn hides(&mut self, at: usize) -> Result<Option<usize>, DocumentError> {
        let open = self.skip_blank(at)?;
        if !self.bytes[open..].starts_with(b"<<") {
            return Ok(None);
        }
        let Some(length) = dictionary(&self.bytes[open..]) else {
            self.spend(self.bytes.len() - open)?;
            return Ok(None);
        };
        self.spend(length)?;
        let keyword = self.skip_blank(open + length)?;
        if !self.bytes[keyword..].starts_with(STREAM) {
            return Ok(None);
        }
        let line = &self.bytes[keyword + STREAM.len()..];
        let start = match line {
            [b'\r', b'\n', ..] => 2,
            [b'\r' | b'\n', ..] => 1,
            _ => 0,
        };
        let dict = Dict::from_bytes(&self.bytes[open..open + length]);
        let fits = match dict {
            Some(dict) => self.fits(&dict, &line[start..])?,
            None => false,
        };
        Ok((!fits).then_some(keyword))
    }

    fn fits(&mut self, dict: &Dict<'_>, data: &[u8]) -> Result<bool, DocumentError> {
        let is_picture = dict.get::<Name<'_>>("Subtype").is_some_and(|kind| kind.as_ref() == b"Image");
        let (Some(packing), false) = (packing(dict), is_picture) else { return Ok(false) };
        let declared = dict.get::<u32>("Length").map_or(usize::MAX, |length| length as usize);
        let length = match data.get(declared..) {
            Some(after) if after.trim_ascii_start().starts_with(b"endstream") => declared,
            // The parser looks for the end too, each time that it wants the stream.
            _ => {
                let length = Finder::new(b"endstream").find(data);
                self.spend(length.unwrap_or(data.len()))?;
                let Some(length) = length else { return Ok(false) };
                length
            }
        };
        let Some(size) = packing.unpacked(data, length, LARGEST_STREAM, &mut self.dictionaries) else {
            return Ok(false);
        };
        // What is encrypted makes no sense as it lies there.
        if self.sealed && size.possible > 0 {
            let of_objects = dict.contains_key("N") && dict.contains_key("First");
            self.sealed_objects += if of_objects { length } else { 0 };
            return Ok(!of_objects || (length <= LARGEST_SEALED && self.sealed_objects <= LARGEST_SEALED_ALL));
        }
        self.unpacked += size.sure;
        if self.unpacked > LARGEST_UNPACKED {
            return Err(TOO_MUCH);
        }
        let fits = size.possible <= LARGEST_STREAM && self.possible + size.possible <= LARGEST_POSSIBLE;
        self.possible += if fits { size.possible } else { 0 };
        Ok(fits)
    }

    fn skip_blank(&mut self, from: usize) -> Result<usize, DocumentError> {
        let mut at = from;
        loop {
            at += self.bytes[at..].iter().take_while(|&&byte| is_blank(byte)).count();
            if self.bytes.get(at) != Some(&b'%') {
                break;
            }
            at += self.bytes[at..].iter().take_while(|&&byte| !matches!(byte, b'\r' | b'\n')).count();
        }
        self.spend(at - from)?;
        Ok(at)
    }

    fn spend(&mut self, work: usize) -> Result<(), DocumentError> {
        self.budget = self.budget.checked_sub(work).ok_or(DocumentError::file(BROKEN))?;
        Ok(())
    }
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n' | 0x0C | 0)
}

/// The length of the dictionary that `bytes` begin with.
fn dictionary(bytes: &[u8]) -> Option<usize> {
    let mut depth = 0usize;
    let mut at = 0;
    loop {
        let rest = &bytes[at..];
        at += match rest {
            [b'<', b'<', ..] => {
                depth += 1;
                2
            }
            [b'>', b'>', ..] => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(at + 2);
                }
                2
            }
            _ if depth == 0 => return None,
            [b'<', ..] => 1 + memchr::memchr(b'>', rest)?,
            [b'%', ..] => memchr::memchr2(b'\r', b'\n', rest)?,
            [b'(', ..] => string(rest)?,
            _ => 1 + rest.get(1..)?.iter().take_while(|&&byte| !matches!(byte, b'<' | b'>' | b'(' | b'%')).count(),
        };
    }
}

/// The length of the string in parentheses that `bytes` begin with.
fn string(bytes: &[u8]) -> Option<usize> {
    let mut depth = 0usize;
    let mut escaped = false;
    for (at, &byte) in bytes.iter().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'(' => depth += 1,
            b')' if depth == 1 => return Some(at + 1),
            b')' => depth -= 1,
            _ => {}
        }
    }
    None
}

/// How a stream is packed; `None` where that is not written down in plain, or is of no use here.
pub(super) fn packing(dict: &Dict<'_>) -> Option<Packing> {
    // Data in another file.
    if dict.contains_key("F") {
        return None;
    }
    let mut packing = Packing::default();
    match dict.get_raw::<Object<'_>>("Filter") {
        None => {}
        Some(MaybeRef::NotRef(Object::Name(name))) => packing.add(name.as_ref())?,
        Some(MaybeRef::NotRef(Object::Array(names))) if names.raw_iter().nth(measure::MOST_FILTERS).is_none() => {
            for name in plain(&names) {
                packing.add(name?.into_name()?.as_ref())?;
            }
        }
        Some(_) => return None,
    }
    for key in ["DecodeParms", "DP"] {
        match dict.get_raw::<Object<'_>>(key) {
            None | Some(MaybeRef::NotRef(Object::Null(_))) => {}
            Some(MaybeRef::NotRef(Object::Dict(dict))) => are_sane(&dict).then_some(())?,
            Some(MaybeRef::NotRef(Object::Array(dicts))) => {
                for dict in plain(&dicts) {
                    match dict? {
                        Object::Dict(dict) => are_sane(&dict).then_some(())?,
                        Object::Null(_) => {}
                        _ => return None,
                    }
                }
            }
            Some(_) => return None,
        }
    }
    Some(packing)
}

/// The items of an array; `None` for a reference, which may lead anywhere.
fn plain<'a>(array: &Array<'a>) -> impl Iterator<Item = Option<Object<'a>>> {
    array.raw_iter().take(measure::MOST_FILTERS).map(|item| match item {
        MaybeRef::NotRef(object) => Some(object),
        MaybeRef::Ref(_) => None,
    })
}

/// Rows as a table of offsets or a text has them; the parser reserves what these figures say.
fn are_sane(figures: &Dict<'_>) -> bool {
    let within = |key: &str, usual: u32, least: u32, most: u32| match figures.get_raw::<Object<'_>>(key) {
        None => (least..=most).contains(&usual),
        Some(MaybeRef::NotRef(Object::Number(number))) => {
            (i64::from(least)..=i64::from(most)).contains(&number.as_i64())
        }
        Some(_) => false,
    };
    within("Predictor", 1, 1, 15)
        && within("Columns", 1, 1, 1 << 16)
        && within("Colors", 1, 1, 4)
        && within("BitsPerComponent", 8, 8, 8)
}
