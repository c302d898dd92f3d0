//! The network room: the only crate that may open a socket.
//!
//! Two rules hold here, whoever calls: in offline mode nothing is opened, and whatever leaves is first shown to the
//! ledger. What is asked for, and what is done with the answer, is the caller's business.

mod error;
mod http;
mod ledger;
mod range;

pub use error::HttpError;
pub use http::{Download, Http, HttpSettings};
pub use ledger::{Ledger, Outgoing};
