//! The way out of the machine, as this crate needs it. The doors put the network room's client behind it.

use std::io::Read;

/// Brings bytes from a URL, or says why not.
pub trait Transport {
    /// The file at `url` from byte `from` on. A server that knows no ranges may start at 0: see [`Body::starts_at`].
    fn get(&self, url: &str, from: u64) -> Result<Body, TransportError>;

    /// Asked before another program (`pip`) fetches `what`, since this trait cannot see its sockets: refuses when
    /// nothing may leave the machine, and notes it in the ledger.
    fn allow_program(&self, program: &str, what: &str) -> Result<(), TransportError>;
}

/// An answer whose bytes are still on their way.
pub struct Body {
    /// Length of the whole file, where the server says it.
    pub total: Option<u64>,
    /// Where in the file `reader` begins.
    pub starts_at: u64,
    pub reader: Box<dyn Read + Send>,
}

#[derive(Debug, thiserror::Error)]
pub enum TransportError {
    #[error("offline mode is on")]
    Offline,
    /// The server has nothing from that byte on: what we hold is not a beginning of its file.
    #[error("the server has no such part of the file")]
    NoSuchRange,
    #[error("the server answered {status}")]
    Refused { status: u16 },
    #[error("{0}")]
    Unreachable(String),
}

impl TransportError {
    /// Whether the same request may well succeed a moment later.
    pub(crate) fn may_pass(&self) -> bool {
        match self {
            Self::Offline | Self::NoSuchRange => false,
            Self::Refused { status } => matches!(status, 408 | 429 | 500..),
            Self::Unreachable(_) => true,
        }
    }
}
