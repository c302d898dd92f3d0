//! One reply of a model: the request, what is tried again or differently, and the answer as it comes.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use reqwest::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderValue};
use reqwest::{Client, Response, Url};
use serde_json::Value;
use tokio::time::{Instant, sleep, timeout, timeout_at};

use crate::adapt::{adapt, shorten};
use crate::answer::Answer;
use crate::budget::fit;
use crate::cancel::Cancel;
use crate::chat::{Call, Chat, ChatMessage, Completion, Finish, Note};
use crate::endpoint::{Endpoint, Learned, address, authorization};
use crate::error::{EndpointError, Phase};
use crate::http::Http;
use crate::incoming::{Incoming, LONGEST};
use crate::ledger::Outgoing;
use crate::patience::{Patience, wanted};
use crate::reach::is_loopback;
use crate::reply::{Enough, Options, Reader};
use crate::request::{Shape, body};

/// Of a refusal, to see what the server does not like.
const LONGEST_REFUSAL: usize = 64 * 1024;
const REFUSAL_PATIENCE: Duration = Duration::from_secs(2);
/// For a server that says it has finished and does not hang up.
const AFTER_THE_END: Duration = Duration::from_millis(500);
/// A reply whose length is not limited takes about this much of the window.
const USUAL_REPLY: u32 = 512;

impl Http {
    /// Asks `endpoint` for one reply; `on_text` is given its text as it comes, and ends it with `Break`.
    ///
    /// Blocks until the reply is whole, but not longer than `timeouts.whole`. Calls, reasoning and white space around the
    /// text are never given to `on_text`. While nothing was, a busy or absent server is asked again.
    ///
    /// # Errors
    /// Text that `on_text` was given before an error has been said all the same.
    pub fn chat(
        &self,
        endpoint: &Endpoint,
        chat: &Chat<'_>,
        cancel: &Cancel,
        on_text: &mut dyn FnMut(&str) -> ControlFlow<()>,
    ) -> Result<Completion, EndpointError> {
        let mut exchange = Exchange::new(self, endpoint, chat, on_text)?;
        self.runtime()?.block_on(async {
            tokio::select! {
                biased;
                () = cancel.cancelled() => Err(EndpointError::Cancelled),
                reply = timeout(endpoint.timeouts.whole, exchange.run()) => {
                    reply.unwrap_or(Err(EndpointError::TimedOut(Phase::Whole)))
                }
            }
        })
    }
}

struct Exchange<'a> {
    http: &'a Http,
    endpoint: &'a Endpoint,
    chat: &'a Chat<'a>,
    on_text: &'a mut dyn FnMut(&str) -> ControlFlow<()>,
    url: Url,
    authorization: Option<HeaderValue>,
    client: Client,
    messages: Vec<ChatMessage>,
    shape: Shape,
    learned: Learned,
    notes: Vec<Note>,
    patience: Patience,
    started: Instant,
    first_token: Option<Duration>,
    /// Letters that `on_text` was given.
    said: usize,
    /// A reply whose text was handed on and whose calls were lost: only those are still wanted.
    kept: Option<Completion>,
}

enum Outcome {
    Done(Completion),
    /// The request was changed, and may do now.
    Adapted,
    /// Waiting may help.
    Again(EndpointError, Option<Duration>),
    Failed(EndpointError),
}

/// How the bytes of an answer ended.
enum End {
    /// The server closed in good order, or said that this is all.
    Clean,
    /// `on_text` wants no more.
    Stopped,
    /// It is enough.
    Enough,
    TooLong,
    Lost,
    Silent(Phase),
}

/// An answer that is being read.
struct Reading {
    reader: Reader,
    answer: Answer,
    incoming: Incoming,
    /// The mark for the end of a stream was seen.
    done: bool,
    garbled: bool,
    bytes: usize,
}

impl<'a> Exchange<'a> {
    fn new(
        http: &'a Http,
        endpoint: &'a Endpoint,
        chat: &'a Chat<'a>,
        on_text: &'a mut dyn FnMut(&str) -> ControlFlow<()>,
    ) -> Result<Self, EndpointError> {
        let url = address(&endpoint.base_url, "chat/completions")?;
        let authorization = authorization(&url, endpoint.key.as_ref())?;
        let client = http.client(is_loopback(&url), endpoint.timeouts.connect)?;
        let mut notes = Vec::new();
        let reply = endpoint.max_tokens.unwrap_or(USUAL_REPLY);
        let messages = match endpoint.context_tokens {
            Some(window) => fit(chat.messages, window.saturating_sub(reply) as usize),
            None => chat.messages.to_vec(),
        };
        forgotten(&mut notes, chat.messages.len() - messages.len());
        Ok(Self {
            http,
            endpoint,
            chat,
            on_text,
            url,
            authorization,
            client,
            messages,
            shape: Shape::of(endpoint, chat),
            learned: endpoint.learned,
            notes,
            patience: Patience::default(),
            started: Instant::now(),
            first_token: None,
            said: 0,
            kept: None,
        })
    }

