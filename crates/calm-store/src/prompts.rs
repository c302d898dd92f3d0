//! The versions of the prompts: each whole and unchangeable, one of them in use, every change written down
//! (SPEC P3–P5).
//!
//! Whether a version may be finalized or must be rolled back is decided elsewhere.

use std::collections::BTreeMap;

use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, Row, params};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::columns::{Json, Millis, Name};
use crate::rows::{debug_shows, row_id};
use crate::{Store, StoreError};

pub(crate) const SCHEMA: &str = "
CREATE TABLE prompt_versions (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    set_id TEXT NOT NULL,
    version TEXT NOT NULL,
    hash TEXT NOT NULL,
    origin TEXT NOT NULL CHECK (origin IN ('shipped', 'user')),
    parent TEXT,
    note TEXT,
    files_json TEXT NOT NULL,
    finalized_at INTEGER NOT NULL,
    retired_at INTEGER,
    UNIQUE (set_id, version)
) STRICT;

CREATE TABLE prompt_state (
    only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
    active_id INTEGER NOT NULL REFERENCES prompt_versions (id)
) STRICT;

CREATE TABLE prompt_log (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    at INTEGER NOT NULL,
    event TEXT NOT NULL CHECK (event IN ('finalized', 'activated', 'rolled_back')),
    actor TEXT NOT NULL CHECK (actor IN ('user', 'rule', 'app')),
    from_version TEXT,
    to_version TEXT NOT NULL,
    reason TEXT,
    figures_json TEXT
) STRICT;
";

row_id!(PromptVersionId);

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PromptOrigin {
    Shipped,
    User,
}

/// A version of a prompt set, finished.
#[derive(Clone, PartialEq, Eq)]
pub struct NewPromptVersion {
    pub set: String,
    pub version: String,
    /// Of the files' content.
    pub hash: String,
    pub origin: PromptOrigin,
    /// The version that it was made from.
    pub parent: Option<String>,
    /// Why it was made.
    pub note: Option<String>,
    /// The whole set: path → text.
    pub files: BTreeMap<String, String>,
    pub finalized_at: Timestamp,
}

/// A stored version without its files.
#[derive(Clone, PartialEq, Eq)]
pub struct PromptVersion {
    pub id: PromptVersionId,
    pub set: String,
    pub version: String,
    pub hash: String,
    pub origin: PromptOrigin,
    pub parent: Option<String>,
    pub note: Option<String>,
    pub finalized_at: Timestamp,
    /// When it was rolled back from, unless it was activated again since.
    pub retired_at: Option<Timestamp>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PromptEvent {
    Finalized,
    Activated,
    RolledBack,
}

/// Who decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PromptActor {
    User,
    /// The rollback rule.
    Rule,
    /// An update of the program.
    App,
}

/// Why another version comes into use.
#[derive(Clone, PartialEq)]
pub struct PromptDecision {
    pub at: Timestamp,
    pub actor: PromptActor,
    pub reason: Option<String>,
    /// What the decision rests on.
    pub figures: Option<Value>,
}

/// A line of the history of finalizations, activations and rollbacks.
#[derive(Clone, PartialEq)]
pub struct PromptLogEntry {
    pub event: PromptEvent,
    /// For a finalization the parent, else the version that was in use.
    pub from_version: Option<String>,
    pub to_version: String,
    pub decision: PromptDecision,
}

debug_shows! {
    NewPromptVersion: hash, origin, finalized_at;
    PromptVersion: id, hash, origin, finalized_at, retired_at;
    PromptDecision: at, actor;
    PromptLogEntry: event, decision;
}

impl Store {
    /// Keeps a finished version and writes its finalization down; nothing happens where it is kept already.
    ///
    /// # Errors
    /// [`StoreError::VersionTaken`] where the set has a version of that name with other content.
    pub fn remember_prompts(&mut self, new: &NewPromptVersion) -> Result<PromptVersionId, StoreError> {
        let tx = self.write()?;
        let known: Option<(PromptVersionId, String)> = tx
            .prepare_cached("SELECT id, hash FROM prompt_versions WHERE set_id = ?1 AND version = ?2")?
            .query_row([&new.set, &new.version], |row| Ok((row.get(0)?, row.get(1)?)))
            .optional()?;
        match known {
            Some((id, hash)) if hash == new.hash => return Ok(id),
            Some(_) => return Err(StoreError::VersionTaken),
            None => {}
        }
        let id = tx
            .prepare_cached(
                "INSERT INTO prompt_versions (set_id, version, hash, origin, parent, note, files_json, finalized_at)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) RETURNING id",
            )?
            .query_row(
                params![
                    new.set,
                    new.version,
                    new.hash,
                    Name(new.origin),
                    new.parent,
                    new.note,
                    Json(&new.files),
                    Millis(new.finalized_at),
                ],
                |row| row.get(0),
            )?;
        let decision = PromptDecision {
            at: new.finalized_at,
            actor: match new.origin {
                PromptOrigin::Shipped => PromptActor::App,
                PromptOrigin::User => PromptActor::User,
            },
            reason: new.note.clone(),
            figures: None,
        };
        write_down(&tx, PromptEvent::Finalized, new.parent.as_deref(), &new.version, &decision)?;
        tx.commit()?;
        Ok(id)
    }

    /// Brings a version into use and writes it down; false, and nothing changes, where it is in use.
    ///
    /// # Errors
    /// [`StoreError::NotFound`] where there is no such version.
    pub fn activate_prompts(&mut self, id: PromptVersionId, why: &PromptDecision) -> Result<bool, StoreError> {
        let tx = self.write()?;
        let from = active(&tx)?;
        let to = version_of(&tx, id)?;
        if from.as_ref().is_some_and(|from| from.id == id) {
            return Ok(false);
        }
        bring_into_use(&tx, id)?;
        write_down(&tx, PromptEvent::Activated, from.as_ref().map(|v| v.version.as_str()), &to.version, why)?;
        tx.commit()?;
        Ok(true)
    }

