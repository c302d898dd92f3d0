//! One turn with a model, step by step: ask, look at what came, ask again or go on (SPEC A1–A3, T3, T5).
//!
//! A turn ends in the model's words or, whatever went wrong, in the guide's. The user's words were written before
//! the first request left.

use std::sync::Arc;
use std::time::Instant;

use calm_agent::{Call, Cancel, ChatMessage, Completion, EndpointError, Learned, ToolChoice, ToolMode};
use calm_core::contour::Method;
use calm_core::tools::{self, ToolCall};
use calm_core::{Effect, Event, Move};
use calm_prompts::lint::{Linter, Options, Surface};
use calm_store::TurnRecord;
use serde_json::{Value, json};

use super::asking::{Ask, Asked};
use super::gate::{Rules, Stop, seen};
use super::{messages, notes};
use crate::backend::GUIDE;
use crate::composing::{self, Said};
use crate::conductor::Conductor;
use crate::error::AppError;
use crate::events::AppEvent;
use crate::prompting::Request;
use crate::remembering::recalling;
use crate::transcript;

/// Requests of one turn: the reply, a repair, a bad call mended, a tool's answer worded.
const MOST_REQUESTS: u32 = 4;
/// Turns in a row that a server fails before it is left alone for the rest of the session.
const MOST_FAILURES: u32 = 2;

/// What a turn needs next.
pub enum Next {
    /// Nothing: the reply has been reported.
    Done,
    /// A request; [`Conductor::go_on`] takes what comes of it.
    Ask(Box<Ask>),
}

/// A turn that waits for a model.
pub(crate) struct Waiting {
    ticket: u64,
    seq: u32,
    record: TurnRecord,
    /// What was said, for the score.
    said: String,
    method: Method,
    messages: Vec<ChatMessage>,
    /// Earlier talks are among the messages.
    with_memory: bool,
    rules: Arc<Rules>,
    shown: Vec<String>,
    hits: Vec<Value>,
    notes: Vec<Value>,
    dropped: Vec<Value>,
    requests: u32,
    /// The model has to say goodbye with this reply.
    last: bool,
    repaired: bool,
    mended: bool,
    /// A tool that only answers was called in this turn: no other is.
    answered: Option<(ToolCall, Value)>,
    since: Instant,
    first_token_ms: Option<u32>,
    cancel: Cancel,
}

impl Conductor {
    /// The user's words are on disk and reported; now a model is to answer them.
    pub(crate) fn wait_for_model(
        &mut self,
        said: Said,
        mut record: TurnRecord,
        last: bool,
        recording: Option<calm_store::RecordingId>,
    ) -> Result<Next, AppError> {
        let prompt = self.prompt_for(&said.text, Some(said.method))?;
        let memory = self.memory_for(&said);
        let rules = Arc::new(self.rules(last, &said.text)?);
        let with_memory = memory.is_some();
        let Some(running) = &mut self.running else { return Err(AppError::NoOpenSession) };
        let mut messages = messages::assembled(&prompt, &running.talk, memory, &said.labels, &said.text);
        if last {
            let note = ChatMessage::System(notes::last_reply(running.language).to_owned());
            messages.insert(messages.len().saturating_sub(1), note);
        }
        record.reply_text.clear();
        record.reply_backend.clear();
        let seq = match running.unanswered.take() {
            Some(seq) => seq,
            None => {
                let seq = self.store.record_turn(running.id, &record, recording)?;
                running.turns += 1;
                seq
            }
        };
        for event in &said.events {
            (self.listener)(event);
        }
        self.tickets += 1;
        self.waiting = Some(Waiting {
            ticket: self.tickets,
            seq,
            record,
            said: said.text,
            method: said.method,
            messages,
            with_memory,
            rules,
            shown: Vec::new(),
            hits: Vec::new(),
            notes: Vec::new(),
            dropped: Vec::new(),
            requests: 0,
            last,
            repaired: false,
            mended: false,
            answered: None,
            since: Instant::now(),
            first_token_ms: None,
            cancel: self.trial.stop.clone().unwrap_or_default(),
        });
        self.ask(ToolChoice::Auto)
    }

