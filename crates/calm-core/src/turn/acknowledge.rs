//! What Calm gives back of what was said: the feeling, the event, the number. Two things and the risk, if there is one.

use super::asides::Aside;
use super::gathered::Gathered;
use super::hearing::Turn;
use super::{Move, State, flow, pattern, risk, stressor, tact};
use crate::context::SessionResult;
use crate::end_session::{PlanAdherence, ResultCategory, RiskAppetite, SleepQuality};
use crate::lang::Lang;
use crate::question::Question;
use crate::session::Kind;
use crate::understand;
use crate::understand::lexicon::Lexicon;
use crate::understand::{Answer, Feeling, Felt, Reading, Said, Sign, Strength, main_feeling, normal, signed};

/// Things given back beside the risk.
const AT_MOST: usize = 2;
/// With so many things said, a guess about the past would be one too many.
const ROOM_FOR_A_GUESS: usize = 2;
/// From here on regret is named, on the user's scale of 1–10.
const REGRET: u8 = 5;
const LOW_ENERGY: u8 = 3;
const NO_TRADES: &str = "ack_no_trades";
/// Said once in a talk.
const ONCE: [&str; 3] = [NO_TRADES, "ack_grief", "ack_illness"];
const CHEERS: [&str; 5] = ["ack_confidence", "ack_joy", "ack_past_win", "ack_risk_high", "ack_ready"];

pub fn moves(state: &mut State, turn: &Turn) -> Vec<Move> {
    let said = &turn.said;
    if let Some(key) = without_content(turn) {
        return vec![Move::new(key)];
    }
    let risk = risk::moves(state);
    let tell = |said: &Said| match state.kind {
        Kind::CheckIn => before_trading(state, turn, said),
        Kind::CheckOut => after_trading(state, turn, said),
    };
    // What was known is given back again only where there is nothing new.
    let mut told = tell(&only_new(said, &turn.before));
    if told.is_empty() {
        // A feeling that is still there is heard again; a plan that was kept needs no second praise.
        told = tell(&Said { plan_adherence: None, result: None, ..said.clone() });
    }
    if risk.iter().any(|m| m.key == "name_overconfidence") {
        // Cheering and a reality check do not go together.
        told.retain(|m| !CHEERS.contains(&m.key));
    }
    let names_risk = !risk.is_empty();
    told.truncate(if risk.len() >= AT_MOST { 1 } else { AT_MOST });
    // The result is the event; the risk comes after it, and before everything else.
    let event = state.kind == Kind::CheckOut && said.result.is_some() && !told.is_empty();
    let rest = if event { told.split_off(1) } else { std::mem::take(&mut told) };
    told.extend(risk);
    told.extend(rest);
    if understand::to_remember(&turn.text, state.lang).is_some() {
        told.insert(0, Move::new("will_remember"));
    }
    if state.hurried.is_some() && tact::once(state, "ack_hurry") {
        told.truncate(1);
        told.insert(0, Move::new("ack_hurry"));
    }
    if told.is_empty() {
        told.push(Move::new(in_a_word(turn)));
    }
    if told.len() <= ROOM_FOR_A_GUESS && !tact::is_careful(state) {
        told.extend(pattern::guess(state, said, &turn.text));
    }
    for once in told.iter().map(|m| m.key).filter(|key| ONCE.contains(key)) {
        state.named.push(once);
    }
    tact::softened(state, told, names_risk)
}

/// Said before in this talk, and not changed by this turn.
fn only_new(said: &Said, before: &Gathered) -> Said {
    fn same<T: PartialEq>(said: &Option<Reading<T>>, before: &Option<Reading<T>>) -> bool {
        said.as_ref().zip(before.as_ref()).is_some_and(|(said, before)| said.value == before.value)
    }
    let mut new = said.clone();
    new.feelings.retain(|f| !before.feelings.iter().any(|b| b.value.feeling == f.value.feeling));
    if same(&said.plan_adherence, &before.plan_adherence) {
        new.plan_adherence = None;
    }
    if same(&said.result, &before.result) && said.amount.is_none() {
        new.result = None;
    }
    if same(&said.sleep, &before.sleep) {
        new.sleep = None;
    }
    if same(&said.readiness, &before.readiness) {
        new.readiness = None;
    }
    new.stressors.retain(|s| !before.stressors.contains(s));
    new
}

/// "Нет" to the worries, "обычный" to the risk: a word, and a word in answer.
fn in_a_word(turn: &Turn) -> &'static str {
    let nothing = turn.manner.nothing || turn.said.answers(Answer::No);
    match turn.asked {
        Some(Question::Stressors) if nothing => "ack_nothing",
        _ => "ack_plain",
    }
}

