//! What the contour's labels change in the guide's manner: the same few labels that a model is given (SPEC C4).
//!
//! Only the manner: which questions are asked, and what is understood of the answers, stays as it is.

use super::{Move, State};
use crate::contour::{Confidence, StateVector, Topic};

const CHECK: &str = "check_hearing";
const SLOW: &str = "slow_down";
/// Fewer numbers than these need no summing up.
const WORTH_SUMMING: usize = 2;

/// Trust is low, or replies about this have missed before.
pub fn is_careful(state: &State) -> bool {
    let Some(contour) = &state.contour else { return false };
    contour.confidence == Confidence::Low || risky_topic(state, contour).is_some()
}

/// The label names what the talk is about now.
fn risky_topic(state: &State, contour: &StateVector) -> Option<Topic> {
    state.short_term.topic().filter(|topic| contour.risk_topics.contains(topic))
}

/// One thing is given back and not two, and an open door to put it right; slowly, where something is on fire.
pub fn softened(state: &mut State, mut told: Vec<Move>, names_risk: bool) -> Vec<Move> {
    let critical = state.contour.as_ref().is_some_and(StateVector::is_critical);
    if critical && !names_risk && once(state, SLOW) {
        told.truncate(1);
        told.push(Move::new(SLOW));
        return told;
    }
    if is_careful(state) && once(state, CHECK) {
        let keep = if names_risk { 2 } else { 1 };
        told.truncate(keep);
        told.push(Move::new(CHECK));
    }
    told
}

/// After a long and branched talk: the numbers that were said, before the goodbye.
pub fn summing_up(state: &mut State) -> Option<Move> {
    if !state.contour.as_ref().is_some_and(StateVector::is_long) {
        return None;
    }
    let figures: Vec<String> = state.short_term.figures().iter().map(|figure| figure.in_words(state.lang)).collect();
    let enough = figures.len() >= WORTH_SUMMING;
    (enough && once(state, "sum_up")).then(|| Move::new("sum_up").with("figures", figures.join(", ")))
}

pub fn once(state: &mut State, key: &'static str) -> bool {
    let first = !state.named.contains(&key);
    if first {
        state.named.push(key);
    }
    first
}
