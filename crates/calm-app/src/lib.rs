//! The conductor: wires the rooms into sessions and turns.
//!
//! Both doors, the window and the terminal, come in here and hear the same events.
//! This crate knows no window and no terminal; the rules are calm-core's, the effects
//! belong to the rooms.

pub mod affect;
pub mod aloud;
pub mod backend;
pub mod banned;
pub mod caring;
mod clock;
mod composing;
pub mod conductor;
pub mod correcting;
mod countries;
pub mod days;
pub mod doctor;
mod earlier;
pub mod ears;
pub mod erasing;
pub mod error;
pub mod events;
pub mod exporting;
pub mod facts;
pub mod forgetting;
pub mod history;
pub mod importing;
pub mod insights;
pub mod knowledge;
mod ledger;
pub mod listening;
mod looking_back;
pub mod market;
pub mod memories;
pub mod models;
mod notes;
pub mod passphrase;
pub mod paths;
pub mod prompt_folder;
pub mod prompting;
mod recordings;
mod remembering;
mod resuming;
mod running;
pub mod scenarios;
pub mod searching;
mod sensing;
pub mod sent;
pub mod servers;
pub mod settings;
pub mod speed;
pub mod talking;
pub mod tools;
pub mod trades;
mod transcript;
pub mod triggers;
mod trying;
mod turning;
mod wording;

pub use clock::Clock;
pub use conductor::{Begin, Conductor};
pub use ears::{Ears, Spoken};
pub use error::AppError;
pub use events::AppEvent;
pub use forgetting::Keep;
pub use paths::Paths;
pub use remembering::Recalled;
pub use sensing::Sensed;
pub use settings::Settings;
pub use talking::Next;
pub use trying::Lent;

pub use calm_core as core;
pub use calm_core::{Format, Kind, Lang};
pub use calm_prompts as prompts;
pub use calm_store::{
    BannedTermId, Heard, ImportId, KeyPlace, KnowledgeId, KnowledgeKind, KnowledgeOrigin, Left, Level, MemoryId,
    MemoryState, Note, NoteId, PromptActor, PromptEvent, PromptLogEntry, RecordingId, ReminderId, Secrets, SessionId,
};
pub use calm_voice as voice;
