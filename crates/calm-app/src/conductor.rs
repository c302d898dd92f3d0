//! One session at a time: begins it, takes turns, ends it exactly once.
//!
//! A turn is committed before anything about it is reported, so what a door has shown is
//! in the database whatever happens next. A session that was cut off is rebuilt by
//! replaying its turns through the same pure rules.

use std::sync::Arc;

use calm_agent::{Endpoint, Http, HttpSettings, Reach};
use calm_core::turn::MOVE_KEYS;
use calm_core::{Deltas, EndSession, Event, Format, Kind, Lang, Question, SessionContext, VoiceAnalysis};
use calm_prompts::PromptSet;
use calm_store::{ApiKeys, Heard, NewSession, PromptStamp, Secrets, SessionId, Store};
use jiff::Timestamp;
use jiff::civil::Date;
use serde_json::Value;

use crate::affect;
use crate::backend::{self, GUIDE, Server};
use crate::clock::Clock;
use crate::composing::{self, Utterance};
use crate::ears::Spoken;
use crate::error::AppError;
use crate::events::AppEvent;
use crate::exporting::unfinished;
use crate::forgetting;
use crate::knowledge;
use crate::ledger::StoreLedger;
use crate::paths::{Paths, system_language};
use crate::prompting::{self, Blocks, Current};
use crate::recordings;
use crate::remembering::Memory;
use crate::running::{Around, Running, SessionLock};
use crate::settings::Settings;
use crate::talking::{Judging, Next, Waiting};
use crate::trying::Trial;
use crate::wording::{Help, Wording};

/// Check-outs looked at for what is usual.
const USUAL: u32 = 30;

/// How a session is to begin.
#[derive(Debug, Clone)]
pub struct Begin {
    pub kind: Kind,
    pub format: Format,
    /// `tray`, `shortcut`, `reminder`, `window` or `terminal`.
    pub opened_from: &'static str,
    /// Fixes the choice of words; the session's own number where absent.
    pub seed: Option<u64>,
    /// `guide`, `local`, the name of a server or its address; the one of the settings where absent.
    pub backend: Option<String>,
    /// In place of the model that the server is set up with.
    pub model: Option<String>,
}

impl Begin {
    /// With the backend of the settings.
    pub fn new(kind: Kind, format: Format, opened_from: &'static str) -> Begin {
        Begin { kind, format, opened_from, seed: None, backend: None, model: None }
    }

    pub fn seeded(self, seed: u64) -> Begin {
        Begin { seed: Some(seed), ..self }
    }

    pub fn with_backend(self, backend: impl Into<String>) -> Begin {
        Begin { backend: Some(backend.into()), ..self }
    }
}

pub type Listener = Box<dyn FnMut(&AppEvent) + Send>;

pub struct Conductor {
    pub(crate) store: Store,
    /// For the sessions that begin now; one that runs keeps its own.
    pub(crate) prompts: PromptSet,
    pub(crate) running: Option<Running>,
    pub(crate) waiting: Option<Waiting>,
    /// The number of the newest wait for a model.
    pub(crate) tickets: u64,
    pub(crate) memory: Memory,
    pub(crate) judging: Judging,
    pub(crate) http: Arc<Http>,
    secrets: Secrets,
    pub(crate) settings: Settings,
    /// As they were last read from the database or written to it.
    pub(crate) kept: Option<Settings>,
    /// The language of this run, where it was asked for.
    pub(crate) spoken: Option<Lang>,
    clock: Clock,
    paths: Paths,
    blocks: Blocks,
    /// What a model was told, or would have been, when the last words came.
    pub(crate) prompt_context: Option<Value>,
    /// The prompts are not to follow the versions on record.
    pub(crate) trying_out: bool,
    pub(crate) trial: Trial,
    pub(crate) more_waits: bool,
    pub(crate) listener: Listener,
}

