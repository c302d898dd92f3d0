use std::error::Error;

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

/// The outer layers only say that something failed.
fn root_cause(error: &dyn Error) -> String {
    let mut innermost = error;
    while let Some(source) = innermost.source() {
        innermost = source;
    }
    innermost.to_string()
}
