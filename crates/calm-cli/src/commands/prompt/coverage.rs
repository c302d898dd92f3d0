//! `calm prompt coverage`: what the scenarios do not reach yet. Gaps are information and never fail.

use std::path::Path;
use std::process::ExitCode;

use calm_app::prompts::coverage::Gap;
use calm_app::scenarios::Trying;
use calm_app::{AppError, scenarios};

use super::set_in;
use crate::failure::Failure;
use crate::output::{Output, complain};

pub fn run(set: Option<&Path>, path: Option<&Path>, out: &Output) -> Result<ExitCode, Failure> {
    let set = set_in(set)?;
    let list = match path {
        Some(path) => scenarios::read(path)?,
        None => scenarios::shipped().map_err(AppError::from)?,
    };
    let mut ran = Vec::with_capacity(list.len());
    for (id, scenario) in &list {
        // A set that a scenario does not fit is a gap, and gaps never block.
        match scenarios::run(id, scenario, Trying { set: &set, banned: &[], backend: None, stop: None }) {
            Ok(one) => ran.push(one),
            Err(error) => complain(&format!("{id}: {error}")),
        }
    }
    let coverage = scenarios::coverage(&set, &ran)?;
    if out.json() {
        out.event("coverage", &coverage);
        return Ok(ExitCode::SUCCESS);
    }
    for gap in &coverage.gaps {
        match gap {
            Gap::File { file } => out.line(&format!("{file}: never rendered")),
            Gap::Side { file, line, column, condition, holds } => {
                let side = if *holds { "never holds" } else { "always holds" };
                out.line(&format!("{file}:{line}:{column}: {{{{#if {condition}}}}} {side}"));
            }
        }
    }
    if !coverage.gaps.is_empty() {
        out.line("");
    }
    let share = 100.0 * coverage.sides_taken as f64 / coverage.sides.max(1) as f64;
    out.line(&format!("{} of {} files rendered", coverage.files_taken, coverage.files));
    out.line(&format!(
        "{} of {} sides of {} conditions taken ({share:.1} %), {} scenarios",
        coverage.sides_taken,
        coverage.sides,
        coverage.conditions,
        list.len()
    ));
    Ok(ExitCode::SUCCESS)
}
