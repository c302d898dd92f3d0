//! What was deleted is gone from the pages of the file, for whoever has the key too.

use std::fs;
use std::path::Path;

use aes::Aes256;
use calm_core::Kind;
use calm_store::{
    BannedBy, Embedding, Experienced, KnowledgeChunk, KnowledgeKind, MemoryId, MemoryKind, MemorySource, NewKnowledge,
    NewMemory, NewTrigger, Remembered, SessionId, SheetTerm, Store, Upserted,
};
use cbc::cipher::{BlockModeDecrypt, KeyIvInit};
use rstest::rstest;
use serde_json::json;
use tempfile::tempdir;

use crate::memory::{begin, forget_session, keep, remembered, say};
use crate::{at, new_session, open, raw};

const PAGE: usize = 4096;
/// An SQLCipher page ends in its 16-byte IV and a 64-byte signature.
const IV: std::ops::Range<usize> = PAGE - 80..PAGE - 64;
/// In the clear at the beginning of the first page.
const SALT: usize = 16;

/// All pages as SQLite sees them, the free ones included.
pub(crate) fn pages(dir: &Path) -> Vec<u8> {
    let hex = fs::read_to_string(dir.join("calm.key")).unwrap();
    let key: Vec<u8> = (0..32).map(|i| u8::from_str_radix(&hex[2 * i..2 * i + 2], 16).unwrap()).collect();
    let file = fs::read(dir.join("calm.db")).unwrap();
    let mut plain = Vec::new();
    for (number, page) in file.chunks_exact(PAGE).enumerate() {
        let from = if number == 0 { SALT } else { 0 };
        let mut blocks: Vec<aes::Block> =
            page[from..IV.start].chunks_exact(16).map(|block| block.try_into().unwrap()).collect();
        cbc::Decryptor::<Aes256>::new_from_slices(&key, &page[IV]).unwrap().decrypt_blocks(&mut blocks);
        plain.extend(blocks.into_iter().flatten());
    }
    plain
}

pub(crate) fn holds(bytes: &[u8], word: &str) -> bool {
    bytes.windows(word.len()).any(|window| window == word.as_bytes())
}

/// A word that nothing else in the file begins like, so that the index stores all of it in one place.
pub(crate) fn secret(first: char) -> String {
    format!("{first}kvqsecret{first}")
}

fn knowledge(word: &str, chunks: usize) -> (NewKnowledge, Vec<KnowledgeChunk>) {
    let new = NewKnowledge {
        kind: KnowledgeKind::Note,
        title: format!("title {word}"),
        language: None,
        fingerprint: format!("print {word}"),
        added_at: at("2026-03-02T06:00:00Z"),
        chars: 9,
    };
    // Long enough for pages of its own.
    let chunk = |n: usize| KnowledgeChunk {
        place: Some(word.into()),
        question: None,
        text: format!("{word} ").repeat(200),
        stems: format!("{word} {n}"),
    };
    (new, (0..chunks).map(chunk).collect())
}

#[test]
fn what_was_deleted_is_in_no_page_of_the_file() {
    let dir = tempdir().unwrap();
    let mut store = open(dir.path());
    let now = at("2026-03-02T06:00:00Z");
    let session = store.begin_session(&new_session(Kind::CheckIn, "06:00:00")).unwrap();
    let word = "abcdefghijk".chars().map(secret).collect::<Vec<_>>();

    store.set_facts(&word[0].repeat(900), now).unwrap();
    let plan =
        NewTrigger { name: word[1].clone(), condition: word[1].clone(), actions: json!([word[1]]), created_at: now };
    let plan = store.add_trigger(&plan).unwrap();
    store.record_trigger_run(plan, Some(session), &word[2], now).unwrap();
    let note = store.add_note(now, Some(session), &word[3]).unwrap();
    let reminder = store.add_reminder(now, &word[4], now).unwrap();
    let banned = store.add_banned_term(&word[5], Some(&word[5]), BannedBy::User, now).unwrap().unwrap();
    store.replace_banned_sheet(&[SheetTerm { term: word[6].clone(), note: None }], now).unwrap();
    let (new, chunks) = knowledge(&word[7], 50);
    let own = store.add_knowledge(&new, &chunks).unwrap();
    store.replace_shipped_knowledge(&[knowledge(&word[8], 50)]).unwrap();
    store.set_facts(&word[9].repeat(900), now).unwrap();
    let kept = store.add_note(now, None, &word[10]).unwrap();
    drop(store);
    let before = pages(dir.path());
    assert!(!holds(&before, &word[0]), "replaced facts");
    for word in &word[1..] {
        assert!(holds(&before, word), "{word} is not even there, so its absence proves nothing");
    }

    let mut store = open(dir.path());
    store.clear_facts().unwrap();
    store.remove_trigger(plan).unwrap();
    store.remove_note(note).unwrap();
    store.remove_reminder(reminder).unwrap();
    store.remove_banned_term(banned).unwrap();
    store.replace_banned_sheet(&[], now).unwrap();
    store.remove_knowledge(own).unwrap();
    store.replace_shipped_knowledge(&[]).unwrap();
    drop(store);
    let after = pages(dir.path());
    for word in &word[..10] {
        assert!(!holds(&after, word), "{word}");
    }
    assert!(holds(&after, &word[10]), "{kept:?}");
}

