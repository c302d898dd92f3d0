//! Personal if–then plans, and each time one of them ran (SPEC E3).
//!
//! What an action may be, and what running it does, is decided by whoever runs it.

use std::fmt;
use std::str::FromStr;

use jiff::Timestamp;
use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSqlOutput, ValueRef};
use rusqlite::{OptionalExtension, Row, ToSql, ffi, params};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use uuid::Uuid;

use crate::columns::{Json, Millis};
use crate::rows::{debug_shows, row_id};
use crate::sessions::SessionId;
use crate::{Left, Store, StoreError};

pub(crate) const SCHEMA: &str = "
CREATE TABLE triggers (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    condition TEXT NOT NULL,
    actions_json TEXT NOT NULL CHECK (json_type(actions_json) = 'array'),
    enabled INTEGER NOT NULL DEFAULT 1 CHECK (enabled IN (0, 1)),
    created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE trigger_runs (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    trigger_id TEXT NOT NULL REFERENCES triggers (id) ON DELETE CASCADE,
    session_id INTEGER REFERENCES sessions (id) ON DELETE CASCADE,
    at INTEGER NOT NULL,
    outcome TEXT NOT NULL
) STRICT;
CREATE INDEX trigger_runs_of_trigger ON trigger_runs (trigger_id);
CREATE INDEX trigger_runs_of_session ON trigger_runs (session_id);
";

/// A random UUID: a model that makes an identity up will not hit a real one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct TriggerId(Uuid);

impl TriggerId {
    fn generate() -> Result<TriggerId, StoreError> {
        let mut bytes = [0; 16];
        getrandom::fill(&mut bytes).map_err(|_| StoreError::NoRandomness)?;
        Ok(TriggerId(uuid::Builder::from_random_bytes(bytes).into_uuid()))
    }
}

impl fmt::Display for TriggerId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.hyphenated().fmt(f)
    }
}

impl FromStr for TriggerId {
    type Err = uuid::Error;

    /// Capitals, braces and missing hyphens are forgiven.
    fn from_str(text: &str) -> Result<TriggerId, uuid::Error> {
        text.trim().parse().map(TriggerId)
    }
}

impl ToSql for TriggerId {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(self.to_string().into())
    }
}

impl FromSql for TriggerId {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<TriggerId> {
        value.as_str()?.parse().map_err(|_| FromSqlError::InvalidType)
    }
}

row_id!(TriggerRunId);

/// A plan as the user makes it; it begins enabled.
#[derive(Clone, PartialEq)]
pub struct NewTrigger {
    pub name: String,
    /// In the user's own words.
    pub condition: String,
    /// A JSON array.
    pub actions: Value,
    pub created_at: Timestamp,
}

#[derive(Clone, PartialEq)]
pub struct Trigger {
    pub id: TriggerId,
    pub name: String,
    pub condition: String,
    /// A JSON array.
    pub actions: Value,
    pub enabled: bool,
    pub created_at: Timestamp,
}

/// One time that a plan was carried out.
#[derive(Clone, PartialEq, Eq)]
pub struct TriggerRun {
    pub id: TriggerRunId,
    pub trigger: TriggerId,
    /// The plan's name.
    pub name: String,
    pub session: Option<SessionId>,
    pub at: Timestamp,
    /// What came of it, for the next prompt.
    pub outcome: String,
}

debug_shows! {
    NewTrigger: created_at;
    Trigger: id, enabled, created_at;
    TriggerRun: id, trigger, session, at;
}

impl Store {
    /// Adds a plan; the database refuses actions that are not an array.
    pub fn add_trigger(&mut self, new: &NewTrigger) -> Result<TriggerId, StoreError> {
        let id = TriggerId::generate()?;
        self.conn
            .prepare_cached(
                "INSERT INTO triggers (id, name, condition, actions_json, created_at) VALUES (?1, ?2, ?3, ?4, ?5)",
            )?
            .execute(params![id, new.name, new.condition, Json(&new.actions), Millis(new.created_at)])?;
        Ok(id)
    }

