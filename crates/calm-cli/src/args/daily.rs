//! The commands of an ordinary day: notes, reminders, practices, settings.

use calm_app::core::tools::{When, when};
use calm_app::{Lang, NoteId, ReminderId, settings};
use clap::{Args as Arguments, Subcommand};
use jiff::Timestamp;

#[derive(Debug, Arguments)]
#[command(args_conflicts_with_subcommands = true)]
pub struct NotesArgs {
    #[command(subcommand)]
    pub action: Option<NotesAction>,
    /// How many, newest first
    #[arg(long, default_value_t = 30, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub limit: u32,
}

#[derive(Debug, Subcommand)]
pub enum NotesAction {
    /// Delete one for good
    Delete { number: NoteId },
}

#[derive(Debug, Arguments)]
pub struct RemindersArgs {
    #[command(subcommand)]
    pub action: Option<RemindersAction>,
    /// The moment it is (RFC 3339)
    #[arg(long, global = true, value_name = "RFC3339")]
    pub now: Option<Timestamp>,
}

#[derive(Debug, Subcommand)]
pub enum RemindersAction {
    /// Those that wait, then those that have rung
    List,
    /// Be reminded of something
    Add(NewReminder),
    Remove {
        number: ReminderId,
    },
    /// Ring what is due, each once
    Due,
}

#[derive(Debug, Arguments)]
pub struct NewReminder {
    /// From now: 30m, 2h, 1h30m, 3d
    #[arg(long = "in", value_name = "TIME", value_parser = after, required_unless_present = "at", conflicts_with = "at")]
    pub after: Option<When>,
    /// At a local time: 15:30, "tomorrow 09:00", "friday 09:00" or 2026-03-04T15:30; in Russian as it is said
    #[arg(long, value_name = "TIME", value_parser = at)]
    pub at: Option<When>,
    pub text: String,
}

#[derive(Debug, Arguments)]
pub struct PracticeArgs {
    #[command(subcommand)]
    pub action: PracticeAction,
}

#[derive(Debug, Subcommand)]
pub enum PracticeAction {
    /// All of them
    List,
    /// Step by step, in its own time; Ctrl-C stops it
    Run { id: String },
}

#[derive(Debug, Arguments)]
pub struct SettingsArgs {
    #[command(subcommand)]
    pub action: SettingsAction,
}

#[derive(Debug, Subcommand)]
pub enum SettingsAction {
    /// One setting, or all of them
    Get {
        #[arg(value_parser = settings::NAMES)]
        name: Option<String>,
    },
    /// Change one; an empty value clears it
    Set {
        #[arg(value_parser = settings::NAMES)]
        name: String,
        value: String,
    },
}

/// "30m", "1h30m", "2d"; a bare number is minutes.
fn after(text: &str) -> Result<When, &'static str> {
    const WRONG: &str = "must be a time such as 30m, 2h, 1h30m or 3d, at most a week";
    let (mut total, mut number) = (0_u32, None::<u32>);
    for c in text.trim().chars() {
        match c.to_digit(10) {
            Some(digit) => {
                number = Some(number.unwrap_or(0).checked_mul(10).and_then(|n| n.checked_add(digit)).ok_or(WRONG)?);
            }
            None => {
                let minutes = match c {
                    'm' => 1,
                    'h' => 60,
                    'd' => 24 * 60,
                    _ => return Err(WRONG),
                };
                let part = number.take().and_then(|n| n.checked_mul(minutes)).ok_or(WRONG)?;
                total = total.checked_add(part).ok_or(WRONG)?;
            }
        }
    }
    // "1h30" leaves the minutes without their letter.
    let total = total.checked_add(number.unwrap_or(0)).ok_or(WRONG)?;
    if (1..=7 * 24 * 60).contains(&total) { Ok(When::In(total)) } else { Err(WRONG) }
}

fn at(text: &str) -> Result<When, String> {
    let russian = || text.contains(|c| matches!(c, 'а'..='я' | 'А'..='Я')).then(|| when(text, Lang::Ru))?;
    match text.parse() {
        Err(_) if let Some(when @ (When::At { .. } | When::On { .. })) = russian() => Ok(when),
        Ok(When::In(_)) => Err("is a distance: use --in".to_owned()),
        Ok(when) => Ok(when),
        Err(problem) => Err(problem.to_string()),
    }
}
