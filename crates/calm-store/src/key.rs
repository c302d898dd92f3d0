//! The key of the database: how it is made, where it lies, and how a file is recognised as its own.
//!
//! The key is 32 random bytes. The first 16 bytes of an SQLCipher file are its salt, in the clear;
//! ours are a one-way hash of the key, so the file itself names the key that opens it, in the
//! keychain too, however the folder is moved or renamed.
//!
//! `calm.key` holds one line: the key in hexadecimal, or a key behind a passphrase. While the key is being changed
//! (`rekey`) there may be a second line, which begins with `next `: whichever of the two fits the file is the key.

use std::fmt;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use sha2::{Digest, Sha256};
use zeroize::Zeroizing;

use crate::error::StoreError;
use crate::folder::{self, Folder, tighten, with_suffix};
use crate::passphrase::{LockedKey, Passphrase};
use crate::{keychain, presence};

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
    /// In that file, behind a passphrase.
    Locked(PathBuf),
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
        if let Some(id) = presence::id_of_open(path) {
            return Ok(id);
        }
        let mut id = [0; ID_BYTES];
        match File::open(path).and_then(|mut file| file.read_exact(&mut id)) {
            Ok(()) => Ok(DatabaseId(id)),
            Err(e) if e.kind() == io::ErrorKind::UnexpectedEof => Err(StoreError::Damaged),
            Err(e) => Err(StoreError::folder(path, e)),
        }
    }

    pub fn from_bytes(bytes: [u8; ID_BYTES]) -> DatabaseId {
        DatabaseId(bytes)
    }

    pub fn bytes(&self) -> &[u8; ID_BYTES] {
        &self.0
    }

    pub fn account(self) -> String {
        format!("database {}", &*hex(&self.0))
    }
}

impl Key {
    pub fn generate() -> Result<Key, StoreError> {
        let mut bytes = Zeroizing::new([0; KEY_BYTES]);
        getrandom::fill(&mut *bytes).map_err(|_| StoreError::NoRandomness)?;
        Ok(Key(bytes))
    }

    pub fn from_bytes(bytes: &[u8]) -> Option<Key> {
        let bytes: &[u8; KEY_BYTES] = bytes.try_into().ok()?;
        Some(Key(Zeroizing::new(*bytes)))
    }

    fn from_hex(text: &str) -> Option<Key> {
        bytes_of_hex(text.trim()).map(|bytes| Key(Zeroizing::new(bytes)))
    }

    pub fn bytes(&self) -> &[u8; KEY_BYTES] {
        &self.0
    }

    fn copy(&self) -> Key {
        Key(self.0.clone())
    }

    pub fn database_id(&self) -> DatabaseId {
        let mut hash = Sha256::new();
        hash.update(b"calmtrader database id\0");
        hash.update(self.0.as_slice());
        let mut id = [0; ID_BYTES];
        id.copy_from_slice(&hash.finalize()[..ID_BYTES]);
        DatabaseId(id)
    }

    /// The statement that unlocks a database; the quoted value is SQLCipher's form of raw key and salt.
    pub fn pragma(&self) -> Zeroizing<String> {
        Zeroizing::new(format!("PRAGMA key = \"x'{}{}'\"", &*hex(&*self.0), &*hex(&self.database_id().0)))
    }
}

/// A line of `calm.key`.
pub(crate) enum Line {
    Plain(Key),
    Locked(LockedKey),
}

impl Line {
    fn database(&self) -> DatabaseId {
        match self {
            Line::Plain(key) => key.database_id(),
            Line::Locked(locked) => locked.database(),
        }
    }

    fn text(&self) -> Zeroizing<String> {
        match self {
            Line::Plain(key) => hex(key.bytes()),
            Line::Locked(locked) => Zeroizing::new(locked.line()),
        }
    }
}

/// What `calm.key` says: the key, and the one that is about to take its place.
#[derive(Default)]
pub(crate) struct KeyFile {
    pub now: Option<Line>,
    pub next: Option<Line>,
}

