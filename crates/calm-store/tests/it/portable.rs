//! An export holds everything, and comes back in as it was.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::io::Read;
use std::path::Path;

use calm_core::end_session::Attributes;
use calm_core::{Deltas, Kind, VoiceAnalysis};
use calm_store::{
    BannedBy, Beside, EXPORT_FORMAT, EXPORT_VERSION, Embedding, Experienced, Heard, ImportSource, KnowledgeChunk,
    KnowledgeKind, LEFT_OUT, LedgerRow, Manifest, MemoryFilter, MemoryKind, MemorySource, NewKnowledge, NewMemory,
    NewPromptVersion, NewTrigger, PromptActor, PromptDecision, PromptOrigin, Remembered, SessionId, Store, StoreError,
    TopicMark,
};
use proptest::prelude::*;
use rusqlite::types::Value;
use serde_json::json;
use tempfile::tempdir;

use crate::memory::{begin, keep, remembered, say};
use crate::{at, ending, new_session, open, raw, trades, turn};

/// A row in every table, written by the calls that the program makes.
fn lived_in(store: &mut Store) -> SessionId {
    let now = at("2026-03-02T06:00:00Z");
    store.set_settings(&json!({"version": 1, "language": "ru", "name": "Светлана"})).unwrap();
    store.set_facts("## Active facts\n- не больше двух сделок\n", now).unwrap();
    store.keep_calendar("/tmp/week.ics", now, b"BEGIN:VCALENDAR").unwrap();
    store.set_baseline("Наушники", &json!({"clips": 4, "mean": 0.1})).unwrap();
    let plan =
        NewTrigger { name: "пауза".into(), condition: "злюсь".into(), actions: json!([]), created_at: now };
    let plan = store.add_trigger(&plan).unwrap();
    let prompts = NewPromptVersion {
        set: "calm".into(),
        version: "0.1.0".into(),
        hash: "c0ffee".into(),
        origin: PromptOrigin::Shipped,
        parent: None,
        note: Some("первая".into()),
        files: BTreeMap::from([("ru/tone.md".into(), "тепло\nи коротко".into())]),
        finalized_at: now,
    };
    let prompts = store.remember_prompts(&prompts).unwrap();
    let why = PromptDecision { at: now, actor: PromptActor::App, reason: None, figures: Some(json!({"n": 3})) };
    store.activate_prompts(prompts, &why).unwrap();
    store.add_banned_term("гарантирую", None, BannedBy::User, now).unwrap();
    store.add_import(&trades::import("март.htm"), &[trades::trade("a", 2, "-12.50")]).unwrap().unwrap();
    let text = NewKnowledge {
        kind: KnowledgeKind::Document,
        title: "книга".into(),
        language: Some("ru".into()),
        fingerprint: "00".into(),
        added_at: now,
        chars: 9,
    };
    let chunk =
        KnowledgeChunk { place: Some("1".into()), question: None, text: "стоп".into(), stems: "стоп".into() };
    store.add_knowledge(&text, std::slice::from_ref(&chunk)).unwrap();
    let ours = NewKnowledge { kind: KnowledgeKind::Note, fingerprint: "01".into(), title: "наше".into(), ..text };
    store.replace_shipped_knowledge(&[(ours, vec![chunk])]).unwrap();

    let checkin = store.begin_session(&new_session(Kind::CheckIn, "06:00:00")).unwrap();
    let mut spoken = turn("готова на семь, \"план\" есть", "Слышу.");
    spoken.voice = Some(VoiceAnalysis {
        stress_level: Some(4),
        energy_level: Some(6),
        primary_emotion: "calm".into(),
        confidence: 0.123_456_79,
        calibrating: false,
    });
    spoken.raw_emotion = Some(json!({"arousal": 0.1}));
    spoken.audio_seconds = Some(4.25);
    (spoken.asr_ms, spoken.ser_ms, spoken.first_token_ms, spoken.reply_ms) = (Some(1), Some(2), Some(3), Some(4));
    spoken.tool_result = Some(json!({"success": true}));
    spoken.contour = Some(json!({"labels": []}));
    spoken.guard = Some(json!([]));
    spoken.model = Some(json!({"call": null}));
    spoken.tool = serde_json::from_value(json!({"tool": "suggest_practice", "arguments":
        {"practice_type": "breathing", "reason": "стресс", "urgency": "immediate"}}))
    .unwrap();
    let seq = store.record_turn(checkin, &spoken, None).unwrap();
    store.set_sufler(checkin, seq, &json!({"score": 5, "reasons": []})).unwrap();
    store.set_lint(checkin, seq, &json!([])).unwrap();
    let said = Attributes { trading_readiness: Some(7), ..Default::default() };
    store.end_session(checkin, &ending(Kind::CheckIn, said), &Deltas::default(), true, now).unwrap();
    store.set_heard(checkin, Heard::Partly).unwrap();
    store.record_trigger_run(plan, Some(checkin), "записано", now).unwrap();
    store.add_note(now, Some(checkin), "ушла от экрана").unwrap();
    store.add_reminder(now, "вода", now).unwrap();
    let request = LedgerRow {
        at: now,
        method: "POST".into(),
        url: "http://127.0.0.1/v1".into(),
        fields: vec!["talk".into()],
        body: vec![0, 255, 7],
    };
    let sent = store.write_ledger(&request).unwrap();
    store.finish_ledger(sent, 200).unwrap();
    let recording = store.start_recording(now, Some(checkin)).unwrap();
    store.append_chunk(recording, 0, &[7; 160]).unwrap();

    let waiting = store.unremembered_turns(1).unwrap().remove(0).id;
    let plain = Remembered { scored: None, ..remembered(Experienced::New { embedding: None }, 3) };
    let unwanted = keep(store, waiting, &plain);
    store.delete_memory(calm_store::MemoryId::Experience(unwanted)).unwrap();

    let checkout = begin(store, "16:00:00");
    let embedding = Some(Embedding { model: "tiny".into(), bytes: vec![1, 2, 3] });
    let one = say(store, checkout, "16:01:00", "двигал стоп", "Слышу.");
    let mut what = remembered(Experienced::New { embedding }, 1);
    what.stems = "двиг стоп".into();
    let experience = keep(store, one, &what);
    let two = say(store, checkout, "16:02:00", "опять двигал стоп", "Понимаю.");
    let mut again = remembered(Experienced::MergeInto(experience), 5);
    again.scored.as_mut().unwrap().mark = Some(TopicMark::Good);
    keep(store, two, &Remembered { stems: "двиг стоп".into(), ..again });
    let memory = |key: &str| NewMemory {
        key: key.into(),
        kind: MemoryKind::Told,
        data: json!({"n": 0.1}),
        text: Some("по пятницам не торгую".into()),
        confidence: 0.1,
        n: 1,
        sources: vec![MemorySource { session: checkout, seq: Some(1), at: now }],
    };
    store.upsert_memory(&memory("told:1")).unwrap();
    let calm_store::Upserted::Added(gone) = store.upsert_memory(&memory("told:2")).unwrap() else { panic!() };
    store.delete_memory(calm_store::MemoryId::Pattern(gone)).unwrap();
    checkout
}

