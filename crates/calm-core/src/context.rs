//! The session context: the one JSON object that prompts, guide and contour see (SPEC S3).
//!
//! A part that is not known is absent, never invented.

use serde::{Deserialize, Serialize};

use rust_decimal::Decimal;

use crate::end_session::ResultCategory;
use crate::session::{Format, Kind};
use crate::voice::VoiceAnalysis;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SessionContext {
    pub session: SessionFacts,
    pub user: UserFacts,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub voice_analysis: Option<VoiceFacts>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub previous_checkin: Option<CheckinFacts>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SessionFacts {
    #[serde(rename = "type")]
    pub kind: Kind,
    pub format: Format,
    pub has_matching_checkin: bool,
    /// 1 for the first session of the trading day.
    pub session_number_today: u32,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct UserFacts {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trading_style: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub known_patterns: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_session_result: Option<SessionResult>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub streak: Option<Streak>,
    /// The last result and the streak count days of which only the trades tell.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub results_of_trades: bool,
    /// At a check-out: what the day's trades came to, where the user has brought them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trades_today: Option<TradesToday>,
}

/// From a broker's file, not from the user's words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TradesToday {
    pub result: SessionResult,
    /// Beside the user's own usual days; absent while they are few.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub category: Option<ResultCategory>,
    /// After costs, in `currency`, to the last digit.
    #[serde(with = "rust_decimal::serde::str")]
    pub net: Decimal,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub currency: Option<String>,
    /// How many had a result.
    pub trades: u32,
}

/// How a trading session ended, in the user's words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SessionResult {
    Win,
    Loss,
    Breakeven,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Streak {
    #[serde(rename = "type")]
    pub kind: StreakKind,
    /// Sessions in a row, at least 1.
    pub count: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum StreakKind {
    Losing,
    Winning,
}

impl Streak {
    /// The run of equal results at the newest end; `results` are newest first.
    ///
    /// A break-even session ends the run. `None` where the newest is break-even or nothing is known.
    pub fn of(results: &[SessionResult]) -> Option<Streak> {
        let newest = *results.first()?;
        let kind = match newest {
            SessionResult::Win => StreakKind::Winning,
            SessionResult::Loss => StreakKind::Losing,
            SessionResult::Breakeven => return None,
        };
        let run = results.iter().take_while(|r| **r == newest).count();
        Some(Streak { kind, count: u32::try_from(run).unwrap_or(u32::MAX) })
    }

    pub fn is_losing(self, at_least: u32) -> bool {
        self.kind == StreakKind::Losing && self.count >= at_least
    }
}

/// The newest voice analysis with what is not known left out.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct VoiceFacts {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stress_level: Option<u8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub energy_level: Option<u8>,
    pub primary_emotion: String,
    pub confidence: f32,
}

impl From<&VoiceAnalysis> for VoiceFacts {
    fn from(voice: &VoiceAnalysis) -> VoiceFacts {
        VoiceFacts {
            stress_level: voice.stress_level,
            energy_level: voice.energy_level,
            primary_emotion: voice.primary_emotion.clone(),
            confidence: voice.confidence,
        }
    }
}

/// What the matching check-in said.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct CheckinFacts {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trading_readiness: Option<u8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub planned_approach: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stress_level: Option<u8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub energy_level: Option<u8>,
}

/// What this talk has revealed so far, for prompts that adapt to it.
///
/// Not a part of [`SessionContext`]: it is read anew from the turns.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SaidFacts {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session_result: Option<SessionResult>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub overconfidence: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub wants_to_stop: bool,
}

#[cfg(test)]
mod tests {
    use super::*;
    use SessionResult::{Breakeven, Loss, Win};
    use rstest::rstest;

    #[rstest]
    #[case::nothing_known(&[], None)]
    #[case::one_loss(&[Loss], Some((StreakKind::Losing, 1)))]
    #[case::newest_counts(&[Loss, Loss, Loss, Win], Some((StreakKind::Losing, 3)))]
    #[case::a_win_ends_it(&[Win, Loss, Loss], Some((StreakKind::Winning, 1)))]
    #[case::breakeven_is_no_streak(&[Breakeven, Loss], None)]
    #[case::breakeven_between(&[Loss, Breakeven, Loss], Some((StreakKind::Losing, 1)))]
    fn streak_of(#[case] newest_first: &[SessionResult], #[case] expected: Option<(StreakKind, u32)>) {
        let streak = Streak::of(newest_first).map(|s| (s.kind, s.count));
        assert_eq!(streak, expected);
    }
}
