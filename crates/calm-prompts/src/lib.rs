//! The prompt set: what Calm says, as files that people can read and change.
//!
//! It loads the shipped set or a folder, knows its version and hash, and gives out wording,
//! practices and helplines. Which of them to use is decided elsewhere.

mod helplines;
mod phrases;
mod practices;
mod set;

pub use helplines::{Helpline, HelplineKind, Helplines};
pub use phrases::{PhraseError, Phrases};
pub use practices::{Practice, Practices, Step};
pub use set::{Identity, PromptSet, SetError};