    /// Takes what came of a request; an answer to a turn that is over is dropped.
    ///
    /// # Errors
    /// The reply cannot be written; the words that it answers are kept.
    pub fn go_on(&mut self, asked: Asked) -> Result<Next, AppError> {
        let Some(waiting) = self.waiting.as_mut().filter(|waiting| waiting.ticket == asked.ticket) else {
            return Ok(Next::Done);
        };
        waiting.shown = asked.shown;
        waiting.hits.extend(asked.hits);
        let completion = match asked.result {
            Ok(completion) => completion,
            Err(error) => return self.hand_over(&error),
        };
        waiting.note(&completion);
        let learned = completion.learned;
        let ill = matches!(asked.stop, Some(Stop::Forbidden | Stop::WrongLanguage | Stop::Repeats));
        let call = completion.calls.into_iter().next().filter(|_| !ill && waiting.answered.is_none());
        self.remember(learned);
        if ill {
            return self.repair(asked.stop, asked.stopped_by);
        }
        match call {
            Some(call) => self.called(call),
            None => self.said_so(),
        }
    }

    /// Words without a call.
    fn said_so(&mut self) -> Result<Next, AppError> {
        match self.waiting.as_ref().is_some_and(|waiting| waiting.shown.is_empty()) {
            true => self.repair(None, None),
            false => self.answered(None),
        }
    }

    /// One attempt to make it right; what was shown stays.
    fn repair(&mut self, stop: Option<Stop>, stopped_by: Option<String>) -> Result<Next, AppError> {
        let language = self.language();
        let Some(waiting) = &mut self.waiting else { return Ok(Next::Done) };
        if waiting.repaired || waiting.requests >= MOST_REQUESTS {
            return self.withhold(stop);
        }
        waiting.repaired = true;
        let begun = !waiting.shown.is_empty();
        let mut words = waiting.shown.join(" ");
        if let Some(bad) = stopped_by {
            words = format!("{words} {bad}").trim().to_owned();
        }
        if !words.is_empty() {
            waiting.messages.push(ChatMessage::Assistant { text: words, calls: Vec::new() });
        }
        let note = notes::repair(language, stop, begun);
        // As the user's: a reply that ends the list is one that many servers only go on with.
        waiting.messages.push(ChatMessage::User(format!("[{note}]")));
        self.ask(ToolChoice::Auto)
    }

    fn called(&mut self, call: Call) -> Result<Next, AppError> {
        let Some(waiting) = &mut self.waiting else { return Ok(Next::Done) };
        let mended = waiting.mended || waiting.requests >= MOST_REQUESTS;
        // Nobody is shown the door without a word.
        let wordless = waiting.shown.is_empty() && !waiting.last;
        match tools::read(&call.name, &call.arguments) {
            Ok(ToolCall::EndSession(_)) if wordless => self.repair(None, None),
            Ok(read @ (ToolCall::EndSession(_) | ToolCall::SuggestPractice(_))) => self.answered(Some(read)),
            Ok(read) => {
                let done = self.carry_out(&read);
                let Some(waiting) = &mut self.waiting else { return Ok(Next::Done) };
                let answer = done.result.to_string();
                waiting.answered = Some((read, done.result));
                if waiting.requests >= MOST_REQUESTS {
                    return self.answered(None);
                }
                waiting.tell(call, answer);
                self.ask(ToolChoice::None)
            }
            Err(bad) if !mended => {
                waiting.mended = true;
                waiting.tell(call, format!("error: {bad}"));
                self.ask(ToolChoice::Auto)
            }
            Err(bad) => {
                waiting.dropped.push(json!({"call": call.name, "why": bad.to_string()}));
                self.said_so()
            }
        }
    }

    /// The model has had its say.
    fn answered(&mut self, call: Option<ToolCall>) -> Result<Next, AppError> {
        let Some(mut waiting) = self.waiting.take() else { return Ok(Next::Done) };
        let Some(running) = &mut self.running else { return Err(AppError::NoOpenSession) };
        running.failures = 0;
        let call = call.or_else(|| waiting.answered.as_ref().map(|(call, _)| call.clone()));
        let words = waiting.shown.join(" ");
        if let Some(ToolCall::EndSession(given)) = &call {
            waiting.dropped.extend(running.checked(given).map(|(_, dropped)| dropped).unwrap_or_default());
        }
        waiting.record.model = Some(waiting.model(running.backend_name(), call.as_ref(), None));
        let effects = self.advance(Event::ModelReplied { text: words.clone(), call });
        self.reply_with(waiting, words, effects, false)
    }

    /// What the model says is not fit to be heard: the guide speaks.
    fn withhold(&mut self, stop: Option<Stop>) -> Result<Next, AppError> {
        let code = match stop {
            Some(Stop::Forbidden) => "reply_withheld",
            Some(Stop::WrongLanguage) => "reply_wrong_language",
            Some(Stop::Repeats | Stop::Long) => "reply_in_circles",
            None => "reply_empty",
        };
        self.guide_instead(code, None)
    }

