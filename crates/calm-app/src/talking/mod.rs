//! Talking through a model: what it is sent, what of its answer may be seen, and who speaks when it fails.
//!
//! The rules of a session are calm-core's and the connection is calm-agent's. A request runs without the
//! conductor, so that nothing else waits for a model to think.

mod asking;
mod extraction;
mod gate;
mod judging;
mod messages;
mod notes;
mod turn;

pub use asking::{Ask, Asked};
pub use calm_agent::Cancel;
pub(crate) use judging::Judging;
pub(crate) use messages::Exchange;
pub use turn::Next;
pub(crate) use turn::Waiting;
