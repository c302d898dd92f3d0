//! What is usual here: how near the nearest other experience is, for a sample of experiences.
//!
//! Kept up to date as experiences come and go, so that nothing has to be compared with everything when somebody asks.

use std::collections::BTreeMap;

use super::Store;
use super::terms::{Counted, likeness};
use super::vectors::Steps;

/// The percentile of a question is known to about ±4 % (one standard deviation); each member makes
/// an insertion longer.
const SIZE: usize = 128;

/// Nearer than this are equals: 8 bits do not tell more.
const TIE: f32 = 1e-4;

/// Likeness to another experience, and which.
type Kin = Option<(f32, u64)>;

/// Those of the experiences whose ids have the least hashes: the same ones, in whatever order they came.
#[derive(Default)]
pub struct Sample(BTreeMap<u64, Member>);

struct Member {
    id: u64,
    /// Copies: with these in one place, an insertion touches little memory.
    steps: Option<Steps>,
    terms: Box<[Counted]>,
    by_meaning: Kin,
    by_words: Kin,
}

impl Sample {
    /// The experience at `slot` is new.
    pub fn inserted(&mut self, store: &Store, slot: u32) {
        let entry = &store.entries[slot as usize];
        if let Some(steps) = entry.place.map(|place| store.vectors.copy(place)) {
            let mut cosines = Vec::with_capacity(SIZE);
            steps.between(self.0.values().filter_map(|member| member.steps.as_ref()), |cosine| cosines.push(cosine));
            let embedded = self.0.values_mut().filter(|member| member.steps.is_some());
            embedded.zip(cosines).for_each(|(member, cosine)| raise(&mut member.by_meaning, cosine, entry.id));
        }
        let marks = store.terms.marks(&entry.terms);
        for member in self.0.values_mut() {
            let shared = member.terms.iter().map(|(number, _)| u32::from(marks[*number as usize])).sum();
            raise(&mut member.by_words, likeness(shared, entry.terms.len(), member.terms.len()), entry.id);
        }
        let hash = scatter(entry.id);
        let joins = self.0.len() < SIZE || self.0.last_key_value().is_some_and(|(&last, _)| hash < last);
        if joins {
            self.0.insert(hash, Member::of(store, slot));
            if self.0.len() > SIZE {
                self.0.pop_last();
            }
        }
    }

    /// The experience `id` is no longer in the store.
    pub fn removed(&mut self, store: &Store, id: u64) {
        for member in self.0.values_mut() {
            let lost = |kin: Kin| kin.is_some_and(|(_, of)| of == id);
            if (lost(member.by_meaning) || lost(member.by_words))
                && let Some(&slot) = store.slots.get(&member.id)
            {
                *member = Member::of(store, slot);
            }
        }
        if self.0.remove(&scatter(id)).is_some() && store.entries.len() > self.0.len() {
            let outside = store.entries.iter().map(|entry| scatter(entry.id)).enumerate();
            let next = outside.filter(|(_, hash)| !self.0.contains_key(hash)).min_by_key(|(_, hash)| *hash);
            if let Some((slot, hash)) = next {
                self.0.insert(hash, Member::of(store, slot as u32));
            }
        }
    }

    /// Share of members that are less near to their nearest than `nearest`; equals count half. `None` without members.
    pub fn percentile_by_meaning(&self, nearest: f32) -> Option<f32> {
        percentile(self.0.values().filter_map(|member| member.by_meaning), nearest)
    }

    pub fn percentile_by_words(&self, nearest: f32) -> Option<f32> {
        percentile(self.0.values().filter_map(|member| member.by_words), nearest)
    }
}

impl Member {
    fn of(store: &Store, slot: u32) -> Self {
        let entry = &store.entries[slot as usize];
        let by_meaning = entry.place.and_then(|place| store.vectors.nearest_other(place));
        let known: Vec<u32> = entry.terms.iter().map(|(number, _)| *number).collect();
        let mut by_words = None;
        for (other, shared) in store.terms.shared(&known, store.entries.len()).into_iter().enumerate() {
            let other_entry = &store.entries[other];
            if other != slot as usize {
                raise(&mut by_words, likeness(shared, entry.terms.len(), other_entry.terms.len()), other_entry.id);
            }
        }
        let with_id = |(cosine, slot): (f32, u32)| (cosine, store.entries[slot as usize].id);
        Self {
            id: entry.id,
            steps: entry.place.map(|place| store.vectors.copy(place)),
            terms: entry.terms.clone(),
            by_meaning: by_meaning.map(with_id),
            by_words,
        }
    }
}

fn raise(kin: &mut Kin, likeness: f32, of: u64) {
    if kin.is_none_or(|(most, _)| likeness > most) {
        *kin = Some((likeness, of));
    }
}

fn percentile(kin: impl Iterator<Item = (f32, u64)>, nearest: f32) -> Option<f32> {
    let (mut below, mut members) = (0.0, 0.0);
    for (likeness, _) in kin {
        members += 1.0;
        if likeness < nearest - TIE {
            below += 1.0;
        } else if likeness <= nearest + TIE {
            below += 0.5;
        }
    }
    (members > 0.0).then(|| below / members)
}

/// SplitMix64: ids that count upwards become anything. One to one.
fn scatter(id: u64) -> u64 {
    let mut it = id.wrapping_add(0x9e37_79b9_7f4a_7c15);
    it = (it ^ (it >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    it = (it ^ (it >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    it ^ (it >> 31)
}