    async fn run(&mut self) -> Result<Completion, EndpointError> {
        loop {
            let error = match self.attempt().await {
                Outcome::Done(completion) => return Ok(completion),
                Outcome::Adapted => continue,
                Outcome::Again(error, wish) if self.said == 0 => {
                    match self.patience.next(self.http.settings.first_wait, wish) {
                        Some(wait) => {
                            tracing::debug!(?wait, %error, "asking the model again");
                            sleep(wait).await;
                            continue;
                        }
                        None => error,
                    }
                }
                Outcome::Again(error, _) | Outcome::Failed(error) => error,
            };
            return self.kept.take().ok_or(error);
        }
    }

    async fn attempt(&mut self) -> Outcome {
        let body: Arc<[u8]> = body(self.endpoint, self.chat, &self.messages, self.shape).into();
        let outgoing = Outgoing::post(&self.url, Arc::clone(&body), self.chat.fields);
        let receipt = match self.http.announce(&self.url, &outgoing) {
            Ok(receipt) => receipt,
            Err(error) => return Outcome::Failed(error.into()),
        };
        let first_token = self.shape.stream.then(|| Instant::now() + self.endpoint.timeouts.first_token);
        let accepted = if self.shape.stream { "text/event-stream, application/json" } else { "application/json" };
        let mut request = self.client.post(self.url.clone()).header(CONTENT_TYPE, "application/json");
        request = request.header(ACCEPT, accepted).body(body.to_vec());
        if let Some(authorization) = &self.authorization {
            request = request.header(AUTHORIZATION, authorization.clone());
        }
        let answer = match until(first_token, request.send()).await {
            Some(Ok(answer)) => answer,
            Some(Err(error)) => return unanswered(error),
            None => return Outcome::Failed(EndpointError::TimedOut(Phase::FirstToken)),
        };
        let status = answer.status();
        self.http.ledger.answered(receipt, status.as_u16());
        if status.is_success() { self.read(answer, first_token).await } else { self.refused(answer).await }
    }

    async fn refused(&mut self, answer: Response) -> Outcome {
        let status = answer.status().as_u16();
        match status {
            300..=399 => return Outcome::Failed(EndpointError::Redirected),
            401 | 403 => return Outcome::Failed(EndpointError::KeyRefused { status }),
            _ => {}
        }
        let retry_after = wanted(answer.headers(), SystemTime::now());
        let said = refusal(answer).await;
        if status != 429 {
            let reply = self.endpoint.max_tokens.unwrap_or(USUAL_REPLY);
            if let Some(messages) = shorten(&self.messages, &said, reply) {
                forgotten(&mut self.notes, self.messages.len() - messages.len());
                self.messages = messages;
                return Outcome::Adapted;
            }
            if let Some(note) = adapt(&mut self.shape, status, &said) {
                self.learn(note);
                return Outcome::Adapted;
            }
        }
        match status {
            429 | 503 => Outcome::Again(EndpointError::Busy { status, retry_after }, retry_after),
            500 | 502 | 504 => Outcome::Again(EndpointError::Refused { status }, retry_after),
            _ => Outcome::Failed(EndpointError::Refused { status }),
        }
    }

    fn learn(&mut self, note: Note) {
        match note {
            Note::WithoutTools => self.learned.no_tools = true,
            Note::WithoutSchema => self.learned.no_schema = true,
            Note::WithoutTemperature => self.learned.no_temperature = true,
            Note::WithoutStreaming => self.learned.no_streaming = true,
            Note::MaxCompletionTokens => self.learned.max_completion_tokens = true,
            _ => {}
        }
        self.notes.push(note);
    }

