//! Help in a hard hour, and practices.

use calm_app::caring::{HelpLine, HelpPage};
use calm_app::prompts::{Breath, HelplineKind, Practice};
use serde::Serialize;
use specta::Type;

#[derive(Debug, Clone, Serialize, Type)]
pub struct HelpSheet {
    /// ISO 3166-1 alpha-2, lower case; empty where it is not known.
    pub country: String,
    pub emergency: String,
    pub lines: Vec<HelplineCard>,
}

#[derive(Debug, Clone, Serialize, Type)]
pub struct HelplineCard {
    pub kind: HelpKind,
    pub name: String,
    pub number: String,
    pub hours: String,
    pub source: String,
    /// `YYYY-MM-DD`; empty where it was never compared.
    pub verified: String,
    /// Never compared with its source, or long ago.
    pub check: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "lowercase")]
pub enum HelpKind {
    Crisis,
    Gambling,
}

impl From<HelpPage> for HelpSheet {
    fn from(page: HelpPage) -> HelpSheet {
        let line = |line: HelpLine| HelplineCard {
            kind: if line.kind == HelplineKind::Gambling { HelpKind::Gambling } else { HelpKind::Crisis },
            name: line.name,
            number: line.number,
            hours: line.hours,
            source: line.source,
            verified: line.verified.map(|date| date.to_string()).unwrap_or_default(),
            check: line.check,
        };
        HelpSheet {
            country: page.country.to_owned(),
            emergency: page.emergency,
            lines: page.lines.into_iter().map(line).collect(),
        }
    }
}

/// A practice with its timed steps, as the screen plays it.
#[derive(Debug, Clone, Serialize, Type)]
pub struct PracticeSheet {
    pub id: String,
    pub kind: String,
    pub name: String,
    pub description: String,
    /// Who leaves it out or changes it; empty where everybody can.
    pub careful: String,
    pub minutes: u8,
    pub rounds: u16,
    pub steps: Vec<PracticeStep>,
}

#[derive(Debug, Clone, Serialize, Type)]
pub struct PracticeStep {
    pub seconds: u16,
    pub text: String,
    pub breath: BreathPhase,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "lowercase")]
pub enum BreathPhase {
    /// Breathing is left alone.
    None,
    In,
    Hold,
    Out,
}

impl From<&Practice> for PracticeSheet {
    fn from(practice: &Practice) -> PracticeSheet {
        let steps = practice.steps.iter().map(|step| PracticeStep {
            seconds: step.seconds,
            text: step.text.clone(),
            breath: match step.breath {
                None => BreathPhase::None,
                Some(Breath::In) => BreathPhase::In,
                Some(Breath::Hold) => BreathPhase::Hold,
                Some(Breath::Out) => BreathPhase::Out,
            },
        });
        PracticeSheet {
            id: practice.id.clone(),
            kind: practice.kind.clone(),
            name: practice.name.clone(),
            description: practice.description.clone(),
            careful: practice.contraindications.clone().unwrap_or_default(),
            minutes: practice.minutes(),
            rounds: practice.rounds,
            steps: steps.collect(),
        }
    }
}