/// "Не знаю", "дальше", "спасибо": taken warmly, and without thanks for an openness that there was not.
fn without_content(turn: &Turn) -> Option<&'static str> {
    if turn.news {
        return None;
    }
    let manner = turn.manner;
    let at_first = matches!(turn.asked, Some(Question::HowAreYou | Question::HowWasIt));
    if at_first && turn.text.split_whitespace().count() > 1 && turn.asides.touch(Aside::Better) {
        // "Маме лучше, спасибо" tells something.
        Some("ack_relief")
    } else if manner.skips {
        Some("ack_refusal_to_answer")
    } else if manner.unsure {
        Some("ack_unsure")
    } else {
        (manner.thanks && turn.said.answer.is_none()).then_some("ack_thanks")
    }
}

fn before_trading(state: &State, turn: &Turn, said: &Said) -> Vec<Move> {
    let mut moves = Vec::new();
    let stress = high_stress(state, said);
    let felt = stress.or_else(|| feeling(state, said));
    let event_told = felt.as_ref().is_some_and(|m| !m.slots.is_empty() && m.key != "ack_high_stress");
    moves.extend(felt);
    match said.past_result.as_ref().or(said.result.as_ref()).map(|r| r.value) {
        Some(SessionResult::Loss) if !event_told => moves.push(Move::new("ack_past_loss")),
        Some(SessionResult::Win) => moves.push(Move::new("ack_past_win")),
        _ => {}
    }
    let worry = stressor::acknowledged(state, &said.stressors, &turn.text);
    if worry.is_some() {
        // "Fine, though the kid's ill" is not fine.
        moves.retain(|m| m.key != "ack_neutral");
    }
    // "Волнуюсь, первый раз" is the feeling, told already.
    moves.extend(worry.filter(|m| m.key != "ack_stressor" || !m.slots.is_empty() || moves.is_empty()));
    moves.extend(readiness(state, said));
    if let Some(plan) = &said.plan {
        moves.push(Move::new("ack_plan").with("plan", plan.value.clone()));
    }
    match said.risk_appetite.as_ref() {
        Some(r) if r.value == RiskAppetite::Low && is_about_size(&r.words) => moves.push(Move::new("ack_size_small")),
        Some(r) if r.value == RiskAppetite::Low => moves.push(Move::new("ack_risk_low")),
        Some(r) if r.value == RiskAppetite::High => moves.push(Move::new("ack_risk_high")),
        Some(_) if moves.is_empty() => moves.push(Move::new("ack_risk_medium")),
        _ => {}
    }
    match said.sleep.as_ref().map(|s| s.value) {
        Some(SleepQuality::Poor) => moves.push(Move::new("ack_sleep_poor")),
        Some(SleepQuality::Good | SleepQuality::Excellent) => moves.push(Move::new("ack_sleep_good")),
        Some(SleepQuality::Fair) if moves.is_empty() => moves.push(Move::new("ack_sleep_fair")),
        _ => {}
    }
    moves.extend(low_energy(said, &moves));
    moves
}

fn after_trading(state: &State, turn: &Turn, said: &Said) -> Vec<Move> {
    let mut moves = Vec::new();
    moves.extend(said.result.as_ref().map(|r| result(state, r.value, said)));
    let today = said.result.as_ref().map(|r| r.value);
    if today == Some(SessionResult::Loss) && flow::on_losing_streak(state) {
        moves.push(Move::new("ack_streak"));
    }
    if state.no_trades && turn.before.result.is_none() && !state.named.contains(&NO_TRADES) {
        moves.push(Move::new(NO_TRADES));
    }
    moves.extend(high_stress(state, said));
    let adherence = said.plan_adherence.as_ref().map(|p| {
        Move::new(match p.value {
            PlanAdherence::Followed => "ack_followed",
            PlanAdherence::Partially => "ack_partially",
            PlanAdherence::Deviated => "ack_deviated",
            PlanAdherence::NoPlan => "ack_no_plan",
        })
    });
    let worry = stressor::acknowledged(state, &said.stressors, &turn.text);
    let worry = worry.filter(|m| m.key != "ack_stressor");
    // After a result "нормально" is about the day; a feeling in passing comes after the plan.
    let felt = feeling(state, said).filter(|f| f.key != "ack_neutral" || moves.is_empty());
    let lasting = |f: &Reading<Felt>| f.value.feeling.is_heavy() && f.value.strength != Strength::Mild;
    if said.feelings.iter().any(lasting) || said.shows(Sign::SelfBlame) {
        moves.extend(felt.into_iter().chain(adherence));
    } else {
        moves.extend(adherence.into_iter().chain(felt));
    }
    moves.extend(worry);
    if said.regret.as_ref().is_some_and(|r| r.value >= REGRET) {
        moves.push(Move::new("ack_regret"));
    }
    if let Some(satisfaction) = &said.satisfaction {
        moves.push(Move::new("ack_satisfaction").with("satisfaction", satisfaction.value.to_string()));
    }
    if said.learnings.is_some() {
        moves.push(Move::new("ack_learning"));
    }
    moves.extend(low_energy(said, &moves));
    moves
}

