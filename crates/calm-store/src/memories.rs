//! What repeats itself, and what the user has told: the second level of memory (SPEC M2).
//!
//! The user's word stands above what is found again: a correction is not written over, and what was dismissed or
//! deleted does not come back. What is a pattern, how sure it is and when it fades is decided elsewhere.

use std::collections::HashSet;

use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, Row, ffi, params};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::columns::{Json, Millis, Name};
use crate::rows::{debug_shows, row_id};
use crate::sessions::SessionId;
use crate::{Store, StoreError};

/// Dates follow the sources by themselves, and with its last source a memory goes too. Where one of several goes, the
/// figures still speak of it, so they go until they are counted again. Of a deleted memory only the key is left.
pub(crate) const SCHEMA: &str = "
CREATE TABLE memories (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    key TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL CHECK (kind IN ('pattern', 'told')),
    state TEXT NOT NULL DEFAULT 'active' CHECK (state IN ('active', 'fading', 'dismissed')),
    confidence REAL NOT NULL CHECK (confidence BETWEEN 0 AND 1),
    n INTEGER NOT NULL,
    first_at INTEGER NOT NULL,
    last_at INTEGER NOT NULL,
    pinned INTEGER NOT NULL DEFAULT 0 CHECK (pinned IN (0, 1)),
    corrected INTEGER NOT NULL DEFAULT 0 CHECK (corrected IN (0, 1)),
    text TEXT,
    data_json TEXT
) STRICT;
CREATE INDEX memories_in_time ON memories (last_at, id);

CREATE TABLE memory_sources (
    id INTEGER PRIMARY KEY,
    memory_id INTEGER NOT NULL REFERENCES memories (id) ON DELETE CASCADE,
    session_id INTEGER NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    seq INTEGER,
    at INTEGER NOT NULL,
    FOREIGN KEY (session_id, seq) REFERENCES turns (session_id, seq) ON DELETE CASCADE
) STRICT;
CREATE UNIQUE INDEX memory_sources_once ON memory_sources (memory_id, session_id, COALESCE(seq, 0));
CREATE INDEX memory_sources_of_turn ON memory_sources (session_id, seq);

CREATE TABLE dismissed_keys (
    key TEXT PRIMARY KEY
) STRICT, WITHOUT ROWID;

CREATE TRIGGER memory_source_added AFTER INSERT ON memory_sources BEGIN
    UPDATE memories SET first_at = MIN(first_at, new.at), last_at = MAX(last_at, new.at) WHERE id = new.memory_id;
END;
CREATE TRIGGER memory_source_removed AFTER DELETE ON memory_sources
WHEN EXISTS (SELECT 1 FROM memories WHERE id = old.memory_id) BEGIN
    DELETE FROM memories WHERE id = old.memory_id
        AND NOT EXISTS (SELECT 1 FROM memory_sources WHERE memory_id = old.memory_id);
    UPDATE memories SET data_json = NULL, first_at = kept.first_at, last_at = kept.last_at
    FROM (SELECT MIN(at) AS first_at, MAX(at) AS last_at FROM memory_sources WHERE memory_id = old.memory_id) AS kept
    WHERE id = old.memory_id;
END;
";

row_id!(PatternId);

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MemoryKind {
    /// Found in many sessions.
    Pattern,
    /// In the user's own words.
    Told,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MemoryState {
    Active,
    /// Not seen for long.
    Fading,
    /// The user says that it is not so.
    Dismissed,
}

/// A pattern as it was found, or something as it was told.
#[derive(Clone, PartialEq)]
pub struct NewMemory {
    /// What makes it the same memory when it is found again, in any language. It is all that a deletion leaves, so none
    /// of the user's words may be in it.
    pub key: String,
    pub kind: MemoryKind,
    /// Slots and counts.
    pub data: Value,
    /// The words told.
    pub text: Option<String>,
    /// 0–1.
    pub confidence: f64,
    /// The number of cases that the figures rest on.
    pub n: u32,
    /// At least one: a memory that comes from nowhere could not be forgotten.
    pub sources: Vec<MemorySource>,
}

/// Where a memory comes from: a session, or one turn of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MemorySource {
    pub session: SessionId,
    pub seq: Option<u32>,
    pub at: Timestamp,
}

#[derive(Clone, PartialEq)]
pub struct Memory {
    pub id: PatternId,
    pub key: String,
    pub kind: MemoryKind,
    pub state: MemoryState,
    /// 0–1.
    pub confidence: f64,
    pub n: u32,
    pub first_at: Timestamp,
    pub last_at: Timestamp,
    pub pinned: bool,
    /// The text is the user's correction.
    pub corrected: bool,
    /// The user's correction, or the words told.
    pub text: Option<String>,
    /// Slots and counts; `None` when a session that they speak of was deleted, until they are counted again.
    pub data: Option<Value>,
}

/// What [`Store::upsert_memory`] did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Upserted {
    Added(PatternId),
    Updated(PatternId),
    /// The user does not want it; nothing has changed.
    Dismissed,
}

debug_shows! {
    NewMemory: kind, confidence, n;
    Memory: id, kind, state, confidence, n;
}

