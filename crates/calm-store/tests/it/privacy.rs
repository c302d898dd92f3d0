use std::fs;
use std::path::Path;

use calm_core::end_session::Attributes;
use calm_core::{Deltas, Kind};
use calm_store::{
    BannedBy, Embedding, Experienced, KnowledgeChunk, KnowledgeKind, LedgerRow, MemoryFilter, MemoryKind, MemorySource,
    NewKnowledge, NewMemory, NewPromptVersion, NewTrigger, PromptActor, PromptDecision, PromptOrigin, Remembered,
    Scored, SessionId, SheetTerm, Store, StoreError, TopicMark,
};
use serde_json::json;
use tempfile::tempdir;

use crate::{at, child, child_dir, ending, new_session, open, turn};

const WORDS: [&str; 7] = ["Светлана", "восемь", "просадка", "drawdown", "Gregory", "revenge", "микрофон-Shure"];

fn speak(dir: &Path) -> Store {
    let mut store = open(dir);
    let id = store.begin_session(&new_session(Kind::CheckIn, "06:00:00")).unwrap();
    for _ in 0..40 {
        store.record_turn(id, &turn("вчера была просадка, готова на восемь", "Слышу вас, Светлана."), None).unwrap();
        store.record_turn(id, &turn("a drawdown, then revenge", "I hear you, Gregory."), None).unwrap();
    }
    let said = Attributes { planned_approach: Some("no revenge".into()), ..Default::default() };
    store.end_session(id, &ending(Kind::CheckIn, said), &Deltas::default(), false, at("2026-03-02T06:04:00Z")).unwrap();
    store.set_baseline("микрофон-Shure", &json!({"owner": "Gregory"})).unwrap();
    store.set_settings(&json!({"name": "Светлана"})).unwrap();
    let row = LedgerRow {
        at: at("2026-03-02T06:00:00Z"),
        method: "POST".into(),
        url: "http://127.0.0.1/Gregory".into(),
        fields: vec!["просадка".into()],
        body: "drawdown".into(),
    };
    store.write_ledger(&row).unwrap();
    write_what_the_prompts_use(&mut store, id);
    write_what_memory_keeps(&mut store, id);
    store
}

fn write_what_the_prompts_use(store: &mut Store, session: SessionId) {
    let now = at("2026-03-02T06:00:00Z");
    store.set_facts("## Active facts\n- Светлана", now).unwrap();
    let (name, condition) = ("просадка".into(), "drawdown".into());
    let plan = NewTrigger { name, condition, actions: json!(["revenge"]), created_at: now };
    let plan = store.add_trigger(&plan).unwrap();
    store.record_trigger_run(plan, Some(session), "Gregory", now).unwrap();
    store.add_note(now, Some(session), "просадка").unwrap();
    store.add_reminder(now, "позвонить: Gregory", now).unwrap();
    store.add_banned_term("revenge", Some("Gregory"), BannedBy::User, now).unwrap();
    store.add_knowledge(&knowledge(), &[chunk()]).unwrap();
    let version = store.remember_prompts(&prompts()).unwrap();
    store.activate_prompts(version, &decision()).unwrap();
}

fn write_what_memory_keeps(store: &mut Store, session: SessionId) {
    let turn = store.unremembered_turns(1).unwrap().remove(0);
    store.remember(turn.id, &remembered()).unwrap();
    store.upsert_memory(&told(session)).unwrap();
}

fn remembered() -> Remembered {
    let embedding = Some(Embedding { model: "tiny".into(), bytes: "просадка".into() });
    let lesson = Some(vec!["revenge".into()]);
    let scored = Some(Scored { score: 1, trust_after: 0.4, mark: Some(TopicMark::Bad), lesson });
    let stems = "просадка Gregory".into();
    Remembered { experience: Experienced::New { embedding }, topic: Some("drawdown".into()), scored, stems }
}

fn told(session: SessionId) -> NewMemory {
    let source = MemorySource { session, seq: Some(1), at: at("2026-03-02T06:00:00Z") };
    let (kind, data, text) = (MemoryKind::Told, json!({"name": "Gregory"}), Some("Светлана".into()));
    NewMemory { key: "revenge".into(), kind, data, text, confidence: 1.0, n: 1, sources: vec![source] }
}

fn knowledge() -> NewKnowledge {
    NewKnowledge {
        kind: KnowledgeKind::Answers,
        title: "Gregory".into(),
        language: Some("ru".into()),
        fingerprint: "просадка".into(),
        added_at: at("2026-03-02T06:00:00Z"),
        chars: 8,
    }
}

fn chunk() -> KnowledgeChunk {
    let (place, question) = (Some("Светлана".into()), Some("revenge".into()));
    KnowledgeChunk { place, question, text: "просадка".into(), stems: "drawdown просадка".into() }
}

fn prompts() -> NewPromptVersion {
    NewPromptVersion {
        set: "Светлана".into(),
        version: "drawdown".into(),
        hash: "c0ffee".into(),
        origin: PromptOrigin::User,
        parent: Some("revenge".into()),
        note: Some("Gregory".into()),
        files: [("Светлана".into(), "просадка".into())].into(),
        finalized_at: at("2026-03-02T06:00:00Z"),
    }
}

fn decision() -> PromptDecision {
    PromptDecision {
        at: at("2026-03-02T06:00:00Z"),
        actor: PromptActor::User,
        reason: Some("просадка".into()),
        figures: Some(json!({"drawdown": 1})),
    }
}

