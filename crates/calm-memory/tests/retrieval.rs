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
    /// What is said, what it should bring back, and a hint at that.
    pairs: Vec<[String; 3]>,
    distractors: Vec<String>,
}

struct Question {
    embedding: Embedding,
    terms: Vec<String>,
    expected: u64,
}

impl Question {
    fn of(text: &str, expected: u64) -> Self {
        Self { embedding: ENCODER.encode(text), terms: stems(text), expected }
    }
}

struct Bench {
    index: Index,
    said: Vec<Question>,
    hinted: Vec<Question>,
    /// Questions before this one are Russian.
    russian: usize,
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
    let mut bench = Bench { index: Index::new(), said: Vec::new(), hinted: Vec::new(), russian: both[0].pairs.len() };
    for memories in &both {
        for [said, remembered, hint] in &memories.pairs {
            let expected = bench.index.len() as u64;
            bench.index.insert(expected, Some(&ENCODER.encode(remembered)), &stems(remembered), 1.0);
            bench.said.push(Question::of(said, expected));
            bench.hinted.push(Question::of(hint, expected));
        }
    }
    for distractor in both.iter().flat_map(|memories| &memories.distractors) {
        let id = bench.index.len() as u64;
        bench.index.insert(id, Some(&ENCODER.encode(distractor)), &stems(distractor), 1.0);
    }
    bench
}

#[derive(Clone, Copy)]
enum Way {
    Hybrid,
    Meaning,
    Words,
}

/// Shares of the questions whose memory comes first, and among the first three.
#[derive(Clone, Copy)]
struct Recall {
    first: f64,
    among_three: f64,
    n: usize,
}

impl std::fmt::Display for Recall {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:.3} / {:.3} (n = {})", self.first, self.among_three, self.n)
    }
}

impl Bench {
    fn recall(&self, way: Way, questions: &[Question], wanted: impl Fn(usize, &Question) -> bool) -> Recall {
        let (mut first, mut among_three, mut n) = (0, 0, 0);
        for (_, question) in questions.iter().enumerate().filter(|(number, question)| wanted(*number, question)) {
            let query = match way {
                Way::Hybrid => Query { embedding: Some(&question.embedding), terms: &question.terms },
                Way::Meaning => Query { embedding: Some(&question.embedding), terms: &[] },
                Way::Words => Query { embedding: None, terms: &question.terms },
            };
            let found = self.index.search(&query, 3);
            n += 1;
            first += usize::from(found.first().is_some_and(|it| it.id == question.expected));
            among_three += usize::from(found.iter().any(|it| it.id == question.expected));
        }
        let share = |count: usize| count as f64 / n as f64;
        Recall { first: share(first), among_three: share(among_three), n }
    }

    /// Whether the memory has less than a third of the question's words, those without meaning counted too.
    fn hardly_overlaps(&self, question: &Question) -> bool {
        let query = Query { embedding: None, terms: &question.terms };
        let found = self.index.search(&query, self.index.len());
        let shared = found.iter().find(|it| it.id == question.expected).map_or(0, |it| it.shared_terms as usize);
        shared * 3 < question.terms.len()
    }
}

#[test]
fn a_paraphrase_brings_back_the_memory() {
    let bench = bench();
    println!("{} pairs, {} memories; top-1 / top-3", bench.said.len(), bench.index.len());
    for (name, way) in [("hybrid", Way::Hybrid), ("meaning alone", Way::Meaning), ("words alone", Way::Words)] {
        let recall = |wanted: &dyn Fn(usize, &Question) -> bool| bench.recall(way, &bench.said, wanted);
        println!("{name}");
        println!("    tuned on            {}", recall(&|number, _| number % 2 == 0));
        println!("    held out            {}", recall(&|number, _| number % 2 == 1));
        println!("      Russian           {}", recall(&|number, _| number % 2 == 1 && number < bench.russian));
        println!("      English           {}", recall(&|number, _| number % 2 == 1 && number >= bench.russian));
        println!("      common words      {}", recall(&|number, it| number % 2 == 1 && !bench.hardly_overlaps(it)));
        println!("      hardly any        {}", recall(&|number, it| number % 2 == 1 && bench.hardly_overlaps(it)));
        println!("    hints, all          {}", bench.recall(way, &bench.hinted, |_, _| true));
    }
    let held_out = |way| bench.recall(way, &bench.said, |number, _| number % 2 == 1);
    let rewritten = |way| bench.recall(way, &bench.said, |number, it| number % 2 == 1 && bench.hardly_overlaps(it));
    let (hybrid, words) = (held_out(Way::Hybrid), held_out(Way::Words));
    assert!(hybrid.first >= 0.70 && hybrid.among_three >= 0.79, "{hybrid}");
    assert!(hybrid.first >= words.first + 0.08, "{hybrid}, words alone {words}");
    let (hybrid, words) = (rewritten(Way::Hybrid), rewritten(Way::Words));
    assert!(hybrid.among_three >= words.among_three + 0.25, "in other words: {hybrid}, words alone {words}");
}
