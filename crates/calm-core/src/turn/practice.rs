//! Which practice fits (SPEC T4), and consent: asked first, given in a later turn, a no respected.

use super::{Effect, Move, Reply, State, acknowledge, flow};
use crate::context::SessionResult;
use crate::question::Question;
use crate::session::Kind;
use crate::tools::{PracticeType, SuggestPractice, ToolCall, Urgency};
use crate::understand::{Answer, Feeling, Said, Strength};

/// The practice that the state calls for, whether or not it is offered.
pub fn fitting(state: &State) -> Option<(PracticeType, Urgency, &'static str)> {
    let known = &state.known;
    let before = state.kind == Kind::CheckIn;
    let felt = |wanted: &[Feeling]| known.feelings.iter().any(|f| wanted.contains(&f.value.feeling));
    let lost = known.result.as_ref().is_some_and(|r| r.value == SessionResult::Loss);
    if known.high_stress() {
        return Some((PracticeType::Breathing, Urgency::Immediate, "stress above 7"));
    }
    if known.overconfidence().is_some() {
        return Some((PracticeType::Journaling, Urgency::BeforeTrading, "overconfidence"));
    }
    if known.hot() {
        return Some((PracticeType::Pause, Urgency::Immediate, "tilt or the wish to win it back"));
    }
    if !before && lost && known.upset() {
        return Some((PracticeType::Breathing, Urgency::Immediate, "upset after a loss"));
    }
    if before && felt(&[Feeling::Anxiety, Feeling::Fear]) {
        return Some((PracticeType::Grounding, Urgency::BeforeTrading, "anxiety before trading"));
    }
    if known.tired() {
        let practice = if before { PracticeType::Physical } else { PracticeType::Pause };
        return Some((practice, Urgency::Immediate, "low energy"));
    }
    if known.reflects {
        return Some((PracticeType::Journaling, Urgency::AfterSession, "wants to reflect"));
    }
    if before && flow::readiness(state) == Some(false) {
        return Some((PracticeType::Pause, Urgency::BeforeTrading, "not ready to trade"));
    }
    None
}

/// Offered once, and only where it would help right now.
pub fn worth_offering(state: &State) -> Option<PracticeType> {
    if state.offered.is_some() || state.declined_practice || state.crisis.is_some() || state.refused {
        return None;
    }
    let known = &state.known;
    let strongly_anxious = known
        .feelings
        .iter()
        .any(|f| matches!(f.value.feeling, Feeling::Anxiety | Feeling::Fear) && f.value.strength == Strength::Strong);
    let helps = match state.kind {
        Kind::CheckIn => {
            flow::readiness(state) == Some(false)
                || known.overconfidence().is_some()
                || strongly_anxious
                || known.reflects
        }
        Kind::CheckOut => {
            let lost = known.result.as_ref().is_some_and(|r| r.value == SessionResult::Loss);
            known.high_stress() || known.hot() || lost && known.upset() || known.reflects
        }
    };
    if helps { fitting(state).map(|(practice, _, _)| practice) } else { None }
}

pub fn offer(practice: PracticeType) -> Move {
    let key = match practice {
        PracticeType::Breathing => "offer_breathing",
        PracticeType::Grounding | PracticeType::Visualization => "offer_grounding",
        PracticeType::Journaling => "offer_journaling",
        PracticeType::Physical => "offer_physical",
        PracticeType::Pause => "offer_pause",
    };
    Move::new(key).with("minutes", minutes(practice).to_string())
}

fn minutes(practice: PracticeType) -> u8 {
    match practice {
        PracticeType::Breathing | PracticeType::Grounding | PracticeType::Visualization => 3,
        PracticeType::Physical => 5,
        PracticeType::Journaling | PracticeType::Pause => 5,
    }
}

/// The answer to an offer: yes brings the practice, no is respected, a story is listened to.
pub fn answered(state: &mut State, said: &Said) -> Vec<Effect> {
    let stops = said.intends(crate::understand::Intent::Stop);
    if stops || said.answers(Answer::No) {
        state.declined_practice = true;
        return flow::close_now(state, vec![Move::new("respect_decline")]);
    }
    match (said.answers(Answer::Yes), state.offered) {
        (true, Some(practice)) => start(state, practice),
        _ => {
            let moves = acknowledge::moves(state, said);
            flow::close_now(state, moves)
        }
    }
}

fn start(state: &mut State, practice: PracticeType) -> Vec<Effect> {
    let (_, urgency, reason) = fitting(state).unwrap_or((practice, Urgency::Optional, "offered and accepted"));
    state.accepted = Some(practice);
    let call = SuggestPractice {
        practice_type: practice,
        reason: reason.to_owned(),
        duration_minutes: Some(minutes(practice)),
        urgency,
    };
    let mut reply: Reply = flow::ask(state, Question::AfterPractice, vec![Move::new("practice_start")]);
    reply.tool = Some(ToolCall::SuggestPractice(call));
    vec![Effect::Reply(reply)]
}
