//! One turn put together: the words, the labels, the tool's answer, and the record of it all.
//!
//! Nothing is written or reported here; the conductor commits the record first and reports afterwards.

use std::time::Instant;

use calm_core::context::{CheckinFacts, SessionContext, SessionFacts, Streak, UserFacts};
use calm_core::contour::{self, Method, Mind, StateVector};
use calm_core::tools::PracticeType;
use calm_core::{Effect, Event, Kind, Lang, Question, Reply, ToolCall, VoiceAnalysis, guard, sufler, understand};
use calm_prompts::{Practice, Practices, Strain};
use calm_store::{RecordingId, Store, TurnRecord};
use jiff::Timestamp;
use jiff::civil::Date;
use serde_json::{Value, json};

use crate::affect;
use crate::conductor::Begin;
use crate::ears::Spoken;
use crate::error::AppError;
use crate::events::AppEvent;
use crate::remembering::Recalled;
use crate::running::Running;
use crate::settings::Settings;
use crate::trades;

/// Results looked at for the streak; a longer run is not told apart from this one.
const STREAK_HORIZON: u32 = 50;

/// What came in one turn, and how it came.
#[derive(Default)]
pub struct Utterance {
    pub text: String,
    /// What was understood of it.
    said: understand::Said,
    pub voice: Option<VoiceAnalysis>,
    pub recording: Option<RecordingId>,
    raw_emotion: Option<Value>,
    audio_seconds: Option<f32>,
    asr_ms: Option<u32>,
    ser_ms: Option<u32>,
}

impl Utterance {
    pub fn typed(text: &str) -> Utterance {
        Utterance { text: text.to_owned(), ..Utterance::default() }
    }

    /// Stored words that nobody has answered yet.
    pub fn again(record: TurnRecord) -> Utterance {
        Utterance {
            text: record.user_text.unwrap_or_default(),
            voice: record.voice,
            raw_emotion: record.raw_emotion,
            audio_seconds: record.audio_seconds.map(|seconds| seconds as f32),
            asr_ms: record.asr_ms,
            ser_ms: record.ser_ms,
            ..Utterance::default()
        }
    }

    /// For the guide to answer.
    pub fn event(&self) -> Event {
        Event::Heard { text: self.text.clone(), voice: self.voice.clone() }
    }

    /// For a model to answer, where the rules let it.
    pub fn event_for_model(&self) -> Event {
        Event::HeardByModel { text: self.text.clone(), voice: self.voice.clone() }
    }

    /// Reads the words in the light of what was asked.
    pub fn read(&mut self, language: Lang, asked: Option<Question>) {
        self.said = understand::read(&self.text, language, asked);
    }

    /// What [`Utterance::read`] understood.
    pub fn understood(&self) -> &understand::Said {
        &self.said
    }

    pub fn spoken(spoken: &Spoken, voice: Option<VoiceAnalysis>) -> Utterance {
        Utterance {
            text: spoken.text.trim().to_owned(),
            ser_ms: voice.as_ref().map(|_| short(spoken.ser_ms)),
            voice,
            raw_emotion: spoken.emotion.as_ref().map(affect::raw),
            audio_seconds: Some(spoken.seconds),
            asr_ms: Some(short(spoken.asr_ms)),
            recording: spoken.recording,
            ..Utterance::default()
        }
    }
}

/// The user's half of a turn, ready to be written.
pub struct Said {
    pub text: String,
    /// The contour's, for a model.
    pub labels: String,
    pub method: Method,
    pub recalled: Vec<Recalled>,
    pub events: Vec<AppEvent>,
}

impl Said {
    /// Words that the rules cannot place belong to what a model saw the talk doing.
    pub fn placed(self, judged: Option<Method>) -> Said {
        match (self.method, judged) {
            (Method::Dialogue, Some(method)) => Said { method, ..self },
            _ => self,
        }
    }

    pub fn unlabelled(self) -> Said {
        Said { labels: String::new(), ..self }
    }
}

