//! Where a model answers, and what that server can do.

use std::fmt;
use std::time::Duration;

use reqwest::Url;
use reqwest::header::HeaderValue;
use serde::{Deserialize, Serialize};
use zeroize::Zeroizing;

use crate::error::EndpointError;
use crate::reach::is_loopback;

/// A server that speaks the OpenAI chat API.
#[derive(Debug, Clone)]
pub struct Endpoint {
    /// The user's name for it; it leaves the machine nowhere.
    pub name: String,
    /// Up to and with the version: `http://127.0.0.1:11434/v1`.
    pub base_url: String,
    pub model: String,
    pub key: Option<ApiKey>,
    pub tools: ToolMode,
    /// Whether to ask for the reply piece by piece.
    pub streaming: bool,
    /// Whether to ask for `response_format` where a schema is given.
    pub json_schema: bool,
    /// The model's whole window, in tokens; `None` sends every message.
    pub context_tokens: Option<u32>,
    pub timeouts: Timeouts,
    /// `None` leaves it to the server.
    pub temperature: Option<f32>,
    /// Longest reply, in tokens, reasoning included; `None` leaves it to the server.
    pub max_tokens: Option<u32>,
    /// What earlier answers taught; `Completion::learned` is the next value.
    pub learned: Learned,
}

/// How calls of tools travel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolMode {
    /// In the API's own field. Calls written as text are read all the same.
    #[default]
    Native,
    /// As JSON in the reply: the prompt explains it, the request names no tools.
    Text,
}

/// Limits of patience.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timeouts {
    /// For the connection, TLS included.
    pub connect: Duration,
    /// From sending to the first token, reasoning included. Without streaming only `whole` counts.
    pub first_token: Duration,
    /// The longest silence between two pieces.
    pub idle: Duration,
    /// For all of it: retries, waits and fallbacks.
    pub whole: Duration,
}

impl Default for Timeouts {
    /// A small model on a laptop reads a long prompt for many seconds before it says a word.
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(5),
            first_token: Duration::from_secs(30),
            idle: Duration::from_secs(15),
            whole: Duration::from_secs(120),
        }
    }
}

/// What a server turned out to refuse or do, kept so that the next request does not find it out again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Learned {
    pub reasoning: Reasoning,
    /// It refuses the field `tools`.
    pub no_tools: bool,
    /// It refuses `response_format`.
    pub no_schema: bool,
    /// Its streamed replies come without the calls or without anything.
    pub no_streaming: bool,
    /// It refuses `temperature`.
    pub no_temperature: bool,
    /// It wants `max_completion_tokens` in place of `max_tokens`.
    pub max_completion_tokens: bool,
}

/// Where the model's reasoning begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reasoning {
    /// Nothing is known: the first reply is held back to its end, so that reasoning without an opening tag, as some
    /// chat templates leave it, is never shown.
    #[default]
    Unknown,
    /// None, or between tags that are both in the reply: text is handed on as it comes.
    Marked,
    /// The template opens it, the reply only closes it: text is held back until it does.
    Implicit,
}

/// A secret. Neither `Debug` nor any error shows it, and its memory is wiped.
#[derive(Clone)]
pub struct ApiKey(Zeroizing<String>);

impl ApiKey {
    pub fn new(key: String) -> Self {
        Self(Zeroizing::new(key))
    }

    /// # Errors
    /// A key with a line break or another letter that no header may hold.
    fn header(&self) -> Result<HeaderValue, EndpointError> {
        let bearer = Zeroizing::new(format!("Bearer {}", self.0.trim()));
        let mut value = HeaderValue::from_str(&bearer).map_err(|_| EndpointError::UnsafeKey)?;
        value.set_sensitive(true);
        Ok(value)
    }
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ApiKey(…)")
    }
}

/// `base_url` with `path` behind it.
///
/// # Errors
/// [`EndpointError::Address`] when it is no address of a web server, or hides a password.
pub(crate) fn address(base_url: &str, path: &str) -> Result<Url, EndpointError> {
    let mut url = Url::parse(base_url.trim()).map_err(|_| EndpointError::Address)?;
    let odd = !matches!(url.scheme(), "http" | "https") || !url.has_host() || url.cannot_be_a_base();
    if odd || !url.username().is_empty() || url.password().is_some() {
        return Err(EndpointError::Address);
    }
    let base = url.path().trim_end_matches('/').to_owned();
    url.set_path(&format!("{base}/{path}"));
    url.set_fragment(None);
    Ok(url)
}

/// The header that carries `key` to `url`, if there is a key.
///
/// # Errors
/// [`EndpointError::UnsafeKey`] where others on the way could read it.
pub(crate) fn authorization(url: &Url, key: Option<&ApiKey>) -> Result<Option<HeaderValue>, EndpointError> {
    let Some(key) = key.filter(|key| !key.0.trim().is_empty()) else { return Ok(None) };
    if url.scheme() != "https" && !is_loopback(url) {
        return Err(EndpointError::UnsafeKey);
    }
    key.header().map(Some)
}
