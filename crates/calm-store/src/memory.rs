//! Memory as the user meets it: all three levels are listed, found, traced to what was said, corrected and deleted
//! alike (SPEC M2, H10).

use std::fmt;
use std::str::FromStr;

use jiff::Timestamp;
use rusqlite::params;
use serde::{Deserialize, Serialize};

use crate::columns::Millis;
use crate::experiences::{Experience, ExperienceId};
use crate::lessons::{Lesson, LessonId};
use crate::memories::{Memory, PatternId};
use crate::rows::debug_shows;
use crate::sessions::SessionId;
use crate::{Left, Store, StoreError, forgotten, memories};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    Experiences,
    Patterns,
    Lessons,
}

/// A memory of any level: `E12`, `P3` or `L4`, in JSON as on the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub enum MemoryId {
    Experience(ExperienceId),
    Pattern(PatternId),
    Lesson(LessonId),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a memory is called like E12, P3 or L4")]
pub struct NotAMemoryId;

impl fmt::Display for MemoryId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MemoryId::Experience(id) => write!(f, "E{id}"),
            MemoryId::Pattern(id) => write!(f, "P{id}"),
            MemoryId::Lesson(id) => write!(f, "L{id}"),
        }
    }
}

impl FromStr for MemoryId {
    type Err = NotAMemoryId;

    /// Small letters are forgiven.
    fn from_str(text: &str) -> Result<MemoryId, NotAMemoryId> {
        let text = text.trim();
        let (level, number) = text.split_at_checked(1).ok_or(NotAMemoryId)?;
        if !number.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(NotAMemoryId);
        }
        match level {
            "E" | "e" => number.parse().map(MemoryId::Experience),
            "P" | "p" => number.parse().map(MemoryId::Pattern),
            "L" | "l" => number.parse().map(MemoryId::Lesson),
            _ => return Err(NotAMemoryId),
        }
        .map_err(|_| NotAMemoryId)
    }
}

impl From<MemoryId> for String {
    fn from(id: MemoryId) -> String {
        id.to_string()
    }
}

impl TryFrom<String> for MemoryId {
    type Error = NotAMemoryId;

    fn try_from(text: String) -> Result<MemoryId, NotAMemoryId> {
        text.parse()
    }
}

/// Which memories to list.
#[derive(Clone, PartialEq, Eq)]
pub struct MemoryFilter {
    /// `None` for all of them.
    pub level: Option<Level>,
    /// Words, or beginnings of words, that must all be there, in any case; `None` or blank for everything.
    pub query: Option<String>,
    pub limit: usize,
}

#[derive(Debug, Clone, PartialEq)]
pub enum MemoryEntry {
    Experience(Experience),
    Pattern(Memory),
    Lesson(Lesson),
}

/// A memory with everything that it comes from, oldest first.
#[derive(Debug, Clone, PartialEq)]
pub struct TracedMemory {
    pub entry: MemoryEntry,
    pub sources: Vec<TracedSource>,
}

#[derive(Clone, PartialEq, Eq)]
pub struct TracedSource {
    pub session: SessionId,
    pub session_started_at: Timestamp,
    /// `None` where it comes from the session as a whole.
    pub seq: Option<u32>,
    pub at: Timestamp,
    /// What the user said in that turn.
    pub user_text: Option<String>,
}

debug_shows! {
    MemoryFilter: level, limit;
    TracedSource: session, seq, at;
}

impl MemoryEntry {
    pub fn id(&self) -> MemoryId {
        match self {
            MemoryEntry::Experience(experience) => MemoryId::Experience(experience.id),
            MemoryEntry::Pattern(memory) => MemoryId::Pattern(memory.id),
            MemoryEntry::Lesson(lesson) => MemoryId::Lesson(lesson.id),
        }
    }

    pub fn last_at(&self) -> Timestamp {
        match self {
            MemoryEntry::Experience(experience) => experience.last_at,
            MemoryEntry::Pattern(memory) => memory.last_at,
            MemoryEntry::Lesson(lesson) => lesson.figures.last_at,
        }
    }
}

impl Store {
    /// The newest memories that fit, the newest first.
    ///
    /// With a query, every memory may have to be read: it is for a person who is looking for something.
    pub fn list_memories(&self, filter: &MemoryFilter) -> Result<Vec<MemoryEntry>, StoreError> {
        let query = fold(filter.query.as_deref().unwrap_or_default());
        let words: Vec<&str> = query.split_whitespace().collect();
        let fits = |text: &str| words.is_empty() || contains(&words, text);
        let wanted = |level| filter.level.is_none_or(|wanted| wanted == level);
        let mut found = Vec::new();
        if wanted(Level::Experiences) {
            found.extend(self.newest_experiences(filter.limit, fits)?.into_iter().map(MemoryEntry::Experience));
        }
        if wanted(Level::Patterns) {
            let fitting = self.memories()?.into_iter().filter(|memory| {
                let data = memory.data.as_ref().map(ToString::to_string);
                [Some(&memory.key), memory.text.as_ref(), data.as_ref()].into_iter().flatten().any(|text| fits(text))
            });
            found.extend(fitting.take(filter.limit).map(MemoryEntry::Pattern));
        }
        if wanted(Level::Lessons) {
            found.extend(self.newest_lessons(filter.limit, fits)?.into_iter().map(MemoryEntry::Lesson));
        }
        found.sort_by_key(|entry| std::cmp::Reverse((entry.last_at(), entry.id())));
        found.truncate(filter.limit);
        Ok(found)
    }

