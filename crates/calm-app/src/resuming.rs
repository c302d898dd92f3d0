//! Sessions that a process before this one left open: gone on with, or closed with what is known (SPEC S7).
//!
//! A session is rebuilt by replaying its turns through the same pure rules.

use calm_core::{Effect, Event};

use crate::composing::Utterance;
use crate::conductor::Conductor;
use crate::error::AppError;
use crate::prompting;
use crate::running::{Running, SessionLock};
use crate::talking::Next;

impl Conductor {
    /// Goes on with the session that was left open; `session_started` is reported again. Words that nobody answered
    /// are answered now.
    ///
    /// # Errors
    /// [`AppError::NoOpenSession`] when every session has ended.
    pub fn resume(&mut self) -> Result<(), AppError> {
        let next = self.start_resumed()?;
        self.see_through(next)
    }

    /// As [`Conductor::resume`], without waiting for a model.
    pub fn start_resumed(&mut self) -> Result<Next, AppError> {
        let (unfinished, unanswered) = self.rebuild()?;
        self.announce();
        let greeted = self.running.as_ref().is_some_and(|r| r.turns > 0);
        if !greeted {
            self.open_the_talk()?;
            return Ok(Next::Done);
        }
        match unanswered {
            Some(said) => self.turn(said),
            None => self.finish(unfinished).map(|()| Next::Done),
        }
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

    /// Rebuilds the open session from its turns; gives what its last step left undone.
    fn rebuild(&mut self) -> Result<(Vec<Effect>, Option<Utterance>), AppError> {
        let lock = SessionLock::take(&self.paths().data)?;
        let open = self.store.open_session()?.ok_or(AppError::NoOpenSession)?;
        let record = self.store.session(open.id)?.ok_or(AppError::NoOpenSession)?;
        let begun = &record.session.begun;
        let held_with = prompting::held_with(&self.store, &begun.prompt)?;
        let prompts = match (held_with, begun.prompt.variant.as_deref()) {
            (Some(set), Some(variant)) => set.variant(variant).unwrap_or(set),
            (Some(set), None) => set,
            (None, _) => self.prompts.clone(),
        };
        let wording = self.wording(&prompts, begun.language, begun.seed, begun.trading_day, open.id)?;
        let backend = begun.backend.clone();
        let around = self.around(begun.started_at, &begun.opened_from)?;
        let (mut running, unfinished, unanswered) = Running::replayed(record, prompts, wording, around, lock)?;
        // A server that is gone by now is no reason to lose the session: the guide holds the rest of it.
        match self.server(Some(&backend), None) {
            Ok(Some((server, endpoint))) => running.answered_by(server, endpoint),
            Ok(None) => {}
            Err(error) => tracing::warn!(%error, "the guide goes on in place of the session's server"),
        }
        self.running = Some(running);
        Ok((unfinished, unanswered))
    }

    /// Closes a session that a process before this one left open; nobody is listening for its ending any more.
    pub(crate) fn close_left_open(&mut self) -> Result<(), AppError> {
        if self.store.open_session()?.is_none() {
            return Ok(());
        }
        let (mut effects, unanswered) = self.rebuild()?;
        if let Some(said) = unanswered {
            // Nobody listens for the answer any more, but what was said counts.
            effects.extend(self.advance(said.event()));
        }
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
}
