//! The data in the user's hands: what went out, came in, was deleted.

use calm_app::erasing::Erased;
use calm_app::exporting::Place;
use calm_app::forgetting::Deleted;
use calm_app::prompt_folder::FolderError;
use serde::{Deserialize, Serialize};
use specta::Type;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "lowercase")]
pub enum ExportPlace {
    Downloads,
    Documents,
    Desktop,
    Home,
}

#[derive(Debug, Clone, Serialize, Type)]
pub struct ExportFolder {
    pub place: ExportPlace,
    pub path: String,
}

#[derive(Debug, Clone, Serialize, Type)]
pub struct ExportDone {
    pub path: String,
    pub recordings: u32,
    /// The user's own prompt files that are not in it.
    pub unread: Vec<ExportUnread>,
}

#[derive(Debug, Clone, Serialize, Type)]
pub struct ExportUnread {
    pub path: String,
    pub why: UnreadWhy,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum UnreadWhy {
    /// The system says no.
    Closed,
    TooLarge,
    NotText,
    /// More files than a set can have; those that came after are not in it.
    TooMany,
}

/// What an export says of itself.
#[derive(Debug, Clone, Serialize, Type)]
pub struct ExportLook {
    pub made_at: String,
    pub sessions: u32,
    pub rows: u32,
}

#[derive(Debug, Clone, Serialize, Type)]
pub struct ExportBrought {
    /// New ones.
    pub sessions: u32,
    pub rows: u32,
    /// What was here already.
    pub known: u32,
}

/// How long things are kept: `never`, `forever` or `N days`.
#[derive(Debug, Clone, Serialize, Deserialize, Type)]
pub struct Retention {
    pub transcripts: String,
    pub recordings: String,
}

#[derive(Debug, Clone, Serialize, Type)]
pub struct RetentionSheet {
    pub keep: Retention,
    /// The clock is more than a year ahead of the last time: nothing goes by itself for now.
    pub clock_ahead: bool,
}

/// What a deletion took along, or would.
#[derive(Debug, Clone, Serialize, Type)]
pub struct GoneCard {
    pub sessions: u32,
    pub turns: u32,
    pub memories: u32,
    pub recordings: u32,
    pub reminders: u32,
    /// Requests in the ledger whose text went.
    pub requests: u32,
    /// Check-outs that go by a deleted check-in and stay.
    pub pairs: u32,
    /// Nothing of it is left in the file.
    pub traceless: bool,
}

/// A passphrase that was set, changed or removed: the new words hold.
#[derive(Debug, Clone, Serialize, Type)]
pub struct PassphraseChange {
    /// Nothing of the old key is left.
    pub tidy: bool,
}

#[derive(Debug, Clone, Serialize, Type)]
pub struct ErasedSheet {
    /// In the order in which they went, the keys first.
    pub files: Vec<String>,
    /// What is in the data folder still: it is not Calm's, or was to stay, or could not be removed.
    pub left: Vec<String>,
    pub left_in_keychain: bool,
}

super::same_variants!(ExportPlace = Place { Downloads, Documents, Desktop, Home });

impl From<&FolderError> for ExportUnread {
    fn from(error: &FolderError) -> ExportUnread {
        let (path, why) = match error {
            FolderError::Read { path, .. } => (path, UnreadWhy::Closed),
            FolderError::TooLarge { path } => (path, UnreadWhy::TooLarge),
            FolderError::NotText { path, .. } => (path, UnreadWhy::NotText),
            FolderError::TooMany { path } => (path, UnreadWhy::TooMany),
        };
        ExportUnread { path: path.display().to_string(), why }
    }
}

impl From<Deleted> for GoneCard {
    fn from(gone: Deleted) -> GoneCard {
        GoneCard {
            sessions: gone.sessions,
            turns: gone.turns,
            memories: gone.memories,
            recordings: gone.recordings,
            reminders: gone.reminders,
            requests: gone.requests,
            pairs: u32::try_from(gone.pairs.len()).unwrap_or(u32::MAX),
            traceless: gone.traceless,
        }
    }
}

impl From<Erased> for ErasedSheet {
    fn from(erased: Erased) -> ErasedSheet {
        let shown = |paths: Vec<std::path::PathBuf>| paths.iter().map(|path| path.display().to_string()).collect();
        // What could not be removed is still in the folder, whoever wrote it.
        let left = erased.left.into_iter().chain(erased.stuck.into_iter().map(|(path, _)| path)).collect();
        ErasedSheet { files: shown(erased.files), left: shown(left), left_in_keychain: erased.left_in_keychain }
    }
}
