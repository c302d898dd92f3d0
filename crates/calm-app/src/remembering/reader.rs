//! The sentence encoder, read from its files when somebody talks and let go when nobody does.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, TryRecvError, channel};
use std::time::{Duration, Instant};

use calm_memory::{Embedding, Encoder};
use calm_models::Models;

use crate::error::AppError;

/// Names what made an embedding: those of two encoders cannot be compared.
pub const MODEL: &str = "sentence-encoder";
/// A script is over before the encoder would have been read.
const SOON: Duration = Duration::from_millis(300);
/// Its hundred megabytes are let go after a while without a word.
const IDLE: Duration = Duration::from_secs(180);

pub struct Reader {
    models: PathBuf,
    state: State,
}

enum State {
    Resting,
    /// Somebody talks; the files are read a little later.
    Soon(Instant),
    Reading(Receiver<Option<Encoder>>),
    Ready(Box<Encoder>, Instant),
    /// Not installed, or damaged. Words are compared by their stems then.
    Missing,
}

impl Reader {
    pub fn new(models: PathBuf) -> Reader {
        Reader { models, state: State::Resting }
    }

    /// Somebody begins to talk.
    pub fn expect(&mut self) {
        if let State::Resting = self.state {
            self.state = State::Soon(Instant::now() + SOON);
        }
    }

    /// How long the thread may sleep before [`Reader::turn`] has something to do; `None` for as long as it likes.
    pub fn next(&self) -> Option<Duration> {
        let until = |at: Instant| at.saturating_duration_since(Instant::now());
        match &self.state {
            State::Resting | State::Missing => None,
            State::Soon(at) => Some(until(*at)),
            State::Reading(_) => Some(Duration::from_millis(20)),
            State::Ready(_, used) => Some(until(*used + IDLE)),
        }
    }

    /// Goes on with whatever is due; true when the encoder has just become ready.
    pub fn turn(&mut self) -> bool {
        match &self.state {
            State::Soon(at) if *at <= Instant::now() => self.state = read(&self.models),
            State::Ready(_, used) if used.elapsed() >= IDLE => self.state = State::Resting,
            State::Reading(read) => match read.try_recv() {
                Ok(Some(encoder)) => {
                    self.state = State::Ready(Box::new(encoder), Instant::now());
                    return true;
                }
                Ok(None) | Err(TryRecvError::Disconnected) => self.state = State::Missing,
                Err(TryRecvError::Empty) => {}
            },
            State::Resting | State::Missing | State::Soon(_) | State::Ready(..) => {}
        }
        false
    }

    /// `None` while the encoder is not there.
    pub fn embed(&mut self, text: &str) -> Option<Embedding> {
        let State::Ready(encoder, used) = &mut self.state else { return None };
        *used = Instant::now();
        Some(encoder.encode(text))
    }

    pub fn is_ready(&self) -> bool {
        matches!(self.state, State::Ready(..))
    }
}

/// On a thread of its own: it takes a few tenths of a second, and a question may come meanwhile.
fn read(models: &Path) -> State {
    let models = models.to_owned();
    let (read, encoder) = channel();
    let body = move || {
        let made =
            load(&models).inspect_err(|error| tracing::info!(%error, "memories are compared by their words")).ok();
        // Nobody waits where the program has ended meanwhile.
        read.send(made).ok();
    };
    match std::thread::Builder::new().name("encoder".to_owned()).spawn(body) {
        Ok(_) => State::Reading(encoder),
        Err(_) => State::Missing,
    }
}

fn load(models: &Path) -> Result<Encoder, AppError> {
    let weights = Models::open(models).path(MODEL)?;
    let read = |path: &Path| std::fs::read(path).map_err(AppError::Folder);
    Ok(Encoder::new(&read(&weights)?, &read(&weights.with_extension("model"))?)?)
}
