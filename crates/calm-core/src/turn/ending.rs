//! What `end_session` carries: attributes from the user's words, flags on evidence, and what
//! follows from them, all in code (SPEC T2, T3).

use std::collections::BTreeMap;

use super::{Gathered, State, flow, practice, risk};
use crate::context::SessionResult;
use crate::end_session::{Attributes, EndSession, NextAction, PlanAdherence, RecommendedActions, RiskFlags};
use crate::session::Kind;
use crate::summary;
use crate::understand::{Distress, Feeling, Sign, Strength};
use crate::voice::VoiceAnalysis;

/// How sure a feeling in the user's own words is.
const SAID: f32 = 0.9;
const SAID_IN_PASSING: f32 = 0.7;
/// Said, and contradicted by the voice.
const DOUBTED: f32 = 0.3;

pub fn of(state: &State) -> EndSession {
    let extracted_attributes = attributes(state);
    let risk_flags = flags(state, &extracted_attributes);
    let recommended_next_action = next_action(state, &risk_flags);
    let recommended_actions = actions(state, &risk_flags, recommended_next_action);
    let told = summary::Told {
        kind: state.kind,
        known: &extracted_attributes,
        amount: state.known.amount.as_deref(),
        no_trades: state.no_trades,
        flags: &risk_flags,
        next: recommended_next_action,
        in_crisis: state.in_crisis(),
    };
    let session_summary = summary::of(state.lang, &told);
    EndSession {
        session_type: state.kind,
        extracted_attributes,
        risk_flags,
        recommended_actions,
        session_summary,
        recommended_next_action,
    }
}

fn attributes(state: &State) -> Attributes {
    let known = &state.known;
    // Somebody who does not want to talk leaves only what they said themselves.
    let voice = known.voice.as_ref().filter(|_| !state.refused);
    let emotion = emotion(known, voice).filter(|(name, _)| state.crisis.is_none() || name != "neutral");
    let value = |r: &Option<crate::understand::Reading<u8>>| r.as_ref().map(|r| r.value);
    Attributes {
        stress_level: value(&known.stress).or(voice.and_then(|v| v.stress_level)),
        energy_level: value(&known.energy).or(voice.and_then(|v| v.energy_level)),
        // Nobody is ready or not ready in a crisis (SPEC H5).
        trading_readiness: value(&known.readiness).filter(|_| state.crisis.is_none()),
        primary_emotion: emotion.as_ref().map(|(name, _)| name.clone()),
        confidence: emotion.map(|(_, confidence)| confidence),
        sleep_quality: known.sleep.as_ref().map(|r| r.value),
        external_stressors: (!known.stressors.is_empty()).then(|| known.stressors.clone()),
        planned_approach: known.plan.as_ref().map(|r| r.value.clone()),
        risk_appetite: known.risk_appetite.as_ref().map(|r| r.value),
        session_result: known.result.as_ref().map(|r| r.value),
        result_category: state.result_category(),
        plan_adherence: adherence(state),
        key_learnings: known.learnings.as_ref().map(|r| r.value.clone()),
        regret_level: value(&known.regret),
        satisfaction: value(&known.satisfaction),
    }
}

/// The user's words first; their numbers where the words are silent.
fn adherence(state: &State) -> Option<PlanAdherence> {
    let said = state.known.plan_adherence.as_ref().map(|r| r.value);
    said.or_else(|| risk::overtraded(state).map(|_| PlanAdherence::Deviated))
}

/// The user's words first, else a voice that is sure enough.
///
/// Where the words say fine and the voice says strain, neither is sure.
fn emotion(known: &Gathered, voice: Option<&VoiceAnalysis>) -> Option<(String, f32)> {
    let heard = voice.filter(|v| v.confidence >= VoiceAnalysis::CONFIDENCE_FLOOR && v.primary_emotion != "unclear");
    let heard = heard.map(|v| (v.primary_emotion.clone(), v.confidence));
    let Some(felt) = known.main_feeling() else { return heard };
    let name = felt.value.feeling.name().to_owned();
    if voice.is_some() && known.sounds_worse_than_said() {
        return heard.filter(|(emotion, _)| emotion != "neutral" && emotion != "joy").or(Some((name, DOUBTED)));
    }
    let sure = if felt.value.strength == Strength::Mild { SAID_IN_PASSING } else { SAID };
    Some((name, sure))
}