    /// All plans, oldest first.
    pub fn triggers(&self) -> Result<Vec<Trigger>, StoreError> {
        let mut statement = self.conn.prepare_cached("SELECT * FROM triggers ORDER BY created_at, rowid")?;
        let triggers = statement.query_map([], trigger)?;
        Ok(triggers.collect::<Result<_, _>>()?)
    }

    pub fn trigger(&self, id: TriggerId) -> Result<Option<Trigger>, StoreError> {
        Ok(self.conn.prepare_cached("SELECT * FROM triggers WHERE id = ?1")?.query_row([id], trigger).optional()?)
    }

    pub fn set_trigger_enabled(&mut self, id: TriggerId, enabled: bool) -> Result<(), StoreError> {
        let changed = self
            .conn
            .prepare_cached("UPDATE triggers SET enabled = ?2 WHERE id = ?1")?
            .execute(params![id, enabled])?;
        if changed == 0 { Err(StoreError::NotFound("trigger")) } else { Ok(()) }
    }

    /// Removes a plan and its runs.
    pub fn remove_trigger(&mut self, id: TriggerId) -> Result<Left, StoreError> {
        let (gone, left) =
            self.delete(|tx| Ok(tx.prepare_cached("DELETE FROM triggers WHERE id = ?1")?.execute([id])?))?;
        if gone == 0 { Err(StoreError::NotFound("trigger")) } else { Ok(left) }
    }

    /// Writes down that a plan was carried out, in `session` where one is open.
    ///
    /// # Errors
    /// [`StoreError::NotFound`] names what does not exist (any more), the trigger or the session.
    pub fn record_trigger_run(
        &mut self,
        id: TriggerId,
        session: Option<SessionId>,
        outcome: &str,
        at: Timestamp,
    ) -> Result<TriggerRunId, StoreError> {
        let tx = self.write()?;
        let run = tx
            .prepare_cached(
                "INSERT INTO trigger_runs (trigger_id, session_id, at, outcome) VALUES (?1, ?2, ?3, ?4) RETURNING id",
            )?
            .query_row(params![id, session, Millis(at), outcome], |row| row.get(0));
        let run = match run {
            Err(e) if e.sqlite_extended_error_code() == Some(ffi::SQLITE_CONSTRAINT_FOREIGNKEY) => {
                let there: bool = tx
                    .prepare_cached("SELECT EXISTS (SELECT 1 FROM triggers WHERE id = ?1)")?
                    .query_row([id], |row| row.get(0))?;
                return Err(StoreError::NotFound(if there { "session" } else { "trigger" }));
            }
            run => run?,
        };
        tx.commit()?;
        Ok(run)
    }

    /// What ran in a session, in the order in which it ran.
    pub fn trigger_runs_of_session(&self, session: SessionId) -> Result<Vec<TriggerRun>, StoreError> {
        let mut statement = self.conn.prepare_cached(
            "SELECT run.*, name FROM trigger_runs AS run JOIN triggers ON triggers.id = trigger_id
             WHERE session_id = ?1 ORDER BY run.id",
        )?;
        let runs = statement.query_map([session], |row| {
            Ok(TriggerRun {
                id: row.get("id")?,
                trigger: row.get("trigger_id")?,
                name: row.get("name")?,
                session: row.get("session_id")?,
                at: row.get::<_, Millis>("at")?.0,
                outcome: row.get("outcome")?,
            })
        })?;
        Ok(runs.collect::<Result<_, _>>()?)
    }
}

fn trigger(row: &Row<'_>) -> rusqlite::Result<Trigger> {
    Ok(Trigger {
        id: row.get("id")?,
        name: row.get("name")?,
        condition: row.get("condition")?,
        actions: row.get::<_, Json<_>>("actions_json")?.0,
        enabled: row.get("enabled")?,
        created_at: row.get::<_, Millis>("created_at")?.0,
    })
}
