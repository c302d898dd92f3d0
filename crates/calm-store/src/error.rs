//! What can go wrong with the disk, in words that hold no key, no SQL value and nothing that was said.

use std::io;
use std::path::{Path, PathBuf};

use rusqlite::ErrorCode;
use rusqlite::ffi;
use rusqlite::types::FromSqlError;

use crate::knowledge::KnowledgeId;

#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    #[error("the data folder {} cannot be used: {source}", path.display())]
    Folder { path: PathBuf, source: io::Error },
    #[error("there is no room left on the disk")]
    DiskFull,
    #[error("the database or its folder is read-only")]
    ReadOnly,
    /// The database is left as it is: a new key could not open it.
    #[error("the key of {} is missing: bring calm.key back, or open it where the keychain has the key", database.display())]
    KeyMissing { database: PathBuf },
    #[error("the key of {} is not in calm.key, and the keychain does not answer: unlock it, or bring calm.key back", database.display())]
    KeychainClosed { database: PathBuf },
    #[error("{} does not hold a key of 64 hexadecimal digits", path.display())]
    KeyUnreadable { path: PathBuf },
    #[error("{} does not hold the keys of model servers as Calm writes them: mend it, or remove it", path.display())]
    ApiKeysUnreadable { path: PathBuf },
    #[error("the key does not fit {}: it belongs to another database, or the file's first bytes are damaged", database.display())]
    WrongKey { database: PathBuf },
    #[error("the database is damaged")]
    Damaged,
    #[error("{} is missing while its log {} is still there: bring it back, or move the log away", database.display(), log.display())]
    LogWithoutDatabase { database: PathBuf, log: PathBuf },
    #[error("the database is newer (version {found}) than this program (version {known}): update Calm")]
    NewerDatabase { found: usize, known: usize },
    #[error("another process keeps the database busy")]
    Busy,
    #[error("Calm is open in another window or terminal: close it there first")]
    InUse,
    /// Ask for the passphrase and unlock it.
    #[error("the database is locked with a passphrase")]
    Locked,
    #[error("the passphrase does not open the database")]
    WrongPassphrase,
    #[error("a passphrase has at least 8 characters and at most 1024 bytes")]
    BadPassphrase,
    #[error("no passphrase is set")]
    NoPassphrase,
    #[error("a passphrase is set already: change it, or remove it")]
    PassphraseSet,
    /// Another check-out was faster; ask for the latest unmatched check-in again.
    #[error("that check-in is already matched with a check-out")]
    AlreadyMatched,
    /// Show the one that is there instead of adding it again.
    #[error("that text is known already")]
    AlreadyKnown(KnowledgeId),
    /// Ask for another name: what a name stands for never changes.
    #[error("that version of the prompts exists with other content")]
    VersionTaken,
    #[error("{place} is not as Calm exports it: nothing was brought in")]
    NotAnExport { place: String },
    #[error("the export was made by a newer Calm ({program}): update this one first")]
    NewerExport { program: String },
    #[error("there is no such {0}")]
    NotFound(&'static str),
    #[error("a stored row does not have the expected form")]
    UnreadableRow,
    #[error("the operating system gives no random numbers")]
    NoRandomness,
    /// The extended SQLite code; its message may quote SQL, so it is left out.
    #[error("the database refused: {} (code {code})", ffi::code_to_str(*code))]
    Database { code: i32 },
}

impl StoreError {
    pub(crate) fn folder(path: &Path, source: io::Error) -> StoreError {
        match source.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => StoreError::DiskFull,
            io::ErrorKind::ReadOnlyFilesystem | io::ErrorKind::PermissionDenied => StoreError::ReadOnly,
            _ => StoreError::Folder { path: path.to_owned(), source },
        }
    }
}

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> StoreError {
        use rusqlite::Error;
        match error {
            Error::SqliteFailure(failure, _) => from_code(failure),
            Error::SqlInputError { error, .. } => from_code(error),
            Error::FromSqlConversionFailure(..) | Error::InvalidColumnType(..) | Error::IntegralValueOutOfRange(..) => {
                StoreError::UnreadableRow
            }
            Error::QueryReturnedNoRows => StoreError::NotFound("row"),
            _ => StoreError::Database { code: ffi::SQLITE_MISUSE },
        }
    }
}

impl From<FromSqlError> for StoreError {
    fn from(_: FromSqlError) -> StoreError {
        StoreError::UnreadableRow
    }
}

fn from_code(failure: ffi::Error) -> StoreError {
    match failure.code {
        ErrorCode::DiskFull => StoreError::DiskFull,
        // The log's index could not grow: SQLite's other way to meet a full disk.
        _ if failure.extended_code == ffi::SQLITE_IOERR_SHMSIZE => StoreError::DiskFull,
        ErrorCode::ReadOnly => StoreError::ReadOnly,
        ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => StoreError::Busy,
        ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase => StoreError::Damaged,
        _ => StoreError::Database { code: failure.extended_code },
    }
}

impl From<rusqlite_migration::Error> for StoreError {
    fn from(error: rusqlite_migration::Error) -> StoreError {
        match error {
            rusqlite_migration::Error::RusqliteError { err, .. } => err.into(),
            _ => StoreError::Database { code: ffi::SQLITE_SCHEMA },
        }
    }
}
