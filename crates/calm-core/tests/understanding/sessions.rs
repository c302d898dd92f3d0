//! Whole sessions against what a careful reader would leave behind: attributes, flags, next action.
//!
//! The guide answers; the labelled turns are said whatever it asks.

use std::collections::BTreeMap;
use std::fs;

use calm_core::context::{CheckinFacts, SessionContext, SessionFacts, SessionResult, Streak, UserFacts};
use calm_core::understand::normal;
use calm_core::{Effect, EndSession, Event, Format, Kind, Lang, State, ToolCall, VoiceAnalysis, step};
use serde::Deserialize;
use serde_json::Value;

use super::corpus::{Part, folder, toml_files};
use super::measure::{Measured, Miss, Tally};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Script {
    #[serde(rename = "description")]
    _description: String,
    pub language: Lang,
    #[serde(rename = "type")]
    kind: Kind,
    format: Format,
    #[serde(default)]
    context: Given,
    turn: Vec<Turn>,
    expect: Expected,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Given {
    #[serde(default)]
    user: User,
    previous_checkin: Option<CheckinFacts>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct User {
    name: Option<String>,
    trading_style: Option<String>,
    last_session_result: Option<SessionResult>,
    streak: Option<Streak>,
    known_patterns: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Turn {
    say: String,
    voice: Option<Voice>,
    #[serde(default)]
    expect: ExpectedOfTurn,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Voice {
    stress_level: Option<u8>,
    energy_level: Option<u8>,
    primary_emotion: String,
    confidence: f32,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct ExpectedOfTurn {
    tool: Option<String>,
    asks: Option<bool>,
    /// Words that must not be in the reply: a matter of its wording, judged elsewhere.
    #[serde(rename = "none_of")]
    _none_of: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Expected {
    ended: Option<bool>,
    #[serde(default)]
    flags: Vec<String>,
    #[serde(default)]
    no_flags: Vec<String>,
    next_action: Option<String>,
    #[serde(default)]
    attributes: BTreeMap<String, toml::Value>,
}

/// # Errors
/// A file cannot be read or is not such a session.
pub fn scripts(lang: Lang, part: Part) -> Result<Vec<Script>, String> {
    let read = |path: &std::path::PathBuf| {
        let text = fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?;
        toml::from_str::<Script>(&text).map_err(|e| format!("{}: {e}", path.display()))
    };
    toml_files(&folder(lang, part).join("sessions")).iter().map(read).collect()
}

pub fn measure(scripts: &[Script]) -> Measured {
    let mut measured = Measured::default();
    for script in scripts {
        let before = measured.misses.len();
        judge(script, &mut measured);
        measured.utterances += 1;
        measured.faultless += u32::from(measured.misses.len() == before);
    }
    measured
}

fn judge(script: &Script, measured: &mut Measured) {
    let mut enter = |attribute: &str, expected: String, found: String, right: bool| {
        let tally: &mut Tally = measured.tallies.entry(attribute.to_owned()).or_default();
        tally.n += 1;
        if right {
            tally.found += 1;
            return;
        }
        tally.missed += 1;
        tally.false_readings += 1;
        let text = script.turn.iter().map(|t| t.say.as_str()).collect::<Vec<_>>().join(" // ");
        measured.misses.push(Miss { attribute: attribute.to_owned(), text, asked: "-", expected, read: found });
    };
    let played = play(script, &mut enter);
    let ending = serde_json::to_value(&played.ending).unwrap_or_default();
    let expected = &script.expect;
    for (names, wanted) in [(&expected.flags, true), (&expected.no_flags, false)] {
        for name in names {
            let set = ending.pointer(&format!("/risk_flags/{name}")).and_then(Value::as_bool).unwrap_or(false);
            enter(&format!("flag:{name}"), wanted.to_string(), set.to_string(), set == wanted);
        }
    }
    for (name, wanted) in &expected.attributes {
        let found = ending.pointer(&format!("/extracted_attributes/{name}")).unwrap_or(&Value::Null);
        enter(name, wanted.to_string(), found.to_string(), agrees(wanted, found));
    }
    if let Some(wanted) = &expected.next_action {
        let found = ending.get("recommended_next_action").and_then(Value::as_str).unwrap_or_default();
        enter("next_action", wanted.clone(), found.to_owned(), wanted == found);
    }
    if let Some(wanted) = expected.ended {
        enter("ended", wanted.to_string(), played.ended.to_string(), wanted == played.ended);
    }
}

struct Played {
    ending: EndSession,
    /// Calm said goodbye itself.
    ended: bool,
}

fn play(script: &Script, enter: &mut impl FnMut(&str, String, String, bool)) -> Played {
    let given = &script.context;
    let context = SessionContext {
        session: SessionFacts {
            kind: script.kind,
            format: script.format,
            has_matching_checkin: given.previous_checkin.is_some(),
            session_number_today: 1,
        },
        user: UserFacts {
            name: given.user.name.clone(),
            trading_style: given.user.trading_style.clone(),
            known_patterns: given.user.known_patterns.clone(),
            last_session_result: given.user.last_session_result,
            streak: given.user.streak,
            ..UserFacts::default()
        },
        voice_analysis: None,
        previous_checkin: given.previous_checkin.clone(),
    };
    let mut state = State::new(script.kind, script.format, script.language, context);
    let mut end: Option<(bool, EndSession)> = None;
    let mut on = |state: State, event: Event| {
        let (state, effects) = step(state, event);
        let mut reply = None;
        for effect in effects {
            match effect {
                Effect::Reply(said) => reply = Some(said),
                Effect::End { forced, ending } => end = Some((forced, *ending)),
                _ => {}
            }
        }
        (state, reply)
    };
    (state, _) = on(state, Event::Opened);
    for (nth, turn) in (1..).zip(&script.turn) {
        state.more_waits(nth < script.turn.len());
        let voice = turn.voice.as_ref().map(|v| VoiceAnalysis {
            stress_level: v.stress_level,
            energy_level: v.energy_level,
            primary_emotion: v.primary_emotion.clone(),
            confidence: v.confidence,
            calibrating: false,
        });
        let reply;
        (state, reply) = on(state, Event::Heard { text: turn.say.clone(), voice });
        let Some(reply) = reply else { continue };
        if let Some(wanted) = &turn.expect.tool {
            let found = match &reply.tool {
                Some(ToolCall::SuggestPractice(_)) => "suggest_practice",
                Some(ToolCall::EndSession(_)) => "end_session",
                Some(_) => "another",
                None => "none",
            };
            enter("tool", wanted.clone(), found.to_owned(), wanted == found);
        }
        if let Some(wanted) = turn.expect.asks {
            let asks = reply.asks.is_some();
            enter("asks", wanted.to_string(), asks.to_string(), wanted == asks);
        }
    }
    let ended = state.ended();
    on(state, Event::Left);
    let ending = end.map(|(_, ending)| ending).expect("a session that was left has ended");
    Played { ending, ended }
}

/// Text holds the fragment, a number or a name is equal, and "null" is nothing.
fn agrees(wanted: &toml::Value, found: &Value) -> bool {
    match (wanted, found) {
        (toml::Value::String(null), found) if null == "null" => found.is_null(),
        // Every one of a list is found in one of those.
        (toml::Value::Array(wanted), found) => wanted.iter().all(|wanted| agrees(wanted, found)),
        (toml::Value::Integer(wanted), Value::Number(found)) => found.as_i64() == Some(*wanted),
        (toml::Value::String(wanted), Value::String(found)) => plain(found).contains(&plain(wanted)),
        (toml::Value::String(wanted), Value::Array(found)) => {
            found.iter().filter_map(Value::as_str).any(|f| plain(f).contains(&plain(wanted)))
        }
        _ => false,
    }
}

/// Words alone: capitals, ё and punctuation do not matter.
fn plain(text: &str) -> String {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty());
    words.map(normal).collect::<Vec<_>>().join(" ")
}
