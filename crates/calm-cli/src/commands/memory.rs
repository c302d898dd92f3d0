//! `calm memory`: what is remembered, in the hands of whom it is about.

use std::process::ExitCode;

use calm_app::memories::{MemoryLine, MemoryPage};
use calm_app::{Conductor, Lang, Level, MemoryId, MemoryState};

use super::House;
use super::data::traces;
use crate::args::{LevelName, MemoryAction, MemoryArgs, Which};
use crate::bilingual::{Both, PLACE, both, day, moment, say};
use crate::columns::{WIDTH, beside};
use crate::failure::Failure;
use crate::output::Output;

pub fn run(house: &House, args: MemoryArgs, out: &Output) -> Result<ExitCode, Failure> {
    let action = args.action.unwrap_or(MemoryAction::List(Which { level: None, limit: 30 }));
    let Some(mut conductor) = house.existing()? else {
        return match action {
            MemoryAction::List(_) | MemoryAction::Search { .. } => {
                if !out.json() {
                    out.line(nothing_yet().of(house.lang()));
                }
                Ok(ExitCode::SUCCESS)
            }
            _ => Err(Failure::bad_input(both!(
                "в памяти такого нет: она ещё пустая",
                "there is no such memory: nothing is remembered yet"
            ))),
        };
    };
    let lang = house.lang();
    let done = |memory: MemoryId, change: &str, ru: &str| done(memory, change, ru, lang, out);
    match action {
        MemoryAction::List(which) => list(&conductor, None, &which, lang, out)?,
        MemoryAction::Search { words, which } => list(&conductor, Some(words), &which, lang, out)?,
        MemoryAction::Show { memory } => show(&conductor.memory(memory)?, &conductor, lang, out),
        MemoryAction::Correct { memory, text } => {
            conductor.correct_memory(memory, &text)?;
            done(memory, "corrected", "теперь твоими словами");
        }
        MemoryAction::Pin { memory } => {
            conductor.pin_memory(memory, true)?;
            done(memory, "pinned", "закреплено");
        }
        MemoryAction::Unpin { memory } => {
            conductor.pin_memory(memory, false)?;
            done(memory, "unpinned", "больше не закреплено");
        }
        MemoryAction::Dismiss { memory } => {
            conductor.dismiss_memory(memory, true)?;
            done(memory, "dismissed", "отмечено: это не так");
        }
        MemoryAction::Restore { memory } => {
            conductor.dismiss_memory(memory, false)?;
            done(memory, "restored", "всё-таки так");
        }
        MemoryAction::Delete { memory } => {
            let left = conductor.forget_memory(memory)?;
            done(memory, "deleted", "забыто");
            traces(left.as_deref(), lang, out);
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn nothing_yet() -> Both {
    both!("в памяти пока пусто", "nothing is remembered yet")
}

fn list(conductor: &Conductor, words: Option<String>, which: &Which, lang: Lang, out: &Output) -> Result<(), Failure> {
    let level = which.level.map(|level| match level {
        LevelName::Experiences => Level::Experiences,
        LevelName::Patterns => Level::Patterns,
        LevelName::Lessons => Level::Lessons,
    });
    let searched = words.is_some();
    let lines = conductor.memories(level, words, which.limit)?;
    if lines.is_empty() && !out.json() {
        let nothing_found = both!("по этим словам ничего не нашлось", "no memory has these words");
        out.line(if searched { nothing_found } else { nothing_yet() }.of(lang));
    }
    for line in &lines {
        if out.json() {
            out.event("memory", line);
        } else {
            told(line, conductor, lang, out);
        }
    }
    Ok(())
}

fn told(line: &MemoryLine, conductor: &Conductor, lang: Lang, out: &Output) {
    let day = day(conductor.settings().zone().to_datetime(line.at).date(), lang);
    let marks = [
        (line.pinned, say!(lang, "закреплено", "pinned")),
        (line.corrected, say!(lang, "твоими словами", "corrected")),
        (line.told, say!(lang, "сказано тобой", "told")),
        (line.state == MemoryState::Fading, say!(lang, "похоже, уже не так", "fading")),
        (line.state == MemoryState::Dismissed, say!(lang, "отмечено: это не так", "dismissed")),
    ];
    let marks: Vec<&str> = marks.iter().filter(|(applies, _)| *applies).map(|(_, name)| name.as_str()).collect();
    let marks = if marks.is_empty() { String::new() } else { format!("  ({})", marks.join(", ")) };
    let head = format!("{:>5}  {day}  n {:<4} ", line.id.to_string(), line.n);
    out.lines(&beside(&head, head.len(), WIDTH, &format!("{}{marks}", line.words)));
}

fn show(page: &MemoryPage, conductor: &Conductor, lang: Lang, out: &Output) {
    if out.json() {
        return out.event("memory", page);
    }
    told(&page.line, conductor, lang, out);
    let places = PLACE.counted(page.sources.len(), lang);
    out.line(&say!(lang, "откуда это ({places}):", "rests on {places}:"));
    for source in &page.sources {
        let when = moment(source.at, &conductor.settings().zone(), lang);
        let whole = say!(lang, "(весь разговор)", "(the whole session)");
        let (id, words) = (source.session_id.to_string(), source.words.as_deref().unwrap_or(&whole));
        let head = say!(lang, "       {when}  разговор {id:<5} ", "       {when}  session {id:<5} ");
        out.lines(&beside(&head, 39, WIDTH, words));
    }
}

/// `change` is the name of it that scripts know.
fn done(memory: MemoryId, change: &str, ru: &str, lang: Lang, out: &Output) {
    if out.json() {
        out.event("memory_changed", &serde_json::json!({"id": memory, "change": change}));
    } else {
        out.line(&say!(lang, "{memory}: {ru}", "{memory} {change}"));
    }
}
