//! The conductor: wires the rooms into sessions and turns.
//!
//! Both doors, the window and the terminal, come in here and hear the same events.
//! This crate knows no window and no terminal; the rules are calm-core's, the effects
//! belong to the rooms.

pub mod affect;
pub mod backend;
pub mod banned;
mod clock;
mod composing;
pub mod conductor;
mod countries;
pub mod doctor;
pub mod ears;
pub mod error;
pub mod events;
pub mod facts;
pub mod history;
pub mod insights;
pub mod knowledge;
mod ledger;
pub mod listening;
mod looking_back;
pub mod memories;
pub mod models;
pub mod paths;
pub mod prompt_folder;
pub mod prompting;
mod remembering;
mod resuming;
mod running;
pub mod scenarios;
pub mod searching;
mod sensing;
pub mod sent;
mod servers;
pub mod settings;
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
    BannedTermId, Heard, ImportId, KnowledgeId, Level, MemoryId, MemoryState, RecordingId, ReminderId, Secrets,
    SessionId,
};
pub use calm_voice as voice;
