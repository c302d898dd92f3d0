//! Who has a database open: in this process, by name; in others, by a lock on the folder.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::error::StoreError;
use crate::folder::Folder;
use crate::key::DatabaseId;

/// A database file that is open here, and how often.
struct Open {
    database: PathBuf,
    id: DatabaseId,
    times: usize,
}

static OPEN: Mutex<Vec<Open>> = Mutex::new(Vec::new());

/// Kept as long as a database is open; others can open it too, and nobody can replace or erase it.
pub(crate) struct Presence {
    database: PathBuf,
    _shared: Option<File>,
}

/// Nobody else has the database open, and whoever wants to waits for the folder's lock.
pub(crate) struct Alone {
    _exclusive: Option<File>,
}

impl Presence {
    /// Takes a place among those who have the folder's database open. The folder's lock must be held.
    pub fn enter(folder: &Folder, id: DatabaseId) -> Result<Presence, StoreError> {
        let shared = directory(folder).map(|dir| dir.try_lock_shared().map(|()| dir));
        let shared = match shared {
            Some(Err(fs::TryLockError::WouldBlock)) => return Err(StoreError::InUse),
            // A file system without locks: SQLite's own are all there is.
            Some(Err(fs::TryLockError::Error(_))) | None => None,
            Some(Ok(dir)) => Some(dir),
        };
        let database = same_for_all(&folder.database());
        let mut open = open();
        match open.iter_mut().find(|one| one.database == database) {
            Some(one) => one.times += 1,
            None => open.push(Open { database: database.clone(), id, times: 1 }),
        }
        Ok(Presence { database, _shared: shared })
    }
}

impl Drop for Presence {
    fn drop(&mut self) {
        let mut open = open();
        if let Some(place) = open.iter().position(|one| one.database == self.database) {
            open[place].times -= 1;
            if open[place].times == 0 {
                open.swap_remove(place);
            }
        }
    }
}

impl Alone {
    /// # Errors
    /// [`StoreError::InUse`] where this process or another one has the database open.
    pub fn with(folder: &Folder) -> Result<Alone, StoreError> {
        let database = same_for_all(&folder.database());
        if open().iter().any(|one| one.database == database) {
            return Err(StoreError::InUse);
        }
        match directory(folder).map(|dir| dir.try_lock().map(|()| dir)) {
            Some(Err(fs::TryLockError::WouldBlock)) => Err(StoreError::InUse),
            Some(Err(fs::TryLockError::Error(_))) | None => Ok(Alone { _exclusive: None }),
            Some(Ok(dir)) => Ok(Alone { _exclusive: Some(dir) }),
        }
    }
}

/// The first bytes of a database that is open here.
///
/// They must not be read from the file again: closing a file takes away every lock that this process has on it (POSIX),
/// SQLite's too. Another process may then think that nobody uses the database, and do to its log what it likes.
pub(crate) fn id_of_open(database: &Path) -> Option<DatabaseId> {
    let database = same_for_all(database);
    open().iter().find(|one| one.database == database).map(|one| one.id)
}

fn open() -> MutexGuard<'static, Vec<Open>> {
    // A thread that died while it counted left whole entries behind.
    OPEN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Windows opens no folder like this, and lets nobody replace or delete a file that is open.
fn directory(folder: &Folder) -> Option<File> {
    if cfg!(unix) { File::open(folder.dir()).ok() } else { None }
}

fn same_for_all(database: &Path) -> PathBuf {
    let dir = database.parent().and_then(|dir| fs::canonicalize(dir).ok());
    match (dir, database.file_name()) {
        (Some(dir), Some(name)) => dir.join(name),
        _ => database.to_owned(),
    }
}
