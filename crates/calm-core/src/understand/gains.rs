//! Results told by a verb and a sum: "took sixty bucks", «снял два процента», "turned five hundred into four grand".

use std::ops::Range;

use super::lexicon::Hit;
use super::numbers::{Number, NumberKind};
use super::scope::Scene;
use super::sums;
use crate::context::SessionResult;
use crate::question::Question;

/// A verb and its sum stand at most this many words apart.
const NEAR: usize = 3;
/// A bare figure from here on is money.
const SURELY_MONEY: u64 = 30;
/// A sum alone in so many words is the whole answer.
const FRAGMENT: usize = 4;

/// Where it is said, what it was, and the position of the sum in `Scene::numbers`.
pub type Gain = (Range<usize>, SessionResult, usize);

pub fn read(scene: &Scene<'_>, asked: Option<Question>) -> Vec<Gain> {
    let mut found: Vec<Gain> = Vec::new();
    let asked_for = matches!(asked, Some(Question::HowWasIt | Question::Result));
    for (i, number) in scene.numbers.iter().enumerate().filter(|(_, n)| n.sign.is_none()) {
        let gain = by_verb(scene, number, asked_for)
            .or_else(|| up_or_down(scene, number, asked_for))
            .or_else(|| turned(scene, i))
            .or_else(|| short_of_target(scene, i, asked_for))
            .or_else(|| fragment(scene, number, asked_for));
        found.extend(gain.map(|(at, result)| (at, result, i)));
    }
    found
}

/// "Gave up three hundred": the "up" is of the verb.
pub fn is_given_up(scene: &Scene<'_>, number: &Number) -> bool {
    gains(scene, "lost").any(|h| h.at.contains(&number.at.start) && h.at.start < number.at.start)
}

/// With a unit, or a figure that can be nothing but money.
fn is_sum(scene: &Scene<'_>, number: &Number, asked_for: bool) -> bool {
    match number.kind {
        // Fewer could be trades.
        NumberKind::Plain => asked_for && number.value >= SURELY_MONEY && !scene.is_price(number),
        NumberKind::PerhapsTime => false,
        _ => sums::of(scene, number).is_some(),
    }
}

fn gains<'s>(scene: &'s Scene<'_>, name: &'static str) -> impl Iterator<Item = &'s Hit<'static>> {
    scene.hits("gains").filter(move |h| h.name == name)
}

fn by_verb(scene: &Scene<'_>, number: &Number, asked_for: bool) -> Option<(Range<usize>, SessionResult)> {
    if !is_sum(scene, number, asked_for) || scene.preceded_by("limit", number.at.start) {
        return None;
    }
    let of_this = |h: &&Hit<'_>| {
        scene.tokens.same_clause(h.at.start, number.at.start)
            && h.at.end <= number.at.start
            && number.at.start - h.at.end <= NEAR
            && scene.is_stated(h)
    };
    if let Some(lost) = gains(scene, "lost").find(of_this) {
        return Some((lost.at.start..number.at.end, SessionResult::Loss));
    }
    let took = gains(scene, "took").find(of_this)?;
    let taken_away = gains(scene, "off_me").any(|h| scene.tokens.same_clause(h.at.start, number.at.start));
    let result = if taken_away { SessionResult::Loss } else { SessionResult::Win };
    Some((took.at.start..number.at.end, result))
}

/// Which way a bare sum went: «в минусе, полтора процента» says so before the pause, and tells it by itself.
fn way_before(scene: &Scene<'_>, lead: Range<usize>) -> Option<SessionResult> {
    let pause = |i: &usize| scene.is("filler", *i) || scene.is("today", *i);
    let Some(last) = (0..lead.start).rev().find(|i| !pause(i)) else { return Some(SessionResult::Win) };
    // "Yesterday red, today two percent."
    let turned = scene.past(&(last..last + 1)) && (last + 1..lead.end).any(|i| scene.is("today", i));
    if turned {
        return Some(SessionResult::Win);
    }
    let outcome = |section: &'static str| scene.stated(section).any(|h| h.at.end == last + 1);
    match outcome("result") || outcome("bare_result") {
        true => None,
        false if scene.is("minus", last) && !scene.preceded_by("negation", last) => Some(SessionResult::Loss),
        false => Some(SessionResult::Win),
    }
}

/// "Sixty up", «сорок в минусе»: which way it went stands right behind the sum.
fn up_or_down(scene: &Scene<'_>, number: &Number, asked_for: bool) -> Option<(Range<usize>, SessionResult)> {
    if !is_sum(scene, number, asked_for) || scene.of_another(&number.at) || scene.supposed(&number.at) {
        return None;
    }
    let behind = |name: &'static str| gains(scene, name).find(|h| h.at.start == number.at.end);
    let up = behind("up").map(|h| (number.at.start..h.at.end, SessionResult::Win));
    up.or_else(|| behind("down").map(|h| (number.at.start..h.at.end, SessionResult::Loss)))
}

/// "Turned five hundred into four grand."
fn turned(scene: &Scene<'_>, i: usize) -> Option<(Range<usize>, SessionResult)> {
    let (from, to) = (scene.numbers.get(i.checked_sub(1)?)?, scene.numbers.get(i)?);
    let verb = gains(scene, "turned").find(|h| {
        h.at.end <= from.at.start
            && from.at.start - h.at.end <= NEAR
            && scene.tokens.same_sentence(h.at.start, to.at.start)
    })?;
    let into = (from.at.end..to.at.start).any(|at| gains(scene, "into").any(|h| h.at.start == at));
    let result = match to.hundredths.cmp(&from.hundredths) {
        std::cmp::Ordering::Greater => SessionResult::Win,
        _ => SessionResult::Loss,
    };
    (into && scene.is_stated(verb)).then_some((verb.at.start..to.at.end, result))
}

/// "Ноль шесть вместо двух": less than was meant, and more than nothing.
fn short_of_target(scene: &Scene<'_>, i: usize, asked_for: bool) -> Option<(Range<usize>, SessionResult)> {
    let (got, meant) = (scene.numbers.get(i)?, scene.numbers.get(i + 1)?);
    let instead = gains(scene, "instead").any(|h| {
        h.at.start >= got.at.end
            && h.at.start - got.at.end <= NEAR
            && h.at.end <= meant.at.start
            && meant.at.start - h.at.end <= NEAR
    });
    let is_sum = sums::of(scene, got).is_some() && (got.kind != NumberKind::Plain || got.hundredths % 100 != 0);
    let short = asked_for && is_sum && instead && got.hundredths > 0 && got.hundredths < meant.hundredths;
    (short && !scene.of_another(&got.at) && !scene.supposed(&got.at)).then(|| (got.at.clone(), SessionResult::Win))
}

/// "Forty pips", and no more: who lost says so, here or right before («опять минус, 5%»).
fn fragment(scene: &Scene<'_>, number: &Number, asked_for: bool) -> Option<(Range<usize>, SessionResult)> {
    let clause = scene.tokens.clause_range(number.at.start);
    let alone = clause.len() <= FRAGMENT
        && clause
            .clone()
            .all(|i| number.at.contains(&i) || scene.is("filler", i) || scene.is("on", i) || scene.is("today", i));
    let unit = matches!(number.kind, NumberKind::Money | NumberKind::Percent | NumberKind::Count);
    let told = asked_for && alone && unit && number.hundredths > 0 && sums::of(scene, number).is_some();
    told.then(|| way_before(scene, clause.start..number.at.start)).flatten().map(|result| (number.at.clone(), result))
}
