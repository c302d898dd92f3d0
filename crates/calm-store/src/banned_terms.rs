//! Words that the user never wants to hear from Calm (SPEC K4).
//!
//! A term is there once, however it is capitalised or spaced. Finding it in a text is done elsewhere.

use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, params};
use serde::{Deserialize, Serialize};

use crate::columns::{Json, Millis, Name};
use crate::rows::{debug_shows, row_id};
use crate::{Left, Store, StoreError};

/// SQLite folds the case of ASCII only, so what makes a term unique is folded before it comes here.
pub(crate) const SCHEMA: &str = "
CREATE TABLE banned_terms (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    term TEXT NOT NULL,
    folded TEXT NOT NULL UNIQUE,
    note TEXT,
    source TEXT NOT NULL CHECK (source IN ('message', 'sheet', 'user')),
    added_at INTEGER NOT NULL
) STRICT;
";

row_id!(BannedTermId);

/// Where a term comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum BannedBy {
    /// "Never say this again", on a message.
    Message,
    /// An imported sheet.
    Sheet,
    /// The list in the settings.
    User,
}

#[derive(Clone, PartialEq, Eq)]
pub struct BannedTerm {
    pub id: BannedTermId,
    pub term: String,
    pub note: Option<String>,
    pub source: BannedBy,
    pub added_at: Timestamp,
}

/// A row of an imported sheet.
#[derive(Clone, PartialEq, Eq)]
pub struct SheetTerm {
    pub term: String,
    pub note: Option<String>,
}

debug_shows! { BannedTerm: id, source, added_at; }

impl std::fmt::Debug for SheetTerm {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SheetTerm").finish_non_exhaustive()
    }
}

impl Store {
    /// Bans a term and returns its row, which may have been there before; `None` for a blank one.
    ///
    /// A term that only the sheet had becomes the user's own, and stays when the sheet loses it.
    pub fn add_banned_term(
        &mut self,
        term: &str,
        note: Option<&str>,
        source: BannedBy,
        at: Timestamp,
    ) -> Result<Option<BannedTermId>, StoreError> {
        let tx = self.write()?;
        let id = insert(&tx, term, note, source, at)?;
        tx.commit()?;
        Ok(id)
    }

    /// All banned terms, oldest first.
    pub fn banned_terms(&self) -> Result<Vec<BannedTerm>, StoreError> {
        let mut statement = self.conn.prepare_cached("SELECT * FROM banned_terms ORDER BY id")?;
        let terms = statement.query_map([], |row| {
            Ok(BannedTerm {
                id: row.get("id")?,
                term: row.get("term")?,
                note: row.get("note")?,
                source: row.get::<_, Name<_>>("source")?.0,
                added_at: row.get::<_, Millis>("added_at")?.0,
            })
        })?;
        Ok(terms.collect::<Result<_, _>>()?)
    }

    pub fn remove_banned_term(&mut self, id: BannedTermId) -> Result<Left, StoreError> {
        let (gone, left) =
            self.delete(|tx| Ok(tx.prepare_cached("DELETE FROM banned_terms WHERE id = ?1")?.execute([id])?))?;
        if gone == 0 { Err(StoreError::NotFound("banned term")) } else { Ok(left) }
    }

    /// Makes the sheet's terms exactly these; what the user banned otherwise stays as it is.
    ///
    /// Blank rows are passed over.
    pub fn replace_banned_sheet(&mut self, terms: &[SheetTerm], at: Timestamp) -> Result<Left, StoreError> {
        let folded: Vec<String> = terms.iter().map(|row| fold(&row.term)).collect();
        let (_, left) = self.delete(|tx| {
            let gone = tx
                .prepare_cached(
                    "DELETE FROM banned_terms
                     WHERE source = 'sheet' AND folded NOT IN (SELECT value FROM json_each(?1))",
                )?
                .execute([Json(&folded)])?;
            for row in terms {
                insert(tx, &row.term, row.note.as_deref(), BannedBy::Sheet, at)?;
            }
            Ok(gone)
        })?;
        Ok(left)
    }
}

/// Adds a term, or renews one that came from the sheet; the user's own are left as they are.
fn insert(
    tx: &Connection,
    term: &str,
    note: Option<&str>,
    source: BannedBy,
    at: Timestamp,
) -> Result<Option<BannedTermId>, StoreError> {
    let folded = fold(term);
    if folded.is_empty() {
        return Ok(None);
    }
    tx.prepare_cached(
        "INSERT INTO banned_terms (term, folded, note, source, added_at) VALUES (?1, ?2, ?3, ?4, ?5)
         ON CONFLICT (folded) DO UPDATE SET term = excluded.term, note = excluded.note, source = excluded.source
         WHERE banned_terms.source = 'sheet'",
    )?
    .execute(params![term.trim(), folded, note, Name(source), Millis(at)])?;
    Ok(tx
        .prepare_cached("SELECT id FROM banned_terms WHERE folded = ?1")?
        .query_row([folded], |row| row.get(0))
        .optional()?)
}

fn fold(term: &str) -> String {
    term.split_whitespace().map(str::to_lowercase).collect::<Vec<_>>().join(" ")
}
