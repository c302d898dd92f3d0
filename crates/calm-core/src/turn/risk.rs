//! Risk, called by its name: once each, and none of them keeps another from being named (SPEC S5, H7).

use super::{Move, State, flow, trades};
use crate::understand::{Sign, read};

/// Risks named in one reply, beside where help with gambling is to be found.
const AT_MOST: usize = 2;

/// What has shown and was not named yet.
pub fn moves(state: &mut State) -> Vec<Move> {
    let mut found = Vec::new();
    if state.known.shows(Sign::Revenge) {
        found.push("name_revenge");
    } else if state.known.shows(Sign::Tilt) {
        found.push("name_tilt");
    }
    if state.known.overconfidence().is_some() {
        found.push("name_overconfidence");
    }
    if overtraded(state).is_some() {
        found.push("overtrading");
    }
    found.retain(|key| !state.named.contains(key));
    let gambling = gambling(state);
    found.truncate(if gambling.is_empty() { AT_MOST } else { 1 });
    state.named.extend(&found);
    found.into_iter().map(Move::new).chain(gambling).collect()
}

/// Where help is to be found, once a session, when money is borrowed or chased again and again.
pub fn gambling(state: &mut State) -> Vec<Move> {
    if !gambling_is_due(state) {
        return Vec::new();
    }
    state.named.extend(["gambling_harm", "gambling_help"]);
    // Who chases has borrowed nothing.
    let harm = if state.known.shows(Sign::Borrowing) { "gambling_harm" } else { "chasing_harm" };
    vec![Move::new(harm), Move::new("gambling_help")]
}

pub fn gambling_is_due(state: &State) -> bool {
    !state.named.contains(&"gambling_harm") && gambles(state).is_some()
}

/// The words that it rests on: a loan, or chasing that is not the first.
pub fn gambles(state: &State) -> Option<&str> {
    let known = &state.known;
    let again = || {
        let pattern = |p: &String| read(p, state.lang, None).shows(Sign::Revenge);
        state.chased >= 2 || flow::on_losing_streak(state) || state.context.user.known_patterns.iter().any(pattern)
    };
    known.words_of(Sign::Borrowing).or_else(|| known.words_of(Sign::Revenge).filter(|_| again()))
}

/// The words for more trades than the check-in planned.
pub fn overtraded(state: &State) -> Option<&str> {
    let plan = state.context.previous_checkin.as_ref()?.planned_approach.as_ref()?;
    let made = state.known.trades.as_ref()?;
    trades::beyond_plan(plan, state.lang, made.value).then_some(made.words.as_str())
}
