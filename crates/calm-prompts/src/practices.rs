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
    /// How many times the steps are gone through.
    #[serde(default = "once")]
    pub rounds: u16,
    pub steps: Vec<Step>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Step {
    pub seconds: u16,
    pub text: String,
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

    /// One to fifteen minutes, and no step without time (SPEC T1).
    pub(crate) fn check(&self) -> Result<(), String> {
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

    /// The practice of a type that comes closest to `minutes` (three where nobody asked), shorter first among equals.
    ///
    /// `None` where the catalogue has no practice of that type.
    pub fn choose(&self, kind: &str, minutes: Option<u8>) -> Option<&Practice> {
        let wanted = minutes.unwrap_or(3);
        self.list
            .iter()
            .filter(|practice| practice.kind == kind)
            .min_by_key(|practice| (practice.minutes().abs_diff(wanted), practice.minutes()))
    }

    pub fn by_id(&self, id: &str) -> Option<&Practice> {
        self.list.iter().find(|practice| practice.id == id)
    }

    pub fn iter(&self) -> impl Iterator<Item = &Practice> {
        self.list.iter()
    }
}
