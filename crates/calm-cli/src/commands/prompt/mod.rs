//! `calm prompt`: the workshop of the prompt set.

mod banned;
mod coverage;
mod lint;
mod render;
mod versions;

use std::path::Path;
use std::process::ExitCode;

use calm_app::prompts::PromptSet;
use calm_app::{AppError, prompt_folder};

use super::House;
use crate::args::PromptAction;
use crate::bilingual::both;
use crate::errors;
use crate::failure::Failure;
use crate::output::Output;

pub fn run(house: &House, action: &PromptAction, out: &Output) -> Result<ExitCode, Failure> {
    match action {
        PromptAction::Render(args) => render::run(house, args, out),
        PromptAction::Lint { paths, surface, banned } => lint::run(house, paths, *surface, banned.as_deref(), out),
        PromptAction::Coverage { set, scenarios } => coverage::run(set.as_deref(), scenarios.as_deref(), out),
        PromptAction::Finalize { version, note } => versions::finalize(house, version.as_deref(), note.as_deref(), out),
        PromptAction::Versions { diff } => versions::list(house, diff.as_deref(), out),
        PromptAction::Stats => versions::statistics(house, out),
        PromptAction::Rollback { to, reason } => versions::roll_back(house, to.as_deref(), reason.as_deref(), out),
        PromptAction::Banned { action } => banned::run(house, action.as_ref(), out),
    }
}

/// The set in a folder, named after it where it has no manifest; the shipped one without a folder.
pub fn set_in(folder: Option<&Path>) -> Result<PromptSet, Failure> {
    let Some(folder) = folder else { return Ok(PromptSet::shipped()) };
    let files = prompt_folder::read_set(folder)?;
    let name = folder.file_name().map_or_else(|| "prompts".into(), |name| name.to_string_lossy());
    PromptSet::unversioned(&name, files).map_err(|error| {
        let (folder, why) = (folder.display(), errors::set(&error));
        Failure::bad_input(both!("{folder}: {why}", "{folder}: {error}"))
    })
}

impl From<prompt_folder::FolderError> for Failure {
    fn from(error: prompt_folder::FolderError) -> Failure {
        AppError::from(error).into()
    }
}
