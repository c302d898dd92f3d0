//! The facts that the user keeps about themselves: one markdown document.
//!
//! Which part of it goes into a prompt, and how long it may be, is the prompts' business.

use jiff::Timestamp;
use rusqlite::{OptionalExtension, params};

use crate::columns::Millis;
use crate::rows::debug_shows;
use crate::{Store, StoreError};

pub(crate) const SCHEMA: &str = "
CREATE TABLE facts (
    only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
    markdown TEXT NOT NULL,
    updated_at INTEGER NOT NULL
) STRICT;
";

#[derive(Clone, PartialEq, Eq)]
pub struct Facts {
    pub markdown: String,
    pub updated_at: Timestamp,
}

debug_shows! { Facts: updated_at; }

impl Store {
    /// The document as it was last set; `None` before the first time and after it was cleared.
    pub fn facts(&self) -> Result<Option<Facts>, StoreError> {
        Ok(self
            .conn
            .prepare_cached("SELECT markdown, updated_at FROM facts")?
            .query_row([], |row| {
                Ok(Facts { markdown: row.get("markdown")?, updated_at: row.get::<_, Millis>("updated_at")?.0 })
            })
            .optional()?)
    }

    /// Replaces the whole document.
    pub fn set_facts(&mut self, markdown: &str, at: Timestamp) -> Result<(), StoreError> {
        self.conn
            .prepare_cached(
                "INSERT INTO facts (only_row, markdown, updated_at) VALUES (1, ?1, ?2)
                 ON CONFLICT (only_row) DO UPDATE SET markdown = excluded.markdown, updated_at = excluded.updated_at",
            )?
            .execute(params![markdown, Millis(at)])?;
        Ok(())
    }

    /// Forgets the document; nothing happens where there is none.
    pub fn clear_facts(&mut self) -> Result<(), StoreError> {
        self.conn.prepare_cached("DELETE FROM facts")?.execute([])?;
        Ok(())
    }
}
