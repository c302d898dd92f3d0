//! The index answers as a naive one does that compares everything with everything.

use std::collections::{BTreeMap, BTreeSet};

use calm_memory::{DIMENSIONS, Embedding, Index, Query};
use proptest::prelude::*;
use rstest::rstest;

/// The naive one: experiences in a map, every figure computed anew. Its rules are those of the index's documentation.
#[derive(Default)]
struct Naive(BTreeMap<u64, Remembered>);

struct Remembered {
    embedding: Option<Embedding>,
    terms: Vec<String>,
    weight: f64,
}

impl Naive {
    fn ranks(order: &[(u64, f64)]) -> BTreeMap<u64, usize> {
        let better = |value: f64| order.iter().filter(|(_, other)| *other > value + 1e-5).count();
        order.iter().map(|&(id, value)| (id, better(value) + 1)).collect()
    }

    fn cosines(&self, query: &Query<'_>) -> Vec<(u64, f64)> {
        let Some(wanted) = query.embedding else { return Vec::new() };
        let cosine = |it: &Remembered| it.embedding.as_ref().map(|embedding| f64::from(embedding.dot(wanted)));
        self.0.iter().filter_map(|(&id, it)| Some((id, cosine(it)?))).collect()
    }

    fn bm25(&self, query: &Query<'_>) -> Vec<(u64, f64)> {
        let all = self.0.len() as f64;
        let mean = (self.0.values().map(|it| it.terms.len()).sum::<usize>() as f64 / all).max(1.0);
        let wanted: BTreeSet<&String> = query.terms.iter().collect();
        let score = |it: &Remembered| -> f64 {
            let of = |term: &&String| {
                let having = self.0.values().filter(|other| other.terms.contains(term)).count() as f64;
                let count = it.terms.iter().filter(|other| other == term).count() as f64;
                let long = 0.6 + 0.4 * it.terms.len() as f64 / mean;
                (1.0 + (all - having + 0.5) / (having + 0.5)).ln() * count * 2.2 / (count + 1.2 * long)
            };
            wanted.iter().map(of).sum()
        };
        self.0.iter().map(|(&id, it)| (id, score(it))).filter(|(_, score)| *score > 0.0).collect()
    }

    fn search(&self, query: &Query<'_>) -> Vec<(u64, f64)> {
        let (meaning, words) = (Self::ranks(&self.cosines(query)), Self::ranks(&self.bm25(query)));
        let part =
            |ranks: &BTreeMap<u64, usize>, id, factor| ranks.get(&id).map_or(0.0, |&rank| factor / (5.0 + rank as f64));
        let fused = self.0.iter().map(|(&id, it)| {
            let score = part(&meaning, id, 1.75) + part(&words, id, 1.0);
            (id, score * (1.0 - 0.15 * (1.0 - it.weight)))
        });
        let mut found: Vec<(u64, f64)> = fused.filter(|(_, score)| *score > 0.0).collect();
        found.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        found
    }

    fn familiarity(&self, query: &Query<'_>) -> f64 {
        type Likeness = fn(&Remembered, &Remembered) -> Option<f64>;
        let cosine: Likeness = |a, b| Some(f64::from(a.embedding.as_ref()?.dot(b.embedding.as_ref()?)));
        let common: Likeness = |a, b| {
            let (a, b): (BTreeSet<_>, BTreeSet<_>) = (a.terms.iter().collect(), b.terms.iter().collect());
            let product = a.len() * b.len();
            Some(if product == 0 { 0.0 } else { a.intersection(&b).count() as f64 / (product as f64).sqrt() })
        };
        let asked = Remembered { embedding: query.embedding.cloned(), terms: query.terms.to_vec(), weight: 1.0 };
        let with = |likeness: Likeness, known: usize| {
            let nearest = self.0.values().filter_map(|it| likeness(&asked, it)).reduce(f64::max)?;
            let usual: Vec<f64> = self
                .0
                .iter()
                .filter_map(|(id, it)| {
                    let others = self.0.iter().filter(|(other, _)| *other != id);
                    others.filter_map(|(_, other)| likeness(it, other)).reduce(f64::max)
                })
                .collect();
            let below: f64 = usual
                .iter()
                .map(|it| match it - nearest {
                    difference if difference.abs() <= 1e-4 => 0.5,
                    difference if difference < 0.0 => 1.0,
                    _ => 0.0,
                })
                .sum();
            let percentile = (!usual.is_empty()).then(|| below / usual.len() as f64)?;
            Some(0.5 + (percentile - 0.5) * known as f64 / (known as f64 + 5.0))
        };
        let embedded = self.0.values().filter(|it| it.embedding.is_some()).count();
        let by_meaning = query.embedding.and_then(|_| with(cosine, embedded));
        let by_words = || (!query.terms.is_empty()).then(|| with(common, self.0.len()))?;
        by_meaning.or_else(by_words).unwrap_or(0.5)
    }
}