/// An export in memory.
#[derive(Clone)]
struct Export {
    manifest: Manifest,
    tables: BTreeMap<String, String>,
}

impl Export {
    fn of(store: &Store) -> Export {
        let snapshot = store.snapshot().unwrap();
        let mut tables = BTreeMap::new();
        for table in snapshot.tables() {
            let mut lines = String::new();
            let write = |cells: &[calm_store::Cell<'_>]| {
                writeln!(lines, "{}", table.json(cells)).unwrap();
                Ok::<(), StoreError>(())
            };
            snapshot.rows(table, write).unwrap();
            tables.insert(table.name.clone(), lines);
        }
        let manifest = Manifest {
            format: EXPORT_FORMAT.into(),
            version: EXPORT_VERSION,
            database: snapshot.version(),
            program: "0.1.0".into(),
            made_at: "2026-03-02T06:00:00Z".into(),
            tables: snapshot.tables().to_vec(),
            left_out: Vec::new(),
        };
        Export { manifest, tables }
    }

    fn into_store(mut self, store: &mut Store) -> Result<calm_store::Brought, StoreError> {
        let manifest = self.manifest.clone();
        let beside = Beside {
            stems: &|user, _| user.to_owned(),
            settings: &|settings| settings.is_object(),
            import: &|import| (import.format != "mt4").then_some("format"),
            trade: &|trade| trade.trade["symbol"].is_null().then_some("trade_json"),
        };
        store.import(&manifest, &mut self, &beside)
    }
}

