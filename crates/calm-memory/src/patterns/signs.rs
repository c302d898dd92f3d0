//! One side of a hypothesis: what can be said of a moment with yes, no, or "was not talked about".

use calm_core::context::SessionResult;
use calm_core::end_session::{Attributes, PlanAdherence, ResultCategory, RiskAppetite, SleepQuality};
use jiff::civil::Weekday;

use super::moments::Moment;

/// Thresholds are those of the rest of the app: ready from 6, tense above 7 (SPEC S4, S5).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sign {
    /// So many losses in a row, right before.
    Losses(usize),
    Wins(usize),
    HighStress,
    LowReadiness,
    PoorSleep,
    LowEnergy,
    HighRisk,
    /// The session had no check-in of its own.
    NoCheckin,
    On(Weekday),
    /// Third or later that day against first; the second belongs to neither.
    ThirdToday,
    /// The stressor of this place in the list of those the user names.
    Stressor(usize),
    PlanKept,
    PlanLeft,
    Loss,
    LargeLoss,
    Regret,
    /// Stress after the session against before it; equal is neither.
    StressFell,
}

impl Sign {
    /// `None` where one of the facts it needs is not known.
    pub fn read(self, moment: &Moment<'_>, stressors: &[String]) -> Option<bool> {
        let before = moment.before.map(|(_, a)| a);
        let after = moment.after.map(|(_, a)| a);
        match self {
            Sign::Losses(count) => run(moment, SessionResult::Loss, count),
            Sign::Wins(count) => run(moment, SessionResult::Win, count),
            Sign::HighStress => before?.stress_level.map(|s| s > 7),
            Sign::LowReadiness => before?.trading_readiness.map(|r| r < 6),
            Sign::PoorSleep => before?.sleep_quality.map(|s| matches!(s, SleepQuality::Poor | SleepQuality::Fair)),
            Sign::LowEnergy => before?.energy_level.map(|e| e < 5),
            Sign::HighRisk => before?.risk_appetite.map(|r| r == RiskAppetite::High),
            Sign::NoCheckin => Some(before.is_none()),
            Sign::On(weekday) => Some(moment.day.weekday() == weekday),
            Sign::ThirdToday => match moment.number_today {
                1 => Some(false),
                2 => None,
                _ => Some(true),
            },
            Sign::Stressor(place) => {
                let name = stressors.get(place)?;
                before?.external_stressors.as_ref().map(|said| said.iter().any(|s| plain(s) == *name))
            }
            Sign::PlanKept => kept(after?),
            Sign::PlanLeft => kept(after?).map(|kept| !kept),
            Sign::Loss => after?.session_result.map(|r| r == SessionResult::Loss),
            Sign::LargeLoss => match after?.session_result? {
                SessionResult::Loss => after?.result_category.map(|c| c == ResultCategory::Large),
                SessionResult::Win | SessionResult::Breakeven => Some(false),
            },
            Sign::Regret => after?.regret_level.map(|r| r >= 7),
            Sign::StressFell => {
                let (was, is) = (before?.stress_level?, after?.stress_level?);
                (was != is).then_some(is < was)
            }
        }
    }

    /// Adds the sessions whose words it rests on, besides the moment's own.
    pub fn rests_on(self, moment: &Moment<'_>, sessions: &mut Vec<i64>) {
        match self {
            Sign::Losses(count) | Sign::Wins(count) => {
                sessions.extend(moment.results.iter().take(count).map(|r| r.0));
            }
            Sign::HighStress
            | Sign::LowReadiness
            | Sign::PoorSleep
            | Sign::LowEnergy
            | Sign::HighRisk
            | Sign::NoCheckin
            | Sign::Stressor(_)
            | Sign::StressFell => sessions.extend(moment.before.map(|b| b.0)),
            Sign::On(_) | Sign::ThirdToday => {}
            Sign::PlanKept | Sign::PlanLeft | Sign::Loss | Sign::LargeLoss | Sign::Regret => {}
        }
    }
}

/// Whether the last `count` sessions all ended so. One known exception says no, even where the others are not known.
fn run(moment: &Moment<'_>, result: SessionResult, count: usize) -> Option<bool> {
    let last = || moment.results.iter().take(count).map(|r| r.1);
    if last().flatten().any(|r| r != result) {
        return Some(false);
    }
    (moment.results.len() >= count && last().all(|r| r.is_some())).then_some(true)
}

/// A session without a plan neither kept nor left it.
fn kept(after: &Attributes) -> Option<bool> {
    match after.plan_adherence? {
        PlanAdherence::Followed => Some(true),
        PlanAdherence::Partially | PlanAdherence::Deviated => Some(false),
        PlanAdherence::NoPlan => None,
    }
}

/// A stressor as it is counted: the same word in another case is the same stressor.
pub fn plain(name: &str) -> String {
    name.trim().to_lowercase()
}