    /// The server brought nothing: the guide speaks, in this very turn (SPEC A2).
    fn hand_over(&mut self, error: &EndpointError) -> Result<Next, AppError> {
        if let Some(running) = &mut self.running {
            let hopeless = matches!(error, EndpointError::KeyRefused { .. } | EndpointError::UnsafeKey);
            running.failures += if hopeless { MOST_FAILURES } else { 1 };
            if matches!(error, EndpointError::Cancelled) {
                running.failures = 0;
            } else if running.failures >= MOST_FAILURES {
                running.endpoint_rests();
            }
        }
        self.guide_instead(code_of(error), Some(error.to_string()))
    }

    pub(crate) fn guide_instead(&mut self, code: &'static str, detail: Option<String>) -> Result<Next, AppError> {
        let Some(mut waiting) = self.waiting.take() else { return Ok(Next::Done) };
        let Some(running) = &mut self.running else { return Err(AppError::NoOpenSession) };
        waiting.record.model = Some(waiting.model(running.backend_name(), None, Some(code)));
        let told = running.told.replace(code) == Some(code) || code == "cancelled";
        let words = waiting.shown.join(" ");
        let effects = self.advance(Event::ModelFailed);
        if !told {
            (self.listener)(&AppEvent::HandedOver { code, detail });
        }
        self.reply_with(waiting, words, effects, true)
    }

    /// Writes and reports the reply: the words that were shown, and what code adds to them.
    fn reply_with(
        &mut self,
        waiting: Waiting,
        mut words: String,
        effects: Vec<Effect>,
        by_guide: bool,
    ) -> Result<Next, AppError> {
        let Waiting { mut record, seq, said, method, hits, answered, since, first_token_ms, .. } = waiting;
        let (reply, rest) = composing::split(effects);
        let Some(mut reply) = reply else { return Err(AppError::NoOpenSession) };
        if words.is_empty() && reply.moves.is_empty() {
            reply.moves.push(Move::new("close_forced"));
        }
        let done = match (by_guide, answered) {
            (false, Some((_, result))) => Some(result),
            _ => self.carried_out(&mut reply)?.map(|done| {
                words = [words.as_str(), done.instead.as_deref().unwrap_or_default()].join(" ").trim().to_owned();
                done.result
            }),
        };
        let Some(running) = &mut self.running else { return Err(AppError::NoOpenSession) };
        let backend = if by_guide { GUIDE.to_owned() } else { running.backend_name().to_owned() };
        let spoken = composing::Words { before: words, backend, since, first_token_ms, hits };
        let composed = composing::reply(running, reply, done, spoken, Some(&said), &mut record)?;
        self.store.answer_turn(running.id, seq, &record)?;
        running.talk.push((Some(said.clone()), record.reply_text.clone()));
        self.keep_score(seq, &composed);
        self.judge(seq, &said, method, &composed);
        self.tell(&composed, rest)?;
        Ok(Next::Done)
    }

    /// What the server taught goes into the next request and, for a server of the user's, into the next session.
    fn remember(&mut self, learned: Learned) {
        let Some(running) = &mut self.running else { return };
        let Some((server, endpoint)) = running.endpoint_mut() else { return };
        endpoint.learned = learned;
        let name = server.name.clone();
        if let Err(error) = self.keep_learned(&name, learned) {
            tracing::warn!(%error, "what a server taught was not kept");
        }
    }

    /// Whether there are plans to run, and a calendar to look into.
    fn equipment(&mut self) -> Result<(bool, bool), AppError> {
        let has_plans = self.store.triggers()?.iter().any(|trigger| trigger.enabled);
        Ok((has_plans, self.settings().calendar.is_some()))
    }

    fn ask(&mut self, tool_choice: ToolChoice) -> Result<Next, AppError> {
        let (has_plans, has_calendar) = self.equipment()?;
        let http = Arc::clone(self.http());
        let Some(running) = &self.running else { return Err(AppError::NoOpenSession) };
        let Some(waiting) = &mut self.waiting else { return Err(AppError::NoOpenSession) };
        let Some((server, endpoint)) = running.endpoint() else { return Err(AppError::NoOpenSession) };
        waiting.requests += 1;
        let mut messages = waiting.messages.clone();
        if server.single_system {
            messages = messages::with_single_system(messages);
        }
        let tools = messages::specs(has_plans, has_calendar);
        let mut fields = running.fields();
        fields.extend(waiting.with_memory.then_some("memory"));
        Ok(Next::Ask(Box::new(Ask {
            ticket: waiting.ticket,
            http,
            endpoint: endpoint.clone(),
            messages,
            tools: Arc::new(tools),
            tool_choice,
            fields,
            rules: Arc::clone(&waiting.rules),
            shown: waiting.shown.clone(),
            cancel: waiting.cancel.clone(),
        })))
    }

