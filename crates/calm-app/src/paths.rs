//! Where things lie on this machine.

use std::path::PathBuf;

use calm_core::Lang;
use calm_store::Secrets;

use crate::error::AppError;

/// What the window keeps in the data folder: where it stood, and how it can be drawn.
pub const WINDOW_FILE: &str = "window.json";

/// What was seen of the clock, in the data folder.
pub(crate) const CLOCK_FILE: &str = "clock.json";

/// The data folder (database, key file) and the models folder.
#[derive(Debug, Clone)]
pub struct Paths {
    pub data: PathBuf,
    pub models: PathBuf,
}

impl Paths {
    /// `data` where given, else `CALM_DATA_DIR`, else the user's data folder. Models are shared by all
    /// data folders: `CALM_MODELS_DIR`, else `models` in the user's data folder.
    ///
    /// # Errors
    /// When the system names no data folder and none was given.
    pub fn find(data: Option<PathBuf>) -> Result<Paths, AppError> {
        let home = dirs::data_dir().map(|base| base.join("calmtrader"));
        let from_env = |name| std::env::var_os(name).filter(|v| !v.is_empty()).map(PathBuf::from);
        let data = data.or_else(|| from_env("CALM_DATA_DIR")).or_else(|| home.clone());
        let models = from_env("CALM_MODELS_DIR").or_else(|| home.map(|home| home.join("models")));
        match (data, models) {
            (Some(data), Some(models)) => Ok(Paths { data, models }),
            (Some(data), None) => Ok(Paths { models: data.join("models"), data }),
            (None, _) => Err(AppError::NoDataFolder),
        }
    }

    /// Whether a session was ever begun in this data folder.
    pub fn has_database(&self) -> bool {
        self.data.join("calm.db").exists()
    }
}

/// The language that this system speaks, for a folder that nobody has used yet.
pub fn system_language() -> Lang {
    sys_locale::get_locale().map_or(Lang::En, |locale| Lang::from_locale(&locale))
}

/// Where the database key may lie: the system's keychain, or with `CALM_KEYCHAIN=off` only the key file.
pub fn secrets() -> Secrets {
    match std::env::var_os("CALM_KEYCHAIN") {
        Some(off) if off == "off" => Secrets::File,
        _ => Secrets::Auto,
    }
}
