//! The tools that a reply may call, with their arguments (SPEC T1, T2).

use serde::{Deserialize, Serialize};

use crate::end_session::EndSession;

/// At most one travels with a reply, after the words.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "tool", content = "arguments", rename_all = "snake_case")]
pub enum ToolCall {
    SuggestPractice(SuggestPractice),
    EndSession(Box<EndSession>),
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