    /// The system messages of this moment.
    pub(super) fn prompt_for(
        &mut self,
        said: &str,
        method: Option<Method>,
    ) -> Result<Vec<calm_prompts::envelope::Message>, AppError> {
        let now = self.now().to_zoned_datetime(self.settings().zone());
        let Some(running) = &mut self.running else { return Err(AppError::NoOpenSession) };
        let assembly = running.assembly()?;
        let mut context = running.prompt_context();
        let mode = running.endpoint().map_or(ToolMode::Native, |(_, endpoint)| endpoint.tools);
        context["backend"] = json!({"tools": mode});
        let (session, language, opened_from) = (running.id, running.language.code(), running.opened_from.clone());
        let prompts = Arc::clone(&running.prompts);
        let request = Request {
            context: &context,
            language,
            envelope: language,
            now: Some(now),
            opened_from: Some(&opened_from),
            task: None,
            said: Some(said),
            session: Some(session),
            plain: false,
            method,
            calendar: Vec::new(),
        };
        Ok(self.rendered(&prompts, &assembly, &request)?.messages)
    }

    /// What came back of earlier talks, where it is wanted now.
    fn memory_for(&self, said: &Said) -> Option<String> {
        if !said.method.blocks().memory {
            return None;
        }
        recalling::for_model(&said.recalled, self.language(), &self.settings().zone())
    }

    fn rules(&mut self, last: bool, said: &str) -> Result<Rules, AppError> {
        let banned = self.banned_words()?;
        let any_language = self.settings().adapt_to_user_language;
        let Some(running) = &self.running else { return Err(AppError::NoOpenSession) };
        let surface = match running.opened_from.as_str() {
            "tray" | "shortcut" | "reminder" => Surface::Tray,
            _ => Surface::Window,
        };
        let before = running.talk.iter().flat_map(|(_, calm)| calm_core::sentences::of(calm));
        Ok(Rules {
            language: running.language,
            any_language,
            linter: Linter::new(&Options { surface, banned }),
            prohibited: transcript::prohibited(&running.prompts, running.language),
            own_words: running.own_words(),
            last,
            heard: said.to_owned(),
            said_before: before.map(|sentence| seen(&sentence)).collect(),
        })
    }
}

impl Waiting {
    /// Cuts off the request that runs.
    pub(crate) fn cancel(&self) {
        self.cancel.cancel();
    }

    /// Goes into the record, and never into a log: names of what happened, no words.
    fn note(&mut self, completion: &Completion) {
        self.notes.extend(completion.notes.iter().map(|note| json!(note)));
        if let (None, Some(took)) = (self.first_token_ms, completion.first_token) {
            self.first_token_ms = u32::try_from(took.as_millis()).ok();
        }
    }

    /// The model is told what became of its call.
    fn tell(&mut self, call: Call, answer: String) {
        let call_id = call.id.clone();
        self.messages.push(ChatMessage::Assistant { text: self.shown.join(" "), calls: vec![call] });
        self.messages.push(ChatMessage::Tool { call_id, content: answer });
    }

    /// What the model gave before code had its say; a replay of the session starts from the call in here.
    fn model(&self, server: &str, call: Option<&ToolCall>, failure: Option<&str>) -> Value {
        json!({
            "server": server,
            "requests": self.requests,
            "call": call,
            "notes": self.notes,
            "dropped": self.dropped,
            "failure": failure,
        })
    }
}

fn code_of(error: &EndpointError) -> &'static str {
    match error {
        EndpointError::Offline => "offline",
        EndpointError::KeyRefused { .. } | EndpointError::UnsafeKey => "key_refused",
        EndpointError::Cancelled => "cancelled",
        EndpointError::Busy { .. } => "server_busy",
        EndpointError::TimedOut(_) => "server_silent",
        EndpointError::Unreachable(_) | EndpointError::Setup(_) => "server_unreachable",
        EndpointError::NotRecorded(_) => "ledger_failed",
        _ => "server_failed",
    }
}