    pub fn memory(&self, id: MemoryId) -> Result<Option<TracedMemory>, StoreError> {
        let entry = match id {
            MemoryId::Experience(id) => self.experience(id)?.map(MemoryEntry::Experience),
            MemoryId::Pattern(id) => self.pattern(id)?.map(MemoryEntry::Pattern),
            MemoryId::Lesson(id) => self.lesson(id)?.map(MemoryEntry::Lesson),
        };
        let Some(entry) = entry else { return Ok(None) };
        let Rows { sources, key, .. } = rows(id);
        let mut statement = self.conn.prepare_cached(&format!(
            "SELECT source.session_id, started_at, source.seq, source.at, user_text
             FROM {sources} AS source JOIN sessions ON sessions.id = source.session_id
             LEFT JOIN turns ON turns.session_id = source.session_id AND turns.seq = source.seq
             WHERE {key} = ?1 ORDER BY source.at, source.session_id, source.seq"
        ))?;
        let sources = statement.query_map([number(id)], |row| {
            Ok(TracedSource {
                session: row.get("session_id")?,
                session_started_at: row.get::<_, Millis>("started_at")?.0,
                seq: row.get("seq")?,
                at: row.get::<_, Millis>("at")?.0,
                user_text: row.get("user_text")?,
            })
        })?;
        Ok(Some(TracedMemory { entry, sources: sources.collect::<Result<_, _>>()? }))
    }

    /// Puts the user's own words in the place of what Calm remembers, or beside it where Calm has no words.
    ///
    /// An experience loses its embedding with its old words.
    pub fn correct_memory(&mut self, id: MemoryId, text: &str) -> Result<(), StoreError> {
        let correct = match id {
            MemoryId::Experience(_) => {
                "UPDATE experiences SET situation = ?2, corrected = 1, embedding = NULL, embedding_model = NULL
                 WHERE id = ?1"
            }
            MemoryId::Pattern(_) => "UPDATE memories SET text = ?2, corrected = 1 WHERE id = ?1",
            MemoryId::Lesson(_) => "UPDATE lessons SET text = ?2 WHERE id = ?1",
        };
        there(self.conn.prepare_cached(correct)?.execute(params![number(id), text])?)
    }

    pub fn pin_memory(&mut self, id: MemoryId, pinned: bool) -> Result<(), StoreError> {
        let pin = format!("UPDATE {} SET pinned = ?2 WHERE id = ?1", rows(id).table);
        there(self.conn.prepare_cached(&pin)?.execute(params![number(id), pinned])?)
    }

    /// Forgets a memory for good; the sessions that it came from stay.
    ///
    /// Nothing makes it again, an older export neither: its turns have been remembered, and what they were is kept as a hash;
    /// the key of a pattern is dismissed.
    pub fn delete_memory(&mut self, id: MemoryId) -> Result<Left, StoreError> {
        let (gone, left) = self.delete(|tx| match id {
            MemoryId::Experience(id) => forgotten::delete_experience(tx, id),
            MemoryId::Pattern(id) => memories::delete(tx, id),
            MemoryId::Lesson(id) => forgotten::delete_lesson(tx, id),
        })?;
        there(gone)?;
        Ok(left)
    }
}

/// Where a level lies.
struct Rows {
    table: &'static str,
    sources: &'static str,
    key: &'static str,
}

fn rows(id: MemoryId) -> Rows {
    match id {
        MemoryId::Experience(_) => Rows { table: "experiences", sources: "experience_sources", key: "experience_id" },
        MemoryId::Pattern(_) => Rows { table: "memories", sources: "memory_sources", key: "memory_id" },
        MemoryId::Lesson(_) => Rows { table: "lessons", sources: "lesson_sources", key: "lesson_id" },
    }
}

fn number(id: MemoryId) -> Box<dyn rusqlite::ToSql> {
    match id {
        MemoryId::Experience(id) => Box::new(id),
        MemoryId::Pattern(id) => Box::new(id),
        MemoryId::Lesson(id) => Box::new(id),
    }
}

fn there(rows: usize) -> Result<(), StoreError> {
    if rows == 0 { Err(StoreError::NotFound("memory")) } else { Ok(()) }
}

fn fold(text: &str) -> String {
    text.to_lowercase().replace('ё', "е")
}

/// All `words` begin a word of `text`.
fn contains(words: &[&str], text: &str) -> bool {
    let text = fold(text);
    words.iter().all(|word| {
        text.match_indices(word).any(|(at, _)| !text[..at].chars().next_back().is_some_and(char::is_alphanumeric))
    })
}
