//! Settings as they lie in the database.

use calm_store::Store;
use serde_json::Value;

use super::Settings;
use crate::error::AppError;

impl Settings {
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
