//! Severe distress (SPEC A4, H4, H5): one caring question, help at hand, and nothing about trading.
//!
//! One denial does not clear it; after that a false alarm is closed in one step. Closing is for the
//! user alone, so code goes on until they want to stop.

use super::hearing::{self, Turn};
use super::{Effect, Move, State, close, flow};
use crate::question::Question;
use crate::tools::{EscalateToHuman, ToolCall};
use crate::understand::{Answer, Distress, Intent, Sign};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Crisis {
    pub kind: Distress,
    /// The user's own words.
    pub words: String,
    /// Since the last sign of distress.
    denials: u32,
    /// Whether somebody is near was asked.
    asked_near: bool,
    /// The newest question is about that.
    about_near: bool,
    grounded: bool,
}

pub fn reply(state: &mut State, turn: &Turn) -> Vec<Effect> {
    let Some(mut crisis) = state.crisis.take() else { return first(state, turn) };
    let effects = next(state, turn, &mut crisis);
    state.crisis = Some(crisis);
    effects
}

fn first(state: &mut State, turn: &Turn) -> Vec<Effect> {
    let Some(distress) = &turn.said.distress else { return Vec::new() };
    let kind = distress.value;
    let known = &state.known;
    let gambles = known.shows(Sign::Borrowing) || known.shows(Sign::Revenge);
    let mut moves = match kind {
        Distress::SelfHarm => vec![Move::new("crisis_self_harm")],
        Distress::Ruin => vec![Move::new("crisis_ruin")],
        Distress::Panic => vec![Move::new("crisis_panic"), Move::new("crisis_grounding")],
    };
    if has_means(turn) {
        moves.push(Move::new("crisis_means"));
    }
    moves.push(Move::new("crisis_helplines"));
    if kind == Distress::Ruin && gambles {
        state.named.extend(["gambling_harm", "gambling_help"]);
        moves.push(Move::new("gambling_help"));
    }
    moves.push(Move::new("ask_safety"));
    state.crisis = Some(Crisis {
        kind,
        words: distress.words.clone(),
        denials: 0,
        asked_near: false,
        about_near: false,
        grounded: kind == Distress::Panic,
    });
    vec![Effect::Reply(flow::ask(state, Question::Safety, moves))]
}

fn next(state: &mut State, turn: &Turn, crisis: &mut Crisis) -> Vec<Effect> {
    let Turn { said, manner, .. } = turn;
    let about_near = std::mem::take(&mut crisis.about_near);
    let farewell = || vec![Move::new("crisis_close"), Move::new("crisis_helplines")];
    if let Some(distress) = &said.distress {
        crisis.kind = crisis.kind.min(distress.value);
        crisis.denials = 0;
        let mut moves = vec![Move::new("crisis_again")];
        if has_means(turn) {
            moves.push(Move::new("crisis_means"));
        }
        if crisis.asked_near {
            moves.push(Move::new("crisis_person"));
        }
        moves.push(Move::new("crisis_helplines"));
        return if crisis.asked_near { ask_safety(state, moves) } else { ask_near(state, crisis, moves) };
    }
    if crisis.kind == Distress::SelfHarm && has_means(turn) {
        crisis.denials = 0;
        let moves = vec![Move::new("crisis_means"), Move::new("crisis_helplines")];
        return if crisis.asked_near { ask_safety(state, moves) } else { ask_near(state, crisis, moves) };
    }
    if said.intends(Intent::Stop) || state.heard.len() >= hearing::TURNS {
        return close_crisis(state, crisis, farewell());
    }
    if said.intends(Intent::AsksHuman) {
        let moves = vec![Move::new("human_answer"), Move::new("crisis_person")];
        return ask_near_or_more(state, crisis, moves);
    }
    if said.intends(Intent::WantsPerson) {
        let moves = vec![Move::new("crisis_person"), Move::new("crisis_helplines")];
        return with_person(ask_near_or_more(state, crisis, moves));
    }
    if said.intends(Intent::WantsPractice) {
        crisis.grounded = true;
        return ask_more(state, vec![Move::new("crisis_grounding")]);
    }
    if turn.nothing_heard {
        return ask_near_or_more(state, crisis, vec![Move::new("crisis_stay")]);
    }
    // A panic that passes is good news, not a denial.
    if manner.false_alarm || manner.denies && crisis.kind != Distress::Panic {
        crisis.denials += 1;
        if crisis.denials >= 2 {
            return close_crisis(state, crisis, vec![Move::new("false_alarm_close")]);
        }
        return ask_near_or_more(state, crisis, vec![Move::new("crisis_denied")]);
    }
    let alone = said.answers(Answer::No);
    match turn.asked {
        Some(Question::More) if (alone || manner.settles) && !manner.near => close_crisis(state, crisis, farewell()),
        Some(Question::More) => ask_more(state, stay(crisis)),
        _ if about_near && (manner.near || said.answers(Answer::Yes)) && !alone => ask_more(state, stay(crisis)),
        _ if about_near && alone => {
            let mut moves = vec![Move::new("crisis_person"), Move::new("crisis_helplines")];
            moves.extend(ground(crisis));
            with_person(ask_more(state, moves))
        }
        _ if manner.near && !alone => ask_more(state, stay(crisis)),
        _ if alone => {
            let moves = vec![Move::new("crisis_stay"), Move::new("crisis_helplines")];
            ask_near_or_more(state, crisis, moves)
        }
        _ => {
            let moves = stay(crisis);
            ask_near_or_more(state, crisis, moves)
        }
    }
}

