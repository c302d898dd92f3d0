//! Rows of the performance table that end in memory: one sentence, and recall among 100,000 experiences.
//!
//! Prints one JSON object a row, as crates/calm-app/benches/rows does. Needs the model; run alone, on a quiet machine.

#[path = "../tests/common/mod.rs"]
mod common;

use std::hint::black_box;
use std::time::Instant;

use calm_memory::{DIMENSIONS, Embedding, Encoder, Index, Query};
use serde_json::json;

const EXPERIENCES: u64 = 100_000;
/// Those with a bound.
const ROWS: [&str; 3] = ["encode_20_words_ms", "search_100k_p99_ms", "index_100k_mb"];
const QUESTIONS: u64 = 300;

const TWENTY_WORDS: &str = "сегодня после двух стопов подряд я опять полез отыгрываться увеличил объём и слил весь \
                            дневной лимит за какие то сорок минут";

fn main() {
    // One program with much to prepare: it measures all of its rows or, asked for another row, none.
    let wanted = std::env::args().skip(1).find(|arg| !arg.starts_with("--"));
    if wanted.is_some_and(|name| !ROWS.iter().any(|row| row.contains(name.as_str()))) {
        return;
    }
    let before = resident();
    let (weights, vocabulary) = common::model_files();
    let clock = Instant::now();
    let encoder = Encoder::new(&weights, &vocabulary).expect("the model is sound");
    let loading = milliseconds(clock);
    drop((weights, vocabulary));
    row("encoder_load_ms", loading, 1, &json!([]));
    row("encoder_resident_mb", resident() - before, 1, &json!([]));
    let pieces = encoder.pieces(TWENTY_WORDS).len();
    let mut times: Vec<f64> = (0..500).map(|_| timed(|| encoder.encode(black_box(TWENTY_WORDS)))).collect();
    row("encode_20_words_ms", percentile(&mut times, 50), 500, &json!([]));
    row("encode_20_words_pieces", pieces as f64, 1, &json!([]));
    row("encode_20_words_p99_ms", percentile(&mut times, 99), 500, &json!([]));
    let long = TWENTY_WORDS.repeat(100);
    let mut times: Vec<f64> = (0..10).map(|_| timed(|| encoder.encode(black_box(&long)))).collect();
    row("encode_longest_ms", percentile(&mut times, 50), 10, &json!([]));
    recall(&Material::new(&encoder));
}

fn recall(material: &Material) {
    let before = resident();
    let mut index = Index::new();
    let mut times = Vec::new();
    for id in 0..EXPERIENCES {
        let (embedding, terms) = material.experience(id);
        times.push(timed(|| index.insert(id, Some(&embedding), &terms, 1.0)));
    }
    row("index_100k_mb", resident() - before, index.len(), &json!([]));
    row("insert_mean_ms", times.iter().sum::<f64>() / times.len() as f64, times.len(), &json!([]));
    row("insert_p99_ms", percentile(&mut times, 99), times.len(), &json!([]));

    // What the store gives back, and what the encoder had said.
    let original: Vec<Embedding> = (0..EXPERIENCES).map(|id| material.experience(id).0).collect();
    let stored = |it: &Embedding| Embedding::from_bytes(&it.to_bytes()).expect("our own bytes");
    let (mut hybrid, mut meaning, mut scan) = (Vec::new(), Vec::new(), Vec::new());
    let (mut of_original, mut of_stored) = (0, 0);
    let stored: Vec<Embedding> = original.iter().map(stored).collect();
    for number in 0..QUESTIONS {
        let (embedding, terms) = material.experience(EXPERIENCES + number);
        hybrid.push(timed(|| index.search(&Query { embedding: Some(&embedding), terms: &terms }, 3)));
        let by_meaning = Query { embedding: Some(&embedding), terms: &[] };
        meaning.push(timed(|| index.search(&by_meaning, 3)));
        let found: Vec<u64> = index.search(&by_meaning, 3).iter().map(|it| it.id).collect();
        scan.push(timed(|| plain_scan(&original, &embedding)));
        let common = |exact: [u64; 3]| exact.iter().filter(|id| found.contains(id)).count();
        of_original += common(plain_scan(&original, &embedding));
        of_stored += common(plain_scan(&stored, &embedding));
    }
    let n = hybrid.len();
    let share = |count: usize| count as f64 / (3 * n) as f64;
    let plain = percentile(&mut scan, 50);
    let beside = |value: f64| json!([{ "name": "plain f32 scan", "ratio": value / plain }]);
    let median = percentile(&mut hybrid, 50);
    row("search_100k_ms", median, n, &beside(median));
    row("search_100k_p99_ms", percentile(&mut hybrid, 99), n, &json!([]));
    let median = percentile(&mut meaning, 50);
    row("search_100k_meaning_ms", median, n, &beside(median));
    row("plain_f32_scan_ms", plain, n, &json!([]));
    row("recall_at_3_of_stored", share(of_stored), n, &json!([]));
    row("recall_at_3_of_original", share(of_original), n, &json!([]));
    let (embedding, terms) = material.experience(0);
    let query = Query { embedding: Some(&embedding), terms: &terms };
    let mut times: Vec<f64> = (0..100).map(|_| timed(|| index.familiarity(&query))).collect();
    row("familiarity_100k_ms", percentile(&mut times, 50), times.len(), &json!([]));
    let mut times: Vec<f64> = (0..10_000).map(|id| timed(|| index.remove(id * 7))).collect();
    row("remove_mean_ms", times.iter().sum::<f64>() / times.len() as f64, times.len(), &json!([]));
    row("remove_p99_ms", percentile(&mut times, 99), times.len(), &json!([]));
}

