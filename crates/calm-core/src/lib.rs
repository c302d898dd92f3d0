//! The quiet room: what a session is and what follows from what was said.
//!
//! Nothing here reads a clock, a file or a socket. Time, history and the voice
//! analysis are passed in, so every rule fits a table test.

pub mod context;
pub mod contour;
pub mod day;
pub mod deltas;
pub mod end_session;
pub mod guard;
pub mod lang;
pub mod linear;
pub mod market;
pub mod question;
pub mod sentences;
pub mod session;
pub mod sufler;
pub mod summary;
pub mod tools;
pub mod turn;
pub mod understand;
pub mod voice;

pub use context::SessionContext;
pub use deltas::Deltas;
pub use end_session::EndSession;
pub use lang::Lang;
pub use question::Question;
pub use session::{Format, Kind};
pub use tools::ToolCall;
pub use turn::{Dropped, Effect, Event, Move, Reply, State, checked, step};
pub use understand::{Said, read};
pub use voice::VoiceAnalysis;
