//! Which practice fits (SPEC T4), and consent: asked first, given in a later turn, a no respected.

use super::asides::Aside;
use super::hearing::Turn;
use super::{Effect, Move, Reply, State, acknowledge, flow, risk, spoken_in};
use crate::context::SessionResult;
use crate::lang::Lang;
use crate::question::Question;
use crate::session::{Format, Kind};
use crate::tools::{PracticeType, SuggestPractice, ToolCall, Urgency};
use crate::understand::{Answer, Feeling, Intent, Scene, Sign, Strength};

/// A practice that was asked about, whether or not it was accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Offer {
    pub practice: PracticeType,
    /// 1–15.
    pub minutes: u8,
}

impl Offer {
    pub fn of(practice: PracticeType) -> Offer {
        Offer { practice, minutes: minutes(practice) }
    }
}

/// Where nothing speaks for another one.
pub const DEFAULT: PracticeType = PracticeType::Breathing;

/// So many words in answer to an offer are neither a yes nor a no.
const A_STORY: usize = 5;

/// In one session; more is no longer a pause but the whole evening.
const MOST: u32 = 2;

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
        let when = if before { Urgency::BeforeTrading } else { Urgency::AfterSession };
        return Some((PracticeType::Journaling, when, "wants to reflect"));
    }
    if before && known.unfocused() {
        return Some((PracticeType::Visualization, Urgency::Optional, "wants to tune in"));
    }
    if before && flow::readiness(state) == Some(false) {
        return Some((PracticeType::Pause, Urgency::BeforeTrading, "not ready to trade"));
    }
    None
}