/// Texts of the tests, of which experiences are blended: each lies near one of them, apart from the others that do.
struct Material(Vec<(Embedding, Vec<String>)>);

impl Material {
    fn new(encoder: &Encoder) -> Self {
        let texts = [include_str!("../tests/retrieval/ru.toml"), include_str!("../tests/retrieval/en.toml")];
        let lines = texts.iter().flat_map(|text| text.lines().filter_map(|line| line.trim().strip_prefix('"')));
        let words = |line: &str| line.to_lowercase().split(|c: char| !c.is_alphanumeric()).map(str::to_owned).collect();
        Self(lines.map(|line| (encoder.encode(line), words(line))).collect())
    }

    fn experience(&self, id: u64) -> (Embedding, Vec<String>) {
        let mut random = Random(id.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        let mut one = || &self.0[random.next() as usize % self.0.len()];
        let (near, other) = (one(), one());
        let mut components = [0.0; DIMENSIONS];
        for (index, component) in components.iter_mut().enumerate() {
            let noise = random.next() as f32 / u32::MAX as f32 - 0.5;
            *component = near.0.components()[index] + 0.5 * other.0.components()[index] + 0.05 * noise;
        }
        let terms =
            near.1.iter().chain(&other.1).filter(|word| !word.is_empty() && !random.next().is_multiple_of(3)).cloned();
        let terms = terms.collect();
        (Embedding::towards(&components).expect("a direction"), terms)
    }
}

struct Random(u64);

impl Random {
    fn next(&mut self) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 32) as u32
    }
}

/// What everybody writes first: every vector whole, one after another.
fn plain_scan(all: &[Embedding], wanted: &Embedding) -> [u64; 3] {
    let mut best = [(f32::NEG_INFINITY, 0); 3];
    for (id, embedding) in all.iter().enumerate() {
        let mut sums = [0.0; 16];
        let pairs = embedding.components().as_chunks::<16>().0.iter().zip(wanted.components().as_chunks::<16>().0);
        for (a, b) in pairs {
            sums.iter_mut().zip(a.iter().zip(b)).for_each(|(sum, (a, b))| *sum += a * b);
        }
        let cosine = sums.iter().sum();
        if cosine > best[2].0 {
            best[2] = (cosine, id as u64);
            best.sort_by(|a, b| b.0.total_cmp(&a.0));
        }
    }
    best.map(|(_, id)| id)
}

fn row(id: &str, value: f64, n: usize, beside: &serde_json::Value) {
    println!("{}", json!({ "id": id, "value": value, "n": n, "beside": beside }));
}

fn timed<T>(work: impl FnOnce() -> T) -> f64 {
    let clock = Instant::now();
    black_box(work());
    milliseconds(clock)
}

fn milliseconds(clock: Instant) -> f64 {
    clock.elapsed().as_secs_f64() * 1e3
}

fn percentile(values: &mut [f64], percent: usize) -> f64 {
    values.sort_by(f64::total_cmp);
    values[(values.len() * percent / 100).min(values.len() - 1)]
}

/// Memory of this process in MB; 0 where there is no /proc.
fn resident() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kilobytes = line.and_then(|line| line.split_whitespace().next()?.parse::<f64>().ok());
    kilobytes.unwrap_or(0.0) / 1000.0
}
