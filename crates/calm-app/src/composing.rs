//! One turn put together: the words, the labels, the tool's answer, and the record of it all.
//!
//! Nothing is written or reported here; the conductor commits the record first and reports afterwards.

use std::time::Instant;

use calm_core::context::{CheckinFacts, SessionContext, SessionFacts, Streak, UserFacts};
use calm_core::contour::{self, Background};
use calm_core::tools::PracticeType;
use calm_core::{Effect, Lang, Question, Said, ToolCall, VoiceAnalysis, guard, sufler, understand};
use calm_prompts::{Practice, Practices, Strain};
use calm_store::{RecordingId, Store, TurnRecord};
use jiff::Timestamp;
use serde_json::{Value, json};

use crate::affect;
use crate::conductor::{Begin, GUIDE};
use crate::ears::Spoken;
use crate::error::AppError;
use crate::events::AppEvent;
use crate::running::Running;
use crate::settings::Settings;

/// Results looked at for the streak; a longer run is not told apart from this one.
const STREAK_HORIZON: u32 = 50;

/// What came in one turn, and how it came.
#[derive(Default)]
pub struct Utterance {
    pub text: String,
    /// What was understood of it.
    said: Said,
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

    /// Reads the words in the light of what was asked.
    pub fn read(&mut self, language: Lang, asked: Option<Question>) {
        self.said = understand::read(&self.text, language, asked);
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

pub struct Composed {
    pub record: TurnRecord,
    pub events: Vec<AppEvent>,
    /// The reply's score, kept once the turn is.
    pub sufler: Option<Value>,
    /// Effects beyond the reply.
    pub rest: Vec<Effect>,
}

/// The context that a session begins with; the voice joins it with the first spoken turn.
pub fn context(
    store: &Store,
    settings: &Settings,
    begin: &Begin,
    number_today: u32,
    checkin: Option<CheckinFacts>,
) -> Result<SessionContext, AppError> {
    let results = store.recent_results(STREAK_HORIZON)?;
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
            known_patterns: Vec::new(),
            last_session_result: results.first().copied(),
            streak: Streak::of(&results),
        },
        voice_analysis: None,
        previous_checkin: checkin,
    })
}

/// The run of results at the newest end.
pub fn streak(store: &Store) -> Result<Option<Streak>, AppError> {
    Ok(Streak::of(&store.recent_results(STREAK_HORIZON)?))
}

pub fn compose(
    running: &mut Running,
    said: Option<Utterance>,
    effects: Vec<Effect>,
    now: Timestamp,
) -> Result<Composed, AppError> {
    let clock = Instant::now();
    let language = running.language;
    let mut reply = None;
    let mut rest = Vec::new();
    for effect in effects {
        match effect {
            Effect::Reply(first) if reply.is_none() => reply = Some(first),
            other => rest.push(other),
        }
    }
    let Some(reply) = reply else { return Err(AppError::NoOpenSession) };
    running.asked = reply.asks;
    let practices = running.prompts.practices(language.code())?;
    let accepted = match &reply.tool {
        Some(ToolCall::SuggestPractice(asked)) => find(&practices, asked.practice_type, asked.duration_minutes),
        _ => None,
    };
    let result = accepted.map(tool_result);
    let mut text = running.wording.say(&reply.moves)?;
    if let Some(practice) = accepted {
        // Whoever agreed is told how it goes, on every door.
        text = format!("{text} {}", practice.introduction());
    }
    let total_ms = millis(clock);

    let mut record = TurnRecord::new(now, None, text.clone(), GUIDE.to_owned());
    let mut events = Vec::new();
    let mut sufler = None;
    if let Some(said) = said {
        let (contour, kept) = sense(running, &said);
        let verdict = sufler::score(&said.text, &text, language);
        sufler = Some((json!(verdict), AppEvent::Sufler { score: verdict.score, reasons: codes(&verdict) }));
        record.user_text = Some(said.text.clone());
        record.voice = said.voice.clone();
        record.raw_emotion = said.raw_emotion;
        record.audio_seconds = said.audio_seconds.map(f64::from);
        record.asr_ms = said.asr_ms;
        record.ser_ms = said.ser_ms;
        record.contour = Some(kept);
        events.push(AppEvent::UserTurn {
            text: said.text,
            voice_analysis: said.voice,
            audio_seconds: said.audio_seconds,
            asr_ms: said.asr_ms,
            ser_ms: said.ser_ms,
        });
        events.push(contour);
    }
    let hits: Vec<Value> = guard::check(&text, language).iter().map(|hit| json!(hit)).collect();
    record.first_token_ms = Some(total_ms);
    record.reply_ms = Some(total_ms);
    record.guard = (!hits.is_empty()).then(|| Value::Array(hits.clone()));
    record.tool = reply.tool.clone();
    record.tool_result = result.clone();
    events.push(AppEvent::Reply {
        text,
        tool_call: reply.tool,
        guard: hits,
        backend: GUIDE,
        first_token_ms: total_ms,
        total_ms,
        asks: reply.asks,
        offers: running.offered().and_then(|kind| find(&practices, kind, None)).cloned(),
    });
    events.extend(result.map(|result| AppEvent::ToolResult { tool: "suggest_practice", result }));
    let sufler = sufler.map(|(score, event)| {
        events.push(event);
        score
    });
    Ok(Composed { record, events, sufler, rest })
}

/// Reason codes as they stand in records.
fn codes(verdict: &sufler::SuflerScore) -> Vec<String> {
    verdict.reasons.iter().filter_map(|reason| json!(reason).as_str().map(str::to_owned)).collect()
}

fn sense(running: &Running, said: &Utterance) -> (AppEvent, Value) {
    let clock = Instant::now();
    let background = Background::new(running.context.session.kind);
    let state = contour::sense(&said.text, &said.said, said.voice.as_ref(), running.language, &background);
    let labels = state.labels(running.language);
    let micros = u64::try_from(clock.elapsed().as_micros()).unwrap_or(u64::MAX);
    let state = json!(state);
    let kept = json!({"labels": labels, "state": state, "micros": micros});
    (AppEvent::Contour { labels, state, micros }, kept)
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
