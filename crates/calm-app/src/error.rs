//! What can go wrong for a user, with a code for the doors and a line that says what to do.
//!
//! The line never carries what was said.

use calm_prompts::envelope::AssemblyError;
use calm_prompts::lint::SheetError;
use calm_store::KnowledgeId;

// For a door that has words of its own.
pub use calm_agent::{EndpointError, Phase};
pub use calm_core::tools::{NoSuchForm, Unreachable};
pub use calm_knowledge::{DocumentError, Place};
pub use calm_memory::EncoderError;
pub use calm_models::{ModelError, TransportError};
pub use calm_store::StoreError;
pub use calm_trades::{MappingError, ReadError};
pub use calm_voice::{AloudError, AsrError, DecodeError, HearError, MicError, OnnxError};

use crate::backend::BackendError;
use crate::correcting::CorrectionError;
use crate::exporting::ExportError;
use crate::importing::ImportError;
use crate::prompt_folder::FolderError;
use crate::prompting::DraftError;
use crate::scenarios::ScenarioError;
use crate::settings::SettingError;
use crate::tools::reminders::ReminderError;
use crate::triggers::PlanError;

#[derive(Debug, thiserror::Error)]
pub enum AppError {
    #[error("this system names no data folder: give one with --data-dir")]
    NoDataFolder,
    #[error("{path}: {source}")]
    BadAudio { path: String, source: DecodeError },
    #[error("a session is running in another window or terminal: finish it there first")]
    SessionRunning,
    #[error("no session is open: begin one with `calm session check-in`")]
    NoOpenSession,
    #[error("the session that this was said in has ended: the recording stays in the encrypted spool")]
    SessionOver,
    #[error("there was no speech in it: nothing was added to the session")]
    NothingHeard,
    #[error("somebody spoke, but no words came of it: the recording stays in the encrypted spool for a week")]
    NoWords,
    #[error(transparent)]
    Model(#[from] ModelError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("{0}: nothing was changed, and what opened the journal before still does")]
    NotRekeyed(#[source] StoreError),
    #[error(transparent)]
    Encoder(#[from] EncoderError),
    #[error(transparent)]
    Hear(#[from] HearError),
    #[error(transparent)]
    Mic(#[from] MicError),
    #[error("the prompt set is damaged: {0}")]
    Prompts(#[from] calm_prompts::SetError),
    #[error(transparent)]
    PromptFolder(#[from] FolderError),
    #[error(transparent)]
    Draft(#[from] DraftError),
    #[error(transparent)]
    Template(#[from] AssemblyError),
    #[error("a memory needs words: delete it where there is nothing to say")]
    BlankMemory,
    #[error("there is no such memory")]
    NoSuchMemory,
    #[error("there is no earlier version of the prompts to go back to")]
    NoEarlierPrompts,
    #[error("there is no version {version} of the prompts beside the one in use")]
    NoSuchPrompts { version: String },
    #[error("{name:?} cannot name a version: letters, digits and . _ + - do, up to 40")]
    BadVersionName { name: String },
    #[error("{characters} characters of active facts would crowd out every talk: {most} are the most")]
    FactsTooLong { characters: usize, most: usize },
    #[error(transparent)]
    Plan(#[from] PlanError),
    #[error(transparent)]
    Reminder(#[from] ReminderError),
    #[error(transparent)]
    Setting(#[from] SettingError),
    #[error(transparent)]
    Correction(#[from] CorrectionError),
    #[error("there is no practice called so: `calm practice list` names them")]
    NoSuchPractice,
    #[error("{path}: {source}")]
    BadDocument { path: String, source: DocumentError },
    #[error("{path}: {source}")]
    UnreadFile { path: String, source: std::io::Error },
    #[error("{path}: {source}")]
    BadTrades { path: String, source: ReadError },
    #[error("its text is in the knowledge already, as number {id}")]
    AlreadyKnown { id: KnowledgeId },
    #[error("the term is empty or longer than 200 characters")]
    BadTerm,
    #[error("{path}: {source}")]
    BadSheet { path: String, source: SheetError },
    #[error(transparent)]
    Scenario(#[from] ScenarioError),
    #[error("the prompt set is damaged: {0}")]
    Wording(#[from] calm_prompts::PhraseError),
    #[error(transparent)]
    Backend(#[from] BackendError),
    #[error(transparent)]
    Server(#[from] EndpointError),
    #[error(transparent)]
    Export(#[from] ExportError),
    #[error(transparent)]
    Import(#[from] ImportError),
    #[error("cannot write to the data folder: {0}")]
    Folder(#[source] std::io::Error),
}

impl AppError {
    /// A stable name for scripts and for the window's own words.
    pub fn code(&self) -> &'static str {
        match self {
            AppError::NoDataFolder => "no_data_folder",
            AppError::BadAudio { .. } => "bad_audio",
            AppError::SessionRunning => "session_running",
            AppError::NoOpenSession => "no_open_session",
            AppError::SessionOver => "no_open_session",
            AppError::NothingHeard => "nothing_heard",
            AppError::NoWords => "no_words",
            AppError::Model(error) => model_code(error),
            AppError::Store(error) | AppError::NotRekeyed(error) => store_code(error),
            AppError::Encoder(_) => "model_damaged",
            AppError::Hear(_) => "hearing_failed",
            AppError::Mic(error) => mic_code(error),
            AppError::Prompts(_) | AppError::Wording(_) => "prompts_damaged",
            AppError::Draft(DraftError::Write { source, .. }) => match source.kind() {
                std::io::ErrorKind::StorageFull => "disk_full",
                _ => "folder",
            },
            AppError::PromptFolder(_) | AppError::Draft(_) | AppError::Template(_) => "bad_prompts",
            AppError::NoEarlierPrompts | AppError::NoSuchPrompts { .. } => "no_earlier_prompts",
            AppError::BadVersionName { .. } | AppError::FactsTooLong { .. } | AppError::BlankMemory => "bad_input",
            AppError::Plan(_) => "bad_plan",
            AppError::Reminder(_) => "bad_reminder",
            AppError::Setting(_) => "bad_setting",
            AppError::Correction(_) => "bad_correction",
            AppError::NoSuchPractice | AppError::NoSuchMemory => "not_found",
            AppError::BadDocument { .. } | AppError::UnreadFile { .. } => "bad_document",
            AppError::BadTrades { source: ReadError::ZoneNeeded { .. }, .. } => "zone_needed",
            AppError::BadTrades { source: ReadError::DateOrderNeeded, .. } => "date_order_needed",
            AppError::BadTrades { .. } => "bad_trades",
            AppError::AlreadyKnown { .. } => "already_known",
            AppError::BadTerm | AppError::BadSheet { .. } => "bad_term",
            AppError::Scenario(_) => "bad_scenario",
            AppError::Backend(BackendError::NoneFound | BackendError::NoModel) => "no_server",
            AppError::Backend(_) => "bad_backend",
            AppError::Server(EndpointError::Offline) => "offline",
            AppError::Server(_) => "server_failed",
            AppError::Export(ExportError::Store(error)) => store_code(error),
            AppError::Export(_) => "export_failed",
            AppError::Import(ImportError::Store { source, .. }) => store_code(source),
            AppError::Import(_) => "bad_export",
            AppError::Folder(_) => "folder",
        }
    }

    /// Wrong use or bad input, as against a failure at run time.
    pub fn is_bad_input(&self) -> bool {
        match self {
            AppError::Draft(DraftError::Write { .. }) => false,
            AppError::BadAudio { .. } | AppError::NoDataFolder | AppError::Draft(_) | AppError::Template(_) => true,
            AppError::PromptFolder(_)
            | AppError::NoEarlierPrompts
            | AppError::NoSuchPrompts { .. }
            | AppError::BadVersionName { .. }
            | AppError::FactsTooLong { .. }
            | AppError::BlankMemory
            | AppError::Plan(_)
            | AppError::Reminder(_)
            | AppError::Setting(_)
            | AppError::Correction(_)
            | AppError::NoSuchPractice
            | AppError::NoSuchMemory
            | AppError::BadDocument { .. } => true,
            AppError::UnreadFile { .. } | AppError::AlreadyKnown { .. } | AppError::BadTerm => true,
            AppError::BadTrades { .. } => true,
            AppError::BadSheet { .. } | AppError::Scenario(_) => true,
            AppError::Backend(error) => !matches!(error, BackendError::NoneFound | BackendError::NoModel),
            AppError::Export(error) => matches!(error, ExportError::Taken { .. }),
            AppError::Import(ImportError::Store { source, .. }) => {
                matches!(source, StoreError::NotAnExport { .. } | StoreError::NewerExport { .. })
            }
            AppError::Import(_) => true,
            AppError::Store(error) => matches!(
                error,
                StoreError::NotFound(_)
                    | StoreError::WrongPassphrase
                    | StoreError::BadPassphrase
                    | StoreError::NoPassphrase
                    | StoreError::PassphraseSet
            ),
            _ => false,
        }
    }
}

fn model_code(error: &ModelError) -> &'static str {
    match error {
        ModelError::Missing { .. } => "model_missing",
        ModelError::Damaged { .. } | ModelError::Corrupt { .. } => "model_damaged",
        ModelError::NoSpace { .. } => "disk_full",
        _ => "model_not_fetched",
    }
}

fn store_code(error: &StoreError) -> &'static str {
    match error {
        StoreError::DiskFull => "disk_full",
        StoreError::Busy => "store_locked",
        StoreError::InUse => "in_use",
        StoreError::Locked => "locked",
        StoreError::WrongPassphrase => "wrong_passphrase",
        StoreError::BadPassphrase | StoreError::NoPassphrase | StoreError::PassphraseSet => "bad_passphrase",
        StoreError::NotAnExport { .. } => "bad_export",
        StoreError::NewerExport { .. } => "newer_export",
        StoreError::NewerDatabase { .. } => "newer_database",
        StoreError::KeychainClosed { .. } => "keychain_unavailable",
        StoreError::KeyMissing { .. } | StoreError::KeyUnreadable { .. } | StoreError::WrongKey { .. } => "wrong_key",
        StoreError::Damaged | StoreError::LogWithoutDatabase { .. } => "database_damaged",
        StoreError::ReadOnly | StoreError::Folder { .. } => "folder",
        StoreError::NotFound(_) => "not_found",
        _ => "internal",
    }
}

fn mic_code(error: &MicError) -> &'static str {
    match error {
        MicError::NoDevice | MicError::UnknownDevice => "no_microphone",
        MicError::Denied => "microphone_denied",
        MicError::Busy => "microphone_busy",
        MicError::Gone => "microphone_lost",
        MicError::Unsupported | MicError::System(_) => "microphone_failed",
    }
}
