//! The data folder: the names of its files, private permissions, and one opener at a time.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{self, Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use fs4::fs_std::FileExt;

use crate::error::StoreError;

/// A migration of a large database may hold the lock this long before another opener gives up.
const LOCK_PATIENCE: Duration = Duration::from_secs(20);

pub(crate) struct Folder {
    dir: PathBuf,
}

/// Held while a database is opened, made or migrated; released when dropped.
pub(crate) struct OpenLock {
    _file: File,
}

impl Folder {
    /// Makes the folder, for its owner only, where it does not exist yet.
    pub fn prepare(dir: &Path) -> Result<Folder, StoreError> {
        let mut builder = fs::DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(dir).map_err(|e| StoreError::folder(dir, e))?;
        // An absolute path keeps working when the process changes its directory.
        let dir = path::absolute(dir).map_err(|e| StoreError::folder(dir, e))?;
        Ok(Folder { dir })
    }

    pub fn dir(&self) -> &Path {
        &self.dir
    }

    pub fn database(&self) -> PathBuf {
        self.dir.join("calm.db")
    }

    pub fn key_file(&self) -> PathBuf {
        self.dir.join("calm.key")
    }

    pub fn api_key_file(&self) -> PathBuf {
        self.dir.join("calm.api-keys")
    }

    /// Where the database was before it left `version`.
    pub fn backup(&self, version: usize) -> PathBuf {
        self.dir.join(format!("calm.db.v{version}.backup"))
    }

    /// The backups that are there, of whatever version.
    pub fn backups(&self) -> Result<Vec<PathBuf>, StoreError> {
        let mut backups = Vec::new();
        for entry in fs::read_dir(&self.dir).map_err(|e| StoreError::folder(&self.dir, e))? {
            let entry = entry.map_err(|e| StoreError::folder(&self.dir, e))?;
            let name = entry.file_name();
            let version = name.to_str().and_then(|name| name.strip_prefix("calm.db.v"));
            let version = version.and_then(|rest| rest.strip_suffix(".new").unwrap_or(rest).strip_suffix(".backup"));
            if version.is_some_and(|version| version.parse::<u32>().is_ok()) {
                backups.push(entry.path());
            }
        }
        backups.sort();
        Ok(backups)
    }

    pub fn lock_file(&self) -> PathBuf {
        self.dir.join("calm.lock")
    }

    pub fn lock(&self) -> Result<OpenLock, StoreError> {
        let path = self.lock_file();
        let mut options = private_options();
        let file = options.create(true).truncate(false).open(&path).map_err(|e| StoreError::folder(&path, e))?;
        let started = Instant::now();
        while !file.try_lock_exclusive().map_err(|e| StoreError::folder(&path, e))? {
            if started.elapsed() > LOCK_PATIENCE {
                return Err(StoreError::Busy);
            }
            thread::sleep(Duration::from_millis(10));
        }
        Ok(OpenLock { _file: file })
    }

    /// Makes renames and new names in the folder survive a power loss.
    pub fn sync(&self) -> Result<(), StoreError> {
        // Windows has no such call, and does not need it: NTFS journals its names.
        if cfg!(unix) {
            File::open(&self.dir).and_then(|dir| dir.sync_all()).map_err(|e| StoreError::folder(&self.dir, e))?;
        }
        Ok(())
    }

    /// A complete file under its name, or none: never a half-written one.
    pub fn write_private(&self, path: &Path, content: &[u8]) -> Result<(), StoreError> {
        let unfinished = with_suffix(path, ".new");
        let written = create_private(&unfinished)
            .and_then(|mut file| file.write_all(content))
            .map_err(|e| StoreError::folder(&unfinished, e))
            .and_then(|()| self.publish(&unfinished, path));
        if written.is_err() {
            // Half a file of keys is of no use to anybody.
            discard(&unfinished).ok();
        }
        written
    }

    /// Gives a finished file its name.
    pub fn publish(&self, unfinished: &Path, path: &Path) -> Result<(), StoreError> {
        OpenOptions::new()
            .write(true)
            .open(unfinished)
            .and_then(|file| file.sync_all())
            .and_then(|()| fs::rename(unfinished, path))
            .map_err(|e| StoreError::folder(path, e))?;
        self.sync()
    }
}

/// A new, empty file for its owner only; what an earlier crash left under that name goes away.
pub(crate) fn create_private(path: &Path) -> io::Result<File> {
    discard(path)?;
    private_options().create_new(true).open(path)
}

/// Removes an unfinished file and what SQLite keeps beside it.
pub(crate) fn discard(path: &Path) -> io::Result<()> {
    for name in ["", "-wal", "-shm", "-journal"].map(|suffix| with_suffix(path, suffix)) {
        match fs::remove_file(name) {
            Err(e) if e.kind() != io::ErrorKind::NotFound => return Err(e),
            _ => {}
        }
    }
    Ok(())
}

/// Takes the rights of everybody but the owner away; true where there were any.
#[cfg(unix)]
pub(crate) fn tighten(path: &Path) -> Result<bool, StoreError> {
    use std::os::unix::fs::PermissionsExt;
    let mode = fs::metadata(path).map_err(|e| StoreError::folder(path, e))?.permissions().mode();
    if mode & 0o077 == 0 {
        return Ok(false);
    }
    fs::set_permissions(path, fs::Permissions::from_mode(0o600)).map_err(|e| StoreError::folder(path, e))?;
    Ok(true)
}

/// A Windows user's own folders are closed to other users already.
#[cfg(not(unix))]
pub(crate) fn tighten(_: &Path) -> Result<bool, StoreError> {
    Ok(false)
}

pub(crate) fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(suffix);
    name.into()
}

fn private_options() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.read(true).write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}