/// Keys whose passphrase was given in this process, so that its other connections need not ask again.
static UNLOCKED: Mutex<Vec<Key>> = Mutex::new(Vec::new());

/// The key of the database that is in `folder`.
pub(crate) fn find(folder: &Folder, secrets: Secrets) -> Result<(Key, KeyPlace), StoreError> {
    let database = folder.database();
    let file = KeyFile::read(folder)?;
    let id = DatabaseId::of_file(&database);
    let path = folder.key_file();
    let (fitting, others): (Vec<Line>, Vec<Line>) =
        file.lines().partition(|line| id.as_ref().is_ok_and(|id| line.database() == *id));
    match fitting.into_iter().next() {
        Some(Line::Plain(key)) => return Ok((key, KeyPlace::File(path))),
        Some(Line::Locked(locked)) => {
            let key = unlocked(locked.database()).ok_or(StoreError::Locked)?;
            return Ok((key, KeyPlace::Locked(path)));
        }
        None => {}
    }
    let any = !others.is_empty();
    // It does not fit, as far as the file's first bytes can be trusted: opening it will tell.
    let plain = others.into_iter().find_map(|line| match line {
        Line::Plain(key) => Some((key, KeyPlace::File(path.clone()))),
        Line::Locked(_) => None,
    });
    if secrets == Secrets::Auto {
        match keychain::read(&id?.account()) {
            Ok(Some(secret)) => match Key::from_bytes(&secret) {
                Some(key) => return Ok((key, KeyPlace::Keychain)),
                None => return plain.ok_or(StoreError::WrongKey { database }),
            },
            Err(keychain::Unreachable) if !any => return Err(StoreError::KeychainClosed { database }),
            Ok(None) | Err(keychain::Unreachable) => {}
        }
    }
    match plain {
        Some(found) => Ok(found),
        None if any => Err(StoreError::WrongKey { database }),
        None => Err(StoreError::KeyMissing { database }),
    }
}

/// After a change of the key was cut off: the line that opened the database stays, and half a copy of it goes.
pub(crate) fn settle(folder: &Folder, key: &Key) -> Result<(), StoreError> {
    let file = KeyFile::read(folder)?;
    if file.next.is_some() {
        let kept = file.lines().find(|line| line.database() == key.database_id());
        KeyFile { now: kept, next: None }.write(folder)?;
    }
    // A change that was cut off leaves a copy, also where the keychain holds the keys.
    let copy = with_suffix(&folder.database(), ".new");
    folder::discard(&copy).map_err(|e| StoreError::folder(&copy, e))
}

/// Whether a passphrase is needed before the database can be opened here.
pub(crate) fn is_locked(folder: &Folder) -> Result<bool, StoreError> {
    Ok(locked_line(folder)?.is_some_and(|locked| unlocked(locked.database()).is_none()))
}

/// Opens the key of `folder` for this process.
pub(crate) fn unlock(folder: &Folder, passphrase: &Passphrase) -> Result<(), StoreError> {
    if let Some(locked) = locked_line(folder)? {
        let key = locked.unlock(passphrase)?;
        held().push(key);
    }
    Ok(())
}

/// From now on the passphrase is needed again, for connections that are opened later.
pub(crate) fn lock_again() {
    held().clear();
}

/// The locked line that fits the database; `None` where no passphrase is set.
pub(crate) fn locked_line(folder: &Folder) -> Result<Option<LockedKey>, StoreError> {
    let database = folder.database();
    if !database.try_exists().map_err(|e| StoreError::folder(&database, e))? {
        return Ok(None);
    }
    let id = DatabaseId::of_file(&database)?;
    Ok(KeyFile::read(folder)?.lines().find_map(|line| match line {
        Line::Locked(locked) if locked.database() == id => Some(locked),
        _ => None,
    }))
}

fn unlocked(id: DatabaseId) -> Option<Key> {
    held().iter().find(|key| key.database_id() == id).map(Key::copy)
}

fn held() -> std::sync::MutexGuard<'static, Vec<Key>> {
    UNLOCKED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The key for the database that is about to be made in `folder`, safely stored before it is used.
