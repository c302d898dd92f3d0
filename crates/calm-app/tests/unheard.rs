//! A recording that no turn came of: what somebody said stays, silence goes, and what went leaves no sound behind.
#![allow(clippy::unwrap_used)]

use std::fs;
use std::time::Duration;

use calm_app::{AppError, Begin, Clock, Conductor, Format, Kind, Paths, Secrets, Spoken};
use calm_store::RecordingId;

const PATIENCE: Duration = Duration::from_secs(60);

struct House {
    dir: tempfile::TempDir,
    conductor: Conductor,
}

impl House {
    fn in_a_talk() -> House {
        let dir = tempfile::tempdir().unwrap();
        let paths = Paths { data: dir.path().join("data"), models: dir.path().join("models") };
        let clock = Clock::Fixed("2026-03-04T09:00:00Z".parse().unwrap());
        let mut conductor = Conductor::open(paths, Secrets::File, clock, Box::new(|_| {})).unwrap();
        conductor.begin(&Begin::new(Kind::CheckIn, Format::Unlimited, "window").seeded(1)).unwrap();
        House { dir, conductor }
    }

    /// Three seconds in the spool.
    fn recording(&mut self) -> RecordingId {
        let id = self.conductor.start_recording().unwrap();
        let second: Vec<i16> = (0..16_000).map(|n: i16| n.wrapping_mul(7)).collect();
        (0..3).for_each(|seq| self.conductor.store().append_chunk(id, seq, &second).unwrap());
        id
    }

    fn hear(&mut self, text: &str, speech_seconds: f32, recording: Option<RecordingId>) -> Result<(), AppError> {
        self.conductor.hear(&Spoken {
            text: text.to_owned(),
            emotion: None,
            seconds: 3.0,
            speech_seconds,
            asr_ms: 1,
            ser_ms: 0,
            microphone: "default".to_owned(),
            recording,
            session: None,
        })
    }

    fn left(&mut self) -> Vec<RecordingId> {
        self.conductor.store().recordings().unwrap().into_iter().map(|recording| recording.id).collect()
    }

    fn log_bytes(&self) -> u64 {
        fs::metadata(self.dir.path().join("data/calm.db-wal")).unwrap().len()
    }
}

#[test]
fn a_voice_that_no_words_came_of_stays_and_becomes_a_turn_when_it_is_understood() {
    let mut house = House::in_a_talk();
    let unclear = house.recording();
    let told = house.hear(" ", 2.1, Some(unclear)).unwrap_err();
    assert_eq!((told.code(), house.left()), ("no_words", vec![unclear]));
    assert!(told.to_string().contains("stays"), "{told}");
    house.hear("план на два входа", 2.1, Some(unclear)).unwrap();
    assert_eq!(house.left(), [], "its words are a turn");
}

#[test]
fn silence_is_let_go_at_once() {
    let mut house = House::in_a_talk();
    let silent = house.recording();
    assert_eq!(house.hear("", 0.0, Some(silent)).unwrap_err().code(), "nothing_heard");
    assert_eq!(house.left(), []);
    // Of a file nothing was spooled: it lies where the user keeps it.
    assert_eq!(house.hear("", 2.0, None).unwrap_err().code(), "nothing_heard");
}

#[test]
fn a_voice_without_words_goes_with_its_talk() {
    let mut house = House::in_a_talk();
    let session = house.conductor.running().unwrap();
    let unclear = house.recording();
    house.hear("", 2.1, Some(unclear)).unwrap_err();
    house.conductor.leave().unwrap();
    assert_eq!(house.left(), [unclear], "a week is left to hear it again");
    let gone = house.conductor.delete_session(session).unwrap();
    assert_eq!((gone.recordings, gone.traceless, house.left()), (1, true, vec![]));
}

#[test]
fn no_sound_is_left_in_the_log_once_the_talk_is_over() {
    let mut house = House::in_a_talk();
    let said = house.recording();
    house.hear("план на два входа", 2.1, Some(said)).unwrap();
    assert!(house.conductor.all_learned(PATIENCE));
    assert!(house.log_bytes() > 96_000, "the pages of three seconds: else this test shows nothing");
    house.conductor.leave().unwrap();
    assert!(house.conductor.all_learned(PATIENCE));
    assert_eq!(house.log_bytes(), 0);
}
