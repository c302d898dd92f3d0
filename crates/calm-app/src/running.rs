//! The session that is running: its state, its words so far, and the lock that keeps it alone.

use std::fs::{File, OpenOptions, TryLockError};
use std::path::Path;
use std::sync::Arc;

use calm_core::tools::PracticeType;
use calm_core::{Effect, Event, Lang, Question, SessionContext, State, step};
use calm_prompts::PromptSet;
use calm_store::{SessionId, SessionRecord};
use serde_json::{Value, json};

use crate::error::AppError;
use crate::wording::Wording;

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
            state: Some(State::new(context.session.kind, context.session.format, language, context_of_state)),
            context,
            _lock: Arc::new(lock),
        }
    }

    /// The same session again after its process went away: every stored turn goes through the rules once more.
    ///
    /// Gives with it what the last step left undone (an ending that was not written).
    pub fn replayed(
        record: SessionRecord,
        prompts: PromptSet,
        wording: Wording,
        lock: SessionLock,
    ) -> Result<(Running, Vec<Effect>), AppError> {
        let SessionRecord { session, turns } = record;
        let begun = session.begun;
        let mut running = Running::new(session.id, begun.language, begun.context, prompts, wording, lock);
        let mut unfinished = Vec::new();
        for turn in turns.into_iter().map(|turn| turn.record) {
            let event = match turn.user_text {
                Some(text) => {
                    if let Some(voice) = &turn.voice {
                        running.context.voice_analysis = Some(voice.into());
                    }
                    Event::Heard { text, voice: turn.voice }
                }
                None => Event::Opened,
            };
            unfinished.clear();
            for effect in running.advance(event) {
                match effect {
                    Effect::Reply(reply) => {
                        running.asked = reply.asks;
                        running.wording.say(&reply.moves)?;
                    }
                    other => unfinished.push(other),
                }
            }
            running.turns += 1;
        }
        Ok((running, unfinished))
    }

    /// The session's JSON as prompts see it now: the context, and what the talk has revealed.
    pub fn prompt_context(&self) -> Value {
        let mut context = json!(self.context);
        if let Some(state) = &self.state {
            context["said"] = json!(state.said_facts());
        }
        context
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
