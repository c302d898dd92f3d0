//! The facts that the user keeps about themselves: one markdown document.
//!
//! Which part of it goes into a prompt, and how long it may be, is the prompts' business.

use std::collections::HashSet;

use jiff::Timestamp;
use rusqlite::{OptionalExtension, params};

use crate::columns::Millis;
use crate::rows::debug_shows;
use crate::{Left, Store, StoreError};

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

    /// Replaces the whole document. A line that is not in the new one is deleted, and goes as everything that is deleted.
    pub fn set_facts(&mut self, markdown: &str, at: Timestamp) -> Result<Left, StoreError> {
        let (_, left) = self.delete(|tx| {
            let old: Option<String> =
                tx.prepare_cached("SELECT markdown FROM facts")?.query_row([], |row| row.get(0)).optional()?;
            tx.prepare_cached(
                "INSERT INTO facts (only_row, markdown, updated_at) VALUES (1, ?1, ?2)
                 ON CONFLICT (only_row) DO UPDATE SET markdown = excluded.markdown, updated_at = excluded.updated_at",
            )?
            .execute(params![markdown, Millis(at)])?;
            Ok(old.map_or(0, |old| lines_gone(&old, markdown)))
        })?;
        Ok(left)
    }

    /// Forgets the document; nothing happens where there is none.
    pub fn clear_facts(&mut self) -> Result<Left, StoreError> {
        Ok(self.delete(|tx| Ok(tx.prepare_cached("DELETE FROM facts")?.execute([])?))?.1)
    }
}

fn lines_gone(old: &str, new: &str) -> usize {
    let kept: HashSet<&str> = new.lines().map(str::trim).collect();
    old.lines().map(str::trim).filter(|line| !line.is_empty() && !kept.contains(line)).count()
}