/// How the words of a reply came about.
pub struct Words {
    /// What a model said already; what code adds follows it.
    pub before: String,
    pub backend: String,
    /// From the end of the user's words.
    pub since: Instant,
    pub first_token_ms: Option<u32>,
    /// The guard's, of sentences that were not let through.
    pub hits: Vec<Value>,
}

/// A reply that is worded; the record it belongs to has been filled in.
pub struct Composed {
    pub events: Vec<AppEvent>,
    /// The reply's score, kept once the turn is.
    pub sufler: Option<Value>,
}

/// The context that a session begins with; the voice joins it with the first spoken turn.
pub fn context(
    store: &Store,
    settings: &Settings,
    begin: &Begin,
    day: Date,
    number_today: u32,
    checkin: Option<CheckinFacts>,
) -> Result<SessionContext, AppError> {
    // At a check-out today's trades stand for themselves; the results before it are those of earlier days.
    let (trades_today, before) = match begin.kind {
        Kind::CheckOut => (trades::trades_today(store, day)?, day),
        Kind::CheckIn => (None, trades::after(day)),
    };
    let (results, results_of_trades) = trades::results(store, before, STREAK_HORIZON)?;
    Ok(SessionContext {
        session: SessionFacts {
            kind: begin.kind,
            format: begin.format,
            has_matching_checkin: checkin.is_some(),
            session_number_today: number_today,
        },
        user: UserFacts {
            name: settings.name.clone(),
            trading_style: settings.trading_style.clone(),
            known_patterns: crate::remembering::known_patterns(store, settings.language)?,
            last_session_result: results.first().copied(),
            streak: Streak::of(&results),
            results_of_trades,
            trades_today,
        },
        voice_analysis: None,
        previous_checkin: checkin,
    })
}

/// The run of results at the newest end, up to and with `day`.
pub fn streak(store: &Store, day: Date) -> Result<Option<Streak>, AppError> {
    let (results, _) = trades::results(store, trades::after(day), STREAK_HORIZON)?;
    Ok(Streak::of(&results))
}

/// The reply among the effects of a step, and the rest.
pub fn split(effects: Vec<Effect>) -> (Option<Reply>, Vec<Effect>) {
    let mut reply = None;
    let mut rest = Vec::new();
    for effect in effects {
        match effect {
            Effect::Reply(first) if reply.is_none() => reply = Some(first),
            other => rest.push(other),
        }
    }
    (reply, rest)
}

/// The contour of an utterance, before anything answers it.
pub struct Felt {
    pub state: StateVector,
    /// In the session's language.
    pub labels: String,
    pub micros: u64,
    /// What memory brought in time.
    pub recalled: Vec<Recalled>,
}

/// Senses what was said in the light of the talk and of `mind`.
pub fn feel(running: &Running, said: &Utterance, mind: &Mind, recalled: Vec<Recalled>) -> Felt {
    let clock = Instant::now();
    let background = running.background(mind, &said.said);
    let state = contour::sense(&said.text, &said.said, said.voice.as_ref(), &background);
    let labels = state.labels(running.language);
    let micros = u64::try_from(clock.elapsed().as_micros()).unwrap_or(u64::MAX);
    // In a crisis nothing of the past is brought up.
    let recalled = if state.method == Method::Distress { Vec::new() } else { recalled };
    Felt { state, labels, micros, recalled }
}

/// The record of what was said, with the labels that it gets.
pub fn heard(said: Utterance, felt: Felt, now: Timestamp) -> (TurnRecord, Said) {
    let Felt { state, labels, micros, recalled } = felt;
    let method = state.method;
    let state = json!(state);
    let mut kept = json!({"labels": labels, "state": state, "micros": micros});
    if !recalled.is_empty() {
        // Where it came from, and none of its words: what is deleted there must not stay here.
        kept["recalled"] = recalled.iter().map(|one| json!(one.id)).collect();
    }
    let contour = AppEvent::Contour { labels: labels.clone(), state, micros, recalled: recalled.clone() };
    let mut record = TurnRecord::new(now, Some(said.text.clone()), String::new(), String::new());
    record.voice = said.voice.clone();
    record.raw_emotion = said.raw_emotion;
    record.audio_seconds = said.audio_seconds.map(f64::from);
    record.asr_ms = said.asr_ms;
    record.ser_ms = said.ser_ms;
    record.contour = Some(kept);
    let turn = AppEvent::UserTurn {
        text: said.text.clone(),
        voice_analysis: said.voice,
        audio_seconds: said.audio_seconds,
        asr_ms: said.asr_ms,
        ser_ms: said.ser_ms,
    };
    (record, Said { text: said.text, labels, method, recalled, events: vec![turn, contour] })
}

