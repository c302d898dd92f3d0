//! Settings as they lie in the database, where another window or terminal may change them too.

use calm_core::Lang;
use calm_store::{Secrets, Store};
use serde_json::Value;

use super::Settings;
use crate::conductor::{Conductor, reach};
use crate::error::AppError;
use crate::forgetting;
use crate::paths::Paths;

impl Settings {
    /// The language that the user has chosen; `None` where there is no database that opens, or nothing was chosen.
    pub fn stored_language(paths: &Paths, secrets: Secrets) -> Option<Lang> {
        let store = paths.has_database().then(|| Store::open(&paths.data, secrets).ok())??;
        Some(Settings::read(&store).ok()??.language)
    }

    /// `None` where nothing was ever saved.
    pub(crate) fn read(store: &Store) -> Result<Option<Settings>, AppError> {
        Ok(store.settings()?.and_then(Settings::of_stored))
    }

    fn of_stored(stored: Value) -> Option<Settings> {
        match serde_json::from_value(stored) {
            Ok(settings) => Some(settings),
            // Its text could hold a name, so it is not logged.
            Err(_) => {
                tracing::warn!("the stored settings cannot be read; the defaults stand in");
                None
            }
        }
    }

    fn stored(&self) -> Value {
        serde_json::to_value(self).unwrap_or(Value::Null)
    }
}

impl Conductor {
    /// Keeps `settings` in place of whatever was kept.
    pub fn save_settings(&mut self, settings: Settings) -> Result<(), AppError> {
        self.change_settings(|_| Ok(settings))
    }

    /// Keeps what `change` makes of the settings as they are stored now, whatever was read of them before.
    ///
    /// # Errors
    /// `change` fails, or the database cannot be written; nothing has changed then.
    pub fn change_settings(
        &mut self,
        change: impl FnOnce(Settings) -> Result<Settings, AppError>,
    ) -> Result<(), AppError> {
        let here = self.kept.clone().unwrap_or_else(|| self.settings.clone());
        let mut kept = None;
        self.store.change_settings(|stored| {
            let now = stored.and_then(Settings::of_stored).unwrap_or(here);
            let changed = kept.insert(change(now)?);
            Ok::<_, AppError>(changed.stored())
        })?;
        kept.map_or(Ok(()), |kept| self.go_by(kept))
    }

    /// Takes over what another window or terminal has set since; true where there was something.
    ///
    /// # Errors
    /// The database cannot be read.
    pub fn follow_settings(&mut self) -> Result<bool, AppError> {
        let found = Settings::read(&self.store)?.filter(|found| self.kept.as_ref() != Some(found));
        let Some(found) = found else { return Ok(false) };
        self.go_by(found)?;
        Ok(true)
    }

    fn go_by(&mut self, settings: Settings) -> Result<(), AppError> {
        forgetting::follow(&mut self.store, &settings);
        if settings.calendar != self.settings.calendar {
            self.store.forget_calendar()?;
        }
        self.http.set_reach(reach(&settings));
        self.kept = Some(settings.clone());
        self.settings = Settings { language: self.spoken.unwrap_or(settings.language), ..settings };
        Ok(())
    }
}
