//! What the user keeps: plans and their notes, facts, documents, reminders, words that are not to be said.

use calm_app::core::tools::{NoSuchForm, When};
use calm_app::facts::Kept;
use calm_app::knowledge::Source;
use calm_app::tools::reminders::{Reminder, ReminderError};
use calm_app::triggers::{Action, Plan, PlanError};
use calm_app::{AppError, KnowledgeKind, KnowledgeOrigin, Note};
use serde::{Deserialize, Serialize};
use serde_json::json;
use specta::Type;

/// A personal if–then plan.
#[derive(Debug, Clone, Serialize, Type)]
pub struct PlanCard {
    pub id: String,
    pub name: String,
    pub condition: String,
    pub actions: Vec<PlanAction>,
    pub enabled: bool,
}

/// As [`Action`], field by field.
#[derive(Debug, Clone, Serialize, Deserialize, Type)]
#[serde(tag = "do", rename_all = "snake_case")]
pub enum PlanAction {
    Practice { practice: String },
    Pause { minutes: u32 },
    Note { text: String },
    Reminder { text: String, minutes: u32 },
    OpenCheckOut,
}

impl PlanAction {
    pub fn read(&self) -> Result<Action, AppError> {
        serde_json::from_value(json!(self)).map_err(|_| AppError::Plan(PlanError::Practice))
    }
}

impl From<&Plan> for PlanCard {
    fn from(plan: &Plan) -> PlanCard {
        let known = |action: &Action| serde_json::from_value(json!(action)).ok();
        PlanCard {
            id: plan.id.clone(),
            name: plan.name.clone(),
            condition: plan.condition.clone(),
            actions: plan.actions.iter().filter_map(known).collect(),
            enabled: plan.enabled,
        }
    }
}

/// What a plan wrote down.
#[derive(Debug, Clone, Serialize, Type)]
pub struct NoteCard {
    pub id: String,
    pub at: String,
    pub text: String,
}

impl From<&Note> for NoteCard {
    fn from(note: &Note) -> NoteCard {
        NoteCard { id: note.id.to_string(), at: note.at.to_string(), text: note.text.clone() }
    }
}

#[derive(Debug, Clone, Default, Serialize, Type)]
pub struct FactsSheet {
    pub markdown: String,
    /// There is a section that goes into prompts.
    pub active: bool,
    /// Its characters.
    pub characters: u32,
    /// So many that some should move to the knowledge.
    pub too_many: bool,
}

impl From<&Kept> for FactsSheet {
    fn from(kept: &Kept) -> FactsSheet {
        let active = kept.active.as_ref();
        FactsSheet {
            markdown: kept.markdown.clone(),
            active: active.is_some(),
            characters: active.map_or(0, |active| u32::try_from(active.characters).unwrap_or(u32::MAX)),
            too_many: active.is_some_and(|active| !active.warnings.is_empty()),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "lowercase")]
pub enum DocumentKind {
    Document,
    Answers,
    Note,
}

#[derive(Debug, Clone, Serialize, Type)]
pub struct DocumentCard {
    pub id: String,
    pub kind: DocumentKind,
    pub title: String,
    pub characters: u32,
    pub added_at: String,
    /// The user's; ours cannot be removed.
    pub own: bool,
}

impl From<&Source> for DocumentCard {
    fn from(document: &Source) -> DocumentCard {
        DocumentCard {
            id: document.id.to_string(),
            kind: match document.source.kind {
                KnowledgeKind::Document => DocumentKind::Document,
                KnowledgeKind::Answers => DocumentKind::Answers,
                KnowledgeKind::Note => DocumentKind::Note,
            },
            title: document.source.title.clone(),
            characters: document.source.chars,
            added_at: document.source.added_at.to_string(),
            own: document.origin == KnowledgeOrigin::User,
        }
    }
}

#[derive(Debug, Clone, Serialize, Type)]
pub struct ReminderCard {
    pub id: String,
    pub at: String,
    pub text: String,
    pub done: bool,
}

impl From<&Reminder> for ReminderCard {
    fn from(reminder: &Reminder) -> ReminderCard {
        ReminderCard {
            id: reminder.id.to_string(),
            at: reminder.at.timestamp().to_string(),
            text: reminder.text.clone(),
            done: reminder.done,
        }
    }
}

/// When a reminder is to ring.
#[derive(Debug, Clone, Deserialize, Type)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum ReminderWhen {
    In {
        minutes: u32,
    },
    /// A local time, `HH:MM`; 0 days ahead is the next such time.
    At {
        days_ahead: u8,
        time: String,
    },
}

impl ReminderWhen {
    pub fn read(self) -> Result<When, AppError> {
        Ok(match self {
            ReminderWhen::In { minutes } => When::In(minutes),
            ReminderWhen::At { days_ahead, time } => {
                let time = time.parse().map_err(|_| ReminderError::Form(NoSuchForm))?;
                When::At { days_ahead, time }
            }
        })
    }
}

/// Words that Calm is not to say again.
#[derive(Debug, Clone, Serialize, Type)]
pub struct BannedCard {
    pub id: String,
    pub term: String,
}
