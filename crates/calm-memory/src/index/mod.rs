//! Recall: which experiences a question is like.
//!
//! Two orders are made, one by meaning (cosine of directions) and one by words (BM25 of stems), and their ranks are
//! added up (reciprocal rank fusion: Cormack et al., 2009). Ranks, because neither figure means anything by itself: a
//! cosine of 0.4 may be the best of memories or chance. For the same reason no cosine is a threshold here.
//!
//! What an experience says, how it decays and when it is forgotten is decided by those who insert and remove.

mod sample;
mod terms;
mod vectors;

use std::collections::HashMap;

use crate::Embedding;
use sample::Sample;
use terms::{Counted, Terms, likeness};
use vectors::{Best, Needle, Vectors};

/// How far down the two orders are read: a memory below that in both is no answer.
const DEPTH: usize = 100;

/// Ranks are counted from here, so that the first is not everything. Chosen with [`MEANING`] on one half of the pairs of
/// tests/retrieval.rs, from a plateau: 3–10 and 1.5–2 do as well to one pair in forty.
const RANK_OFFSET: f32 = 5.0;

/// What the order by meaning counts, when that by words counts 1.
const MEANING: f32 = 1.75;

/// A memory of weight near 0 loses this share of its score.
const DECAY: f32 = 0.15;

/// Two texts are the same one if their directions are this near and they share this much of their words. Both, as
/// numbers turn the direction little and paraphrases share few words.
const SAME_DIRECTION: f32 = 0.95;
const SAME_WORDS: f32 = 0.8;

/// Scores nearer than this are equal.
const ROUNDING: f32 = 1e-5;

/// Familiarity of a question is believed half when this many experiences are known.
const DOUBT: f32 = 5.0;

/// What is looked for. Without an embedding words alone decide, without terms meaning alone.
#[derive(Clone, Copy, Default)]
pub struct Query<'a> {
    pub embedding: Option<&'a Embedding>,
    /// Stems, made as those of the experiences.
    pub terms: &'a [String],
}

/// An experience that a question is like.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Match {
    pub id: u64,
    /// Above zero; only good for comparing with others of the same search.
    pub score: f32,
    /// Cosine, −1 to 1; `None` if either side has no embedding.
    pub similarity: Option<f32>,
    /// Different terms of the question that the experience has.
    pub shared_terms: u32,
}

/// Everything that can be recalled. About 0.9 KB for each experience.
#[derive(Default)]
pub struct Index {
    store: Store,
    sample: Sample,
}

#[derive(Default)]
struct Store {
    /// Without gaps: the last one moves to where one was removed.
    entries: Vec<Entry>,
    slots: HashMap<u64, u32>,
    vectors: Vectors,
    terms: Terms,
}

struct Entry {
    id: u64,
    weight: f32,
    /// Place of its direction.
    place: Option<u32>,
    terms: Box<[Counted]>,
}

impl Index {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn len(&self) -> usize {
        self.store.entries.len()
    }

    pub fn is_empty(&self) -> bool {
        self.store.entries.is_empty()
    }

    /// Adds an experience, or puts it in the place of the one with the same id. `weight` is what is left of it after
    /// decay, 0–1. Costs about 20 µs.
    pub fn insert(&mut self, id: u64, embedding: Option<&Embedding>, terms: &[String], weight: f32) {
        self.remove(id);
        let store = &mut self.store;
        let slot = store.entries.len() as u32;
        let place = embedding.map(|embedding| store.vectors.push(embedding, slot));
        let terms = store.terms.push(terms, slot);
        store.entries.push(Entry { id, weight: weight.clamp(0.0, 1.0), place, terms });
        store.slots.insert(id, slot);
        self.sample.inserted(&self.store, slot);
    }

    /// Forgets an experience; `false` if there was none.
    pub fn remove(&mut self, id: u64) -> bool {
        let removed = self.store.remove(id);
        if removed {
            self.sample.removed(&self.store, id);
        }
        removed
    }

    /// What is left of an experience after decay, 0–1; `false` if there is none.
    pub fn set_weight(&mut self, id: u64, weight: f32) -> bool {
        let Some(&slot) = self.store.slots.get(&id) else { return false };
        self.store.entries[slot as usize].weight = weight.clamp(0.0, 1.0);
        true
    }

    /// The `k` experiences that the question is most like, best first; among equals the lower id.
    ///
    /// With an embedding there is always an answer: whether it is a good one, [`familiarity`](Self::familiarity) says.
    pub fn search(&self, query: &Query<'_>, k: usize) -> Vec<Match> {
        let store = &self.store;
        let depth = DEPTH.max(k);
        let needle = query.embedding.map(Needle::from);
        let known = store.terms.known(query.terms);
        let mut scores: HashMap<u32, f32> = HashMap::new();
        let mut count = |order: &[(f32, u32)], factor: f32| {
            for (rank, slot) in ranked(order) {
                *scores.entry(slot).or_default() += factor / (RANK_OFFSET + rank as f32);
            }
        };
        if let Some(needle) = &needle {
            count(&store.vectors.nearest(needle, depth), MEANING);
        }
        count(&store.by_words(&known, depth), 1.0);

        let decayed = |(slot, score): (u32, f32)| {
            let entry = &store.entries[slot as usize];
            (entry, score * (1.0 - DECAY * (1.0 - entry.weight)))
        };
        let mut found: Vec<(&Entry, f32)> = scores.into_iter().map(decayed).collect();
        found.sort_unstable_by(|a, b| b.1.total_cmp(&a.1).then(a.0.id.cmp(&b.0.id)));
        found.truncate(k);
        let to_match = |(entry, score): (&Entry, f32)| Match {
            id: entry.id,
            score,
            similarity: needle.as_ref().zip(entry.place).map(|(needle, at)| store.vectors.similarity(needle, at)),
            shared_terms: terms::shared(&known, &entry.terms),
        };
        found.into_iter().map(to_match).collect()
    }

