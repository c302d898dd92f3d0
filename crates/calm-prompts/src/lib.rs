//! The prompt set: what Calm says, as files that people can read and change.
//!
//! It loads the shipped set or a folder, knows its version and hash, and gives out wording,
//! practices and helplines. Which of them to use is decided elsewhere.

mod both;
pub mod coverage;
pub mod envelope;
pub mod front;
mod helplines;
pub mod lint;
pub mod overlay;
mod phrases;
mod practices;
mod set;
pub mod stems;
pub mod template;
pub mod versions;

pub use both::Both;
pub use helplines::{Helpline, HelplineKind, Helplines};
pub use phrases::{PhraseError, Phrases, Said};
pub use practices::{Breath, Practice, Practices, Step, Strain};
pub use set::{Identity, ONLY_VARIANT, PromptSet, SetError, Variant, is_prompt_file};
