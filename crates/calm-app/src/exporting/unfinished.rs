//! An export while it is written, and what is left of one that was cut off.
//!
//! It is written into a hidden folder beside its place. A record in the data folder names that folder for as long; both
//! bear the same mark, and whoever writes holds a lock on the record. So what a kill leaves is found again, and nothing is
//! removed that is not ours or is still being written.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

const PREFIX: &str = "export-";
const SUFFIX: &str = ".unfinished";
/// In the hidden folder; it holds the name of the record.
const MARK: &str = "calm-export.unfinished";
/// Beside the mark: the export itself.
const CONTENT: &str = "export";

/// What is in a record.
#[derive(Serialize, Deserialize)]
struct Record {
    folder: PathBuf,
}

pub(super) struct Unfinished {
    folder: PathBuf,
    record: PathBuf,
    /// Locked.
    _held: File,
}

impl Unfinished {
    /// Makes the hidden folder for what is to become `to`, and the record of it in `data`.
    pub fn begin(data: &Path, to: &Path) -> io::Result<Unfinished> {
        let to = std::path::absolute(to)?;
        let name = to.file_name().and_then(|name| name.to_str()).ok_or(io::ErrorKind::InvalidInput)?;
        let (mut held, record) =
            tempfile::Builder::new().prefix(PREFIX).suffix(SUFFIX).tempfile_in(data)?.keep().map_err(|e| e.error)?;
        let record_name = name_of(&record);
        let number = record_name.trim_start_matches(PREFIX).trim_end_matches(SUFFIX);
        let folder = to.with_file_name(format!(".{name}.{number}{SUFFIX}"));
        // A file system without locks: nobody clears it then.
        held.try_lock().ok();
        let begun = held.write_all(&serde_json::to_vec(&Record { folder: folder.clone() })?);
        let begun = begun.and_then(|()| held.sync_all()).and_then(|()| {
            super::private_folder(&folder)?;
            let mut mark = super::private_file(&folder.join(MARK))?;
            mark.write_all(record_name.as_bytes())?;
            mark.sync_all()
        });
        let unfinished = Unfinished { folder, record, _held: held };
        match begun {
            Ok(()) => Ok(unfinished),
            Err(error) => {
                unfinished.discard();
                Err(error)
            }
        }
    }

    /// Where the export is to be written.
    pub fn content(&self) -> PathBuf {
        self.folder.join(CONTENT)
    }

    /// Gives the export its name.
    pub fn finish(self, to: &Path) -> io::Result<()> {
        let finished = fs::rename(self.content(), to);
        self.discard();
        finished
    }

    /// What cannot be removed now is removed at the next start: its record stays.
    pub fn discard(self) {
        if remove_ours(&self.folder, &name_of(&self.record)) {
            fs::remove_file(&self.record).ok();
        }
    }
}

/// What is left of exports that were cut off.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CutOff {
    /// Folders that are ours by their mark.
    pub ours: Vec<PathBuf>,
    /// Where one was, which cannot be reached now, or no longer bears our mark.
    pub unclear: Vec<PathBuf>,
}

/// Looks for them and changes nothing.
pub fn look(data: &Path) -> CutOff {
    let mut found = CutOff::default();
    for (record, folder, _held) in records(data) {
        match state(&folder, &name_of(&record)) {
            State::Ours => found.ours.push(folder),
            State::Unclear => found.unclear.push(folder),
            State::Gone => {}
        }
    }
    found
}

/// Removes them, and says which are still there.
pub fn clear(data: &Path) -> Vec<PathBuf> {
    let mut left = Vec::new();
    for (record, folder, _held) in records(data) {
        if remove_ours(&folder, &name_of(&record)) {
            fs::remove_file(&record).ok();
        } else {
            left.push(folder);
        }
    }
    left
}

/// The same, and gives up the records of what is still there.
pub(crate) fn clear_for_good(data: &Path) -> Vec<PathBuf> {
    let left = clear(data);
    for (record, ..) in records(data) {
        fs::remove_file(record).ok();
    }
    left
}

/// Those that nobody holds, with the folders that they name. One that names none is from before its folder was made.
fn records(data: &Path) -> Vec<(PathBuf, PathBuf, File)> {
    let Ok(entries) = fs::read_dir(data) else { return Vec::new() };
    let names = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let records = names.filter(|path| name_of(path).starts_with(PREFIX) && name_of(path).ends_with(SUFFIX));
    let mut found = Vec::new();
    for path in records {
        let Ok(mut held) = OpenOptions::new().read(true).write(true).open(&path) else { continue };
        // Somebody writes it, or nobody can tell.
        if held.try_lock().is_err() {
            continue;
        }
        let mut text = Vec::new();
        match held.read_to_end(&mut text).map(|_| serde_json::from_slice::<Record>(&text)) {
            Ok(Ok(Record { folder })) => found.push((path, folder, held)),
            _ => drop(fs::remove_file(path)),
        }
    }
    found
}

