//! What only shows from inside: schema, pragmas, later migrations and a full disk.
#![allow(clippy::unwrap_used)]

use calm_core::Kind;
use rusqlite::types::Value;
use tempfile::{TempDir, tempdir};

use super::*;
use crate::TurnRecord;

/// A database of today's version with one turn in it.
fn old_house() -> (TempDir, crate::SessionId) {
    let dir = tempdir().unwrap();
    let mut store = Store::open(dir.path(), Secrets::File).unwrap();
    let session = begin(&mut store);
    store.record_turn(session, &turn("просадка"), None).unwrap();
    (dir, session)
}

fn begin(store: &mut Store) -> crate::SessionId {
    let context = serde_json::json!({
        "session": {"type": "check-in", "format": "short", "has_matching_checkin": false, "session_number_today": 1},
        "user": {}
    });
    store
        .begin_session(&crate::NewSession {
            kind: Kind::CheckIn,
            format: calm_core::Format::Short,
            language: calm_core::Lang::Ru,
            started_at: jiff::Timestamp::UNIX_EPOCH,
            trading_day: jiff::civil::date(1970, 1, 1),
            time_zone: "UTC".into(),
            number_today: 1,
            opened_from: "window".into(),
            backend: "guide".into(),
            prompt: crate::PromptStamp { set: "calm".into(), version: "1".into(), variant: None, hash: "0".into() },
            context: serde_json::from_value(context).unwrap(),
            seed: u64::MAX,
            matched_checkin: None,
        })
        .unwrap()
}

fn turn(said: &str) -> TurnRecord {
    TurnRecord::new(jiff::Timestamp::UNIX_EPOCH, Some(said.into()), "Слышу.".into(), "guide".into())
}

fn with_step(sql: &str) -> Vec<String> {
    let mut later = steps();
    later.push(sql.into());
    later
}

#[test]
fn the_schema_is_the_one_that_was_released() {
    for version in 1..=steps().len() {
        let dir = tempdir().unwrap();
        let store = open_with(dir.path(), Secrets::File, &steps()[..version]).unwrap();
        insta::assert_snapshot!(format!("schema_{version}"), schema(&store));
    }
}

/// A database of that version with those rows, opened by today's program: nothing in it has changed.
fn brought_along(version: usize, content: &str) -> (TempDir, Store) {
    let dir = tempdir().unwrap();
    let old = open_with(dir.path(), Secrets::File, &steps()[..version]).unwrap();
    old.conn.execute_batch(content).unwrap();
    let before = rows(&old);
    drop(old);

    let store = Store::open(dir.path(), Secrets::File).unwrap();
    store.verify().unwrap();
    assert!(dir.path().join(format!("calm.db.v{version}.backup")).exists());
    let (new, fresh) = (tempdir().unwrap(), schema(&store));
    assert_eq!(fresh, schema(&Store::open(new.path(), Secrets::File).unwrap()), "a new database has another schema");
    for (table, old) in &before {
        let now = rows(&store).into_iter().find(|(name, _)| name == table).map(|(_, now)| now).unwrap_or_default();
        // A step may add columns behind the old ones.
        let begins = |(now, old): (&String, &String)| now.starts_with(old.trim_end_matches(']'));
        assert!(now.len() == old.len() && now.iter().zip(old).all(begins), "{table} has changed");
    }
    (dir, store)
}

#[test]
fn a_database_of_version_1_comes_along_with_everything_in_it() {
    let (_dir, mut store) = brought_along(1, include_str!("version_1.sql"));
    let pair = [store.session("1".parse().unwrap()), store.session("2".parse().unwrap())];
    let [checkin, checkout] = pair.map(|found| found.unwrap().unwrap());
    assert_eq!((checkin.turns.len(), checkin.turns[1].record.user_text.as_deref()), (2, Some("готова на семь")));
    assert_eq!(checkout.session.begun.matched_checkin, Some(checkin.session.id));
    let open = store.open_session().unwrap().unwrap();
    assert_eq!(open.begun.prompt.version, "0.1.0");
    assert_eq!(store.recordings().unwrap()[0].session, Some(open.id));
    assert_eq!(store.ledger(9).unwrap()[0].status, Some(200));

    let figures = store.prompt_figures("calm").unwrap();
    let shown: Vec<_> = figures.iter().map(|f| (f.sufler_mean, f.stress_delta, f.boundary_hits, f.crisis)).collect();
    assert_eq!(shown, [(Some(5.0), None, 0, false), (Some(1.0), Some(4), 1, true), (None, None, 0, false)]);
    store.add_note(jiff::Timestamp::UNIX_EPOCH, Some(open.id), "после обновления").unwrap();
    assert_eq!(store.notes(1).unwrap()[0].session, Some(open.id));
}

