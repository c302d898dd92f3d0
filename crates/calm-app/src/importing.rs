//! An export back in, from a folder or a zip file (SPEC X2). What is in them is foreign until it has been read.

use std::fs::{self, File};
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};

use calm_store::{Brought, ImportSource, Manifest, Secrets, Store, StoreError};
use serde::Serialize;
use zip::ZipArchive;
use zip::result::ZipError;

use crate::error::AppError;
use crate::exporting::MANIFEST;
use crate::paths::Paths;
use crate::searching;

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

/// Brings the export at `from` into the data folder, which is made where there is none: all of it or nothing, and
/// nothing twice. Recordings do not come back.
///
/// # Errors
/// It cannot be read, is no export, or is a newer Calm's. A data folder that was not there is not there then either.
pub fn import(paths: &Paths, secrets: Secrets, from: &Path) -> Result<Imported, AppError> {
    let failed = |source| ImportError::Read { path: from.to_owned(), source };
    let no_manifest = || ImportError::NoManifest { path: from.to_owned() };
    let mut source = Source::open(from).map_err(failed)?.ok_or_else(no_manifest)?;
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
    let was_there = paths.data.exists();
    let mut store = Store::open(&paths.data, secrets)?;
    let brought = store.import(&manifest, &mut source, &|user, calm| searching::stems_of(user, calm));
    drop(store);
    match brought {
        Ok(Brought { sessions, rows, known }) => Ok(Imported { sessions, rows, known }),
        Err(source) => {
            if !was_there {
                // Made for nothing.
                calm_store::erase(&paths.data, secrets)?;
                fs::remove_dir(&paths.data).ok();
            }
            Err(ImportError::Store { path: from.to_owned(), source }.into())
        }
    }
}

enum Source {
    Folder(PathBuf),
    Zip(Box<ZipArchive<BufReader<File>>>),
}

impl Source {
    /// `None` where it is neither a folder nor a zip file that can be one of ours.
    fn open(from: &Path) -> io::Result<Option<Source>> {
        if fs::metadata(from)?.is_dir() {
            return Ok(Some(Source::Folder(from.to_owned())));
        }
        match ZipArchive::new(BufReader::new(File::open(from)?)) {
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
