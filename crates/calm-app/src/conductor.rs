//! One session at a time: begins it, takes turns, ends it exactly once.
//!
//! A turn is committed before anything about it is reported, so what a door has shown is
//! in the database whatever happens next. A session that was cut off is rebuilt by
//! replaying its turns through the same pure rules.

use calm_core::context::VoiceFacts;
use calm_core::turn::MOVE_KEYS;
use calm_core::{Deltas, Effect, EndSession, Event, Format, Kind, Lang, Question, VoiceAnalysis};
use calm_prompts::{PromptSet, Said};
use calm_store::{Heard, NewSession, PromptStamp, RecordingId, Secrets, SessionId, Store};
use jiff::civil::Date;
use jiff::{SignedDuration, Timestamp};
use serde_json::Value;

use crate::affect;
use crate::clock::Clock;
use crate::composing::{self, Composed, Utterance};
use crate::ears::Spoken;
use crate::error::AppError;
use crate::events::AppEvent;
use crate::knowledge;
use crate::paths::{Paths, system_language};
use crate::prompting::{self, Blocks, Current};
use crate::running::{Running, SessionLock};
use crate::settings::Settings;
use crate::wording::{Help, Wording};

/// The backend that needs nothing; the only one so far.
pub const GUIDE: &str = "guide";

/// How long a recording without a turn stays in the spool.
const KEPT: SignedDuration = SignedDuration::from_hours(7 * 24);

/// How a session is to begin.
#[derive(Debug, Clone)]
pub struct Begin {
    pub kind: Kind,
    pub format: Format,
    /// `tray`, `shortcut`, `reminder`, `window` or `terminal`.
    pub opened_from: &'static str,
    /// Fixes the choice of words; the session's own number where absent.
    pub seed: Option<u64>,
}

pub type Listener = Box<dyn FnMut(&AppEvent) + Send>;

pub struct Conductor {
    pub(crate) store: Store,
    /// For the sessions that begin now; one that runs keeps its own.
    pub(crate) prompts: PromptSet,
    pub(crate) running: Option<Running>,
    settings: Settings,
    clock: Clock,
    paths: Paths,
    blocks: Blocks,
    /// What a model was told, or would have been, when the last words came.
    prompt_context: Option<Value>,
    /// The prompts are not to follow the versions on record.
    pub(crate) trying_out: bool,
    listener: Listener,
}

impl Conductor {
    /// Opens (or makes) the data folder.
    ///
    /// # Errors
    /// When the folder, the key or the database cannot be opened; nothing is overwritten then.
    pub fn open(paths: Paths, secrets: Secrets, clock: Clock, listener: Listener) -> Result<Conductor, AppError> {
        let mut store = Store::open(&paths.data, secrets)?;
        let now = clock.now();
        let Current { set: prompts, is_new } = prompting::current(&mut store, now)?;
        if is_new || !knowledge::has_notes(&store, &prompts)? {
            knowledge::refresh_notes(&mut store, &prompts, now)?;
        }
        if let Clock::System = clock {
            // Only the real time forgets: a script may say that it is any moment.
            forget_old_recordings(&mut store, now)?;
        }
        let settings = Settings::read(&store)?.unwrap_or_else(|| Settings::fresh(system_language()));
        let blocks = Blocks::default();
        Ok(Conductor {
            store,
            prompts,
            running: None,
            settings,
            clock,
            paths,
            blocks,
            prompt_context: None,
            trying_out: false,
            listener,
        })
    }

    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// For this run only, as `--lang` asks.
    pub fn set_language(&mut self, language: Lang) {
        self.settings.language = language;
    }

    pub fn save_settings(&mut self, settings: Settings) -> Result<(), AppError> {
        settings.write(&mut self.store)?;
        if settings.calendar != self.settings.calendar {
            self.store.forget_calendar()?;
        }
        self.settings = settings;
        Ok(())
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
        self.leave()?;
        self.close_left_open()?;
        if !self.trying_out {
            self.follow_prompts()?;
        }
        let lock = SessionLock::take(&self.paths.data)?;
        let now = self.now();
        let day = self.today();
        let matched = match begin.kind {
            Kind::CheckOut => self.store.latest_unmatched_checkin(day)?,
            Kind::CheckIn => None,
        };
        let number_today = self.store.sessions_on(day)? + 1;
        let (matched_checkin, checkin) = matched.map(|m| (m.id, m.facts)).unzip();
        let context = composing::context(&self.store, &self.settings, begin, number_today, checkin)?;
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
            backend: GUIDE.to_owned(),
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
        let wording = self.wording(&prompts, language, seed)?;
        self.running = Some(Running::new(id, language, context, prompts, wording, lock));
        self.announce();
        self.open_the_talk()
    }

