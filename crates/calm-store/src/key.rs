//! The key of the database: how it is made, where it lies, and how a file is recognised as its own.
//!
//! The key is 32 random bytes. The first 16 bytes of an SQLCipher file are its salt, in the clear;
//! ours are a one-way hash of the key, so the file itself names the key that opens it, in the
//! keychain too, however the folder is moved or renamed.

use std::fmt;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};
use zeroize::Zeroizing;

use crate::error::StoreError;
use crate::folder::{Folder, tighten};
use crate::keychain;

/// Where a new key goes and an existing one is looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Secrets {
    /// The keychain of the operating system, or a file where there is none.
    Auto,
    /// `calm.key` beside the database; the keychain is not asked.
    File,
}

/// Where the key of an open database lies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeyPlace {
    Keychain,
    File(PathBuf),
}

const KEY_BYTES: usize = 32;
const ID_BYTES: usize = 16;

pub(crate) struct Key(Zeroizing<[u8; KEY_BYTES]>);

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key(…)")
    }
}

/// A database's first bytes, as its key foretells them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct DatabaseId([u8; ID_BYTES]);

impl DatabaseId {
    pub fn of_file(path: &Path) -> Result<DatabaseId, StoreError> {
        let mut id = [0; ID_BYTES];
        match File::open(path).and_then(|mut file| file.read_exact(&mut id)) {
            Ok(()) => Ok(DatabaseId(id)),
            Err(e) if e.kind() == io::ErrorKind::UnexpectedEof => Err(StoreError::Damaged),
            Err(e) => Err(StoreError::folder(path, e)),
        }
    }

    pub fn account(self) -> String {
        format!("database {}", &*hex(&self.0))
    }
}

impl Key {
    fn generate() -> Result<Key, StoreError> {
        let mut bytes = Zeroizing::new([0; KEY_BYTES]);
        getrandom::fill(&mut *bytes).map_err(|_| StoreError::NoRandomness)?;
        Ok(Key(bytes))
    }

    fn from_bytes(bytes: &[u8]) -> Option<Key> {
        let bytes: &[u8; KEY_BYTES] = bytes.try_into().ok()?;
        Some(Key(Zeroizing::new(*bytes)))
    }

    fn from_hex(text: &str) -> Option<Key> {
        let digits = text.trim().as_bytes();
        let mut bytes = Zeroizing::new([0; KEY_BYTES]);
        if digits.len() != 2 * KEY_BYTES {
            return None;
        }
        for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
            let high = char::from(pair[0]).to_digit(16)?;
            let low = char::from(pair[1]).to_digit(16)?;
            *byte = u8::try_from(high << 4 | low).ok()?;
        }
        Some(Key(bytes))
    }

    pub fn database_id(&self) -> DatabaseId {
        let mut hash = Sha256::new();
        hash.update(b"calmtrader database id\0");
        hash.update(*self.0);
        let mut id = [0; ID_BYTES];
        id.copy_from_slice(&hash.finalize()[..ID_BYTES]);
        DatabaseId(id)
    }

    /// The statement that unlocks a database; the quoted value is SQLCipher's form of raw key and salt.
    pub fn pragma(&self) -> Zeroizing<String> {
        Zeroizing::new(format!("PRAGMA key = \"x'{}{}'\"", &*hex(&*self.0), &*hex(&self.database_id().0)))
    }
}

/// The key of the database that is in `folder`.
pub(crate) fn find(folder: &Folder, secrets: Secrets) -> Result<(Key, KeyPlace), StoreError> {
    if let Some(found) = in_file(folder)? {
        return Ok(found);
    }
    let database = folder.database();
    if secrets == Secrets::File {
        return Err(StoreError::KeyMissing { database });
    }
    let account = DatabaseId::of_file(&database)?.account();
    match keychain::read(&account) {
        Ok(Some(secret)) => match Key::from_bytes(&secret) {
            Some(key) => Ok((key, KeyPlace::Keychain)),
            None => Err(StoreError::WrongKey { database }),
        },
        Ok(None) => Err(StoreError::KeyMissing { database }),
        Err(keychain::Unreachable) => Err(StoreError::KeychainClosed { database }),
    }
}

/// The key for the database that is about to be made in `folder`, safely stored before it is used.
pub(crate) fn provide(folder: &Folder, secrets: Secrets) -> Result<(Key, KeyPlace), StoreError> {
    if let Some(found) = in_file(folder)? {
        return Ok(found);
    }
    if secrets == Secrets::Auto {
        let key = Key::generate()?;
        let account = key.database_id().account();
        if keychain::write(&account, Zeroizing::new(key.0.to_vec())).is_ok() {
            return Ok((key, KeyPlace::Keychain));
        }
        tracing::info!("no keychain answers: the key goes into a file beside the database");
    }
    // Not the key that the keychain was offered: it may still arrive there.
    let key = Key::generate()?;
    let path = folder.key_file();
    let mut line = hex(&*key.0);
    line.push('\n');
    folder.write_private(&path, line.as_bytes())?;
    Ok((key, KeyPlace::File(path)))
}

/// Gives up a key whose database could not be made.
pub(crate) fn withdraw(key: &Key, place: &KeyPlace) {
    // A key file stays: the next attempt takes it up.
    if *place == KeyPlace::Keychain && keychain::forget(&key.database_id().account()).is_err() {
        tracing::warn!("the keychain keeps a key that no database uses");
    }
}

fn in_file(folder: &Folder) -> Result<Option<(Key, KeyPlace)>, StoreError> {
    let path = folder.key_file();
    let content = match fs::read(&path) {
        Ok(content) => Zeroizing::new(content),
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(e) => return Err(StoreError::folder(&path, e)),
    };
    if tighten(&path)? {
        tracing::warn!("other users could read calm.key; now only its owner can");
    }
    let key = std::str::from_utf8(&content).ok().and_then(Key::from_hex);
    match key {
        Some(key) => Ok(Some((key, KeyPlace::File(path)))),
        None => Err(StoreError::KeyUnreadable { path }),
    }
}

fn hex(bytes: &[u8]) -> Zeroizing<String> {
    const DIGITS: [char; 16] = ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'a', 'b', 'c', 'd', 'e', 'f'];
    // Room for a line's end too: a string that grows leaves its old letters behind in memory.
    let mut text = Zeroizing::new(String::with_capacity(bytes.len() * 2 + 1));
    for byte in bytes {
        text.push(DIGITS[usize::from(byte >> 4)]);
        text.push(DIGITS[usize::from(byte & 0xf)]);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_survives_its_hexadecimal_form() {
        let key = Key::generate().expect("random bytes");
        let again = Key::from_hex(&format!("{}\n", &*hex(&*key.0))).expect("64 digits");
        assert_eq!(*key.0, *again.0);
        assert_eq!(key.database_id(), again.database_id());
    }

    #[test]
    fn nothing_but_64_digits_is_a_key() {
        let digits = "0123456789abcdef".repeat(4);
        assert!(Key::from_hex(&digits).is_some());
        for wrong in [&digits[1..], &format!("{digits}0"), &digits.replace('a', "г"), &digits.replace('0', "+"), ""] {
            assert!(Key::from_hex(wrong).is_none(), "{wrong}");
        }
    }

    #[test]
    fn debug_output_of_a_key_shows_nothing() {
        let key = Key::generate().expect("random bytes");
        assert_eq!(format!("{key:?}"), "Key(…)");
    }
}
