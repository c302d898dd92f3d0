//! Asked for trading advice (SPEC H8): the feeling, the boundary, the user's own plan, the right address.

use super::hearing::Turn;
use super::practice::{self, Offer};
use super::{Effect, Move, State, acknowledge, close, flow};
use crate::question::Question;
use crate::tools::PracticeType;
use crate::understand::{Intent, Said};

/// The pause that is offered when it is asked again.
const TWO_MINUTES: Offer = Offer { practice: PracticeType::Pause, minutes: 2 };

pub fn answer(state: &mut State, turn: &Turn) -> Vec<Effect> {
    state.advice_asked += 1;
    state.advice_on = state.heard.len();
    let boundary = Move::new("advice_boundary");
    if state.advice_asked > 2 {
        return close(state, vec![boundary, Move::new("close_after_advice")]);
    }
    let mut moves: Vec<Move> = acknowledge::heavy_feeling(state, &turn.said).into_iter().collect();
    moves.push(boundary);
    if state.advice_asked == 2 && practice::may_offer(state) {
        state.offered = Some(TWO_MINUTES);
        moves.push(practice::offering(TWO_MINUTES));
        return vec![Effect::Reply(flow::ask(state, Question::Practice, moves))];
    }
    moves.push(own_rule(state));
    if state.advice_asked == 1 {
        moves.push(Move::new("advice_adviser"));
    }
    flow::digress(state, turn, moves)
}

/// "Стоит ли покупать?" asks, it does not plan to buy.
pub fn leave_out_of_plan(said: &mut Said) {
    let Some(plan) = &said.plan else { return };
    let asks = said.intents.iter().filter(|i| i.value == Intent::AsksAdvice);
    let first = plan.value.split_whitespace().next().unwrap_or_default();
    if asks.into_iter().any(|i| i.words.split_whitespace().any(|word| word == first)) {
        said.plan = None;
    }
}

/// Back to what the user decided in a calm hour.
pub fn own_rule(state: &State) -> Move {
    let earlier = state.context.previous_checkin.as_ref().and_then(|c| c.planned_approach.clone());
    let plan = state.known.plan.as_ref().map(|p| p.value.clone()).or(earlier);
    match plan.filter(|plan| !plan.trim().is_empty()) {
        Some(plan) => Move::new("advice_own_plan").with("plan", plan),
        None => Move::new("advice_own_rule"),
    }
}
