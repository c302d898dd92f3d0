//! `end_session`: what a session leaves behind (SPEC T2).
//!
//! Not discussed is `null`. A flag is set only on evidence, and the evidence is kept.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::context::SessionResult;
use crate::session::Kind;
use crate::tools::PracticeType;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EndSession {
    pub session_type: Kind,
    pub extracted_attributes: Attributes,
    #[serde(default)]
    pub risk_flags: RiskFlags,
    #[serde(default)]
    pub recommended_actions: RecommendedActions,
    /// One or two sentences, in the session's language.
    pub session_summary: String,
    #[serde(default)]
    pub recommended_next_action: NextAction,
}

/// Everything the user said about themselves; levels are 1–10.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Attributes {
    pub stress_level: Option<u8>,
    pub energy_level: Option<u8>,
    pub trading_readiness: Option<u8>,
    pub primary_emotion: Option<String>,
    /// 0–1, of `primary_emotion`.
    pub confidence: Option<f32>,
    pub sleep_quality: Option<SleepQuality>,
    pub external_stressors: Option<Vec<String>>,
    pub planned_approach: Option<String>,
    pub risk_appetite: Option<RiskAppetite>,
    pub session_result: Option<SessionResult>,
    pub result_category: Option<ResultCategory>,
    pub plan_adherence: Option<PlanAdherence>,
    pub key_learnings: Option<String>,
    pub regret_level: Option<u8>,
    pub satisfaction: Option<u8>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SleepQuality {
    Poor,
    Fair,
    Good,
    Excellent,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RiskAppetite {
    Low,
    Medium,
    High,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ResultCategory {
    Small,
    Medium,
    Large,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PlanAdherence {
    Followed,
    Partially,
    Deviated,
    NoPlan,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct RiskFlags {
    pub high_stress: bool,
    pub tilt_risk: bool,
    pub overconfidence: bool,
    pub fatigue: bool,
    pub revenge_trading_risk: bool,
    pub needs_attention: bool,
    /// Flag name → the user's words or the value that it rests on.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub evidence: BTreeMap<String, String>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct RecommendedActions {
    pub suggest_pause: bool,
    pub offer_extended_talk: bool,
    pub practice_type: Option<PracticeType>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NextAction {
    ProceedToTrade,
    TakeBreak,
    DoPractice,
    SeekSupport,
    #[default]
    None,
}

/// Ready is readiness of at least 6 with stress of at most 7; unknown stress does not hold anybody back (SPEC S4).
pub fn is_ready(readiness: u8, stress: Option<u8>) -> bool {
    readiness >= 6 && stress.is_none_or(|s| s <= 7)
}
