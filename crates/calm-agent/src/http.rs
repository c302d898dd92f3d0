//! The HTTP clients. Certificates are those that the operating system trusts, proxies those that it names, except on
//! the way to this machine itself.

use std::collections::HashMap;
use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use reqwest::Url;
use reqwest::redirect::Policy;
use tokio::runtime::{Builder, Runtime};

use crate::error::HttpError;
use crate::ledger::{Ledger, Outgoing, Receipt};
use crate::reach::{LOCALHOST, Reach, Switch};

#[derive(Debug, Clone)]
pub struct HttpSettings {
    /// See [`Http::set_reach`].
    pub reach: Reach,
    /// For the connection of a download, TLS included.
    pub connect_timeout: Duration,
    /// The longest silence in a download: before an answer begins, and between two pieces of it. There is no limit to
    /// the whole.
    pub idle_timeout: Duration,
    /// The wait before a model is asked a second time; the next is three times as long.
    pub first_wait: Duration,
}

impl Default for HttpSettings {
    fn default() -> Self {
        Self {
            reach: Reach::Anywhere,
            connect_timeout: Duration::from_secs(15),
            idle_timeout: Duration::from_secs(60),
            first_wait: Duration::from_millis(500),
        }
    }
}

/// One client for the whole program. Blocking: not to be called from an async task.
pub struct Http {
    pub(crate) settings: HttpSettings,
    switch: Switch,
    pub(crate) ledger: Arc<dyn Ledger>,
    /// Made at the first request: they read the system's certificates, which costs tens of milliseconds.
    made: Mutex<Made>,
}

#[derive(Default)]
struct Made {
    runtime: Option<Arc<Runtime>>,
    blocking: HashMap<bool, reqwest::blocking::Client>,
    /// By whether they stay on this machine, and the time-out for the connection.
    clients: HashMap<(bool, Duration), reqwest::Client>,
}

/// Endpoints have a handful of different time-outs at most.
const MOST_CLIENTS: usize = 8;

impl Http {
    pub fn new(settings: HttpSettings, ledger: Arc<dyn Ledger>) -> Self {
        let switch = Switch::new(settings.reach);
        Self { settings, switch, ledger, made: Mutex::default() }
    }

    /// Takes effect at the next request, retries included; an answer that is coming in is not cut.
    pub fn set_reach(&self, reach: Reach) {
        self.switch.set(reach);
    }

    /// [`Reach::Nothing`], or back to what it was before.
    pub fn set_offline(&self, offline: bool) {
        self.switch.set_offline(offline);
    }

    pub fn reach(&self) -> Reach {
        self.switch.get()
    }

    /// For a program that opens sockets of its own (`pip`): refuses unless anything may be reached, and notes it in
    /// the ledger.
    pub fn allow_program(&self, program: &str, what: &str) -> Result<(), HttpError> {
        if self.reach() != Reach::Anywhere {
            return Err(HttpError::Offline);
        }
        self.ledger.about_to_send(&Outgoing::program(program, what))?;
        Ok(())
    }

    pub(crate) fn announce(&self, url: &Url, outgoing: &Outgoing) -> Result<Receipt, HttpError> {
        if !self.reach().allows(url) {
            return Err(HttpError::Offline);
        }
        Ok(self.ledger.about_to_send(outgoing)?)
    }

    pub(crate) fn blocking(&self, loopback: bool) -> Result<reqwest::blocking::Client, HttpError> {
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(client) = made.blocking.get(&loopback) {
            return Ok(client.clone());
        }
        set_up_tls();
        let mut builder = reqwest::blocking::Client::builder()
            .user_agent(USER_AGENT)
            .connect_timeout(self.settings.connect_timeout)
            .timeout(self.settings.idle_timeout)
            .redirect(Policy::none());
        if loopback {
            builder = builder.no_proxy().resolve_to_addrs(LOCALHOST, &this_machine());
        }
        let client = builder.build()?;
        made.blocking.insert(loopback, client.clone());
        Ok(client)
    }

    pub(crate) fn client(&self, loopback: bool, connect: Duration) -> Result<reqwest::Client, HttpError> {
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(client) = made.clients.get(&(loopback, connect)) {
            return Ok(client.clone());
        }
        set_up_tls();
        // One request is one row in the ledger: the library neither follows nor repeats anything by itself.
        let mut builder = reqwest::Client::builder()
            .user_agent(USER_AGENT)
            .connect_timeout(connect)
            .redirect(Policy::none())
            .retry(reqwest::retry::never());
        if loopback {
            builder = builder.no_proxy().resolve_to_addrs(LOCALHOST, &this_machine());
        }
        let client = builder.build()?;
        if made.clients.len() >= MOST_CLIENTS {
            made.clients.clear();
        }
        made.clients.insert((loopback, connect), client.clone());
        Ok(client)
    }

    /// Drives the connections while the caller waits on its own thread.
    pub(crate) fn runtime(&self) -> Result<Arc<Runtime>, HttpError> {
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(runtime) = &made.runtime {
            return Ok(Arc::clone(runtime));
        }
        let runtime = Builder::new_multi_thread().worker_threads(1).thread_name("calm-agent").enable_all().build();
        let runtime = Arc::new(runtime.map_err(|error| HttpError::Setup(error.to_string()))?);
        made.runtime = Some(Arc::clone(&runtime));
        Ok(runtime)
    }
}

impl Drop for Http {
    fn drop(&mut self) {
        let made = self.made.get_mut().unwrap_or_else(PoisonError::into_inner);
        if let Some(runtime) = made.runtime.take().and_then(Arc::into_inner) {
            // A name that is still being looked up must not hold up the end of the program.
            runtime.shutdown_background();
        }
    }
}

impl fmt::Debug for Http {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Http").field("settings", &self.settings).field("reach", &self.reach()).finish_non_exhaustive()
    }
}

const USER_AGENT: &str = concat!("calmtrader/", env!("CARGO_PKG_VERSION"));

/// What `localhost` means, whatever the system's list of hosts says. The port is that of the address.
fn this_machine() -> [SocketAddr; 2] {
    [IpAddr::V4(Ipv4Addr::LOCALHOST), IpAddr::V6(Ipv6Addr::LOCALHOST)].map(|address| SocketAddr::new(address, 0))
}

/// Already installed is as good: somebody else in the process was first.
fn set_up_tls() {
    if rustls::crypto::ring::default_provider().install_default().is_err() {
        tracing::debug!("a provider of cryptography is already installed");
    }
}