impl Conductor {
    /// Opens (or makes) the data folder.
    ///
    /// # Errors
    /// When the folder, the key or the database cannot be opened; nothing is overwritten then.
    pub fn open(paths: Paths, secrets: Secrets, clock: Clock, listener: Listener) -> Result<Conductor, AppError> {
        let mut store = Store::open(&paths.data, secrets)?;
        if !unfinished::clear(&paths.data).is_empty() {
            tracing::warn!("an export was cut off and cannot be removed: `calm doctor` names it");
        }
        let now = clock.now();
        let Current { set: prompts, is_new } = prompting::current(&mut store, now)?;
        if is_new || !knowledge::has_notes(&store, &prompts)? {
            knowledge::refresh_notes(&mut store, &prompts, now)?;
        }
        // Only the real time forgets: a script may say that it is any moment.
        if let Clock::System = clock
            && forgetting::believes(&store, &paths.data, now)?
        {
            recordings::forget_old(&mut store, now)?;
        }
        let kept = Settings::read(&store)?;
        let settings = kept.clone().unwrap_or_else(|| Settings::fresh(system_language()));
        forgetting::at_start(&mut store, &settings, clock, &paths.data);
        let blocks = Blocks::default();
        let http = HttpSettings { reach: reach(&settings), ..HttpSettings::default() };
        Ok(Conductor {
            store,
            prompts,
            running: None,
            waiting: None,
            tickets: 0,
            judging: Judging::nothing(),
            memory: Memory::of(&paths, secrets, &clock),
            http: Arc::new(Http::new(http, Arc::new(StoreLedger::new(paths.clone(), secrets)))),
            secrets,
            settings,
            kept,
            spoken: None,
            clock,
            paths,
            blocks,
            prompt_context: None,
            trying_out: false,
            trial: Trial::default(),
            more_waits: false,
            listener,
        })
    }

    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// For this run only, as `--lang` asks.
    pub fn set_language(&mut self, language: Lang) {
        self.spoken = Some(language);
        self.settings.language = language;
    }

    /// The one way out of this machine.
    pub fn http(&self) -> &Arc<Http> {
        &self.http
    }

    /// Where keys of servers are kept.
    ///
    /// # Errors
    /// The data folder cannot be used.
    pub fn api_keys(&self) -> Result<ApiKeys, AppError> {
        Ok(ApiKeys::open(&self.paths.data, self.secrets)?)
    }

    pub fn store(&mut self) -> &mut Store {
        &mut self.store
    }

    pub(crate) fn read_store(&self) -> &Store {
        &self.store
    }

    /// The session's JSON as prompts saw it when the last words came (SPEC S3).
    pub fn prompt_context(&self) -> Option<&Value> {
        self.prompt_context.as_ref()
    }

    pub(crate) fn blocks(&self) -> &Blocks {
        &self.blocks
    }

    pub(crate) fn secrets(&self) -> Secrets {
        self.secrets
    }

    pub fn paths(&self) -> &Paths {
        &self.paths
    }

    pub fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// The session that runs here, where one does.
    pub fn running(&self) -> Option<SessionId> {
        self.running.as_ref().map(|r| r.id)
    }

    /// Of the session that runs, else of the settings.
    pub fn language(&self) -> Lang {
        self.running.as_ref().map_or(self.settings.language, |running| running.language)
    }

    /// The trading day that it is now.
    pub fn today(&self) -> Date {
        calm_core::day::trading_day(self.now(), &self.settings.zone(), self.settings.day_start)
    }

    /// Begins a session and says the first words. One that was left open is closed first with what is known.
    ///
    /// # Errors
    /// [`AppError::SessionRunning`] when another window or terminal holds a session.
    pub fn begin(&mut self, begin: &Begin) -> Result<(), AppError> {
        self.follow_settings()?;
        // Before anything changes: a backend that is not there is no reason to close a session.
        let server = match self.trial.server.clone() {
            Some(lent) => Some(lent),
            None => self.server(begin.backend.as_deref(), begin.model.as_deref())?,
        };
        self.leave()?;
        self.close_left_open()?;
        if !self.trying_out {
            self.follow_prompts()?;
        }
        let lock = SessionLock::take(&self.paths.data)?;
        let now = self.now();
        let day = self.today();
        let (context, matched_checkin) = self.context_of(begin, day)?;
        let number_today = context.session.session_number_today;
        // Without a wish of the caller the moment chooses the words: they differ from day to day.
        let seed = begin.seed.unwrap_or_else(|| now.as_second().unsigned_abs());
        let prompts = self.assigned(seed)?;
        let identity = prompts.identity();
        let id = self.store.begin_session(&NewSession {
            kind: begin.kind,
            format: begin.format,
            language: self.settings.language,
            started_at: now,
            trading_day: day,
            time_zone: self.settings.zone().iana_name().unwrap_or("local").to_owned(),
            number_today,
            opened_from: begin.opened_from.to_owned(),
            backend: server.as_ref().map_or(GUIDE, |(server, _)| &server.name).to_owned(),
            prompt: PromptStamp {
                set: identity.set,
                version: identity.version,
                variant: Some(identity.variant),
                hash: identity.hash,
            },
            seed,
            context: context.clone(),
            matched_checkin,
        })?;
        let language = self.settings.language;
        let wording = self.wording(&prompts, language, seed, day, id)?;
        let around = self.around(now, begin.opened_from)?;
        let mut running = Running::new(id, language, context, prompts, wording, around, lock);
        if let Some((server, endpoint)) = server {
            running.answered_by(server, endpoint);
        }
        self.running = Some(running);
        self.memory.prepare(now);
        self.announce();
        self.open_the_talk()
    }

