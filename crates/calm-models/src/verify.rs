//! Is a file the one that was published? A stamp beside it remembers the answer.
//!
//! Hashing hundreds of megabytes at every start would be slow, so a passed check leaves a stamp with the size and the
//! time of change that the file had. A file that was touched since, or was copied here by hand, is hashed again once.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::{ModelFile, State};

pub const STAMPS: &str = ".verified";

#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Stamp {
    sha256: String,
    bytes: u64,
    /// Nanoseconds since 1970.
    modified: u128,
}

/// By the stamp if it still holds, otherwise by the whole file.
pub fn quickly(dir: &Path, file: &ModelFile) -> State {
    match present(dir, file) {
        Some(stamp) if read_stamp(dir, file).as_ref() == Some(&stamp) => State::Ready,
        _ => in_full(dir, file),
    }
}

/// By the whole file. Renews the stamp, or removes it.
pub fn in_full(dir: &Path, file: &ModelFile) -> State {
    let path = dir.join(&file.name);
    if !path.exists() {
        return State::Missing;
    }
    let Some(stamp) = present(dir, file) else { return State::Damaged };
    if sha256(&path).is_ok_and(|sum| sum == file.sha256) {
        write_stamp(dir, file, &stamp);
        State::Ready
    } else {
        forget(dir, file);
        State::Damaged
    }
}

/// SHA-256 of a file in lower-case hexadecimal digits.
pub fn sha256(path: &Path) -> io::Result<String> {
    let mut hasher = Sha256::new();
    let mut file = File::open(path)?;
    let mut buffer = vec![0; 1 << 18];
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok(hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect()),
            length => hasher.update(&buffer[..length]),
        }
    }
}

/// Notes that a file has just passed its checksum.
pub fn remember(dir: &Path, file: &ModelFile) {
    if let Some(stamp) = present(dir, file) {
        write_stamp(dir, file, &stamp);
    }
}

/// Removes what is known about a file.
pub fn forget(dir: &Path, file: &ModelFile) {
    if let Err(error) = fs::remove_file(stamp_path(dir, file))
        && error.kind() != io::ErrorKind::NotFound
    {
        tracing::debug!(%error, file = file.name, "failed to remove a stamp");
    }
}

/// What a stamp would say now; `None` when the file is absent or has the wrong size.
fn present(dir: &Path, file: &ModelFile) -> Option<Stamp> {
    let metadata = fs::metadata(dir.join(&file.name)).ok()?;
    let modified = metadata.modified().ok()?.duration_since(UNIX_EPOCH).ok()?.as_nanos();
    let sized = metadata.is_file() && metadata.len() == file.bytes;
    sized.then(|| Stamp { sha256: file.sha256.clone(), bytes: file.bytes, modified })
}

fn stamp_path(dir: &Path, file: &ModelFile) -> PathBuf {
    dir.join(STAMPS).join(&file.name)
}

fn read_stamp(dir: &Path, file: &ModelFile) -> Option<Stamp> {
    serde_json::from_slice(&fs::read(stamp_path(dir, file)).ok()?).ok()
}

/// A folder that cannot be written only costs time at the next start.
fn write_stamp(dir: &Path, file: &ModelFile, stamp: &Stamp) {
    let written = fs::create_dir_all(dir.join(STAMPS))
        .and_then(|()| Ok(serde_json::to_vec(stamp)?))
        .and_then(|text| fs::write(stamp_path(dir, file), text));
    if let Err(error) = written {
        tracing::debug!(%error, file = file.name, "failed to remember a passed check");
    }
}
