//! `calm prompt banned`: terms that neither prompts nor replies should use.

use std::process::ExitCode;

use calm_app::{banned, prompt_folder};
use serde_json::json;

use super::super::House;
use super::super::data::traces;
use crate::args::BannedAction;
use crate::bilingual::both;
use crate::failure::Failure;
use crate::output::Output;

pub fn run(house: &House, action: Option<&BannedAction>, out: &Output) -> Result<ExitCode, Failure> {
    match action.unwrap_or(&BannedAction::List) {
        BannedAction::List => {}
        BannedAction::Add { term } => {
            banned::check(term)?;
            house.quiet()?.ban(term)?;
        }
        BannedAction::Import { file } => {
            let text = prompt_folder::read_file(file)?;
            let terms = banned::read_sheet(&file.display().to_string(), &text)?;
            let left = house.quiet()?.ban_sheet(&terms)?;
            traces(left.as_deref(), house.lang(), out);
        }
        BannedAction::Remove { number } => {
            let missing = || Failure::bad_input(both!("фразы под номером {number} нет", "there is no term {number}"));
            let left = house.existing()?.ok_or_else(missing)?.unban(*number)?;
            traces(left.as_deref(), house.lang(), out);
        }
    }
    for it in house.existing()?.map(|mut it| it.banned()).transpose()?.unwrap_or_default() {
        if out.json() {
            out.event("banned_term", &json!({"id": it.id, "term": it.term, "source": it.source}));
        } else {
            out.line(&format!("{:>4}  {}", it.id, it.term));
        }
    }
    Ok(ExitCode::SUCCESS)
}
