//! Notes that the user had Calm write down.

use jiff::Timestamp;
use rusqlite::params;

use crate::columns::Millis;
use crate::rows::{debug_shows, row_id};
use crate::sessions::{SessionId, missing_session};
use crate::{Left, Store, StoreError};

/// A note outlives its session: it was written to be kept.
pub(crate) const SCHEMA: &str = "
CREATE TABLE notes (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    at INTEGER NOT NULL,
    session_id INTEGER REFERENCES sessions (id) ON DELETE SET NULL,
    text TEXT NOT NULL
) STRICT;
CREATE INDEX notes_of_session ON notes (session_id);
";

row_id!(NoteId);

#[derive(Clone, PartialEq, Eq)]
pub struct Note {
    pub id: NoteId,
    pub at: Timestamp,
    /// Where it was written; `None` outside a session, and once the session is deleted.
    pub session: Option<SessionId>,
    pub text: String,
}

debug_shows! { Note: id, at, session; }

impl Store {
    /// # Errors
    /// [`StoreError::NotFound`] where there is no such session.
    pub fn add_note(&mut self, at: Timestamp, session: Option<SessionId>, text: &str) -> Result<NoteId, StoreError> {
        self.conn
            .prepare_cached("INSERT INTO notes (at, session_id, text) VALUES (?1, ?2, ?3) RETURNING id")?
            .query_row(params![Millis(at), session, text], |row| row.get(0))
            .map_err(missing_session)
    }

    /// The newest notes first.
    pub fn notes(&self, limit: u32) -> Result<Vec<Note>, StoreError> {
        let mut statement = self.conn.prepare_cached("SELECT * FROM notes ORDER BY at DESC, id DESC LIMIT ?1")?;
        let notes = statement.query_map([limit], |row| {
            Ok(Note {
                id: row.get("id")?,
                at: row.get::<_, Millis>("at")?.0,
                session: row.get("session_id")?,
                text: row.get("text")?,
            })
        })?;
        Ok(notes.collect::<Result<_, _>>()?)
    }

    pub fn remove_note(&mut self, id: NoteId) -> Result<Left, StoreError> {
        let (gone, left) =
            self.delete(|tx| Ok(tx.prepare_cached("DELETE FROM notes WHERE id = ?1")?.execute([id])?))?;
        if gone == 0 { Err(StoreError::NotFound("note")) } else { Ok(left) }
    }
}
