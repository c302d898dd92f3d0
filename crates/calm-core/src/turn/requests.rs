//! What people ask Calm to do on the way: look back, remind, look ahead, count, name a person to talk to.
//!
//! The reply carries the call; whoever carries it out fills in the slot `answer`.

use super::asides::Aside;
use super::hearing::Turn;
use super::{Effect, Move, Reply, State, acknowledge, flow};
use crate::question::Question;
use crate::tools::{self, EscalateToHuman, GetMarketContext, GetUserHistory, ToolCall};
use crate::understand::Intent;

/// The last talk lies within these, a long weekend included.
const LAST_DAYS: u16 = tools::FEW_DAYS;

/// A reminder that still lacks its time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenReminder {
    what: String,
    /// The question that it came in between.
    pub back_to: Option<Question>,
}

/// `None` where nothing of the kind was asked.
pub fn answer(state: &mut State, turn: &Turn) -> Option<Vec<Effect>> {
    let said = &turn.said;
    if let Some(open) = &turn.reminder
        && let Some(when) = tools::when(&turn.text, state.lang)
    {
        let call = when.reminder(open.what.clone());
        return Some(with_call(state, turn, "reminder_set", Some(ToolCall::SetReminder(call))));
    }
    let (key, call) = if said.intends(Intent::WantsReminder) {
        let what = tools::what(&turn.text, state.lang);
        let Some(when) = tools::when(&turn.text, state.lang) else {
            state.reminder = Some(OpenReminder { what, back_to: turn.asked });
            let moves = vec![Move::new("reminder_when")];
            return Some(vec![Effect::Reply(Reply { moves, asks: None, tool: None })]);
        };
        ("reminder_set", Some(ToolCall::SetReminder(when.reminder(what))))
    } else if said.intends(Intent::WantsPerson) {
        let reason = "asked for a person".to_owned();
        ("person_answer", Some(ToolCall::EscalateToHuman(EscalateToHuman { reason })))
    } else if said.intends(Intent::AsksCalculation) {
        match tools::calculation(&turn.text, state.lang) {
            Some(sum) => ("calculation_answer", Some(ToolCall::Calculate(sum))),
            None => ("calculation_unclear", None),
        }
    } else if said.intends(Intent::AsksCalendar) {
        ("calendar_answer", Some(ToolCall::GetMarketContext(GetMarketContext::default())))
    } else if turn.asides.touch(Aside::LastTime) {
        ("history_answer", Some(ToolCall::GetUserHistory(GetUserHistory { days: Some(LAST_DAYS) })))
    } else if said.intends(Intent::AsksHistory) {
        ("history_answer", Some(ToolCall::GetUserHistory(GetUserHistory::default())))
    } else {
        return None;
    };
    Some(with_call(state, turn, key, call))
}

/// The reminder that waits for a time, if this utterance names one; it waits for one utterance only.
pub fn take_reminder(state: &mut State, text: &str) -> Option<OpenReminder> {
    let open = state.reminder.take()?;
    if tools::when(text, state.lang).is_some() {
        return Some(open);
    }
    // Consent has to follow its question directly.
    state.pending = open.back_to.filter(|q| *q != Question::Practice);
    None
}

/// The answer, then back to the talk; what else was said in the same breath is heard too.
fn with_call(state: &mut State, turn: &Turn, key: &'static str, call: Option<ToolCall>) -> Vec<Effect> {
    let mut moves = if turn.news { acknowledge::moves(state, turn) } else { Vec::new() };
    moves.retain(|m| m.key != "ack_plain");
    moves.push(Move::new(key));
    let mut reply = match turn.asked {
        Some(_) if !turn.news => flow::ask_again(state, turn.asked, moves),
        // An answer is not also a goodbye: the next turn closes.
        _ => match flow::next_question(state) {
            Some(question) => {
                moves.push(flow::asking(state, question));
                flow::ask(state, question, moves)
            }
            None => Reply { moves, asks: None, tool: None },
        },
    };
    reply.tool = call;
    vec![Effect::Reply(reply)]
}
