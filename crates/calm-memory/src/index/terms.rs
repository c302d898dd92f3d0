//! Words of experiences: which experience has which, and how much that says.

use std::collections::HashMap;

/// Saturation of a word's count and weight of a text's length, as in Robertson & Zaragoza, 2009, "The Probabilistic
/// Relevance Framework". Experiences are short, so their length says little.
const SATURATION: f32 = 1.2;
const LENGTH: f32 = 0.4;

/// A word's number, and how often it occurs in one text.
pub type Counted = (u32, u16);

/// For every word the slots of the experiences that have it, in ascending order.
#[derive(Default)]
pub struct Terms {
    numbers: HashMap<Box<str>, u32>,
    words: Vec<Word>,
    /// Numbers of words that nobody has any longer.
    free: Vec<u32>,
    /// Sum of all lengths, in words.
    total: u64,
}

#[derive(Default)]
struct Word {
    text: Box<str>,
    postings: Vec<Posting>,
}

struct Posting {
    slot: u32,
    count: u16,
    /// Words in that text, each as often as it occurs.
    length: u16,
}

impl Terms {
    /// The words of a new text, which gets the highest slot.
    pub fn push(&mut self, terms: &[String], slot: u32) -> Box<[Counted]> {
        let mut counted: Vec<Counted> = Vec::with_capacity(terms.len());
        for term in terms {
            let number = self.number(term);
            match counted.iter_mut().find(|(it, _)| *it == number) {
                Some((_, count)) => *count = count.saturating_add(1),
                None => counted.push((number, 1)),
            }
        }
        counted.sort_unstable();
        let length = length(&counted);
        self.total += u64::from(length);
        for &(number, count) in &counted {
            self.words[number as usize].postings.push(Posting { slot, count, length });
        }
        counted.into()
    }

    /// Forgets that the text at `slot` has these words.
    pub fn remove(&mut self, counted: &[Counted], slot: u32) {
        self.total -= u64::from(length(counted));
        for &(number, _) in counted {
            let word = &mut self.words[number as usize];
            if let Ok(at) = word.postings.binary_search_by_key(&slot, |posting| posting.slot) {
                word.postings.remove(at);
            }
            if word.postings.is_empty() {
                self.numbers.remove(&word.text);
                *word = Word::default();
                self.free.push(number);
            } else if word.postings.len() * 4 < word.postings.capacity() {
                word.postings.shrink_to(word.postings.len() * 2);
            }
        }
    }

    /// The text at `from`, the highest slot, moves to the empty slot `to`.
    pub fn rename(&mut self, counted: &[Counted], from: u32, to: u32) {
        for &(number, _) in counted {
            let postings = &mut self.words[number as usize].postings;
            // The highest slot stands last.
            if let Some(mut posting) = postings.pop_if(|posting| posting.slot == from) {
                posting.slot = to;
                let at = postings.partition_point(|posting| posting.slot < to);
                postings.insert(at, posting);
            }
        }
    }

    /// Numbers of the words that anybody has, each once, in the order of the alphabet: sums of scores must not depend
    /// on who came first.
    pub fn known(&self, terms: &[String]) -> Vec<u32> {
        let mut terms: Vec<&str> = terms.iter().map(String::as_str).collect();
        terms.sort_unstable();
        terms.dedup();
        terms.iter().filter_map(|term| self.numbers.get(*term).copied()).collect()
    }

    /// BM25 of every experience that has one of these words; zero for the rest. One value for each of `slots`.
    pub fn scores(&self, known: &[u32], slots: usize) -> Vec<f32> {
        let mut scores = vec![0.0; slots];
        let mean = (self.total as f32 / slots.max(1) as f32).max(1.0);
        for &number in known {
            let postings = &self.words[number as usize].postings;
            let having = postings.len() as f32;
            let rarity = (1.0 + (slots as f32 - having + 0.5) / (having + 0.5)).ln();
            for posting in postings {
                let count = f32::from(posting.count);
                let long = 1.0 - LENGTH + LENGTH * f32::from(posting.length) / mean;
                scores[posting.slot as usize] += rarity * count * (SATURATION + 1.0) / (count + SATURATION * long);
            }
        }
        scores
    }

    /// How many of these words each experience has. One value for each of `slots`.
    pub fn shared(&self, known: &[u32], slots: usize) -> Vec<u32> {
        let mut shared = vec![0; slots];
        for &number in known {
            for posting in &self.words[number as usize].postings {
                shared[posting.slot as usize] += 1;
            }
        }
        shared
    }

    /// For every number whether a text has that word: faster than to compare lists, when many are compared with one.
    pub fn marks(&self, counted: &[Counted]) -> Vec<bool> {
        let mut marks = vec![false; self.words.len()];
        for &(number, _) in counted {
            marks[number as usize] = true;
        }
        marks
    }

    fn number(&mut self, term: &str) -> u32 {
        if let Some(number) = self.numbers.get(term) {
            return *number;
        }
        let word = Word { text: term.into(), postings: Vec::new() };
        let number = match self.free.pop() {
            Some(number) => {
                self.words[number as usize] = word;
                number
            }
            None => {
                self.words.push(word);
                (self.words.len() - 1) as u32
            }
        };
        self.numbers.insert(term.into(), number);
        number
    }
}

/// How many of these words a text has.
pub fn shared(known: &[u32], counted: &[Counted]) -> u32 {
    let has = |number: &&u32| counted.binary_search_by_key(*number, |(it, _)| *it).is_ok();
    known.iter().filter(has).count() as u32
}

/// Likeness of two sets of words, 0–1: what they share, by the geometric mean of their sizes (Ochiai, 1957).
pub fn likeness(shared: u32, one: usize, other: usize) -> f32 {
    match one * other {
        0 => 0.0,
        product => shared as f32 / (product as f32).sqrt(),
    }
}

fn length(counted: &[Counted]) -> u16 {
    counted.iter().fold(0, |sum: u16, (_, count)| sum.saturating_add(*count))
}
