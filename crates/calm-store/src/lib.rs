//! The disk room: everything Calm remembers, in one encrypted SQLite file.
//!
//! A table lives in one file here, with its migration text, its row types and its queries. What a
//! session means, when a trading day begins and what a figure says is decided elsewhere: this room
//! only promises that what was committed is still there, readable with the user's key alone.

mod baselines;
mod columns;
mod error;
mod folder;
mod key;
mod keychain;
mod ledger;
mod sessions;
mod settings;
mod spool;
mod store;
mod turns;

pub use error::StoreError;
pub use key::{KeyPlace, Secrets};
pub use ledger::{LedgerEntry, LedgerId, LedgerRow};
pub use sessions::{
    Ended, Heard, NewSession, PromptStamp, Session, SessionId, SessionLine, SessionRecord, UnmatchedCheckin,
};
pub use spool::{CHUNK_SAMPLES, Recording, RecordingId, SAMPLE_RATE};
pub use store::Store;
pub use turns::{Turn, TurnRecord};
