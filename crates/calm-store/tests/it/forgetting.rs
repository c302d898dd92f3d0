//! A deleted conversation is gone from every place that quoted it.

use std::fs;

use calm_core::end_session::Attributes;
use calm_core::{Deltas, Kind};
use calm_store::{
    Embedding, Experienced, Gone, LedgerRow, MemoryKind, MemorySource, NewMemory, NewTrigger, Remembered, SessionId,
    Store, StoreError,
};
use jiff::SignedDuration;
use serde_json::json;
use tempfile::tempdir;

use crate::memory::{keep, remembered, say};
use crate::traces::{holds, pages, secret};
use crate::{at, ending, new_session, open};

/// A check-in with a word of its own in every place that keeps one.
fn talk(store: &mut Store, time: &str, word: &[String]) -> SessionId {
    let id = store.begin_session(&new_session(Kind::CheckIn, &format!("{time}:00:00"))).unwrap();
    // Long enough for pages of its own, and unlike the other words.
    let said = format!("{} ", word[0]).repeat(200);
    let turn = say(store, id, &format!("{time}:01:00"), &said, &word[1]);
    let mut what = remembered(
        Experienced::New { embedding: Some(Embedding { model: "tiny".into(), bytes: word[2].clone().into() }) },
        1,
    );
    what.topic = Some(word[3].clone());
    what.stems = format!("{} {}", word[4], word[0]);
    what.scored.as_mut().unwrap().lesson = Some(vec![word[5].clone()]);
    keep(store, turn, &Remembered { ..what });
    let told = NewMemory {
        key: format!("told:{time}"),
        kind: MemoryKind::Told,
        data: json!({}),
        text: Some(format!("помни {}", word[6])),
        confidence: 1.0,
        n: 1,
        sources: vec![MemorySource { session: id, seq: Some(1), at: at("2026-03-02T06:00:00Z") }],
    };
    store.upsert_memory(&told).unwrap();
    let plan = NewTrigger {
        name: format!("plan {time}"),
        condition: "c".into(),
        actions: json!([]),
        created_at: at("2026-03-01T06:00:00Z"),
    };
    let plan = store.add_trigger(&plan).unwrap();
    let now = at(&format!("2026-03-02T{time}:02:00Z"));
    store.record_trigger_run(plan, Some(id), &word[7], now).unwrap();
    store.add_reminder(now, &word[8], now).unwrap();
    let recording = store.start_recording(now, Some(id)).unwrap();
    let pcm: Vec<i16> = word[9]
        .bytes()
        .chain([b' '])
        .cycle()
        .take(8000)
        .collect::<Vec<u8>>()
        .chunks_exact(2)
        .map(|pair| i16::from_le_bytes([pair[0], pair[1]]))
        .collect();
    store.append_chunk(recording, 0, &pcm).unwrap();
    let attributes = Attributes { planned_approach: Some(format!("план {}", word[10])), ..Default::default() };
    store.end_session(id, &ending(Kind::CheckIn, attributes), &Deltas::default(), false, now).unwrap();
    request(store, "2026-03-02T", &format!("{time}:02:05Z"), &word[11]);
    id
}

fn request(store: &mut Store, day: &str, time: &str, body: &str) -> calm_store::LedgerId {
    store
        .write_ledger(&LedgerRow {
            at: at(&format!("{day}{time}")),
            method: "POST".into(),
            url: "http://127.0.0.1/v1".into(),
            fields: vec!["talk".into()],
            body: body.into(),
        })
        .unwrap()
}

/// Two talks, a check-out after the first, and requests of another day that quote each.
fn house(store: &mut Store, gone: &[String], kept: &[String]) -> (SessionId, SessionId, SessionId) {
    let one = talk(store, "06", gone);
    let two = talk(store, "08", kept);
    let mut out = new_session(Kind::CheckOut, "10:00:00");
    out.matched_checkin = Some(one);
    out.context.previous_checkin = Some(calm_core::context::CheckinFacts {
        planned_approach: Some(format!("план {}", gone[10])),
        stress_level: Some(4),
        ..Default::default()
    });
    out.context.user.known_patterns = vec![format!("помни {}", gone[6]), format!("помни {}", kept[6])];
    let out = store.begin_session(&out).unwrap();
    request(store, "2026-05-01T", "06:00:00Z", &format!("{{\"content\":\"план {}\"}}", gone[10]));
    request(
        store,
        "2026-05-01T",
        "07:00:00Z",
        &format!("{{\"content\":\"план {}\",\"enum\":[\"check-in\",\"proceed_to_trade\"]}}", kept[10]),
    );
    (one, two, out)
}

