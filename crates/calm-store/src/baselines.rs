//! The user's calm voice at each microphone; what the figures mean is the sound room's business.

use rusqlite::{OptionalExtension, params};
use serde_json::Value;

use crate::columns::Json;
use crate::{Left, Store, StoreError};

pub(crate) const SCHEMA: &str = "
CREATE TABLE baselines (
    microphone TEXT PRIMARY KEY,
    json TEXT NOT NULL
) STRICT;
";

impl Store {
    /// The baseline learned at `microphone`, if any.
    pub fn baseline(&self, microphone: &str) -> Result<Option<Value>, StoreError> {
        let found: Option<Json<Value>> = self
            .conn
            .prepare_cached("SELECT json FROM baselines WHERE microphone = ?1")?
            .query_row([microphone], |row| row.get(0))
            .optional()?;
        Ok(found.map(|json| json.0))
    }

    /// Every baseline with its microphone, by name.
    pub fn baselines(&self) -> Result<Vec<(String, Value)>, StoreError> {
        let mut all = self.conn.prepare_cached("SELECT microphone, json FROM baselines ORDER BY microphone")?;
        let rows = all.query_map([], |row| Ok((row.get(0)?, row.get::<_, Json<Value>>(1)?.0)))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Forgets the baseline of `microphone`, where there is one.
    pub fn forget_baseline(&mut self, microphone: &str) -> Result<Left, StoreError> {
        let forget = "DELETE FROM baselines WHERE microphone = ?1";
        Ok(self.delete(|tx| Ok(tx.prepare_cached(forget)?.execute([microphone])?))?.1)
    }

    /// Replaces the baseline of `microphone`.
    pub fn set_baseline(&mut self, microphone: &str, baseline: &Value) -> Result<(), StoreError> {
        self.conn
            .prepare_cached(
                "INSERT INTO baselines (microphone, json) VALUES (?1, ?2)
                 ON CONFLICT (microphone) DO UPDATE SET json = excluded.json",
            )?
            .execute(params![microphone, Json(baseline)])?;
        Ok(())
    }
}
