//! What left the machine: every request, written down before it goes (SPEC A6).

use std::fmt;

use jiff::Timestamp;
use rusqlite::types::FromSqlError;
use rusqlite::{Row, params};

use crate::columns::{Json, Millis};
use crate::{Store, StoreError};

pub(crate) const SCHEMA: &str = "
CREATE TABLE ledger (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    at INTEGER NOT NULL,
    method TEXT NOT NULL,
    url TEXT NOT NULL,
    fields_json TEXT NOT NULL,
    bytes INTEGER NOT NULL,
    body BLOB NOT NULL,
    status INTEGER
) STRICT;
";

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LedgerId(i64);

impl LedgerId {
    /// For whoever has to carry it through a room that knows no database.
    pub fn number(self) -> i64 {
        self.0
    }
}

impl From<i64> for LedgerId {
    fn from(number: i64) -> LedgerId {
        LedgerId(number)
    }
}

/// A request that is about to leave.
#[derive(Clone, PartialEq, Eq)]
pub struct LedgerRow {
    pub at: Timestamp,
    pub method: String,
    /// Without secrets: the whole row can be shown.
    pub url: String,
    /// Names of the parts of the user's data that are in the body.
    pub fields: Vec<String>,
    pub body: Vec<u8>,
}

/// A request as the ledger shows it.
#[derive(Clone, PartialEq, Eq)]
pub struct LedgerEntry {
    pub id: LedgerId,
    pub row: LedgerRow,
    /// Of the body.
    pub bytes: u64,
    /// The HTTP status; `None` while, or if, no answer came.
    pub status: Option<u16>,
}

impl fmt::Debug for LedgerRow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LedgerRow").field("at", &self.at).field("bytes", &self.body.len()).finish_non_exhaustive()
    }
}

impl fmt::Debug for LedgerEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LedgerEntry")
            .field("id", &self.id)
            .field("row", &self.row)
            .field("status", &self.status)
            .finish_non_exhaustive()
    }
}

impl Store {
    /// Call it before the request leaves: a request that is not in the ledger must not go.
    pub fn write_ledger(&mut self, row: &LedgerRow) -> Result<LedgerId, StoreError> {
        let bytes = i64::try_from(row.body.len()).unwrap_or(i64::MAX);
        self.conn
            .prepare_cached(
                "INSERT INTO ledger (at, method, url, fields_json, bytes, body) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            )?
            .execute(params![Millis(row.at), row.method, row.url, Json(&row.fields), bytes, row.body])?;
        Ok(LedgerId(self.conn.last_insert_rowid()))
    }

    /// The server answered with this HTTP status.
    pub fn finish_ledger(&mut self, id: LedgerId, status: u16) -> Result<(), StoreError> {
        let changed =
            self.conn.prepare_cached("UPDATE ledger SET status = ?2 WHERE id = ?1")?.execute(params![id.0, status])?;
        if changed == 0 { Err(StoreError::NotFound("request in the ledger")) } else { Ok(()) }
    }

    /// The newest requests first.
    pub fn ledger(&self, limit: u32) -> Result<Vec<LedgerEntry>, StoreError> {
        let mut statement = self.conn.prepare_cached("SELECT * FROM ledger ORDER BY id DESC LIMIT ?1")?;
        let entries = statement.query_map([limit], entry)?;
        Ok(entries.collect::<Result<_, _>>()?)
    }
}

pub(crate) fn entry(row: &Row<'_>) -> rusqlite::Result<LedgerEntry> {
    Ok(LedgerEntry {
        id: LedgerId(row.get("id")?),
        bytes: u64::try_from(row.get::<_, i64>("bytes")?).map_err(|_| FromSqlError::InvalidType)?,
        status: row.get("status")?,
        row: LedgerRow {
            at: row.get::<_, Millis>("at")?.0,
            method: row.get("method")?,
            url: row.get("url")?,
            fields: row.get::<_, Json<_>>("fields_json")?.0,
            body: row.get("body")?,
        },
    })
}
