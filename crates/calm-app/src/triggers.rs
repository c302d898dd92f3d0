//! Personal if–then plans and carrying them out (SPEC E3, `run_trigger`).

use std::str::FromStr;

use calm_core::Lang;
use calm_core::tools::PracticeType;
use calm_prompts::Strain;
use calm_prompts::envelope::{LONGEST_CONDITION, MARKER, MOST_TRIGGERS};
use calm_store::{Left, NewTrigger, SessionId, Trigger, TriggerId};
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::conductor::Conductor;
use crate::error::AppError;
use crate::running::Running;

/// Longest name, in characters.
const LONGEST_NAME: usize = 80;
/// Longest note or reminder, in characters.
const LONGEST_TEXT: usize = 1000;

/// What a plan does when its condition has come true.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case", deny_unknown_fields)]
pub enum Action {
    /// Opens a practice of that type.
    Practice { practice: PracticeType },
    /// A pause of so many minutes, 1–240.
    Pause { minutes: u32 },
    /// Writes this down.
    Note { text: String },
    /// Reminds of this after so many minutes, 1–10,080.
    Reminder { text: String, minutes: u32 },
    /// Suggests the check-out.
    OpenCheckOut,
}

#[derive(Debug, Clone, Serialize)]
pub struct Plan {
    pub id: String,
    pub name: String,
    pub condition: String,
    pub actions: Vec<Action>,
    pub enabled: bool,
    pub created_at: Timestamp,
}

#[derive(Debug, thiserror::Error)]
pub enum PlanError {
    #[error("the name is empty or longer than {LONGEST_NAME} characters")]
    Name,
    #[error("the condition is empty or longer than {LONGEST_CONDITION} characters")]
    Condition,
    #[error("the condition holds the mark {MARKER}, which ends the block of conditions")]
    Mark,
    #[error("a plan needs something to do")]
    NoAction,
    #[error("there is no practice of that type")]
    Practice,
    #[error("a pause lasts 1 to 240 minutes")]
    Pause,
    #[error("a reminder comes within 1 to 10080 minutes")]
    Reminder,
    #[error("the text is empty or longer than {LONGEST_TEXT} characters")]
    Text,
    #[error("there are {MOST_TRIGGERS} plans in use already, and a prompt takes no more: switch one off first")]
    TooMany,
    #[error("there is no such plan, or several are called so: give its id")]
    Unknown,
    #[error("that plan is switched off")]
    SwitchedOff,
}

impl Action {
    fn check(&self) -> Result<(), PlanError> {
        let fits = |text: &str| !text.trim().is_empty() && text.chars().count() <= LONGEST_TEXT;
        match self {
            Action::Pause { minutes } if !(1..=240).contains(minutes) => Err(PlanError::Pause),
            Action::Reminder { minutes, .. } if !(1..=10_080).contains(minutes) => Err(PlanError::Reminder),
            Action::Note { text } | Action::Reminder { text, .. } if !fits(text) => Err(PlanError::Text),
            _ => Ok(()),
        }
    }
}

impl Conductor {
    /// # Errors
    /// The plan is not one that a prompt can carry; see [`PlanError`].
    pub fn add_plan(&mut self, name: &str, condition: &str, actions: &[Action]) -> Result<Plan, AppError> {
        let (name, condition) = (name.trim(), condition.trim());
        check(name, condition, actions)?;
        if self.store().triggers()?.iter().filter(|trigger| trigger.enabled).count() >= MOST_TRIGGERS {
            return Err(PlanError::TooMany.into());
        }
        let new = NewTrigger {
            name: name.to_owned(),
            condition: condition.to_owned(),
            actions: json!(actions),
            created_at: self.now(),
        };
        let id = self.store().add_trigger(&new)?;
        self.blocks().forget();
        self.plan(&id.to_string()).map(plan)
    }

    /// Oldest first.
    pub fn plans(&mut self) -> Result<Vec<Plan>, AppError> {
        Ok(self.store().triggers()?.into_iter().map(plan).collect())
    }

    /// # Errors
    /// There is no such plan, or too many are on.
    pub fn switch_plan(&mut self, id: &str, on: bool) -> Result<Plan, AppError> {
        let found = self.plan(id)?;
        let in_use = self.store().triggers()?.iter().filter(|trigger| trigger.enabled).count();
        if on && !found.enabled && in_use >= MOST_TRIGGERS {
            return Err(PlanError::TooMany.into());
        }
        self.store().set_trigger_enabled(found.id, on)?;
        self.blocks().forget();
        self.plan(id).map(plan)
    }

    /// # Errors
    /// There is no such plan.
    pub fn remove_plan(&mut self, id: &str) -> Result<Left, AppError> {
        let found = self.plan(id)?;
        let left = self.store().remove_trigger(found.id)?;
        self.blocks().forget();
        Ok(left)
    }