impl ImportSource for Export {
    fn rows(&mut self, table: &str) -> std::io::Result<Option<Box<dyn Read + '_>>> {
        Ok(self.tables.get(table).map(|text| Box::new(text.as_bytes()) as Box<dyn Read>))
    }
}

/// Every row of every table that goes out and comes back.
fn rows(dir: &Path) -> BTreeMap<String, Vec<String>> {
    let conn = raw(dir);
    let store = open(dir);
    let tables = store.snapshot().unwrap().tables().to_vec();
    let mut all = BTreeMap::new();
    for table in tables.iter().filter(|table| !["recordings", "chunks"].contains(&table.name.as_str())) {
        let columns: Vec<&str> = table.columns.iter().map(|column| column.name.as_str()).collect();
        let only = if table.name == "knowledge_chunks" {
            "source_id IN (SELECT id FROM knowledge_sources WHERE origin = 'user')"
        } else if table.name == "knowledge_sources" {
            "origin = 'user'"
        } else {
            "1"
        };
        let mut statement = conn
            .prepare(&format!("SELECT {} FROM {} WHERE {only} ORDER BY 1", columns.join(", "), table.name))
            .unwrap();
        let read = statement.query_map([], |row| {
            Ok((0..columns.len())
                .map(|place| format!("{:?}", row.get_unwrap::<_, Value>(place)))
                .collect::<Vec<_>>()
                .join(" "))
        });
        all.insert(table.name.clone(), read.unwrap().map(Result::unwrap).collect());
    }
    all
}

