//! The variables that prompts can name, and what a context may hold (SPEC S3).

use crate::Both;
use crate::both::both;
use serde_json::Value;

use super::error::closest;

/// What a variable holds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Kind {
    Text,
    Choice(&'static [&'static str]),
    /// A whole number within these bounds, both included.
    Whole(u64, u64),
    /// 0–1.
    Share,
    Flag,
    /// Texts; they render as one line with commas.
    List,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Known {
    pub path: &'static str,
    pub kind: Kind,
}

const fn known(path: &'static str, kind: Kind) -> Known {
    Known { path, kind }
}

const RESULT: Kind = Kind::Choice(&["win", "loss", "breakeven"]);
const LEVEL: Kind = Kind::Whole(1, 10);
const COUNT: Kind = Kind::Whole(0, 1_000_000);

/// Every part of a context may be absent.
pub const VARIABLES: [Known; 24] = [
    known("session.type", Kind::Choice(&["check-in", "check-out"])),
    known("session.format", Kind::Choice(&["short", "medium", "unlimited"])),
    known("session.has_matching_checkin", Kind::Flag),
    known("session.session_number_today", COUNT),
    known("user.name", Kind::Text),
    known("user.trading_style", Kind::Text),
    known("user.experience", Kind::Text),
    known("user.rules", Kind::List),
    known("user.known_patterns", Kind::List),
    known("user.last_session_result", RESULT),
    known("user.streak.type", Kind::Choice(&["losing", "winning"])),
    known("user.streak.count", COUNT),
    known("voice_analysis.stress_level", LEVEL),
    known("voice_analysis.energy_level", LEVEL),
    known("voice_analysis.primary_emotion", Kind::Text),
    known("voice_analysis.confidence", Kind::Share),
    known("previous_checkin.trading_readiness", LEVEL),
    known("previous_checkin.planned_approach", Kind::Text),
    known("previous_checkin.stress_level", LEVEL),
    known("previous_checkin.energy_level", LEVEL),
    known("said.session_result", RESULT),
    known("said.overconfidence", Kind::Flag),
    known("said.wants_to_stop", Kind::Flag),
    known("backend.tools", Kind::Choice(&["native", "text"])),
];

/// What a path names.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Named {
    Variable(Kind),
    /// `user.streak`, of which only the parts have a value.
    Group,
    Nothing,
}

/// The parts of a path, by which its value is found in the context.
pub(super) fn keys(path: &str) -> Vec<String> {
    let (head, tail) = full(path);
    head.split('.').chain(tail.split('.')).filter(|part| !part.is_empty()).map(str::to_owned).collect()
}

/// `voice.*` is short for `voice_analysis.*`.
fn full(path: &str) -> (&str, &str) {
    match path.strip_prefix("voice") {
        Some("") => ("voice_analysis", ""),
        Some(rest) if rest.starts_with('.') => ("voice_analysis", rest),
        _ => (path, ""),
    }
}

pub(super) fn named(path: &str) -> Named {
    let (head, tail) = full(path);
    let is = |known: &'static str| known.strip_prefix(head).and_then(move |rest| rest.strip_prefix(tail));
    if let Some(found) = VARIABLES.iter().find(|known| is(known.path) == Some("")) {
        return Named::Variable(found.kind);
    }
    match VARIABLES.iter().any(|known| is(known.path).is_some_and(|rest| rest.starts_with('.'))) {
        true => Named::Group,
        false => Named::Nothing,
    }
}

/// What the author of `path` may have meant, written with the prefix that the author used.
pub(super) fn near(path: &str) -> Option<String> {
    let short = path.starts_with("voice.");
    let names = VARIABLES.iter().map(|known| match known.path.strip_prefix("voice_analysis") {
        Some(rest) if short => format!("voice{rest}"),
        _ => known.path.to_owned(),
    });
    let names: Vec<String> = names.collect();
    closest(path, names.iter().map(String::as_str)).map(str::to_owned).or_else(|| {
        // `stress_level` alone, or under a wrong group.
        let last = path.rsplit('.').next().unwrap_or(path);
        names.iter().find(|name| name.rsplit('.').next() == Some(last)).cloned()
    })
}

/// A context that does not hold what it should.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct WrongContext(pub Both);

/// Whether every part that is there has the right form. `null` is absent; parts that no prompt can name are let be.
///
/// # Errors
/// The first part that does not fit; its value is the user's and is not quoted.
pub fn check(context: &Value) -> Result<(), WrongContext> {
    let wrong =
        |path: &str, Both { ru, en }: Both| Err(WrongContext(both!("{path}: подойдёт {ru}", "{path} must be {en}")));
    if !context.is_object() {
        return Err(WrongContext(both!("контекст должен быть объектом JSON", "the context must be a JSON object")));
    }
    for Known { path, kind } in VARIABLES {
        let mut value = context;
        let mut walked = 0;
        for part in path.split('.') {
            if !value.is_object() {
                let part = path.get(..walked).unwrap_or_default().trim_end_matches('.');
                return wrong(part, both!("объект", "an object"));
            }
            walked += part.len() + 1;
            value = value.get(part).unwrap_or(&Value::Null);
            if value.is_null() {
                break;
            }
        }
        if !value.is_null() && !fits(value, kind) {
            return wrong(path, expected(kind));
        }
    }
    Ok(())
}

fn fits(value: &Value, kind: Kind) -> bool {
    match kind {
        Kind::Text => value.is_string(),
        Kind::Choice(names) => value.as_str().is_some_and(|name| names.contains(&name)),
        Kind::Whole(low, high) => value.as_u64().is_some_and(|number| (low..=high).contains(&number)),
        Kind::Share => value.as_f64().is_some_and(|share| (0.0..=1.0).contains(&share)),
        Kind::Flag => value.is_boolean(),
        Kind::List => value.as_array().is_some_and(|items| items.iter().all(Value::is_string)),
    }
}

pub(super) fn expected(kind: Kind) -> Both {
    match kind {
        Kind::Text => both!("текст", "a text"),
        Kind::Choice(names) => Both { ru: names.join(" или "), en: names.join(" or ") },
        Kind::Whole(low, high) => both!("целое число от {low} до {high}", "a whole number from {low} to {high}"),
        Kind::Share => both!("число от 0 до 1", "a number from 0 to 1"),
        Kind::Flag => both!("true или false", "true or false"),
        Kind::List => both!("список текстов", "a list of texts"),
    }
}
