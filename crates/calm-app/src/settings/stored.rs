//! Settings as they lie in the database.

use calm_core::Lang;
use calm_store::{Secrets, Store};
use serde_json::Value;

use super::Settings;
use crate::error::AppError;
use crate::paths::Paths;

impl Settings {
    /// The language that the user has chosen; `None` where there is no database that opens, or nothing was chosen.
    pub fn stored_language(paths: &Paths, secrets: Secrets) -> Option<Lang> {
        let store = paths.has_database().then(|| Store::open(&paths.data, secrets).ok())??;
        Some(Settings::read(&store).ok()??.language)
    }

    /// `None` where nothing was ever saved.
    pub(crate) fn read(store: &Store) -> Result<Option<Settings>, AppError> {
        let Some(stored) = store.settings()? else { return Ok(None) };
        match serde_json::from_value(stored) {
            Ok(settings) => Ok(Some(settings)),
            // Its text could hold a name, so it is not logged.
            Err(_) => {
                tracing::warn!("the stored settings cannot be read; the defaults stand in");
                Ok(None)
            }
        }
    }

    pub(crate) fn write(&self, store: &mut Store) -> Result<(), AppError> {
        let value = serde_json::to_value(self).unwrap_or(Value::Null);
        Ok(store.set_settings(&value)?)
    }
}
