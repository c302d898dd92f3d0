//! `calm models`: what is needed, what is here, and the way to get the rest.

use std::io::IsTerminal;
use std::process::ExitCode;

use calm_app::ears::speech_models;
use calm_app::models::{self, Models, Progress, Stage, State};
use calm_app::speed::{self, Speed};
use calm_app::{AppError, Lang, doctor};
use serde::Serialize;
use serde_json::json;

use super::House;
use crate::args::ModelsAction;
use crate::bilingual::{both, megabytes, rounded, say};
use crate::failure::Failure;
use crate::output::Output;

pub fn run(house: &House, action: ModelsAction, out: &Output) -> Result<ExitCode, Failure> {
    let paths = house.paths()?;
    let models = Models::open(&paths.models);
    let lang = house.lang();
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
                    let (id, state, size) = (&model.id, shown(state, lang), megabytes(model.bytes(), lang));
                    let purpose = match lang {
                        Lang::Ru => purpose(id).unwrap_or(&model.purpose),
                        Lang::En => &model.purpose,
                    };
                    let optional = if model.required {
                        String::new()
                    } else {
                        say!(lang, " (по желанию)", " (optional)")
                    };
                    out.line(&format!("{id:<28} {state:<10} {size:>10}  {purpose}{optional}"));
                }
            }
            Ok(ExitCode::SUCCESS)
        }
        ModelsAction::Fetch { names } => {
            known(&models, &names)?;
            let mut shown = String::new();
            models::fetch(&paths, &names, &mut |progress| show(&progress, &mut shown, lang))?;
            if out.json() {
                out.event("models_ready", &json!({"folder": paths.models}));
            } else {
                let folder = paths.models.display();
                out.line(&say!(lang, "модели лежат в {folder}", "models are in {folder}"));
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
                    out.line(&format!("{:<28} {}", model.id, self::shown(state, lang)));
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
                    let size = megabytes(freed, lang);
                    out.line(&say!(
                        lang,
                        "{id:<28} удалена, свободно ещё {size}",
                        "{id:<28} deleted, {size} are free again"
                    ));
                } else {
                    out.line(&say!(lang, "{id:<28} её здесь и не было", "{id:<28} was not here"));
                }
            }
            Ok(ExitCode::SUCCESS)
        }
        ModelsAction::Speed { names } => {
            known(&models, &names)?;
            if let Some(silent) = names.iter().find(|name| speech_models().all(|id| id != **name)) {
                return Err(Failure::bad_input(both!(
                    "{silent}: эта модель речь не записывает, смотри `calm models list`",
                    "{silent}: it writes down no speech (see calm models list)"
                )));
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
                let [clip, took] = [(f64::from(clip_seconds), 1), (asr_ms as f64 / 1e3, 2)]
                    .map(|(value, digits)| rounded(value, digits, lang));
                let (part, loaded) =
                    (rounded(real_time_factor.into(), 3, lang), rounded(load_ms as f64 / 1e3, 1, lang));
                out.line(&say!(
                    lang,
                    "{id:<28} {clip} с речи за {took} с, это {part} её длины (загрузка {loaded} с)",
                    "{id:<28} {clip} s of speech in {took} s: {part} of its length (loaded in {loaded} s)"
                ));
            }
            if asked.is_empty() && !out.json() {
                out.line(&say!(
                    lang,
                    "речевой модели здесь ещё нет: скачай её, `calm models fetch`",
                    "no speech model is on this machine yet: `calm models fetch` gets one"
                ));
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
        Some(name) => Err(Failure::bad_input(both!(
            "{name}: такой модели нет, смотри `calm models list`",
            "{name}: no such model (see calm models list)"
        ))),
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

fn shown(state: State, lang: Lang) -> &'static str {
    match (state, lang) {
        (State::Ready, Lang::Ru) => "на месте",
        (State::Missing, Lang::Ru) => "ещё нет",
        (State::Damaged, Lang::Ru) => "повреждена",
        (state, Lang::En) => name(state),
    }
}

/// What a model is for, in Russian; the list of models says it in English.
fn purpose(id: &str) -> Option<&'static str> {
    Some(match id {
        "whisper-base-onnx" => "слова; обычный выбор",
        "whisper-base" => "слова через whisper.cpp, где обычная не идёт",
        "whisper-small" => "слова точнее, но втрое медленнее",
        "whisper-small-q8_0" => "та же small в 8 битах",
        "whisper-small-q5_1" => "та же small в 5 битах",
        "whisper-medium" => "слова, для быстрого компьютера",
        "whisper-medium-q8_0" => "та же medium в 8 битах",
        "whisper-medium-q5_0" => "та же medium в 5 битах",
        "whisper-large-v3-turbo" => "слова точнее всех, с видеокартой",
        "whisper-large-v3-turbo-q8_0" => "та же large-v3-turbo в 8 битах",
        "whisper-large-v3-turbo-q5_0" => "та же large-v3-turbo в 5 битах",
        "silero-vad" => "где речь начинается и кончается",
        "emotion" => "напряжение, силы и чувство в голосе",
        "onnxruntime" => "на ней работают голосовые модели",
        doctor::ENCODER => "память по смыслу, а не по словам",
        _ => return None,
    })
}

/// One line a model on a terminal, drawn over as it grows; a line a stage elsewhere.
fn show(progress: &Progress<'_>, shown: &mut String, lang: Lang) {
    let model = progress.model;
    let text = match progress.stage {
        Stage::Waiting => {
            say!(lang, "{model:<28} ждёт, пока закончится другая загрузка", "{model:<28} waiting for another download")
        }
        Stage::Downloading { done, total } if std::io::stderr().is_terminal() => {
            let percent = done.saturating_mul(100).checked_div(total).unwrap_or(0).min(100);
            let bar = "▮".repeat(usize::try_from(percent / 5).unwrap_or(0));
            format!("{model:<28} {bar:<20} {percent:>3} %")
        }
        Stage::Downloading { .. } => say!(lang, "{model:<28} скачивается", "{model:<28} downloading"),
        Stage::Converting => say!(lang, "{model:<28} готовится", "{model:<28} converting"),
        Stage::Ready => say!(lang, "{model:<28} на месте", "{model:<28} ready"),
    };
    if *shown == text {
        return;
    }
    if std::io::stderr().is_terminal() {
        eprint!("\r{text:<78}");
        if progress.stage == Stage::Ready {
            eprintln!();
        }
    } else {
        eprintln!("{text}");
    }
    *shown = text;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_model_says_in_russian_what_it_is_for() {
        let models = Models::open(std::path::Path::new("nowhere"));
        for model in models.manifest().models() {
            assert!(purpose(&model.id).is_some(), "{}", model.id);
        }
    }
}
