//! The network room: the only crate that may open a socket.
//!
//! Two rules hold here, whoever calls: nothing is opened beyond the reach that is set, and whatever leaves is first
//! shown to the ledger. What is asked for, and what is done with the answer, is the caller's business.

mod adapt;
mod answer;
mod budget;
mod cancel;
mod chat;
mod discovery;
mod download;
mod endpoint;
mod error;
mod exchange;
mod http;
mod incoming;
mod ledger;
mod patience;
mod range;
mod reach;
pub mod reply;
mod request;
mod sse;

pub use budget::{estimate_tokens, fit};
pub use cancel::Cancel;
pub use chat::{Call, Chat, ChatMessage, Completion, Finish, Note, ToolChoice, ToolSpec};
pub use discovery::{Found, Preset, discover, discover_at};
pub use download::Download;
pub use endpoint::{ApiKey, Endpoint, Learned, Reasoning, Timeouts, ToolMode};
pub use error::{EndpointError, HttpError, Phase};
pub use http::{Http, HttpSettings};
pub use ledger::{Ledger, NotRecorded, Outgoing, Receipt};
pub use reach::{Reach, is_here};
