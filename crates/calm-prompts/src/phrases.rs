//! The guide's wording: several variants per move, none repeated within a session while others are left.

use std::collections::{BTreeMap, BTreeSet};

#[derive(Debug, Clone)]
pub struct Phrases {
    wording: BTreeMap<String, Vec<Variant>>,
}

#[derive(Debug, Clone)]
struct Variant {
    text: String,
    slots: BTreeSet<String>,
}

#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum PhraseError {
    #[error("no wording for the move {key}")]
    UnknownMove { key: String },
    #[error("every wording of the move {key} needs a value that is not known")]
    NoneFits { key: String },
}

impl Phrases {
    pub(crate) fn new(wording: BTreeMap<String, Vec<String>>) -> Phrases {
        let variants =
            |texts: Vec<String>| texts.into_iter().map(|text| Variant { slots: slots_of(&text), text }).collect();
        Phrases { wording: wording.into_iter().map(|(key, texts)| (key, variants(texts))).collect() }
    }

    /// The same wording, with `others` where a move has none: a program may know moves that an older set does not.
    pub fn or(mut self, others: &Phrases) -> Phrases {
        for (key, variants) in &others.wording {
            self.wording.entry(key.clone()).or_insert_with(|| variants.clone());
        }
        self
    }

    pub fn has(&self, key: &str) -> bool {
        self.wording.contains_key(key)
    }

    /// The slots that a wording of this move uses.
    pub fn slots(&self, key: &str) -> BTreeSet<&str> {
        self.wording.get(key).into_iter().flatten().flat_map(|it| &it.slots).map(String::as_str).collect()
    }

    /// One wording of a move, its `{slots}` filled in.
    ///
    /// The same seed, slots and `used` give the same words. A variant with a slot that is not
    /// given is not eligible; one that says a value that is given comes before one that does not.
    /// `used` belongs to the session and is updated.
    ///
    /// # Errors
    /// The move is unknown, or no variant fits the given slots.
    pub fn word(
        &self,
        key: &str,
        slots: &[(&str, String)],
        seed: u64,
        used: &mut BTreeSet<(String, usize)>,
    ) -> Result<String, PhraseError> {
        let variants = self.wording.get(key).ok_or_else(|| PhraseError::UnknownMove { key: key.to_owned() })?;
        let given = |slot: &String| slots.iter().any(|(name, _)| name == slot);
        let eligible: Vec<usize> =
            (0..variants.len()).filter(|i| variants.get(*i).is_some_and(|v| v.slots.iter().all(given))).collect();
        if eligible.is_empty() {
            return Err(PhraseError::NoneFits { key: key.to_owned() });
        }
        let fresh: Vec<usize> = eligible.iter().copied().filter(|i| !used.contains(&(key.to_owned(), *i))).collect();
        let fresh = if fresh.is_empty() {
            used.retain(|(used_key, _)| used_key != key);
            eligible
        } else {
            fresh
        };
        let telling: Vec<usize> =
            fresh.iter().copied().filter(|i| variants.get(*i).is_some_and(|v| !v.slots.is_empty())).collect();
        let choice = if telling.is_empty() { fresh } else { telling };
        let at = usize::try_from(mixed(seed, key) % choice.len() as u64).unwrap_or(0);
        let index = choice.get(at).copied().unwrap_or(0);
        let variant = variants.get(index).ok_or_else(|| PhraseError::NoneFits { key: key.to_owned() })?;
        used.insert((key.to_owned(), index));
        Ok(filled(&variant.text, slots))
    }

    pub fn keys(&self) -> impl Iterator<Item = &str> {
        self.wording.keys().map(String::as_str)
    }

    /// The wordings of a move as they stand in the file, slots in braces.
    pub fn variants(&self, key: &str) -> impl Iterator<Item = &str> {
        self.wording.get(key).into_iter().flatten().map(|v| v.text.as_str())
    }

    /// How many wordings of a move need no slot besides the given ones.
    pub fn eligible(&self, key: &str, given: &[&str]) -> usize {
        let fits = |v: &&Variant| v.slots.iter().all(|s| given.contains(&s.as_str()));
        self.wording.get(key).map_or(0, |variants| variants.iter().filter(fits).count())
    }
}

/// The names in `{braces}`.
fn slots_of(text: &str) -> BTreeSet<String> {
    let mut slots = BTreeSet::new();
    let mut rest = text;
    while let Some((_, after)) = rest.split_once('{') {
        let Some((name, tail)) = after.split_once('}') else { break };
        slots.insert(name.to_owned());
        rest = tail;
    }
    slots
}

/// One pass, so that braces in a user's words stay the user's words.
fn filled(text: &str, slots: &[(&str, String)]) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('{') {
        let Some((name, tail)) = after.split_once('}') else { break };
        out.push_str(before);
        if let Some((_, value)) = slots.iter().find(|(slot, _)| *slot == name) {
            out.push_str(value);
        }
        rest = tail;
    }
    out.push_str(rest);
    out
}

/// A seed that differs per move (FNV-1a over the key, then a SplitMix64 finish).
fn mixed(seed: u64, key: &str) -> u64 {
    let mut hash = key
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3));
    hash = hash.wrapping_add(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    hash = (hash ^ (hash >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    hash = (hash ^ (hash >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    hash ^ (hash >> 31)
}
