//! Which question comes next, and when it is time to close.

use super::asides::Aside;
use super::hearing::Turn;
use super::manner::Manner;
use super::{Effect, Move, Reply, State, acknowledge, advice, close, opening, practice, risk, tact};
use crate::context::SessionResult;
use crate::contour::Topic;
use crate::end_session::{PlanAdherence, ResultCategory, is_ready};
use crate::question::Question;
use crate::session::{Format, Kind};
use crate::understand::{Answer, Feeling, Said, Sign};

/// From here on a losing streak changes the tone (SPEC S5).
const STREAK: u32 = 3;
/// From here on regret makes a day heavy, on the user's scale of 1–10.
const REGRET: u8 = 5;

/// Three losing sessions in a row, today's included.
pub fn on_losing_streak(state: &State) -> bool {
    let today = state.known.result.as_ref().map(|r| r.value);
    if state.kind == Kind::CheckOut && today == Some(SessionResult::Win) {
        return false;
    }
    let lost_today = today == Some(SessionResult::Loss);
    let needed = if state.kind == Kind::CheckOut && lost_today { STREAK - 1 } else { STREAK };
    state.context.user.streak.is_some_and(|s| s.is_losing(needed))
}

/// The first good day after one.
pub fn after_losing_streak(state: &State) -> bool {
    state.context.user.streak.is_some_and(|s| s.is_losing(STREAK))
}

/// Acknowledge, then the next missing thing, then the close.
pub fn go_on(state: &mut State, turn: &Turn) -> Vec<Effect> {
    let said = &turn.said;
    match turn.asked {
        Some(question) if turn.manner.greets && !turn.news && question == opening::question(state.kind) => {
            return vec![Effect::Reply(ask_again(state, turn.asked, Vec::new()))];
        }
        Some(Question::More) if said.answers(Answer::No) || turn.asides.are_only(Aside::ThatsAll) => {
            return close_now(state, Vec::new());
        }
        Some(Question::GoOn)
            if said.answers(Answer::Yes) || said.shows(Sign::WantsMore) || said.shows(Sign::Overconfidence) =>
        {
            // Their own rule, and no verdict.
            let moves = vec![advice::own_rule(state), Move::new("close_going_on")];
            return close(state, moves);
        }
        _ => {}
    }
    let moves = acknowledge::moves(state, turn);
    next(state, moves)
}

/// Something else came up; the conversation returns to where it was.
pub fn digress(state: &mut State, turn: &Turn, moves: Vec<Move>) -> Vec<Effect> {
    match turn.asked {
        Some(_) if !turn.news => vec![Effect::Reply(ask_again(state, turn.asked, moves))],
        _ => next(state, moves),
    }
}

pub fn next(state: &mut State, mut moves: Vec<Move>) -> Vec<Effect> {
    // The wish to win it back does not wait for five more questions.
    if state.known.shows(Sign::Revenge) && practice::worth_offering(state).is_some() {
        return close_now(state, moves);
    }
    if let Some(question) = next_question(state) {
        if question == Question::Readiness && state.known.sounds_worse_than_said() {
            moves.push(Move::new("probe_invite"));
        }
        moves.push(asking(state, question));
        return vec![Effect::Reply(ask(state, question, moves))];
    }
    close_now(state, moves)
}

pub fn ask(state: &mut State, question: Question, moves: Vec<Move>) -> Reply {
    state.asked.push(question);
    state.pending = Some(question);
    Reply { moves, asks: Some(question), tool: None }
}

/// Repeats a question that the turn did not get to; it is not counted twice.
pub fn ask_again(state: &mut State, asked: Option<Question>, mut moves: Vec<Move>) -> Reply {
    let question = asked.unwrap_or(opening::question(state.kind));
    moves.push(match (question, state.offered) {
        (Question::Practice, Some(offer)) => practice::offering(offer),
        _ => asking(state, question),
    });
    state.pending = Some(question);
    Reply { moves, asks: Some(question), tool: None }
}

pub fn next_question(state: &State) -> Option<Question> {
    // Who asked for silence may say more, and is asked nothing.
    if budget_left(state) == 0 || state.refused {
        return None;
    }
    let wanted = match state.kind {
        Kind::CheckIn => before_trading(state),
        Kind::CheckOut => after_trading(state),
    };
    let times = |question: &Question| state.asked.iter().filter(|asked| *asked == question).count();
    let open = |q: &&Question| !is_known(state, **q);
    let fresh = wanted.iter().filter(open).find(|q| times(q) == 0);
    // What was passed by is asked once more, after everything else; the level first, which most depends on.
    let passed_by = || wanted.iter().filter(open).rfind(|q| times(q) == 1 && state.missed.contains(q));
    let missing = fresh.or_else(passed_by).copied();
    // Under high stress the offer comes first; who would rather talk than breathe may talk.
    let go_on = state.format == Format::Unlimited && (!state.known.high_stress() || state.offered.is_some());
    missing.or(go_on.then_some(Question::More))
}