    /// Goes on with the session that was left open; `session_started` is reported again.
    ///
    /// # Errors
    /// [`AppError::NoOpenSession`] when every session has ended.
    pub fn resume(&mut self) -> Result<(), AppError> {
        let unfinished = self.rebuild()?;
        self.announce();
        let greeted = self.running.as_ref().is_some_and(|r| r.turns > 0);
        if !greeted {
            return self.open_the_talk();
        }
        self.finish(unfinished)
    }

    /// A typed turn. Blank text is nothing said.
    pub fn say(&mut self, text: &str) -> Result<(), AppError> {
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
        self.turn(utterance)
    }

    /// A spoken turn. A spooled recording is let go only together with the commit of the turn.
    pub fn hear(&mut self, spoken: &Spoken) -> Result<(), AppError> {
        if spoken.text.trim().is_empty() {
            return Err(AppError::NothingHeard);
        }
        if spoken.session.is_some() && spoken.session != self.running() {
            return Err(AppError::SessionOver);
        }
        let language = self.language();
        let mut baseline = affect::baseline(&self.store, &spoken.microphone)?;
        let voice = spoken.emotion.as_ref().map(|emotion| affect::analyse(emotion, &baseline));
        self.turn(Utterance::spoken(spoken, voice))?;
        if let Some(emotion) = &spoken.emotion
            && affect::words_were_calm(&spoken.text, language)
        {
            baseline.learn(emotion.arousal_logit);
            if let Err(error) = affect::keep_baseline(&mut self.store, &spoken.microphone, &baseline) {
                tracing::warn!(%error, "the baseline did not learn from this turn; the turn is kept");
            }
        }
        Ok(())
    }

    /// The user goes: the session is ended with what is known, marked as forced.
    pub fn leave(&mut self) -> Result<(), AppError> {
        if self.running.is_none() {
            return Ok(());
        }
        let before = self.running.clone();
        let effects = self.advance(Event::Left);
        if let Err(error) = self.finish(effects) {
            self.running = before;
            return Err(error);
        }
        self.running = None;
        Ok(())
    }

    /// Leaves the session open for later.
    pub fn set_aside(&mut self) {
        self.running = None;
    }

    pub fn felt_heard(&mut self, session: SessionId, answer: Heard) -> Result<(), AppError> {
        Ok(self.store.set_heard(session, answer)?)
    }

    /// Rebuilds the open session from its turns; gives what its last step left undone.
    fn rebuild(&mut self) -> Result<Vec<Effect>, AppError> {
        let lock = SessionLock::take(&self.paths.data)?;
        let open = self.store.open_session()?.ok_or(AppError::NoOpenSession)?;
        let record = self.store.session(open.id)?.ok_or(AppError::NoOpenSession)?;
        let begun = &record.session.begun;
        let held_with = prompting::held_with(&self.store, &begun.prompt)?;
        let prompts = match (held_with, begun.prompt.variant.as_deref()) {
            (Some(set), Some(variant)) => set.variant(variant).unwrap_or(set),
            (Some(set), None) => set,
            (None, _) => self.prompts.clone(),
        };
        let wording = self.wording(&prompts, begun.language, begun.seed)?;
        let (running, unfinished) = Running::replayed(record, prompts, wording, lock)?;
        self.running = Some(running);
        Ok(unfinished)
    }

    fn wording(&self, prompts: &PromptSet, language: Lang, seed: u64) -> Result<Wording, AppError> {
        let language = language.code();
        let help = Help::of(&prompts.helplines()?, self.settings.country(), language);
        let mut phrases = prompts.phrases(language)?;
        // An older version of the user's may not know every move of this program.
        if MOVE_KEYS.iter().any(|kind| !phrases.has(kind.key)) {
            phrases = phrases.or(&PromptSet::shipped().phrases(language)?);
        }
        Ok(Wording::new(phrases, help, seed, Said::default()))
    }

    fn announce(&mut self) {
        let Some(running) = &self.running else { return };
        let event = AppEvent::SessionStarted {
            session_id: running.id,
            session_type: running.context.session.kind,
            format: running.context.session.format,
            language: running.language,
            backend: GUIDE,
            prompt: running.prompts.identity(),
            context: Box::new(running.context.clone()),
        };
        (self.listener)(&event);
    }

    fn open_the_talk(&mut self) -> Result<(), AppError> {
        let effects = self.advance(Event::Opened);
        let turn = self.commit(None, effects)?;
        self.tell(turn)
    }

    /// A turn that cannot be written leaves the session where it stood: the same words can be said again.
    fn turn(&mut self, mut said: Utterance) -> Result<(), AppError> {
        let before = self.running.clone();
        let Some(running) = &mut self.running else {
            return Err(AppError::NoOpenSession);
        };
        if let Some(voice) = &said.voice {
            running.context.voice_analysis = Some(VoiceFacts::from(voice));
        }
        said.read(running.language, running.asked);
        let effects = self.advance(Event::Heard { text: said.text.clone(), voice: said.voice.clone() });
        match self.commit(Some(said), effects) {
            Ok(turn) => self.tell(turn),
            Err(error) => {
                self.running = before;
                Err(error)
            }
        }
    }

