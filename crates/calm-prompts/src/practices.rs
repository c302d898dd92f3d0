//! The catalogue of practices, each with timed steps that the screen plays.

use serde::{Deserialize, Serialize};

#[derive(Debug, Clone)]
pub struct Practices {
    list: Vec<Practice>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Practice {
    /// The same in both languages.
    pub id: String,
    /// `breathing`, `grounding`, `visualization`, `journaling`, `physical` or `pause`.
    #[serde(rename = "type")]
    pub kind: String,
    pub name: String,
    pub description: String,
    /// Who leaves it out or changes it, and how.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contraindications: Option<String>,
    /// What it asks of a body or a mind that not everybody can give right now.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub strains: Vec<Strain>,
    /// How many times the steps are gone through.
    #[serde(default = "once")]
    pub rounds: u16,
    pub steps: Vec<Step>,
}

/// Why a practice may be the wrong one at this moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Strain {
    /// Not in panic or strong anxiety, in pregnancy, with heart or breathing trouble.
    BreathHold,
    /// Not with heart or circulation trouble.
    Cold,
    /// Not with pain or a fresh injury.
    Movement,
    /// Not for whoever feels unsafe in the dark.
    EyesClosed,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Step {
    pub seconds: u16,
    pub text: String,
    /// What the breath does meanwhile, where the step says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub breath: Option<Breath>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Breath {
    In,
    Hold,
    Out,
}

fn once() -> u16 {
    1
}

impl Practice {
    /// Seconds, all rounds together.
    pub fn duration(&self) -> u32 {
        let round: u32 = self.steps.iter().map(|step| u32::from(step.seconds)).sum();
        round * u32::from(self.rounds)
    }

    /// To the nearest whole minute, at least 1.
    pub fn minutes(&self) -> u8 {
        u8::try_from((self.duration() + 30) / 60).unwrap_or(u8::MAX).max(1)
    }

    pub fn asks(&self, strain: Strain) -> bool {
        self.strains.contains(&strain)
    }

    /// What is said before the steps: the name, what it is, and who should be careful.
    pub fn introduction(&self) -> String {
        let careful = self.contraindications.as_deref().map(|text| format!(" {text}")).unwrap_or_default();
        format!("{}: {}{careful}", self.name, self.description)
    }

    /// One to fifteen minutes, no step without time, and no strain without a word of warning (SPEC T1).
    pub(crate) fn check(&self) -> Result<(), String> {
        if !self.strains.is_empty() && self.contraindications.is_none() {
            return Err(format!("{} names a strain and no contraindications", self.id));
        }
        if self.steps.iter().any(|step| step.seconds == 0) {
            return Err(format!("{} has a step without time", self.id));
        }
        match self.duration() {
            55..=905 => Ok(()),
            other => Err(format!("{} lasts {other} s: 1 to 15 minutes are allowed", self.id)),
        }
    }
}

impl Practices {
    pub(crate) fn new(list: Vec<Practice>) -> Practices {
        Practices { list }
    }

    /// The practice of a type that comes closest to `minutes` (three where nobody asked), shorter first among equals,
    /// without those that ask for anything in `avoid`.
    ///
    /// `None` where the catalogue has no such practice.
    pub fn choose(&self, kind: &str, minutes: Option<u8>, avoid: &[Strain]) -> Option<&Practice> {
        let wanted = minutes.unwrap_or(3);
        self.list
            .iter()
            .filter(|practice| practice.kind == kind && !avoid.iter().any(|strain| practice.asks(*strain)))
            .min_by_key(|practice| (practice.minutes().abs_diff(wanted), practice.minutes()))
    }

    pub fn by_id(&self, id: &str) -> Option<&Practice> {
        self.list.iter().find(|practice| practice.id == id)
    }

    pub fn iter(&self) -> impl Iterator<Item = &Practice> {
        self.list.iter()
    }
}