#[test]
fn every_column_of_every_table_is_in_the_export_or_in_the_list_of_what_is_not() {
    let dir = tempdir().unwrap();
    let mut store = open(dir.path());
    lived_in(&mut store);
    let export = Export::of(&store);
    let conn = raw(dir.path());
    let mut columns = conn
        .prepare(
            "SELECT t.name, c.name FROM pragma_table_list AS t JOIN pragma_table_info(t.name) AS c
             WHERE t.schema = 'main'",
        )
        .unwrap();
    let columns = columns.query_map([], |row| Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?))).unwrap();
    let excused: BTreeSet<&str> = LEFT_OUT.iter().map(|(what, _)| *what).collect();
    let mut seen = 0;
    for (table, column) in columns.map(Result::unwrap).filter(|(table, _)| !table.starts_with("sqlite_schema")) {
        seen += 1;
        let out = export.manifest.tables.iter().find(|known| known.name == table);
        if out.is_some_and(|out| out.columns.iter().any(|known| known.name == column)) {
            let lines = &export.tables[&table];
            assert!(!lines.is_empty(), "{table} has no row here, so nothing is proved of it");
            assert!(lines.lines().all(|line| line.contains(&format!("\"{column}\":"))), "{table}.{column}");
        } else {
            let by_name = excused.contains(&*table) || excused.contains(&*format!("{table}.{column}"));
            let by_index =
                excused.iter().any(|what| what.strip_suffix('*').is_some_and(|name| table.starts_with(name)));
            assert!(by_name || by_index, "{table}.{column} is in no export, and nothing says why");
        }
    }
    assert!(seen > 150, "{seen} columns");
    let json = &export.tables["ledger"];
    assert!(json.contains(r#""body":"AP8H""#), "{json}");
    assert!(export.tables["turns"].contains(r#""voice_json":{"stress_level":4"#), "JSON stands as JSON");
}

#[test]
fn an_export_makes_the_same_database_in_an_empty_folder_and_nothing_in_its_own() {
    let (home, away) = (tempdir().unwrap(), tempdir().unwrap());
    let mut store = open(home.path());
    let checkout = lived_in(&mut store);
    let export = Export::of(&store);
    let before = rows(home.path());
    let own = export.clone().into_store(&mut store).unwrap();
    assert_eq!((own.rows, own.sessions), (0, 0), "everything is here already");
    assert!(rows(home.path()) == before, "an export of its own changed the database");

    let mut other = open(away.path());
    let brought = export.clone().into_store(&mut other).unwrap();
    assert_eq!(brought.sessions, 2);
    let after = rows(away.path());
    for (table, rows) in &before {
        assert_eq!(after[table], *rows, "{table}");
        assert!(!rows.is_empty(), "{table} has no row, so nothing is proved of it");
    }
    let again = export.into_store(&mut other).unwrap();
    assert_eq!((again.rows, again.known), (0, brought.rows + brought.known));
    assert!(rows(away.path()) == after, "the second time changed something");

    // What is made again from the rows works.
    other.verify().unwrap();
    assert_eq!(other.search_turns(&["двигал".into()], 9, None).unwrap().len(), 2);
    assert_eq!(other.search_knowledge(&["стоп".into()], None, 9).unwrap().len(), 1);
    let gone = other.delete_sessions(&[checkout]).unwrap();
    assert_eq!(gone.memories, 3, "memories hang on their conversation here too");
}

#[test]
fn what_is_here_stays_and_what_is_new_is_told_apart_by_more_than_its_number() {
    let (home, away) = (tempdir().unwrap(), tempdir().unwrap());
    let mut store = open(home.path());
    lived_in(&mut store);
    let mut other = open(away.path());
    // The same numbers, and other things behind them.
    other.set_settings(&json!({"version": 1, "language": "en", "name": "Анна"})).unwrap();
    let mine = other.begin_session(&new_session(Kind::CheckOut, "20:00:00")).unwrap();
    other.record_turn(mine, &turn("моё", "Слышу."), None).unwrap();
    other.add_note(at("2026-03-02T20:00:00Z"), Some(mine), "моя заметка").unwrap();
    let export = Export::of(&store);
    let brought = export.into_store(&mut other).unwrap();
    assert_eq!(brought.sessions, 2);
    assert_eq!(other.settings().unwrap().unwrap()["name"], "Анна");
    let texts = |id: SessionId| {
        let record = other.session(id).unwrap().unwrap();
        record.turns.into_iter().filter_map(|turn| turn.record.user_text).collect::<Vec<_>>()
    };
    assert_eq!(texts(mine), ["моё"]);
    let others: Vec<_> = other.history(9, None).unwrap().iter().map(|line| line.id).filter(|id| *id != mine).collect();
    assert_eq!(others.iter().map(|id| texts(*id).len()).collect::<Vec<_>>(), [2, 1]);
    let notes = other.notes(9).unwrap();
    assert_eq!(notes.iter().map(|note| note.session == Some(mine)).collect::<Vec<_>>(), [true, false]);
    other.verify().unwrap();
}

/// Whatever is wrong with it, nothing comes in.
fn refused(export: Export) -> StoreError {
    let dir = tempdir().unwrap();
    let mut store = open(dir.path());
    let error = export.into_store(&mut store).unwrap_err();
    assert!(store.history(9, None).unwrap().is_empty() && store.facts().unwrap().is_none(), "{error}");
    error
}

#[test]
fn what_is_no_export_is_named_with_its_place_and_nothing_comes_in() {
    let dir = tempdir().unwrap();
    let mut store = open(dir.path());
    lived_in(&mut store);
    let good = Export::of(&store);
    let with = |table: &str, from: &str, to: &str| {
        let mut bad = good.clone();
        let text = bad.tables.get_mut(table).unwrap();
        assert!(text.contains(from), "{table} has no {from}");
        *text = text.replace(from, to);
        match refused(bad) {
            StoreError::NotAnExport { place } => place,
            other => panic!("{table}: {other}"),
        }
    };
    assert_eq!(with("turns", "\"reply_text\":\"Слышу.\"", "\"reply_text\":7"), "json/turns.jsonl, line 1, reply_text");
    assert_eq!(with("turns", "\"session_id\":2", "\"session_id\":99"), "json/turns.jsonl, line 2, session_id");
    assert_eq!(with("sessions", "\"kind\":\"check-out\"", "\"kind\":\"party\""), "json/sessions.jsonl, line 2");
    assert_eq!(with("sessions", "\"format\":\"short\"", "\"format\":\"endless\""), "json/sessions.jsonl, line 1");
    assert_eq!(with("sessions", "\"session_type\":\"check-in\"", "\"session_type\":9"), "json/sessions.jsonl, line 1");
    assert_eq!(with("sessions", "\"forced\"", "\"colour\""), "json/sessions.jsonl, line 1");
    assert_eq!(with("ledger", "\"AP8H\"", "\"AP8H!\""), "json/ledger.jsonl, line 1, body");
    assert_eq!(with("experiences", "\"words_seq\":1", "\"words_seq\":8"), "json/experiences.jsonl, line 1, words_seq");
    assert_eq!(with("notes", "}", "} }"), "json/notes.jsonl, line 1");
    assert_eq!(with("notes", "\n", "\n\n"), "json/notes.jsonl, line 2");

    let mut cut = good.clone();
    cut.tables.get_mut("turns").unwrap().truncate(0);
    assert!(matches!(refused(cut), StoreError::NotAnExport { place } if place == "json/turns.jsonl"));
    let mut missing = good.clone();
    missing.tables.remove("turns");
    assert!(matches!(refused(missing), StoreError::NotAnExport { place } if place == "json/turns.jsonl"));
    let mut newer = good.clone();
    newer.manifest.version += 1;
    assert!(matches!(refused(newer), StoreError::NewerExport { .. }));
    let mut newer = good.clone();
    newer.manifest.database += 1;
    assert!(matches!(refused(newer), StoreError::NewerExport { .. }));
    let mut other = good;
    other.manifest.format = "notes".into();
    assert!(matches!(refused(other), StoreError::NotAnExport { .. }));
}

/// Every value here fits its column, and the program could never have written it.
#[test]
fn a_value_that_the_program_never_writes_is_named_with_file_line_and_field_and_nothing_comes_in() {
    let dir = tempdir().unwrap();
    let mut store = open(dir.path());
    lived_in(&mut store);
    let good = Export::of(&store);
    let cases = [
        ("settings", "json", "\"json\":{", "\"json\":[{", "}}", "}]}"),
        ("sessions", "trading_day", "\"trading_day\":\"2026-03-02\"", "\"trading_day\":\"2026-03-22\"", "", ""),
        ("sessions", "number_today", "\"number_today\":1", "\"number_today\":0", "", ""),
        ("sessions", "readiness", "\"readiness\":7", "\"readiness\":9", "", ""),
        ("sessions", "arguments_json", "\"trading_readiness\":7", "\"trading_readiness\":70", "", ""),
        ("turns", "voice_json", "\"stress_level\":4", "\"stress_level\":40", "", ""),
        ("turns", "said_at", "\"said_at\":17", "\"said_at\":171717171717", "", ""),
        ("turns", "audio_seconds", "\"audio_seconds\":4.25", "\"audio_seconds\":-4.25", "", ""),
        ("imports", "format", "\"mt4\"", "\"mt9\"", "", ""),
        ("trades", "trade_json", "\"symbol\"", "\"instrument\"", "", ""),
        ("trades", "trading_day", "\"2026-03-02\"", "\"2025-03-02\"", "", ""),
        ("ledger", "method", "\"POST\"", "\"post it\"", "", ""),
        ("ledger", "url", "\"http://", "\"file://", "", ""),
        ("ledger", "bytes", "\"bytes\":3", "\"bytes\":4", "", ""),
        ("ledger", "status", "\"status\":200", "\"status\":2", "", ""),
        ("experiences", "situation", "двигал стоп", "купил всё", "", ""),
        ("experience_sources", "at", "\"at\":17", "\"at\":16", "", ""),
        ("memories", "n", "\"n\":1,", "\"n\":0,", "", ""),
        ("memories", "text", "\"по пятницам не торгую\"", "null", "", ""),
        ("lessons", "worst", "\"worst\":1", "\"worst\":0", "", ""),
        ("lesson_sources", "at", "\"at\":17", "\"at\":16", "", ""),
        ("user_model", "mean", "\"mean\":3", "\"mean\":30", "", ""),
    ];
    for (table, field, from, to, also, then) in cases {
        let mut bad = good.clone();
        let text = bad.tables.get_mut(table).unwrap();
        assert!(text.contains(from), "{table} has no {from}: {text}");
        *text = text.replacen(from, to, 1);
        *text = text.replacen(also, then, usize::from(!also.is_empty()));
        match refused(bad) {
            StoreError::NotAnExport { place } => {
                let (file, rest) = place.split_once(", line ").unwrap_or((&place, ""));
                assert_eq!(file, format!("json/{table}.jsonl"), "{place}");
                assert!(rest.ends_with(&format!(", {field}")), "{table} {field}: {place}");
            }
            other => panic!("{table}: {other}"),
        }
    }
    let mut unheld = good;
    let holds = unheld.manifest.tables.iter_mut().find(|table| table.name == "import_trades").unwrap();
    holds.rows = 0;
    unheld.tables.get_mut("import_trades").unwrap().clear();
    assert!(matches!(refused(unheld), StoreError::NotAnExport { place } if place == "json/import_trades.jsonl"));
}

#[test]
fn what_was_deleted_by_hand_stays_deleted_when_an_older_export_comes_in() {
    let (home, away) = (tempdir().unwrap(), tempdir().unwrap());
    let mut store = open(home.path());
    let checkout = lived_in(&mut store);
    let older = Export::of(&store);
    let all = MemoryFilter { level: None, query: None, limit: 99 };
    let before = store.list_memories(&all).unwrap();
    assert_eq!(before.len(), 3);
    for entry in &before {
        store.delete_memory(entry.id()).unwrap();
    }
    let left = raw(home.path());
    let words: Vec<String> = ["forgotten_turns", "dismissed_keys"]
        .iter()
        .flat_map(|table| {
            let mut all = left.prepare(&format!("SELECT * FROM {table}")).unwrap();
            let last = all.column_count() - 1;
            all.query_map([], |row| row.get(last)).unwrap().map(Result::unwrap).collect::<Vec<String>>()
        })
        .collect();
    assert!(words.len() >= 4 && words.iter().all(|left| left.is_ascii() && !left.contains(' ')), "{words:?}");
    drop(left);

    let brought = older.clone().into_store(&mut store).unwrap();
    assert_eq!(store.list_memories(&all).unwrap(), [], "{brought:?}");
    // Where the talk itself had gone too, it comes back with the export, and nothing is made of it.
    store.delete_sessions(&[checkout]).unwrap();
    older.clone().into_store(&mut store).unwrap();
    assert_eq!(store.history(9, None).unwrap().len(), 2);
    assert_eq!(store.list_memories(&all).unwrap(), []);
    // The export of somebody who has deleted carries it on.
    let newer = Export::of(&store);
    let mut other = open(away.path());
    newer.into_store(&mut other).unwrap();
    older.into_store(&mut other).unwrap();
    assert_eq!(other.list_memories(&all).unwrap(), []);
    other.verify().unwrap();
}

#[test]
fn a_turn_that_was_not_remembered_yet_is_not_remembered_after_all() {
    let dir = tempdir().unwrap();
    let mut store = open(dir.path());
    let talk = begin(&mut store, "16:00:00");
    let said = say(&mut store, talk, "16:01:00", "двигал стоп", "Слышу.");
    let before_memory = Export::of(&store);
    let experience = keep(&mut store, said, &remembered(Experienced::New { embedding: None }, 1));
    store.delete_memory(calm_store::MemoryId::Experience(experience)).unwrap();
    store.delete_sessions(&[talk]).unwrap();
    before_memory.into_store(&mut store).unwrap();
    assert_eq!(store.history(9, None).unwrap().len(), 1);
    assert!(store.unremembered_turns(9).unwrap().is_empty());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Bytes of an export that somebody changed: it comes in whole and is read, or not at all.
    #[test]
    fn no_bytes_make_it_panic_or_leave_half_of_it(table in 0..30_usize, at in any::<prop::sample::Index>(), new in "\\PC{0,12}", cut in 0..9_usize) {
        let dir = tempdir().unwrap();
        let mut store = open(dir.path());
        lived_in(&mut store);
        let mut export = Export::of(&store);
        drop(store);
        let names: Vec<String> = export.tables.keys().cloned().collect();
        let text = export.tables.get_mut(&names[table % names.len()]).unwrap();
        let places: Vec<usize> = text.char_indices().map(|(place, _)| place).chain([text.len()]).collect();
        let from = at.index(places.len());
        let to = (from + cut).min(places.len() - 1);
        text.replace_range(places[from]..places[to], &new);
        let away = tempdir().unwrap();
        let mut other = open(away.path());
        match export.into_store(&mut other) {
            Ok(_) => {
                other.verify().unwrap();
                for line in other.history(9, None).unwrap() {
                    other.session(line.id).unwrap().unwrap();
                }
            }
            Err(StoreError::NotAnExport { .. }) => {
                prop_assert!(other.history(9, None).unwrap().is_empty());
            }
            Err(error) => panic!("{error:?}"),
        }
    }
}