#[test]
fn a_database_of_version_3_comes_along_and_what_was_said_in_it_can_become_memory() {
    let (_dir, mut store) = brought_along(3, include_str!("version_3.sql"));
    let empty = rows(&store).into_iter().filter(|(_, rows)| rows.is_empty()).map(|(name, _)| name);
    let since = [
        "dismissed_keys",
        "experience_sources",
        "experiences",
        "forgotten_turns",
        "import_trades",
        "imports",
        "lesson_sources",
        "lessons",
        "memories",
        "memory_sources",
        "topic_marks",
        "topic_scores",
        "trades",
        "unfinished_deletion",
        "user_model",
    ];
    assert_eq!(empty.collect::<Vec<_>>(), since, "a table of version 3 without a row proves nothing");

    let waiting = store.unremembered_turns(9).unwrap();
    let said: Vec<_> = waiting.iter().map(|turn| (&*turn.user_text, &*turn.reply_text)).collect();
    assert_eq!(said, [("была просадка", "Слышу. Тяжёлый день.")], "neither the opening nor what has no answer");
    let found = |store: &Store| store.search_turns(&["просадк".into()], 9, None).unwrap().len();
    assert_eq!(found(&store), 0);
    let what = crate::Remembered {
        experience: crate::Experienced::New { embedding: None },
        topic: None,
        scored: None,
        stems: "просадк тяжел ден".into(),
    };
    let crate::Kept::Experience(id) = store.remember(waiting[0].id, &what).unwrap() else { panic!("nothing is kept") };
    let outcome = store.experience(id).unwrap().unwrap().outcome.unwrap();
    assert_eq!((outcome.heard, outcome.stress_change), (Some(crate::Heard::Partly), Some(4)));
    assert!(store.unremembered_turns(9).unwrap().is_empty());
    assert_eq!(found(&store), 1);
}

#[test]
fn a_database_of_version_4_comes_along_and_takes_trades() {
    let (_dir, mut store) = brought_along(4, include_str!("version_4.sql"));
    let empty = rows(&store).into_iter().filter(|(_, rows)| rows.is_empty()).map(|(name, _)| name);
    assert_eq!(
        empty.collect::<Vec<_>>(),
        ["forgotten_turns", "import_trades", "imports", "trades", "unfinished_deletion"],
        "a table without a row proves nothing"
    );
    assert_eq!(store.memories().unwrap()[0].key, "loss_poor_sleep");

    let new = crate::NewImport {
        imported_at: jiff::Timestamp::UNIX_EPOCH,
        format: "mt5".into(),
        file_name: "report.html".into(),
        zone: Some("ny+7".into()),
        currency: Some("USD".into()),
        refused: 0,
    };
    let trade = crate::NewTrade {
        key: "0f".into(),
        trading_day: jiff::civil::date(2026, 3, 2),
        closed_at: jiff::Timestamp::UNIX_EPOCH,
        currency: Some("USD".into()),
        net: "-20.70".parse().unwrap(),
        has_result: true,
        trade: serde_json::json!({"symbol": "EURUSD"}),
    };
    store.add_import(&new, std::slice::from_ref(&trade)).unwrap().unwrap();
    assert_eq!(store.trades_between(trade.trading_day, trade.trading_day, 9).unwrap()[0].trade, trade);
}

#[test]
fn a_database_of_version_5_comes_along_and_forgets_for_good() {
    let (dir, mut store) = brought_along(5, include_str!("version_5.sql"));
    let empty = rows(&store).into_iter().filter(|(_, rows)| rows.is_empty()).map(|(name, _)| name);
    assert_eq!(
        empty.collect::<Vec<_>>(),
        ["forgotten_turns", "unfinished_deletion"],
        "a table without a row proves nothing"
    );
    assert_eq!(store.trade_sums(jiff::civil::Date::MIN).unwrap()[0].net.to_string(), "-20.70");

    store.delete_memory("E1".parse().unwrap()).unwrap();
    store.delete_memory("L1".parse().unwrap()).unwrap();
    let (_, left) = rows(&store).into_iter().find(|(name, _)| name == "forgotten_turns").unwrap();
    assert_eq!(left.len(), 2);
    assert!(left.iter().all(|row| !row.contains("просадка") && !row.contains("drawdown")), "{left:?}");
    assert!(!dir.path().join("calm.db.v5.backup").exists(), "the copy from before holds what was deleted");
    let gone = store.delete_sessions(&["1".parse().unwrap()]).unwrap();
    assert!(gone.traceless && gone.left.is_none(), "{gone:?}");
}

