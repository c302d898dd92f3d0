//! Erasing everything: the key first, because without it the rest is noise, then every file by name (SPEC X2).

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::api_keys::ApiKeys;
use crate::error::StoreError;
use crate::folder::{Folder, with_suffix};
use crate::key::{DatabaseId, Secrets};
use crate::keychain;
use crate::presence::Alone;

/// What was erased.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Erased {
    /// In the order in which they went: keys first.
    pub files: Vec<PathBuf>,
    /// The keychain was asked to forget and did not: a key that fits nothing any more may be left in it.
    pub left_in_keychain: bool,
    /// Files that could not be removed, and why. Without the keys nothing in them can be read.
    pub stuck: Vec<(PathBuf, String)>,
}

/// Destroys the keys and removes every file of the database in `dir`, backups and half-written ones too.
///
/// It needs no passphrase and no key: whoever has lost them may still erase. Where it is cut off, the keys have gone
/// first, and a second call removes the rest. The folder itself, and what is not the database's, stays.
///
/// # Errors
/// Nothing has gone where [`StoreError::InUse`] says that anybody has it open. Otherwise a file of keys cannot be
/// removed, and the database is still there; what cannot be removed after them is in [`Erased::stuck`].
pub fn erase(dir: &Path, secrets: Secrets) -> Result<Erased, StoreError> {
    let mut erased = Erased::default();
    if !dir.exists() {
        return Ok(erased);
    }
    let folder = Folder::prepare(dir)?;
    let lock = folder.lock()?;
    let _alone = Alone::with(&folder)?;

    let database = folder.database();
    let id = if database.exists() { DatabaseId::of_file(&database).ok() } else { None };
    let in_file = folder.key_file().exists();
    if let Some(id) = id.filter(|_| secrets == Secrets::Auto) {
        let servers = ApiKeys::open(dir, secrets)?.forget_account(id);
        let own = keychain::forget(&id.account()).is_ok();
        erased.left_in_keychain = !servers || (!own && !in_file);
    }
    for secret in [folder.key_file(), folder.api_key_file()] {
        for path in [with_suffix(&secret, ".new"), secret] {
            erased.go_over(&path)?;
        }
    }
    folder.sync()?;

    let unfinished = with_suffix(&database, ".new");
    let mut files = vec![database, unfinished];
    files.extend(folder.backups()?);
    for path in &files {
        for suffix in ["-wal", "-shm", "-journal", ""] {
            erased.remove_if_possible(&with_suffix(path, suffix));
        }
    }
    // Windows deletes no file that is open.
    drop(lock);
    erased.remove_if_possible(&folder.lock_file());
    if let Err(error) = folder.sync() {
        tracing::warn!(%error, "a power loss now may bring files back that nothing can read");
    }
    Ok(erased)
}

impl Erased {
    /// Writes over a secret before it goes. On a disk that writes elsewhere this proves nothing, and it costs nothing.
    fn go_over(&mut self, path: &Path) -> Result<(), StoreError> {
        let length = match fs::metadata(path) {
            Ok(about) => usize::try_from(about.len()).unwrap_or(0),
            Err(_) => return Ok(()),
        };
        let over = OpenOptions::new().write(true).open(path);
        if let Err(error) = over.and_then(|mut file| file.write_all(&vec![0; length]).and_then(|()| file.sync_all())) {
            tracing::debug!(kind = ?error.kind(), "a secret could not be written over, and is only removed");
        }
        self.remove(path)
    }

    fn remove_if_possible(&mut self, path: &Path) {
        if let Err(error) = self.remove(path) {
            self.stuck.push((path.to_owned(), error.to_string()));
        }
    }

    fn remove(&mut self, path: &Path) -> Result<(), StoreError> {
        match fs::remove_file(path) {
            Ok(()) => self.files.push(path.to_owned()),
            Err(e) if e.kind() == io::ErrorKind::NotFound => {}
            Err(e) => return Err(StoreError::folder(path, e)),
        }
        Ok(())
    }
}
