//! The session that is running: its state, its words so far, and the lock that keeps it alone.

use std::fs::{File, OpenOptions, TryLockError};
use std::path::Path;
use std::sync::Arc;

use calm_agent::Endpoint;
use calm_core::contour::{Background, Mind, StateVector};
use calm_core::tools::{PracticeType, ToolCall};
use calm_core::turn::Earlier;
use calm_core::understand::{Said, Sum};
use calm_core::{Effect, EndSession, Event, Lang, Question, SessionContext, State, step, turn};
use calm_prompts::PromptSet;
use calm_prompts::envelope::Assembly;
use calm_store::{SessionId, SessionRecord, TurnRecord};
use calm_voice::Emotion;
use serde_json::{Value, json};

use crate::backend::{GUIDE, Server};
use crate::composing::Utterance;
use crate::error::AppError;
use crate::talking::Exchange;
use crate::wording::Wording;

/// What the guide goes by beside the context.
pub struct Around {
    /// `tray`, `window` and so on; see [`crate::Begin`].
    pub opened_from: String,
    /// Of the user's day when the session began, 0–23.
    pub hour: u8,
    /// What earlier days came to.
    pub usual: Vec<Sum>,
    /// What the last talks left.
    pub earlier: Earlier,
}

/// A copy is where the session stood: a turn that could not be written goes back to it.
#[derive(Clone)]
pub struct Running {
    pub id: SessionId,
    pub language: Lang,
    pub context: SessionContext,
    /// The version that the session began with.
    pub prompts: Arc<PromptSet>,
    pub wording: Wording,
    /// Committed turns, the greeting included.
    pub turns: u32,
    /// What the last reply asked.
    pub asked: Option<Question>,
    /// `tray`, `window` and so on; see [`crate::Begin`].
    pub opened_from: String,
    /// Everything that was said and answered, for a model to read.
    pub talk: Vec<Exchange>,
    /// A turn whose words are on disk and whose answer is not.
    pub unanswered: Option<u32>,
    /// Turns in a row that the server failed.
    pub failures: u32,
    /// The last reason for which the guide stepped in, so that it is told once.
    pub told: Option<&'static str>,
    /// Each measured utterance with its microphone, in order; those before a restart of the program are not among them.
    pub voices: Vec<(String, Emotion)>,
    model: Option<(Server, Endpoint)>,
    /// The server failed too often; the guide holds the rest of the session.
    rests: bool,
    assembly: Option<Arc<Assembly>>,
    state: Option<State>,
    _lock: Arc<SessionLock>,
}

impl Running {
    pub fn new(
        id: SessionId,
        language: Lang,
        context: SessionContext,
        prompts: PromptSet,
        wording: Wording,
        around: Around,
        lock: SessionLock,
    ) -> Running {
        let context_of_state = context.clone();
        Running {
            id,
            language,
            prompts: Arc::new(prompts),
            wording,
            turns: 0,
            asked: None,
            opened_from: around.opened_from,
            talk: Vec::new(),
            unanswered: None,
            failures: 0,
            told: None,
            voices: Vec::new(),
            model: None,
            rests: false,
            assembly: None,
            state: Some(
                State::new(context.session.kind, context.session.format, language, context_of_state)
                    .at_hour(around.hour)
                    .with_usual(around.usual)
                    .with_earlier(around.earlier),
            ),
            context,
            _lock: Arc::new(lock),
        }
    }

    /// The same session again after its process went away: every stored turn goes through the rules once more.
    ///
    /// Gives with it what the last step left undone: an ending that was not written, or words that were not answered.
    pub fn replayed(
        record: SessionRecord,
        prompts: PromptSet,
        wording: Wording,
        around: Around,
        lock: SessionLock,
    ) -> Result<(Running, Vec<Effect>, Option<Utterance>), AppError> {
        let SessionRecord { session, turns } = record;
        let begun = session.begun;
        let mut running = Running::new(session.id, begun.language, begun.context, prompts, wording, around, lock);
        let mut unfinished = Vec::new();
        let mut unanswered = None;
        let last = turns.last().map(|turn| turn.seq);
        for turn in turns {
            // What was answered without a goodbye was answered while more waited.
            let ends = matches!(turn.record.tool, Some(ToolCall::EndSession(_)));
            let goes_on = if turn.record.reply_backend == GUIDE { !ends } else { Some(turn.seq) != last };
            running.more_waits(goes_on);
            running.turns += 1;
            unfinished.clear();
            if turn.record.user_text.is_some() && turn.record.reply_text.is_empty() {
                running.unanswered = Some(turn.seq);
                unanswered = Some(Utterance::again(turn.record));
                continue;
            }
            let talk = (turn.record.user_text.clone(), turn.record.reply_text.clone());
            for effect in running.replay(turn.record) {
                match effect {
                    Effect::Reply(reply) => {
                        running.asked = reply.asks;
                        running.wording.say(&reply.moves)?;
                    }
                    other => unfinished.push(other),
                }
            }
            running.talk.push(talk);
        }
        Ok((running, unfinished, unanswered))
    }

