//! A key behind a passphrase: Argon2id makes a second key of the words, and that one locks the database's key away
//! (SPEC X1).
//!
//! The words are kept nowhere. What lies in `calm.key` is one line with everything but them.

use std::fmt;

use argon2::{Algorithm, Argon2, Params, Version};
use chacha20poly1305::aead::{Aead, KeyInit, Payload};
use chacha20poly1305::{XChaCha20Poly1305, XNonce};
use unicode_normalization::UnicodeNormalization;
use zeroize::Zeroizing;

use crate::error::StoreError;
use crate::key::{DatabaseId, Key, bytes_of_hex, hex};

const SALT: usize = 16;
const NONCE: usize = 24;
/// The key and its 16-byte seal.
const LOCKED: usize = 48;
/// In characters.
const SHORTEST: usize = 8;
/// In bytes.
const LONGEST: usize = 1024;

/// RFC 9106's choice for little memory: 64 MiB, three passes.
const MEMORY: u32 = 64 * 1024;
const PASSES: u32 = 3;
const LANES: u32 = 1;
/// What a line may ask for: a file that somebody changed must not take the machine.
const MOST_MEMORY: u32 = 1024 * 1024;
const MOST_PASSES: u32 = 16;
const MOST_LANES: u32 = 16;

/// Words that open the database. The same words are the same, however a keyboard composes their letters.
#[derive(PartialEq, Eq)]
pub struct Passphrase(Zeroizing<String>);

impl fmt::Debug for Passphrase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Passphrase(…)")
    }
}

impl Passphrase {
    /// Words that were typed; the end of the line is none of them.
    pub fn typed(text: &str) -> Passphrase {
        let line = text.trim_end_matches(['\r', '\n']);
        let mut words = Zeroizing::new(String::with_capacity(line.len() * 3));
        words.extend(line.nfc());
        Passphrase(words)
    }

    /// As [`Passphrase::typed`]; what was typed is wiped from memory.
    pub fn taken(text: String) -> Passphrase {
        Passphrase::typed(&Zeroizing::new(text))
    }

    /// # Errors
    /// [`StoreError::BadPassphrase`] where it is shorter than eight characters or longer than 1024 bytes.
    pub fn check(&self) -> Result<(), StoreError> {
        let fits = self.0.chars().count() >= SHORTEST && self.0.len() <= LONGEST;
        if fits { Ok(()) } else { Err(StoreError::BadPassphrase) }
    }
}

/// A key that only its passphrase opens, as `calm.key` holds it.
pub(crate) struct LockedKey {
    database: DatabaseId,
    cost: Params,
    salt: [u8; SALT],
    nonce: [u8; NONCE],
    locked: [u8; LOCKED],
}

impl LockedKey {
    pub fn lock(key: &Key, passphrase: &Passphrase) -> Result<LockedKey, StoreError> {
        let mut salt = [0; SALT];
        let mut nonce = [0; NONCE];
        for bytes in [&mut salt[..], &mut nonce[..]] {
            getrandom::fill(bytes).map_err(|_| StoreError::NoRandomness)?;
        }
        let cost = Params::new(MEMORY, PASSES, LANES, None).map_err(|_| StoreError::WrongPassphrase)?;
        let mut new = LockedKey { database: key.database_id(), cost, salt, nonce, locked: [0; LOCKED] };
        let sealed = new
            .cipher(passphrase)?
            .encrypt(&XNonce::from(nonce), Payload { msg: key.bytes(), aad: new.beside().as_bytes() });
        let sealed = sealed.ok().and_then(|sealed| sealed.try_into().ok());
        new.locked = sealed.ok_or(StoreError::WrongPassphrase)?;
        Ok(new)
    }

    /// # Errors
    /// [`StoreError::WrongPassphrase`] where the words are others, or the line was changed.
    pub fn unlock(&self, passphrase: &Passphrase) -> Result<Key, StoreError> {
        let opened = self
            .cipher(passphrase)?
            .decrypt(&XNonce::from(self.nonce), Payload { msg: &self.locked, aad: self.beside().as_bytes() });
        let bytes = Zeroizing::new(opened.map_err(|_| StoreError::WrongPassphrase)?);
        let key = Key::from_bytes(&bytes).ok_or(StoreError::WrongPassphrase)?;
        if key.database_id() == self.database { Ok(key) } else { Err(StoreError::WrongPassphrase) }
    }