    /// The tool `run_trigger`: does what the plan says, writes it down, and gives the tool's answer.
    ///
    /// # Errors
    /// There is no such plan, or it is switched off.
    pub fn run_plan(&mut self, id: &str) -> Result<Value, AppError> {
        let found = self.plan(id)?;
        if !found.enabled {
            return Err(PlanError::SwitchedOff.into());
        }
        let session = self.running();
        let plan = plan(found.clone());
        let mut done = Vec::with_capacity(plan.actions.len());
        for action in &plan.actions {
            done.push(self.perform(action, session)?);
        }
        let outcome: Vec<&str> = done.iter().filter_map(|it| it["outcome"].as_str()).collect();
        let now = self.now();
        self.store().record_trigger_run(found.id, session, &outcome.join("; "), now)?;
        Ok(json!({"success": true, "trigger": {"id": plan.id, "name": plan.name}, "actions": done}))
    }

    fn perform(&mut self, action: &Action, session: Option<SessionId>) -> Result<Value, AppError> {
        let now = self.now();
        let says = |ru: String, en: String| if self.language() == Lang::Ru { ru } else { en };
        Ok(match action {
            // In a crisis a practice is not what helps (SPEC H5).
            Action::Practice { .. } if self.running.as_ref().is_some_and(Running::in_crisis) => {
                json!({"do": "practice", "outcome": says("практика не сейчас".into(), "no practice now".into())})
            }
            Action::Practice { practice } => {
                let practices = self.prompts.practices(self.language().code())?;
                let kind = json!(practice);
                let found = kind.as_str().and_then(|kind| practices.choose(kind, None, &[Strain::BreathHold])).cloned();
                let name = found.as_ref().map_or("–", |it| it.name.as_str());
                let outcome = says(format!("практика: {name}"), format!("practice: {name}"));
                json!({"do": "practice", "outcome": outcome, "practice": found})
            }
            Action::Pause { minutes } => {
                let until = now.saturating_add(minutes_of(*minutes)).unwrap_or(now);
                let outcome = says(format!("пауза на {minutes} мин"), format!("a pause of {minutes} min"));
                json!({"do": "pause", "outcome": outcome, "minutes": minutes, "until": until})
            }
            Action::Note { text } => {
                let outcome = says("записано".into(), "noted".into());
                self.store().add_note(now, session, text)?;
                json!({"do": "note", "outcome": outcome})
            }
            Action::Reminder { text, minutes } => {
                let at = now.saturating_add(minutes_of(*minutes)).unwrap_or(now);
                let outcome = says(format!("напоминание через {minutes} мин"), format!("a reminder in {minutes} min"));
                self.store().add_reminder(at, text, now)?;
                json!({"do": "reminder", "outcome": outcome, "at": at})
            }
            Action::OpenCheckOut => {
                json!({"do": "open_check_out", "outcome": says("предложен чек-аут".into(), "check-out suggested".into())})
            }
        })
    }

    /// By its id, or by its name where only one has it.
    fn plan(&mut self, id: &str) -> Result<Trigger, AppError> {
        let unknown = || PlanError::Unknown;
        if let Ok(id) = TriggerId::from_str(id) {
            return self.store().trigger(id)?.ok_or_else(|| unknown().into());
        }
        let mut named = self.store().triggers()?.into_iter().filter(|trigger| trigger.name == id);
        match (named.next(), named.next()) {
            (Some(found), None) => Ok(found),
            _ => Err(unknown().into()),
        }
    }
}

fn minutes_of(minutes: u32) -> SignedDuration {
    SignedDuration::from_mins(i64::from(minutes))
}

/// Whether a plan is one that a prompt can carry and this program can do.
///
/// # Errors
/// What is wrong with it.
pub fn check(name: &str, condition: &str, actions: &[Action]) -> Result<(), PlanError> {
    let (name, condition) = (name.trim(), condition.trim());
    let fits = |text: &str, most: usize| !text.is_empty() && text.chars().count() <= most;
    if !fits(name, LONGEST_NAME) || name.contains(['[', ']']) {
        return Err(PlanError::Name);
    }
    if !fits(condition, LONGEST_CONDITION) {
        return Err(PlanError::Condition);
    }
    if condition.contains(MARKER) || name.contains(MARKER) {
        return Err(PlanError::Mark);
    }
    if actions.is_empty() {
        return Err(PlanError::NoAction);
    }
    actions.iter().try_for_each(Action::check)
}

fn plan(trigger: Trigger) -> Plan {
    Plan {
        id: trigger.id.to_string(),
        name: trigger.name,
        condition: trigger.condition,
        // What this program cannot do (any more) is left out.
        actions: match trigger.actions {
            Value::Array(actions) => actions.into_iter().filter_map(|it| serde_json::from_value(it).ok()).collect(),
            _ => Vec::new(),
        },
        enabled: trigger.enabled,
        created_at: trigger.created_at,
    }
}
