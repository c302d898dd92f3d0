//! Giving a database another key: with a passphrase, with another one, or without (SPEC X1).
//!
//! The key itself changes, not only what it lies behind: an old copy of `calm.key` opens nothing that is written later.
//! A kill at any moment leaves a database that opens with the old secret or with the new one, because `calm.key` holds
//! both from before the database is replaced until after it, and the database's first bytes say which of them it is.

use std::path::Path;

use rusqlite::Connection;
use zeroize::Zeroizing;

use crate::api_keys::ApiKeys;
use crate::error::StoreError;
use crate::folder::{self, Folder, with_suffix};
use crate::key::{self, DatabaseId, Key, KeyFile, KeyPlace, Line, Secrets};
use crate::keychain;
use crate::passphrase::{LockedKey, Passphrase};
use crate::presence::Alone;
use crate::store::{close, connect, copy_to};

/// A change of the key that has happened.
#[derive(Debug)]
pub struct Rekeyed {
    /// Where the key is from now on.
    pub place: KeyPlace,
    /// What went wrong once the new key held: it holds all the same, and the next opening puts the rest right. Only
    /// backups under the old key may stay until the first deletion.
    pub left: Option<StoreError>,
}

/// Whether a passphrase is needed before the database in `dir` can be opened in this process.
///
/// # Errors
/// The folder or the key file cannot be read.
pub fn is_locked(dir: &Path) -> Result<bool, StoreError> {
    if !dir.exists() {
        return Ok(false);
    }
    key::is_locked(&Folder::prepare(dir)?)
}

/// Whether the database in `dir` has a passphrase, whether or not it was given.
///
/// # Errors
/// As [`is_locked`].
pub fn has_passphrase(dir: &Path) -> Result<bool, StoreError> {
    if !dir.exists() {
        return Ok(false);
    }
    Ok(key::locked_line(&Folder::prepare(dir)?)?.is_some())
}

/// Lets this process open the database in `dir` from now on. Takes about a third of a second.
///
/// # Errors
/// [`StoreError::WrongPassphrase`]; nothing is written.
pub fn unlock(dir: &Path, passphrase: &Passphrase) -> Result<(), StoreError> {
    key::unlock(&Folder::prepare(dir)?, passphrase)
}

/// Asks for the passphrase again before anything else is opened here; what is open stays open.
pub fn lock_again() {
    key::lock_again();
}

/// Gives the database in `dir` a new key behind `new`, or where `new` is absent one in the keychain or the key file.
///
/// `old` is the passphrase that is set. Backups from before earlier migrations go: they are under the old key.
///
/// # Errors
/// The database and what opens it stay as they were. [`StoreError::InUse`] where anybody has it open, this process too;
/// [`StoreError::WrongPassphrase`]; [`StoreError::NoPassphrase`] and [`StoreError::PassphraseSet`] where `old` does not
/// fit what is there.
pub fn rekey(
    dir: &Path,
    secrets: Secrets,
    old: Option<&Passphrase>,
    new: Option<&Passphrase>,
) -> Result<Rekeyed, StoreError> {
    if let Some(new) = new {
        new.check()?;
    }
    let folder = Folder::prepare(dir)?;
    let _lock = folder.lock()?;
    let (old_key, old_place) = old_key(&folder, secrets, old)?;
    let _alone = Alone::with(&folder)?;
    key::settle(&folder, &old_key)?;
    let api_keys = ApiKeys::open(dir, secrets)?;

    let database = folder.database();
    let conn = connect(&database, &old_key)?;
    // Brings the log into the file; it cannot where somebody is there after all.
    let journal: String = conn.query_row("PRAGMA journal_mode = DELETE", [], |row| row.get(0))?;
    if journal != "delete" {
        return Err(StoreError::InUse);
    }
    let new_key = Key::generate()?;
    let (next, place) = provide(&folder, secrets, &new_key, new)?;
    let in_file = next.is_some();
    let replaced = replace(&folder, conn, next, &old_key, &new_key, &api_keys);
    if let Err(error) = replaced {
        // Which key holds is what the file's first bytes say, whatever failed.
        return match DatabaseId::of_file(&database) {
            Ok(id) if id == new_key.database_id() => {
                key::lock_again();
                Ok(Rekeyed { place, left: Some(error) })
            }
            Ok(_) => {
                withdraw(&folder, &old_key, &new_key, &place, &api_keys);
                Err(error)
            }
            // Both keys stay where they are: one of them opens it.
            Err(_) => Err(error),
        };
    }
    key::lock_again();
    let left = tidy(&folder, in_file, &old_key, &old_place, &api_keys).err();
    Ok(Rekeyed { place, left })
}