/// A database that was never left out by an update: every program that there was has opened it.
#[test]
fn a_database_that_every_version_has_opened_is_like_a_new_one() {
    let dir = tempdir().unwrap();
    let first = open_with(dir.path(), Secrets::File, &steps()[..1]).unwrap();
    first.conn.execute_batch(include_str!("version_1.sql")).unwrap();
    drop(first);
    for version in 2..=steps().len() {
        let store = open_with(dir.path(), Secrets::File, &steps()[..version]).unwrap();
        store.verify().unwrap();
        assert!(dir.path().join(format!("calm.db.v{}.backup", version - 1)).exists());
    }
    let new = tempdir().unwrap();
    let store = Store::open(dir.path(), Secrets::File).unwrap();
    assert_eq!(store.session("1".parse().unwrap()).unwrap().unwrap().turns.len(), 2);
    assert_eq!(schema(&store), schema(&Store::open(new.path(), Secrets::File).unwrap()));
}

/// What is done once a turn, or while somebody waits for a deletion, may not walk over a whole table.
#[test]
fn no_turn_waits_for_a_walk_over_a_table() {
    let dir = tempdir().unwrap();
    let store = Store::open(dir.path(), Secrets::File).unwrap();
    let statements = [
        crate::remember::UNREMEMBERED,
        crate::experiences::ONE,
        crate::experiences::WITHOUT_EMBEDDING,
        crate::lessons::IN_TIME,
        crate::user_model::TOPICS,
        crate::trades::BETWEEN,
        crate::trades::SUMS,
        crate::trades::NEWEST_DAYS,
        "DELETE FROM import_trades WHERE import_id = 1",
        "DELETE FROM imports WHERE id = 1",
        "INSERT INTO experience_sources (experience_id, session_id, seq, at) VALUES (1, 1, 1, 0)",
        "INSERT INTO lesson_sources (lesson_id, session_id, seq, at, score, reasons_json) VALUES (1, 1, 1, 0, 1, '[]')",
        "INSERT INTO memory_sources (memory_id, session_id, at) VALUES (1, 1, 0)",
        "INSERT INTO topic_marks (session_id, seq, language, topic, good, at) VALUES (1, 1, 'ru', '', 1, 0)",
        "UPDATE turns SET remembered = 1 WHERE id = 1",
        "DELETE FROM sessions WHERE id = 1",
        "DELETE FROM turns WHERE session_id = 1",
        "DELETE FROM experience_sources WHERE session_id = 1",
        "DELETE FROM lesson_sources WHERE session_id = 1",
        "DELETE FROM memory_sources WHERE session_id = 1",
        "DELETE FROM topic_marks WHERE session_id = 1",
        "DELETE FROM experiences WHERE id = 1",
        "DELETE FROM memories WHERE id = 1",
        "DELETE FROM lessons WHERE id = 1",
    ];
    for sql in statements {
        let mut statement = store.conn.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
        let mut plan = statement.raw_query();
        while let Some(row) = plan.next().unwrap() {
            let step: String = row.get(3).unwrap();
            // The one index holds nothing but what waits; the others are rows that a search has found.
            let harmless = ["SCAN turn USING INDEX turns_unremembered", "SCAN kept", "SCAN other", "SCAN CONSTANT ROW"]
                .contains(&&*step);
            assert!(!step.starts_with("SCAN") || harmless, "{step}: {sql}");
        }
    }
}

fn schema(store: &Store) -> String {
    let mut statement =
        store.conn.prepare("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY rowid").unwrap();
    let tables: Vec<String> = statement.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
    tables.join(";\n")
}

/// Every row of every ordinary table.
fn rows(store: &Store) -> Vec<(String, Vec<String>)> {
    let mut names =
        store.conn.prepare("SELECT name FROM pragma_table_list WHERE type = 'table' ORDER BY name").unwrap();
    let names = names.query_map([], |row| row.get::<_, String>(0)).unwrap().map(Result::unwrap);
    let content = names.filter(|name| !name.starts_with("sqlite_")).map(|name| {
        let mut statement = store.conn.prepare(&format!("SELECT * FROM {name}")).unwrap();
        let columns = statement.column_count();
        let shown = |row: &rusqlite::Row<'_>| {
            Ok(format!("{:?}", (0..columns).map(|i| row.get_unwrap::<_, Value>(i)).collect::<Vec<_>>()))
        };
        let shown = statement.query_map([], shown).unwrap().map(Result::unwrap).collect();
        (name, shown)
    });
    content.collect()
}

