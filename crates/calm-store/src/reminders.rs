//! Reminders: what to say, when, and whether it has been said.
//!
//! Watching the clock and showing the notification is done elsewhere.

use jiff::Timestamp;
use rusqlite::{Params, Row, params};

use crate::columns::Millis;
use crate::rows::{debug_shows, row_id};
use crate::{Left, Store, StoreError};

pub(crate) const SCHEMA: &str = "
CREATE TABLE reminders (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    at INTEGER NOT NULL,
    text TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    done_at INTEGER
) STRICT;
CREATE INDEX reminders_waiting ON reminders (at) WHERE done_at IS NULL;
";

row_id!(ReminderId);

#[derive(Clone, PartialEq, Eq)]
pub struct Reminder {
    pub id: ReminderId,
    /// When it is due.
    pub at: Timestamp,
    pub text: String,
    pub created_at: Timestamp,
    /// `None` while it waits.
    pub done_at: Option<Timestamp>,
}

debug_shows! { Reminder: id, at, created_at, done_at; }

impl Store {
    /// A reminder that is due `at`; a time that has passed makes it due at once.
    pub fn add_reminder(&mut self, at: Timestamp, text: &str, created_at: Timestamp) -> Result<ReminderId, StoreError> {
        Ok(self
            .conn
            .prepare_cached("INSERT INTO reminders (at, text, created_at) VALUES (?1, ?2, ?3) RETURNING id")?
            .query_row(params![Millis(at), text, Millis(created_at)], |row| row.get(0))?)
    }

    /// What waits and is due at `now`, the longest overdue first.
    pub fn due_reminders(&self, now: Timestamp) -> Result<Vec<Reminder>, StoreError> {
        self.reminders_by("SELECT * FROM reminders WHERE done_at IS NULL AND at <= ?1 ORDER BY at, id", [Millis(now)])
    }

    /// Marks a reminder as done; false, and nothing changes, where it was done before.
    ///
    /// Of two processes that see it fall due together, the one that gets true shows it.
    ///
    /// # Errors
    /// [`StoreError::NotFound`] where there is no such reminder.
    pub fn finish_reminder(&mut self, id: ReminderId, at: Timestamp) -> Result<bool, StoreError> {
        let tx = self.write()?;
        let changed = tx
            .prepare_cached("UPDATE reminders SET done_at = ?2 WHERE id = ?1 AND done_at IS NULL")?
            .execute(params![id, Millis(at)])?;
        let there: bool = tx
            .prepare_cached("SELECT EXISTS (SELECT 1 FROM reminders WHERE id = ?1)")?
            .query_row([id], |row| row.get(0))?;
        if !there {
            return Err(StoreError::NotFound("reminder"));
        }
        tx.commit()?;
        Ok(changed == 1)
    }

    /// Those that wait, the soonest first; then those that are done, the latest first.
    pub fn reminders(&self, limit: u32) -> Result<Vec<Reminder>, StoreError> {
        self.reminders_by(
            "SELECT * FROM reminders
             ORDER BY done_at IS NOT NULL, done_at DESC, CASE WHEN done_at IS NULL THEN at END, id LIMIT ?1",
            [limit],
        )
    }

    pub fn remove_reminder(&mut self, id: ReminderId) -> Result<Left, StoreError> {
        let (gone, left) =
            self.delete(|tx| Ok(tx.prepare_cached("DELETE FROM reminders WHERE id = ?1")?.execute([id])?))?;
        if gone == 0 { Err(StoreError::NotFound("reminder")) } else { Ok(left) }
    }

    fn reminders_by(&self, sql: &str, params: impl Params) -> Result<Vec<Reminder>, StoreError> {
        let mut statement = self.conn.prepare_cached(sql)?;
        let reminders = statement.query_map(params, reminder)?;
        Ok(reminders.collect::<Result<_, _>>()?)
    }
}

fn reminder(row: &Row<'_>) -> rusqlite::Result<Reminder> {
    Ok(Reminder {
        id: row.get("id")?,
        at: row.get::<_, Millis>("at")?.0,
        text: row.get("text")?,
        created_at: row.get::<_, Millis>("created_at")?.0,
        done_at: row.get::<_, Option<Millis>>("done_at")?.map(|at| at.0),
    })
}
