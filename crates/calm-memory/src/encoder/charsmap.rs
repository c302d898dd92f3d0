//! SentencePiece's own normalisation: NFKC with a few additions, as a table that is part of the model.
//!
//! The table is a double-array trie of UTF-8 bytes (darts-clone) and a heap of replacements, each ended by a zero byte.
//! Layout: `Normalizer::DecodePrecompiledCharsMap` in google/sentencepiece, `darts.h` in s-yata/darts-clone.

/// What stands for a space in a piece.
pub const SPACE: &str = "▁";

/// Far beyond what a bounded text becomes; a malformed table could make gigabytes of it.
const MAX_BYTES: usize = 1 << 17;

#[derive(Default)]
pub struct Charsmap {
    units: Vec<u32>,
    replacements: Vec<u8>,
}

impl Charsmap {
    /// `None` if the bytes are shorter than the length they begin with.
    pub fn read(bytes: &[u8]) -> Option<Self> {
        let (length, rest) = bytes.split_first_chunk()?;
        let (trie, replacements) = rest.split_at_checked(usize::try_from(u32::from_le_bytes(*length)).ok()?)?;
        let units = trie.as_chunks::<4>().0.iter().map(|unit| u32::from_le_bytes(*unit)).collect();
        Some(Self { units, replacements: replacements.to_vec() })
    }

    /// Normalises, puts one space before the text, none at the end, never two in a row, and writes [`SPACE`] for each.
    pub fn normalise(&self, text: &str) -> String {
        let mut out = Vec::with_capacity(SPACE.len() + text.len() * 2);
        let mut rest = text;
        let mut after_space = true;
        let mut begun = false;
        while !rest.is_empty() && out.len() < MAX_BYTES {
            let (replacement, taken) = self.longest(rest);
            rest = &rest[taken..];
            if !begun && replacement == b" " {
                continue;
            }
            if !begun {
                begun = true;
                out.extend_from_slice(SPACE.as_bytes());
            }
            let mut replacement = replacement;
            while let Some(shorter) = replacement.strip_prefix(b" ").filter(|_| after_space) {
                replacement = shorter;
            }
            for &byte in replacement {
                match byte {
                    b' ' => out.extend_from_slice(SPACE.as_bytes()),
                    byte => out.push(byte),
                }
                after_space = byte == b' ';
            }
        }
        while out.ends_with(SPACE.as_bytes()) {
            out.truncate(out.len() - SPACE.len());
        }
        // Only a malformed table replaces with anything but UTF-8.
        String::from_utf8(out).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
    }

    /// What the longest known beginning of `text` becomes, and its length in bytes; else the first character as it is.
    fn longest<'a>(&'a self, text: &'a str) -> (&'a [u8], usize) {
        let mut found = None;
        let mut node = self.units.first().map_or(0, |&root| offset(root));
        for (index, byte) in text.bytes().enumerate() {
            node ^= u32::from(byte);
            let Some(unit) = self.unit(node).filter(|unit| unit & 0x8000_00ff == u32::from(byte)) else { break };
            node ^= offset(unit);
            if unit & 0x100 != 0 {
                found = self.unit(node).map(|leaf| (leaf & 0x7fff_ffff, index + 1));
            }
        }
        // Only a malformed table has keys that end inside a character.
        let sound = found.filter(|&(_, length)| text.is_char_boundary(length));
        let replaced = sound.and_then(|(start, length)| Some((self.replacement(start)?, length)));
        replaced.unwrap_or_else(|| {
            let first = text.chars().next().map_or(0, char::len_utf8);
            (&text.as_bytes()[..first], first)
        })
    }

    fn unit(&self, node: u32) -> Option<u32> {
        self.units.get(usize::try_from(node).ok()?).copied()
    }

    fn replacement(&self, start: u32) -> Option<&[u8]> {
        let heap = self.replacements.get(usize::try_from(start).ok()?..).filter(|heap| !heap.is_empty())?;
        heap.split(|&byte| byte == 0).next()
    }
}

fn offset(unit: u32) -> u32 {
    (unit >> 10) << ((unit & 0x200) >> 6)
}
