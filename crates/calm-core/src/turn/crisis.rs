//! Severe distress (SPEC A4, H4, H5): one caring question, help at hand, and nothing about trading.
//!
//! One denial does not clear it, and a wish to stop is still respected.

use super::{Effect, Move, State, close, flow};
use crate::question::Question;
use crate::understand::{Answer, Distress, Intent, Said};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Crisis {
    pub kind: Distress,
    /// The user's own words.
    pub words: String,
    /// Turns since the last sign of distress.
    quiet: u32,
    asked_who_is_near: bool,
}

pub fn reply(state: &mut State, said: &Said) -> Vec<Effect> {
    let first = state.crisis.is_none();
    if let Some(distress) = &said.distress {
        let kind = state.crisis.as_ref().map_or(distress.value, |c| c.kind.min(distress.value));
        let words = state.crisis.as_ref().map_or(&distress.words, |c| &c.words).clone();
        state.crisis = Some(Crisis { kind, words, quiet: 0, asked_who_is_near: false });
    }
    let Some(crisis) = &mut state.crisis else { return Vec::new() };
    if said.distress.is_none() {
        // "No" to "are you safe" or "is somebody near": no reason to grow quieter.
        crisis.quiet += u32::from(!said.answers(Answer::No));
    }
    let (kind, quiet) = (crisis.kind, crisis.quiet);
    let alone = said.distress.is_some() || said.answers(Answer::No);
    if said.intends(Intent::Stop) && !first {
        return close(state, vec![Move::new("crisis_close"), Move::new("crisis_helplines")]);
    }
    if first {
        let support = Move::new(match kind {
            Distress::SelfHarm => "crisis_self_harm",
            Distress::Ruin => "crisis_ruin",
            Distress::Panic => "crisis_panic",
        });
        let moves = vec![support, Move::new("crisis_helplines"), Move::new("ask_safety")];
        return vec![Effect::Reply(flow::ask(state, Question::Safety, moves))];
    }
    if quiet >= 2 && !alone {
        return close(state, vec![Move::new("crisis_close"), Move::new("crisis_helplines")]);
    }
    let mut moves = vec![Move::new("crisis_stay")];
    if alone {
        moves.push(Move::new("crisis_helplines"));
    } else if crisis.asked_who_is_near {
        moves.push(Move::new("ask_more"));
        return vec![Effect::Reply(flow::ask(state, Question::More, moves))];
    }
    crisis.asked_who_is_near = true;
    moves.push(Move::new("ask_someone_near"));
    vec![Effect::Reply(flow::ask(state, Question::Safety, moves))]
}