/// Words a reply and fills the record with it. `done` is the answer of the tool that it calls, where one was carried
/// out; `said` is what it answers.
///
/// # Errors
/// The prompt set has no wording for a move, or its practices cannot be read.
pub fn reply(
    running: &mut Running,
    reply: Reply,
    done: Option<Value>,
    words: Words,
    said: Option<&str>,
    record: &mut TurnRecord,
) -> Result<Composed, AppError> {
    let language = running.language;
    running.asked = reply.asks;
    let practices = running.prompts.practices(language.code())?;
    let accepted = match &reply.tool {
        Some(ToolCall::SuggestPractice(asked)) => find(&practices, asked.practice_type, asked.duration_minutes),
        _ => None,
    };
    let result = done.or_else(|| accepted.map(tool_result));
    let mut sentences = vec![words.before, running.wording.say(&reply.moves)?];
    // Whoever agreed is told how it goes, on every door.
    sentences.extend(accepted.map(Practice::introduction));
    sentences.retain(|sentence| !sentence.is_empty());
    let text = sentences.join(" ");
    let total_ms = millis(words.since);

    let mut hits = words.hits;
    // The user's own words, given back between quotation marks, are nobody's advice.
    let own = guard::without_quotations(&text);
    hits.extend(guard::check(&own, language).iter().map(|hit| json!(hit)));
    record.reply_text.clone_from(&text);
    record.reply_backend.clone_from(&words.backend);
    record.first_token_ms = Some(words.first_token_ms.unwrap_or(total_ms));
    record.reply_ms = Some(total_ms);
    record.guard = (!hits.is_empty()).then(|| Value::Array(hits.clone()));
    record.tool = reply.tool.clone();
    record.tool_result = result.clone();
    let tool = reply.tool.as_ref().map(ToolCall::name);
    let verdict = said.map(|said| sufler::score(said, &text, language));
    let mut events = vec![AppEvent::Reply {
        text,
        tool_call: reply.tool,
        guard: hits,
        backend: words.backend,
        first_token_ms: words.first_token_ms.unwrap_or(total_ms),
        total_ms,
        asks: reply.asks,
        offers: running.offered().and_then(|kind| find(&practices, kind, None)).cloned(),
        begins: accepted.cloned().map(Box::new),
    }];
    events.extend(tool.zip(result).map(|(tool, result)| AppEvent::ToolResult { tool, result }));
    let sufler = verdict.map(|verdict| {
        events.push(AppEvent::Sufler { score: verdict.score, reasons: codes(&verdict) });
        json!(verdict)
    });
    Ok(Composed { events, sufler })
}

/// Reason codes as they stand in records.
fn codes(verdict: &sufler::SuflerScore) -> Vec<String> {
    verdict.reasons.iter().filter_map(|reason| json!(reason).as_str().map(str::to_owned)).collect()
}

fn find(practices: &Practices, kind: PracticeType, minutes: Option<u8>) -> Option<&Practice> {
    // Whoever is offered a practice is under strain more often than not.
    practices.choose(json!(kind).as_str()?, minutes, &[Strain::BreathHold])
}

/// The answer of `suggest_practice` (SPEC T1).
fn tool_result(practice: &Practice) -> Value {
    json!({"success": true, "practice": {
        "id": practice.id,
        "name": practice.name,
        "description": practice.description,
        "duration": practice.duration(),
    }})
}

fn millis(since: Instant) -> u32 {
    u32::try_from(since.elapsed().as_millis()).unwrap_or(u32::MAX)
}

fn short(milliseconds: u64) -> u32 {
    u32::try_from(milliseconds).unwrap_or(u32::MAX)
}