    /// A stored turn, through the rules that made it.
    fn replay(&mut self, turn: TurnRecord) -> Vec<Effect> {
        let Some(text) = turn.user_text else { return self.advance(Event::Opened) };
        if let Some(voice) = &turn.voice {
            self.context.voice_analysis = Some(voice.into());
        }
        self.sensed(turn.contour.and_then(|kept| serde_json::from_value(kept.get("state")?.clone()).ok()));
        if turn.reply_backend == GUIDE {
            return self.advance(Event::Heard { text, voice: turn.voice });
        }
        let given = turn.model.as_ref().and_then(|model| model.get("call")).cloned().unwrap_or_default();
        let call: Option<ToolCall> = serde_json::from_value(given).unwrap_or_default();
        self.advance(Event::HeardByModel { text, voice: turn.voice });
        self.advance(Event::ModelReplied { text: turn.reply_text, call })
    }

    /// From now on `endpoint` answers.
    pub fn answered_by(&mut self, server: Server, endpoint: Endpoint) {
        self.model = Some((server, endpoint));
    }

    /// The model that answers, unless it failed too often.
    pub fn endpoint(&self) -> Option<(&Server, &Endpoint)> {
        self.model.as_ref().filter(|_| !self.rests).map(|(server, endpoint)| (server, endpoint))
    }

    pub fn endpoint_mut(&mut self) -> Option<&mut (Server, Endpoint)> {
        self.model.as_mut()
    }

    pub fn endpoint_rests(&mut self) {
        self.rests = true;
    }

    /// Who was asked to hold this session.
    pub fn backend_name(&self) -> &str {
        self.model.as_ref().map_or(GUIDE, |(server, _)| &server.name)
    }

    /// The session's prompts, put together once.
    pub fn assembly(&mut self) -> Result<Arc<Assembly>, AppError> {
        if let Some(assembly) = &self.assembly {
            return Ok(Arc::clone(assembly));
        }
        let language = self.language.code();
        let assembly = Arc::new(self.prompts.assembly(language, language)?);
        Ok(Arc::clone(self.assembly.insert(assembly)))
    }

    /// What a model is told about the user, by name, for the ledger.
    pub fn fields(&self) -> Vec<&'static str> {
        let mut fields = vec!["talk"];
        let context = &self.context;
        fields.extend(context.user.name.as_ref().map(|_| "name"));
        fields.extend(context.user.trading_style.as_ref().map(|_| "trading_style"));
        fields.extend((!context.user.known_patterns.is_empty()).then_some("known_patterns"));
        fields.extend(context.user.last_session_result.map(|_| "last_session_result"));
        fields.extend(context.voice_analysis.as_ref().map(|_| "voice_analysis"));
        fields.extend(context.previous_checkin.as_ref().map(|_| "previous_checkin"));
        fields
    }

    /// The user's own words of this session and the plan that they made for it.
    pub fn own_words(&self) -> Vec<String> {
        let plan = self.context.previous_checkin.as_ref().and_then(|checkin| checkin.planned_approach.clone());
        plan.into_iter().chain(self.talk.iter().filter_map(|(user, _)| user.clone())).collect()
    }

    /// The ending with what a model gave for it, and what of that did not stand.
    pub fn checked(&self, given: &EndSession) -> Option<(EndSession, Vec<Value>)> {
        let (ending, dropped) = turn::checked(self.state.as_ref()?, given.clone());
        Some((ending, dropped.iter().map(|one| json!(one)).collect()))
    }

    /// The session's JSON as prompts see it now: the context, and what the talk has revealed.
    pub fn prompt_context(&self) -> Value {
        let mut context = json!(self.context);
        if let Some(state) = &self.state {
            context["said"] = json!(state.said_facts());
        }
        context
    }

    /// For the contour.
    pub fn background(&self, mind: &Mind, said: &Said) -> Background {
        let kind = self.context.session.kind;
        self.state.as_ref().map_or(Background::new(kind), |state| state.background(mind, said))
    }

    /// The guide's manner goes by the contour of the words that come next.
    pub fn sensed(&mut self, contour: Option<StateVector>) {
        if let Some(state) = &mut self.state {
            state.sensed(contour);
        }
    }

    /// The words that come next were read already, for the contour.
    pub fn reads(&mut self, said: &Utterance) {
        let asked = self.asked;
        if let Some(state) = &mut self.state {
            state.reads(&said.text, asked, said.understood().clone());
        }
    }

    /// See [`State::more_waits`].
    pub fn more_waits(&mut self, more: bool) {
        if let Some(state) = &mut self.state {
            state.more_waits(more);
        }
    }

    pub fn in_crisis(&self) -> bool {
        self.state.as_ref().is_some_and(State::in_crisis)
    }

    /// The practice that the last reply asked about.
    pub fn offered(&self) -> Option<PracticeType> {
        let state = self.state.as_ref().filter(|_| self.asked == Some(Question::Practice))?;
        state.offered()
    }

    pub fn advance(&mut self, event: Event) -> Vec<Effect> {
        let Some(state) = self.state.take() else {
            return Vec::new();
        };
        let (state, effects) = step(state, event);
        self.state = Some(state);
        effects
    }
}

/// One session at a time in one data folder, whichever process runs it. The system lets go of it with the process.
pub struct SessionLock(#[allow(dead_code)] File);

impl SessionLock {
    pub fn take(folder: &Path) -> Result<SessionLock, AppError> {
        let file = OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .open(folder.join("session.lock"))
            .map_err(AppError::Folder)?;
        match file.try_lock() {
            Ok(()) => Ok(SessionLock(file)),
            Err(TryLockError::WouldBlock) => Err(AppError::SessionRunning),
            Err(TryLockError::Error(error)) => Err(AppError::Folder(error)),
        }
    }
}