    /// Retires `from`, brings `to` into use and writes it down, or does nothing of it.
    ///
    /// False, and nothing changes, where `from` is not in use any more: whoever judged it judged a
    /// version that somebody else has replaced since.
    ///
    /// # Errors
    /// [`StoreError::NotFound`] where there is no version `to`.
    pub fn roll_back_prompts(
        &mut self,
        from: PromptVersionId,
        to: PromptVersionId,
        why: &PromptDecision,
    ) -> Result<bool, StoreError> {
        let tx = self.write()?;
        let earlier = version_of(&tx, to)?;
        let Some(retired) = active(&tx)?.filter(|active| active.id == from && from != to) else { return Ok(false) };
        tx.prepare_cached("UPDATE prompt_versions SET retired_at = ?2 WHERE id = ?1")?
            .execute(params![from, Millis(why.at)])?;
        bring_into_use(&tx, to)?;
        write_down(&tx, PromptEvent::RolledBack, Some(&retired.version), &earlier.version, why)?;
        tx.commit()?;
        Ok(true)
    }

    /// The version in use; `None` before the first one was activated.
    pub fn active_prompts(&self) -> Result<Option<PromptVersion>, StoreError> {
        active(&self.conn)
    }

    /// All versions, the newest first.
    pub fn prompt_versions(&self) -> Result<Vec<PromptVersion>, StoreError> {
        let mut statement =
            self.conn.prepare_cached(&format!("{VERSION} FROM prompt_versions ORDER BY finalized_at DESC, id DESC"))?;
        let versions = statement.query_map([], version)?;
        Ok(versions.collect::<Result<_, _>>()?)
    }

    /// The whole set of a version: path → text.
    pub fn prompt_files(&self, id: PromptVersionId) -> Result<Option<BTreeMap<String, String>>, StoreError> {
        let files: Option<Json<_>> = self
            .conn
            .prepare_cached("SELECT files_json FROM prompt_versions WHERE id = ?1")?
            .query_row([id], |row| row.get(0))
            .optional()?;
        Ok(files.map(|json| json.0))
    }

    /// The newest decisions first.
    pub fn prompt_log(&self, limit: u32) -> Result<Vec<PromptLogEntry>, StoreError> {
        let mut statement = self.conn.prepare_cached("SELECT * FROM prompt_log ORDER BY id DESC LIMIT ?1")?;
        let entries = statement.query_map([limit], |row| {
            Ok(PromptLogEntry {
                event: row.get::<_, Name<_>>("event")?.0,
                from_version: row.get("from_version")?,
                to_version: row.get("to_version")?,
                decision: PromptDecision {
                    at: row.get::<_, Millis>("at")?.0,
                    actor: row.get::<_, Name<_>>("actor")?.0,
                    reason: row.get("reason")?,
                    figures: row.get::<_, Option<Json<_>>>("figures_json")?.map(|json| json.0),
                },
            })
        })?;
        Ok(entries.collect::<Result<_, _>>()?)
    }
}

/// Everything but the files, which are long.
const VERSION: &str =
    "SELECT prompt_versions.id, set_id, version, hash, origin, parent, note, finalized_at, retired_at";

fn active(conn: &Connection) -> Result<Option<PromptVersion>, StoreError> {
    Ok(conn
        .prepare_cached(&format!("{VERSION} FROM prompt_state JOIN prompt_versions ON prompt_versions.id = active_id"))?
        .query_row([], version)
        .optional()?)
}

fn version_of(conn: &Connection, id: PromptVersionId) -> Result<PromptVersion, StoreError> {
    conn.prepare_cached(&format!("{VERSION} FROM prompt_versions WHERE id = ?1"))?
        .query_row([id], version)
        .optional()?
        .ok_or(StoreError::NotFound("version of the prompts"))
}

fn bring_into_use(tx: &Connection, id: PromptVersionId) -> Result<(), StoreError> {
    tx.prepare_cached(
        "INSERT INTO prompt_state (only_row, active_id) VALUES (1, ?1)
         ON CONFLICT (only_row) DO UPDATE SET active_id = excluded.active_id",
    )?
    .execute([id])?;
    tx.prepare_cached("UPDATE prompt_versions SET retired_at = NULL WHERE id = ?1")?.execute([id])?;
    Ok(())
}

fn write_down(
    tx: &Connection,
    event: PromptEvent,
    from: Option<&str>,
    to: &str,
    why: &PromptDecision,
) -> Result<(), StoreError> {
    tx.prepare_cached(
        "INSERT INTO prompt_log (at, event, actor, from_version, to_version, reason, figures_json)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
    )?
    .execute(params![
        Millis(why.at),
        Name(event),
        Name(why.actor),
        from,
        to,
        why.reason,
        why.figures.as_ref().map(Json),
    ])?;
    Ok(())
}

fn version(row: &Row<'_>) -> rusqlite::Result<PromptVersion> {
    Ok(PromptVersion {
        id: row.get("id")?,
        set: row.get("set_id")?,
        version: row.get("version")?,
        hash: row.get("hash")?,
        origin: row.get::<_, Name<_>>("origin")?.0,
        parent: row.get("parent")?,
        note: row.get("note")?,
        finalized_at: row.get::<_, Millis>("finalized_at")?.0,
        retired_at: row.get::<_, Option<Millis>>("retired_at")?.map(|at| at.0),
    })
}
