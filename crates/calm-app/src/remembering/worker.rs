//! Memory's thread: one job after the other, on a connection of its own.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use calm_core::Lang;
use calm_core::contour::{Topic, figures};
use calm_core::understand;
use calm_memory::{Embedding, Index, Query};
use calm_store::{
    Experience, ExperienceId, Experienced, Kept, MemoryKind, MemorySource, NewMemory, Remembered, Secrets, Store,
    StoreError, UnrememberedTurn,
};
use jiff::{SignedDuration, Timestamp};

use super::reader::{MODEL, Reader};
use super::recalling::{self, LOOKED_AT, MOST, Recalled};
use super::{Ask, Job, Shared, learning, patterns, told};
use crate::error::AppError;
use crate::knowledge::search_stems;
use crate::searching;

/// Turns learned from between two jobs, so that a question does not wait behind a year of them.
const A_FEW: u32 = 8;
/// A turn is learned from when nothing has been said for so long: until then the disk belongs to the talk.
const QUIET: Duration = Duration::from_millis(200);
/// A topic stays one of risk so long after the last reply that missed.
const RISKY: SignedDuration = SignedDuration::from_hours(30 * 24);
const MOST_RISKS: usize = 5;

pub struct Worker {
    data: PathBuf,
    secrets: Secrets,
    shared: Arc<Shared>,
    began: Instant,
    reader: Reader,
    /// Opened with the first job.
    store: Option<Store>,
    index: Index,
    indexed: bool,
    /// Turns may be waiting to be learned from.
    behind: bool,
    /// Not before this moment.
    quiet_at: Instant,
    /// Experiences may be waiting for their embedding.
    unread: bool,
    now: Timestamp,
}

impl Worker {
    pub fn new(data: PathBuf, models: PathBuf, secrets: Secrets, shared: Arc<Shared>, began: Instant) -> Worker {
        Worker {
            data,
            secrets,
            shared,
            began,
            reader: Reader::new(models),
            store: None,
            index: Index::new(),
            indexed: false,
            behind: false,
            quiet_at: began,
            unread: true,
            now: Timestamp::UNIX_EPOCH,
        }
    }

    /// Until nobody can ask any more.
    pub fn run(mut self, jobs: &Receiver<Job>) {
        loop {
            let job = match self.pause() {
                Some(pause) => match jobs.recv_timeout(pause) {
                    Ok(job) => Some(job),
                    Err(RecvTimeoutError::Timeout) => None,
                    Err(RecvTimeoutError::Disconnected) => return,
                },
                None => match jobs.recv() {
                    Ok(job) => Some(job),
                    Err(_) => return,
                },
            };
            let done = match job {
                Some(job) => self.perform(job),
                None => self.go_on(),
            };
            if let Err(error) = done {
                tracing::warn!(%error, "memory passes over something; the talk is untouched");
                // Not again and again: the next turn wakes it.
                (self.behind, self.unread) = (false, false);
            }
        }
    }

    /// How long there is nothing to do.
    fn pause(&self) -> Option<Duration> {
        let unread = self.unread && self.reader.is_ready() && self.store.is_some();
        let waiting = (self.behind || unread).then(|| self.quiet_at.saturating_duration_since(Instant::now()));
        [waiting, self.reader.next()].into_iter().flatten().min()
    }

