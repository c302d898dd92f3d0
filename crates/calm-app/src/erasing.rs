//! Erasing everything that Calm has written, and looking whether it is gone (SPEC X2).

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use calm_models::Models;
use calm_store::Secrets;
use serde::Serialize;

use crate::error::AppError;
use crate::exporting::unfinished;
use crate::paths::{CLOCK_FILE, Paths, WINDOW_FILE};
use crate::running::SessionLock;

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Erased {
    /// In the order in which they went: the keys first, so that what comes after them was unreadable already.
    pub files: Vec<PathBuf>,
    /// What is in the data folder still: files that are not Calm's, and models where they were to stay; and exports that
    /// were cut off and cannot be reached.
    pub left: Vec<PathBuf>,
    /// What is Calm's, cannot be read without the keys, and could not be removed; with why.
    pub stuck: Vec<(PathBuf, String)>,
    /// The keychain did not say that it forgot: a key that fits nothing any more may be left in it.
    pub left_in_keychain: bool,
}

/// Erases the data folder: keys, database, log, backups, the user's prompts, and the models where `models` is set.
///
/// Nothing is written over but the two small files of keys: a solid-state disk writes elsewhere. The key is destroyed
/// first, and without it the rest is noise.
///
/// # Errors
/// Calm is open or holds a session somewhere; nothing has gone then. Otherwise the file of keys that cannot be removed:
/// the database is still there then. What cannot be removed after the keys is no error.
pub fn erase(paths: &Paths, secrets: Secrets, models: bool) -> Result<Erased, AppError> {
    let mut all = Erased::default();
    if paths.data.is_dir() {
        let session = SessionLock::take(&paths.data)?;
        let erased = calm_store::erase(&paths.data, secrets)?;
        // Windows deletes no file that is open.
        drop(session);
        (all.files, all.left_in_keychain, all.stuck) = (erased.files, erased.left_in_keychain, erased.stuck);
        all.left = unfinished::clear_for_good(&paths.data);
        for name in ["prompts", "session.lock"] {
            all.remove(&paths.data.join(name));
        }
        for name in [WINDOW_FILE, CLOCK_FILE] {
            all.remove(&paths.data.join(name));
            all.remove(&paths.data.join(format!("{name}.new")));
        }
    }
    if models {
        for path in Models::open(&paths.models).written() {
            all.remove(&path);
        }
        // Only where nothing else lies in it.
        fs::remove_dir(&paths.models).ok();
    }
    if paths.data.is_dir() {
        let mut found = Vec::new();
        look(&paths.data, &mut found).map_err(AppError::Folder)?;
        all.left.extend(found.into_iter().filter(|path| !all.stuck.iter().any(|(stuck, _)| stuck == path)));
        // Whatever is in it stays, and so does the folder then.
        fs::remove_dir(&paths.data).ok();
    }
    Ok(all)
}

impl Erased {
    /// A file, or a folder with everything in it; links are removed and not followed.
    fn remove(&mut self, path: &Path) {
        let Ok(about) = fs::symlink_metadata(path) else { return };
        let removed = if about.is_dir() {
            fs::read_dir(path).and_then(|entries| {
                let entries = entries.collect::<Result<Vec<_>, _>>()?;
                entries.iter().for_each(|entry| self.remove(&entry.path()));
                fs::remove_dir(path)
            })
        } else {
            fs::remove_file(path).inspect(|()| self.files.push(path.to_owned()))
        };
        if let Err(error) = removed {
            self.stuck.push((path.to_owned(), error.to_string()));
        }
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
