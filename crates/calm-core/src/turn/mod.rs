//! The flow of a session as a pure step: a state and an event give a state and effects.
//!
//! Replaying the stored turns, a model's replies and calls among them, rebuilds the state, so a
//! killed session goes on where it was.
//! Wording, storage and sound are somebody else's business; understanding is `understand`'s.

mod acknowledge;
mod advice;
mod asides;
mod checked;
mod correction;
mod crisis;
mod earlier;
mod ending;
mod flow;
mod gathered;
mod hearing;
mod manner;
mod model;
mod moves;
mod opening;
mod pattern;
mod practice;
mod requests;
mod risk;
mod stressor;
mod tact;
mod trades;

use serde::Serialize;

use crate::context::{SaidFacts, SessionContext, SessionResult};
use crate::contour::{Background, Mind, ShortTerm, StateVector, Topic};
use crate::end_session::{EndSession, ResultCategory};
use crate::lang::Lang;
use crate::question::Question;
use crate::session::{Format, Kind};
use crate::tools::{PracticeType, ToolCall};
use crate::understand::{self, Said, Sum};
use crate::voice::VoiceAnalysis;

pub use checked::{Dropped, checked};
pub use earlier::Earlier;
pub use gathered::Gathered;
pub use moves::{MOVE_KEYS, Move, MoveKind};

use crisis::Crisis;
use hearing::Heard;
use model::Awaiting;
use practice::Offer;
use requests::OpenReminder;

#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    Opened,
    /// The guide is to answer.
    Heard {
        text: String,
        voice: Option<VoiceAnalysis>,
    },
    /// A model is to answer, unless it is something that code says itself.
    HeardByModel {
        text: String,
        voice: Option<VoiceAnalysis>,
    },
    /// What the model says, past the guard, and the call that came with it.
    ///
    /// Means nothing where no model was asked.
    ModelReplied {
        text: String,
        call: Option<ToolCall>,
    },
    /// The guide speaks in the model's place, in the same turn.
    ModelFailed,
    /// The user closed, the given turns are used up, or the window went away.
    Left,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Effect {
    Reply(Reply),
    /// Answered by [`Event::ModelReplied`] or [`Event::ModelFailed`]; nothing else comes with it.
    AskModel {
        /// The questions of the format are used up: the model has to say goodbye and end now.
        last: bool,
    },
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
    /// In the order in which they are said; empty only where a model's words need nothing added.
    pub moves: Vec<Move>,
    /// The question that the last move, or else the model, asks.
    pub asks: Option<Question>,
    pub tool: Option<ToolCall>,
}

/// What was understood of words before their turn came.
#[derive(Debug, Clone, PartialEq)]
struct Understood {
    text: String,
    asked: Option<Question>,
    said: Said,
}

