//! Reminders: setting them, and ringing each exactly once, whichever process sees it fall due.

use calm_core::Lang;
use calm_core::tools::{NoSuchForm, SetReminder, Unreachable, When};
use calm_store::{Left, Reminder as Kept, ReminderId};
use jiff::{Timestamp, ZonedDateTime};
use serde::{Serialize, Serializer};
use serde_json::json;

use super::Done;
use super::times::{counted_in, day_and_time};
use crate::conductor::Conductor;
use crate::error::AppError;

/// Longest text, in characters.
const LONGEST_TEXT: usize = 500;
/// The most that may wait at a time.
const MOST_WAITING: usize = 200;
/// What rings later than this says so, in minutes.
const LATE: i64 = 3;

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Reminder {
    pub id: ReminderId,
    /// When it is due, in the user's zone.
    #[serde(serialize_with = "as_rfc3339")]
    pub at: ZonedDateTime,
    pub text: String,
    pub done: bool,
    /// Minutes between the moment it was due and the moment it rang, where that is worth a word.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub late_minutes: Option<i64>,
}

fn as_rfc3339<S: Serializer>(at: &ZonedDateTime, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&at.strftime("%Y-%m-%dT%H:%M:%S%:z"))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ReminderError {
    #[error(transparent)]
    Moment(#[from] Unreachable),
    #[error("the time {0}")]
    Form(#[from] NoSuchForm),
    #[error("the text is empty or longer than {LONGEST_TEXT} characters")]
    Text,
    #[error("{MOST_WAITING} reminders are waiting already: remove one first")]
    TooMany,
}

impl Reminder {
    /// The words of a notification.
    pub fn words(&self, lang: Lang) -> String {
        match (self.late_minutes, lang) {
            (None, _) => self.text.clone(),
            (Some(_), Lang::Ru) => {
                format!("Пока компьютер спал, подошло напоминание на {}: {}", super::times::clock(&self.at), self.text)
            }
            (Some(_), Lang::En) => {
                format!(
                    "A reminder for {} came up while the computer slept: {}",
                    super::times::clock(&self.at),
                    self.text
                )
            }
        }
    }
}

impl Conductor {
    /// Sets a reminder.
    ///
    /// # Errors
    /// The moment has passed or is more than a week ahead, the text is no text, or too many wait.
    pub fn add_reminder(&mut self, when: When, text: &str) -> Result<Reminder, AppError> {
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let text: String = text.chars().filter(|c| !c.is_control()).collect();
        if text.is_empty() || text.chars().count() > LONGEST_TEXT {
            return Err(ReminderError::Text.into());
        }
        let now = self.local_now();
        let at = when.resolve(&now).map_err(ReminderError::from)?;
        if self.reminders()?.iter().filter(|reminder| !reminder.done).count() >= MOST_WAITING {
            return Err(ReminderError::TooMany.into());
        }
        let id = self.store().add_reminder(at.timestamp(), &text, now.timestamp())?;
        Ok(Reminder { id, at, text, done: false, late_minutes: None })
    }

    /// Those that wait, the soonest first; then those that have rung, the latest first.
    pub fn reminders(&self) -> Result<Vec<Reminder>, AppError> {
        let kept = self.read_store().reminders(u32::try_from(MOST_WAITING * 2).unwrap_or(u32::MAX))?;
        Ok(kept.into_iter().map(|kept| self.shown(kept, None)).collect())
    }

    /// # Errors
    /// There is no such reminder.
    pub fn remove_reminder(&mut self, id: ReminderId) -> Result<Left, AppError> {
        Ok(self.store().remove_reminder(id)?)
    }

    /// What is to ring now, those first that were due first. Each is given once, to one process only; what fell due
    /// while none was running is given late.
    pub fn due(&mut self) -> Result<Vec<Reminder>, AppError> {
        let now = self.now();
        let mut rings = Vec::new();
        for kept in self.read_store().due_reminders(now)? {
            match self.store().finish_reminder(kept.id, now) {
                Ok(true) => rings.push(self.shown(Kept { done_at: Some(now), ..kept }, Some(now))),
                // Another process was first, or it was taken back this moment.
                Ok(false) | Err(calm_store::StoreError::NotFound(_)) => {}
                Err(error) if rings.is_empty() => return Err(error.into()),
                // What is marked as done has to be shown now or never.
                Err(_) => break,
            }
        }
        Ok(rings)
    }

    pub(super) fn set_reminder(&mut self, asked: &SetReminder) -> Result<Done, AppError> {
        let lang = self.language();
        let Some(when) = When::of(asked) else { return Ok(no_reminder(ReminderError::Form(NoSuchForm), lang)) };
        match self.add_reminder(when, &asked.text) {
            Ok(reminder) => {
                let now = self.local_now();
                let result = json!({"reminder": {
                    "id": reminder.id,
                    "at": reminder.at.strftime("%Y-%m-%dT%H:%M:%S%:z").to_string(),
                    "text": reminder.text,
                }});
                Ok(Done::well(
                    result,
                    format!("{}, {}", moment(&reminder.at, &now, lang), quoted(&reminder.text, lang)),
                ))
            }
            Err(AppError::Reminder(problem)) => Ok(no_reminder(problem, lang)),
            Err(error) => Err(error),
        }
    }

    pub(super) fn local_now(&self) -> ZonedDateTime {
        self.now().to_zoned_datetime(self.settings().zone())
    }

    fn shown(&self, kept: Kept, rings_at: Option<Timestamp>) -> Reminder {
        let late = rings_at.map(|now| now.duration_since(kept.at).as_mins()).filter(|minutes| *minutes >= LATE);
        Reminder {
            id: kept.id,
            at: kept.at.to_zoned_datetime(self.settings().zone()),
            text: kept.text,
            done: kept.done_at.is_some(),
            late_minutes: late,
        }
    }
}

/// "через 30 минут, в 15:02" for what is near, the day and the time for the rest.
fn moment(at: &ZonedDateTime, now: &ZonedDateTime, lang: Lang) -> String {
    let minutes = (at.timestamp().duration_since(now.timestamp()).as_secs() + 59) / 60;
    match usize::try_from(minutes) {
        Ok(minutes @ 0..=90) => {
            let distance = counted_in(lang, minutes, ["минуту", "минуты", "минут"], ["minute", "minutes"]);
            let clock = super::times::clock(at);
            if lang == Lang::Ru {
                format!("через {distance}, в {clock}")
            } else {
                format!("in {distance}, at {clock}")
            }
        }
        _ => day_and_time(at, now, lang),
    }
}

fn quoted(text: &str, lang: Lang) -> String {
    let text = text.trim_end_matches(['.', '!', '…']);
    if lang == Lang::Ru { format!("«{text}»") } else { format!("“{text}”") }
}

fn no_reminder(problem: ReminderError, lang: Lang) -> Done {
    let spoken = match (problem, lang) {
        (ReminderError::Moment(Unreachable::Past), Lang::Ru) => "Это время уже прошло. Назови другое, и поставлю.",
        (ReminderError::Moment(Unreachable::Past), Lang::En) => "That time has passed. Name another one and it's set.",
        (ReminderError::Moment(Unreachable::TooFar), Lang::Ru) => {
            "Так далеко я не заглядываю: могу напомнить в пределах недели."
        }
        (ReminderError::Moment(Unreachable::TooFar), Lang::En) => {
            "That's further than I look ahead: a week is the most."
        }
        (ReminderError::Form(_), Lang::Ru) => "Не понимаю, на когда. Скажи, например, «через час» или «в 15:30».",
        (ReminderError::Form(_), Lang::En) => "I don't get when. Say “in an hour” or “at 15:30”, for example.",
        (ReminderError::Text, Lang::Ru) => "Не понимаю, о чём напомнить. Скажи это в двух словах.",
        (ReminderError::Text, Lang::En) => "I don't get what to remind you of. Say it in a few words.",
        (ReminderError::TooMany, Lang::Ru) => "Напоминаний уже слишком много. Убери лишние, и поставлю это.",
        (ReminderError::TooMany, Lang::En) => {
            "There are too many reminders already. Remove some and I'll set this one."
        }
    };
    Done::refused(&problem.to_string(), spoken)
}