    fn perform(&mut self, job: Job) -> Result<(), AppError> {
        self.quiet_at = Instant::now() + QUIET;
        match job {
            Job::Prepare { now } => {
                self.now = now;
                self.reader.expect();
                self.behind = true;
                self.publish()?;
                self.read_index()
            }
            Job::Recall { ask, answer } => {
                self.now = ask.now;
                self.reader.expect();
                self.read_index()?;
                let (found, familiarity) = self.recall(&ask)?;
                // Whoever asked may have gone on without it.
                answer.send(found).ok();
                if let Some(familiarity) = familiarity {
                    self.shared.known().familiarity.fill(ask.session, familiarity, self.began.elapsed());
                }
                Ok(())
            }
            Job::Learn { now } => {
                self.now = now;
                self.behind = true;
                Ok(())
            }
            Job::Consolidate { now } => {
                self.now = now;
                self.catch_up()?;
                patterns::consolidate(self.store()?)?;
                // Here, because nobody waits for this thread: the sound of the session goes from the log too.
                if !self.store()?.empty_log()? {
                    tracing::debug!("the log is in use: it is emptied after the next session");
                }
                Ok(())
            }
            Job::ReadAgain => {
                self.indexed = false;
                (self.index, self.unread) = (Index::new(), true);
                self.publish()
            }
            Job::Settled(done) => {
                let caught_up = self.catch_up();
                done.send(()).ok();
                caught_up
            }
        }
    }

    /// A little of what is waiting.
    fn go_on(&mut self) -> Result<(), AppError> {
        if self.reader.turn() {
            self.unread = true;
        }
        if self.quiet_at > Instant::now() {
            return Ok(());
        }
        if self.behind {
            return self.learn(A_FEW);
        }
        if self.unread && self.reader.is_ready() && self.store.is_some() {
            return self.read_unread();
        }
        Ok(())
    }

    fn store(&mut self) -> Result<&mut Store, AppError> {
        if self.store.is_none() {
            self.store = Some(Store::open(&self.data, self.secrets)?);
        }
        self.store.as_mut().ok_or(AppError::NoDataFolder)
    }

    fn catch_up(&mut self) -> Result<(), AppError> {
        while self.behind {
            self.learn(A_FEW)?;
        }
        Ok(())
    }

    fn learn(&mut self, at_most: u32) -> Result<(), AppError> {
        let turns = self.store()?.unremembered_turns(at_most)?;
        self.behind = turns.len() as u32 == at_most;
        if turns.is_empty() {
            return Ok(());
        }
        self.read_index()?;
        for turn in &turns {
            match self.remember(turn) {
                // The session was deleted a moment ago.
                Err(AppError::Store(StoreError::NotFound(_))) => {}
                done => done?,
            }
        }
        self.publish()
    }

    fn remember(&mut self, turn: &UnrememberedTurn) -> Result<(), AppError> {
        let trust = self.store()?.user_model()?.trust as f32;
        let lesson = learning::of(turn, trust);
        let terms = search_stems(&turn.user_text);
        let embedding = if lesson.is_experience { self.reader.embed(&turn.user_text) } else { None };
        let query = Query { embedding: embedding.as_ref(), terms: &terms };
        let experience = if !lesson.is_experience {
            Experienced::Nothing
        } else if let Some(id) = self.known_already(&query, turn)? {
            Experienced::MergeInto(id)
        } else {
            Experienced::New { embedding: embedding.as_ref().map(stored) }
        };
        let topic = lesson.topic.map(|topic| topic.name().to_owned());
        let is_new = matches!(experience, Experienced::New { .. });
        let stems = searching::stems_of(&turn.user_text, &turn.reply_text);
        let what = Remembered { experience, topic, scored: lesson.scored, stems };
        let kept = self.store()?.remember(turn.id, &what)?;
        if let Kept::Experience(id) = kept
            && is_new
        {
            self.unread |= embedding.is_none();
            let weight = recalling::weight(turn.at, false, self.now);
            self.index.insert(number(id), embedding.as_ref(), &terms, weight);
        }
        self.keep_what_was_told(turn)
    }

    /// An experience that says the same. A memory shows the words of its first day, so other numbers are another memory.
    fn known_already(&mut self, query: &Query<'_>, turn: &UnrememberedTurn) -> Result<Option<ExperienceId>, AppError> {
        let Some(id) = self.index.nearest_duplicate(query).and_then(|id| i64::try_from(id).ok()) else {
            return Ok(None);
        };
        let known = self.store()?.experience(id.into())?;
        let numbers = |text: &str, lang: Lang| figures(&understand::read(text, lang, None));
        let same =
            |known: &Experience| numbers(&known.situation, known.language) == numbers(&turn.user_text, turn.language);
        Ok(known.filter(same).map(|known| known.id))
    }

