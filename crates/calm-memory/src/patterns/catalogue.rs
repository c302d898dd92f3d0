//! Every hypothesis the app ever asks about a user. A row more makes every other row harder to see: the level is shared.

use calm_core::session::Kind;
use jiff::civil::Weekday;
use serde::{Deserialize, Serialize};

use super::signs::Sign;

/// The stable key of a sentence in `prompts/patterns/`. A changed name is a migration of what is remembered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PatternKind {
    PlanKeptAfterTwoLosses,
    PlanKeptAfterLoss,
    PlanLeftAfterThreeWins,
    PlanLeftHighStress,
    PlanLeftLowReadiness,
    PlanLeftPoorSleep,
    PlanLeftNoCheckin,
    PlanLeftThirdSession,
    LossPoorSleep,
    LossLowReadiness,
    LossHighStress,
    LossLowEnergy,
    LossHighRisk,
    LossThirdSession,
    LossOnWeekday,
    LossWithStressor,
    LargeLossPlanLeft,
    RegretPlanLeft,
    HighRiskAfterLoss,
    HighStressAfterLoss,
    StressFalls,
    /// A plain count: it says how often something was named, and nothing that could be wrong.
    RecurringStressor,
}

impl PatternKind {
    pub const ALL: [PatternKind; 22] = [
        PatternKind::PlanKeptAfterTwoLosses,
        PatternKind::PlanKeptAfterLoss,
        PatternKind::PlanLeftAfterThreeWins,
        PatternKind::PlanLeftHighStress,
        PatternKind::PlanLeftLowReadiness,
        PatternKind::PlanLeftPoorSleep,
        PatternKind::PlanLeftNoCheckin,
        PatternKind::PlanLeftThirdSession,
        PatternKind::LossPoorSleep,
        PatternKind::LossLowReadiness,
        PatternKind::LossHighStress,
        PatternKind::LossLowEnergy,
        PatternKind::LossHighRisk,
        PatternKind::LossThirdSession,
        PatternKind::LossOnWeekday,
        PatternKind::LossWithStressor,
        PatternKind::LargeLossPlanLeft,
        PatternKind::RegretPlanLeft,
        PatternKind::HighRiskAfterLoss,
        PatternKind::HighStressAfterLoss,
        PatternKind::StressFalls,
        PatternKind::RecurringStressor,
    ];
}

/// `then` among the sessions with `when`, against `then` among those without.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hypothesis {
    pub kind: PatternKind,
    /// The sessions it counts.
    pub unit: Kind,
    /// None: `then` alone against an even chance.
    pub when: Option<Sign>,
    pub then: Sign,
}

/// Stressors that get a hypothesis of their own: the first ones to be named often enough.
pub const STRESSORS: usize = 3;

const fn after(kind: PatternKind, when: Sign, then: Sign) -> Hypothesis {
    Hypothesis { kind, unit: Kind::CheckOut, when: Some(when), then }
}

const fn before(kind: PatternKind, when: Sign, then: Sign) -> Hypothesis {
    Hypothesis { kind, unit: Kind::CheckIn, when: Some(when), then }
}

const fn alone(kind: PatternKind, then: Sign) -> Hypothesis {
    Hypothesis { kind, unit: Kind::CheckOut, when: None, then }
}

#[rustfmt::skip]
pub const CATALOGUE: [Hypothesis; 27] = [
    //     key                                  sessions with …           against those without: how often …
    after(PatternKind::PlanKeptAfterTwoLosses,  Sign::Losses(2),          Sign::PlanKept),
    after(PatternKind::PlanKeptAfterLoss,       Sign::Losses(1),          Sign::PlanKept),
    after(PatternKind::PlanLeftAfterThreeWins,  Sign::Wins(3),            Sign::PlanLeft),
    after(PatternKind::PlanLeftHighStress,      Sign::HighStress,         Sign::PlanLeft),
    after(PatternKind::PlanLeftLowReadiness,    Sign::LowReadiness,       Sign::PlanLeft),
    after(PatternKind::PlanLeftPoorSleep,       Sign::PoorSleep,          Sign::PlanLeft),
    after(PatternKind::PlanLeftNoCheckin,       Sign::NoCheckin,          Sign::PlanLeft),
    after(PatternKind::PlanLeftThirdSession,    Sign::ThirdToday,         Sign::PlanLeft),
    after(PatternKind::LossPoorSleep,           Sign::PoorSleep,          Sign::Loss),
    after(PatternKind::LossLowReadiness,        Sign::LowReadiness,       Sign::Loss),
    after(PatternKind::LossHighStress,          Sign::HighStress,         Sign::Loss),
    after(PatternKind::LossLowEnergy,           Sign::LowEnergy,          Sign::Loss),
    after(PatternKind::LossHighRisk,            Sign::HighRisk,           Sign::Loss),
    after(PatternKind::LossThirdSession,        Sign::ThirdToday,         Sign::Loss),
    after(PatternKind::LossOnWeekday,           Sign::On(Weekday::Monday),    Sign::Loss),
    after(PatternKind::LossOnWeekday,           Sign::On(Weekday::Tuesday),   Sign::Loss),
    after(PatternKind::LossOnWeekday,           Sign::On(Weekday::Wednesday), Sign::Loss),
    after(PatternKind::LossOnWeekday,           Sign::On(Weekday::Thursday),  Sign::Loss),
    after(PatternKind::LossOnWeekday,           Sign::On(Weekday::Friday),    Sign::Loss),
    after(PatternKind::LossWithStressor,        Sign::Stressor(0),        Sign::Loss),
    after(PatternKind::LossWithStressor,        Sign::Stressor(1),        Sign::Loss),
    after(PatternKind::LossWithStressor,        Sign::Stressor(2),        Sign::Loss),
    after(PatternKind::LargeLossPlanLeft,       Sign::PlanLeft,           Sign::LargeLoss),
    after(PatternKind::RegretPlanLeft,          Sign::PlanLeft,           Sign::Regret),
    before(PatternKind::HighRiskAfterLoss,      Sign::Losses(1),          Sign::HighRisk),
    before(PatternKind::HighStressAfterLoss,    Sign::Losses(1),          Sign::HighStress),
    alone(PatternKind::StressFalls,                                       Sign::StressFell),
];
