//! Where things lie: the clone, the user's cache, the models.

use anyhow::{Context, Result};
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

/// The variable that moves the models folder; the app and `calm` read it too.
pub const MODELS_DIR: &str = "CALM_MODELS_DIR";

/// The top folder of the clone.
///
/// Cargo says at run time which one it is: two clones may share a target folder, and so this program.
pub fn root() -> &'static Path {
    static ROOT: LazyLock<PathBuf> = LazyLock::new(|| {
        let xtask = env::var_os("CARGO_MANIFEST_DIR").unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
        PathBuf::from(xtask)
    });
    ROOT.parent().unwrap_or(&ROOT)
}

/// What was fetched or built once for this user and may be deleted at any time. The folder exists.
///
/// # Errors
/// When the user has no such folder or it cannot be made.
pub fn cache() -> Result<PathBuf> {
    let cache = dirs::cache_dir().context("this user has no cache folder: set HOME")?.join("calmtrader");
    fs::create_dir_all(&cache).with_context(|| format!("{} cannot be made", cache.display()))?;
    Ok(cache)
}

/// The models folder: `CALM_MODELS_DIR`, else `calmtrader/models` in the user's data folder.
pub fn models() -> Result<PathBuf> {
    if let Some(dir) = env::var_os(MODELS_DIR).filter(|dir| !dir.is_empty()) {
        return Ok(PathBuf::from(dir));
    }
    let data = dirs::data_dir().context("this user has no data folder: set HOME")?;
    Ok(data.join("calmtrader").join("models"))
}