    fn keep_what_was_told(&mut self, turn: &UnrememberedTurn) -> Result<(), AppError> {
        let Some(words) = understand::to_remember(&turn.user_text, turn.language) else { return Ok(()) };
        let source = MemorySource { session: turn.session, seq: Some(turn.seq), at: turn.at };
        self.store()?.upsert_memory(&NewMemory {
            key: told::key(&words),
            kind: MemoryKind::Told,
            data: serde_json::json!({"language": turn.language}),
            text: Some(words),
            confidence: 1.0,
            n: 1,
            sources: vec![source],
        })?;
        Ok(())
    }

    /// Reads every experience into the index, once.
    fn read_index(&mut self) -> Result<(), AppError> {
        if self.indexed {
            return Ok(());
        }
        let now = self.now;
        let mut index = Index::new();
        self.store()?.for_each_experience(|row| {
            let current = row.embedding_model == Some(MODEL);
            let embedding = row.embedding.filter(|_| current).and_then(Embedding::from_bytes);
            let weight = recalling::weight(row.last_at, row.pinned, now);
            index.insert(number(row.id), embedding.as_ref(), &search_stems(row.situation), weight);
        })?;
        (self.index, self.indexed) = (index, true);
        Ok(())
    }

    /// Gives a few of the older experiences the embedding that they lack.
    fn read_unread(&mut self) -> Result<(), AppError> {
        let unread = self.store()?.experiences_without_embedding(MODEL, A_FEW)?;
        self.unread = !unread.is_empty();
        for experience in &unread {
            let Some(embedding) = self.reader.embed(&experience.situation) else { return Ok(()) };
            if self.store()?.set_embedding(experience, &stored(&embedding))? && self.indexed {
                let terms = search_stems(&experience.situation);
                self.index.insert(number(experience.id), Some(&embedding), &terms, 1.0);
            }
        }
        Ok(())
    }

    fn recall(&mut self, ask: &Ask) -> Result<(Vec<Recalled>, Option<f32>), AppError> {
        let terms = search_stems(&ask.text);
        let embedding = self.reader.embed(&ask.text);
        let query = Query { embedding: embedding.as_ref(), terms: &terms };
        let matches = self.index.search(&query, LOOKED_AT);
        let mut found = Vec::new();
        for one in matches {
            if found.len() == MOST {
                break;
            }
            let Ok(id) = i64::try_from(one.id) else { continue };
            found.extend(recalling::recalled(self.store()?, id.into(), ask.session)?);
        }
        let familiarity = ask.fill.then(|| self.index.familiarity(&query));
        Ok((found, familiarity))
    }

    /// What every turn wants to know at once.
    fn publish(&mut self) -> Result<(), AppError> {
        let now = self.now;
        let store = self.store()?;
        let trust = store.user_model()?.trust as f32;
        let mut risks = Vec::new();
        for lang in Lang::ALL {
            let recent =
                |figures: &calm_store::LessonFigures| figures.pinned || now.duration_since(figures.last_at) < RISKY;
            let names = store.risk_topics(lang, MOST_RISKS, recent)?;
            risks.push((lang, names.iter().filter_map(|name| Topic::named(name)).collect()));
        }
        let mut known = self.shared.known();
        (known.trust, known.risk_topics) = (Some(trust), risks);
        Ok(())
    }
}

fn stored(embedding: &Embedding) -> calm_store::Embedding {
    calm_store::Embedding { model: MODEL.to_owned(), bytes: embedding.to_bytes().to_vec() }
}

fn number(id: calm_store::ExperienceId) -> u64 {
    i64::from(id).unsigned_abs()
}
