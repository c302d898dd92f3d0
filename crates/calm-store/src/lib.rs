//! The disk room: everything Calm remembers, in one encrypted SQLite file.
//!
//! A table lives in one file here, with its migration text, its row types and its queries. What a
//! session means, when a trading day begins and what a figure says is decided elsewhere: this room
//! only promises that what was committed is still there, readable with the user's key alone.

mod api_keys;
mod banned_terms;
mod baselines;
mod calendar;
mod columns;
mod corrections;
mod days;
mod erase;
mod error;
mod experiences;
mod export;
mod facts;
mod folder;
mod forget;
mod forgotten;
mod import;
mod key;
mod keychain;
mod knowledge;
mod ledger;
mod lessons;
mod memories;
mod memory;
mod notes;
mod passphrase;
mod portable;
mod presence;
mod prompt_figures;
mod prompts;
mod rekey;
mod remember;
mod reminders;
mod rows;
mod sessions;
mod settings;
mod spool;
mod store;
mod trades;
mod triggers;
mod turn_search;
mod turns;
mod user_model;

pub use api_keys::ApiKeys;
pub use banned_terms::{BannedBy, BannedTerm, BannedTermId, SheetTerm};
pub use corrections::Corrected;
pub use days::DayLevels;
pub use erase::{Erased, erase};
pub use error::StoreError;
pub use experiences::{Embedding, Experience, ExperienceId, IndexedExperience, Outcome, Unembedded};
pub use export::{Cell, Snapshot};
pub use facts::Facts;
pub use forget::{Gone, Left};
pub use import::{Beside, Brought, ImportSource};
pub use key::{KeyPlace, Secrets};
pub use knowledge::{
    KnowledgeChunk, KnowledgeHit, KnowledgeId, KnowledgeKind, KnowledgeOrigin, KnowledgeSource, NewKnowledge,
};
pub use ledger::{LedgerEntry, LedgerId, LedgerRow};
pub use lessons::{Lesson, LessonFigures, LessonId};
pub use memories::{Memory, MemoryKind, MemorySource, MemoryState, NewMemory, PatternId, Upserted};
pub use memory::{Level, MemoryEntry, MemoryFilter, MemoryId, NotAMemoryId, TracedMemory, TracedSource};
pub use notes::{Note, NoteId};
pub use passphrase::Passphrase;
pub use portable::{ColumnKind, EXPORT_FORMAT, EXPORT_VERSION, ExportedColumn, ExportedTable, LEFT_OUT, Manifest};
pub use prompt_figures::PromptFigures;
pub use prompts::{
    NewPromptVersion, PromptActor, PromptDecision, PromptEvent, PromptLogEntry, PromptOrigin, PromptVersion,
    PromptVersionId,
};
pub use rekey::{Rekeyed, has_passphrase, is_locked, lock_again, rekey, unlock};
pub use remember::{Experienced, Kept, Remembered, Scored, TurnId, UnrememberedTurn};
pub use reminders::{Reminder, ReminderId};
pub use sessions::{
    Ended, Heard, NewSession, PastSession, PromptStamp, Session, SessionId, SessionLine, SessionRecord,
    UnmatchedCheckin,
};
pub use spool::{CHUNK_SAMPLES, KeptRecording, Recording, RecordingId, SAMPLE_RATE};
pub use store::Store;
pub use trades::{Import, ImportId, NewImport, NewTrade, StoredTrade, TradeId, TradeSum};
pub use triggers::{NewTrigger, Trigger, TriggerId, TriggerRun, TriggerRunId};
pub use turn_search::TurnHit;
pub use turns::{Turn, TurnRecord};
pub use user_model::{TopicMark, TopicScore, UserModel};
