//! Giving a database another key: with a passphrase, with another one, or without (SPEC X1).
//!
//! The key itself changes, not only what it lies behind: an old copy of `calm.key` opens nothing that is written later.
//! A kill at any moment leaves a database that opens with the old secret or with the new one, because `calm.key` holds
//! both from before the database is replaced until after it, and the database's first bytes say which of them it is.

use std::path::Path;

use zeroize::Zeroizing;

use crate::api_keys::ApiKeys;
use crate::error::StoreError;
use crate::folder::{self, Folder, with_suffix};
use crate::key::{self, Key, KeyFile, KeyPlace, Line, Secrets};
use crate::keychain;
use crate::passphrase::{LockedKey, Passphrase};
use crate::presence::Alone;
use crate::store::{close, connect, copy_to};

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
/// The database stays as it was. [`StoreError::InUse`] where anybody has it open, this process too;
/// [`StoreError::WrongPassphrase`]; [`StoreError::NoPassphrase`] and [`StoreError::PassphraseSet`] where `old` does not
/// fit what is there.
pub fn rekey(
    dir: &Path,
    secrets: Secrets,
    old: Option<&Passphrase>,
    new: Option<&Passphrase>,
) -> Result<KeyPlace, StoreError> {
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
    let now = KeyFile::read(&folder)?.now;
    let (next, place) = provide(&folder, secrets, &new_key, new)?;
    let in_file = next.is_some();
    KeyFile { now, next }.write(&folder)?;
    api_keys.carry(old_key.database_id(), new_key.database_id())?;

    let unfinished = with_suffix(&database, ".new");
    copy_to(&unfinished, &conn, &new_key)?;
    close(conn)?;
    folder.publish(&unfinished, &database)?;

    key::lock_again();
    let now = if in_file { KeyFile::read(&folder)?.next } else { None };
    KeyFile { now, next: None }.write(&folder)?;
    if old_place == KeyPlace::Keychain && keychain::forget(&old_key.database_id().account()).is_err() {
        tracing::warn!("the keychain keeps a key that no database uses");
    }
    api_keys.forget_account(old_key.database_id());
    for backup in folder.backups()? {
        folder::discard(&backup).map_err(|e| StoreError::folder(&backup, e))?;
    }
    Ok(place)
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