#[test]
fn a_committed_turn_survives_a_power_loss_and_a_deleted_one_leaves_nothing() {
    let dir = tempdir().unwrap();
    let store = Store::open(dir.path(), Secrets::File).unwrap();
    let pragma = |name: &str| -> String {
        let value: Value = store.conn.query_row(&format!("PRAGMA {name}"), [], |row| row.get(0)).unwrap();
        format!("{value:?}")
    };
    const FULL: &str = "Integer(2)";
    assert_eq!(pragma("journal_mode"), r#"Text("wal")"#);
    assert_eq!(pragma("synchronous"), FULL);
    assert_eq!(pragma("foreign_keys"), "Integer(1)");
    assert_eq!(pragma("secure_delete"), "Integer(1)");
    assert_eq!(pragma("temp_store"), "Integer(2)");
}

#[test]
fn a_later_migration_leaves_a_backup_that_opens_with_the_same_key() {
    let (dir, session) = old_house();
    let later = with_step("ALTER TABLE sessions ADD COLUMN rating INTEGER;");
    let store = open_with(dir.path(), Secrets::File, &later).unwrap();
    store.conn.query_row("SELECT rating FROM sessions", [], |_| Ok(())).unwrap();
    assert_eq!(store.session(session).unwrap().unwrap().turns[0].record, turn("просадка"));
    drop(store);

    let backup = dir.path().join("calm.db.v6.backup");
    let bytes = fs::read(&backup).unwrap();
    let word = "просадка".as_bytes();
    assert!(!bytes.windows(word.len()).any(|window| window == word) && !bytes.starts_with(b"SQLite"));
    #[cfg(unix)]
    assert_eq!(std::os::unix::fs::PermissionsExt::mode(&fs::metadata(&backup).unwrap().permissions()) & 0o777, 0o600);
    let mut names: Vec<_> =
        fs::read_dir(dir.path()).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    assert_eq!(names, ["calm.db", "calm.db.v6.backup", "calm.key", "calm.lock"]);

    // Today's program refuses the migrated file, and is content with the backup in its place.
    let newer = Store::open(dir.path(), Secrets::File).unwrap_err();
    assert!(matches!(newer, StoreError::NewerDatabase { found: 7, known: 6 }), "{newer:?}");
    fs::rename(&backup, dir.path().join("calm.db")).unwrap();
    let restored = Store::open(dir.path(), Secrets::File).unwrap();
    restored.verify().unwrap();
    assert_eq!(restored.session(session).unwrap().unwrap().turns[0].record, turn("просадка"));
}

#[test]
fn a_migration_that_fails_leaves_the_database_as_it_was() {
    let (dir, session) = old_house();
    let broken = with_step("ALTER TABLE sessions ADD COLUMN rating INTEGER; INSERT INTO nowhere VALUES (1);");
    assert!(open_with(dir.path(), Secrets::File, &broken).is_err());
    let store = Store::open(dir.path(), Secrets::File).unwrap();
    assert_eq!(store.session(session).unwrap().unwrap().turns.len(), 1);
    assert!(dir.path().join("calm.db.v6.backup").exists());
}

#[test]
fn a_full_disk_is_named_and_what_was_stored_stays() {
    let (dir, session) = old_house();
    let mut store = Store::open(dir.path(), Secrets::File).unwrap();
    store.conn.execute_batch("PRAGMA max_page_count = 1").unwrap();
    let recording = store.start_recording(jiff::Timestamp::UNIX_EPOCH, None).unwrap();
    let error = (0..64).find_map(|seq| store.append_chunk(recording, seq, &[7; 16_000]).err()).unwrap();
    assert!(matches!(error, StoreError::DiskFull), "{error:?}");
    assert_eq!(store.session(session).unwrap().unwrap().turns.len(), 1);
    store.verify().unwrap();
}

#[test]
fn a_text_that_does_not_fit_on_the_disk_is_not_there_by_half() {
    let dir = tempdir().unwrap();
    let mut store = Store::open(dir.path(), Secrets::File).unwrap();
    let pages: u32 = store.conn.query_row("PRAGMA page_count", [], |row| row.get(0)).unwrap();
    store.conn.execute_batch(&format!("PRAGMA max_page_count = {}", pages + 20)).unwrap();
    let new = crate::NewKnowledge {
        kind: crate::KnowledgeKind::Document,
        title: "книга".into(),
        language: None,
        fingerprint: "00".into(),
        added_at: jiff::Timestamp::UNIX_EPOCH,
        chars: 0,
    };
    let text = "риск ".repeat(500);
    let chunk = crate::KnowledgeChunk { place: None, question: None, text: text.clone(), stems: text };
    let error = store.add_knowledge(&new, &vec![chunk.clone(); 500]).unwrap_err();
    assert!(matches!(error, StoreError::DiskFull), "{error:?}");
    assert!(store.knowledge_sources().unwrap().is_empty());
    assert!(store.search_knowledge(&["риск".into()], None, 9).unwrap().is_empty());
    store.add_knowledge(&new, &[chunk]).unwrap();
    store.verify().unwrap();
}
