//! The user's edits of the prompts: files in `prompts/` of the data folder, over the shipped set (SPEC P5).

use std::path::{Path, PathBuf};

use calm_prompts::overlay::{FileChange, OverlayError, differences, overlay};
use calm_prompts::{PromptSet, SetError, is_prompt_file};

use crate::prompt_folder::{self, FolderError};

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
        let folder = folder(data);
        if !folder.is_dir() {
            return Ok(None);
        }
        let edits = prompt_folder::read(&folder, |name| is_prompt_file(name.strip_suffix(".patch").unwrap_or(name)))?;
        let shipped = PromptSet::shipped();
        let files = overlay(shipped.files(), &edits)?;
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
