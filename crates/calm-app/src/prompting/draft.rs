//! The user's edits of the prompts: files in `prompts/` of the data folder, over the shipped set (SPEC P5).

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use calm_prompts::overlay::{FileChange, OverlayError, differences, overlay};
use calm_prompts::{PromptSet, SetError, is_prompt_file};

use crate::prompt_folder::{self, FolderError};

/// An edit with this ending changes the file without it.
pub(super) const PATCH: &str = ".patch";

/// A set in the making.
pub struct Draft {
    pub set: PromptSet,
    /// Against the shipped set.
    pub changes: Vec<FileChange>,
}

#[derive(Debug, thiserror::Error)]
pub enum DraftError {
    #[error(transparent)]
    Folder(#[from] FolderError),
    #[error(transparent)]
    Overlay(#[from] OverlayError),
    #[error(transparent)]
    Set(#[from] SetError),
    #[error("manifest.toml: the id of the set must stay {expected}")]
    OtherSet { expected: String },
    #[error("{path} is no file that a prompt set can have")]
    NoPrompt { path: String },
    #[error("helplines are verified with their sources and cannot be edited here")]
    Helplines,
    #[error("cannot write {}: {source}", path.display())]
    Write { path: PathBuf, source: std::io::Error },
}

/// Where the edits lie.
pub fn folder(data: &Path) -> PathBuf {
    data.join("prompts")
}

impl Draft {
    /// The edits over the shipped set; `None` where there are none, or where they change nothing.
    ///
    /// # Errors
    /// A file cannot be read, a patch does not fit, or the manifest is damaged. Mistakes inside prompts are the
    /// linter's to find.
    pub fn read(data: &Path) -> Result<Option<Draft>, DraftError> {
        Draft::of(&edits(data)?)
    }

    /// As [`Draft::read`], with `text` in place of what lies on the disk for the file `path`.
    ///
    /// # Errors
    /// As [`Draft::read`].
    pub fn read_with(data: &Path, path: &str, text: &str) -> Result<Option<Draft>, DraftError> {
        let mut edits = edits(data)?;
        edits.remove(&format!("{path}{PATCH}"));
        edits.insert(path.to_owned(), text.to_owned());
        Draft::of(&edits)
    }

    fn of(edits: &BTreeMap<String, String>) -> Result<Option<Draft>, DraftError> {
        let shipped = PromptSet::shipped();
        let files = overlay(shipped.files(), edits)?;
        let changes = differences(shipped.files(), &files);
        if changes.is_empty() {
            return Ok(None);
        }
        let set = PromptSet::of(files)?;
        let expected = shipped.identity().set;
        if set.identity().set != expected {
            return Err(DraftError::OtherSet { expected });
        }
        Ok(Some(Draft { set, changes }))
    }
}

/// The files of the edits as they lie there, whole ones and patches.
pub(super) fn edits(data: &Path) -> Result<BTreeMap<String, String>, FolderError> {
    let folder = folder(data);
    if !folder.is_dir() {
        return Ok(BTreeMap::new());
    }
    prompt_folder::read(&folder, is_edit)
}

/// Those of them that can be read, and why the others cannot.
pub(crate) fn edits_that_can_be_read(data: &Path) -> (BTreeMap<String, String>, Vec<FolderError>) {
    let folder = folder(data);
    if folder.is_dir() { prompt_folder::read_what_can_be(&folder, is_edit) } else { Default::default() }
}

fn is_edit(name: &str) -> bool {
    is_prompt_file(name.strip_suffix(PATCH).unwrap_or(name))
}
