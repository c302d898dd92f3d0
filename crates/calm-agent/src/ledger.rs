//! What is about to leave the machine, in a form that the user can be shown.

use std::sync::Arc;

use reqwest::Url;

/// Told of every request before it leaves, and of the answer's status.
pub trait Ledger: Send + Sync {
    /// # Errors
    /// When it could not be written down; the request does not leave then.
    fn about_to_send(&self, outgoing: &Outgoing) -> Result<Receipt, NotRecorded>;

    /// Only for requests that were answered.
    fn answered(&self, receipt: Receipt, status: u16);
}

/// The ledger's own name for a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Receipt(pub i64);

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the ledger could not be written")]
pub struct NotRecorded;

/// One request.
#[derive(Clone, PartialEq, Eq)]
pub struct Outgoing {
    /// `GET`, `POST`, or the name of a program that sends on our behalf (`pip`).
    pub method: String,
    /// Where to. Names of query parameters stay, their values and any password do not. For a program: what it fetches.
    pub url: String,
    /// Exactly what is sent after the headers; empty for a download.
    pub body: Arc<[u8]>,
    /// Names of what the body holds about the user; empty for a download.
    pub fields: Vec<String>,
}

/// Without the body: it holds what the user said.
impl std::fmt::Debug for Outgoing {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Outgoing")
            .field("method", &self.method)
            .field("url", &self.url)
            .field("bytes", &self.body.len())
            .field("fields", &self.fields)
            .finish()
    }
}

impl Outgoing {
    pub(crate) fn get(url: &Url) -> Self {
        Self { method: "GET".to_owned(), url: without_secrets(url), body: Arc::default(), fields: Vec::new() }
    }

    pub(crate) fn post(url: &Url, body: Arc<[u8]>, fields: &[&str]) -> Self {
        let fields = fields.iter().map(|&field| field.to_owned()).collect();
        Self { method: "POST".to_owned(), url: without_secrets(url), body, fields }
    }

    pub(crate) fn program(program: &str, what: &str) -> Self {
        Self { method: program.to_owned(), url: what.to_owned(), body: Arc::default(), fields: Vec::new() }
    }
}
/// Signed addresses and API keys hide in the query and before the host's name.
fn without_secrets(url: &Url) -> String {
    let mut shown = format!("{}://{}", url.scheme(), url.host_str().unwrap_or_default());
    if let Some(port) = url.port() {
        shown.push_str(&format!(":{port}"));
    }
    shown.push_str(url.path());
    for (index, (name, _)) in url.query_pairs().enumerate() {
        shown.push(if index == 0 { '?' } else { '&' });
        shown.push_str(&name);
        shown.push_str("=…");
    }
    shown
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::plain("https://example.org/a/b.bin", "https://example.org/a/b.bin")]
    #[case::signed("https://example.org/b?sig=s3cret&x=1", "https://example.org/b?sig=…&x=…")]
    #[case::password("https://me:s3cret@example.org:8443/b#s3cret", "https://example.org:8443/b")]
    fn an_address_is_shown_without_secrets(#[case] url: &str, #[case] shown: &str) {
        assert_eq!(without_secrets(&Url::parse(url).expect("an address")), shown);
    }
}