    fn advance(&mut self, event: Event) -> Vec<Effect> {
        let Some(running) = &mut self.running else { return Vec::new() };
        let effects = running.advance(event);
        self.prompt_context = Some(running.prompt_context());
        effects
    }

    /// Words one turn and writes it.
    fn commit(&mut self, said: Option<Utterance>, effects: Vec<Effect>) -> Result<Composed, AppError> {
        let now = self.now();
        let Some(running) = &mut self.running else {
            return Err(AppError::NoOpenSession);
        };
        let recording = said.as_ref().and_then(|s| s.recording);
        let composed = composing::compose(running, said, effects, now)?;
        let seq = self.store.record_turn(running.id, &composed.record, recording)?;
        running.turns += 1;
        if let Some(score) = &composed.sufler
            && let Err(error) = self.store.set_sufler(running.id, seq, score)
        {
            tracing::warn!(%error, "a score was not kept; the turn is");
        }
        Ok(composed)
    }

    /// Reports a turn that is written, and performs whatever follows from it.
    fn tell(&mut self, turn: Composed) -> Result<(), AppError> {
        for event in &turn.events {
            (self.listener)(event);
        }
        let ended = self.finish(turn.rest);
        if ended.is_err() {
            // The turn is written and the ending is not: whoever comes next reads both out of the turns.
            self.running = None;
        }
        ended
    }

    /// Performs what a step left: the ending.
    fn finish(&mut self, effects: Vec<Effect>) -> Result<(), AppError> {
        for effect in effects {
            if let Effect::End { forced, ending } = effect {
                self.end(forced, *ending)?;
            }
        }
        Ok(())
    }

    /// Closes a session that a process before this one left open; nobody is listening for its ending any more.
    fn close_left_open(&mut self) -> Result<(), AppError> {
        if self.store.open_session()?.is_none() {
            return Ok(());
        }
        let mut effects = self.rebuild()?;
        effects.extend(self.advance(Event::Left));
        for effect in effects {
            if let Effect::End { forced, ending } = effect
                && let Some((ended, _)) = self.write_ending(forced, &ending)?
            {
                self.look_back(&ended);
            }
        }
        self.running = None;
        Ok(())
    }

    fn end(&mut self, forced: bool, ending: EndSession) -> Result<(), AppError> {
        let Some((session, deltas)) = self.write_ending(forced, &ending)? else { return Ok(()) };
        (self.listener)(&AppEvent::SessionEnded { forced, arguments: Box::new(ending), deltas });
        self.look_back(&session);
        Ok(())
    }

    /// Writes the ending of the running session; `None` where it had ended before.
    fn write_ending(&mut self, forced: bool, ending: &EndSession) -> Result<Option<(Running, Deltas)>, AppError> {
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

    /// Goes on with a session of today that was cut off, closes one of another day; says whether one goes on.
    pub fn pick_up(&mut self) -> Result<bool, AppError> {
        let Some(open) = self.store.open_session()? else { return Ok(false) };
        if open.begun.trading_day == self.today() {
            self.resume()?;
        } else {
            self.close_left_open()?;
        }
        Ok(self.running.is_some())
    }

    /// What the last reply asked.
    pub fn asked(&self) -> Option<Question> {
        self.running.as_ref().and_then(|r| r.asked)
    }

    /// A new recording of the running session, empty so far.
    pub fn start_recording(&mut self) -> Result<RecordingId, AppError> {
        let (now, session) = (self.now(), self.running());
        Ok(self.store.start_recording(now, session)?)
    }
}

/// A recording that no turn came of is kept while its session is open, and for a while after, since it can be heard
/// again; then it goes (SPEC V5).
fn forget_old_recordings(store: &mut Store, now: Timestamp) -> Result<(), AppError> {
    let open = store.open_session()?.map(|session| session.id);
    for recording in store.recordings()? {
        let waits = recording.session.is_some() && recording.session == open;
        if !waits && now.duration_since(recording.started_at) > KEPT {
            store.drop_recording(recording.id)?;
        }
    }
    Ok(())
}

impl Settings {
    /// `None` where nothing was ever saved.
    fn read(store: &Store) -> Result<Option<Settings>, AppError> {
        let Some(stored) = store.settings()? else { return Ok(None) };
        match serde_json::from_value(stored) {
            Ok(settings) => Ok(Some(settings)),
            // Its text could hold a name, so it is not logged.
            Err(_) => {
                tracing::warn!("the stored settings cannot be read; the defaults stand in");
                Ok(None)
            }
        }
    }

    fn write(&self, store: &mut Store) -> Result<(), AppError> {
        let value = serde_json::to_value(self).unwrap_or(Value::Null);
        Ok(store.set_settings(&value)?)
    }
}