/// How many questions the format still allows; offers of a practice are not counted.
pub fn budget_left(state: &State) -> usize {
    let format: usize = match state.format {
        Format::Short => 2,
        Format::Medium => 6,
        Format::Unlimited => usize::MAX,
    };
    // Without time there is one question more.
    let budget = state.hurried.map_or(format, |asked| format.min(asked + 1));
    let counted = |q: &&Question| !matches!(q, Question::Practice | Question::AfterPractice);
    budget.saturating_sub(state.asked.iter().filter(counted).count() + state.asked_unnamed)
}

fn is_short(state: &State) -> bool {
    state.format == Format::Short || state.hurried.is_some()
}

fn before_trading(state: &State) -> Vec<Question> {
    let short = is_short(state);
    if state.known.sounds_worse_than_said() {
        return if is_known(state, Question::Readiness) { vec![Question::Probe] } else { vec![Question::Readiness] };
    }
    if state.known.high_stress() {
        // Readiness would change nothing now, and asking on would be pushing.
        return if short { Vec::new() } else { vec![Question::Stressors] };
    }
    if short {
        return vec![Question::Readiness];
    }
    vec![Question::Sleep, Question::Stressors, Question::Plan, Question::RiskAppetite, Question::Readiness]
}

fn after_trading(state: &State) -> Vec<Question> {
    let known = &state.known;
    if known.sounds_worse_than_said() && is_known(state, Question::Feelings) {
        return vec![Question::Probe];
    }
    if known.overconfidence().is_some() {
        return vec![Question::GoOn];
    }
    if state.no_trades {
        return vec![Question::Feelings];
    }
    let compare = state.context.session.has_matching_checkin.then_some(Question::PlanComparison);
    if is_short(state) {
        return [Question::Feelings].into_iter().chain(compare).chain([Question::Result]).collect();
    }
    let first = [Question::Result, Question::Feelings];
    let last = [Question::Learnings, Question::Satisfaction];
    first.into_iter().chain(compare).chain(last).collect()
}

/// Something else was told instead: neither an answer, nor "don't know", nor a refusal.
pub fn passed_by(question: Question, said: &Said, manner: Manner) -> bool {
    use Question::{Feelings, Learnings, Plan, Readiness, Result, RiskAppetite, Satisfaction, Sleep, Stressors};
    let topic = Topic::of(said);
    let nothing = manner.nothing && topic.is_none();
    let declined = said.unsure || manner.skips || nothing || said.distress.is_some();
    let once_more = match question {
        // Whatever was told, it was no number.
        Readiness | Satisfaction => said.answer.is_none(),
        // "No, nothing else" is an answer to these.
        Sleep | Stressors | Plan | RiskAppetite | Result | Feelings => topic.is_some() && said.answer.is_none(),
        Learnings => topic.is_some(),
        _ => false,
    };
    once_more && !declined && said.intents.is_empty() && !answers(question, said)
}

/// Whether the words say what was asked.
pub fn answers(question: Question, said: &Said) -> bool {
    match question {
        Question::Readiness => said.readiness.is_some() || said.ready.is_some(),
        Question::Sleep => said.sleep.is_some(),
        Question::Stressors => !said.stressors.is_empty() || !said.feelings.is_empty(),
        Question::Plan => said.plan.is_some() || said.setup.is_some(),
        Question::RiskAppetite => said.risk_appetite.is_some(),
        Question::Result => said.result.is_some(),
        Question::Feelings => !said.feelings.is_empty() || said.stress.is_some() || !said.signs.is_empty(),
        Question::PlanComparison => said.plan_adherence.is_some(),
        Question::Learnings => said.learnings.is_some(),
        Question::Satisfaction => said.satisfaction.is_some(),
        _ => said.answer.is_some(),
    }
}

pub fn is_known(state: &State, question: Question) -> bool {
    let known = &state.known;
    match question {
        Question::Readiness => known.readiness.is_some(),
        Question::Sleep => known.sleep.is_some(),
        Question::Stressors => !known.stressors.is_empty(),
        Question::Plan => known.plan.is_some(),
        Question::RiskAppetite => known.risk_appetite.is_some(),
        Question::Result => known.result.is_some(),
        // "Нормально" about the day says nothing of the person.
        Question::Feelings => {
            known.stress.is_some() || known.feelings.iter().any(|f| f.value.feeling != Feeling::Neutral)
        }
        Question::PlanComparison => known.plan_adherence.is_some() || risk::overtraded(state).is_some(),
        Question::Learnings => known.learnings.is_some(),
        Question::Satisfaction => known.satisfaction.is_some(),
        _ => false,
    }
}

