//! Why a reply is as it is, and what is remembered: as the window shows it.

use calm_app::core::contour::StateVector;
use calm_app::memories::{MemoryLine, MemoryPage};
use calm_app::{Level, MemoryState, Recalled};
use serde::{Deserialize, Serialize};
use specta::Type;

/// The contour of the user's newest words.
#[derive(Debug, Clone, Serialize, Type)]
pub struct Sense {
    /// As a model is given them, in the language of the session.
    pub labels: Vec<String>,
    /// These are 0–100.
    pub familiarity: u8,
    pub criticality: u8,
    pub complexity: u8,
    pub trust: u8,
    pub mood: String,
    pub method: String,
    pub recalled: Vec<RecalledCard>,
}

/// A memory that came to mind.
#[derive(Debug, Clone, Serialize, Type)]
pub struct RecalledCard {
    pub id: String,
    pub session_id: Option<String>,
    pub at: String,
    pub words: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "lowercase")]
pub enum MemoryLevel {
    Experiences,
    Patterns,
    Lessons,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "lowercase")]
pub enum Standing {
    Active,
    Fading,
    Dismissed,
}

/// One memory: a guess with its grounds.
#[derive(Debug, Clone, Serialize, Type)]
pub struct MemoryCard {
    pub id: String,
    pub level: MemoryLevel,
    pub words: String,
    pub at: String,
    /// Turns, sessions or replies that it rests on.
    pub n: u32,
    pub pinned: bool,
    pub corrected: bool,
    pub told: bool,
    pub state: Standing,
}

#[derive(Debug, Clone, Serialize, Type)]
pub struct MemorySheet {
    pub card: MemoryCard,
    pub sources: Vec<MemorySource>,
}

#[derive(Debug, Clone, Serialize, Type)]
pub struct MemorySource {
    pub session_id: String,
    pub at: String,
    /// Absent where it comes from a session as a whole.
    pub words: Option<String>,
}

/// What a user can do with a memory, beside correcting it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Type)]
#[serde(rename_all = "lowercase")]
pub enum MemoryChange {
    Pin,
    Unpin,
    Dismiss,
    Restore,
    Delete,
}

impl Sense {
    /// `None` for a state that is none.
    pub fn of(labels: &str, state: &serde_json::Value, recalled: &[Recalled]) -> Option<Sense> {
        let state: StateVector = serde_json::from_value(state.clone()).ok()?;
        let name = |value: serde_json::Value| value.as_str().unwrap_or_default().to_owned();
        let labels = labels.split("  ").filter(|label| !label.is_empty()).map(str::to_owned).collect();
        Some(Sense {
            labels,
            familiarity: percent(state.familiarity),
            criticality: percent(state.criticality),
            complexity: percent(state.complexity),
            trust: percent(state.trust),
            mood: name(serde_json::json!(state.mood)),
            method: name(serde_json::json!(state.method)),
            recalled: recalled.iter().map(RecalledCard::from).collect(),
        })
    }
}

fn percent(share: f32) -> u8 {
    (share.clamp(0.0, 1.0) * 100.0).round() as u8
}

impl From<&Recalled> for RecalledCard {
    fn from(memory: &Recalled) -> RecalledCard {
        RecalledCard {
            id: memory.id.to_string(),
            session_id: memory.session_id.map(|id| id.to_string()),
            at: memory.at.to_string(),
            words: memory.words.clone(),
        }
    }
}

impl From<&MemoryLine> for MemoryCard {
    fn from(line: &MemoryLine) -> MemoryCard {
        MemoryCard {
            id: line.id.to_string(),
            level: match line.level {
                Level::Experiences => MemoryLevel::Experiences,
                Level::Patterns => MemoryLevel::Patterns,
                Level::Lessons => MemoryLevel::Lessons,
            },
            words: line.words.clone(),
            at: line.at.to_string(),
            n: line.n,
            pinned: line.pinned,
            corrected: line.corrected,
            told: line.told,
            state: match line.state {
                MemoryState::Active => Standing::Active,
                MemoryState::Fading => Standing::Fading,
                MemoryState::Dismissed => Standing::Dismissed,
            },
        }
    }
}

impl From<&MemoryPage> for MemorySheet {
    fn from(page: &MemoryPage) -> MemorySheet {
        let source = |source: &calm_app::memories::Source| MemorySource {
            session_id: source.session_id.to_string(),
            at: source.at.to_string(),
            words: source.words.clone(),
        };
        MemorySheet { card: MemoryCard::from(&page.line), sources: page.sources.iter().map(source).collect() }
    }
}

impl From<MemoryLevel> for Level {
    fn from(level: MemoryLevel) -> Level {
        match level {
            MemoryLevel::Experiences => Level::Experiences,
            MemoryLevel::Patterns => Level::Patterns,
            MemoryLevel::Lessons => Level::Lessons,
        }
    }
}