impl Store {
    /// Keeps a memory under its key, and brings one that is there up to date.
    ///
    /// A pattern rests on exactly these sources from now on; to what was told they are added. Pins and corrections
    /// stay.
    ///
    /// # Errors
    /// Nothing is written. [`StoreError::NotFound`] where a source is gone, or none is given.
    pub fn upsert_memory(&mut self, new: &NewMemory) -> Result<Upserted, StoreError> {
        let first_at = new.sources.iter().map(|source| source.at).min();
        let Some(first_at) = first_at else { return Err(StoreError::NotFound("source of the memory")) };
        let tx = self.write()?;
        let unwanted: bool = tx
            .prepare_cached(
                "SELECT EXISTS (SELECT 1 FROM dismissed_keys WHERE key = ?1)
                     OR EXISTS (SELECT 1 FROM memories WHERE key = ?1 AND state = 'dismissed')",
            )?
            .query_row([&new.key], |row| row.get(0))?;
        if unwanted {
            return Ok(Upserted::Dismissed);
        }
        let known: Option<PatternId> = tx
            .prepare_cached("SELECT id FROM memories WHERE key = ?1")?
            .query_row([&new.key], |row| row.get(0))
            .optional()?;
        let id = match known {
            Some(id) => id,
            None => tx
                .prepare_cached(
                    "INSERT INTO memories (key, kind, confidence, n, first_at, last_at)
                     VALUES (?1, ?2, ?3, ?4, ?5, ?5) RETURNING id",
                )?
                .query_row(params![new.key, Name(new.kind), new.confidence, new.n, Millis(first_at)], |row| {
                    row.get(0)
                })?,
        };
        set_sources(&tx, id, new)?;
        // Last, because a source that goes takes the old figures with it.
        tx.prepare_cached(
            "UPDATE memories SET kind = ?2, confidence = ?3, n = ?4, data_json = ?5, state = 'active',
                 text = IIF(corrected, text, ?6)
             WHERE id = ?1",
        )?
        .execute(params![id, Name(new.kind), new.confidence, new.n, Json(&new.data), new.text])?;
        tx.commit()?;
        Ok(if known.is_some() { Upserted::Updated(id) } else { Upserted::Added(id) })
    }

    /// Lets a memory fade, dismisses it, or takes it up again.
    pub fn set_memory_state(&mut self, id: PatternId, state: MemoryState) -> Result<(), StoreError> {
        let changed = self
            .conn
            .prepare_cached("UPDATE memories SET state = ?2 WHERE id = ?1")?
            .execute(params![id, Name(state)])?;
        if changed == 0 { Err(StoreError::NotFound("memory")) } else { Ok(()) }
    }

    /// The whole second level, dismissed ones too, the newest first.
    pub fn memories(&self) -> Result<Vec<Memory>, StoreError> {
        let mut statement = self.conn.prepare_cached("SELECT * FROM memories ORDER BY last_at DESC, id DESC")?;
        let memories = statement.query_map([], memory)?;
        Ok(memories.collect::<Result<_, _>>()?)
    }

    pub(crate) fn pattern(&self, id: PatternId) -> Result<Option<Memory>, StoreError> {
        Ok(self.conn.prepare_cached("SELECT * FROM memories WHERE id = ?1")?.query_row([id], memory).optional()?)
    }
}

/// Removes a memory, and sees to it that it is not found again.
pub(crate) fn delete(tx: &Connection, id: PatternId) -> Result<usize, StoreError> {
    tx.prepare_cached("INSERT OR IGNORE INTO dismissed_keys (key) SELECT key FROM memories WHERE id = ?1")?
        .execute([id])?;
    Ok(tx.prepare_cached("DELETE FROM memories WHERE id = ?1")?.execute([id])?)
}

fn set_sources(tx: &Connection, id: PatternId, new: &NewMemory) -> Result<(), StoreError> {
    let mut insert = tx.prepare_cached(
        "INSERT INTO memory_sources (memory_id, session_id, seq, at) VALUES (?1, ?2, ?3, ?4) ON CONFLICT DO NOTHING",
    )?;
    for source in &new.sources {
        insert.execute(params![id, source.session, source.seq, Millis(source.at)]).map_err(|e| {
            match e.sqlite_error() {
                Some(e) if e.extended_code == ffi::SQLITE_CONSTRAINT_FOREIGNKEY => {
                    StoreError::NotFound("source of the memory")
                }
                _ => e.into(),
            }
        })?;
    }
    if new.kind == MemoryKind::Told {
        return Ok(());
    }
    let wanted: HashSet<_> = new.sources.iter().map(|source| (source.session, source.seq)).collect();
    let mut statement = tx.prepare_cached("SELECT id, session_id, seq FROM memory_sources WHERE memory_id = ?1")?;
    let stored = statement
        .query_map([id], |row| Ok((row.get::<_, i64>(0)?, (row.get(1)?, row.get(2)?))))?
        .collect::<Result<Vec<_>, _>>()?;
    let mut remove = tx.prepare_cached("DELETE FROM memory_sources WHERE id = ?1")?;
    for (row, _) in stored.iter().filter(|(_, place)| !wanted.contains(place)) {
        remove.execute([row])?;
    }
    Ok(())
}

pub(crate) fn memory(row: &Row<'_>) -> rusqlite::Result<Memory> {
    Ok(Memory {
        id: row.get("id")?,
        key: row.get("key")?,
        kind: row.get::<_, Name<_>>("kind")?.0,
        state: row.get::<_, Name<_>>("state")?.0,
        confidence: row.get("confidence")?,
        n: row.get("n")?,
        first_at: row.get::<_, Millis>("first_at")?.0,
        last_at: row.get::<_, Millis>("last_at")?.0,
        pinned: row.get("pinned")?,
        corrected: row.get("corrected")?,
        text: row.get("text")?,
        data: row.get::<_, Option<Json<_>>>("data_json")?.map(|json| json.0),
    })
}