    /// An experience that says practically the same, in meaning and in words, and can be merged with this one.
    ///
    /// Without an embedding on either side its words must be the very same; without words nothing is a duplicate.
    pub fn nearest_duplicate(&self, query: &Query<'_>) -> Option<u64> {
        let store = &self.store;
        let needle = query.embedding.map(Needle::from);
        let known = store.terms.known(query.terms);
        let wanted = distinct(query.terms);
        let mut best: Option<(f32, u64)> = None;
        for (entry, shared) in store.entries.iter().zip(store.terms.shared(&known, store.entries.len())) {
            let union = wanted + entry.terms.len() - shared as usize;
            let words = shared as f32 / union.max(1) as f32;
            let likeness = match needle.as_ref().zip(entry.place) {
                _ if words < SAME_WORDS => continue,
                Some((needle, at)) => store.vectors.similarity(needle, at),
                None if shared as usize == union => 1.0,
                None => continue,
            };
            let better = best.is_none_or(|(most, id)| likeness > most || (likeness == most && entry.id < id));
            if likeness >= SAME_DIRECTION && better {
                best = Some((likeness, entry.id));
            }
        }
        best.map(|(_, id)| id)
    }

    /// How much the question is like what is known, 0–1; 0.5 when little is known.
    ///
    /// It is a percentile, as likeness means nothing by itself: the question's likeness to its nearest experience, among
    /// the likenesses of experiences (a sample of 128) to the nearest other one. With n experiences to compare with, its
    /// distance from 0.5 is multiplied by n / (n + 5). Likeness is the cosine if the question and at least two
    /// experiences have embeddings, else the share of common terms.
    pub fn familiarity(&self, query: &Query<'_>) -> f32 {
        let (percentile, known) = self.by_meaning(query).or_else(|| self.by_words(query)).unwrap_or((0.5, 0));
        let known = known as f32;
        0.5 + (percentile - 0.5) * known / (known + DOUBT)
    }

    /// Percentile, and how many experiences have a direction.
    fn by_meaning(&self, query: &Query<'_>) -> Option<(f32, usize)> {
        let vectors = &self.store.vectors;
        let nearest = vectors.nearest(&query.embedding?.into(), 1).first()?.0;
        Some((self.sample.percentile_by_meaning(nearest)?, vectors.len()))
    }

    fn by_words(&self, query: &Query<'_>) -> Option<(f32, usize)> {
        let store = &self.store;
        let wanted = distinct(query.terms);
        if wanted == 0 {
            return None;
        }
        let shared = store.terms.shared(&store.terms.known(query.terms), store.entries.len());
        let likenesses = store.entries.iter().zip(shared).map(|(it, shared)| likeness(shared, wanted, it.terms.len()));
        let nearest = likenesses.reduce(f32::max)?;
        Some((self.sample.percentile_by_words(nearest)?, store.entries.len()))
    }
}

impl Store {
    fn remove(&mut self, id: u64) -> bool {
        let Some(slot) = self.slots.remove(&id) else { return false };
        let entry = self.entries.swap_remove(slot as usize);
        self.terms.remove(&entry.terms, slot);
        if let Some(place) = entry.place
            && let Some(moved) = self.vectors.swap_remove(place)
        {
            // The last entry may be the one that moves; it still has its old slot.
            let moved = if moved as usize == self.entries.len() { slot } else { moved };
            self.entries[moved as usize].place = Some(place);
        }
        if let Some(moved) = self.entries.get(slot as usize) {
            let from = self.entries.len() as u32;
            self.terms.rename(&moved.terms, from, slot);
            self.slots.insert(moved.id, slot);
            if let Some(place) = moved.place {
                self.vectors.set_slot(place, slot);
            }
        }
        true
    }

    fn by_words(&self, known: &[u32], depth: usize) -> Vec<(f32, u32)> {
        let mut best = Best::new(depth);
        for (slot, score) in self.terms.scores(known, self.entries.len()).into_iter().enumerate() {
            if score > 0.0 {
                best.offer(score, slot as u32);
            }
        }
        best.into_sorted()
    }
}

fn distinct(terms: &[String]) -> usize {
    let mut terms: Vec<&str> = terms.iter().map(String::as_str).collect();
    terms.sort_unstable();
    terms.dedup();
    terms.len()
}

/// Ranks from 1; equals, rounding aside, share the best of theirs, so that nobody gains by having been there first.
fn ranked(order: &[(f32, u32)]) -> impl Iterator<Item = (usize, u32)> {
    let (mut rank, mut best) = (0, f32::INFINITY);
    order.iter().enumerate().map(move |(index, &(value, slot))| {
        if value < best - ROUNDING {
            (rank, best) = (index + 1, value);
        }
        (rank, slot)
    })
}
