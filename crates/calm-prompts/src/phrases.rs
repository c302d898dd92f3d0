//! The guide's wording: several variants per move, none said again while another is left.
//!
//! What was said on earlier days is read back from the replies themselves ([`Phrases::said_in`]),
//! so nothing has to be kept beside them. Whose replies those are is decided elsewhere.

use std::collections::{BTreeMap, BTreeSet};

#[derive(Debug, Clone)]
pub struct Phrases {
    wording: BTreeMap<String, Vec<Variant>>,
}

#[derive(Debug, Clone)]
struct Variant {
    text: String,
    slots: BTreeSet<String>,
    /// The text around the slots, one piece more than there are slots.
    pieces: Vec<String>,
}

/// Which wordings were said, in their order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Said {
    last: BTreeMap<(String, usize), u64>,
    moment: u64,
}

impl Said {
    fn note(&mut self, key: &str, index: usize) {
        self.moment += 1;
        self.last.insert((key.to_owned(), index), self.moment);
    }

    /// When it was said last, on a scale of its own; `None` for never.
    fn moment(&self, key: &str, index: usize) -> Option<u64> {
        self.last.get(&(key.to_owned(), index)).copied()
    }

    /// The moves and the numbers of their variants, each once.
    pub fn iter(&self) -> impl Iterator<Item = (&str, usize)> {
        self.last.keys().map(|(key, index)| (key.as_str(), *index))
    }
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
        let variants = |texts: Vec<String>| texts.into_iter().map(Variant::new).collect();
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
    /// The same seed, slots and `said` give the same words. A variant with a slot that is not given is not eligible.
    /// One that was never said comes before one that was, and among those never said one that says a value that is
    /// given; where all were said, the one that was said longest ago comes back. `said` is updated.
    ///
    /// # Errors
    /// The move is unknown, or no variant fits the given slots.
    pub fn word(&self, key: &str, slots: &[(&str, String)], seed: u64, said: &mut Said) -> Result<String, PhraseError> {
        let variants = self.wording.get(key).ok_or_else(|| PhraseError::UnknownMove { key: key.to_owned() })?;
        let given = |slot: &String| slots.iter().any(|(name, _)| name == slot);
        let eligible = variants.iter().enumerate().filter(|(_, variant)| variant.slots.iter().all(given));
        let (fresh, stale): (Vec<_>, Vec<_>) = eligible.partition(|(index, _)| said.moment(key, *index).is_none());
        let telling: Vec<_> = fresh.iter().copied().filter(|(_, variant)| !variant.slots.is_empty()).collect();
        let choice = if telling.is_empty() { fresh } else { telling };
        let drawn = mixed(seed, key).checked_rem(choice.len() as u64).and_then(|at| usize::try_from(at).ok());
        let (index, variant) = drawn
            .and_then(|at| choice.get(at).copied())
            .or_else(|| stale.into_iter().min_by_key(|(index, _)| said.moment(key, *index)))
            .ok_or_else(|| PhraseError::NoneFits { key: key.to_owned() })?;
        said.note(key, index);
        Ok(filled(&variant.text, slots))
    }

    /// The wordings that occur in `replies`, which come oldest first: whole ones, from the start of a sentence to its
    /// end, with anything in their slots.
    ///
    /// A short one may be found where it was not said; it then waits its turn, and nothing else happens.
    pub fn said_in<'a>(&self, replies: impl IntoIterator<Item = &'a str>) -> Said {
        let mut said = Said::default();
        for reply in replies {
            for (key, variants) in &self.wording {
                for (index, _) in variants.iter().enumerate().filter(|(_, variant)| variant.occurs_in(reply)) {
                    said.note(key, index);
                }
            }
        }
        said
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

impl Variant {
    fn new(text: String) -> Variant {
        let mut slots = BTreeSet::new();
        let mut pieces = Vec::new();
        let mut rest = text.as_str();
        while let Some((before, name, tail)) = next_slot(rest) {
            pieces.push(before.to_owned());
            slots.insert(name.to_owned());
            rest = tail;
        }
        pieces.push(rest.to_owned());
        Variant { slots, pieces, text }
    }

    fn occurs_in(&self, reply: &str) -> bool {
        let Some((first, others)) = self.pieces.split_first() else { return false };
        let starts = |at: usize| reply.get(..at).is_some_and(|before| before.ends_with(char::is_whitespace) || at == 0);
        places(reply, first).filter(|at| starts(*at)).any(|at| follow(reply, at + first.len(), others))
    }
}

/// Whether the pieces come in their order from here on, the last of them at the end of a sentence.
fn follow(reply: &str, from: usize, pieces: &[String]) -> bool {
    let ends =
        |at: usize| reply.get(at..).is_some_and(|after| after.is_empty() || after.starts_with(char::is_whitespace));
    let Some((last, between)) = pieces.split_last() else { return ends(from) };
    if last.is_empty() {
        return follow_up_to(reply, from, between).is_some();
    }
    let Some(from) = follow_up_to(reply, from, between) else { return false };
    let rest = reply.get(from..).unwrap_or_default();
    places(rest, last).any(|at| ends(from + at + last.len()))
}

/// Where the pieces end if they come in their order from here on.
fn follow_up_to(reply: &str, from: usize, pieces: &[String]) -> Option<usize> {
    pieces.iter().try_fold(from, |from, piece| {
        let at = reply.get(from..)?.find(piece.as_str())?;
        Some(from + at + piece.len())
    })
}
/// Where `piece` occurs; an empty one only at the start.
fn places<'a>(text: &'a str, piece: &'a str) -> impl Iterator<Item = usize> + 'a {
    let all = text.match_indices(piece).map(|(at, _)| at);
    all.take(if piece.is_empty() { 1 } else { usize::MAX })
}

/// What stands before the first `{slot}`, its name, and what stands after it.
fn next_slot(text: &str) -> Option<(&str, &str, &str)> {
    let (before, after) = text.split_once('{')?;
    let (name, tail) = after.split_once('}')?;
    Some((before, name, tail))
}

/// One pass, so that braces in a user's words stay the user's words.
fn filled(text: &str, slots: &[(&str, String)]) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, name, tail)) = next_slot(rest) {
        out.push_str(before);
        if let Some((_, value)) = slots.iter().find(|(slot, _)| *slot == name) {
            // The sentence has a full stop of its own, and asks its own questions.
            out.push_str(value.trim().trim_end_matches(['.', ',', ';', ':', '!', '?']));
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
