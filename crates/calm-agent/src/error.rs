use std::error::Error;
use std::fmt;
use std::time::Duration;

use crate::ledger::NotRecorded;

/// Why a request brought nothing. Bodies of answers are never in here: they may quote the user.
#[derive(Debug, thiserror::Error)]
pub enum HttpError {
    #[error("offline mode is on, nothing was sent")]
    Offline,
    #[error("this is no address of a web server")]
    Address,
    /// The file ends before the byte that was asked for.
    #[error("the server has no such part of the file")]
    NoSuchRange,
    #[error("the server answered {status}")]
    Refused { status: u16 },
    #[error("the server passed the request on too many times, or to an unsafe address")]
    Redirected,
    #[error("the server did not answer in time")]
    TimedOut,
    /// With the innermost cause: a name that is not found, a refused connection, a certificate nobody knows.
    #[error("the server cannot be reached: {0}")]
    Unreachable(String),
    #[error("the secure connection cannot be set up on this machine: {0}")]
    Setup(String),
    /// Nothing was sent.
    #[error(transparent)]
    NotRecorded(#[from] NotRecorded),
}

impl From<reqwest::Error> for HttpError {
    fn from(error: reqwest::Error) -> Self {
        let error = error.without_url();
        if error.is_timeout() {
            return Self::TimedOut;
        }
        let cause = root_cause(&error);
        if error.is_builder() { Self::Setup(cause) } else { Self::Unreachable(cause) }
    }
}

/// Why a model brought no reply. Nothing in here quotes the user, the model, or a key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EndpointError {
    #[error("offline mode is on, nothing was sent")]
    Offline,
    #[error("this is no address of a web server")]
    Address,
    /// A key would travel readable, or holds letters that no header may hold. Nothing was sent.
    #[error("the key cannot be sent safely to this address")]
    UnsafeKey,
    #[error("the server does not accept the key ({status})")]
    KeyRefused { status: u16 },
    /// Nothing was sent.
    #[error(transparent)]
    NotRecorded(#[from] NotRecorded),
    #[error("it was cancelled")]
    Cancelled,
    /// Too many requests, or too much work; already tried again, unless it asked for more patience than we have.
    #[error("the server is busy ({status})")]
    Busy { status: u16, retry_after: Option<Duration> },
    #[error("the server answered {status}")]
    Refused { status: u16 },
    /// The request is never sent on: it carries what the user said.
    #[error("the server wanted to pass the request on to another address")]
    Redirected,
    #[error("the server was silent for too long ({0})")]
    TimedOut(Phase),
    /// With the innermost cause, as in [`HttpError::Unreachable`].
    #[error("the server cannot be reached: {0}")]
    Unreachable(String),
    /// The answer began and did not end.
    #[error("the connection was lost after {said} letters of the reply")]
    Severed { said: usize },
    /// The stream held an error in place of a reply.
    #[error("the server failed while it answered")]
    Failed,
    /// A web page, or other bytes.
    #[error("what came back is no reply of a model")]
    NotAModel,
    #[error("the secure connection cannot be set up on this machine: {0}")]
    Setup(String),
}

/// What took too long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    Connect,
    FirstToken,
    Idle,
    Whole,
}

impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Connect => "while connecting",
            Self::FirstToken => "before the first word",
            Self::Idle => "in the middle of the reply",
            Self::Whole => "over the whole reply",
        })
    }
}

impl From<reqwest::Error> for EndpointError {
    fn from(error: reqwest::Error) -> Self {
        let error = error.without_url();
        if error.is_timeout() {
            return Self::TimedOut(if error.is_connect() { Phase::Connect } else { Phase::FirstToken });
        }
        let cause = root_cause(&error);
        if error.is_builder() { Self::Setup(cause) } else { Self::Unreachable(cause) }
    }
}

impl From<HttpError> for EndpointError {
    fn from(error: HttpError) -> Self {
        match error {
            HttpError::Offline => Self::Offline,
            HttpError::Address => Self::Address,
            HttpError::Refused { status } => Self::Refused { status },
            HttpError::Redirected => Self::Redirected,
            HttpError::TimedOut => Self::TimedOut(Phase::Whole),
            HttpError::Unreachable(cause) => Self::Unreachable(cause),
            HttpError::Setup(cause) => Self::Setup(cause),
            HttpError::NotRecorded(reason) => Self::NotRecorded(reason),
            HttpError::NoSuchRange => Self::NotAModel,
        }
    }
}

/// The outer layers only say that something failed.
fn root_cause(error: &dyn Error) -> String {
    let mut innermost = error;
    while let Some(source) = innermost.source() {
        innermost = source;
    }
    innermost.to_string()
}
