//! Worries that come up again. A count needs no test; it only has to be a count worth telling.

use std::collections::BTreeMap;

use calm_core::session::Kind;

use super::days_between;
use super::moments::Moment;
use super::signs::plain;
use super::{Pattern, PatternKind, Share, State};

/// Named so often, a stressor gets a hypothesis of its own.
const OFTEN: u32 = 5;
/// Told from this many times on, in this share of the check-ins where stressors were talked about.
const TOLD_FROM: u32 = 4;
const TOLD_SHARE: f64 = 0.15;
const AT_MOST: usize = 3;

/// A check-in in which stressors were talked about, also with the answer "none".
fn talks<'m>(moments: &'m [Moment<'_>]) -> impl Iterator<Item = (&'m Moment<'m>, i64, Vec<String>)> {
    moments.iter().filter(|m| m.kind == Kind::CheckIn).filter_map(|moment| {
        let (id, attributes) = moment.before?;
        let mut named: Vec<String> =
            attributes.external_stressors.as_ref()?.iter().map(|s| plain(s)).filter(|s| !s.is_empty()).collect();
        named.sort_unstable();
        named.dedup();
        Some((moment, id, named))
    })
}

/// The first stressors to be named often, in that order; once there, a stressor keeps its place for good, so that a
/// newcomer cannot bring fresh chances with it.
pub fn first_named(moments: &[Moment<'_>], places: usize) -> Vec<String> {
    let mut times: BTreeMap<String, u32> = BTreeMap::new();
    let mut first = Vec::new();
    for (_, _, named) in talks(moments) {
        for name in named {
            let count = times.entry(name.clone()).or_default();
            *count += 1;
            if *count == OFTEN && first.len() < places {
                first.push(name);
            }
        }
    }
    first
}

pub fn stressors(moments: &[Moment<'_>]) -> Vec<Pattern> {
    let talks: Vec<_> = talks(moments).collect();
    let (Some(oldest), Some(newest)) = (talks.first(), talks.last()) else { return Vec::new() };
    let mut named_in: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (i, (_, _, named)) in talks.iter().enumerate() {
        for name in named {
            named_in.entry(name).or_default().push(i);
        }
    }
    let n = u32::try_from(talks.len()).unwrap_or(u32::MAX);
    let mut patterns: Vec<Pattern> = named_in
        .into_iter()
        .filter_map(|(name, places)| {
            let k = u32::try_from(places.len()).unwrap_or(u32::MAX);
            let (with, without) = (Share { k, n }, Share { k: n - k, n });
            let last = *places.last()?;
            // The chance that a worry as common as before would stay unnamed for so many check-ins.
            let quiet = (1.0 - with.value()).powi(i32::try_from(talks.len() - 1 - last).unwrap_or(i32::MAX));
            if k < TOLD_FROM || with.value() < TOLD_SHARE || quiet < 0.01 {
                return None;
            }
            let stale = days_between(talks[last].0.day, newest.0.day) > super::STALE_DAYS;
            let mut sessions: Vec<i64> = talks.iter().map(|t| t.1).collect();
            sessions.sort_unstable();
            Some(Pattern {
                kind: PatternKind::RecurringStressor,
                name: Some(name.to_owned()),
                with,
                without,
                n,
                effect: with.value(),
                interval: with.wilson(1.0),
                evidence: None,
                strength: with.wilson(1.0).0,
                state: if stale || quiet < 0.05 { State::Fading } else { State::Standing },
                first: oldest.0.day,
                last: newest.0.day,
                sessions,
            })
        })
        .collect();
    patterns.sort_by(|a, b| b.with.k.cmp(&a.with.k).then_with(|| a.name.cmp(&b.name)));
    patterns.truncate(AT_MOST);
    patterns
}