pub(crate) fn provide(folder: &Folder, secrets: Secrets) -> Result<(Key, KeyPlace), StoreError> {
    match KeyFile::read(folder)?.now {
        Some(Line::Plain(key)) => return Ok((key, KeyPlace::File(folder.key_file()))),
        // The database that it belongs to is gone; it may come back.
        Some(Line::Locked(_)) => return Err(StoreError::KeyUnreadable { path: folder.key_file() }),
        None => {}
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
    let line = Line::Plain(key.copy());
    KeyFile { now: Some(line), next: None }.write(folder)?;
    Ok((key, KeyPlace::File(folder.key_file())))
}

/// Gives up a key whose database could not be made.
pub(crate) fn withdraw(key: &Key, place: &KeyPlace) {
    // A key file stays: the next attempt takes it up.
    if *place == KeyPlace::Keychain && keychain::forget(&key.database_id().account()).is_err() {
        tracing::warn!("the keychain keeps a key that no database uses");
    }
}

impl KeyFile {
    /// Empty where there is no such file.
    pub fn read(folder: &Folder) -> Result<KeyFile, StoreError> {
        let path = folder.key_file();
        let content = match fs::read(&path) {
            Ok(content) => Zeroizing::new(content),
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(KeyFile::default()),
            Err(e) => return Err(StoreError::folder(&path, e)),
        };
        if tighten(&path)? {
            tracing::warn!("other users could read calm.key; now only its owner can");
        }
        std::str::from_utf8(&content).ok().and_then(KeyFile::of_text).ok_or(StoreError::KeyUnreadable { path })
    }

    fn of_text(text: &str) -> Option<KeyFile> {
        let read = |line: &str| match LockedKey::of_line(line) {
            Some(locked) => Some(Line::Locked(locked)),
            None => Key::from_hex(line).map(Line::Plain),
        };
        let mut file = KeyFile::default();
        for line in text.trim().lines() {
            let (place, line) = match line.strip_prefix("next ") {
                Some(line) => (&mut file.next, line),
                None => (&mut file.now, line),
            };
            if place.replace(read(line.trim())?).is_some() {
                return None;
            }
        }
        (file.now.is_some() || file.next.is_some()).then_some(file)
    }

    /// Replaces the file as one, or removes it where there is nothing to keep in it.
    pub fn write(&self, folder: &Folder) -> Result<(), StoreError> {
        let path = folder.key_file();
        // Room for all of it: a string that grows leaves its old letters behind in memory.
        let mut text = Zeroizing::new(String::with_capacity(1024));
        for (prefix, line) in [("", &self.now), ("next ", &self.next)] {
            if let Some(line) = line {
                text.push_str(prefix);
                text.push_str(&line.text());
                text.push('\n');
            }
        }
        if text.is_empty() {
            folder::discard(&path).map_err(|e| StoreError::folder(&path, e))?;
            return folder.sync();
        }
        folder.write_private(&path, text.as_bytes())
    }

    fn lines(self) -> impl Iterator<Item = Line> {
        [self.now, self.next].into_iter().flatten()
    }
}

pub(crate) fn hex(bytes: &[u8]) -> Zeroizing<String> {
    const DIGITS: [char; 16] = ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'a', 'b', 'c', 'd', 'e', 'f'];
    let mut text = Zeroizing::new(String::with_capacity(bytes.len() * 2));
    for byte in bytes {
        text.push(DIGITS[usize::from(byte >> 4)]);
        text.push(DIGITS[usize::from(byte & 0xf)]);
    }
    text
}

/// `None` where the text is not exactly so many bytes in hexadecimal.
pub(crate) fn bytes_of_hex<const N: usize>(text: &str) -> Option<[u8; N]> {
    let digits = text.as_bytes();
    let mut bytes = [0; N];
    if digits.len() != 2 * N {
        return None;
    }
    for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
        let high = char::from(pair[0]).to_digit(16)?;
        let low = char::from(pair[1]).to_digit(16)?;
        *byte = u8::try_from(high << 4 | low).ok()?;
    }
    Some(bytes)
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