pub fn asking(state: &State, question: Question) -> Move {
    let lost = state.known.result.as_ref().is_some_and(|r| r.value == SessionResult::Loss);
    match question {
        Question::HowAreYou => Move::new("open_checkin"),
        Question::HowWasIt => Move::new("open_checkout"),
        Question::Readiness => Move::new("ask_readiness"),
        Question::Sleep => Move::new("ask_sleep"),
        Question::Stressors => Move::new("ask_stressors"),
        Question::Plan => Move::new("ask_plan"),
        Question::RiskAppetite => Move::new("ask_risk_appetite"),
        Question::Result => Move::new("ask_result"),
        Question::Feelings if lost && on_losing_streak(state) => Move::new("ask_streak_coping"),
        Question::Feelings if state.no_trades => Move::new("ask_feelings_day"),
        Question::Feelings => Move::new("ask_feelings"),
        Question::PlanComparison => {
            let plan = state.context.previous_checkin.as_ref().and_then(|c| c.planned_approach.clone());
            // Once in a talk is enough to hear one's own words.
            let plan = plan.filter(|_| !state.named.contains(&opening::WITH_PLAN));
            Move::new("ask_plan_comparison").with_if("plan", plan)
        }
        Question::Learnings => Move::new("ask_learnings"),
        Question::Satisfaction => Move::new("ask_satisfaction"),
        Question::Probe => Move::new("ask_probe"),
        Question::GoOn => Move::new("ask_go_on"),
        Question::Safety => Move::new("ask_safety"),
        Question::Practice | Question::AfterPractice | Question::More => Move::new("ask_more"),
    }
}

/// Ready, not ready, or `None` where nothing was said about it.
pub fn readiness(state: &State) -> Option<bool> {
    let known = &state.known;
    if known.high_stress() || known.hot() {
        return Some(false);
    }
    let number = known.readiness.as_ref().map(|r| is_ready(r.value, known.stress_level()));
    number.or_else(|| known.ready.as_ref().map(|r| r.value))
}

/// The close, or first the offer of a practice where one would help.
pub fn close_now(state: &mut State, mut moves: Vec<Move>) -> Vec<Effect> {
    if let Some(practice) = practice::worth_offering(state) {
        let offer = practice::Offer::of(practice);
        state.offered = Some(offer);
        moves.push(practice::offering(offer));
        return vec![Effect::Reply(ask(state, Question::Practice, moves))];
    }
    if !state.more_waits {
        moves.extend(tact::summing_up(state));
    }
    moves.extend(farewell(state));
    close(state, moves)
}

/// A loss that nothing heavy was said about is no hard day.
fn taken_evenly(state: &State) -> bool {
    let known = &state.known;
    let light = known.feelings.iter().any(|f| !f.value.feeling.is_heavy());
    let kept = known.plan_adherence.as_ref().is_some_and(|p| p.value == PlanAdherence::Followed);
    let heavy = known.is_heavy() || known.high_stress() || known.hot() || known.shows(Sign::SelfBlame);
    let large = state.result_category() == Some(ResultCategory::Large);
    let worse = known.sounds_worse_than_said() || known.regret.as_ref().is_some_and(|r| r.value >= REGRET);
    (light || kept) && !heavy && !large && !worse
}

fn farewell(state: &State) -> Vec<Move> {
    let of_advice = state.advice_asked > 0 && state.heard.len() <= state.advice_on + 1;
    if of_advice && state.kind == Kind::CheckIn && readiness(state) == Some(true) {
        return vec![Move::new("close_after_advice")];
    }
    let on_streak = on_losing_streak(state);
    let streak = on_streak.then(|| Move::new("process_over_result"));
    let last = match state.kind {
        // Sure of too much: no push, and no verdict either.
        Kind::CheckIn if state.known.overconfidence().is_some() => "close_open",
        Kind::CheckIn => match readiness(state) {
            Some(true) => "close_ready",
            Some(false) => "close_not_ready",
            None => "close_open",
        },
        Kind::CheckOut if risk::gambles(state).is_some() => "close_checkout",
        Kind::CheckOut if state.no_trades => "close_no_trades",
        Kind::CheckOut => match state.known.result.as_ref().map(|r| r.value) {
            Some(SessionResult::Win) => "close_win",
            Some(SessionResult::Loss) if on_streak => "close_streak",
            Some(SessionResult::Loss) if taken_evenly(state) => "close_loss_even",
            Some(SessionResult::Loss) => "close_loss",
            Some(SessionResult::Breakeven) => "close_breakeven",
            None => "close_checkout",
        },
    };
    streak.into_iter().chain([Move::new(last)]).collect()
}
