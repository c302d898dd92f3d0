use calm_core::Kind;
use calm_store::{CHUNK_SAMPLES, Store, StoreError};
use tempfile::tempdir;

use crate::{at, new_session, open, turn};

/// Three and a half seconds that no two places share.
fn speech() -> Vec<i16> {
    (0..CHUNK_SAMPLES * 7 / 2).map(|i| (i % 65_536) as u16 as i16).collect()
}

fn spooled(store: &mut Store) -> calm_store::RecordingId {
    let recording = store.start_recording(at("2026-03-02T06:00:00Z"), None).unwrap();
    for (seq, chunk) in (0..).zip(speech().chunks(CHUNK_SAMPLES)) {
        store.append_chunk(recording, seq, chunk).unwrap();
    }
    recording
}

#[test]
fn a_recording_comes_back_sample_by_sample_after_a_restart() {
    let dir = tempdir().unwrap();
    let mut store = open(dir.path());
    let session = store.begin_session(&new_session(Kind::CheckIn, "06:00:00")).unwrap();
    let silent = store.start_recording(at("2026-03-02T06:00:00Z"), Some(session)).unwrap();
    let recording = spooled(&mut store);
    drop(store);

    let store = open(dir.path());
    let [first, second] = &store.recordings().unwrap()[..] else { panic!("two recordings") };
    assert_eq!((first.id, first.seconds, first.session), (silent, 0.0, Some(session)));
    assert_eq!((second.id, second.seconds, second.session), (recording, 3.5, None));
    assert_eq!(second.started_at, at("2026-03-02T06:00:00Z"));
    assert!(store.recording_samples(recording).unwrap() == speech());
}

#[test]
fn a_stored_turn_takes_its_recording_out_of_the_spool() {
    let dir = tempdir().unwrap();
    let mut store = open(dir.path());
    let session = store.begin_session(&new_session(Kind::CheckIn, "06:00:00")).unwrap();
    let recording = spooled(&mut store);
    store.record_turn(session, &turn("восемь", "Слышу."), Some(recording)).unwrap();
    assert_eq!(store.recordings().unwrap(), []);
    assert!(store.recording_samples(recording).unwrap().is_empty());
}

#[test]
fn one_recording_does_not_become_two_turns() {
    let dir = tempdir().unwrap();
    let mut store = open(dir.path());
    let session = store.begin_session(&new_session(Kind::CheckIn, "06:00:00")).unwrap();
    let recording = spooled(&mut store);
    store.record_turn(session, &turn("восемь", "Слышу."), Some(recording)).unwrap();
    let again = store.record_turn(session, &turn("восемь", "Слышу."), Some(recording));
    assert!(matches!(again, Err(StoreError::NotFound("recording"))), "{again:?}");
    assert_eq!(store.session(session).unwrap().unwrap().turns.len(), 1);
}

#[test]
fn a_turn_that_cannot_be_stored_leaves_its_recording_where_it_was() {
    let dir = tempdir().unwrap();
    let mut store = open(dir.path());
    let recording = spooled(&mut store);
    assert!(store.record_turn("9".parse().unwrap(), &turn("восемь", "Слышу."), Some(recording)).is_err());
    assert!(store.recording_samples(recording).unwrap() == speech());
}

#[test]
fn a_dropped_recording_is_gone_and_takes_no_more_sound() {
    let dir = tempdir().unwrap();
    let mut store = open(dir.path());
    let recording = spooled(&mut store);
    store.drop_recording(recording).unwrap();
    store.drop_recording(recording).unwrap();
    assert_eq!(store.recordings().unwrap(), []);
    assert!(matches!(store.append_chunk(recording, 9, &[1, 2]), Err(StoreError::NotFound("recording"))));
}

#[test]
fn a_recording_that_the_user_wants_kept_stays_as_its_turn_s_and_waits_for_nothing() {
    let dir = tempdir().unwrap();
    let mut store = open(dir.path());
    store.keep_recordings(true);
    let session = store.begin_session(&new_session(Kind::CheckIn, "06:00:00")).unwrap();
    let recording = spooled(&mut store);
    assert!(store.kept_recordings().unwrap().is_empty(), "it waits");
    let seq = store.record_turn(session, &turn("готова", "Слышу."), Some(recording)).unwrap();
    assert!(store.recordings().unwrap().is_empty(), "nobody is to hear it again");
    let [kept] = &store.kept_recordings().unwrap()[..] else { panic!("one recording") };
    assert_eq!((kept.turn, kept.recording.session, kept.recording.seconds), (seq, Some(session), 3.5));
    assert!(store.recording_samples(recording).unwrap() == speech());
    let again = store.record_turn(session, &turn("готова", "Слышу."), Some(recording));
    assert!(matches!(again, Err(StoreError::NotFound("recording"))));
    assert_eq!(store.session(session).unwrap().unwrap().turns.len(), 1);

    assert_eq!(store.drop_kept_recordings(at("2026-03-02T06:00:00Z")).unwrap(), (0, None));
    let waiting = spooled(&mut store);
    assert_eq!(store.drop_kept_recordings(at("2026-03-02T06:00:01Z")).unwrap(), (1, None));
    assert_eq!(store.recordings().unwrap()[0].id, waiting, "what waits to be understood is another thing");

    let other = spooled(&mut store);
    store.record_turn(session, &turn("ещё", "Слышу."), Some(other)).unwrap();
    let gone = store.delete_sessions(&[session]).unwrap();
    assert_eq!((gone.recordings, store.kept_recordings().unwrap().len()), (1, 0));
}
