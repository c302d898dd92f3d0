//! Scenarios: whole talks with expectations, for trying out a prompt set before people meet it (SPEC K5, K6).

mod checks;
mod house;
mod run;
mod scenario;

use std::path::Path;

use calm_prompts::Both;
use include_dir::{Dir, include_dir};

use crate::error::AppError;
use crate::prompt_folder;

pub use run::{Labels, Outcome, Progress, Ran, Trying, coverage, run, run_all, run_with};
pub use scenario::{Scenario, ScenarioError};

static SHIPPED: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../../tests/scenarios");

/// Those that come with the program, by their id.
///
/// # Errors
/// One of them is not valid; a test reads them all.
pub fn shipped() -> Result<Vec<(String, Scenario)>, ScenarioError> {
    let mut scenarios = Vec::new();
    for file in SHIPPED.files() {
        let name = file.path().to_string_lossy();
        if let (Some(id), Some(text)) = (name.strip_suffix(".toml"), file.contents_utf8()) {
            scenarios.push((id.to_owned(), Scenario::parse(&name, text)?));
        }
    }
    scenarios.sort_by(|(a, _), (b, _)| a.cmp(b));
    Ok(scenarios)
}

/// A scenario file, or every one of a folder.
///
/// # Errors
/// A file cannot be read or is not valid, or there is none.
pub fn read(path: &Path) -> Result<Vec<(String, Scenario)>, AppError> {
    let files = if path.is_dir() {
        let files = prompt_folder::read(path, |name| name.ends_with(".toml"))?;
        files.into_iter().map(|(name, text)| (path.join(&name).display().to_string(), name, text)).collect()
    } else {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        vec![(path.display().to_string(), name, prompt_folder::read_file(path)?)]
    };
    if files.is_empty() {
        let problem =
            Both { ru: "сценариев тут нет".to_owned(), en: "there is no scenario in it".to_owned() };
        return Err(ScenarioError { file: path.display().to_string(), problem }.into());
    }
    let mut scenarios = Vec::new();
    for (shown, name, text) in files {
        let id = name.strip_suffix(".toml").unwrap_or(&name).to_owned();
        scenarios.push((id, Scenario::parse(&shown, &text)?));
    }
    Ok(scenarios)
}
