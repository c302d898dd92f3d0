//! The search over everything that was said, among 100,000 turns.

use std::hint::black_box;
use std::path::Path;
use std::time::Instant;

use calm_prompts::stems;
use rusqlite::{Connection, params};

use crate::{begin, house, millis, percentile, print};

const TURNS: usize = 100_000;
const QUERIES: usize = 1000;
/// As many words as somebody uses in years of talks.
const VOCABULARY: usize = 20_000;
const WORDS_OF_USER: usize = 20;
const WORDS_OF_REPLY: usize = 15;

/// Two words, as often as they are said; of every second pair the last is only begun.
pub fn history(id: &str) {
    let dir = tempfile::tempdir().expect("a folder");
    let mut conductor = house(dir.path());
    begin(&mut conductor, 1);
    let session = conductor.running().expect("a session").to_string();
    conductor.leave().expect("left");
    drop(conductor);
    let mut speech = Speech::new();
    fill(&dir.path().join("data"), &session, &mut speech);

    let conductor = house(dir.path());
    let mut times = Vec::with_capacity(QUERIES);
    let mut found = 0;
    for n in 0..QUERIES {
        let (first, last) = (speech.word(), speech.word());
        let begun: String = last.chars().take(if n % 2 == 0 { 3 } else { usize::MAX }).collect();
        let query = format!("{first} {begun}");
        let clock = Instant::now();
        let hits = black_box(conductor.search_history(&query, 20).expect("searched"));
        times.push(clock.elapsed());
        found += usize::from(!hits.is_empty());
    }
    assert!(found > QUERIES / 2, "only {found} searches found anything");
    print(id, millis(percentile(&mut times, 99)), times.len(), &[]);
}

/// Turns that are remembered already, in one transaction.
fn fill(data: &Path, session: &str, speech: &mut Speech) {
    let key = std::fs::read_to_string(data.join("calm.key")).expect("the key");
    let mut conn = Connection::open(data.join("calm.db")).expect("the database");
    conn.execute_batch(&format!("PRAGMA key = \"x'{}'\"", key.trim())).expect("its key");
    let tx = conn.transaction().expect("a transaction");
    for seq in 2..2 + TURNS as u32 {
        let (user, reply) = (speech.words(WORDS_OF_USER), speech.words(WORDS_OF_REPLY));
        tx.prepare_cached(
            "INSERT INTO turns (session_id, seq, said_at, user_text, reply_text, reply_backend, remembered)
             VALUES (?1, ?2, 1772431200000, ?3, ?4, 'guide', 1)",
        )
        .and_then(|mut turn| turn.execute(params![session, seq, user, reply]))
        .expect("a turn");
        let stems: Vec<String> = [&user, &reply]
            .into_iter()
            .flat_map(|text| stems::words(text))
            .map(|word| stems::stem(word.text, stems::Lang::detect(word.text)))
            .collect();
        tx.prepare_cached("INSERT INTO turn_index (rowid, stems) VALUES (?1, ?2)")
            .and_then(|mut turn| turn.execute(params![tx.last_insert_rowid(), stems.join(" ")]))
            .expect("its words");
    }
    tx.commit().expect("committed");
}

/// Made-up words, the first of them said in every third turn and the last hardly ever.
struct Speech {
    vocabulary: Vec<String>,
    /// How often the words up to each are said.
    up_to: Vec<f64>,
    random: u64,
}

impl Speech {
    fn new() -> Speech {
        let mut speech = Speech { vocabulary: Vec::new(), up_to: Vec::new(), random: 0x5eed_1e55 };
        let mut sum = 0.0;
        for rank in 0..VOCABULARY {
            let (consonants, vowels, endings) = match rank % 5 {
                0 => ("bcdfghklmnprst", "aeiou", "stn"),
                _ => ("бвгджзклмнпрстфхцчш", "аеиоуыюя", "аеитькй"),
            };
            let syllables = 2 + speech.below(3);
            let mut word: String =
                (0..syllables).flat_map(|_| [speech.letter(consonants), speech.letter(vowels)]).collect();
            word.push(speech.letter(endings));
            speech.vocabulary.push(word);
            sum += 1.0 / (rank as f64 + 11.0);
            speech.up_to.push(sum);
        }
        speech
    }

    fn words(&mut self, n: usize) -> String {
        (0..n).map(|_| self.word()).collect::<Vec<_>>().join(" ")
    }

    fn word(&mut self) -> String {
        let sum = self.up_to.last().copied().unwrap_or_default();
        let at = self.below(1 << 32) as f64 / (1_u64 << 32) as f64 * sum;
        let rank = self.up_to.partition_point(|up_to| *up_to < at);
        self.vocabulary[rank.min(VOCABULARY - 1)].clone()
    }

    fn letter(&mut self, letters: &str) -> char {
        let at = self.below(letters.chars().count());
        letters.chars().nth(at).unwrap_or('а')
    }

    /// Steele and Vigna's SplitMix64.
    fn below(&mut self, n: usize) -> usize {
        self.random = self.random.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.random;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % n as u64) as usize
    }
}
