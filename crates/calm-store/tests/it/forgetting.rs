//! A deleted conversation is gone from every place that quoted it.

use std::fs;

use calm_core::end_session::Attributes;
use calm_core::{Deltas, Kind};
use calm_store::{
    BannedBy, Embedding, Experienced, Gone, KnowledgeKind, LedgerRow, Left, MemoryId, MemoryKind, MemorySource,
    NewImport, NewKnowledge, NewMemory, NewTrade, NewTrigger, Remembered, SessionId, SheetTerm, Store, StoreError,
    TurnRecord, Upserted,
};
use jiff::SignedDuration;
use rstest::rstest;
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

/// Every small deletion, and a change that takes words away.
#[rstest]
#[case::a_document("document")]
#[case::facts("facts")]
#[case::a_fact("fact")]
#[case::a_note("note")]
#[case::a_memory("memory")]
#[case::a_plan("plan")]
#[case::a_reminder("reminder")]
#[case::a_banned_term("term")]
#[case::a_row_of_the_banned_sheet("row")]
#[case::imported_trades("trades")]
#[case::a_calm_voice("voice")]
#[case::a_kept_recording("recording")]
fn what_is_deleted_by_itself_is_in_no_backup_and_what_is_left_is_told(#[case] what: &str) {
    let dir = tempdir().unwrap();
    let mut store = open(dir.path());
    let backup = dir.path().join("calm.db.v3.backup");
    for stuck in [false, true] {
        let delete = stored(&mut store, what);
        if stuck {
            // A copy that cannot be removed as a file is.
            fs::create_dir_all(backup.join("held")).unwrap();
        } else {
            fs::write(&backup, "holds what is deleted later").unwrap();
        }
        let left = delete(&mut store);
        assert_eq!(backup.exists(), stuck, "the copy");
        assert_eq!(left.is_some_and(|why| why.contains("calm.db.v3.backup")), stuck, "what is told");
    }
    fs::remove_dir_all(&backup).unwrap();
    assert!(store.finish_deletion().unwrap(), "the next start clears what is left");
    assert!(!store.finish_deletion().unwrap());
}

type Delete = Box<dyn FnOnce(&mut Store) -> Left>;

/// Stores something of that kind, and gives the way to delete it.
fn stored(store: &mut Store, what: &str) -> Delete {
    let now = at("2026-03-02T06:00:00Z");
    match what {
        "document" => {
            let new = NewKnowledge {
                kind: KnowledgeKind::Document,
                title: "document".into(),
                language: None,
                fingerprint: "print".into(),
                added_at: now,
                chars: 9,
            };
            let id = store.add_knowledge(&new, &[]).unwrap();
            Box::new(move |store| store.remove_knowledge(id).unwrap())
        }
        "facts" => {
            store.set_facts("one", now).unwrap();
            Box::new(|store| store.clear_facts().unwrap())
        }
        "fact" => {
            store.clear_facts().unwrap();
            store.set_facts("- one\n- two", now).unwrap();
            Box::new(move |store| store.set_facts("- two\n- three", now).unwrap())
        }
        "note" => {
            let id = store.add_note(now, None, "note").unwrap();
            Box::new(move |store| store.remove_note(id).unwrap())
        }
        "memory" => {
            let session = store.begin_session(&new_session(Kind::CheckIn, "06:00:00")).unwrap();
            let told = NewMemory {
                key: format!("told:{session}"),
                kind: MemoryKind::Told,
                data: json!({}),
                text: Some("told".into()),
                confidence: 1.0,
                n: 1,
                sources: vec![MemorySource { session, seq: None, at: now }],
            };
            let Upserted::Added(id) = store.upsert_memory(&told).unwrap() else { panic!("it is new") };
            Box::new(move |store| store.delete_memory(MemoryId::Pattern(id)).unwrap())
        }
        "plan" => {
            let plan = NewTrigger { name: "plan".into(), condition: "c".into(), actions: json!([]), created_at: now };
            let id = store.add_trigger(&plan).unwrap();
            Box::new(move |store| store.remove_trigger(id).unwrap())
        }
        "reminder" => {
            let id = store.add_reminder(now, "drink", now).unwrap();
            Box::new(move |store| store.remove_reminder(id).unwrap())
        }
        "term" => {
            let id = store.add_banned_term("calm down", None, BannedBy::User, now).unwrap().unwrap();
            Box::new(move |store| store.remove_banned_term(id).unwrap())
        }
        "row" => {
            store.replace_banned_sheet(&[SheetTerm { term: "calm down".into(), note: None }], now).unwrap();
            Box::new(move |store| store.replace_banned_sheet(&[], now).unwrap())
        }
        "trades" => {
            let new = NewImport {
                imported_at: now,
                format: "mt5".into(),
                file_name: "report.html".into(),
                zone: None,
                currency: None,
                refused: 0,
            };
            let trade = NewTrade {
                key: "0f".into(),
                trading_day: jiff::civil::date(2026, 3, 2),
                closed_at: now,
                currency: None,
                net: "-20.70".parse().unwrap(),
                has_result: true,
                trade: json!({"symbol": "EURUSD"}),
            };
            store.add_import(&new, &[trade]).unwrap().unwrap();
            let id = store.imports().unwrap()[0].id;
            Box::new(move |store| {
                let (trades, left) = store.undo_import(id).unwrap();
                assert_eq!(trades, 1);
                left
            })
        }
        "voice" => {
            store.set_baseline("USB", &json!({"mean": 4})).unwrap();
            Box::new(|store| store.forget_baseline("USB").unwrap())
        }
        "recording" => {
            store.keep_recordings(true);
            let session = store.begin_session(&new_session(Kind::CheckIn, "06:00:00")).unwrap();
            let recording = store.start_recording(now, Some(session)).unwrap();
            store.append_chunk(recording, 0, &[0; 16]).unwrap();
            let turn = TurnRecord::new(now, Some("said".into()), "reply".into(), "guide".into());
            store.record_turn(session, &turn, Some(recording)).unwrap();
            Box::new(move |store| {
                let (gone, left) = store.drop_kept_recordings(now + SignedDuration::from_hours(1)).unwrap();
                assert_eq!(gone, 1);
                left
            })
        }
        _ => unreachable!("{what}"),
    }
}

#[test]
fn a_fact_that_is_added_takes_no_backup_away() {
    let dir = tempdir().unwrap();
    let mut store = open(dir.path());
    store.set_facts("- one", at("2026-03-02T06:00:00Z")).unwrap();
    let backup = dir.path().join("calm.db.v3.backup");
    fs::write(&backup, "nothing was deleted since").unwrap();
    assert_eq!(store.set_facts("# Facts\n\n- one\n- two", at("2026-03-02T07:00:00Z")).unwrap(), None);
    assert!(backup.exists());
}

/// The file of a talk is to be written anew; what is smaller does not count as that.
#[test]
fn a_small_deletion_does_not_finish_a_larger_one() {
    let dir = tempdir().unwrap();
    let mut store = open(dir.path());
    let talk = store.begin_session(&new_session(Kind::CheckIn, "06:00:00")).unwrap();
    let note = store.add_note(at("2026-03-02T06:00:00Z"), None, "note").unwrap();
    let stuck = dir.path().join("calm.db.v3.backup");
    fs::create_dir_all(stuck.join("held")).unwrap();
    assert!(store.delete_sessions(&[talk]).unwrap().left.is_some());
    fs::remove_dir_all(&stuck).unwrap();
    assert_eq!(store.remove_note(note).unwrap(), None);
    assert!(store.finish_deletion().unwrap());
}
