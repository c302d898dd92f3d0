//! A folder of prompts on the disk, read whole. What its files mean is `calm-prompts`' business.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use calm_prompts::is_prompt_file;

/// A prompt file is text written by people; anything bigger is a mistake.
pub const LARGEST_FILE: u64 = 1024 * 1024;
const MOST_FILES: usize = 5000;
const DEEPEST: usize = 6;

#[derive(Debug, thiserror::Error)]
pub enum FolderError {
    #[error("{}: {source}", path.display())]
    Read { path: PathBuf, source: std::io::Error },
    #[error("{} is larger than 1 MB", path.display())]
    TooLarge { path: PathBuf },
    #[error("{}, byte {at}: not UTF-8", path.display())]
    NotText { path: PathBuf, at: usize },
    #[error("{} holds more than {MOST_FILES} prompt files", path.display())]
    TooMany { path: PathBuf },
}

/// Every file of `folder` that `wanted` accepts by its name, by path inside it with forward slashes.
///
/// Links are not followed: a prompt set holds what is in its folder and nothing else.
///
/// # Errors
/// A file cannot be read, is too large or is not UTF-8.
pub fn read(folder: &Path, wanted: fn(&str) -> bool) -> Result<BTreeMap<String, String>, FolderError> {
    let mut files = BTreeMap::new();
    collect(folder, "", DEEPEST, wanted, &mut files, &mut Err)?;
    Ok(files)
}

/// As [`read`], without what cannot be read, and why that cannot.
pub fn read_what_can_be(folder: &Path, wanted: fn(&str) -> bool) -> (BTreeMap<String, String>, Vec<FolderError>) {
    let (mut files, mut failures) = (BTreeMap::new(), Vec::new());
    let end = collect(folder, "", DEEPEST, wanted, &mut files, &mut |failure| {
        failures.push(failure);
        Ok(())
    });
    failures.extend(end.err());
    failures.sort_by_cached_key(ToString::to_string);
    (files, failures)
}

/// The files of a prompt set.
///
/// # Errors
/// As [`read`].
pub fn read_set(folder: &Path) -> Result<BTreeMap<String, String>, FolderError> {
    read(folder, is_prompt_file)
}

/// One text file.
///
/// # Errors
/// As [`read`].
pub fn read_file(path: &Path) -> Result<String, FolderError> {
    let failed = |source| FolderError::Read { path: path.to_owned(), source };
    let about = fs::metadata(path).map_err(failed)?;
    if !about.is_file() {
        return Err(failed(std::io::Error::other("not a file")));
    }
    if about.len() > LARGEST_FILE {
        return Err(FolderError::TooLarge { path: path.to_owned() });
    }
    let bytes = fs::read(path).map_err(failed)?;
    let text = String::from_utf8(bytes)
        .map_err(|e| FolderError::NotText { path: path.to_owned(), at: e.utf8_error().valid_up_to() })?;
    // A version's hash must not depend on how a checkout ends its lines.
    Ok(text.replace("\r\n", "\n"))
}

fn collect(
    dir: &Path,
    prefix: &str,
    depth: usize,
    wanted: fn(&str) -> bool,
    files: &mut BTreeMap<String, String>,
    failure: &mut dyn FnMut(FolderError) -> Result<(), FolderError>,
) -> Result<(), FolderError> {
    let failed = |path: &Path| {
        let path = path.to_owned();
        |source| FolderError::Read { path, source }
    };
    let entries = match fs::read_dir(dir) {
        Ok(entries) => entries,
        Err(error) => return failure(failed(dir)(error)),
    };
    for entry in entries {
        let entry = entry.map_err(failed(dir))?;
        let path = entry.path();
        let kind = entry.file_type().map_err(failed(&path))?;
        let Some(name) = entry.file_name().to_str().map(str::to_owned) else { continue };
        if kind.is_dir() && depth > 0 && !name.starts_with('.') {
            collect(&path, &format!("{prefix}{name}/"), depth - 1, wanted, files, failure)?;
        } else if kind.is_file() && wanted(&name) {
            if files.len() >= MOST_FILES {
                return Err(FolderError::TooMany { path: dir.to_owned() });
            }
            match read_file(&path) {
                Ok(text) => drop(files.insert(format!("{prefix}{name}"), text)),
                Err(error) => failure(error)?,
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use calm_prompts::PromptSet;

    #[test]
    fn compiled_in_and_on_disk_are_the_same_set() {
        let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../prompts"));
        let read = PromptSet::of(read_set(folder).unwrap()).unwrap();
        assert_eq!(read.identity(), PromptSet::shipped().identity());
    }

    #[test]
    fn line_endings_of_a_checkout_do_not_count_and_links_lead_nowhere() {
        let dir = tempfile::tempdir().unwrap();
        let outside = tempfile::NamedTempFile::with_suffix(".md").unwrap();
        fs::write(outside.path(), "secret").unwrap();
        fs::write(dir.path().join("a.md"), "one\r\ntwo\r\n").unwrap();
        fs::write(dir.path().join("notes.txt"), "no prompt").unwrap();
        #[cfg(unix)]
        std::os::unix::fs::symlink(outside.path(), dir.path().join("b.md")).unwrap();
        let files = read_set(dir.path()).unwrap();
        assert_eq!(files, BTreeMap::from([("a.md".to_owned(), "one\ntwo\n".to_owned())]));
    }

    #[test]
    fn what_is_no_text_is_named_with_its_place() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("a.md"), b"ab\xff").unwrap();
        let error = read_set(dir.path()).unwrap_err();
        assert!(error.to_string().ends_with("a.md, byte 2: not UTF-8"), "{error}");
    }
}
