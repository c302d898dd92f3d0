//! The flow of a session as a pure step: a state and an event give a state and effects.
//!
//! Replaying the user's turns rebuilds the state, so a killed session goes on where it was.
//! Wording, storage and sound are somebody else's business; understanding is `understand`'s.

mod acknowledge;
mod crisis;
mod ending;
mod flow;
mod gathered;
mod moves;
mod practice;

use serde::Serialize;

use crate::context::{SaidFacts, SessionContext};
use crate::end_session::EndSession;
use crate::lang::Lang;
use crate::question::Question;
use crate::session::{Format, Kind};
use crate::tools::{PracticeType, ToolCall};
use crate::understand::{self, Intent};
use crate::voice::VoiceAnalysis;

pub use gathered::Gathered;
pub use moves::{MOVE_KEYS, Move, MoveKind};

use crisis::Crisis;

#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    Opened,
    Heard {
        text: String,
        voice: Option<VoiceAnalysis>,
    },
    /// The user closed, the given turns are used up, or the window went away.
    Left,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Effect {
    Reply(Reply),
    /// Comes exactly once. After a closing reply it carries the same arguments as that reply's
    /// `end_session` call: it *is* the carrying out of that call.
    End {
        /// Nobody said goodbye: the session was left.
        forced: bool,
        ending: Box<EndSession>,
    },
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Reply {
    /// In the order in which they are said; never empty.
    pub moves: Vec<Move>,
    /// The question that the last move asks.
    pub asks: Option<Question>,
    pub tool: Option<ToolCall>,
}

/// Everything the flow remembers of one session.
#[derive(Debug, Clone, PartialEq)]
pub struct State {
    kind: Kind,
    format: Format,
    lang: Lang,
    context: SessionContext,
    known: Gathered,
    /// Every question so far, in order.
    asked: Vec<Question>,
    pending: Option<Question>,
    offered: Option<PracticeType>,
    accepted: Option<PracticeType>,
    declined_practice: bool,
    crisis: Option<Crisis>,
    refused: bool,
    /// What was said before, to notice going in circles.
    heard: Vec<String>,
    /// Turns in a row that brought nothing new.
    fruitless: u32,
    opened: bool,
    ended: bool,
}

impl State {
    pub fn new(kind: Kind, format: Format, lang: Lang, context: SessionContext) -> State {
        // The first reply should not wait for the lexicons to load.
        understand::prepare();
        State {
            kind,
            format,
            lang,
            context,
            known: Gathered::default(),
            asked: Vec::new(),
            pending: None,
            offered: None,
            accepted: None,
            declined_practice: false,
            crisis: None,
            refused: false,
            heard: Vec::new(),
            fruitless: 0,
            opened: false,
            ended: false,
        }
    }

    pub fn known(&self) -> &Gathered {
        &self.known
    }

    pub fn said_facts(&self) -> SaidFacts {
        SaidFacts {
            session_result: self.known.result.as_ref().map(|result| result.value),
            overconfidence: self.known.overconfidence().is_some(),
            wants_to_stop: self.refused,
        }
    }

    /// The question that the next utterance may answer.
    pub fn pending(&self) -> Option<Question> {
        self.pending
    }

    pub fn ended(&self) -> bool {
        self.ended
    }

    /// The practice that was asked about, whether or not it was accepted.
    pub fn offered(&self) -> Option<PracticeType> {
        self.offered
    }

    pub fn in_crisis(&self) -> bool {
        self.crisis.is_some()
    }

    pub fn lang(&self) -> Lang {
        self.lang
    }
}

/// One step. An ended session gives no effects.
pub fn step(mut state: State, event: Event) -> (State, Vec<Effect>) {
    if state.ended {
        return (state, Vec::new());
    }
    let effects = match event {
        Event::Opened if state.opened => Vec::new(),
        Event::Opened => {
            state.opened = true;
            vec![Effect::Reply(flow::opening(&mut state))]
        }
        Event::Heard { text, voice } => heard(&mut state, &text, voice),
        Event::Left => {
            state.ended = true;
            vec![Effect::End { forced: true, ending: Box::new(ending::of(&state)) }]
        }
    };
    (state, effects)
}

fn heard(state: &mut State, text: &str, voice: Option<VoiceAnalysis>) -> Vec<Effect> {
    state.opened = true;
    let asked = state.pending.take().or_else(|| state.asked.is_empty().then(|| flow::opening_question(state.kind)));
    if state.asked.is_empty() {
        state.asked.extend(asked);
    }
    let said = understand::read(text, state.lang, asked);
    let news = state.known.absorb(state.kind, &said, voice);
    let circling = notice_circling(state, text, news, asked, &said);

    if said.distress.is_some() || state.crisis.is_some() {
        return crisis::reply(state, &said);
    }
    if said.intends(Intent::Stop) {
        match asked {
            // "Хватит" answers these; it is no refusal to talk.
            Some(Question::GoOn | Question::More) => return flow::close_now(state, Vec::new()),
            Some(Question::Practice) => return practice::answered(state, &said),
            _ => {
                state.refused = true;
                return close(state, vec![Move::new("respect_silence")]);
            }
        }
    }
    if text.trim().is_empty() && !circling {
        return vec![Effect::Reply(flow::ask_again(state, asked, vec![Move::new("not_heard")]))];
    }
    if circling {
        return close(state, vec![Move::new("close_circling")]);
    }
    if said.intends(Intent::AsksHuman) {
        return flow::digress(state, asked, news, vec![Move::new("human_answer")]);
    }
    if said.intends(Intent::AsksInstructions) {
        return flow::digress(state, asked, news, vec![Move::new("redirect")]);
    }
    if said.intends(Intent::AsksAdvice) {
        let moves = acknowledge::advice(state, &said);
        return flow::digress(state, asked, news, moves);
    }
    match asked {
        Some(Question::Practice) => practice::answered(state, &said),
        Some(Question::AfterPractice) => {
            let mut moves = vec![Move::new("after_practice")];
            moves.extend(acknowledge::readiness(state, &said));
            flow::close_now(state, moves)
        }
        _ => flow::go_on(state, asked, &said),
    }
}

/// Twice the same words, or several turns in a row with nothing new.
fn notice_circling(
    state: &mut State,
    text: &str,
    news: bool,
    asked: Option<Question>,
    said: &understand::Said,
) -> bool {
    const FRUITLESS: u32 = 3;
    const TURNS: usize = 40;
    let words: Vec<String> = text.split_whitespace().map(understand::normal).collect();
    let words = words.join(" ");
    let same = state.heard.iter().filter(|h| **h == words).count();
    let answered = said.answer.is_some() && matches!(asked, Some(Question::Practice | Question::More | Question::GoOn));
    state.fruitless = if news || answered { 0 } else { state.fruitless + 1 };
    state.heard.push(words);
    // A short "да" or "восемь" may well come twice.
    let said_before = same >= 2 && !answered;
    let repeated = said_before && (!news || text.split_whitespace().count() > 1);
    repeated || state.fruitless >= FRUITLESS || state.heard.len() >= TURNS
}

/// Ends the session with these words; the one place that does it while somebody is listening.
fn close(state: &mut State, moves: Vec<Move>) -> Vec<Effect> {
    state.ended = true;
    state.pending = None;
    let ending = Box::new(ending::of(state));
    let tool = Some(ToolCall::EndSession(ending.clone()));
    vec![Effect::Reply(Reply { moves, asks: None, tool }), Effect::End { forced: false, ending }]
}
