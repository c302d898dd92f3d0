//! Opening the database: key, pragmas, migrations, and what to say when one of them fails.
//!
//! Nothing is ever written to a database that cannot be read, and an existing one never gets a new
//! key. A new one is built under another name and appears complete or not at all.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::backup::Backup;
use rusqlite::{Connection, OpenFlags, Transaction, TransactionBehavior};
use rusqlite_migration::{M, Migrations};

use crate::error::StoreError;
use crate::folder::{self, Folder, with_suffix};
use crate::key::{self, DatabaseId, Key, KeyPlace, Secrets};
use crate::presence::Presence;
use crate::{banned_terms, baselines, calendar, experiences, facts, forget, forgotten, knowledge, ledger, lessons};
use crate::{
    memories, notes, prompts, reminders, sessions, settings, spool, trades, triggers, turn_search, turns, user_model,
};

/// How long a statement waits while the other process writes.
const BUSY_PATIENCE: Duration = Duration::from_secs(5);

/// The open database. It may travel between threads, and serves one at a time.
///
/// Another process may have the same file open: the window and the terminal do.
pub struct Store {
    pub(crate) conn: Connection,
    database: PathBuf,
    key_place: KeyPlace,
    pub(crate) keeps_recordings: bool,
    /// Given up after the connection.
    _presence: Presence,
}

impl fmt::Debug for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Store").field("database", &self.database).finish_non_exhaustive()
    }
}

/// The schema's steps, oldest first. A step that was released is never changed again.
fn steps() -> Vec<String> {
    let first = [sessions::SCHEMA, turns::SCHEMA, spool::SCHEMA, ledger::SCHEMA, baselines::SCHEMA, settings::SCHEMA];
    let second = [
        facts::SCHEMA,
        triggers::SCHEMA,
        notes::SCHEMA,
        reminders::SCHEMA,
        knowledge::SCHEMA,
        prompts::SCHEMA,
        banned_terms::SCHEMA,
        turns::LINTED,
    ];
    let third = [turns::BY_MODEL, calendar::SCHEMA];
    let fourth = [
        turns::REMEMBERED,
        experiences::SCHEMA,
        memories::SCHEMA,
        lessons::SCHEMA,
        user_model::SCHEMA,
        turn_search::SCHEMA,
    ];
    let fifth = [trades::SCHEMA];
    let sixth = [forgotten::SCHEMA, forget::SCHEMA];
    vec![first.concat(), second.concat(), third.concat(), fourth.concat(), fifth.concat(), sixth.concat()]
}

impl Store {
    /// Changes whenever another connection, in this process or another one, has changed the database.
    pub fn data_version(&self) -> Result<i64, StoreError> {
        Ok(self.conn.query_row("PRAGMA data_version", [], |row| row.get(0))?)
    }

    /// Opens `calm.db` in `dir`; makes folder, key and database where they do not exist yet.
    ///
    /// # Errors
    /// Each leaves the files as they were: a missing, unreadable or wrong key, a damaged file, a
    /// database newer than the program, a full or read-only disk, another process that does not let go.
    pub fn open(dir: &Path, secrets: Secrets) -> Result<Store, StoreError> {
        open_with(dir, secrets, &steps())
    }

    pub(crate) fn folder(&self) -> Result<Folder, StoreError> {
        Folder::prepare(self.database.parent().unwrap_or(Path::new(".")))
    }

    /// Where the key lies, for Settings and the doctor.
    pub fn key_place(&self) -> &KeyPlace {
        &self.key_place
    }

    /// The database file.
    pub fn path(&self) -> &Path {
        &self.database
    }

    /// Reads every page and checks its signature and its place; takes seconds for a large file.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] where anything does not fit.
    pub fn verify(&self) -> Result<(), StoreError> {
        for (check, healthy) in [("PRAGMA cipher_integrity_check", None), ("PRAGMA integrity_check", Some("ok"))] {
            let mut statement = self.conn.prepare(check)?;
            let mut rows = statement.query([])?;
            while let Some(row) = rows.next()? {
                if Some(row.get::<_, String>(0)?.as_str()) != healthy {
                    return Err(StoreError::Damaged);
                }
            }
        }
        Ok(())
    }

    /// A transaction that may write from its start, so that it waits for others instead of failing half-way.
    pub(crate) fn write(&mut self) -> Result<Transaction<'_>, StoreError> {
        Ok(self.conn.transaction_with_behavior(TransactionBehavior::Immediate)?)
    }
}

fn open_with(dir: &Path, secrets: Secrets, steps: &[String]) -> Result<Store, StoreError> {
    let folder = Folder::prepare(dir)?;
    let _lock = folder.lock()?;
    let database = folder.database();
    let there = database.try_exists().map_err(|e| StoreError::folder(&database, e))?;
    let (key, key_place) = if there { key::find(&folder, secrets)? } else { build(&folder, secrets, steps)? };
    let conn = open_existing(&folder, &key, steps)?;
    key::settle(&folder, &key)?;
    let presence = Presence::enter(&folder, key.database_id())?;
    Ok(Store { conn, database, key_place, keeps_recordings: false, _presence: presence })
}

