//! The tools that a reply may call, with their arguments (SPEC T1, T2, T6, T7).
//!
//! What a call may do at this point of a session is `turn`'s business; carrying it out is the conductor's.

mod calculate;
mod calculation;
mod figures;
mod fit;
mod read;
mod specs;
mod when;
mod words;

use serde::{Deserialize, Serialize};

pub use calculate::{Answer, BadCalculation};
pub use calculation::calculation;
pub use read::{BadCall, read};
pub use specs::{Spec, specs};
pub use when::{NoSuchForm, Unreachable, When, what, when};

use crate::context::SessionResult;
use crate::end_session::EndSession;

/// At most one travels with a reply, after the words.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "tool", content = "arguments", rename_all = "snake_case")]
pub enum ToolCall {
    SuggestPractice(SuggestPractice),
    EndSession(Box<EndSession>),
    GetUserHistory(GetUserHistory),
    SetReminder(SetReminder),
    GetMarketContext(GetMarketContext),
    EscalateToHuman(EscalateToHuman),
    RunTrigger(RunTrigger),
    Calculate(Calculate),
}

impl ToolCall {
    /// As it stands in records and in the tools API.
    pub fn name(&self) -> &'static str {
        match self {
            ToolCall::SuggestPractice(_) => "suggest_practice",
            ToolCall::EndSession(_) => "end_session",
            ToolCall::GetUserHistory(_) => "get_user_history",
            ToolCall::SetReminder(_) => "set_reminder",
            ToolCall::GetMarketContext(_) => "get_market_context",
            ToolCall::EscalateToHuman(_) => "escalate_to_human",
            ToolCall::RunTrigger(_) => "run_trigger",
            ToolCall::Calculate(_) => "calculate",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SuggestPractice {
    pub practice_type: PracticeType,
    /// For the record, not for the user.
    pub reason: String,
    /// 1–15.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duration_minutes: Option<u8>,
    pub urgency: Urgency,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PracticeType {
    Breathing,
    Grounding,
    Visualization,
    Journaling,
    Physical,
    Pause,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Urgency {
    Immediate,
    BeforeTrading,
    AfterSession,
    Optional,
}

/// Who asks about so few days wants to know what was said.
pub const FEW_DAYS: u16 = 4;

/// The user's own earlier sessions, summed up in code.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GetUserHistory {
    /// How far back, 1–365; 14 where absent. With [`FEW_DAYS`] or less the last talk is told as well.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub days: Option<u16>,
}

/// A notification at a moment, given as a time or as a distance from now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SetReminder {
    /// What to remind of, in the user's words.
    pub text: String,
    /// A local moment, `2026-03-04T15:30`, or one of the forms of [`When`]: `15:30`, `tomorrow 09:00`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// 1–10,080 (a week).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub in_minutes: Option<u32>,
}

/// What the user's own economic calendar says about the hours to come.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GetMarketContext {
    /// How far ahead, 1–168; the rest of the trading day where absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hours: Option<u16>,
}

/// Shows people and numbers to turn to; sends nothing by itself.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EscalateToHuman {
    /// For the record, not for the user.
    #[serde(default)]
    pub reason: String,
}

/// Carries out one of the user's own if–then plans.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunTrigger {
    #[serde(rename = "triggerId", alias = "trigger_id")]
    pub trigger_id: String,
}

/// Arithmetic on the user's own numbers (SPEC T7). Numbers are decimal, as the user writes them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "what", rename_all = "snake_case")]
pub enum Calculate {
    /// How many times the risk of one trade a result is.
    RMultiple { result: String, risk: String },
    /// What share of the whole an amount is.
    PercentOf { amount: String, whole: String },
    /// The amount that a percentage of the whole is.
    PartOf { percent: String, whole: String },
    /// How much of the user's own daily limit is left; losses are given without a sign.
    LeftOfLimit { limit: String, used: String },
    /// Up to 50 amounts added up.
    Sum { amounts: Vec<String> },
    /// The run at the newest end, the longest run and the share of wins; newest first, at most 200.
    Streak { results: Vec<SessionResult> },
}
