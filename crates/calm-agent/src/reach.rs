//! How far requests may go.

use std::sync::atomic::{AtomicU8, Ordering};

use reqwest::Url;

/// How far requests may go.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Reach {
    #[default]
    Anywhere,
    /// Only programs on this machine.
    Loopback,
    /// Offline: no socket is opened at all.
    Nothing,
}

impl Reach {
    pub(crate) fn allows(self, url: &Url) -> bool {
        match self {
            Self::Anywhere => true,
            Self::Loopback => is_loopback(url),
            Self::Nothing => false,
        }
    }
}

/// The switch; it may be thrown while requests run.
#[derive(Debug)]
pub(crate) struct Switch {
    /// What `set_offline(false)` goes back to.
    online: AtomicU8,
    now: AtomicU8,
}

impl Switch {
    pub(crate) fn new(reach: Reach) -> Self {
        let online = if reach == Reach::Nothing { Reach::Anywhere } else { reach };
        Self { online: AtomicU8::new(online as u8), now: AtomicU8::new(reach as u8) }
    }

    pub(crate) fn get(&self) -> Reach {
        reach(self.now.load(Ordering::SeqCst))
    }

    pub(crate) fn set(&self, reach: Reach) {
        if reach != Reach::Nothing {
            self.online.store(reach as u8, Ordering::SeqCst);
        }
        self.now.store(reach as u8, Ordering::SeqCst);
    }

    pub(crate) fn set_offline(&self, offline: bool) {
        self.set(if offline { Reach::Nothing } else { reach(self.online.load(Ordering::SeqCst)) });
    }
}

/// A number nobody stored counts as the strictest.
fn reach(number: u8) -> Reach {
    match number {
        0 => Reach::Anywhere,
        1 => Reach::Loopback,
        _ => Reach::Nothing,
    }
}

/// Whether `url` stays on this machine. `localhost` counts: the client resolves it itself, to loopback only.
pub(crate) fn is_loopback(url: &Url) -> bool {
    let Some(host) = url.host_str() else { return false };
    let host = host.trim_start_matches('[').trim_end_matches(']');
    host == LOCALHOST || host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// Whether a server at `base_url` runs on this machine.
pub fn is_here(base_url: &str) -> bool {
    Url::parse(base_url.trim()).is_ok_and(|url| is_loopback(&url))
}

pub(crate) const LOCALHOST: &str = "localhost";

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::v4("http://127.0.0.1:8080/v1", true)]
    #[case::v4_elsewhere("http://127.8.0.1/", true)]
    #[case::short("http://127.1/", true)]
    #[case::v6("http://[::1]:8080/v1", true)]
    #[case::name("http://LocalHost/v1", true)]
    #[case::all_addresses("http://0.0.0.0/", false)]
    #[case::neighbour("http://192.168.0.5/", false)]
    #[case::looks_like_it("http://127.0.0.1.example.org/", false)]
    #[case::a_name_below("http://x.localhost/", false)]
    fn this_machine(#[case] url: &str, #[case] expected: bool) {
        assert_eq!(is_loopback(&Url::parse(url).expect("an address")), expected);
    }

    #[test]
    fn online_again_means_as_before() {
        let switch = Switch::new(Reach::Loopback);
        switch.set_offline(true);
        assert_eq!(switch.get(), Reach::Nothing);
        switch.set_offline(false);
        assert_eq!(switch.get(), Reach::Loopback);
    }
}
