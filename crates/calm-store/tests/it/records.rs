use calm_store::{Facts, LedgerRow};
use serde_json::json;
use tempfile::tempdir;

use crate::{at, open};

fn request(url: &str, body: &[u8]) -> LedgerRow {
    LedgerRow {
        at: at("2026-03-02T06:00:00Z"),
        method: "POST".into(),
        url: url.into(),
        fields: vec!["user.name".into(), "turn".into()],
        body: body.into(),
    }
}

#[test]
fn the_ledger_shows_what_left_even_if_no_answer_came() {
    let dir = tempdir().unwrap();
    let mut store = open(dir.path());
    let answered = request("http://127.0.0.1:1234/v1/chat/completions", "привет".as_bytes());
    let unanswered = request("http://127.0.0.1:1/v1/models", &[0xff, 0x00]);
    let first = store.write_ledger(&answered).unwrap();
    store.write_ledger(&unanswered).unwrap();
    store.finish_ledger(first, 200).unwrap();
    drop(store);

    let entries = open(dir.path()).ledger(10).unwrap();
    let shown: Vec<_> = entries.iter().map(|e| (&e.row, e.bytes, e.status)).collect();
    assert!(shown == [(&unanswered, 2, None), (&answered, 12, Some(200))]);
    assert_eq!(open(dir.path()).ledger(1).unwrap().len(), 1);
}

#[test]
fn each_microphone_has_its_own_baseline() {
    let dir = tempdir().unwrap();
    let mut store = open(dir.path());
    assert_eq!(store.baseline("Наушники").unwrap(), None);
    store.set_baseline("Наушники", &json!({"clips": 4})).unwrap();
    store.set_baseline("USB", &json!({"clips": 1})).unwrap();
    store.set_baseline("Наушники", &json!({"clips": 5})).unwrap();
    assert_eq!(store.baseline("Наушники").unwrap(), Some(json!({"clips": 5})));
    assert_eq!(store.baseline("USB").unwrap(), Some(json!({"clips": 1})));
    let all = [("USB".to_owned(), json!({"clips": 1})), ("Наушники".to_owned(), json!({"clips": 5}))];
    assert_eq!(store.baselines().unwrap(), all);
    store.forget_baseline("USB").unwrap();
    assert_eq!(store.baselines().unwrap(), all[1..]);
}

#[test]
fn settings_are_one_object_that_the_last_writer_leaves() {
    let dir = tempdir().unwrap();
    let mut store = open(dir.path());
    assert_eq!(store.settings().unwrap(), None);
    store.set_settings(&json!({"version": 1, "language": "ru"})).unwrap();
    store.set_settings(&json!({"version": 1, "language": "en"})).unwrap();
    drop(store);
    assert_eq!(open(dir.path()).settings().unwrap(), Some(json!({"version": 1, "language": "en"})));
}

#[test]
fn the_facts_are_one_document_that_can_be_forgotten() {
    let dir = tempdir().unwrap();
    let mut store = open(dir.path());
    store.clear_facts().unwrap();
    assert_eq!(store.facts().unwrap(), None);
    store.set_facts("# Обо мне\n", at("2026-03-02T06:00:00Z")).unwrap();
    let later = Facts {
        markdown: "# Обо мне\r\n\r\n## Active facts\n- {{user.name}} \0 «двое детей»\n".into(),
        updated_at: at("2026-03-02T07:00:00.5Z"),
    };
    store.set_facts(&later.markdown, later.updated_at).unwrap();
    drop(store);

    let mut store = open(dir.path());
    assert_eq!(store.facts().unwrap(), Some(later));
    store.clear_facts().unwrap();
    assert_eq!(store.facts().unwrap(), None);
}
