//! What is about to leave the machine, in a form that the user can be shown.

use reqwest::Url;

/// Told of every request before it leaves.
pub trait Ledger: Send + Sync {
    fn about_to_send(&self, outgoing: &Outgoing);
}

/// One request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outgoing {
    /// `GET`, `POST`, or the name of a program that sends on our behalf (`pip`).
    pub method: String,
    /// Where to. Names of query parameters stay, their values and any password do not. For a program: what it fetches.
    pub url: String,
    /// Length of the body.
    pub bytes: u64,
    /// Names of what the body holds about the user; empty for a download.
    pub fields: Vec<String>,
}

impl Outgoing {
    pub(crate) fn download(url: &Url) -> Self {
        Self { method: "GET".to_owned(), url: without_secrets(url), bytes: 0, fields: Vec::new() }
    }

    pub(crate) fn program(program: &str, what: &str) -> Self {
        Self { method: program.to_owned(), url: what.to_owned(), bytes: 0, fields: Vec::new() }
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
