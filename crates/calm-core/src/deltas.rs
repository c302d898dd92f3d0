//! What changed between the check-in and the check-out; computed here, never by a model (SPEC S8).

use serde::{Deserialize, Serialize};

use crate::context::{CheckinFacts, SessionResult};
use crate::end_session::{Attributes, PlanAdherence};

/// A change is present only where both sides are known.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Deltas {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stress: Option<Change>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub energy: Option<Change>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub readiness_and_result: Option<ReadinessAndResult>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plan_adherence: Option<PlanAdherence>,
}

/// Levels 1–10.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    pub before: u8,
    pub after: u8,
    pub change: i8,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReadinessAndResult {
    pub readiness: u8,
    pub result: SessionResult,
}

impl Deltas {
    pub fn between(checkin: &CheckinFacts, checkout: &Attributes) -> Deltas {
        Deltas {
            stress: change(checkin.stress_level, checkout.stress_level),
            energy: change(checkin.energy_level, checkout.energy_level),
            readiness_and_result: checkin
                .trading_readiness
                .zip(checkout.session_result)
                .map(|(readiness, result)| ReadinessAndResult { readiness, result }),
            plan_adherence: checkout.plan_adherence,
        }
    }
}

fn change(before: Option<u8>, after: Option<u8>) -> Option<Change> {
    let (before, after) = before.zip(after)?;
    let change = i8::try_from(i16::from(after) - i16::from(before)).ok()?;
    Some(Change { before, after, change })
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case::rose(Some(3), Some(8), Some(5))]
    #[case::fell(Some(7), Some(2), Some(-5))]
    #[case::before_unknown(None, Some(8), None)]
    #[case::after_unknown(Some(3), None, None)]
    fn stress_change(#[case] before: Option<u8>, #[case] after: Option<u8>, #[case] expected: Option<i8>) {
        let checkin = CheckinFacts { stress_level: before, ..Default::default() };
        let checkout = Attributes { stress_level: after, ..Default::default() };
        let deltas = Deltas::between(&checkin, &checkout);
        assert_eq!(deltas.stress.map(|d| d.change), expected);
    }
}