/// Words in every place where memory keeps some, and every way to delete them.
#[test]
fn what_memory_has_forgotten_is_in_no_page_of_the_file() {
    let dir = tempdir().unwrap();
    let mut store = open(dir.path());
    let word = "mnopqrstuvwxyz".chars().map(secret).collect::<Vec<_>>();
    let [gone, kept] = ["06:00:00", "07:00:00"].map(|time| begin(&mut store, time));
    // Long enough for pages of its own.
    let said =
        |store: &mut Store, session, word: &str| say(store, session, "06:01:00", &format!("{word} ").repeat(300), word);
    let about = |experience, topic: &str, reason: &str| {
        let mut what = Remembered { topic: Some(topic.into()), ..remembered(experience, 1) };
        what.scored.as_mut().unwrap().lesson = Some(vec![reason.into()]);
        what
    };
    let new =
        || Experienced::New { embedding: Some(Embedding { model: "tiny".into(), bytes: word[0].clone().into() }) };

    let found_by = |what: Remembered, word: &str| Remembered { stems: format!("{word} {word}"), ..what };

    // In the deleted session: words, reply, topic, reason; one experience has another source, one has been put right.
    let turn = said(&mut store, gone, &word[1]);
    let shared = keep(&mut store, turn, &found_by(about(new(), &word[2], &word[3]), &word[12]));
    let turn = said(&mut store, kept, &word[4]);
    keep(&mut store, turn, &found_by(about(Experienced::MergeInto(shared), "risk", "echo"), &word[13]));
    let turn = said(&mut store, gone, &word[1]);
    let corrected = keep(&mut store, turn, &about(new(), &word[2], &word[3]));
    store.correct_memory(MemoryId::Experience(corrected), &word[5].repeat(300)).unwrap();
    let source = |session| MemorySource { session, seq: None, at: at("2026-03-02T06:00:00Z") };
    let pattern = |key: &str, word: &str, sources: &[SessionId]| NewMemory {
        key: key.into(),
        kind: MemoryKind::Told,
        data: json!({"slot": word}),
        text: Some("told".into()),
        confidence: 1.0,
        n: 1,
        sources: sources.iter().map(|session| source(*session)).collect(),
    };
    store.upsert_memory(&pattern("both", &word[6], &[gone, kept])).unwrap();
    store.upsert_memory(&NewMemory { text: Some(word[7].clone()), ..pattern(&word[7], &word[7], &[gone]) }).unwrap();

    // Deleted by itself, while its session stays.
    let Upserted::Added(told) = store.upsert_memory(&pattern("told:1", &word[8], &[kept])).unwrap() else { panic!() };
    store.correct_memory(MemoryId::Pattern(told), &word[9].repeat(300)).unwrap();
    let turn = said(&mut store, kept, "plain");
    let own = keep(&mut store, turn, &remembered(Experienced::New { embedding: None }, 5));
    store.correct_memory(MemoryId::Experience(own), &word[10].repeat(300)).unwrap();
    store.correct_memory("L2".parse().unwrap(), &word[11].repeat(300)).unwrap();
    assert_eq!(store.risk_topics(calm_core::Lang::Ru, 9, |_| true).unwrap(), ["risk", &word[2]]);
    drop(store);
    let before = pages(dir.path());
    for word in &word {
        assert!(holds(&before, word), "{word} is not even there, so its absence proves nothing");
    }

    let mut store = open(dir.path());
    store.delete_memory(MemoryId::Pattern(told)).unwrap();
    store.delete_memory(MemoryId::Experience(own)).unwrap();
    store.delete_memory("L2".parse().unwrap()).unwrap();
    drop(store);
    let after = pages(dir.path());
    for word in &word[8..12] {
        assert!(!holds(&after, word), "{word}");
    }

    forget_session(&open(dir.path()), gone);
    let after = pages(dir.path());
    for word in word.iter().filter(|one| **one != word[4] && **one != word[13]) {
        assert!(!holds(&after, word), "{word}");
    }
    assert!(holds(&after, &word[4]) && holds(&after, &word[13]), "the other conversation stays");
    let left = open(dir.path()).experience(shared).unwrap().unwrap();
    assert!(left.situation.starts_with(&word[4]) && left.reply == word[4]);
}

/// Everything that the index has written down, except what it reads from the chunks.
fn index_pages(store: &Store) -> Vec<u8> {
    let conn = raw(store.path().parent().unwrap());
    let mut statement = conn.prepare("SELECT block FROM knowledge_index_data").unwrap();
    let blocks = statement.query_map([], |row| row.get::<_, Vec<u8>>(0)).unwrap();
    blocks.flat_map(Result::unwrap).collect()
}

/// A small text beside a large one goes word by word; otherwise the index is built anew.
#[rstest]
#[case::beside_a_large_text(1000)]
#[case::alone(0)]
fn the_index_forgets_the_words_of_one_text_and_keeps_those_of_the_others(#[case] beside: usize) {
    let dir = tempdir().unwrap();
    let mut store = open(dir.path());
    let (new, chunks) = knowledge("large", beside);
    store.add_knowledge(&new, &chunks).unwrap();
    let words = "abcdef".chars().map(secret).collect::<Vec<_>>();
    let mut ids = Vec::new();
    for word in &words {
        let (new, chunks) = knowledge(word, 5);
        ids.push(store.add_knowledge(&new, &chunks).unwrap());
    }
    for gone in 0..words.len() {
        assert!(holds(&index_pages(&store), &words[gone]));
        store.remove_knowledge(ids[gone]).unwrap();
        let index = index_pages(&store);
        for (n, word) in words.iter().enumerate() {
            assert_eq!(holds(&index, word), n > gone, "{word} after {gone} was removed");
        }
    }
    assert_eq!(holds(&index_pages(&store), "large"), beside > 0);
}
