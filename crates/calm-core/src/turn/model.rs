//! A model's turn: when it is asked, and what becomes of its words and its call (SPEC T3, S6).
//!
//! Talking to the model is the conductor's business. Between asking and answering the state keeps
//! what was read, so the stored turns alone rebuild it.

use super::hearing::{self, Turn};
use super::practice::{self, Offer};
use super::{Effect, Move, Reply, State, checked, ending, flow, spoken_in};
use crate::lang::Lang;
use crate::question::Question;
use crate::session::Format;
use crate::tools::{SuggestPractice, ToolCall};
use crate::understand::{self, Answer, Intent};
use crate::voice::VoiceAnalysis;

/// A model has been asked.
#[derive(Debug, Clone, PartialEq)]
pub struct Awaiting {
    turn: Turn,
    last: bool,
}

pub fn answers(state: &mut State, text: &str, voice: Option<VoiceAnalysis>) -> Vec<Effect> {
    let turn = hearing::take_in(state, text, voice);
    if let Some(effects) = hearing::code_speaks(state, &turn) {
        return effects;
    }
    let last = is_last(state, &turn);
    state.awaiting = Some(Awaiting { turn, last });
    vec![Effect::AskModel { last }]
}

pub fn failed(state: &mut State) -> Vec<Effect> {
    match state.awaiting.take() {
        Some(awaiting) => hearing::guide_speaks(state, &awaiting.turn),
        None => Vec::new(),
    }
}

pub fn replied(state: &mut State, text: &str, call: Option<ToolCall>) -> Vec<Effect> {
    let Some(Awaiting { turn, last }) = state.awaiting.take() else { return Vec::new() };
    let asks = question_of(text, state.lang);
    match call {
        Some(ToolCall::SuggestPractice(call)) => practice_called(state, &turn, call, asks, text, last),
        // A question wants its answer first, and so do words that wait.
        Some(ToolCall::EndSession(_)) if state.more_waits || !last && asks.is_some() => {
            carries_on(state, asks, text, None)
        }
        Some(ToolCall::EndSession(given)) => {
            let (ending, _) = checked(state, *given);
            state.ended = true;
            let ending = Box::new(ending);
            let tool = Some(ToolCall::EndSession(ending.clone()));
            vec![Effect::Reply(Reply { moves: Vec::new(), asks: None, tool }), Effect::End { forced: false, ending }]
        }
        call if last => without_goodbye(state, call, asks, text),
        call => carries_on(state, asks, text, call),
    }
}

/// Whether the model has to end with this reply; an offer of a practice is not counted.
fn is_last(state: &mut State, turn: &Turn) -> bool {
    if state.more_waits {
        return false;
    }
    if turn.asked == Some(Question::More) && turn.said.answers(Answer::No) {
        return true;
    }
    if state.format == Format::Unlimited {
        return state.heard.len() + 1 >= hearing::TURNS;
    }
    if flow::next_question(state).is_some() {
        return false;
    }
    let offers = practice::worth_offering(state).is_some() && !state.granted;
    state.granted |= offers;
    !offers
}

/// Whatever language it was asked in; "Есть штука с дыханием. Хочешь?" asks about the breathing.
fn question_of(text: &str, lang: Lang) -> Option<Question> {
    const BARE: usize = 4;
    let asked = understand::question_in(text, spoken_in(text, lang));
    asked.or_else(|| {
        let last = text.trim_end().strip_suffix('?')?.rsplit(['.', '!', '?', '…']).next()?;
        let bare = last.split_whitespace().count() <= BARE;
        (bare && practice::named_in(text, lang).is_some()).then_some(Question::Practice)
    })
}

fn carries_on(state: &mut State, asks: Option<Question>, text: &str, tool: Option<ToolCall>) -> Vec<Effect> {
    match asks {
        Some(Question::Practice) => {
            let practice = practice::named_in(text, state.lang);
            let fitting = || practice::fitting(state).map(|(practice, _, _)| practice);
            let offer = Offer::of(practice.or_else(fitting).unwrap_or(practice::DEFAULT));
            state.offered = Some(offer);
            state.asked.push(Question::Practice);
        }
        Some(question) => state.asked.push(question),
        None => state.asked_unnamed += usize::from(text.contains('?')),
    }
    state.pending = asks;
    vec![Effect::Reply(Reply { moves: Vec::new(), asks, tool })]
}

/// The session had to end and the model did not end it: the guide says a word of farewell.
fn without_goodbye(state: &mut State, call: Option<ToolCall>, asks: Option<Question>, text: &str) -> Vec<Effect> {
    if asks == Some(Question::Practice) && practice::may_offer(state) {
        return carries_on(state, asks, text, call);
    }
    state.ended = true;
    let ending = Box::new(ending::of(state));
    let reply = Reply { moves: vec![Move::new("close_forced")], asks: None, tool: call };
    vec![Effect::Reply(reply), Effect::End { forced: true, ending }]
}

/// With consent it is carried out; without, it becomes the question; after a no it is dropped.
fn practice_called(
    state: &mut State,
    turn: &Turn,
    call: SuggestPractice,
    asks: Option<Question>,
    text: &str,
    last: bool,
) -> Vec<Effect> {
    let minutes = call.duration_minutes.unwrap_or(Offer::of(call.practice_type).minutes).clamp(1, 15);
    let offer = Offer { practice: call.practice_type, minutes };
    if turn.said.intends(Intent::WantsPractice) && state.crisis.is_none() {
        return practice::hand_over(state, SuggestPractice { duration_minutes: Some(minutes), ..call }, Vec::new());
    }
    // Some other question is on the table, and one at a time is enough.
    let asks_else = asks.is_some_and(|q| q != Question::Practice);
    if asks_else || !practice::may_offer(state) {
        return if last { without_goodbye(state, None, asks, text) } else { carries_on(state, asks, text, None) };
    }
    state.offered = Some(offer);
    // "Подышим пару минут?" beside the call is the question already.
    let moves = if text.contains('?') { Vec::new() } else { vec![practice::offering(offer)] };
    vec![Effect::Reply(flow::ask(state, Question::Practice, moves))]
}