    pub fn database(&self) -> DatabaseId {
        self.database
    }

    pub fn line(&self) -> String {
        format!("{} nonce={} key={}", self.beside(), *hex(&self.nonce), *hex(&self.locked))
    }

    /// `None` where the line is no such key, or asks for more than any of ours does.
    pub fn of_line(line: &str) -> Option<LockedKey> {
        let mut words = line.split(' ');
        if words.next()? != "argon2id" {
            return None;
        }
        let mut field = |name: &str| words.next()?.strip_prefix(name)?.strip_prefix('=');
        let number = |text: &str| text.parse::<u32>().ok();
        let (memory, passes, lanes) = (number(field("m")?)?, number(field("t")?)?, number(field("p")?)?);
        if memory > MOST_MEMORY || passes > MOST_PASSES || lanes > MOST_LANES {
            return None;
        }
        let database = DatabaseId::from_bytes(bytes_of_hex(field("database")?)?);
        let salt = bytes_of_hex(field("salt")?)?;
        let nonce = bytes_of_hex(field("nonce")?)?;
        let locked = bytes_of_hex(field("key")?)?;
        if words.next().is_some() {
            return None;
        }
        let cost = Params::new(memory, passes, lanes, None).ok()?;
        Some(LockedKey { database, cost, salt, nonce, locked })
    }

    /// Everything but the locked key; sealed with it, so that nobody can make the words cheaper to guess.
    fn beside(&self) -> String {
        format!(
            "argon2id m={} t={} p={} database={} salt={}",
            self.cost.m_cost(),
            self.cost.t_cost(),
            self.cost.p_cost(),
            *hex(self.database.bytes()),
            *hex(&self.salt)
        )
    }

    fn cipher(&self, passphrase: &Passphrase) -> Result<XChaCha20Poly1305, StoreError> {
        let mut second = Zeroizing::new([0; 32]);
        Argon2::new(Algorithm::Argon2id, Version::V0x13, self.cost.clone())
            .hash_password_into(passphrase.0.as_bytes(), &self.salt, &mut *second)
            .map_err(|_| StoreError::WrongPassphrase)?;
        Ok(XChaCha20Poly1305::new((&*second).into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn locked() -> (Key, LockedKey) {
        let key = Key::generate().expect("random bytes");
        let locked = LockedKey::lock(&key, &Passphrase::typed("тихий рынок\n")).expect("locked");
        (key, locked)
    }

    #[test]
    fn the_words_open_it_and_no_others_do() {
        let (key, locked) = locked();
        let line = locked.line();
        assert!(!line.contains(&**hex(key.bytes())));
        let read = LockedKey::of_line(&line).expect("its own line");
        // The same letters, composed otherwise.
        for right in ["тихий рынок", "тихи\u{438}\u{306} рынок"] {
            assert_eq!(read.unlock(&Passphrase::typed(right)).expect("opens").bytes(), key.bytes(), "{right}");
        }
        for wrong in ["тихий рынок ", "Тихий рынок", ""] {
            assert!(matches!(read.unlock(&Passphrase::typed(wrong)), Err(StoreError::WrongPassphrase)), "{wrong}");
        }
    }

    #[test]
    fn a_line_that_was_changed_does_not_open() {
        let (_, locked) = locked();
        let line = locked.line();
        let cheaper = line.replace("t=3", "t=1");
        let read = LockedKey::of_line(&cheaper).expect("well formed");
        assert!(matches!(read.unlock(&Passphrase::typed("тихий рынок")), Err(StoreError::WrongPassphrase)));
        for wrong in [line.replace("m=65536", "m=4294967295"), line.replace("t=3", "t=99"), format!("{line} x=1")] {
            assert!(LockedKey::of_line(&wrong).is_none(), "{wrong}");
        }
    }

    proptest! {
        #[test]
        fn no_line_makes_it_panic(line in "(argon2id )?(m=[0-9]{1,12} )?(t=[0-9]{1,12} )?(p=[0-9]{1,12} )?.{0,200}") {
            LockedKey::of_line(&line);
        }
    }

    #[test]
    fn a_short_passphrase_is_refused_and_debug_output_shows_none() {
        assert!(Passphrase::typed("семь букв").check().is_ok());
        assert!(matches!(Passphrase::typed("коротко").check(), Err(StoreError::BadPassphrase)));
        assert_eq!(format!("{:?}", Passphrase::typed("тихий рынок")), "Passphrase(…)");
    }
}
