//! One file by URL: continued where it stopped, checked, and only then given its name.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::Duration;

use crate::fetch::{PART_SUFFIX, Stage, remove};
use crate::transport::{Body, Transport, TransportError};
use crate::{ModelError, ModelFile, verify};

/// Attempts in a row that may bring nothing new.
const PATIENCE: u32 = 4;
/// Attempts altogether, against a server that gives a few bytes a time.
const MOST_ATTEMPTS: u32 = 100;
const FIRST_PAUSE: Duration = Duration::from_millis(250);
const BUFFER: usize = 1 << 16;

/// Downloads `url` as `file` into `dir`.
pub fn download(
    dir: &Path,
    file: &ModelFile,
    url: &str,
    transport: &dyn Transport,
    report: &mut dyn FnMut(Stage),
) -> Result<(), ModelError> {
    let part = part_path(dir, file);
    let began_with = begin_with(&part, file)?;
    receive(&part, file, url, transport, report)?;
    match install(dir, file) {
        // The part was a beginning of something else: one more time, from nothing.
        Err(ModelError::Corrupt { .. }) if began_with > 0 => {
            receive(&part, file, url, transport, report)?;
            install(dir, file)
        }
        outcome => outcome,
    }
}

pub fn part_path(dir: &Path, file: &ModelFile) -> PathBuf {
    dir.join(format!("{}{PART_SUFFIX}", file.name))
}

/// Checks the part and gives it its name; removes it if it is not what was published.
pub fn install(dir: &Path, file: &ModelFile) -> Result<(), ModelError> {
    let part = part_path(dir, file);
    let failed = |error| ModelError::io(&part, error, file.bytes);
    let length = fs::metadata(&part).map_err(failed)?.len();
    if length != file.bytes || verify::sha256(&part).map_err(failed)? != file.sha256 {
        remove(&part)?;
        return Err(ModelError::Corrupt { file: file.name.clone() });
    }
    fs::rename(&part, dir.join(&file.name)).map_err(failed)?;
    sync_folder(dir);
    verify::remember(dir, file);
    Ok(())
}

/// Length of a part that can be continued. One that is too long cannot be.
fn begin_with(part: &Path, file: &ModelFile) -> Result<u64, ModelError> {
    match fs::metadata(part) {
        Ok(metadata) if metadata.is_file() && metadata.len() <= file.bytes => Ok(metadata.len()),
        Ok(_) => remove(part).map(|()| 0),
        Err(_) => Ok(0),
    }
}

/// Asks until the part has its full length.
fn receive(
    part: &Path,
    file: &ModelFile,
    url: &str,
    transport: &dyn Transport,
    report: &mut dyn FnMut(Stage),
) -> Result<(), ModelError> {
    let mut fruitless = 0;
    for _ in 0..MOST_ATTEMPTS {
        let have = begin_with(part, file)?;
        if have == file.bytes {
            return Ok(());
        }
        let failure = match transport.get(url, have) {
            Ok(body) => append(part, file, have, body, report)?,
            Err(TransportError::NoSuchRange) if have > 0 => {
                remove(part)?;
                None
            }
            Err(source) if source.may_pass() => Some(source),
            Err(source) => return Err(ModelError::Transport { file: file.name.clone(), source }),
        };
        let now = begin_with(part, file)?;
        fruitless = if now > have { 0 } else { fruitless + 1 };
        if fruitless < PATIENCE {
            sleep(FIRST_PAUSE * fruitless);
            continue;
        }
        return Err(match failure {
            Some(source) if now == 0 => ModelError::Transport { file: file.name.clone(), source },
            _ => severed(file, now),
        });
    }
    Err(severed(file, begin_with(part, file)?))
}

fn severed(file: &ModelFile, done: u64) -> ModelError {
    ModelError::Severed { file: file.name.clone(), done, total: file.bytes }
}

/// Writes what comes to the part; a stream that breaks is no error here, the part keeps what came.
fn append(
    part: &Path,
    file: &ModelFile,
    have: u64,
    mut body: Body,
    report: &mut dyn FnMut(Stage),
) -> Result<Option<TransportError>, ModelError> {
    if body.total.is_some_and(|total| total != file.bytes) {
        remove(part)?;
        return Err(ModelError::Corrupt { file: file.name.clone() });
    }
    let failed = |error| ModelError::io(part, error, file.bytes);
    let mut done = if body.starts_at == have { have } else { 0 };
    if body.starts_at != done {
        return Ok(None);
    }
    let mut out = File::options().create(true).append(true).open(part).map_err(failed)?;
    out.set_len(done).map_err(failed)?;
    let mut buffer = vec![0; BUFFER];
    let broke = loop {
        report(Stage::Downloading { done, total: file.bytes });
        match body.reader.read(&mut buffer) {
            Ok(0) => break None,
            Ok(length) => {
                out.write_all(&buffer[..length]).map_err(failed)?;
                done += length as u64;
                if done > file.bytes {
                    drop(out);
                    remove(part)?;
                    return Err(ModelError::Corrupt { file: file.name.clone() });
                }
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => break Some(TransportError::Unreachable(error.to_string())),
        }
    };
    out.sync_data().map_err(failed)?;
    Ok(broke)
}

/// A rename survives a power cut only when the folder is on the disk, too. Windows has no such call.
fn sync_folder(dir: &Path) {
    if cfg!(unix)
        && let Err(error) = File::open(dir).and_then(|folder| folder.sync_all())
    {
        tracing::debug!(%error, "failed to sync the models folder");
    }
}
