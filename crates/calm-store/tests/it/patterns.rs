use calm_store::{
    Memory, MemoryId, MemoryKind, MemorySource, MemoryState, NewMemory, PatternId, SessionId, Store, StoreError,
    Upserted,
};
use serde_json::json;
use tempfile::tempdir;

use crate::memory::{begin, forget_session, say, state};
use crate::{at, open};

const KEY: &str = "adherence_after_two_losses";

fn source(session: SessionId, seq: Option<u32>, time: &str) -> MemorySource {
    MemorySource { session, seq, at: at(&format!("2026-03-02T{time}Z")) }
}

fn found(n: u32, sources: &[MemorySource]) -> NewMemory {
    NewMemory {
        key: KEY.into(),
        kind: MemoryKind::Pattern,
        data: json!({"followed": 1, "of": n}),
        text: None,
        confidence: 0.7,
        n,
        sources: sources.to_vec(),
    }
}

fn told(words: &str, source: MemorySource) -> NewMemory {
    let (kind, text) = (MemoryKind::Told, Some(words.to_owned()));
    NewMemory {
        key: format!("told:{words}"),
        kind,
        data: json!({}),
        text,
        confidence: 1.0,
        n: 1,
        sources: vec![source],
    }
}

fn added(store: &mut Store, new: &NewMemory) -> PatternId {
    match store.upsert_memory(new).unwrap() {
        Upserted::Added(id) => id,
        other => panic!("{other:?}"),
    }
}

/// The only memory.
fn only(store: &Store) -> Memory {
    let mut all = store.memories().unwrap();
    assert_eq!(all.len(), 1);
    all.remove(0)
}

fn places(store: &Store, id: PatternId) -> Vec<(SessionId, Option<u32>)> {
    let traced = store.memory(MemoryId::Pattern(id)).unwrap().unwrap();
    traced.sources.iter().map(|source| (source.session, source.seq)).collect()
}

#[test]
fn a_pattern_rests_on_the_sources_in_which_it_was_found_last() {
    let dir = tempdir().unwrap();
    let mut store = open(dir.path());
    let [one, two, three] = ["06:00:00", "07:00:00", "08:00:00"].map(|time| begin(&mut store, time));
    let sources = [source(one, None, "06:00:00"), source(two, None, "07:00:00"), source(two, None, "07:00:00")];
    let id = added(&mut store, &found(2, &sources));
    drop(store);
    let mut store = open(dir.path());
    let memory = only(&store);
    assert_eq!(
        (memory.id, &*memory.key, memory.kind, memory.state),
        (id, KEY, MemoryKind::Pattern, MemoryState::Active)
    );
    assert_eq!((memory.data, memory.n, memory.confidence), (Some(json!({"followed": 1, "of": 2})), 2, 0.7));
    assert_eq!((memory.first_at, memory.last_at), (at("2026-03-02T06:00:00Z"), at("2026-03-02T07:00:00Z")));
    assert_eq!(places(&store, id), [(one, None), (two, None)]);

    let later = [source(two, None, "07:00:00"), source(three, None, "08:00:00")];
    assert_eq!(store.upsert_memory(&found(3, &later)).unwrap(), Upserted::Updated(id));
    let memory = only(&store);
    assert_eq!((memory.data, memory.n), (Some(json!({"followed": 1, "of": 3})), 3));
    assert_eq!((memory.first_at, memory.last_at), (at("2026-03-02T07:00:00Z"), at("2026-03-02T08:00:00Z")));
    assert_eq!(places(&store, id), [(two, None), (three, None)]);
}

#[test]
fn what_is_told_again_gains_a_source_and_goes_with_the_last() {
    let dir = tempdir().unwrap();
    let mut store = open(dir.path());
    let (one, two) = (begin(&mut store, "06:00:00"), begin(&mut store, "07:00:00"));
    say(&mut store, one, "06:01:00", "у меня двое детей", "Слышу.");
    say(&mut store, two, "07:01:00", "у меня двое детей", "Слышу.");
    let id = added(&mut store, &told("двое детей", source(one, Some(1), "06:01:00")));
    let again = told("двое детей", source(two, Some(1), "07:01:00"));
    assert_eq!(store.upsert_memory(&again).unwrap(), Upserted::Updated(id));
    assert_eq!(places(&store, id), [(one, Some(1)), (two, Some(1))]);
    let traced = store.memory(MemoryId::Pattern(id)).unwrap().unwrap();
    assert_eq!(traced.sources[0].user_text.as_deref(), Some("у меня двое детей"));

    forget_session(&store, one);
    assert_eq!((only(&store).text.as_deref(), places(&store, id)), (Some("двое детей"), vec![(two, Some(1))]));
    forget_session(&store, two);
    assert_eq!(state(&store), "", "nobody has dismissed it: it may be told again");
}

