//! The user's calm voice at each microphone; what the figures mean is the sound room's business.

use rusqlite::{OptionalExtension, params};
use serde_json::Value;

use crate::columns::Json;
use crate::{Store, StoreError};

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
