//! Erasing everything that Calm has written, and looking whether it is gone (SPEC X2).

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use calm_models::Models;
use calm_store::Secrets;
use serde::Serialize;

use crate::error::AppError;
use crate::paths::{Paths, WINDOW_FILE};
use crate::running::SessionLock;

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Erased {
    /// In the order in which they went: the keys first, so that what comes after them was unreadable already.
    pub files: Vec<PathBuf>,
    /// What is in the data folder still: files that are not Calm's, and models where they were to stay.
    pub left: Vec<PathBuf>,
    /// The keychain did not say that it forgot: a key that fits nothing any more may be left in it.
    pub left_in_keychain: bool,
}

/// Erases the data folder: keys, database, log, backups, the user's prompts, and the models where `models` is set.
///
/// Nothing is written over but the two small files of keys: a solid-state disk writes elsewhere. The key is destroyed
/// first, and without it the rest is noise.
///
/// # Errors
/// Calm is open or holds a session somewhere; nothing has gone then. Otherwise the file that cannot be removed.
pub fn erase(paths: &Paths, secrets: Secrets, models: bool) -> Result<Erased, AppError> {
    let mut all = Erased::default();
    if paths.data.is_dir() {
        let session = SessionLock::take(&paths.data)?;
        let erased = calm_store::erase(&paths.data, secrets)?;
        // Windows deletes no file that is open.
        drop(session);
        (all.files, all.left_in_keychain) = (erased.files, erased.left_in_keychain);
        all.remove(&paths.data.join("prompts"))?;
        all.remove(&paths.data.join("session.lock"))?;
        all.remove(&paths.data.join(WINDOW_FILE))?;
        all.remove(&paths.data.join(format!("{WINDOW_FILE}.new")))?;
    }
    if models {
        for path in Models::open(&paths.models).written() {
            all.remove(&path)?;
        }
        // Only where nothing else lies in it.
        fs::remove_dir(&paths.models).ok();
    }
    if paths.data.is_dir() {
        look(&paths.data, &mut all.left).map_err(AppError::Folder)?;
        // Whatever is in it stays, and so does the folder then.
        fs::remove_dir(&paths.data).ok();
    }
    Ok(all)
}

impl Erased {
    /// A file, or a folder with everything in it; links are removed and not followed.
    fn remove(&mut self, path: &Path) -> Result<(), AppError> {
        let Ok(about) = fs::symlink_metadata(path) else { return Ok(()) };
        if about.is_dir() {
            for entry in fs::read_dir(path).map_err(AppError::Folder)? {
                self.remove(&entry.map_err(AppError::Folder)?.path())?;
            }
            return fs::remove_dir(path).map_err(AppError::Folder);
        }
        fs::remove_file(path).map_err(AppError::Folder)?;
        self.files.push(path.to_owned());
        Ok(())
    }
}

fn look(dir: &Path, found: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(dir)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            look(&entry.path(), found)?;
        } else {
            found.push(entry.path());
        }
    }
    found.sort();
    Ok(())
}