#[test]
fn the_figures_of_a_deleted_session_wait_to_be_counted_again() {
    let dir = tempdir().unwrap();
    let mut store = open(dir.path());
    let (one, two) = (begin(&mut store, "06:00:00"), begin(&mut store, "07:00:00"));
    let sources = [source(one, None, "06:00:00"), source(two, None, "07:00:00")];
    let id = added(&mut store, &found(2, &sources));
    store.correct_memory(MemoryId::Pattern(id), "только по пятницам").unwrap();
    forget_session(&store, one);
    let memory = only(&store);
    assert_eq!((memory.data, memory.text.as_deref()), (None, Some("только по пятницам")));
    assert_eq!(memory.first_at, at("2026-03-02T07:00:00Z"));
    store.upsert_memory(&found(1, &sources[1..])).unwrap();
    assert_eq!(only(&store).data, Some(json!({"followed": 1, "of": 1})));
}

#[test]
fn the_users_word_stands_above_what_is_found_again() {
    let dir = tempdir().unwrap();
    let mut store = open(dir.path());
    let session = begin(&mut store, "06:00:00");
    say(&mut store, session, "06:01:00", "двое детей", "Слышу.");
    let new = told("двое детей", source(session, Some(1), "06:01:00"));
    let id = added(&mut store, &new);
    store.correct_memory(MemoryId::Pattern(id), "трое детей").unwrap();
    store.pin_memory(MemoryId::Pattern(id), true).unwrap();
    store.set_memory_state(id, MemoryState::Fading).unwrap();
    assert_eq!(only(&store).state, MemoryState::Fading);

    store.upsert_memory(&NewMemory { n: 2, ..new.clone() }).unwrap();
    let memory = only(&store);
    assert_eq!((memory.text.as_deref(), memory.corrected, memory.pinned), (Some("трое детей"), true, true));
    assert_eq!((memory.n, memory.state), (2, MemoryState::Active), "found again, so it does not fade");

    store.set_memory_state(id, MemoryState::Dismissed).unwrap();
    let before = state(&store);
    assert_eq!(store.upsert_memory(&NewMemory { n: 3, ..new.clone() }).unwrap(), Upserted::Dismissed);
    assert_eq!(state(&store), before);
    store.set_memory_state(id, MemoryState::Active).unwrap();
    assert_eq!(store.upsert_memory(&new).unwrap(), Upserted::Updated(id));
}

#[test]
fn a_deleted_pattern_is_not_found_again_and_leaves_its_key_alone() {
    let dir = tempdir().unwrap();
    let mut store = open(dir.path());
    let session = begin(&mut store, "06:00:00");
    let new = found(2, &[source(session, None, "06:00:00")]);
    let id = added(&mut store, &new);
    store.delete_memory(MemoryId::Pattern(id)).unwrap();
    assert_eq!(store.upsert_memory(&new).unwrap(), Upserted::Dismissed);
    forget_session(&store, session);
    assert_eq!(state(&store), format!("dismissed_keys [Text({KEY:?})]\n"));
    assert!(matches!(store.set_memory_state(id, MemoryState::Active), Err(StoreError::NotFound("memory"))));
}

#[test]
fn a_memory_that_comes_from_nowhere_is_refused() {
    let dir = tempdir().unwrap();
    let mut store = open(dir.path());
    let session = begin(&mut store, "06:00:00");
    let there = source(session, None, "06:00:00");
    let no_such_turn = source(session, Some(5), "06:00:00");
    let no_such_session = source("9".parse().unwrap(), None, "06:00:00");
    for sources in [&[][..], &[there, no_such_turn], &[there, no_such_session]] {
        let error = store.upsert_memory(&found(2, sources)).unwrap_err();
        assert!(matches!(error, StoreError::NotFound("source of the memory")), "{error:?}");
    }
    assert!(store.upsert_memory(&NewMemory { confidence: 1.5, ..found(2, &[there]) }).is_err());
    assert_eq!(state(&store), "");
}