    async fn read(&mut self, mut answer: Response, first_token: Option<Instant>) -> Outcome {
        let options = Options {
            reasoning: self.learned.reasoning,
            tools: self.chat.tools.iter().map(|tool| tool.name.clone()).collect(),
            data: self.chat.schema.is_some() && self.chat.tools.is_empty(),
        };
        let mut reading = Reading {
            reader: Reader::new(options),
            answer: Answer::default(),
            incoming: Incoming::Unknown,
            done: false,
            garbled: false,
            bytes: 0,
        };
        let end = loop {
            let limit = match first_token {
                None => None,
                Some(_) if reading.answer.finish.is_some() => Some(Instant::now() + AFTER_THE_END),
                Some(_) if reading.begun() => Some(Instant::now() + self.endpoint.timeouts.idle),
                Some(first_token) => Some(first_token),
            };
            let bytes = match until(limit, answer.chunk()).await {
                None if reading.begun() => break End::Silent(Phase::Idle),
                None => break End::Silent(Phase::FirstToken),
                Some(Err(_)) => break End::Lost,
                Some(Ok(None)) => break End::Clean,
                Some(Ok(Some(bytes))) => bytes,
            };
            let room = LONGEST.saturating_sub(reading.bytes);
            let bytes = &bytes[..bytes.len().min(room)];
            reading.bytes += bytes.len();
            if let Some(end) = self.take(&mut reading, Some(bytes)) {
                break end;
            }
            if reading.bytes >= LONGEST {
                break End::TooLong;
            }
        };
        drop(answer);
        self.conclude(reading, end)
    }

    /// Reads what `bytes` completes, or, without any, what the end of the answer does.
    fn take(&mut self, reading: &mut Reading, bytes: Option<&[u8]>) -> Option<End> {
        let mut events = Vec::new();
        match bytes {
            Some(bytes) => reading.incoming.push(bytes, &mut |data| events.push(data.to_owned())),
            None => reading.incoming.finish(&mut |data| events.push(data.to_owned())),
        }
        for data in events {
            let data = data.trim();
            if data == "[DONE]" {
                reading.done = true;
                return Some(End::Clean);
            }
            let Ok(object) = serde_json::from_str::<Value>(data) else {
                reading.garbled |= !data.is_empty();
                continue;
            };
            let mut text = String::new();
            reading.answer.read(&object, &mut |piece| text.push_str(piece));
            if reading.answer.error.is_some() {
                return Some(End::Clean);
            }
            if reading.answer.reasoning {
                reading.reader.reasoning_apart();
            }
            let ready = reading.reader.push(&text).to_owned();
            if self.hand_on(&ready).is_break() {
                return Some(End::Stopped);
            }
            if reading.reader.enough().is_some() {
                return Some(End::Enough);
            }
        }
        None
    }

    fn hand_on(&mut self, text: &str) -> ControlFlow<()> {
        if text.is_empty() || self.kept.is_some() {
            return ControlFlow::Continue(());
        }
        self.first_token.get_or_insert(self.started.elapsed());
        self.said += text.chars().count();
        (self.on_text)(text)
    }

    fn conclude(&mut self, mut reading: Reading, mut end: End) -> Outcome {
        if matches!(end, End::Clean | End::Lost)
            && !reading.done
            && let Some(stopped) = self.take(&mut reading, None)
        {
            end = stopped;
        }
        if let Some(status) = reading.answer.error {
            return match status {
                Some(status @ (401 | 403)) => Outcome::Failed(EndpointError::KeyRefused { status }),
                Some(status @ (429 | 503)) => Outcome::Again(EndpointError::Busy { status, retry_after: None }, None),
                Some(status @ 400..429) => Outcome::Failed(EndpointError::Refused { status }),
                _ => Outcome::Again(EndpointError::Failed, None),
            };
        }
        let ended = reading.done || reading.answer.finish.is_some();
        match end {
            End::Lost if !ended => return Outcome::Again(EndpointError::Severed { said: self.said }, None),
            End::Silent(phase) if !ended => return Outcome::Failed(EndpointError::TimedOut(phase)),
            _ => {}
        }
        if !reading.answer.understood && (matches!(reading.incoming, Incoming::Page) || reading.garbled) {
            return Outcome::Failed(EndpointError::NotAModel);
        }
        self.complete(reading, &end, ended)
    }