fn build(folder: &Folder, secrets: Secrets, steps: &[String]) -> Result<(Key, KeyPlace), StoreError> {
    let database = folder.database();
    let log = with_suffix(&database, "-wal");
    // SQLite would replay an orphaned log into the new database and ruin it.
    if fs::metadata(&log).is_ok_and(|log| log.len() > 0) {
        return Err(StoreError::LogWithoutDatabase { database, log });
    }
    let (key, place) = key::provide(folder, secrets)?;
    let unfinished = with_suffix(&database, ".new");
    if let Err(error) = build_at(&unfinished, &key, steps) {
        // What cannot be removed now is removed at the next start.
        folder::discard(&unfinished).ok();
        key::withdraw(&key, &place);
        return Err(error);
    }
    folder.publish(&unfinished, &database)?;
    Ok((key, place))
}

fn build_at(path: &Path, key: &Key, steps: &[String]) -> Result<(), StoreError> {
    folder::create_private(path).map_err(|e| StoreError::folder(path, e))?;
    let mut conn = connect(path, key)?;
    configure(&conn)?;
    migrations(steps).to_latest(&mut conn)?;
    close(conn)
}

fn open_existing(folder: &Folder, key: &Key, steps: &[String]) -> Result<Connection, StoreError> {
    let database = folder.database();
    // Also refuses an emptied file, which SQLite would take for a new database.
    let id = DatabaseId::of_file(&database)?;
    folder::tighten(&database)?;
    let mut conn = connect(&database, key)?;
    let found = match version(&conn) {
        Err(StoreError::Damaged) if id != key.database_id() => return Err(StoreError::WrongKey { database }),
        version => version?,
    };
    let known = steps.len();
    if found > known {
        return Err(StoreError::NewerDatabase { found, known });
    }
    // SQLite opens a file that it may not write all the same, and fails much later.
    if conn.is_readonly(rusqlite::MAIN_DB)? {
        return Err(StoreError::ReadOnly);
    }
    configure(&conn)?;
    if found < known {
        back_up(folder, &conn, key, found)?;
        migrations(steps).to_latest(&mut conn)?;
    }
    Ok(conn)
}

pub(crate) fn connect(path: &Path, key: &Key) -> Result<Connection, StoreError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let conn = Connection::open_with_flags(path, flags)?;
    // A wrong key is our message to give; SQLCipher would add its own on stderr.
    conn.execute_batch("PRAGMA cipher_log_level = NONE")?;
    conn.execute_batch(&key.pragma())?;
    // Named, so that a later SQLCipher with other defaults still opens today's files.
    conn.execute_batch("PRAGMA cipher_compatibility = 4")?;
    conn.busy_timeout(BUSY_PATIENCE)?;
    Ok(conn)
}

/// A committed turn survives a power loss, a deleted one leaves no trace, nothing spills into a temporary file.
///
/// The log may grow to 16 MiB: a checkpoint is part of somebody's commit, and at SQLite's 4 MiB it
/// came often enough to double the slowest percent of them.
fn configure(conn: &Connection) -> Result<(), StoreError> {
    conn.execute_batch(
        "PRAGMA journal_mode = WAL;
         PRAGMA synchronous = FULL;
         PRAGMA fullfsync = ON;
         PRAGMA checkpoint_fullfsync = ON;
         PRAGMA foreign_keys = ON;
         PRAGMA secure_delete = ON;
         PRAGMA temp_store = MEMORY;
         PRAGMA wal_autocheckpoint = 4000;
         PRAGMA journal_size_limit = 16777216;",
    )?;
    conn.set_prepared_statement_cache_capacity(128);
    Ok(())
}

fn version(conn: &Connection) -> Result<usize, StoreError> {
    // The first read of the file: this is where a wrong key or a damaged page shows.
    let version: u32 = conn.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    usize::try_from(version).map_err(|_| StoreError::UnreadableRow)
}

fn migrations(steps: &[String]) -> Migrations<'_> {
    Migrations::new(steps.iter().map(|sql| M::up(sql).foreign_key_check()).collect())
}

/// A consistent copy under the same key, complete before the migration begins.
fn back_up(folder: &Folder, conn: &Connection, key: &Key, version: usize) -> Result<(), StoreError> {
    let backup = folder.backup(version);
    let unfinished = with_suffix(&backup, ".new");
    copy_to(&unfinished, conn, key)?;
    folder.publish(&unfinished, &backup)
}

/// A consistent copy of `conn` under `key`, which may be another one.
pub(crate) fn copy_to(path: &Path, conn: &Connection, key: &Key) -> Result<(), StoreError> {
    folder::create_private(path).map_err(|e| StoreError::folder(path, e))?;
    let mut copy = connect(path, key)?;
    Backup::new(conn, &mut copy)?.run_to_completion(1024, Duration::ZERO, None)?;
    close(copy)
}

pub(crate) fn close(conn: Connection) -> Result<(), StoreError> {
    conn.close().map_err(|(_, error)| error.into())
}

#[cfg(test)]
mod tests;