    /// What a session that begins on `day` knows, and the check-in that it follows.
    pub(crate) fn context_of(&self, begin: &Begin, day: Date) -> Result<(SessionContext, Option<SessionId>), AppError> {
        let matched = match begin.kind {
            Kind::CheckOut => self.store.latest_unmatched_checkin(day)?,
            Kind::CheckIn => None,
        };
        let number_today = self.store.sessions_on(day)? + 1;
        let (matched_checkin, checkin) = matched.map(|m| (m.id, m.facts)).unzip();
        let context = composing::context(&self.store, &self.settings, begin, day, number_today, checkin)?;
        Ok((context, matched_checkin))
    }

    /// Whether the user has said more already than the one turn that comes next: it is all heard before the goodbye.
    pub fn more_waits(&mut self, more: bool) {
        self.more_waits = more;
    }

    /// Whoever speaks before the answer came is not sent off by it.
    pub fn speaks_on(&mut self) {
        self.running.iter_mut().filter(|_| self.waiting.is_some()).for_each(|running| running.more_waits(true));
    }

    /// A typed turn, to its end. Blank text is nothing said.
    pub fn say(&mut self, text: &str) -> Result<(), AppError> {
        let next = self.start_said(text)?;
        self.see_through(next)
    }

    /// As [`Conductor::say`], without waiting for a model.
    pub fn start_said(&mut self, text: &str) -> Result<Next, AppError> {
        let text = text.trim();
        if text.is_empty() {
            return Err(AppError::NothingHeard);
        }
        self.turn(Utterance::typed(text))
    }

    /// A turn whose words and voice were analysed elsewhere, as scenarios give them.
    pub(crate) fn say_as(&mut self, text: &str, voice: Option<VoiceAnalysis>) -> Result<(), AppError> {
        let mut utterance = Utterance::typed(text);
        utterance.voice = voice;
        let next = self.turn(utterance)?;
        self.see_through(next)
    }

    /// A spoken turn, to its end. A spooled recording is let go only together with the commit of the turn.
    pub fn hear(&mut self, spoken: &Spoken) -> Result<(), AppError> {
        let next = self.start_heard(spoken)?;
        self.see_through(next)
    }

    /// As [`Conductor::hear`], without waiting for a model.
    ///
    /// # Errors
    /// [`AppError::NothingHeard`] and [`AppError::NoWords`] where there is no turn in it.
    pub fn start_heard(&mut self, spoken: &Spoken) -> Result<Next, AppError> {
        if spoken.text.trim().is_empty() {
            return Err(self.without_words(spoken)?);
        }
        if spoken.session.is_some() && spoken.session != self.running() {
            return Err(AppError::SessionOver);
        }
        let baseline = affect::baseline(&self.store, &spoken.microphone)?;
        let voice = spoken.emotion.as_ref().map(|emotion| affect::analyse(emotion, &baseline));
        // Before the turn, which may end the session.
        let before = self.running.as_ref().map_or(0, |running| running.voices.len());
        if let (Some(running), Some(emotion)) = (&mut self.running, &spoken.emotion) {
            running.voices.push((spoken.microphone.clone(), emotion.clone()));
        }
        let next = self.turn(Utterance::spoken(spoken, voice));
        if let (Err(_), Some(running)) = (&next, &mut self.running) {
            running.voices.truncate(before);
        }
        next
    }

    /// A recording that nobody spoke in is let go. What somebody said and the recogniser did not catch stays in the
    /// spool, as after a fault: it is heard again when the session goes on, perhaps by a better model.
    fn without_words(&mut self, spoken: &Spoken) -> Result<AppError, AppError> {
        let Some(recording) = spoken.recording else { return Ok(AppError::NothingHeard) };
        if spoken.speech_seconds > 0.0 {
            return Ok(AppError::NoWords);
        }
        self.store.drop_recording(recording)?;
        Ok(AppError::NothingHeard)
    }

    /// The user goes: the session is ended with what is known, marked as forced.
    pub fn leave(&mut self) -> Result<(), AppError> {
        if self.running.is_none() {
            return Ok(());
        }
        self.stop_waiting()?;
        if self.running.is_none() {
            return Ok(());
        }
        let before = self.running.clone();
        let given = self.extracted();
        let effects = self.advance(Event::Left);
        let effects = self.completed(effects, given.as_ref());
        if let Err(error) = self.finish(effects) {
            self.running = before;
            return Err(error);
        }
        self.running = None;
        Ok(())
    }