fn assert_holds_no_word(dir: &Path) -> Vec<String> {
    let mut names = Vec::new();
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        let bytes = fs::read(&path).unwrap();
        for word in WORDS {
            let utf16 = || word.encode_utf16();
            let forms = [
                word.as_bytes().to_vec(),
                utf16().flat_map(u16::to_le_bytes).collect(),
                utf16().flat_map(u16::to_be_bytes).collect(),
            ];
            for form in forms {
                let found = bytes.windows(form.len()).any(|window| window == form);
                assert!(!found, "{word} can be read in {}", path.display());
            }
        }
        assert!(!bytes.starts_with(b"SQLite format 3"), "{}", path.display());
        names.push(path.file_name().unwrap().to_string_lossy().into_owned());
    }
    names.sort();
    names
}

#[test]
fn no_file_holds_a_readable_word_of_what_was_said() {
    let dir = tempdir().unwrap();
    let store = speak(dir.path());
    let open_files = assert_holds_no_word(dir.path());
    assert_eq!(open_files, ["calm.db", "calm.db-shm", "calm.db-wal", "calm.key", "calm.lock"]);
    drop(store);
    assert_eq!(assert_holds_no_word(dir.path()), ["calm.db", "calm.key", "calm.lock"]);
    // The search itself works: the words are there for whoever has the key.
    assert!(
        open(dir.path()).session("1".parse().unwrap()).unwrap().unwrap().turns[0].record.reply_text.contains(WORDS[0])
    );
}

#[cfg(unix)]
#[test]
fn nobody_else_can_open_the_files() {
    use std::os::unix::fs::PermissionsExt;
    let dir = tempdir().unwrap();
    let house = dir.path().join("new/house");
    let _store = speak(&house);
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&house), 0o700);
    assert_eq!(mode(&dir.path().join("new")), 0o700);
    for entry in fs::read_dir(&house).unwrap() {
        let path = entry.unwrap().path();
        assert_eq!(mode(&path), 0o600, "{}", path.display());
    }
}

#[test]
fn debug_output_and_errors_quote_nothing() {
    let dir = tempdir().unwrap();
    let mut store = speak(dir.path());
    let key = fs::read_to_string(dir.path().join("calm.key")).unwrap();
    let record = store.session("1".parse().unwrap()).unwrap().unwrap();
    let shown = [
        format!("{store:?}"),
        format!("{record:?}"),
        format!("{:?}", store.history(9, None).unwrap()),
        format!("{:?}", store.ledger(9).unwrap()),
        format!("{:?}", store.latest_unmatched_checkin(record.session.begun.trading_day).unwrap()),
        format!("{:?}", store.record_turn("77".parse().unwrap(), &record.turns[0].record, None)),
    ];
    let rows = [
        format!("{:?}", store.facts().unwrap()),
        format!("{:?}", store.triggers().unwrap()),
        format!("{:?}", store.trigger_runs_of_session(record.session.id).unwrap()),
        format!("{:?}", store.notes(9).unwrap()),
        format!("{:?}", store.reminders(9).unwrap()),
        format!("{:?}", store.banned_terms().unwrap()),
        format!("{:?}", SheetTerm { term: "revenge".into(), note: Some("Gregory".into()) }),
        format!("{:?} {:?}", knowledge(), chunk()),
        format!("{:?}", store.knowledge_sources().unwrap()),
        format!("{:?}", store.search_knowledge(&["drawdown".into()], None, 9).unwrap()),
        format!("{:?} {:?}", prompts(), decision()),
        format!("{:?} {:?}", store.active_prompts().unwrap(), store.prompt_versions().unwrap()),
        format!("{:?}", store.prompt_log(9).unwrap()),
        format!("{:?}", store.add_knowledge(&knowledge(), &[]).map_err(|e| format!("{e} {e:?}"))),
        format!("{:?}", store.remember_prompts(&NewPromptVersion { hash: "0".into(), ..prompts() })),
    ];
    let filter = MemoryFilter { level: None, query: Some("Gregory".into()), limit: 9 };
    let everything = MemoryFilter { query: None, ..filter.clone() };
    let mut memory = vec![
        format!("{:?} {:?} {filter:?}", remembered(), told(record.session.id)),
        format!("{:?}", store.unremembered_turns(9).unwrap()),
        format!("{:?}", store.experiences_without_embedding("other", 9).unwrap()),
        format!("{:?}", store.topic_scores(calm_core::Lang::Ru, 9).unwrap()),
        format!("{:?}", store.list_memories(&everything).unwrap()),
    ];
    store.for_each_experience(|row| memory.push(format!("{row:?}"))).unwrap();
    for id in ["E1", "P1", "L1"] {
        memory.push(format!("{:?}", store.memory(id.parse().unwrap()).unwrap().unwrap()));
    }
    assert_eq!(memory.len(), 9);
    let rows: Vec<_> = rows.into_iter().chain(memory).collect();
    assert!(rows.iter().all(|shown| shown != "[]" && shown != "None"), "{rows:?}");
    crate::raw(dir.path()).execute_batch("UPDATE turns SET voice_json = '{\"drawdown\": 1}'").unwrap();
    let error = store.session(record.session.id).unwrap_err();
    assert!(matches!(error, StoreError::UnreadableRow));
    for text in shown.iter().chain(&rows).chain([&format!("{error} {error:?}")]) {
        for word in WORDS.iter().chain([&key.trim()]) {
            assert!(!text.contains(word), "{text}");
        }
    }
}

#[test]
fn a_wrong_key_is_not_discussed_on_stderr() {
    if let Some(dir) = child_dir() {
        assert!(Store::open(&dir, calm_store::Secrets::File).is_err());
        return;
    }
    let dir = tempdir().unwrap();
    drop(speak(dir.path()));
    fs::write(dir.path().join("calm.key"), "0123456789abcdef".repeat(4)).unwrap();
    let output = child("privacy::a_wrong_key_is_not_discussed_on_stderr", dir.path()).output().unwrap();
    assert!(output.status.success());
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}
