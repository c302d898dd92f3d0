//! Directions of experiences, in 8 bits a component, all of them compared with a question one after another.
//!
//! No graph and no clusters: 100,000 of them are 51 MB, which is read in a few milliseconds, and nothing is ever missed.

use crate::embedding::Quantised;
use crate::{DIMENSIONS, Embedding, kernels};

/// Half a megabyte at a time: a growing `Vec` would hold everything twice while it moves.
const BLOCK: usize = 1024;

/// Each direction belongs to one experience, which is named by its slot.
#[derive(Default)]
pub struct Vectors {
    blocks: Vec<Vec<[i8; DIMENSIONS]>>,
    /// What makes a vector of steps one of length 1.
    scales: Vec<f32>,
    slots: Vec<u32>,
}

/// A direction in 8 bits, taken out of the store.
pub struct Steps {
    steps: Box<[i8; DIMENSIONS]>,
    scale: f32,
}

impl Steps {
    /// Calls `each` with the cosines between this one and the others, in their order.
    pub fn between<'a>(&self, others: impl Iterator<Item = &'a Steps> + Clone, mut each: impl FnMut(f32)) {
        let mut scales = others.clone().map(|other| other.scale);
        kernels::scan(&self.steps, others.map(|other| &*other.steps), |product| {
            each(product as f32 * self.scale * scales.next().unwrap_or_default());
        });
    }
}

/// A direction with which others are compared.
pub struct Needle<'a> {
    exact: &'a Embedding,
    coarse: Quantised,
}

impl<'a> From<&'a Embedding> for Needle<'a> {
    fn from(embedding: &'a Embedding) -> Self {
        Self { exact: embedding, coarse: embedding.quantise() }
    }
}

impl Vectors {
    pub fn len(&self) -> usize {
        self.slots.len()
    }

    /// Returns the place of the new one, which is the last.
    pub fn push(&mut self, embedding: &Embedding, slot: u32) -> u32 {
        let place = self.len();
        if place.is_multiple_of(BLOCK) {
            self.blocks.push(Vec::with_capacity(BLOCK));
        }
        let Quantised { steps, .. } = embedding.quantise();
        let square: f32 = steps.iter().map(|&step| f32::from(step) * f32::from(step)).sum();
        if let Some(block) = self.blocks.last_mut() {
            block.push(steps);
        }
        self.scales.push(square.sqrt().recip());
        self.slots.push(slot);
        place as u32
    }

    /// Takes out the one at `place` and puts the last one there. Returns the slot of the one that moved.
    pub fn swap_remove(&mut self, place: u32) -> Option<u32> {
        let place = place as usize;
        let last = self.blocks.last_mut()?.pop()?;
        if self.blocks.last().is_some_and(Vec::is_empty) {
            self.blocks.pop();
        }
        self.scales.swap_remove(place);
        self.slots.swap_remove(place);
        let moved = self.slots.get(place).copied();
        if moved.is_some() {
            self.blocks[place / BLOCK][place % BLOCK] = last;
        }
        moved
    }

    pub fn set_slot(&mut self, place: u32, slot: u32) {
        self.slots[place as usize] = slot;
    }

    /// Cosine between the needle and the one at `place`; of the latter only its 8 bits are known.
    pub fn similarity(&self, needle: &Needle<'_>, place: u32) -> f32 {
        let place = place as usize;
        let steps = &self.blocks[place / BLOCK][place % BLOCK];
        let product: f32 = steps.iter().zip(needle.exact.components()).map(|(&step, &it)| f32::from(step) * it).sum();
        product * self.scales[place]
    }

    /// A copy of the one at `place`.
    pub fn copy(&self, place: u32) -> Steps {
        let place = place as usize;
        Steps { steps: Box::new(self.blocks[place / BLOCK][place % BLOCK]), scale: self.scales[place] }
    }

    /// The nearest to the one at `place`, itself left out: cosine by 8 bits on both sides, and slot.
    pub fn nearest_other(&self, place: u32) -> Option<(f32, u32)> {
        let steps = self.blocks[place as usize / BLOCK][place as usize % BLOCK];
        let scale = self.scales[place as usize];
        let mut best: Option<(f32, u32)> = None;
        self.scan_steps(&steps, scale, |slot, other, cosine| {
            if other != place && best.is_none_or(|(most, _)| cosine > most) {
                best = Some((cosine, slot));
            }
        });
        best
    }

    /// Calls `each` with slot, place and cosine of every one, by 8 bits on both sides.
    fn scan_steps(&self, steps: &[i8; DIMENSIONS], scale: f32, mut each: impl FnMut(u32, u32, f32)) {
        let mut place = 0;
        kernels::scan(steps, self.blocks.iter().flatten(), |product| {
            each(self.slots[place], place as u32, product as f32 * scale * self.scales[place]);
            place += 1;
        });
    }

    /// The nearest by exact cosine, best first, with their slots; among equals the one at the lower place.
    ///
    /// Twice as many as are wanted are compared exactly, so that what 8 bits of the needle blur is put right.
    pub fn nearest(&self, needle: &Needle<'_>, count: usize) -> Vec<(f32, u32)> {
        let mut rough = Best::new(2 * count + 16);
        let Quantised { scale, steps } = &needle.coarse;
        self.scan_steps(steps, *scale, |_, place, similarity| rough.offer(similarity, place));
        let mut exact: Vec<(f32, u32)> = rough
            .into_sorted()
            .into_iter()
            .map(|(_, place)| (self.similarity(needle, place), self.slots[place as usize]))
            .collect();
        exact.sort_by(|a, b| b.0.total_cmp(&a.0));
        exact.truncate(count);
        exact
    }
}

/// The greatest of many, without sorting them all.
pub struct Best {
    most: usize,
    kept: Vec<(f32, u32)>,
    /// What is not above this need not be kept.
    floor: f32,
}

impl Best {
    pub fn new(most: usize) -> Self {
        Self { most, kept: Vec::with_capacity(2 * most), floor: f32::NEG_INFINITY }
    }

    #[inline]
    pub fn offer(&mut self, value: f32, of: u32) {
        if value > self.floor {
            self.kept.push((value, of));
            if self.kept.len() == 2 * self.most {
                self.shrink();
            }
        }
    }

    #[cold]
    fn shrink(&mut self) {
        self.kept.select_nth_unstable_by(self.most - 1, better);
        self.kept.truncate(self.most);
        self.floor = self.kept[self.most - 1].0;
    }

    /// Best first; among equals the lower number.
    pub fn into_sorted(mut self) -> Vec<(f32, u32)> {
        self.kept.sort_unstable_by(better);
        self.kept.truncate(self.most);
        self.kept
    }
}

fn better(a: &(f32, u32), b: &(f32, u32)) -> std::cmp::Ordering {
    b.0.total_cmp(&a.0).then(a.1.cmp(&b.1))
}
