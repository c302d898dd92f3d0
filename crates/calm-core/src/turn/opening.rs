//! The first words: by the time of day, by the last days, and by what was planned.

use super::earlier::speakable;
use super::stressor;
use super::{Move, Reply, State, flow};
use crate::context::SessionResult;
use crate::question::Question;
use crate::session::Kind;

/// The plan was given back in the first words.
pub const WITH_PLAN: &str = "open_checkout_with_plan";

const LATE: [std::ops::Range<u8>; 2] = [0..5, 23..24];
const MORNING: std::ops::Range<u8> = 5..11;
const EVENING: std::ops::Range<u8> = 18..23;

pub fn question(kind: Kind) -> Question {
    match kind {
        Kind::CheckIn => Question::HowAreYou,
        Kind::CheckOut => Question::HowWasIt,
    }
}

pub fn reply(state: &mut State) -> Reply {
    let mut moves = vec![Move::new("greeting").with_if("name", state.context.user.name.clone())];
    if state.context.session.session_number_today <= 1 {
        moves.push(Move::new("disclosure"));
    }
    moves.push(match state.kind {
        Kind::CheckIn => before_trading(state),
        Kind::CheckOut => after_trading(state),
    });
    if moves.last().is_some_and(|m| m.key == WITH_PLAN) {
        state.named.push(WITH_PLAN);
    }
    let question = question(state.kind);
    flow::ask(state, question, moves)
}

fn before_trading(state: &State) -> Move {
    let hour = state.local_hour;
    let within = |hours: &std::ops::Range<u8>| hour.is_some_and(|h| hours.contains(&h));
    let again = state.context.session.session_number_today > 1;
    let last = state.context.user.last_session_result;
    let learning = || speakable(state.earlier.learning.as_deref(), state.lang);
    let stressor =
        || speakable(state.earlier.stressor.as_deref(), state.lang).filter(|words| stressor::is_light(words, state));
    if !is_late(state) && !again && !flow::on_losing_streak(state) {
        // Somebody who comes back is known, by their own words.
        if last == Some(SessionResult::Loss) {
            return Move::new("open_checkin_after_loss").with_if("learning", learning());
        }
        if let Some(learning) = learning() {
            return Move::new("open_checkin_learning").with("learning", learning);
        }
        if let Some(stressor) = stressor() {
            return Move::new("open_checkin_stressor").with("stressor", stressor);
        }
        if state.earlier.won {
            return Move::new("open_checkin_after_win");
        }
    }
    Move::new(if is_late(state) {
        "open_checkin_late"
    } else if flow::on_losing_streak(state) {
        "open_checkin_gentle"
    } else if last == Some(SessionResult::Loss) {
        "open_checkin_after_loss"
    } else if again {
        "open_checkin_again"
    } else if within(&MORNING) {
        "open_checkin_morning"
    } else if within(&EVENING) {
        "open_checkin_evening"
    } else {
        "open_checkin"
    })
}

fn after_trading(state: &State) -> Move {
    let plan = state.context.previous_checkin.as_ref().and_then(|c| c.planned_approach.clone());
    match plan {
        _ if is_late(state) => Move::new("open_checkout_late"),
        _ if flow::on_losing_streak(state) => Move::new("open_checkout_gentle"),
        Some(plan) if !plan.trim().is_empty() => Move::new(WITH_PLAN).with("plan", plan),
        _ => Move::new("open_checkout"),
    }
}

fn is_late(state: &State) -> bool {
    state.local_hour.is_some_and(|h| LATE.iter().any(|hours| hours.contains(&h)))
}