enum State {
    Gone,
    Ours,
    Unclear,
}

fn state(folder: &Path, record: &str) -> State {
    match fs::symlink_metadata(folder) {
        Ok(about) if about.is_dir() => {}
        Ok(_) => return State::Unclear,
        // A disk that is not there now may come back.
        Err(_) if folder.parent().is_some_and(Path::is_dir) => return State::Gone,
        Err(_) => return State::Unclear,
    }
    let mark = fs::read(folder.join(MARK)).unwrap_or_default();
    // It was made, and its mark was not written any more, or not whole.
    let is_bare = || {
        let only_mark = |entry: io::Result<fs::DirEntry>| entry.is_ok_and(|entry| entry.file_name() == MARK);
        record.as_bytes().starts_with(&mark) && fs::read_dir(folder).is_ok_and(|mut all| all.all(only_mark))
    };
    if mark == record.as_bytes() || is_bare() { State::Ours } else { State::Unclear }
}

/// Whether nothing of it is there any more.
fn remove_ours(folder: &Path, record: &str) -> bool {
    match state(folder, record) {
        State::Gone => true,
        State::Unclear => false,
        // The mark goes last: what is left half-way is still ours.
        State::Ours => {
            let content = folder.join(CONTENT);
            let removed = super::remove(&content).and_then(|()| fs::remove_file(folder.join(MARK)).or_else(absent));
            removed.and_then(|()| fs::remove_dir(folder)).is_ok()
        }
    }
}

fn absent(error: io::Error) -> io::Result<()> {
    if error.kind() == io::ErrorKind::NotFound { Ok(()) } else { Err(error) }
}

fn name_of(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn begun(data: &Path, to: &Path) -> (PathBuf, PathBuf) {
        let unfinished = Unfinished::begin(data, to).expect("begun");
        fs::write(unfinished.content(), "что было сказано").expect("written");
        (unfinished.folder.clone(), unfinished.record.clone())
    }

    #[test]
    fn what_was_cut_off_is_found_and_removed_and_nothing_else_is() {
        let (data, place) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
        let to = place.path().join("мой экспорт.zip");
        let (folder, record) = begun(data.path(), &to);
        // It bears such a name, and is somebody else's.
        let other = place.path().join(".мой экспорт.zip.unfinished");
        fs::create_dir(&other).expect("made");
        fs::write(other.join("notes.txt"), "чужое").expect("written");

        assert_eq!(look(data.path()), CutOff { ours: vec![folder.clone()], unclear: vec![] });
        assert!(clear(data.path()).is_empty());
        assert!(!folder.exists() && !record.exists() && other.join("notes.txt").exists());
        assert_eq!(look(data.path()), CutOff::default());
    }

    #[test]
    fn one_whose_mark_was_not_written_whole_is_still_ours() {
        let (data, place) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
        for written in [0, 5] {
            let unfinished = Unfinished::begin(data.path(), &place.path().join("out")).expect("begun");
            let folder = unfinished.folder.clone();
            let mark = fs::read(folder.join(MARK)).expect("read");
            fs::write(folder.join(MARK), &mark[..written]).expect("written");
            drop(unfinished);
            assert_eq!(look(data.path()).ours, std::slice::from_ref(&folder));
            assert!(clear(data.path()).is_empty() && !folder.exists());
        }
    }

    #[test]
    fn one_that_is_being_written_is_let_alone() {
        let (data, place) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
        let to = place.path().join("out");
        let unfinished = Unfinished::begin(data.path(), &to).expect("begun");
        fs::create_dir(unfinished.content()).expect("made");
        assert!(clear(data.path()).is_empty() && unfinished.content().is_dir());
        unfinished.finish(&to).expect("finished");
        assert!(to.is_dir());
        let left = |dir: &Path| fs::read_dir(dir).expect("read").count();
        assert_eq!((left(data.path()), left(place.path())), (0, 1));
    }

    #[test]
    fn what_lost_its_mark_or_its_disk_is_named_and_kept() {
        let (data, place) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
        let (unmarked, _) = begun(data.path(), &place.path().join("out"));
        fs::write(unmarked.join(MARK), "another's").expect("written");
        let stick = place.path().join("stick");
        fs::create_dir(&stick).expect("made");
        let (unplugged, record) = begun(data.path(), &stick.join("out"));
        fs::rename(&stick, place.path().join("away")).expect("unplugged");

        let mut left = clear(data.path());
        left.sort();
        let mut expected = vec![unmarked.clone(), unplugged.clone()];
        expected.sort();
        assert_eq!(left, expected);
        assert!(unmarked.is_dir() && record.exists());
        fs::rename(place.path().join("away"), &stick).expect("plugged in");
        assert_eq!(clear(data.path()), [unmarked]);
        assert!(!unplugged.exists());
    }
}