    /// Leaves the session open for later.
    pub fn set_aside(&mut self) {
        // The words that wait are on disk, and are answered when the session goes on.
        self.waiting = None;
        self.running = None;
    }

    pub fn felt_heard(&mut self, session: SessionId, answer: Heard) -> Result<(), AppError> {
        Ok(self.store.set_heard(session, answer)?)
    }

    pub(crate) fn around(&self, began: Timestamp, opened_from: &str) -> Result<Around, AppError> {
        let hour = began.to_zoned_datetime(self.settings.zone()).hour();
        let words = self.store.words_of_checkouts(USUAL)?;
        let sums = words.iter().filter_map(|words| calm_core::read(words, self.settings.language, None).sum);
        Ok(Around {
            opened_from: opened_from.to_owned(),
            hour: u8::try_from(hour).unwrap_or_default(),
            usual: sums.collect(),
            earlier: self.earlier(began)?,
        })
    }

    /// The words of a session; what was said since the day before comes last.
    pub(crate) fn wording(
        &self,
        prompts: &PromptSet,
        language: Lang,
        seed: u64,
        day: Date,
        session: SessionId,
    ) -> Result<Wording, AppError> {
        let language = language.code();
        let help = Help::of(&prompts.helplines()?, self.settings.country(), language);
        let mut phrases = prompts.phrases(language)?;
        // An older version of the user's may not know every move of this program.
        if MOVE_KEYS.iter().any(|kind| !phrases.has(kind.key)) {
            phrases = phrases.or(&PromptSet::shipped().phrases(language)?);
        }
        let earlier = self.store.replies_since_the_day_before(day, session)?;
        let said = phrases.said_in(earlier.iter().map(String::as_str));
        Ok(Wording::new(phrases, help, seed, said))
    }

    pub(crate) fn announce(&mut self) {
        let Some(running) = &self.running else { return };
        let event = AppEvent::SessionStarted {
            session_id: running.id,
            session_type: running.context.session.kind,
            format: running.context.session.format,
            language: running.language,
            backend: running.backend_name().to_owned(),
            prompt: running.prompts.identity(),
            context: Box::new(running.context.clone()),
        };
        (self.listener)(&event);
    }

    /// The server that `name` stands for, with its key; `None` for the guide.
    pub(crate) fn server(
        &self,
        name: Option<&str>,
        model: Option<&str>,
    ) -> Result<Option<(Server, Endpoint)>, AppError> {
        let name = name.unwrap_or(&self.settings.backend);
        let Some(server) = backend::resolve(name, model, &self.settings.servers, &self.http)? else {
            return Ok(None);
        };
        let endpoint = server.endpoint(backend::key(&server, &self.paths, self.secrets)?);
        Ok(Some((server, endpoint)))
    }

    pub(crate) fn end(&mut self, forced: bool, ending: EndSession) -> Result<(), AppError> {
        let Some((session, deltas)) = self.write_ending(forced, &ending)? else { return Ok(()) };
        (self.listener)(&AppEvent::SessionEnded { forced, arguments: Box::new(ending), deltas });
        if let Err(error) = affect::learn(&mut self.store, &session) {
            tracing::warn!(%error, "the baseline did not learn from this session; the session is kept");
        }
        self.look_back(&session);
        self.memory.consolidate(self.now());
        Ok(())
    }

    /// Writes the ending of the running session; `None` where it had ended before.
    pub(crate) fn write_ending(
        &mut self,
        forced: bool,
        ending: &EndSession,
    ) -> Result<Option<(Running, Deltas)>, AppError> {
        let Some(running) = &self.running else { return Ok(None) };
        let deltas = match &running.context.previous_checkin {
            Some(checkin) => Deltas::between(checkin, &ending.extracted_attributes),
            None => Deltas::default(),
        };
        let now = self.now();
        let first = self.store.end_session(running.id, ending, &deltas, forced, now)?;
        Ok(self.running.take().filter(|_| first).map(|ended| (ended, deltas)))
    }

    /// Reports a failure to the door without ending anything.
    pub fn report(&mut self, error: &AppError) {
        (self.listener)(&AppEvent::Error { code: error.code(), message: error.to_string() });
    }

    /// What the last reply asked.
    pub fn asked(&self) -> Option<Question> {
        self.running.as_ref().and_then(|r| r.asked)
    }
}

/// How far requests may go.
pub(crate) fn reach(settings: &Settings) -> Reach {
    if settings.offline { Reach::Nothing } else { Reach::Anywhere }
}
