//! `calm models`: what is needed, what is here, and the way to get the rest.

use std::io::IsTerminal;
use std::process::ExitCode;

use calm_app::AppError;
use calm_app::ears::speech_models;
use calm_app::models::{self, Models, Progress, Stage, State};
use calm_app::speed::{self, Speed};
use serde::Serialize;
use serde_json::json;

use super::House;
use crate::args::ModelsAction;
use crate::failure::Failure;
use crate::output::Output;

pub fn run(house: &House, action: ModelsAction, out: &Output) -> Result<ExitCode, Failure> {
    let paths = house.paths()?;
    let models = Models::open(&paths.models);
    match action {
        ModelsAction::List => {
            for model in models.manifest().models() {
                let state = models.state(&model.id).map_err(AppError::from)?;
                if out.json() {
                    out.event(
                        "model",
                        &json!({"id": model.id, "purpose": model.purpose, "bytes": model.bytes(),
                            "licence": model.licence, "required": model.required, "state": name(state),
                        }),
                    );
                } else {
                    out.line(&format!(
                        "{:<24} {:<8} {:>7.1} MB  {}{}",
                        model.id,
                        name(state),
                        model.bytes() as f64 / 1e6,
                        model.purpose,
                        if model.required { "" } else { " (optional)" }
                    ));
                }
            }
            Ok(ExitCode::SUCCESS)
        }
        ModelsAction::Fetch { names } => {
            known(&models, &names)?;
            let mut shown = String::new();
            models::fetch(&paths, &names, &mut |progress| show(&progress, &mut shown))?;
            if out.json() {
                out.event("models_ready", &json!({"folder": paths.models}));
            } else {
                out.line(&format!("models are in {}", paths.models.display()));
            }
            Ok(ExitCode::SUCCESS)
        }
        ModelsAction::Verify { names } => {
            known(&models, &names)?;
            let mut all_whole = true;
            for model in models.manifest().models() {
                if !names.is_empty() && !names.contains(&model.id) {
                    continue;
                }
                let state = models.verify(&model.id).map_err(AppError::from)?;
                let wanted = model.required || names.contains(&model.id);
                all_whole &= state == State::Ready || (state == State::Missing && !wanted);
                if out.json() {
                    out.event("model", &json!({"id": model.id, "state": name(state)}));
                } else {
                    out.line(&format!("{:<24} {}", model.id, name(state)));
                }
            }
            Ok(if all_whole { ExitCode::SUCCESS } else { ExitCode::FAILURE })
        }
        ModelsAction::Delete { names } => {
            known(&models, &names)?;
            for id in &names {
                let freed = models.delete(id).map_err(AppError::from)?;
                if out.json() {
                    out.event("model_deleted", &json!({"id": id, "bytes": freed}));
                } else if freed > 0 {
                    out.line(&format!("{id:<24} deleted, {:.1} MB are free again", freed as f64 / 1e6));
                } else {
                    out.line(&format!("{id:<24} was not here"));
                }
            }
            Ok(ExitCode::SUCCESS)
        }
        ModelsAction::Speed { names } => {
            known(&models, &names)?;
            if let Some(silent) = names.iter().find(|name| speech_models().all(|id| id != **name)) {
                return Err(Failure::bad_input(format!("{silent}: it writes down no speech (see calm models list)")));
            }
            let here = |id: &String| models.state(id).is_ok_and(|state| state == State::Ready);
            let asked = if names.is_empty() { speech_models().filter(here).collect() } else { names };
            for id in &asked {
                let speed = speed::measure(&paths, id)?;
                if out.json() {
                    out.event("speed", &Measured { model: id, speed });
                    continue;
                }
                let Speed { clip_seconds, asr_ms, load_ms, real_time_factor } = speed;
                out.line(&format!(
                    "{id:<24} {clip_seconds:.1} s of speech in {:.2} s: {real_time_factor:.3} of its length (loaded in {:.1} s)",
                    asr_ms as f64 / 1e3,
                    load_ms as f64 / 1e3,
                ));
            }
            if asked.is_empty() && !out.json() {
                out.line("no speech model is on this machine yet: `calm models fetch` gets one");
            }
            Ok(ExitCode::SUCCESS)
        }
    }
}

#[derive(Serialize)]
struct Measured<'a> {
    model: &'a str,
    #[serde(flatten)]
    speed: Speed,
}

fn known(models: &Models, names: &[String]) -> Result<(), Failure> {
    match names.iter().find(|name| models.manifest().model(name).is_err()) {
        Some(name) => Err(Failure::bad_input(format!("{name}: no such model (see calm models list)"))),
        None => Ok(()),
    }
}

fn name(state: State) -> &'static str {
    match state {
        State::Ready => "ready",
        State::Missing => "missing",
        State::Damaged => "damaged",
    }
}

/// One line a model on a terminal, drawn over as it grows; a line a stage elsewhere.
fn show(progress: &Progress<'_>, shown: &mut String) {
    let text = match progress.stage {
        Stage::Waiting => format!("{:<24} waiting for another download", progress.model),
        Stage::Downloading { done, total } if std::io::stderr().is_terminal() => {
            let percent = done.saturating_mul(100).checked_div(total).unwrap_or(0).min(100);
            let bar = "▮".repeat(usize::try_from(percent / 5).unwrap_or(0));
            format!("{:<24} {bar:<20} {percent:>3} %", progress.model)
        }
        Stage::Downloading { .. } => format!("{:<24} downloading", progress.model),
        Stage::Converting => format!("{:<24} converting", progress.model),
        Stage::Ready => format!("{:<24} ready", progress.model),
    };
    if *shown == text {
        return;
    }
    if std::io::stderr().is_terminal() {
        eprint!("\r{text:<70}");
        if progress.stage == Stage::Ready {
            eprintln!();
        }
    } else {
        eprintln!("{text}");
    }
    *shown = text;
}
