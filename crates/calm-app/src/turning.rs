//! One turn of a session: heard, answered by the guide or handed to a model, written, reported.
//!
//! A turn is committed before anything about it is reported, so what a door has shown is in the database
//! whatever happens next.

use std::time::Instant;

use calm_core::context::VoiceFacts;
use calm_core::tools::ToolCall;
use calm_core::{Effect, Event, Reply};
use calm_store::TurnRecord;
use serde_json::Value;

use crate::backend::GUIDE;
use crate::composing::{self, Composed, Utterance, Words};
use crate::conductor::Conductor;
use crate::error::AppError;
use crate::events::AppEvent;
use crate::talking::Next;

/// The moves that say what a tool brought.
const ANSWERS: [&str; 4] = ["history_answer", "reminder_set", "calendar_answer", "calculation_answer"];

/// What a tool brought.
pub(crate) struct Carried {
    pub result: Value,
    /// To be said in place of the answer that there is not.
    pub instead: Option<String>,
}

impl Conductor {
    pub(crate) fn open_the_talk(&mut self) -> Result<(), AppError> {
        let effects = self.advance(Event::Opened);
        let record = TurnRecord::new(self.now(), None, String::new(), GUIDE.to_owned());
        self.by_guide(record, None, effects, None)
    }

    /// A turn that cannot be written leaves the session where it stood: the same words can be said again.
    pub(crate) fn turn(&mut self, mut said: Utterance) -> Result<Next, AppError> {
        // Whoever speaks before the answer came does not wait for it.
        self.speaks_on();
        self.stop_waiting()?;
        let before = self.running.clone();
        let now = self.now();
        let more = std::mem::take(&mut self.more_waits);
        let Some(running) = &mut self.running else {
            return Err(AppError::NoOpenSession);
        };
        if let Some(voice) = &said.voice {
            running.context.voice_analysis = Some(VoiceFacts::from(voice));
        }
        said.read(running.language, running.asked);
        let (mind, recalled) = self.memory.recall(&said.text, running.id, running.language, now);
        let mind = self.trial.mind.clone().unwrap_or(mind);
        let felt = composing::feel(running, &said, &mind, recalled);
        running.more_waits(more);
        running.sensed(Some(felt.state.clone()).filter(|_| !self.trial.without_labels));
        running.reads(&said);
        let by_model = running.endpoint().is_some();
        let event = if by_model { said.event_for_model() } else { said.event() };
        let recording = said.recording;
        let effects = self.advance(event);
        let (record, said) = composing::heard(said, felt, now);
        let last = effects.iter().find_map(|effect| match effect {
            Effect::AskModel { last } => Some(*last),
            _ => None,
        });
        let said = said.placed(self.judging.method());
        let said = if self.trial.without_labels { said.unlabelled() } else { said };
        let next = match last {
            Some(last) => self.wait_for_model(said, record, last, recording),
            None => self.by_guide(record, Some(said), effects, recording).map(|()| Next::Done),
        };
        if next.is_err() && self.running.as_ref().map(|r| r.turns) == before.as_ref().map(|r| r.turns) {
            self.running = before;
        }
        next
    }

    /// Goes through with a turn, whoever has to be asked.
    pub(crate) fn see_through(&mut self, mut next: Next) -> Result<(), AppError> {
        while let Next::Ask(ask) = next {
            let asked = ask.run(&mut |text| (self.listener)(&AppEvent::ReplyPart { text: text.to_owned() }));
            next = self.go_on(asked)?;
        }
        Ok(())
    }

    pub(crate) fn advance(&mut self, event: Event) -> Vec<Effect> {
        let Some(running) = &mut self.running else { return Vec::new() };
        let effects = running.advance(event);
        self.prompt_context = Some(running.prompt_context());
        effects
    }

    /// Words the guide's reply, writes the turn, reports it, and performs what follows.
    fn by_guide(
        &mut self,
        mut record: TurnRecord,
        said: Option<composing::Said>,
        effects: Vec<Effect>,
        recording: Option<calm_store::RecordingId>,
    ) -> Result<(), AppError> {
        let since = Instant::now();
        let (reply, rest) = composing::split(effects);
        let Some(mut reply) = reply else { return Err(AppError::NoOpenSession) };
        let done = self.carried_out(&mut reply)?;
        let (done, instead) = done.map(|done| (done.result, done.instead)).unzip();
        let Some(running) = &mut self.running else { return Err(AppError::NoOpenSession) };
        let before = instead.flatten().unwrap_or_default();
        let spoken = Words { before, backend: GUIDE.to_owned(), since, first_token_ms: None, hits: Vec::new() };
        let text = said.as_ref().map(|said| said.text.clone());
        let mut composed = composing::reply(running, reply, done, spoken, text.as_deref(), &mut record)?;
        let seq = match running.unanswered.take() {
            Some(seq) => {
                self.store.answer_turn(running.id, seq, &record)?;
                seq
            }
            None => {
                let seq = self.store.record_turn(running.id, &record, recording)?;
                running.turns += 1;
                seq
            }
        };
        running.talk.push((text, record.reply_text.clone()));
        if let Some(said) = said {
            composed.events.splice(0..0, said.events);
        }
        self.keep_score(seq, &composed);
        self.tell(&composed, rest)
    }

    /// Carries out the tool that a reply calls for an answer, and puts the answer into the words that wait for it.
    pub(crate) fn carried_out(&mut self, reply: &mut Reply) -> Result<Option<Carried>, AppError> {
        let call = match &reply.tool {
            Some(ToolCall::SuggestPractice(_) | ToolCall::EndSession(_)) | None => return Ok(None),
            Some(call) => call.clone(),
        };
        let done = self.carry_out(&call);
        let slot = if matches!(call, ToolCall::EscalateToHuman(_)) { "helplines" } else { "answer" };
        let mut instead = None;
        if done.success {
            reply.moves.iter_mut().for_each(|one| one.slots.push((slot, done.spoken.clone())));
        } else {
            // "I'll remind you" would be a lie now.
            reply.moves.retain(|one| !ANSWERS.contains(&one.key));
            instead = Some(done.spoken);
        }
        Ok(Some(Carried { result: done.result, instead }))
    }

    pub(crate) fn keep_score(&mut self, seq: u32, composed: &Composed) {
        let Some(running) = &self.running else { return };
        if let Some(score) = &composed.sufler
            && let Err(error) = self.store.set_sufler(running.id, seq, score)
        {
            tracing::warn!(%error, "a score was not kept; the turn is");
        }
        self.memory.learn(self.now());
    }

    /// Reports a turn that is written, and performs whatever follows from it.
    pub(crate) fn tell(&mut self, turn: &Composed, rest: Vec<Effect>) -> Result<(), AppError> {
        for event in &turn.events {
            (self.listener)(event);
        }
        let ended = self.finish(rest);
        if ended.is_err() {
            // The turn is written and the ending is not: whoever comes next reads both out of the turns.
            self.running = None;
        }
        ended
    }

    /// Performs what a step left: the ending.
    pub(crate) fn finish(&mut self, effects: Vec<Effect>) -> Result<(), AppError> {
        for effect in effects {
            if let Effect::End { forced, ending } = effect {
                self.end(forced, *ending)?;
            }
        }
        Ok(())
    }

    /// Somebody does not wait for the model any longer: the guide answers what was said.
    pub(crate) fn stop_waiting(&mut self) -> Result<(), AppError> {
        if let Some(waiting) = &self.waiting {
            waiting.cancel();
            self.guide_instead("cancelled", None)?;
        }
        Ok(())
    }
}
