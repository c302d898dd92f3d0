//! Files, or the rest of them.

use std::fmt;
use std::io::{self, Read};

use reqwest::blocking::Response;
use reqwest::header::{CONTENT_LENGTH, CONTENT_RANGE, HeaderMap, HeaderName, LOCATION, RANGE};
use reqwest::{StatusCode, Url};

use crate::error::HttpError;
use crate::http::Http;
use crate::ledger::Outgoing;
use crate::range::content_range;
use crate::reach::is_loopback;

const MOST_REDIRECTS: usize = 10;

/// A file on its way.
pub struct Download {
    /// Length of the whole file, where the server says it.
    pub total: Option<u64>,
    /// Where in the file `body` begins: 0 when the server ignored the range.
    pub starts_at: u64,
    body: Response,
}

impl Download {
    /// The bytes. A read fails when the line is silent for too long or the server closes early.
    pub fn into_reader(self) -> impl Read + Send + 'static {
        Reader(self.body)
    }
}

impl fmt::Debug for Download {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Download").field("total", &self.total).field("starts_at", &self.starts_at).finish()
    }
}

impl Http {
    /// The file at `url` from byte `from` on.
    ///
    /// Redirects are followed here and not in the library, so that every address they lead to stands in the ledger.
    pub fn get_range(&self, url: &str, from: u64) -> Result<Download, HttpError> {
        let mut url = Url::parse(url).map_err(|_| HttpError::Address)?;
        for _ in 0..=MOST_REDIRECTS {
            if !matches!(url.scheme(), "http" | "https") || !url.has_host() {
                return Err(HttpError::Address);
            }
            let receipt = self.announce(&url, &Outgoing::get(&url))?;
            let mut request = self.blocking(is_loopback(&url))?.get(url.clone());
            if from > 0 {
                request = request.header(RANGE, format!("bytes={from}-"));
            }
            let answer = request.send()?;
            self.ledger.answered(receipt, answer.status().as_u16());
            match next_address(&url, &answer)? {
                Some(next) => url = next,
                None => return download(answer),
            }
        }
        Err(HttpError::Redirected)
    }
}

/// Where the server passes us on to, if it does. Never from a safe address to an unsafe one.
fn next_address(from: &Url, answer: &Response) -> Result<Option<Url>, HttpError> {
    let status = answer.status();
    if !status.is_redirection() || status == StatusCode::NOT_MODIFIED {
        return Ok(None);
    }
    let location = text(answer.headers(), LOCATION).ok_or(HttpError::Refused { status: status.as_u16() })?;
    let next = from.join(location).map_err(|_| HttpError::Redirected)?;
    let less_safe = from.scheme() == "https" && next.scheme() != "https";
    if less_safe { Err(HttpError::Redirected) } else { Ok(Some(next)) }
}

fn download(answer: Response) -> Result<Download, HttpError> {
    match answer.status() {
        StatusCode::OK => {
            let total = text(answer.headers(), CONTENT_LENGTH).and_then(|length| length.parse().ok());
            Ok(Download { total, starts_at: 0, body: answer })
        }
        StatusCode::PARTIAL_CONTENT => {
            let range = text(answer.headers(), CONTENT_RANGE).and_then(content_range);
            let (starts_at, total) = range.ok_or(HttpError::NoSuchRange)?;
            Ok(Download { total, starts_at, body: answer })
        }
        StatusCode::RANGE_NOT_SATISFIABLE => Err(HttpError::NoSuchRange),
        status => Err(HttpError::Refused { status: status.as_u16() }),
    }
}

fn text(headers: &HeaderMap, name: HeaderName) -> Option<&str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

/// Errors of the library name the address; ours do not.
struct Reader(Response);

impl Read for Reader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read(buffer).map_err(|error| {
            let timed_out = error.kind() == io::ErrorKind::TimedOut
                || error
                    .get_ref()
                    .and_then(|inner| inner.downcast_ref::<reqwest::Error>())
                    .is_some_and(reqwest::Error::is_timeout);
            if timed_out {
                io::Error::new(io::ErrorKind::TimedOut, HttpError::TimedOut)
            } else {
                io::Error::new(error.kind(), "the connection was lost")
            }
        })
    }
}