#[test]
fn a_deleted_conversation_is_in_no_page_of_the_file_and_the_others_are_untouched() {
    let dir = tempdir().unwrap();
    let mut store = open(dir.path());
    let gone = "abcdefghijkl".chars().map(secret).collect::<Vec<_>>();
    let kept = "mnopqrstuvwx".chars().map(secret).collect::<Vec<_>>();
    let (one, two, out) = house(&mut store, &gone, &kept);
    drop(store);
    let before = pages(dir.path());
    for word in gone.iter().chain(&kept) {
        assert!(holds(&before, word), "{word} is not even there, so its absence proves nothing");
    }
    fs::write(dir.path().join("calm.db.v3.backup"), "holds what is deleted later").unwrap();

    let mut store = open(dir.path());
    let expected = Gone {
        sessions: 1,
        turns: 1,
        recordings: 1,
        memories: 3,
        reminders: 1,
        requests: 2,
        backups: 0,
        pairs: vec![out],
        traceless: false,
        left: None,
    };
    let untouched = pages(dir.path());
    assert_eq!(store.would_go(&[one]).unwrap(), expected);
    assert!(store.session(one).unwrap().is_some() && pages(dir.path()) == untouched, "a preview changes nothing");
    let done = store.delete_sessions(&[one]).unwrap();
    assert_eq!(done, Gone { backups: 1, traceless: true, ..expected });

    // Not even while the database is open is anything left in its log.
    assert_eq!(fs::metadata(dir.path().join("calm.db-wal")).map_or(0, |log| log.len()), 0);
    let after = pages(dir.path());
    for word in &gone {
        assert!(!holds(&after, word), "{word}");
    }
    for word in &kept {
        assert!(holds(&after, word), "{word} went too");
    }
    assert!(store.session(one).unwrap().is_none() && store.session(two).unwrap().is_some());
    assert!(store.search_turns(std::slice::from_ref(&gone[4]), 9, None).unwrap().is_empty());
    assert_eq!(store.search_turns(std::slice::from_ref(&kept[4]), 9, None).unwrap().len(), 1);
    let context = store.session(out).unwrap().unwrap().session.begun.context;
    assert_eq!(context.previous_checkin.unwrap().stress_level, Some(4), "a figure without words may stay");
    assert_eq!(context.user.known_patterns, [format!("помни {}", kept[6])]);
    let ledger = store.ledger(9).unwrap();
    assert_eq!(ledger.len(), 4, "that something was sent stays on record");
    assert!(ledger.iter().all(|entry| entry.bytes > 0));
    assert_eq!(ledger.iter().filter(|entry| entry.row.body.is_empty()).count(), 2);
    store.verify().unwrap();
}

#[test]
fn a_deletion_whose_traces_cannot_be_cleared_is_done_and_says_what_is_left_until_it_is_cleared() {
    let dir = tempdir().unwrap();
    let mut store = open(dir.path());
    let gone = "abcdefghijkl".chars().map(secret).collect::<Vec<_>>();
    let kept = "mnopqrstuvwx".chars().map(secret).collect::<Vec<_>>();
    let (one, ..) = house(&mut store, &gone, &kept);
    // A copy that cannot be removed as a file is.
    let stuck = dir.path().join("calm.db.v3.backup");
    fs::create_dir_all(stuck.join("held")).unwrap();
    let done = store.delete_sessions(&[one]).unwrap();
    assert_eq!((done.sessions, done.traceless), (1, false));
    assert!(done.left.is_some_and(|why| why.contains("calm.db.v3.backup")));
    assert!(store.session(one).unwrap().is_none());
    drop(store);
    let after = pages(dir.path());
    assert!(gone.iter().all(|word| !holds(&after, word)), "what could be cleared was not");

    let mut store = open(dir.path());
    assert!(store.finish_deletion().is_err());
    fs::remove_dir_all(&stuck).unwrap();
    assert!(store.finish_deletion().unwrap());
    assert!(!store.finish_deletion().unwrap(), "nothing is left to clear");
}

#[test]
fn what_does_not_exist_is_named_and_nothing_goes() {
    let dir = tempdir().unwrap();
    let mut store = open(dir.path());
    let id = store.begin_session(&new_session(Kind::CheckIn, "06:00:00")).unwrap();
    let refused = store.delete_sessions(&[id, "77".parse().unwrap()]);
    assert!(matches!(refused, Err(StoreError::NotFound("session"))));
    assert!(store.session(id).unwrap().is_some());
}

#[test]
fn only_what_has_ended_before_the_moment_is_old() {
    let dir = tempdir().unwrap();
    let mut store = open(dir.path());
    let [old, fresh, open_one] = ["06:00:00", "09:00:00", "05:00:00"]
        .map(|time| store.begin_session(&new_session(Kind::CheckIn, time)).unwrap());
    let hour = SignedDuration::from_hours(1);
    for (id, began) in [(old, "2026-03-02T06:00:00Z"), (fresh, "2026-03-02T09:00:00Z")] {
        let ending = ending(Kind::CheckIn, Attributes::default());
        store.end_session(id, &ending, &Deltas::default(), false, at(began) + hour).unwrap();
    }
    assert_eq!(store.ended_before(at("2026-03-02T10:00:00Z")).unwrap(), [old]);
    assert_eq!(store.ended_before(at("2026-03-03T10:00:00Z")).unwrap(), [old, fresh]);
    assert!(store.session(open_one).unwrap().is_some());
}