/// Directions that have nothing to do with each other, as they come back from the store.
fn direction(seed: u64) -> Embedding {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut components = [0.0; DIMENSIONS];
    for component in &mut components {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        *component = (state >> 40) as f32 / 16_777_216.0 - 0.5;
    }
    let embedding = Embedding::towards(&components).expect("a direction");
    Embedding::from_bytes(&embedding.to_bytes()).expect("our own bytes")
}

#[derive(Debug, Clone)]
enum Step {
    Insert { id: u64, seed: Option<u64>, terms: Vec<String>, weight: f32 },
    Remove { id: u64 },
    Search { seed: Option<u64>, terms: Vec<String> },
}

fn terms(most: usize) -> impl Strategy<Value = Vec<String>> {
    prop::collection::vec("[a-h]", 0..most)
}

fn step() -> impl Strategy<Value = Step> {
    let seed = || prop::option::weighted(0.8, 1..24_u64);
    prop_oneof![
        4 => (0..50_u64, seed(), terms(9), 0.01..=1.0_f32)
            .prop_map(|(id, seed, terms, weight)| Step::Insert { id, seed, terms, weight }),
        2 => (0..50_u64).prop_map(|id| Step::Remove { id }),
        1 => (seed(), terms(5)).prop_map(|(seed, terms)| Step::Search { seed, terms }),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn the_index_answers_as_the_naive_one(steps in prop::collection::vec(step(), 1..120)) {
        let (mut index, mut naive) = (Index::new(), Naive::default());
        for step in steps {
            match step {
                Step::Insert { id, seed, terms, weight } => {
                    let embedding = seed.map(direction);
                    index.insert(id, embedding.as_ref(), &terms, weight);
                    naive.0.insert(id, Remembered { embedding, terms, weight: f64::from(weight) });
                }
                Step::Remove { id } => prop_assert_eq!(index.remove(id), naive.0.remove(&id).is_some()),
                Step::Search { seed, terms } => {
                    let embedding = seed.map(direction);
                    let query = Query { embedding: embedding.as_ref(), terms: &terms };
                    let (found, expected) = (index.search(&query, 60), naive.search(&query));
                    prop_assert_eq!(found.len(), expected.len());
                    for (found, (id, score)) in found.iter().zip(&expected) {
                        prop_assert!((f64::from(found.score) - score).abs() < 1e-5);
                        let there = expected.iter().find(|(id, _)| *id == found.id).expect("found by both");
                        prop_assert!((there.1 - score).abs() < 1e-6, "{} for {id}", found.id);
                        let it = &naive.0[&found.id];
                        let cosine = embedding.as_ref().zip(it.embedding.as_ref()).map(|(a, b)| a.dot(b));
                        prop_assert_eq!(cosine.is_some(), found.similarity.is_some());
                        let difference = cosine.unwrap_or(0.0) - found.similarity.unwrap_or(0.0);
                        prop_assert!(difference.abs() < 1e-5);
                        let shared: BTreeSet<_> = terms.iter().filter(|term| it.terms.contains(term)).collect();
                        prop_assert_eq!(found.shared_terms as usize, shared.len());
                    }
                    let (here, there) = (f64::from(index.familiarity(&query)), naive.familiarity(&query));
                    prop_assert!((here - there).abs() < 1e-5, "familiarity {here}, not {there}");
                }
            }
            prop_assert_eq!(index.len(), naive.0.len());
        }
    }
}

fn stems(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_owned).collect()
}

#[test]
fn without_embeddings_words_alone_find_it() {
    let mut index = Index::new();
    index.insert(1, None, &stems("перенес стоп убыт"), 1.0);
    index.insert(2, None, &stems("закр прибыл ран"), 1.0);
    let terms = stems("опя перенес стоп");
    let found = index.search(&Query { embedding: None, terms: &terms }, 3);
    assert_eq!(found.iter().map(|it| (it.id, it.shared_terms, it.similarity)).collect::<Vec<_>>(), [(1, 2, None)]);
}

#[test]
fn of_two_equal_memories_the_one_that_is_less_decayed_comes_first() {
    let mut index = Index::new();
    index.insert(1, Some(&direction(1)), &stems("стоп"), 0.2);
    index.insert(2, Some(&direction(1)), &stems("стоп"), 0.9);
    let terms = stems("стоп");
    let query = Query { embedding: None, terms: &terms };
    assert_eq!(index.search(&query, 1)[0].id, 2);
    assert!(index.set_weight(2, 0.1) && !index.set_weight(3, 0.1));
    assert_eq!(index.search(&query, 1)[0].id, 1);
}

