//! Memory in the user's hands: every memory is listed, found, traced to what was said, corrected, pinned and deleted
//! (SPEC M2, H10).

use calm_core::Lang;
use std::time::Duration;

use calm_core::contour::Topic;
use calm_store::{
    Left, Level, Memory, MemoryEntry, MemoryFilter, MemoryId, MemoryKind, MemoryState, SessionId, TracedMemory,
};
use jiff::Timestamp;
use serde::Serialize;

use crate::conductor::Conductor;
use crate::error::AppError;
use crate::remembering::sentences;

/// One memory, as both doors show it: a guess with its grounds, never a fact.
#[derive(Debug, Clone, Serialize)]
pub struct MemoryLine {
    pub id: MemoryId,
    pub level: Level,
    /// What it says, in the user's words or in ours.
    pub words: String,
    pub at: Timestamp,
    /// Turns, sessions or replies that it rests on.
    pub n: u32,
    pub pinned: bool,
    /// The words are the user's correction.
    pub corrected: bool,
    /// Told by the user, as against found.
    pub told: bool,
    pub state: MemoryState,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub topic: Option<Topic>,
}

/// A memory with everything that it comes from.
#[derive(Debug, Clone, Serialize)]
pub struct MemoryPage {
    #[serde(flatten)]
    pub line: MemoryLine,
    pub sources: Vec<Source>,
}

#[derive(Debug, Clone, Serialize)]
pub struct Source {
    pub session_id: SessionId,
    pub at: Timestamp,
    /// What was said then, where it comes from one turn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub words: Option<String>,
}

impl Conductor {
    /// The newest first; with `query`, those in which all its words begin a word.
    pub fn memories(
        &self,
        level: Option<Level>,
        query: Option<String>,
        limit: usize,
    ) -> Result<Vec<MemoryLine>, AppError> {
        let language = self.language();
        let entries = self.store.list_memories(&MemoryFilter { level, query, limit })?;
        Ok(entries.into_iter().map(|entry| line(entry, language)).collect())
    }

    /// # Errors
    /// There is no such memory.
    pub fn memory(&self, id: MemoryId) -> Result<MemoryPage, AppError> {
        let Some(TracedMemory { entry, sources }) = self.store.memory(id)? else {
            return Err(AppError::NoSuchMemory);
        };
        let source = |source: calm_store::TracedSource| Source {
            session_id: source.session,
            at: source.at,
            words: source.user_text,
        };
        Ok(MemoryPage { line: line(entry, self.language()), sources: sources.into_iter().map(source).collect() })
    }

    /// Puts the user's words in the place of what was remembered.
    ///
    /// # Errors
    /// There is no such memory, or the text is blank.
    pub fn correct_memory(&mut self, id: MemoryId, text: &str) -> Result<(), AppError> {
        let text = text.trim();
        if text.is_empty() {
            return Err(AppError::BlankMemory);
        }
        self.store.correct_memory(id, text)?;
        self.memory.read_again();
        Ok(())
    }

    /// A pinned memory does not fade.
    pub fn pin_memory(&mut self, id: MemoryId, pinned: bool) -> Result<(), AppError> {
        self.store.pin_memory(id, pinned)?;
        self.memory.read_again();
        Ok(())
    }

    /// Forgets it for good; the sessions that it came from stay.
    pub fn forget_memory(&mut self, id: MemoryId) -> Result<Left, AppError> {
        let left = self.store.delete_memory(id)?;
        self.memory.read_again();
        Ok(left)
    }

    /// Waits until every turn that was written has been learned from; false where that takes longer than `patience`.
    pub fn all_learned(&self, patience: Duration) -> bool {
        self.memory.settle(patience)
    }

    /// "No, that is not so": the pattern stays away, and can be taken up again.
    pub fn dismiss_memory(&mut self, id: MemoryId, dismissed: bool) -> Result<(), AppError> {
        let MemoryId::Pattern(pattern) = id else { return Err(AppError::NoSuchMemory) };
        let state = if dismissed { MemoryState::Dismissed } else { MemoryState::Active };
        self.store.set_memory_state(pattern, state)?;
        Ok(())
    }
}

fn line(entry: MemoryEntry, language: Lang) -> MemoryLine {
    let id = entry.id();
    let at = entry.last_at();
    match entry {
        MemoryEntry::Experience(experience) => MemoryLine {
            id,
            level: Level::Experiences,
            words: experience.situation,
            at,
            n: experience.times,
            pinned: experience.pinned,
            corrected: experience.corrected,
            told: false,
            state: MemoryState::Active,
            topic: experience.topic.as_deref().and_then(Topic::named),
        },
        MemoryEntry::Pattern(memory) => pattern(&memory, id, language),
        MemoryEntry::Lesson(lesson) => MemoryLine {
            id,
            level: Level::Lessons,
            corrected: lesson.text.is_some(),
            words: lesson.text.unwrap_or_else(|| missed(&lesson.topic, language)),
            at,
            n: lesson.figures.times,
            pinned: lesson.figures.pinned,
            told: false,
            state: MemoryState::Active,
            topic: Topic::named(&lesson.topic),
        },
    }
}

fn pattern(memory: &Memory, id: MemoryId, language: Lang) -> MemoryLine {
    let recounting = match language {
        Lang::Ru => "Считается заново: разговор, на котором это держалось, удалён.",
        Lang::En => "Being counted anew: a session that it rested on was deleted.",
    };
    MemoryLine {
        id,
        level: Level::Patterns,
        words: sentences::of(memory, language).unwrap_or_else(|| recounting.to_owned()),
        at: memory.last_at,
        n: memory.n,
        pinned: memory.pinned,
        corrected: memory.corrected,
        told: memory.kind == MemoryKind::Told,
        state: memory.state,
        topic: None,
    }
}

fn missed(topic: &str, language: Lang) -> String {
    let word = Topic::named(topic).map_or(topic, |topic| topic.word(language));
    match language {
        Lang::Ru => format!("Ответы про «{word}» бывали мимо: тут Calm осторожнее."),
        Lang::En => format!("Replies about {word} have missed before: Calm is more careful here."),
    }
}
