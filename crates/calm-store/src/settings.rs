//! The settings and the profile, as one JSON object that carries its own version.
//!
//! Its fields belong to the conductor, which also upgrades older versions.

use rusqlite::OptionalExtension;
use serde_json::Value;

use crate::columns::Json;
use crate::{Store, StoreError};

pub(crate) const SCHEMA: &str = "
CREATE TABLE settings (
    only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
    json TEXT NOT NULL
) STRICT;
";

impl Store {
    /// What was last set; `None` before the first time.
    pub fn settings(&self) -> Result<Option<Value>, StoreError> {
        let found: Option<Json<Value>> =
            self.conn.prepare_cached("SELECT json FROM settings")?.query_row([], |row| row.get(0)).optional()?;
        Ok(found.map(|json| json.0))
    }

    /// Writes what `change` makes of what is set now; nobody else writes between the two.
    ///
    /// # Errors
    /// `change` fails, or the database cannot be written; nothing has changed then.
    pub fn change_settings<E: From<StoreError>>(
        &mut self,
        change: impl FnOnce(Option<Value>) -> Result<Value, E>,
    ) -> Result<(), E> {
        self.conn.execute_batch("BEGIN IMMEDIATE").map_err(StoreError::from)?;
        let changed = self.settings().map_err(E::from).and_then(change);
        let changed = changed.and_then(|settings| Ok(self.set_settings(&settings)?));
        let end = if changed.is_ok() { "COMMIT" } else { "ROLLBACK" };
        let ended = self.conn.execute_batch(end).map_err(StoreError::from);
        if ended.is_err() && !self.conn.is_autocommit() {
            self.conn.execute_batch("ROLLBACK").map_err(StoreError::from)?;
        }
        changed.and(ended.map_err(E::from))
    }

    pub fn set_settings(&mut self, settings: &Value) -> Result<(), StoreError> {
        self.conn
            .prepare_cached(
                "INSERT INTO settings (only_row, json) VALUES (1, ?1)
                 ON CONFLICT (only_row) DO UPDATE SET json = excluded.json",
            )?
            .execute([Json(settings)])?;
        Ok(())
    }
}
