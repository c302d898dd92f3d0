//! `calm practice`: the catalogue, and one practice step by step in its own time.

use std::process::ExitCode;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::Duration;

use calm_app::prompts::{Practice, Practices};
use calm_app::{AppError, Lang, tools};
use serde_json::json;

use super::House;
use crate::args::PracticeAction;
use crate::bilingual::{both, say};
use crate::failure::Failure;
use crate::output::Output;

pub fn run(house: &House, action: &PracticeAction, out: &Output) -> Result<ExitCode, Failure> {
    let (practices, language) = catalogue(house)?;
    match action {
        PracticeAction::List => practices.iter().for_each(|practice| show(practice, language, out)),
        PracticeAction::Run { id } => {
            let practice = practices.by_id(id).ok_or(AppError::NoSuchPractice)?;
            play(practice, language, &interrupts()?, out);
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// The user's own where there is a data folder; looking makes none.
fn catalogue(house: &House) -> Result<(Practices, Lang), AppError> {
    match house.existing()? {
        Some(conductor) => Ok((conductor.practices()?, conductor.language())),
        None => Ok((tools::shipped_practices(house.lang())?, house.lang())),
    }
}

/// Hears Ctrl-C instead of being ended by it.
fn interrupts() -> Result<Receiver<()>, Failure> {
    let (stop, stopped) = mpsc::channel();
    let heard = move || {
        // Nobody listens any more once the last step is over.
        stop.send(()).ok();
    };
    ctrlc::set_handler(heard).map_err(|error| {
        Failure::refused(both!("Ctrl-C не услышать: {error}", "Ctrl-C cannot be listened for: {error}"))
    })?;
    Ok(stopped)
}

fn play(practice: &Practice, language: Lang, stopped: &Receiver<()>, out: &Output) {
    if out.json() {
        out.event("practice", &listed(practice));
    } else {
        out.line(&format!("{} – {}", practice.name, practice.description));
        practice.contraindications.iter().for_each(|line| out.line(line));
        out.line("");
    }
    let rounds = (1..=practice.rounds).flat_map(|round| practice.steps.iter().map(move |step| (round, step)));
    let mut done = true;
    for (round, step) in rounds {
        if out.json() {
            out.event("practice_step", &json!({"seconds": step.seconds, "text": step.text, "round": round}));
        } else {
            let (seconds, text) = (step.seconds, &step.text);
            out.line(&say!(language, "{seconds:>4} с  {text}", "{seconds:>4} s  {text}"));
        }
        match stopped.recv_timeout(Duration::from_secs(u64::from(step.seconds))) {
            Err(RecvTimeoutError::Timeout) => {}
            Ok(()) | Err(RecvTimeoutError::Disconnected) => {
                done = false;
                break;
            }
        }
    }
    if out.json() {
        out.event("practice_ended", &json!({"id": practice.id, "completed": done}));
        return;
    }
    out.line(&if done {
        say!(language, "\nГотово.", "\nThat's it.")
    } else {
        say!(language, "\nОстановились. Сколько сделано, столько и хорошо.", "\nStopped. What you did was enough.")
    });
}

fn show(practice: &Practice, language: Lang, out: &Output) {
    if out.json() {
        out.event("practice", &listed(practice));
        return;
    }
    let (minutes, kind) = (practice.minutes(), kind(&practice.kind, language));
    let lasts = say!(language, "{minutes:>2} мин", "{minutes:>2} min");
    out.line(&format!("{:<28} {lasts}  {kind:<13}  {}", practice.id, practice.name));
}

/// What sort of practice it is; one that is not known is shown by its name.
pub fn kind(name: &str, lang: Lang) -> &str {
    match (lang, name) {
        (Lang::Ru, "breathing") => "дыхание",
        (Lang::Ru, "grounding") => "заземление",
        (Lang::Ru, "visualization") => "воображение",
        (Lang::Ru, "journaling") => "письмо",
        (Lang::Ru, "physical") => "движение",
        (Lang::Ru, "pause") => "пауза",
        _ => name,
    }
}

fn listed(practice: &Practice) -> serde_json::Value {
    json!({
        "id": practice.id,
        "practice_type": practice.kind,
        "name": practice.name,
        "description": practice.description,
        "contraindications": practice.contraindications,
        "seconds": practice.duration(),
        "rounds": practice.rounds,
        "steps": practice.steps.len(),
    })
}
