//! An export back in, from a folder or a zip file (SPEC X2). What is in them is foreign until it has been read.

use std::fs::{self, File};
use std::io::{self, BufReader, Cursor, Read, Seek};
use std::path::{Path, PathBuf};

use calm_store::{Beside, Brought, ImportSource, Manifest, Secrets, Store, StoreError};
use serde::Serialize;
use zip::ZipArchive;
use zip::result::ZipError;

use crate::error::AppError;
use crate::exporting::MANIFEST;
use crate::paths::Paths;
use crate::running::SessionLock;
use crate::settings::Settings;
use crate::{searching, trades};

/// A list of tables and columns.
const LONGEST_MANIFEST: u64 = 4 * 1024 * 1024;
/// Files in a zip file: tables twice, prompts, and recordings that are passed over.
const MOST_FILES: usize = 200_000;

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Imported {
    pub sessions: u64,
    /// New rows of all tables, the sessions among them.
    pub rows: u64,
    /// What was here already.
    pub known: u64,
}

#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    #[error("{}: {source}", path.display())]
    Read { path: PathBuf, source: io::Error },
    #[error("{}: there is no {MANIFEST} of Calm's in it", path.display())]
    NoManifest { path: PathBuf },
    #[error("{}: {source}", path.display())]
    Store { path: PathBuf, source: StoreError },
}

/// An export that can be read: what it holds is told before anything is brought in.
pub struct Export {
    from: PathBuf,
    source: Source,
    manifest: Manifest,
}

/// What an export says of itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct About {
    /// RFC 3339, as it stands in the file.
    pub made_at: String,
    pub sessions: u64,
    /// Of all tables, the sessions among them.
    pub rows: u64,
}

impl Export {
    /// # Errors
    /// It cannot be read, or is no export.
    pub fn open(from: &Path) -> Result<Export, AppError> {
        let failed = |source| ImportError::Read { path: from.to_owned(), source };
        let source = Source::open(from).map_err(failed)?;
        Export::of(from, source)
    }

    /// A zip file that is in memory already; its size is for the reader to judge.
    ///
    /// # Errors
    /// It is no export.
    pub fn of_bytes(name: &str, bytes: Vec<u8>) -> Result<Export, AppError> {
        let from = Path::new(name);
        let source = Source::zip(Box::new(Cursor::new(bytes)));
        Export::of(from, source.map_err(|source| ImportError::Read { path: from.to_owned(), source })?)
    }

    fn of(from: &Path, source: Option<Source>) -> Result<Export, AppError> {
        let failed = |source| ImportError::Read { path: from.to_owned(), source };
        let no_manifest = || ImportError::NoManifest { path: from.to_owned() };
        let mut source = source.ok_or_else(no_manifest)?;
        let mut text = Vec::new();
        match source.file(MANIFEST).map_err(failed)? {
            Some(file) => file.take(LONGEST_MANIFEST + 1).read_to_end(&mut text).map_err(failed)?,
            None => return Err(no_manifest().into()),
        };
        if text.len() as u64 > LONGEST_MANIFEST {
            return Err(no_manifest().into());
        }
        // The parser's message may quote the file.
        let manifest: Manifest = serde_json::from_slice(&text).map_err(|_| no_manifest())?;
        Ok(Export { from: from.to_owned(), source, manifest })
    }

    pub fn about(&self) -> About {
        let tables = &self.manifest.tables;
        About {
            made_at: self.manifest.made_at.clone(),
            sessions: tables.iter().find(|table| table.name == "sessions").map_or(0, |table| table.rows),
            rows: tables.iter().map(|table| table.rows).fold(0, u64::saturating_add),
        }
    }

    /// Brings it into the data folder, which is made where there is none: all of it or nothing, and nothing twice.
    /// Recordings do not come back.
    ///
    /// # Errors
    /// It cannot be read, or is a newer Calm's, or a session is running. A data folder that was not there is not there then either.
    pub fn import(self, paths: &Paths, secrets: Secrets) -> Result<Imported, AppError> {
        let Export { from, mut source, manifest } = self;
        let was_there = paths.data.exists();
        let mut store = Store::open(&paths.data, secrets)?;
        // Nobody's turn is to wait for a long transaction.
        let _lock = if was_there { Some(SessionLock::take(&paths.data)?) } else { None };
        let beside = Beside {
            stems: &searching::stems_of,
            settings: &|settings| serde_json::from_value::<Settings>(settings.clone()).is_ok(),
            import: &trades::wrong_in_import,
            trade: &trades::wrong_in_trade,
        };
        let brought = store.import(&manifest, &mut source, &beside);
        drop(store);
        match brought {
            Ok(Brought { sessions, rows, known }) => Ok(Imported { sessions, rows, known }),
            Err(source) => {
                if !was_there {
                    // Made for nothing.
                    calm_store::erase(&paths.data, secrets)?;
                    fs::remove_dir(&paths.data).ok();
                }
                Err(ImportError::Store { path: from, source }.into())
            }
        }
    }
}

/// As [`Export::open`] and [`Export::import`].
///
/// # Errors
/// As theirs.
pub fn import(paths: &Paths, secrets: Secrets, from: &Path) -> Result<Imported, AppError> {
    Export::open(from)?.import(paths, secrets)
}

/// A file, or its bytes.
trait Bytes: Read + Seek {}
impl<T: Read + Seek> Bytes for T {}

enum Source {
    Folder(PathBuf),
    Zip(Box<ZipArchive<Box<dyn Bytes>>>),
}

impl Source {
    /// `None` where it is neither a folder nor a zip file that can be one of ours.
    fn open(from: &Path) -> io::Result<Option<Source>> {
        if fs::metadata(from)?.is_dir() {
            return Ok(Some(Source::Folder(from.to_owned())));
        }
        Source::zip(Box::new(BufReader::new(File::open(from)?)))
    }

    fn zip(bytes: Box<dyn Bytes>) -> io::Result<Option<Source>> {
        match ZipArchive::new(bytes) {
            Ok(zip) if zip.len() <= MOST_FILES => Ok(Some(Source::Zip(Box::new(zip)))),
            Ok(_) | Err(ZipError::InvalidArchive(_) | ZipError::UnsupportedArchive(_)) => Ok(None),
            Err(ZipError::Io(error)) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// A file by the name that we gave it, whatever else is there.
    fn file(&mut self, name: &str) -> io::Result<Option<Box<dyn Read + '_>>> {
        match self {
            Source::Folder(dir) => match File::open(dir.join(name)) {
                Ok(file) => Ok(Some(Box::new(file))),
                Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
                Err(error) => Err(error),
            },
            Source::Zip(zip) => match zip.by_name(name) {
                Ok(file) => Ok(Some(Box::new(file))),
                Err(ZipError::FileNotFound) => Ok(None),
                Err(error) => Err(error.into()),
            },
        }
    }
}

impl ImportSource for Source {
    fn rows(&mut self, table: &str) -> io::Result<Option<Box<dyn Read + '_>>> {
        self.file(&format!("json/{table}.jsonl"))
    }
}
