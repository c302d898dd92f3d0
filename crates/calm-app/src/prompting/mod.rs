//! Prompts at work: which version speaks, what is put around it, and whether an edit may become a version.
//!
//! The language, the linter and the rules of the experiments are `calm-prompts`'; what is kept is `calm-store`'s.

mod blocks;
mod comparing;
mod draft;
pub mod edits;
mod linting;
mod messages;
pub mod previewing;
mod usable;
mod versions;

pub use blocks::Blocks;
pub use comparing::{ComparedLine, Comparison, LineKind, Piece, Side};
pub(crate) use draft::edits_that_can_be_read;
pub use draft::{Draft, DraftError, folder as draft_folder};
pub use linting::{Linted, Shown, lint_paths, lint_set};
pub(crate) use messages::around;
pub use messages::{Rendered, Request};
pub use previewing::{Known, Sample};
pub(crate) use versions::{Current, current, held_with, review};
pub use versions::{Finalized, Refusal, RolledBack, VersionLine, VersionStatistics};