#[rstest]
#[case::the_same_thing(1, "перенес стоп убыт тильт вечер", Some(7))]
#[case::one_word_more(1, "перенес стоп убыт тильт вечер опя", Some(7))]
#[case::other_words(1, "отмен лимит убыт тильт вечер", None)]
#[case::another_meaning(2, "перенес стоп убыт тильт вечер", None)]
#[case::no_words(1, "", None)]
fn a_duplicate_is_the_same_in_meaning_and_in_words(
    #[case] seed: u64,
    #[case] terms: &str,
    #[case] expected: Option<u64>,
) {
    let mut index = Index::new();
    index.insert(7, Some(&direction(1)), &stems("перенес стоп убыт тильт вечер"), 1.0);
    index.insert(8, Some(&direction(1)), &stems("спал четыр час"), 1.0);
    index.insert(9, Some(&direction(1)), &[], 1.0);
    let (embedding, terms) = (direction(seed), stems(terms));
    assert_eq!(index.nearest_duplicate(&Query { embedding: Some(&embedding), terms: &terms }), expected);
}

#[test]
fn without_an_embedding_a_duplicate_has_the_very_same_words() {
    let mut index = Index::new();
    index.insert(7, None, &stems("перенес стоп убыт тильт вечер"), 1.0);
    let same = stems("вечер тильт убыт стоп перенес");
    let more = stems("вечер тильт убыт стоп перенес опя");
    assert_eq!(index.nearest_duplicate(&Query { embedding: None, terms: &same }), Some(7));
    assert_eq!(index.nearest_duplicate(&Query { embedding: None, terms: &more }), None);
}

#[test]
fn familiarity_begins_in_the_middle_and_grows_surer() {
    let mut index = Index::new();
    let (known, strange) = (direction(1), direction(1000));
    let ask = |index: &Index, embedding| index.familiarity(&Query { embedding: Some(embedding), terms: &[] });
    assert_eq!(ask(&index, &known), 0.5);
    index.insert(0, Some(&known), &[], 1.0);
    assert_eq!(ask(&index, &known), 0.5, "nothing to compare with");
    for seed in 1..10 {
        index.insert(seed, Some(&direction(seed)), &[], 1.0);
    }
    let after_ten = ask(&index, &known);
    for seed in 10..400 {
        index.insert(seed, Some(&direction(seed)), &[], 1.0);
    }
    let after_four_hundred = ask(&index, &known);
    assert!(0.5 < after_ten && after_ten < after_four_hundred, "{after_ten}, {after_four_hundred}");
    assert!(after_four_hundred > 0.95);
    assert!(ask(&index, &strange) < 0.9);
    assert_eq!(index.familiarity(&Query::default()), 0.5);
}

#[test]
fn a_full_sample_is_refilled_when_its_members_are_forgotten() {
    let mut index = Index::new();
    for id in 0..600 {
        index.insert(id, Some(&direction(id)), &stems("стоп"), 1.0);
    }
    for id in 0..590 {
        assert!(index.remove(id));
        assert!(!index.remove(id));
    }
    let embedding = direction(595);
    let query = Query { embedding: Some(&embedding), terms: &[] };
    assert_eq!((index.len(), index.search(&query, 1)[0].id), (10, 595));
    // Ten experiences that are unlike each other, and a question that is one of them: the greatest percentile.
    assert!((index.familiarity(&query) - (0.5 + 0.5 * 10.0 / 15.0)).abs() < 1e-6);
}

/// More than lie in one block of memory, with gaps filled from the end.
#[test]
fn everything_that_is_left_is_found_after_thousands_come_and_go() {
    let mut index = Index::new();
    for id in 0..2_500 {
        index.insert(id, Some(&direction(id)), &stems(&format!("слово{} стоп", id % 700)), 1.0);
    }
    for id in (0..2_500).filter(|id| id % 3 != 0) {
        assert!(index.remove(id));
    }
    assert_eq!(index.len(), 834);
    for id in (0..2_500).step_by(30) {
        let (embedding, terms) = (direction(id), stems(&format!("слово{}", id % 700)));
        let by_meaning = index.search(&Query { embedding: Some(&embedding), terms: &[] }, 1);
        assert_eq!(by_meaning[0].id, id);
        let by_words = index.search(&Query { embedding: None, terms: &terms }, 5);
        assert!(by_words.iter().any(|it| it.id == id));
        assert!(by_words.iter().all(|it| it.id % 700 == id % 700 && it.id % 3 == 0));
    }
}