    fn complete(&mut self, mut reading: Reading, end: &End, ended: bool) -> Outcome {
        let finish = reading.answer.finish;
        let cut = matches!(end, End::Stopped | End::Enough | End::TooLong);
        let whole = !cut && !matches!(finish, Some(Finish::Length | Finish::Cut));
        let (read, last) = reading.reader.finish(whole);
        let stopped = matches!(end, End::Stopped) || self.hand_on(&last).is_break();
        let mut calls = reading.answer.calls();
        let native = calls.len();
        calls.extend(read.calls.iter().enumerate().map(|(number, (name, arguments))| Call {
            id: format!("call_{}", native + number),
            name: name.clone(),
            arguments: arguments.clone(),
        }));
        if !ended && whole && calls.is_empty() && !read.text.is_empty() && !ends_a_sentence(&read.text) {
            return Outcome::Again(EndpointError::Severed { said: self.said }, None);
        }
        let reasoned = read.reasoning_stripped || reading.answer.reasoning;
        let nothing = read.text.is_empty() && calls.is_empty() && !reasoned && !read.broken;
        let lost_calls = finish == Some(Finish::Tools) && calls.is_empty() && !read.broken;
        let in_pieces = matches!(reading.incoming, Incoming::Events(_) | Incoming::Unknown);

        self.learned.reasoning = read.reasoning;
        let shape = self.shape;
        let mut notes = self.notes.clone();
        let mut note = |holds: bool, note: Note| {
            if holds && !notes.contains(&note) {
                notes.push(note);
            }
        };
        note(reasoned, Note::ReasoningStripped);
        note(read.reasoning_shown, Note::ReasoningShown);
        note(!read.calls.is_empty(), Note::TextCall);
        note(read.fenced, Note::FencedCall);
        note(read.broken, Note::BrokenCall);
        note(read.enough == Some(Enough::Repeated), Note::Repeated);
        note(read.enough == Some(Enough::Capped) || matches!(end, End::TooLong), Note::Capped);
        note(stopped, Note::Stopped);
        note(!ended && whole && !nothing, Note::NoEndMark);
        note(reading.garbled, Note::Garbled);
        note(shape.stream && matches!(reading.incoming, Incoming::Whole(_)), Note::NotStreamed);
        note(self.patience.retries > 0, Note::Retried(self.patience.retries));

        let mut completion = Completion {
            finish: finish_of(finish, cut || stopped, &calls),
            text: read.text,
            calls,
            first_token: self.first_token,
            notes,
            learned: self.learned,
        };
        if shape.stream && in_pieces && (nothing || lost_calls) && !stopped {
            self.shape.stream = false;
            self.notes.push(Note::WithoutStreaming);
            self.kept = (self.said > 0).then_some(completion);
            return Outcome::Adapted;
        }
        let fell_back = self.notes.contains(&Note::WithoutStreaming);
        completion.learned.no_streaming |= fell_back && !nothing;
        if let Some(kept) = self.kept.take() {
            completion = Completion { text: kept.text, ..completion };
        }
        Outcome::Done(completion)
    }
}

impl Reading {
    /// Something of a reply came, reasoning included; comments that keep the line open do not count.
    fn begun(&self) -> bool {
        self.answer.understood || matches!(self.incoming, Incoming::Whole(_))
    }
}

fn finish_of(said: Option<Finish>, cut: bool, calls: &[Call]) -> Finish {
    match said {
        _ if cut => Finish::Cut,
        Some(finish @ (Finish::Length | Finish::Cut)) => finish,
        _ if !calls.is_empty() => Finish::Tools,
        _ => Finish::Stop,
    }
}

fn ends_a_sentence(text: &str) -> bool {
    let text = text.trim_end_matches(['"', '»', '”', ')', '*', '_', ' ']);
    text.ends_with(['.', '!', '?', '…', ':', '}', ']', '`'])
        || text.chars().next_back().is_some_and(|letter| letter > '\u{2600}')
}

fn forgotten(notes: &mut Vec<Note>, messages: usize) {
    if messages > 0 {
        notes.push(Note::Forgotten(u32::try_from(messages).unwrap_or(u32::MAX)));
    }
}

fn unanswered(error: reqwest::Error) -> Outcome {
    match EndpointError::from(error) {
        error @ EndpointError::Unreachable(_) => Outcome::Again(error, None),
        error => Outcome::Failed(error),
    }
}

/// `None` when it took too long.
async fn until<T>(limit: Option<Instant>, work: impl Future<Output = T>) -> Option<T> {
    match limit {
        Some(limit) => timeout_at(limit, work).await.ok(),
        None => Some(work.await),
    }
}

async fn refusal(mut answer: Response) -> String {
    let mut said = Vec::new();
    let read = async {
        while let Ok(Some(bytes)) = answer.chunk().await {
            said.extend_from_slice(&bytes[..bytes.len().min(LONGEST_REFUSAL - said.len())]);
            if said.len() >= LONGEST_REFUSAL {
                break;
            }
        }
    };
    if timeout(REFUSAL_PATIENCE, read).await.is_err() {
        tracing::debug!("the server did not finish its refusal");
    }
    String::from_utf8_lossy(&said).into_owned()
}