/// Offered once, and only where it would help right now.
pub fn worth_offering(state: &State) -> Option<PracticeType> {
    if !may_offer(state) {
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

/// Never twice, never after one that was had or after a no, never in a crisis.
pub fn may_offer(state: &State) -> bool {
    let had = state.offered.is_some() || state.practices_given > 0;
    !had && !state.declined_practice && state.crisis.is_none() && !state.refused
}

pub fn offering(offer: Offer) -> Move {
    let key = match offer.practice {
        PracticeType::Breathing => "offer_breathing",
        PracticeType::Grounding => "offer_grounding",
        PracticeType::Visualization => "offer_visualization",
        PracticeType::Journaling => "offer_journaling",
        PracticeType::Physical => "offer_physical",
        PracticeType::Pause => "offer_pause",
    };
    Move::new(key).with("minutes", offer.minutes.to_string())
}

fn minutes(practice: PracticeType) -> u8 {
    match practice {
        PracticeType::Breathing | PracticeType::Grounding | PracticeType::Visualization => 3,
        PracticeType::Physical => 5,
        PracticeType::Journaling | PracticeType::Pause => 5,
    }
}

/// An offer that anger talked over is made once more.
const AGAIN: &str = "offer_again";

/// The answer to an offer: yes brings the practice, no is respected, a story is listened to.
pub fn answered(state: &mut State, turn: &Turn) -> Vec<Effect> {
    let said = &turn.said;
    let stops = said.intends(Intent::Stop);
    if turn.asides.touch(Aside::WouldTalk) && !stops {
        // Talking was offered in the same breath.
        state.declined_practice = true;
        return vec![Effect::Reply(flow::ask(state, Question::More, vec![Move::new("ask_tell")]))];
    }
    if stops || turn.manner.skips || said.answers(Answer::No) {
        state.declined_practice = true;
        let mut moves = vec![Move::new("respect_decline")];
        moves.extend(risk::gambling(state));
        let nothing_more = state.asked.contains(&Question::More);
        return if stops || nothing_more { flow::close_now(state, moves) } else { flow::next(state, moves) };
    }
    // "Slept fine, yeah" agrees to nothing.
    // "Надо отбить" is no "надо", and a mark none either.
    let of_else = said.shows(Sign::Revenge)
        || said.sleep.is_some()
        || said.plan.is_some()
        || said.readiness.is_some()
        || said.result.is_some();
    if let (true, Some(offer)) = (said.answers(Answer::Yes) && !of_else, state.offered) {
        return start(state, offer);
    }
    let mut moves = acknowledge::moves(state, turn);
    let asked_before = state.asked.contains(&Question::More);
    let tells = turn.news || turn.text.split_whitespace().count() >= A_STORY;
    let room = state.format == Format::Medium && flow::budget_left(state) > 0;
    if room && tells && !asked_before {
        // Talking was offered too.
        moves.push(Move::new("ask_more"));
        return vec![Effect::Reply(flow::ask(state, Question::More, moves))];
    }
    if state.known.hot() && tells && !state.named.contains(&AGAIN) {
        // Anger that has to be told first is no answer yet.
        state.named.push(AGAIN);
        return vec![Effect::Reply(flow::ask_again(state, turn.asked, moves))];
    }
    flow::next(state, moves)
}

/// What is said to somebody who comes back from a practice, by how it was.
pub fn afterwards(turn: &Turn) -> Move {
    // "Не лучше" comes before "лучше".
    Move::new(if turn.asides.touch(Aside::Same) {
        "practice_same"
    } else if turn.asides.touch(Aside::Better) {
        "practice_better"
    } else {
        "after_practice"
    })
}

/// "Yeah, let's do the pause", after having talked first.
pub fn takes_up_offer(state: &State, turn: &Turn) -> bool {
    let named = || named_in(&turn.text, state.lang);
    let open = state.offered.filter(|_| !state.declined_practice && state.practices_given == 0);
    turn.said.answers(Answer::Yes) && open.is_some_and(|offer| named() == Some(offer.practice))
}

/// Whoever asks for a practice has agreed to it.
pub fn requested(state: &mut State, turn: &Turn) -> Vec<Effect> {
    if state.practices_given >= MOST {
        return flow::digress(state, turn, vec![Move::new("practice_none_more")]);
    }
    let named = named_in(&turn.text, state.lang);
    let fits = fitting(state);
    let offered = state.offered.filter(|_| turn.asked == Some(Question::Practice)).map(|offer| offer.practice);
    let practice = named.or(offered).or(fits.map(|(practice, ..)| practice)).unwrap_or(DEFAULT);
    let urgency =
        fits.filter(|(fitting, ..)| *fitting == practice).map_or(Urgency::Optional, |(_, urgency, _)| urgency);
    let mut moves = if turn.news { acknowledge::moves(state, turn) } else { Vec::new() };
    moves.retain(|m| m.key != "ack_plain");
    moves.extend([Move::new("practice_asked"), Move::new("practice_start")]);
    let call = SuggestPractice {
        practice_type: practice,
        reason: "asked for it".to_owned(),
        duration_minutes: Some(minutes(practice)),
        urgency,
    };
    hand_over(state, call, moves)
}

fn start(state: &mut State, offer: Offer) -> Vec<Effect> {
    let Offer { practice, minutes } = offer;
    let (_, urgency, reason) = fitting(state).filter(|(fits, ..)| *fits == practice).unwrap_or((
        practice,
        Urgency::Optional,
        "offered and accepted",
    ));
    let call = SuggestPractice {
        practice_type: practice,
        reason: reason.to_owned(),
        duration_minutes: Some(minutes),
        urgency,
    };
    hand_over(state, call, vec![Move::new("practice_start")])
}

/// The practice itself; only where there is consent.
pub fn hand_over(state: &mut State, call: SuggestPractice, moves: Vec<Move>) -> Vec<Effect> {
    state.accepted = Some(call.practice_type);
    state.accepted_on = state.heard.len();
    state.practices_given += 1;
    let mut reply: Reply = flow::ask(state, Question::AfterPractice, moves);
    reply.tool = Some(ToolCall::SuggestPractice(call));
    vec![Effect::Reply(reply)]
}

/// The kind of practice that a text names, the user's or a model's.
pub fn named_in(text: &str, lang: Lang) -> Option<PracticeType> {
    let scene = Scene::of(text, spoken_in(text, lang));
    let named = scene.hits("practices").find(|hit| !scene.negated(hit))?.name;
    Some(match named {
        "breathing" => PracticeType::Breathing,
        "grounding" => PracticeType::Grounding,
        "visualization" => PracticeType::Visualization,
        "journaling" => PracticeType::Journaling,
        "physical" => PracticeType::Physical,
        "pause" => PracticeType::Pause,
        _ => return None,
    })
}
