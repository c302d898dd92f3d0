//! How the day ended: plus, minus or flat, and the sum in the user's own words.

use std::ops::Range;

use super::numbers::{Number, NumberKind, Sign};
use super::scope::Scene;
use super::{Reading, Said};
use crate::context::SessionResult;
use crate::end_session::ResultCategory;
use crate::question::Question;

struct Outcome {
    at: Range<usize>,
    result: SessionResult,
    past: bool,
    /// "Итого", "закрыл день": said about the whole day.
    of_the_day: bool,
}

pub fn read(scene: &Scene<'_>, asked: Option<Question>, said: &mut Said) {
    let mut outcomes: Vec<Outcome> = scene
        .stated("result")
        .filter_map(|h| Some((h.at.clone(), result_named(h.name)?)))
        .chain(scene.numbers.iter().filter_map(|n| Some((n.at.clone(), signed(scene, n)?))))
        .map(|(at, result)| Outcome {
            past: scene.past(&at),
            of_the_day: scene.hits("whole_day").any(|h| scene.tokens.same_clause(h.at.start, at.start)),
            at,
            result,
        })
        .collect();
    outcomes.sort_by_key(|o| o.at.start);

    let reading = |o: &Outcome| Reading { value: o.result, words: scene.words(&o.at) };
    let of_today = || outcomes.iter().filter(|o| !o.past);
    let meant = of_today().rfind(|o| o.of_the_day).or_else(|| of_today().next_back());
    said.result = meant.map(reading);
    said.past_result = outcomes.iter().rfind(|o| o.past).map(|o| {
        // With the word of time: "вчерашнего убытка".
        let when = scene.past_word(&o.at).unwrap_or(o.at.start);
        let at = when.min(o.at.start)..o.at.end.max(when + 1);
        Reading { value: o.result, words: scene.words(&at) }
    });
    if said.result.is_none() && asked == Some(Question::Result) {
        said.result = scene
            .hits("bare_result")
            .find_map(|h| Some(Reading { value: result_named(h.name)?, words: scene.words(&h.at) }));
    }
    said.amount = amount(scene, &outcomes);
    said.result_category = scene.stated("result_size").find_map(|h| {
        let value = match h.name {
            "small" => ResultCategory::Small,
            "medium" => ResultCategory::Medium,
            _ => ResultCategory::Large,
        };
        Some(Reading { value, words: scene.words(&h.at) }).filter(|_| !scene.past(&h.at))
    });
}

fn result_named(name: &str) -> Option<SessionResult> {
    match name {
        "win" => Some(SessionResult::Win),
        "loss" => Some(SessionResult::Loss),
        "breakeven" => Some(SessionResult::Breakeven),
        _ => None,
    }
}

/// "Минус двести", "-200", "+2R"; not a limit ("стоп на день минус 200") and not a supposition.
fn signed(scene: &Scene<'_>, number: &Number) -> Option<SessionResult> {
    let sign = number.sign?;
    let meant = number.kind != NumberKind::Time
        && !scene.of_another(&number.at)
        && !scene.supposed(&number.at)
        && !scene.preceded_by("limit", number.at.start);
    meant.then_some(match sign {
        Sign::Minus => SessionResult::Loss,
        Sign::Plus => SessionResult::Win,
    })
}

/// The sum next to today's outcome.
fn amount(scene: &Scene<'_>, outcomes: &[Outcome]) -> Option<String> {
    let sum = |n: &&Number| {
        matches!(n.kind, NumberKind::Money)
            || n.value > 10 && matches!(n.kind, NumberKind::Plain | NumberKind::PerhapsTime)
    };
    let near = |n: &&Number| {
        outcomes.iter().any(|o| {
            !o.past
                && scene.tokens.same_sentence(o.at.start, n.at.start)
                && o.at.start.abs_diff(n.at.start) <= 5
                && o.result != SessionResult::Breakeven
        })
    };
    let number = scene.numbers.iter().filter(sum).find(near)?;
    let end = number.at.end.max(number.figure.end);
    let mut words = scene.words(&(number.figure.start..end));
    let before = scene.tokens.gap_before(number.figure.start);
    if let Some(currency) = before.chars().next_back().filter(|c| "$€₽£".contains(*c)) {
        words.insert(0, currency);
    }
    let after = scene.tokens.gap_before(end);
    if let Some(currency) = after.chars().next().filter(|c| "$€₽£".contains(*c)) {
        words.push(currency);
    }
    Some(words)
}
