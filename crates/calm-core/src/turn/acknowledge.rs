//! What Calm gives back of what was said: the feeling, the event, the number. At most two things.

use super::{Move, State, flow};
use crate::context::SessionResult;
use crate::end_session::{PlanAdherence, SleepQuality};
use crate::session::Kind;
use crate::understand::lexicon::Lexicon;
use crate::understand::{Feeling, Felt, Reading, Said, Sign, Strength, main_feeling, normal};

const AT_MOST: usize = 2;

pub fn moves(state: &State, said: &Said) -> Vec<Move> {
    let mut moves = match state.kind {
        Kind::CheckIn => before_trading(state, said),
        Kind::CheckOut => after_trading(state, said),
    };
    moves.truncate(AT_MOST);
    if moves.is_empty() {
        moves.push(Move::new("ack_plain"));
    }
    moves
}

fn before_trading(state: &State, said: &Said) -> Vec<Move> {
    let mut moves = Vec::new();
    moves.extend(risk(said));
    let stress = high_stress(state, said);
    let felt = feeling(state, said);
    match (stress, felt) {
        (Some(stress), _) => moves.push(stress),
        (None, Some(felt)) => moves.push(felt),
        (None, None) => {
            let lost = said.past_result.as_ref().or(said.result.as_ref());
            if lost.is_some_and(|r| r.value == SessionResult::Loss) {
                moves.push(Move::new("ack_past_loss"));
            }
        }
    }
    if let Some(stressor) = said.stressors.first() {
        moves.push(Move::new("ack_stressor").with("stressor", stressor.clone()));
    }
    moves.extend(readiness(state, said));
    if let Some(plan) = &said.plan {
        moves.push(Move::new("ack_plan").with("plan", plan.value.clone()));
    }
    match said.sleep.as_ref().map(|s| s.value) {
        Some(SleepQuality::Poor) => moves.push(Move::new("ack_sleep_poor")),
        Some(SleepQuality::Good | SleepQuality::Excellent) => moves.push(Move::new("ack_sleep_good")),
        _ => {}
    }
    moves
}

fn after_trading(state: &State, said: &Said) -> Vec<Move> {
    let mut moves = Vec::new();
    moves.extend(said.result.as_ref().map(|r| {
        let amount = said.amount.clone();
        match r.value {
            SessionResult::Win => Move::new("ack_win").with_if("amount", amount),
            SessionResult::Loss => Move::new("ack_loss").with_if("amount", amount),
            SessionResult::Breakeven => Move::new("ack_breakeven"),
        }
    }));
    let lost = said.result.as_ref().is_some_and(|r| r.value == SessionResult::Loss);
    if lost && flow::on_losing_streak(state) {
        moves.push(Move::new("ack_streak"));
    }
    moves.extend(risk(said));
    moves.extend(high_stress(state, said));
    let adherence = said.plan_adherence.as_ref().map(|p| {
        Move::new(match p.value {
            PlanAdherence::Followed => "ack_followed",
            PlanAdherence::Partially => "ack_partially",
            PlanAdherence::Deviated => "ack_deviated",
            PlanAdherence::NoPlan => "ack_no_plan",
        })
    });
    // After a result "нормально" is about the day; a feeling in passing comes after the plan.
    let felt = feeling(state, said).filter(|f| f.key != "ack_neutral" || moves.is_empty());
    let lasting = |f: &Reading<Felt>| f.value.feeling.is_heavy() && f.value.strength != Strength::Mild;
    if said.feelings.iter().any(lasting) {
        moves.extend(felt.into_iter().chain(adherence));
    } else {
        moves.extend(adherence.into_iter().chain(felt));
    }
    if said.learnings.is_some() {
        moves.push(Move::new("ack_learning"));
    }
    moves
}

fn risk(said: &Said) -> Option<Move> {
    let key = if said.shows(Sign::Borrowing) {
        "gambling_harm"
    } else if said.shows(Sign::Revenge) {
        "name_revenge"
    } else if said.shows(Sign::Tilt) {
        "name_tilt"
    } else {
        return None;
    };
    Some(Move::new(key))
}

fn high_stress(state: &State, said: &Said) -> Option<Move> {
    let number = said.stress.as_ref().map(|s| s.value);
    let told = number.is_some() || said.shows(Sign::HighStress);
    (told && state.known.high_stress())
        .then(|| Move::new("ack_high_stress").with_if("stress", number.map(|n| n.to_string())))
}

fn feeling(state: &State, said: &Said) -> Option<Move> {
    let felt = main_feeling(&said.feelings)?;
    let key = ack_of(felt);
    let takes_event = matches!(key, "ack_anxiety" | "ack_anger" | "ack_sadness");
    Some(Move::new(key).with_if("event", event(state, said).filter(|_| takes_event)))
}

fn ack_of(felt: &Reading<Felt>) -> &'static str {
    match felt.value.feeling {
        Feeling::Anxiety | Feeling::Fear => "ack_anxiety",
        Feeling::Anger | Feeling::Frustration => "ack_anger",
        Feeling::Sadness => "ack_sadness",
        Feeling::Guilt => "ack_guilt",
        Feeling::Fatigue => "ack_fatigue",
        Feeling::Calm | Feeling::Focused | Feeling::Confidence => "ack_calm",
        Feeling::Joy | Feeling::Relief | Feeling::Excitement => "ack_joy",
        Feeling::Boredom | Feeling::Neutral => "ack_neutral",
    }
}

/// "После вчерашнего убытка", where the user named it in the same breath.
fn event(state: &State, said: &Said) -> Option<String> {
    let name = match state.kind {
        Kind::CheckIn => {
            let past = said.past_result.as_ref().or(said.result.as_ref())?;
            let words = normal(&past.words);
            let yesterday = words.contains("вчера") || words.contains("yesterday");
            match (past.value, yesterday) {
                (SessionResult::Loss, true) => "after_past_loss",
                (SessionResult::Loss, false) => "after_earlier_loss",
                _ => return None,
            }
        }
        Kind::CheckOut => {
            let lost = said.result.as_ref().is_some_and(|r| r.value == SessionResult::Loss);
            // The loss has its own acknowledgement in the same reply.
            if lost || state.known.result.as_ref().is_none_or(|r| r.value != SessionResult::Loss) {
                return None;
            }
            "after_loss"
        }
    };
    Lexicon::of(state.lang).word(name).map(str::to_owned)
}

pub fn readiness(state: &State, said: &Said) -> Option<Move> {
    let number = said.readiness.as_ref()?.value;
    if state.kind != Kind::CheckIn {
        return None;
    }
    let key = if number >= 6 { "ack_readiness" } else { "ack_readiness_low" };
    Some(Move::new(key).with("readiness", number.to_string()))
}

/// Asked for trading advice (SPEC H8): the feeling, the boundary, the user's own plan.
pub fn advice(state: &State, said: &Said) -> Vec<Move> {
    let earlier = state.context.previous_checkin.as_ref().and_then(|c| c.planned_approach.clone());
    let plan = state.known.plan.as_ref().map(|p| p.value.clone()).or(earlier);
    let back = match plan {
        Some(plan) => Move::new("advice_own_plan").with("plan", plan),
        None => Move::new("advice_own_rule"),
    };
    let heavy = feeling(state, said).filter(|_| said.feelings.iter().any(|f| f.value.feeling.is_heavy()));
    heavy.into_iter().chain([Move::new("advice_boundary"), back]).collect()
}
