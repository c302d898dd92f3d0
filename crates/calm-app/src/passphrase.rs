//! The passphrase of the database, for both doors (SPEC X1).
//!
//! Where [`is_locked`], a door asks for the words and calls [`unlock`]; then [`crate::Conductor::open`] works as ever,
//! in this process alone. Setting, changing and removing need the database closed everywhere: a door drops its
//! conductor first, and opens another one afterwards.

use calm_store::{KeyPlace, Secrets, StoreError};

pub use calm_store::Passphrase;

use crate::error::AppError;
use crate::paths::Paths;

/// Whether the words are needed before anything can be opened.
///
/// # Errors
/// The data folder or the key file cannot be read.
pub fn is_locked(paths: &Paths) -> Result<bool, AppError> {
    Ok(calm_store::is_locked(&paths.data)?)
}

/// Whether one is set at all.
///
/// # Errors
/// As [`is_locked`].
pub fn is_set(paths: &Paths) -> Result<bool, AppError> {
    Ok(calm_store::has_passphrase(&paths.data)?)
}

/// Takes about a third of a second, so that guessing takes long.
///
/// # Errors
/// `wrong_passphrase`; nothing is written.
pub fn unlock(paths: &Paths, words: &Passphrase) -> Result<(), AppError> {
    Ok(calm_store::unlock(&paths.data, words)?)
}

/// Asks for the words again before the next opening; a conductor that is open stays open.
pub fn lock_again() {
    calm_store::lock_again();
}

/// A passphrase that was set, changed or removed.
#[derive(Debug)]
pub struct Changed {
    /// Where the key is from then on.
    pub place: KeyPlace,
    /// What could not be tidied up behind the change, which holds all the same.
    pub left: Option<String>,
}

/// Sets, changes or removes it, by which of the two are given.
///
/// # Errors
/// Everything is as it was, and what opened the journal before still does: `wrong_passphrase`, `in_use`, a passphrase
/// that is too short, no room for a second copy.
pub fn change(
    paths: &Paths,
    secrets: Secrets,
    old: Option<&Passphrase>,
    new: Option<&Passphrase>,
) -> Result<Changed, AppError> {
    let changed = calm_store::rekey(&paths.data, secrets, old, new).map_err(|error| match error {
        StoreError::InUse
        | StoreError::WrongPassphrase
        | StoreError::BadPassphrase
        | StoreError::NoPassphrase
        | StoreError::PassphraseSet => AppError::Store(error),
        other => AppError::NotRekeyed(other),
    })?;
    Ok(Changed { place: changed.place, left: changed.left.map(|error| error.to_string()) })
}
