//! Model files: which there are, whether they are whole, and how they come onto the disk.
//!
//! Everything that is loaded later has passed its SHA-256 first. A file appears under its own name only when it is
//! whole; whatever is broken or partial is removed and fetched again.
//!
//! This crate opens no socket: a [`Transport`] brings the bytes, and it is also asked before pip is started. It knows
//! nothing of what the models are used for.

pub mod convert;
mod download;
mod error;
mod fetch;
mod manifest;
mod pip;
mod recipe;
mod space;
mod transport;
mod verify;

use std::path::{Path, PathBuf};

pub use error::ModelError;
pub use fetch::{Progress, Stage};
pub use manifest::{Manifest, ManifestError, Model, ModelFile, Package, Source, WheelTag, this_platform};
pub use transport::{Body, Transport, TransportError};

/// Whether a model can be loaded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// Every file is there and has passed its checksum.
    Ready,
    Missing,
    /// A file is there that is not the right one: it must not be loaded.
    Damaged,
}

/// The models folder, seen through a manifest.
#[derive(Debug, Clone)]
pub struct Models {
    dir: PathBuf,
    manifest: Manifest,
}

impl Models {
    /// The shipped models in `dir`. The folder is made when something is fetched into it.
    pub fn open(dir: impl Into<PathBuf>) -> Self {
        Self::with_manifest(dir, Manifest::shipped())
    }

    pub fn with_manifest(dir: impl Into<PathBuf>, manifest: Manifest) -> Self {
        Self { dir: dir.into(), manifest }
    }

    pub fn dir(&self) -> &Path {
        &self.dir
    }

    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// Cheap when the files have not been touched since they were last checked; otherwise hashes them once.
    ///
    /// Errors only when there is no such model.
    pub fn state(&self, id: &str) -> Result<State, ModelError> {
        let model = self.manifest.model(id)?;
        Ok(self.state_by(model, verify::quickly))
    }

    /// Hashes every file in full, whatever was known about it.
    pub fn verify(&self, id: &str) -> Result<State, ModelError> {
        let model = self.manifest.model(id)?;
        Ok(self.state_by(model, verify::in_full))
    }

    /// The model's first file, ready to be loaded; its other files lie beside it.
    ///
    /// The error says what to do about a missing or damaged one.
    pub fn path(&self, id: &str) -> Result<PathBuf, ModelError> {
        let model = self.manifest.model(id)?;
        match (self.state_by(model, verify::quickly), model.files.first()) {
            (State::Ready, Some(file)) => Ok(self.dir.join(&file.name)),
            (State::Damaged, _) => Err(ModelError::Damaged { id: id.to_owned() }),
            _ => Err(ModelError::Missing { id: id.to_owned() }),
        }
    }

    /// What fetching may have written into the folder, whether or not it is there now; nothing else that lies in it.
    pub fn written(&self) -> Vec<PathBuf> {
        let files = self.manifest.models().flat_map(|model| &model.files);
        let mut written: Vec<PathBuf> =
            files.flat_map(|file| [self.dir.join(&file.name), download::part_path(&self.dir, file)]).collect();
        written.extend([verify::STAMPS, fetch::LOCK].map(|name| self.dir.join(name)));
        for entry in std::fs::read_dir(&self.dir).into_iter().flatten().flatten() {
            if entry.file_name().to_string_lossy().starts_with(fetch::WORK_PREFIX) {
                written.push(entry.path());
            }
        }
        written
    }

    fn state_by(&self, model: &Model, check: fn(&Path, &ModelFile) -> State) -> State {
        let states: Vec<State> = model.files.iter().map(|file| check(&self.dir, file)).collect();
        [State::Damaged, State::Missing].into_iter().find(|state| states.contains(state)).unwrap_or(State::Ready)
    }
}