fn result(state: &State, result: SessionResult, said: &Said) -> Move {
    let size = state.result_category();
    let key = match (result, size) {
        (SessionResult::Win, _) if flow::after_losing_streak(state) => "ack_streak_broken",
        (SessionResult::Win, Some(ResultCategory::Large)) => "ack_win_large",
        (SessionResult::Win, _) => "ack_win",
        // The sum says more than its size.
        (SessionResult::Loss, Some(ResultCategory::Small)) if said.amount.is_none() => "ack_loss_small",
        (SessionResult::Loss, Some(ResultCategory::Large)) => "ack_loss_large",
        (SessionResult::Loss, _) => "ack_loss",
        (SessionResult::Breakeven, _) => "ack_breakeven",
    };
    let takes_amount = matches!(key, "ack_win" | "ack_streak_broken" | "ack_loss");
    let amount = said.amount.as_ref().filter(|_| takes_amount);
    let shown = |amount: &String| match result {
        SessionResult::Win => gained(amount, state.lang),
        _ => signed(amount, result, state.lang),
    };
    Move::new(key).with_if("amount", amount.map(shown))
}

/// "+200", "плюс двести": a bare sum after a colon could be either.
fn gained(amount: &str, lang: Lang) -> String {
    let figure = amount.starts_with(|c: char| !c.is_alphabetic());
    match lang {
        _ if figure => format!("+{amount}"),
        Lang::Ru => format!("плюс {amount}"),
        Lang::En => format!("plus {amount}"),
    }
}

fn high_stress(state: &State, said: &Said) -> Option<Move> {
    let number = said.stress.as_ref().map(|s| s.value);
    let told = number.is_some() || said.shows(Sign::HighStress);
    (told && state.known.high_stress())
        .then(|| Move::new("ack_high_stress").with_if("stress", number.map(|n| n.to_string())))
}

/// Tiredness may have been named already, as a feeling.
fn low_energy(said: &Said, told: &[Move]) -> Option<Move> {
    let low = said.energy.as_ref().is_some_and(|e| e.value <= LOW_ENERGY);
    (low && !told.iter().any(|m| m.key == "ack_fatigue")).then(|| Move::new("ack_energy_low"))
}

fn feeling(state: &State, said: &Said) -> Option<Move> {
    if said.shows(Sign::SelfBlame) {
        return Some(Move::new("ack_self_blame"));
    }
    let felt = main_feeling(&said.feelings)?;
    let key = ack_of(felt);
    let takes_event = matches!(key, "ack_anxiety" | "ack_anger" | "ack_sadness");
    let event = event(state, said).filter(|_| takes_event);
    let mild = felt.value.feeling.is_heavy() && felt.value.strength == Strength::Mild;
    Some(Move::new(if mild && event.is_none() { "ack_mild" } else { key }).with_if("event", event))
}

/// The feeling that is hard to carry, if one was said.
pub fn heavy_feeling(state: &State, said: &Said) -> Option<Move> {
    feeling(state, said).filter(|_| said.feelings.iter().any(|f| f.value.feeling.is_heavy()))
}

fn ack_of(felt: &Reading<Felt>) -> &'static str {
    match felt.value.feeling {
        Feeling::Anxiety => "ack_anxiety",
        Feeling::Fear => "ack_fear",
        Feeling::Anger => "ack_anger",
        Feeling::Frustration => "ack_frustration",
        Feeling::Sadness => "ack_sadness",
        Feeling::Guilt => "ack_guilt",
        Feeling::Fatigue => "ack_fatigue",
        Feeling::Calm => "ack_calm",
        Feeling::Focused => "ack_focused",
        Feeling::Confidence | Feeling::Excitement => "ack_confidence",
        Feeling::Joy => "ack_joy",
        Feeling::Relief => "ack_relief",
        Feeling::Boredom => "ack_boredom",
        Feeling::Neutral => "ack_neutral",
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

/// "Малым объёмом" says how big, "без риска" does not.
fn is_about_size(words: &str) -> bool {
    let words = normal(words);
    ["объем", "лот", "size", "lot"].iter().any(|size| words.contains(size))
}

pub fn readiness(state: &State, said: &Said) -> Option<Move> {
    if state.kind != Kind::CheckIn {
        return None;
    }
    if let Some(number) = said.readiness.as_ref().map(|r| r.value) {
        let key = if number >= 6 { "ack_readiness" } else { "ack_readiness_low" };
        return Some(Move::new(key).with("readiness", number.to_string()));
    }
    let ready = said.ready.as_ref()?.value;
    Some(Move::new(if ready { "ack_ready" } else { "ack_not_ready" }))
}
