//! `calm reminders`: what waits to be said, and ringing it where no window does.

use std::process::ExitCode;

use calm_app::tools::reminders::Reminder;
use calm_app::{AppError, Clock, Conductor, Lang};

use super::House;
use super::data::traces;
use crate::args::{NewReminder, RemindersAction, RemindersArgs};
use crate::bilingual::{both, day, say};
use crate::failure::Failure;
use crate::output::Output;

pub fn run(house: &House, args: RemindersArgs, out: &Output) -> Result<ExitCode, Failure> {
    let clock = args.now.map_or(Clock::System, Clock::Fixed);
    let open = || house.open(clock, Box::new(|_| {}));
    // Looking makes no database.
    let existing = || house.paths()?.has_database().then(open).transpose();
    match args.action.unwrap_or(RemindersAction::List) {
        RemindersAction::List => {
            let reminders = existing()?.map(|conductor| conductor.reminders()).transpose()?.unwrap_or_default();
            if reminders.is_empty() && !out.json() {
                out.line(&say!(
                    house.lang(),
                    "напоминаний нет: `calm reminders add --in 30m ТЕКСТ`",
                    "no reminders: `calm reminders add --in 30m TEXT`"
                ));
            }
            reminders.iter().for_each(|reminder| show(reminder, house.lang(), out));
        }
        RemindersAction::Add(new) => show(&add(open()?, &new)?, house.lang(), out),
        RemindersAction::Remove { number } => match existing()? {
            Some(mut conductor) => {
                let left = conductor.remove_reminder(number)?;
                traces(left.as_deref(), house.lang(), out);
            }
            None => return Err(Failure::bad_input(both!("такого напоминания нет", "there is no such reminder"))),
        },
        RemindersAction::Due => {
            let Some(mut conductor) = existing()? else { return Ok(ExitCode::SUCCESS) };
            let language = conductor.language();
            for reminder in conductor.due()? {
                if out.json() {
                    out.event("reminder", &reminder);
                } else {
                    out.line(&reminder.words(language));
                }
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn add(mut conductor: Conductor, new: &NewReminder) -> Result<Reminder, AppError> {
    // One of the two is there: the parser asks for it.
    match new.after.or(new.at) {
        Some(when) => conductor.add_reminder(when, &new.text),
        None => Err(AppError::from(calm_app::tools::reminders::ReminderError::Text)),
    }
}

fn show(reminder: &Reminder, lang: Lang, out: &Output) {
    if out.json() {
        out.event("reminder", reminder);
        return;
    }
    let done =
        if reminder.done { say!(lang, "прозвучало", "rang ") } else { say!(lang, "ждёт      ", "waits") };
    let (date, time) = (day(reminder.at.date(), lang), reminder.at.strftime("%H:%M"));
    out.line(&format!("{:>4}  {done}  {date} {time}  {}", reminder.id, reminder.text));
}