fn flags(state: &State, attributes: &Attributes) -> RiskFlags {
    let known = &state.known;
    let mut evidence = BTreeMap::new();
    let mut flag = |name: &str, because: Option<String>| {
        let set = because.is_some();
        if let Some(because) = because {
            evidence.insert(name.to_owned(), because);
        }
        set
    };
    let words = |sign: Sign| known.words_of(sign).map(str::to_owned);
    let level = |name: &str, value: Option<u8>, matters: fn(u8) -> bool| {
        value.filter(|v| matters(*v)).map(|v| format!("{name} {v}"))
    };

    let stress = level("stress_level", attributes.stress_level, |s| s > 7);
    let spoken_stress = words(Sign::HighStress).filter(|_| known.stress.is_none());
    let panic = || state.crisis.as_ref().filter(|c| c.kind == Distress::Panic).map(|c| c.words.clone());
    let high_stress = flag("high_stress", spoken_stress.or(stress).or_else(panic));
    let tilt_risk = flag("tilt_risk", words(Sign::Tilt).or_else(|| tilting(state)));
    let overconfidence = flag("overconfidence", known.overconfidence());
    let tired = level("energy_level", attributes.energy_level, |e| e <= 3);
    let fatigue = flag("fatigue", words(Sign::Fatigue).or(tired));
    let revenge_trading_risk = flag("revenge_trading_risk", words(Sign::Revenge));
    let distress = state.crisis.as_ref().map(|c| c.words.clone());
    let needs_attention = flag("needs_attention", distress.or_else(|| risk::gambles(state).map(str::to_owned)));
    RiskFlags { high_stress, tilt_risk, overconfidence, fatigue, revenge_trading_risk, needs_attention, evidence }
}

/// A loss against the plan with anger or frustration still in the room.
fn tilting(state: &State) -> Option<String> {
    let known = &state.known;
    let lost = known.result.as_ref().filter(|r| r.value == SessionResult::Loss)?;
    let said = known.plan_adherence.as_ref().filter(|p| p.value == PlanAdherence::Deviated).map(|p| p.words.as_str());
    let broken = said.or_else(|| risk::overtraded(state))?;
    let hot = known.feelings.iter().find(|f| {
        matches!(f.value.feeling, Feeling::Anger | Feeling::Frustration) && f.value.strength != Strength::Mild
    })?;
    Some(format!("{}; {broken}; {}", lost.words, hot.words))
}

fn next_action(state: &State, flags: &RiskFlags) -> NextAction {
    if flags.needs_attention {
        return NextAction::SeekSupport;
    }
    // What the user chose themselves, the newer choice first.
    if state.break_on.is_some_and(|turn| turn >= state.accepted_on) {
        return NextAction::TakeBreak;
    }
    if state.refused && state.accepted.is_none() {
        return NextAction::None;
    }
    if state.accepted.is_some() && !(state.kind == Kind::CheckIn && flow::readiness(state) == Some(true)) {
        return NextAction::DoPractice;
    }
    let hot = flags.high_stress || flags.tilt_risk || flags.revenge_trading_risk;
    match (state.kind, flow::readiness(state)) {
        _ if hot => NextAction::TakeBreak,
        (Kind::CheckIn, _) if flags.overconfidence => NextAction::TakeBreak,
        (Kind::CheckIn, Some(true)) => NextAction::ProceedToTrade,
        (Kind::CheckIn, Some(false)) => NextAction::TakeBreak,
        // Tired, and nothing said of being ready all the same.
        (Kind::CheckIn, None) if flags.fatigue => NextAction::TakeBreak,
        (Kind::CheckIn, None) => NextAction::None,
        (Kind::CheckOut, _) if flags.fatigue || flags.overconfidence => NextAction::TakeBreak,
        (Kind::CheckOut, _) => NextAction::None,
    }
}

fn actions(state: &State, flags: &RiskFlags, next: NextAction) -> RecommendedActions {
    let crisis = state.crisis.is_some();
    let withheld = crisis || state.refused || state.declined_practice;
    RecommendedActions {
        suggest_pause: matches!(next, NextAction::TakeBreak | NextAction::DoPractice),
        offer_extended_talk: (flags.high_stress || flags.needs_attention) && !state.refused,
        practice_type: if withheld { None } else { practice::fitting(state).map(|(kind, _, _)| kind) },
    }
}
