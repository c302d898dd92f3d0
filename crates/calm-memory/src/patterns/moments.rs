//! What stood beside what: each session with its check-in, its check-out and the results before it.

use std::collections::BTreeMap;

use calm_core::context::SessionResult;
use calm_core::end_session::Attributes;
use calm_core::session::Kind;
use jiff::civil::Date;

use super::Session;

/// Results further back than this are asked for by no hypothesis.
pub const REMEMBERED: usize = 3;

/// One session, seen with what belongs to it. A fact of its own side and of the other may both be missing.
#[derive(Debug, Clone)]
pub struct Moment<'a> {
    pub kind: Kind,
    pub day: Date,
    /// The check-in itself, or the one that this check-out is matched with.
    pub before: Option<(i64, &'a Attributes)>,
    /// The check-out itself; a check-in has none, also where one followed later.
    pub after: Option<(i64, &'a Attributes)>,
    /// 1 for the first check-out of the trading day.
    pub number_today: u32,
    /// Earlier check-outs and what they ended with, newest first.
    pub results: Vec<(i64, Option<SessionResult>)>,
}

/// In the order of time, whatever the order they came in.
pub fn moments(sessions: &[Session]) -> Vec<Moment<'_>> {
    let mut ordered: Vec<&Session> = sessions.iter().collect();
    ordered.sort_by_key(|s| (s.at, s.id));
    let mut waiting: BTreeMap<Date, Vec<&Session>> = BTreeMap::new();
    let mut done_on: BTreeMap<Date, u32> = BTreeMap::new();
    let mut results: Vec<(i64, Option<SessionResult>)> = Vec::new();
    let mut moments = Vec::with_capacity(ordered.len());
    for session in ordered {
        let own = (session.id, &session.attributes);
        let earlier = results.iter().rev().take(REMEMBERED).copied().collect();
        let done = done_on.entry(session.day).or_default();
        match session.kind {
            Kind::CheckIn => {
                waiting.entry(session.day).or_default().push(session);
                let number_today = *done + 1;
                let (before, after) = (Some(own), None);
                moments.push(Moment {
                    kind: session.kind,
                    day: session.day,
                    before,
                    after,
                    number_today,
                    results: earlier,
                });
            }
            Kind::CheckOut => {
                *done += 1;
                // The latest one still unmatched (SPEC S2).
                let matched = waiting.get_mut(&session.day).and_then(Vec::pop);
                let before = matched.map(|s| (s.id, &s.attributes));
                let (after, number_today) = (Some(own), *done);
                moments.push(Moment {
                    kind: session.kind,
                    day: session.day,
                    before,
                    after,
                    number_today,
                    results: earlier,
                });
                results.push((session.id, session.attributes.session_result));
            }
        }
    }
    moments
}
