//! Keys of model servers: in the operating system's keychain, or in a file for its owner only where there is none
//! (SPEC X1). They are never in the database, so no export and no backup of it holds one.
//!
//! The file also names the servers whose key the keychain has, with nothing beside the name: a keychain cannot be asked
//! what is in it, and whoever erases the data wants everything found.

use std::collections::BTreeMap;
use std::path::Path;
use std::{fmt, fs, io};

use zeroize::Zeroizing;

use crate::error::StoreError;
use crate::folder::{Folder, tighten};
use crate::key::{DatabaseId, KeyPlace, Secrets};
use crate::keychain;

/// The keys that belong to the database of one folder.
pub struct ApiKeys {
    folder: Folder,
    secrets: Secrets,
}

impl fmt::Debug for ApiKeys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ApiKeys(…)")
    }
}

impl ApiKeys {
    /// # Errors
    /// The folder cannot be used.
    pub fn open(dir: &Path, secrets: Secrets) -> Result<ApiKeys, StoreError> {
        Ok(ApiKeys { folder: Folder::prepare(dir)?, secrets })
    }

    /// The key of the server called `name`; `None` where nobody gave one, or the keychain does not answer.
    ///
    /// # Errors
    /// The file is there and cannot be read.
    pub fn get(&self, name: &str) -> Result<Option<Zeroizing<String>>, StoreError> {
        if let Some(key) = self.in_file()?.remove(name).filter(|key| !key.is_empty()) {
            return Ok(Some(Zeroizing::new(key)));
        }
        if self.secrets == Secrets::File {
            return Ok(None);
        }
        let found = keychain::read(&self.account(name)?).ok().flatten();
        Ok(found.and_then(|secret| String::from_utf8(secret.to_vec()).ok()).map(Zeroizing::new))
    }

    /// Keeps the key and says where.
    ///
    /// # Errors
    /// Neither the keychain nor the file takes it.
    pub fn set(&self, name: &str, key: &str) -> Result<KeyPlace, StoreError> {
        self.remove(name)?;
        if self.secrets == Secrets::Auto
            && keychain::write(&self.account(name)?, Zeroizing::new(key.as_bytes().to_vec())).is_ok()
        {
            let mut keys = self.in_file()?;
            keys.insert(name.to_owned(), String::new());
            self.write(&keys)?;
            return Ok(KeyPlace::Keychain);
        }
        let mut keys = self.in_file()?;
        keys.insert(name.to_owned(), key.to_owned());
        self.write(&keys)?;
        Ok(KeyPlace::File(self.folder.api_key_file()))
    }

    /// Forgets the key of `name`, wherever it lies.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn remove(&self, name: &str) -> Result<(), StoreError> {
        let mut keys = self.in_file()?;
        if keys.remove(name).is_some() {
            self.write(&keys)?;
        }
        if self.secrets == Secrets::Auto && keychain::forget(&self.account(name)?).is_err() {
            tracing::debug!("the keychain had no such key, or does not answer");
        }
        Ok(())
    }

    /// Lets the keys in the keychain be found by the name that the database will have.
    pub(crate) fn carry(&self, from: DatabaseId, to: DatabaseId) -> Result<(), StoreError> {
        for name in self.in_keychain()? {
            if let Ok(Some(key)) = keychain::read(&account(from, &name))
                && keychain::write(&account(to, &name), key).is_err()
            {
                tracing::warn!("the key of a server did not come along: give it again");
            }
        }
        Ok(())
    }

    /// Forgets the keys in the keychain under the name that the database had; false where one may be left.
    pub(crate) fn forget_account(&self, database: DatabaseId) -> bool {
        let names = self.in_keychain().unwrap_or_default();
        // One that is gone already, or cannot be reached, keeps no other.
        names.iter().filter(|name| keychain::forget(&account(database, name)).is_err()).count() == 0
    }

    fn in_keychain(&self) -> Result<Vec<String>, StoreError> {
        if self.secrets == Secrets::File {
            return Ok(Vec::new());
        }
        Ok(self.in_file()?.into_iter().filter(|(_, key)| key.is_empty()).map(|(name, _)| name).collect())
    }

    fn account(&self, name: &str) -> Result<String, StoreError> {
        Ok(account(DatabaseId::of_file(&self.folder.database())?, name))
    }

    fn in_file(&self) -> Result<BTreeMap<String, String>, StoreError> {
        let path = self.folder.api_key_file();
        let content = match fs::read(&path) {
            Ok(content) => Zeroizing::new(content),
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(BTreeMap::new()),
            Err(e) => return Err(StoreError::folder(&path, e)),
        };
        if tighten(&path)? {
            tracing::warn!("other users could read the keys of the model servers; now only their owner can");
        }
        serde_json::from_slice(&content).map_err(|_| StoreError::ApiKeysUnreadable { path })
    }

    fn write(&self, keys: &BTreeMap<String, String>) -> Result<(), StoreError> {
        let path = self.folder.api_key_file();
        let text = Zeroizing::new(serde_json::to_vec(keys).unwrap_or_default());
        self.folder.write_private(&path, &text)
    }
}

fn account(database: DatabaseId, name: &str) -> String {
    format!("{} server {name}", database.account())
}

#[cfg(test)]
mod tests {
    use tempfile::tempdir;

    use super::*;
    use crate::Store;

    #[test]
    fn a_key_is_kept_for_its_owner_only_and_goes_when_it_should() {
        let dir = tempdir().expect("a folder");
        Store::open(dir.path(), Secrets::File).expect("a database");
        let keys = ApiKeys::open(dir.path(), Secrets::File).expect("a folder");
        assert_eq!(keys.get("work").expect("readable"), None);
        let place = keys.set("work", "sk-example").expect("kept");
        let KeyPlace::File(path) = place else { panic!("without a keychain it is a file") };
        assert_eq!(keys.get("work").expect("readable").as_deref().map(String::as_str), Some("sk-example"));
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            assert_eq!(fs::metadata(&path).expect("there").permissions().mode() & 0o777, 0o600);
        }
        keys.remove("work").expect("gone");
        assert_eq!(keys.get("work").expect("readable"), None);
        assert!(!String::from_utf8_lossy(&fs::read(&path).expect("there")).contains("sk-example"));
    }

    #[test]
    fn a_damaged_file_is_an_error_and_stays() {
        let dir = tempdir().expect("a folder");
        Store::open(dir.path(), Secrets::File).expect("a database");
        let keys = ApiKeys::open(dir.path(), Secrets::File).expect("a folder");
        fs::write(dir.path().join("calm.api-keys"), "{\"work\": ").expect("written");
        assert!(matches!(keys.set("home", "x"), Err(StoreError::ApiKeysUnreadable { .. })));
        assert_eq!(fs::read_to_string(dir.path().join("calm.api-keys")).expect("there"), "{\"work\": ");
    }
}
