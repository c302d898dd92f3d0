//! The last copy of the calendar that the user subscribes to, so that it is there without a network.
//!
//! Only the newest copy of the one address is kept; reading it is done elsewhere.

use jiff::Timestamp;
use rusqlite::{OptionalExtension, params};

use crate::columns::Millis;
use crate::{Store, StoreError};

pub(crate) const SCHEMA: &str = "
CREATE TABLE calendar (
    only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
    address TEXT NOT NULL,
    fetched_at INTEGER NOT NULL,
    body BLOB NOT NULL
) STRICT;
";

impl Store {
    /// When it was fetched, and what came; `None` where nothing of that address is kept.
    pub fn kept_calendar(&self, address: &str) -> Result<Option<(Timestamp, Vec<u8>)>, StoreError> {
        Ok(self
            .conn
            .prepare_cached("SELECT fetched_at, body FROM calendar WHERE address = ?1")?
            .query_row([address], |row| Ok((row.get::<_, Millis>(0)?.0, row.get(1)?)))
            .optional()?)
    }

    /// Takes the place of whatever was kept.
    pub fn keep_calendar(&mut self, address: &str, fetched_at: Timestamp, body: &[u8]) -> Result<(), StoreError> {
        self.conn
            .prepare_cached(
                "INSERT INTO calendar (only_row, address, fetched_at, body) VALUES (1, ?1, ?2, ?3)
                 ON CONFLICT (only_row) DO UPDATE SET address = excluded.address, fetched_at = excluded.fetched_at,
                     body = excluded.body",
            )?
            .execute(params![address, Millis(fetched_at), body])?;
        Ok(())
    }

    pub fn forget_calendar(&mut self) -> Result<(), StoreError> {
        self.conn.prepare_cached("DELETE FROM calendar")?.execute([])?;
        Ok(())
    }
}
