//! The contour of a sentence that nobody has answered: for looking at labels outside a session (SPEC C1–C4).

use std::time::{Duration, Instant};

use calm_core::contour::{Background, ShortTerm, StateVector, Topic, mood, sense};
use calm_core::{Kind, read};
use calm_store::{SessionId, StoreError};
use serde::Serialize;

use crate::conductor::Conductor;
use crate::error::AppError;
use crate::remembering::Recalled;

/// Nobody waits for a reply here, so memory gets its time.
const PATIENCE: Duration = Duration::from_secs(20);
/// A thread that no session has.
const NOBODY: i64 = 0;

#[derive(Debug, Clone, Serialize)]
pub struct Sensed {
    pub labels: String,
    pub state: StateVector,
    /// Time that the contour itself took, without reading the words and without memory's.
    pub micros: u64,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub recalled: Vec<Recalled>,
}

impl Conductor {
    /// Senses `text` as the next words of the session `thread`, or as the first words of a check-in.
    ///
    /// # Errors
    /// There is no such session.
    pub fn sensed(&mut self, text: &str, thread: Option<SessionId>) -> Result<Sensed, AppError> {
        let now = self.now();
        let (kind, language, talk) = match thread {
            Some(id) => self.short_term(id)?,
            None => (Kind::CheckIn, self.settings().language, ShortTerm::default()),
        };
        let id = thread.unwrap_or(SessionId::from(NOBODY));
        self.memory.prepare(now);
        // The first look sends memory searching, the second sees what it found (SPEC C3).
        self.memory.recall(text, id, language, now);
        self.memory.settle(PATIENCE);
        let (mind, recalled) = self.memory.recall(text, id, language, now);
        let said = read(text, language, None);
        let clock = Instant::now();
        let background = Background::of_talk(kind, &mind, &talk, Topic::of(&said));
        let state = sense(text, &said, None, &background);
        let labels = state.labels(language);
        let micros = u64::try_from(clock.elapsed().as_micros()).unwrap_or(u64::MAX);
        Ok(Sensed { labels, state, micros, recalled })
    }

    fn short_term(&self, id: SessionId) -> Result<(Kind, calm_core::Lang, ShortTerm), AppError> {
        let Some(record) = self.read_store().session(id)? else { return Err(StoreError::NotFound("session").into()) };
        let language = record.session.begun.language;
        let mut talk = ShortTerm::default();
        for turn in &record.turns {
            let Some(text) = &turn.record.user_text else { continue };
            let said = read(text, language, None);
            let heavy = mood(&said, turn.record.voice.as_ref()).is_negative();
            talk.hear(Topic::of(&said), &said, heavy);
        }
        Ok((record.session.begun.kind, language, talk))
    }
}