/// Everything the flow remembers of one session.
#[derive(Debug, Clone, PartialEq)]
pub struct State {
    kind: Kind,
    format: Format,
    lang: Lang,
    context: SessionContext,
    local_hour: Option<u8>,
    /// The sums of earlier days.
    usual: Vec<Sum>,
    /// What the last talks left.
    earlier: Earlier,
    known: Gathered,
    /// Every question so far, in order.
    asked: Vec<Question>,
    /// Questions that something else was said to.
    missed: Vec<Question>,
    /// Questions of a model that are none of [`Question`].
    asked_unnamed: usize,
    pending: Option<Question>,
    offered: Option<Offer>,
    accepted: Option<PracticeType>,
    /// How many turns had been heard then.
    accepted_on: usize,
    /// The turn in which the user decided on a break, counted the same way.
    break_on: Option<usize>,
    declined_practice: bool,
    practices_given: u32,
    crisis: Option<Crisis>,
    refused: bool,
    /// Questions that had been asked when the user said there was no time.
    hurried: Option<usize>,
    /// At a check-out: the day went by without a trade.
    no_trades: bool,
    heard: Vec<Heard>,
    /// Turns in a row that brought nothing new.
    fruitless: u32,
    /// Moves that are made once in a session, and were.
    named: Vec<&'static str>,
    /// Turns that showed the wish to win it back.
    chased: u32,
    advice_asked: u32,
    /// How many turns had been heard then.
    advice_on: usize,
    reminder: Option<OpenReminder>,
    awaiting: Option<Awaiting>,
    short_term: ShortTerm,
    /// Of the newest words; `None` where nobody sensed them.
    contour: Option<StateVector>,
    /// The next words, where somebody read them already.
    reading: Option<Box<Understood>>,
    /// A model was given one turn more, to offer a practice.
    granted: bool,
    opened: bool,
    /// Said already, and heard after the next words.
    more_waits: bool,
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
            local_hour: None,
            usual: Vec::new(),
            earlier: Earlier::default(),
            known: Gathered::default(),
            asked: Vec::new(),
            missed: Vec::new(),
            asked_unnamed: 0,
            pending: None,
            offered: None,
            accepted: None,
            accepted_on: 0,
            break_on: None,
            declined_practice: false,
            practices_given: 0,
            crisis: None,
            refused: false,
            hurried: None,
            no_trades: false,
            heard: Vec::new(),
            fruitless: 0,
            named: Vec::new(),
            chased: 0,
            advice_asked: 0,
            advice_on: 0,
            reminder: None,
            awaiting: None,
            short_term: ShortTerm::default(),
            contour: None,
            reading: None,
            granted: false,
            opened: false,
            more_waits: false,
            ended: false,
        }
    }

    /// With the user's local hour at the opening, 0–23; a replay has to give the same.
    pub fn at_hour(mut self, hour: u8) -> State {
        self.local_hour = (hour < 24).then_some(hour);
        self
    }

    /// With the sums of earlier days, against which a sum without a word for its size is small or large.
    pub fn with_usual(mut self, usual: Vec<Sum>) -> State {
        self.usual = usual;
        self
    }

    /// With what the last talks left, for the first words of a day; a replay has to give the same.
    pub fn with_earlier(mut self, earlier: Earlier) -> State {
        self.earlier = earlier;
        self
    }

    /// The contour's first impression of the words that come next; a replay has to give the same.
    pub fn sensed(&mut self, contour: Option<StateVector>) {
        self.contour = contour;
    }

    /// The words that come next are read already, in the light of `asked`; a replay may leave that out.
    pub fn reads(&mut self, text: &str, asked: Option<Question>, said: Said) {
        self.reading = Some(Box::new(Understood { text: text.to_owned(), asked, said }));
    }

    /// Whether the user has said more already than the words that come next: nobody is sent off before it is heard.
    pub fn more_waits(&mut self, more: bool) {
        self.more_waits = more;
    }

    /// For the contour: this talk, and what memory knows.
    pub fn background(&self, mind: &Mind, said: &Said) -> Background {
        Background::of_talk(self.kind, mind, &self.short_term, Topic::of(said))
    }

    pub fn short_term(&self) -> &ShortTerm {
        &self.short_term
    }

    /// What was said of the size, else what the sum is against the usual ones.
    fn result_category(&self) -> Option<ResultCategory> {
        let said = self.known.result_category.as_ref().map(|c| c.value);
        // A flat day has no size.
        let sized = self.known.result.as_ref().is_some_and(|r| r.value != SessionResult::Breakeven);
        said.or_else(|| understand::category(self.known.sum.filter(|_| sized)?, &self.usual))
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
        self.offered.map(|offer| offer.practice)
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
            vec![Effect::Reply(opening::reply(&mut state))]
        }
        Event::Heard { text, voice } => hearing::guide_answers(&mut state, &text, voice),
        Event::HeardByModel { text, voice } => model::answers(&mut state, &text, voice),
        Event::ModelReplied { text, call } => model::replied(&mut state, &text, call),
        Event::ModelFailed => model::failed(&mut state),
        Event::Left => {
            state.ended = true;
            vec![Effect::End { forced: true, ending: Box::new(ending::of(&state)) }]
        }
    };
    (state, effects)
}

/// Ends the session with these words; the one place that does it while somebody is listening.
fn close(state: &mut State, mut moves: Vec<Move>) -> Vec<Effect> {
    if state.more_waits {
        moves.retain(|one| !one.is_farewell());
        if moves.is_empty() {
            moves.push(Move::new("ack_plain"));
        }
        return vec![Effect::Reply(Reply { moves, asks: None, tool: None })];
    }
    state.ended = true;
    state.pending = None;
    let ending = Box::new(ending::of(state));
    let tool = Some(ToolCall::EndSession(ending.clone()));
    vec![Effect::Reply(Reply { moves, asks: None, tool }), Effect::End { forced: false, ending }]
}

/// The session's language, unless most letters are of the other alphabet.
fn spoken_in(text: &str, session: Lang) -> Lang {
    let cyrillic = text.chars().filter(|c| ('\u{400}'..='\u{4ff}').contains(c)).count();
    let latin = text.chars().filter(char::is_ascii_alphabetic).count();
    match session {
        Lang::Ru if latin > cyrillic => Lang::En,
        Lang::En if cyrillic > latin => Lang::Ru,
        same => same,
    }
}
