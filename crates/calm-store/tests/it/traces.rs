//! What was deleted is gone from the pages of the file, for whoever has the key too.

use std::fs;
use std::path::Path;

use aes::Aes256;
use calm_core::Kind;
use calm_store::{BannedBy, KnowledgeChunk, KnowledgeKind, NewKnowledge, NewTrigger, SheetTerm, Store};
use cbc::cipher::{BlockModeDecrypt, KeyIvInit};
use rstest::rstest;
use serde_json::json;
use tempfile::tempdir;

use crate::{at, new_session, open, raw};

const PAGE: usize = 4096;
/// An SQLCipher page ends in its 16-byte IV and a 64-byte signature.
const IV: std::ops::Range<usize> = PAGE - 80..PAGE - 64;
/// In the clear at the beginning of the first page.
const SALT: usize = 16;

/// All pages as SQLite sees them, the free ones included.
fn pages(dir: &Path) -> Vec<u8> {
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

fn holds(bytes: &[u8], word: &str) -> bool {
    bytes.windows(word.len()).any(|window| window == word.as_bytes())
}

/// A word that nothing else in the file begins like, so that the index stores all of it in one place.
fn secret(first: char) -> String {
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