/// Something to do it with is named, and not denied: pills, a rope, a height.
fn has_means(turn: &Turn) -> bool {
    let denied = turn.said.answers(Answer::No) || turn.manner.denies || turn.manner.false_alarm;
    turn.said.mentions.topics.contains(&"means") && !denied
}

/// Staying with it; the second time with something to hold on to.
fn stay(crisis: &mut Crisis) -> Vec<Move> {
    let mut moves = vec![Move::new("crisis_stay")];
    if crisis.asked_near && crisis.kind == Distress::Panic {
        moves.extend(ground(crisis));
    }
    moves
}

/// An exercise as help, in words, not as an offer (SPEC H5).
fn ground(crisis: &mut Crisis) -> Option<Move> {
    let first = !std::mem::replace(&mut crisis.grounded, true);
    first.then(|| Move::new("crisis_grounding"))
}

fn ask_near_or_more(state: &mut State, crisis: &mut Crisis, moves: Vec<Move>) -> Vec<Effect> {
    if crisis.asked_near { ask_more(state, moves) } else { ask_near(state, crisis, moves) }
}

fn ask_near(state: &mut State, crisis: &mut Crisis, mut moves: Vec<Move>) -> Vec<Effect> {
    crisis.asked_near = true;
    crisis.about_near = true;
    moves.push(Move::new("ask_someone_near"));
    vec![Effect::Reply(flow::ask(state, Question::Safety, moves))]
}

fn ask_safety(state: &mut State, mut moves: Vec<Move>) -> Vec<Effect> {
    moves.push(Move::new("ask_safety"));
    vec![Effect::Reply(flow::ask(state, Question::Safety, moves))]
}

fn ask_more(state: &mut State, mut moves: Vec<Move>) -> Vec<Effect> {
    moves.push(Move::new("ask_more"));
    vec![Effect::Reply(flow::ask(state, Question::More, moves))]
}

/// The user's own trusted contact is shown along with the words; nothing is sent.
fn with_person(mut effects: Vec<Effect>) -> Vec<Effect> {
    if let Some(Effect::Reply(reply)) = effects.first_mut() {
        let reason = "alone in a crisis, or asked for a person".to_owned();
        reply.tool = Some(ToolCall::EscalateToHuman(EscalateToHuman { reason }));
    }
    effects
}

/// The ending has to know of the crisis.
fn close_crisis(state: &mut State, crisis: &Crisis, moves: Vec<Move>) -> Vec<Effect> {
    state.crisis = Some(crisis.clone());
    close(state, moves)
}
