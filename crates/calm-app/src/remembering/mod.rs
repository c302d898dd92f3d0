//! Long-term memory, behind the talk: a thread of its own learns from turns that are written, and recalls (SPEC M2, C3).
//!
//! No reply waits for it longer than [`PATIENCE`], and nothing that goes wrong here touches a session.

mod learning;
mod patterns;
mod reader;
pub(crate) mod recalling;
pub(crate) mod sentences;
mod told;
mod worker;

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use calm_core::Lang;
use calm_core::contour::{FamiliarityCache, Mind, Topic};
use calm_store::{Secrets, SessionId};
use jiff::Timestamp;

use crate::clock::Clock;
use crate::paths::Paths;

pub(crate) use reader::MODEL;
pub use recalling::Recalled;
pub(crate) use sentences::known_patterns;

use worker::Worker;

/// How long a reply waits for what is recalled. What comes later serves the next one.
const PATIENCE: Duration = Duration::from_millis(5);
/// A script that says what time it is has all the time it needs, and gets the same answer every time.
const PATIENCE_OF_A_SCRIPT: Duration = Duration::from_secs(10);
/// How long a process that ends waits for the last turns to be learned; the rest is learned at the next start.
const FAREWELL: Duration = Duration::from_secs(2);

/// The hold that a conductor has on memory.
pub(crate) struct Memory {
    jobs: Sender<Job>,
    shared: Arc<Shared>,
    worker: Option<JoinHandle<()>>,
    began: Instant,
    patience: Duration,
}

/// What the thread is to do next.
enum Job {
    /// A session begins: read what is known, so that the first words find it.
    Prepare {
        now: Timestamp,
    },
    Recall {
        ask: Ask,
        answer: Sender<Vec<Recalled>>,
    },
    /// A turn was written.
    Learn {
        now: Timestamp,
    },
    /// A session has ended: look for what repeats itself.
    Consolidate {
        now: Timestamp,
    },
    /// The user has changed what is remembered.
    ReadAgain,
    /// Everything before this is done.
    Settled(Sender<()>),
}

/// Words that are to be looked for.
struct Ask {
    text: String,
    session: SessionId,
    now: Timestamp,
    /// The thread's familiarity is wanted too.
    fill: bool,
}

/// What the thread leaves for everybody to read at once.
#[derive(Default)]
struct Shared(Mutex<Known>);

#[derive(Default)]
struct Known {
    familiarity: FamiliarityCache<SessionId>,
    trust: Option<f32>,
    risk_topics: Vec<(Lang, Vec<Topic>)>,
}

impl Shared {
    fn known(&self) -> MutexGuard<'_, Known> {
        // A thread that died left whole values behind.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Memory {
    /// Nothing is read before the first job.
    pub fn of(paths: &Paths, secrets: Secrets, clock: &Clock) -> Memory {
        let (data, models) = (paths.data.clone(), paths.models.clone());
        let patience = if matches!(clock, Clock::System) { PATIENCE } else { PATIENCE_OF_A_SCRIPT };
        let (jobs, waiting): (Sender<Job>, Receiver<Job>) = channel();
        let shared = Arc::new(Shared::default());
        let began = Instant::now();
        let known = Arc::clone(&shared);
        let body = move || Worker::new(data, models, secrets, known, began).run(&waiting);
        let worker = std::thread::Builder::new().name("memory".to_owned()).spawn(body);
        let worker = worker.inspect_err(|error| tracing::warn!(%error, "nothing will be remembered")).ok();
        Memory { jobs, shared, worker, began, patience }
    }

    pub fn prepare(&self, now: Timestamp) {
        self.send(Job::Prepare { now });
    }

    pub fn learn(&self, now: Timestamp) {
        self.send(Job::Learn { now });
    }

    pub fn consolidate(&self, now: Timestamp) {
        self.send(Job::Consolidate { now });
    }

    pub fn read_again(&self) {
        self.shared.known().familiarity.clear();
        self.send(Job::ReadAgain);
    }

    /// What is known before the words are read, and the experiences that are like them, where they come in time.
    pub fn recall(&self, text: &str, session: SessionId, language: Lang, now: Timestamp) -> (Mind, Vec<Recalled>) {
        let (mind, fill) = self.mind(language, session);
        let (answer, answered) = channel();
        let ask = Ask { text: text.to_owned(), session, now, fill };
        self.send(Job::Recall { ask, answer });
        (mind, answered.recv_timeout(self.patience).unwrap_or_default())
    }

    fn mind(&self, language: Lang, session: SessionId) -> (Mind, bool) {
        let mut known = self.shared.known();
        let (familiarity, fill) = known.familiarity.get(session, self.began.elapsed());
        let of_language = known.risk_topics.iter().find(|(lang, _)| *lang == language);
        let risk_topics = of_language.map(|(_, topics)| topics.clone()).unwrap_or_default();
        let trust = known.trust.unwrap_or(Mind::default().trust);
        (Mind { familiarity, trust, risk_topics }, fill)
    }

    /// Waits until everything that was asked for is done; false where it takes longer than `patience`.
    pub fn settle(&self, patience: Duration) -> bool {
        let (settled, waiting) = channel();
        self.send(Job::Settled(settled));
        waiting.recv_timeout(patience).is_ok()
    }

    fn send(&self, job: Job) {
        // Without its thread memory is silent; the log said why.
        self.jobs.send(job).ok();
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        let done = self.settle(FAREWELL);
        // The thread ends with the last sender.
        let (nobody, _) = channel();
        self.jobs = nobody;
        if let Some(worker) = self.worker.take().filter(|_| done)
            && worker.join().is_err()
        {
            tracing::warn!("memory broke off; what was said is learned at the next start");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    /// Nobody answers, as where the thread hangs on a slow disk.
    fn silent() -> (Memory, Receiver<Job>) {
        let (jobs, waiting) = channel();
        let (shared, began) = (Arc::new(Shared::default()), Instant::now());
        (Memory { jobs, shared, worker: None, began, patience: Duration::ZERO }, waiting)
    }

    #[test]
    fn a_memory_that_does_not_answer_is_not_waited_for() {
        let (memory, waiting) = silent();
        let (mind, recalled) = memory.recall("двигал стоп", SessionId::from(1), Lang::Ru, Timestamp::UNIX_EPOCH);
        assert_eq!((mind, recalled), (Mind::default(), Vec::new()));
        let Ok(Job::Recall { ask, answer }) = waiting.recv() else { panic!("nobody was sent searching") };
        assert!(ask.fill);
        // Whoever answers too late does no harm.
        assert!(answer.send(Vec::new()).is_err());
        std::mem::forget(memory);
    }

    #[test]
    fn what_was_found_late_serves_the_next_turn() {
        let (memory, _waiting) = silent();
        let session = SessionId::from(1);
        memory.recall("двигал стоп", session, Lang::Ru, Timestamp::UNIX_EPOCH);
        memory.shared.known().familiarity.fill(session, 0.9, memory.began.elapsed());
        let (mind, _) = memory.recall("ещё раз", session, Lang::Ru, Timestamp::UNIX_EPOCH);
        assert_eq!(mind.familiarity, 0.9);
        std::mem::forget(memory);
    }
}
