//! Fetching one small file over the network room, with every request in the ledger before it leaves.

use std::io::Read;
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use std::{sync::Arc, thread};

use calm_agent::{Http, HttpError, HttpSettings, Ledger, Outgoing};
use calm_store::{LedgerRow, Store};
use jiff::Timestamp;

const SETTINGS: HttpSettings =
    HttpSettings { offline: false, connect_timeout: Duration::from_secs(5), idle_timeout: Duration::from_secs(8) };
/// For the whole of it: a talk is waiting.
const PATIENCE: Duration = Duration::from_secs(15);

#[derive(Debug, thiserror::Error)]
pub enum FetchError {
    #[error(transparent)]
    Http(#[from] HttpError),
    #[error("the connection was lost")]
    Lost,
    #[error("it is larger than {most} bytes")]
    TooLarge { most: usize },
    #[error("it takes too long")]
    Slow,
}

/// The file at `address`, at most `most` bytes of it.
///
/// The request runs on a thread of its own, so that the store, which only this one has, can write the ledger first.
pub fn fetch(store: &mut Store, now: Timestamp, address: &str, most: usize) -> Result<Vec<u8>, FetchError> {
    let (announce, announced) = mpsc::channel();
    let http = Http::new(SETTINGS, Arc::new(Announcing(Mutex::new(announce))));
    thread::scope(|scope| {
        // The client goes with the thread, and the channel with the client: the loop below ends.
        let body = scope.spawn(move || download(&http, address, most));
        write_down(store, now, &announced);
        body.join().unwrap_or(Err(FetchError::Lost))
    })
}

fn write_down(store: &mut Store, at: Timestamp, announced: &Receiver<(Outgoing, Sender<()>)>) {
    for (outgoing, written) in announced {
        let row =
            LedgerRow { at, method: outgoing.method, url: outgoing.url, fields: outgoing.fields, body: Vec::new() };
        match store.write_ledger(&row) {
            Ok(_) => {
                written.send(()).ok();
            }
            // Unwritten, so unsent: the other side hears that nobody answers.
            Err(error) => tracing::warn!(%error, "a request could not be written down"),
        }
    }
}

struct Announcing(Mutex<Sender<(Outgoing, Sender<()>)>>);

impl Ledger for Announcing {
    fn about_to_send(&self, outgoing: &Outgoing) {
        let (written, wait) = mpsc::channel();
        let sent = self.0.lock().unwrap_or_else(PoisonError::into_inner).send((outgoing.clone(), written));
        if sent.is_err() || wait.recv().is_err() {
            tracing::warn!("a request leaves without a line in the ledger");
        }
    }
}

fn download(http: &Http, address: &str, most: usize) -> Result<Vec<u8>, FetchError> {
    let started = Instant::now();
    let download = http.get_range(address, 0)?;
    let limit = u64::try_from(most).unwrap_or(u64::MAX);
    if download.total.is_some_and(|total| total > limit) {
        return Err(FetchError::TooLarge { most });
    }
    let mut reader = download.into_reader();
    let (mut body, mut piece) = (Vec::new(), vec![0; 64 * 1024]);
    loop {
        match reader.read(&mut piece) {
            Ok(0) => return Ok(body),
            Ok(n) => body.extend_from_slice(piece.get(..n).unwrap_or_default()),
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(_) => return Err(FetchError::Lost),
        }
        if body.len() > most {
            return Err(FetchError::TooLarge { most });
        }
        if started.elapsed() > PATIENCE {
            return Err(FetchError::Slow);
        }
    }
}
