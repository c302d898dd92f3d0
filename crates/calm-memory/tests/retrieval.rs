//! Whether a trader's words, months later, bring back the right memory: hybrid, meaning alone, words alone.
//!
//! Constants of the fusion were chosen on the even pairs; the odd ones are what the floors stand under.
//! `cargo nextest run -p calm-memory --test retrieval --no-capture` prints the figures.

mod common;

use calm_memory::{Embedding, Index, Query};
use common::ENCODER;
use rust_stemmers::{Algorithm, Stemmer};
use serde::Deserialize;

#[derive(Deserialize)]
struct Memories {
    pairs: Vec<[String; 2]>,
    distractors: Vec<String>,
}

struct Pair {
    embedding: Embedding,
    terms: Vec<String>,
    expected: u64,
}

struct Bench {
    index: Index,
    pairs: Vec<Pair>,
}

fn stems(text: &str) -> Vec<String> {
    let (russian, english) = (Stemmer::create(Algorithm::Russian), Stemmer::create(Algorithm::English));
    let text = text.to_lowercase().replace('ё', "е");
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(|word| if word.is_ascii() { english.stem(word) } else { russian.stem(word) }.into_owned()).collect()
}

/// Memories of both languages lie in one index, as a user's do who speaks both.
fn bench() -> Bench {
    let both = [include_str!("retrieval/ru.toml"), include_str!("retrieval/en.toml")];
    let both = both.map(|text| toml::from_str::<Memories>(text).expect("a list of memories"));
    let mut bench = Bench { index: Index::new(), pairs: Vec::new() };
    let mut remember = |text: &str| {
        let id = bench.index.len() as u64;
        bench.index.insert(id, Some(&ENCODER.encode(text)), &stems(text), 1.0);
        id
    };
    for memories in &both {
        for [asked, remembered] in &memories.pairs {
            let expected = remember(remembered);
            bench.pairs.push(Pair { embedding: ENCODER.encode(asked), terms: stems(asked), expected });
        }
    }
    both.iter().flat_map(|memories| &memories.distractors).for_each(|text| {
        remember(text);
    });
    bench
}

#[derive(Clone, Copy)]
enum Way {
    Hybrid,
    Meaning,
    Words,
}

impl Bench {
    /// Shares of those pairs whose memory comes first, and among the first three.
    fn recall(&self, way: Way, wanted: impl Fn(usize) -> bool) -> (f64, f64) {
        let (mut first, mut among_three, mut all) = (0.0, 0.0, 0.0);
        for (_, pair) in self.pairs.iter().enumerate().filter(|(number, _)| wanted(*number)) {
            let query = match way {
                Way::Hybrid => Query { embedding: Some(&pair.embedding), terms: &pair.terms },
                Way::Meaning => Query { embedding: Some(&pair.embedding), terms: &[] },
                Way::Words => Query { embedding: None, terms: &pair.terms },
            };
            let found = self.index.search(&query, 3);
            all += 1.0;
            first += f64::from(u8::from(found.first().is_some_and(|it| it.id == pair.expected)));
            among_three += f64::from(u8::from(found.iter().any(|it| it.id == pair.expected)));
        }
        (first / all, among_three / all)
    }
}

#[test]
fn a_paraphrase_brings_back_the_memory() {
    let bench = bench();
    let half = bench.pairs.len() / 2;
    println!("{} pairs, {} memories; top-1 / top-3", bench.pairs.len(), bench.index.len());
    let ways = [("hybrid", Way::Hybrid), ("meaning alone", Way::Meaning), ("words alone", Way::Words)];
    for (name, way) in ways {
        let says = |wanted: &dyn Fn(usize) -> bool| {
            let (first, three) = bench.recall(way, wanted);
            format!("{first:.3} / {three:.3}")
        };
        let (tuned, held_out) = (says(&|it| it % 2 == 0), says(&|it| it % 2 == 1));
        let (russian, english) = (says(&|it| it % 2 == 1 && it < half), says(&|it| it % 2 == 1 && it >= half));
        println!("{name:<14} tuned on {tuned}   held out {held_out}   of these ru {russian}, en {english}");
    }
}
