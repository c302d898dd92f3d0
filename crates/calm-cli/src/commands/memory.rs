//! `calm memory`: what is remembered, in the hands of whom it is about.

use std::process::ExitCode;

use calm_app::memories::{MemoryLine, MemoryPage};
use calm_app::{Conductor, Level, MemoryId, MemoryState};

use super::House;
use crate::args::{LevelName, MemoryAction, MemoryArgs, Which};
use crate::failure::Failure;
use crate::output::{Output, counted};

pub fn run(house: &House, args: MemoryArgs, out: &Output) -> Result<ExitCode, Failure> {
    let action = args.action.unwrap_or(MemoryAction::List(Which { level: None, limit: 30 }));
    let Some(mut conductor) = house.existing()? else {
        return match action {
            MemoryAction::List(_) | MemoryAction::Search { .. } => {
                if !out.json() {
                    out.line("nothing is remembered yet");
                }
                Ok(ExitCode::SUCCESS)
            }
            _ => Err(Failure::bad_input("there is no such memory: nothing is remembered yet")),
        };
    };
    match action {
        MemoryAction::List(which) => list(&conductor, None, &which, out)?,
        MemoryAction::Search { words, which } => list(&conductor, Some(words), &which, out)?,
        MemoryAction::Show { memory } => show(&conductor.memory(memory)?, &conductor, out),
        MemoryAction::Correct { memory, text } => {
            conductor.correct_memory(memory, &text)?;
            done(memory, "corrected", out);
        }
        MemoryAction::Pin { memory } => {
            conductor.pin_memory(memory, true)?;
            done(memory, "pinned", out);
        }
        MemoryAction::Unpin { memory } => {
            conductor.pin_memory(memory, false)?;
            done(memory, "unpinned", out);
        }
        MemoryAction::Dismiss { memory } => {
            conductor.dismiss_memory(memory, true)?;
            done(memory, "dismissed", out);
        }
        MemoryAction::Restore { memory } => {
            conductor.dismiss_memory(memory, false)?;
            done(memory, "restored", out);
        }
        MemoryAction::Delete { memory } => {
            conductor.forget_memory(memory)?;
            done(memory, "deleted", out);
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn list(conductor: &Conductor, words: Option<String>, which: &Which, out: &Output) -> Result<(), Failure> {
    let level = which.level.map(|level| match level {
        LevelName::Experiences => Level::Experiences,
        LevelName::Patterns => Level::Patterns,
        LevelName::Lessons => Level::Lessons,
    });
    let searched = words.is_some();
    let lines = conductor.memories(level, words, which.limit)?;
    if lines.is_empty() && !out.json() {
        out.line(if searched { "no memory has these words" } else { "nothing is remembered yet" });
    }
    for line in &lines {
        if out.json() {
            out.event("memory", line);
        } else {
            out.line(&told(line, conductor));
        }
    }
    Ok(())
}

fn told(line: &MemoryLine, conductor: &Conductor) -> String {
    let day = conductor.settings().zone().to_datetime(line.at).date().to_string();
    let marks = [
        (line.pinned, "pinned"),
        (line.corrected, "corrected"),
        (line.told, "told"),
        (line.state == MemoryState::Fading, "fading"),
        (line.state == MemoryState::Dismissed, "dismissed"),
    ];
    let marks: Vec<&str> = marks.iter().filter(|(applies, _)| *applies).map(|(_, name)| *name).collect();
    let marks = if marks.is_empty() { String::new() } else { format!("  ({})", marks.join(", ")) };
    format!("{:>5}  {day}  n {:<4} {}{marks}", line.id.to_string(), line.n, line.words)
}

fn show(page: &MemoryPage, conductor: &Conductor, out: &Output) {
    if out.json() {
        return out.event("memory", page);
    }
    out.line(&told(&page.line, conductor));
    out.line(&format!("rests on {}:", counted(page.sources.len(), "place")));
    for source in &page.sources {
        let when = conductor.settings().zone().to_datetime(source.at).strftime("%Y-%m-%d %H:%M").to_string();
        let words = source.words.as_deref().unwrap_or("(the whole session)");
        out.line(&format!("       {when}  session {:<5} {words}", source.session_id));
    }
}

fn done(memory: MemoryId, what: &str, out: &Output) {
    if out.json() {
        out.event("memory_changed", &serde_json::json!({"id": memory, "change": what}));
    } else {
        out.line(&format!("{memory} {what}"));
    }
}