/// Both keys into the key file, a copy under the new one, and the copy into the place of the database.
fn replace(
    folder: &Folder,
    conn: Connection,
    next: Option<Line>,
    old_key: &Key,
    new_key: &Key,
    api_keys: &ApiKeys,
) -> Result<(), StoreError> {
    let now = KeyFile::read(folder)?.now;
    KeyFile { now, next }.write(folder)?;
    api_keys.carry(old_key.database_id(), new_key.database_id())?;
    let unfinished = with_suffix(&folder.database(), ".new");
    copy_to(&unfinished, &conn, new_key)?;
    close(conn)?;
    folder.publish(&unfinished, &folder.database())
}

/// Takes back what was got ready for a key that does not come; what cannot be is put right at the next opening.
fn withdraw(folder: &Folder, old_key: &Key, new_key: &Key, place: &KeyPlace, api_keys: &ApiKeys) {
    if let Err(error) = key::settle(folder, old_key) {
        tracing::warn!(%error, "what a change of the key left is put right at the next start");
    }
    key::withdraw(new_key, place);
    api_keys.forget_account(new_key.database_id());
}

/// The old key goes, and everything that only it opens.
fn tidy(
    folder: &Folder,
    in_file: bool,
    old_key: &Key,
    old_place: &KeyPlace,
    api_keys: &ApiKeys,
) -> Result<(), StoreError> {
    let now = if in_file { KeyFile::read(folder)?.next } else { None };
    KeyFile { now, next: None }.write(folder)?;
    if *old_place == KeyPlace::Keychain && keychain::forget(&old_key.database_id().account()).is_err() {
        tracing::warn!("the keychain keeps a key that no database uses");
    }
    api_keys.forget_account(old_key.database_id());
    let mut stuck = Ok(());
    for backup in folder.backups()? {
        stuck = stuck.and(folder::discard(&backup).map_err(|e| StoreError::folder(&backup, e)));
    }
    stuck
}

fn old_key(folder: &Folder, secrets: Secrets, old: Option<&Passphrase>) -> Result<(Key, KeyPlace), StoreError> {
    match (key::locked_line(folder)?, old) {
        (Some(locked), Some(old)) => Ok((locked.unlock(old)?, KeyPlace::Locked(folder.key_file()))),
        (Some(_), None) => Err(StoreError::PassphraseSet),
        (None, Some(_)) => Err(StoreError::NoPassphrase),
        (None, None) => key::find(folder, secrets),
    }
}

/// The line for the key file, and where the key is from then on; no line where the keychain has taken it.
fn provide(
    folder: &Folder,
    secrets: Secrets,
    key: &Key,
    passphrase: Option<&Passphrase>,
) -> Result<(Option<Line>, KeyPlace), StoreError> {
    let path = folder.key_file();
    if let Some(passphrase) = passphrase {
        return Ok((Some(Line::Locked(LockedKey::lock(key, passphrase)?)), KeyPlace::Locked(path)));
    }
    let secret = || Zeroizing::new(key.bytes().to_vec());
    if secrets == Secrets::Auto && keychain::write(&key.database_id().account(), secret()).is_ok() {
        return Ok((None, KeyPlace::Keychain));
    }
    let copy = Key::from_bytes(key.bytes()).ok_or(StoreError::NoRandomness)?;
    Ok((Some(Line::Plain(copy)), KeyPlace::File(path)))
}
