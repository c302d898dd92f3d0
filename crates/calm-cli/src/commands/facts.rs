//! `calm facts`: the user's facts, of which the section "## Active facts" goes into every prompt.

use std::io::Read;
use std::path::Path;
use std::process::ExitCode;

use calm_app::facts::{self, Kept};
use calm_app::prompt_folder;
use serde_json::{Value, json};

use super::House;
use crate::args::FactsAction;
use crate::failure::Failure;
use crate::output::Output;

/// Of a text on standard input, in bytes; as for a file.
const LARGEST: u64 = 1024 * 1024;

pub fn run(house: &House, action: Option<FactsAction>, out: &Output) -> Result<ExitCode, Failure> {
    match action.unwrap_or(FactsAction::Show) {
        FactsAction::Show => {
            let kept = house.existing()?.map(|mut conductor| conductor.facts()).transpose()?.flatten();
            show(kept.as_ref(), out);
        }
        FactsAction::Set { file } => {
            let markdown = if file == Path::new("-") { standard_input()? } else { prompt_folder::read_file(&file)? };
            facts::check(&markdown)?;
            let mut conductor = house.quiet()?;
            conductor.set_facts(&markdown)?;
            show(conductor.facts()?.as_ref(), out);
        }
        FactsAction::Clear => {
            if let Some(mut conductor) = house.existing()? {
                conductor.clear_facts()?;
            }
            show(None, out);
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn standard_input() -> Result<String, Failure> {
    let mut bytes = Vec::new();
    let read = std::io::stdin().take(LARGEST + 1).read_to_end(&mut bytes);
    read.map_err(|error| Failure::bad_input(format!("standard input: {error}")))?;
    if bytes.len() as u64 > LARGEST {
        return Err(Failure::bad_input("standard input is larger than 1 MB"));
    }
    String::from_utf8(bytes)
        .map_err(|e| Failure::bad_input(format!("standard input, byte {}: not UTF-8", e.utf8_error().valid_up_to())))
}

fn show(kept: Option<&Kept>, out: &Output) {
    if out.json() {
        let warnings = kept.and_then(|kept| kept.active.as_ref()).map(|active| json!(active.warnings));
        out.event(
            "facts",
            &json!({"markdown": kept.map(|kept| &kept.markdown),
                "active": kept.and_then(|kept| kept.active.as_ref()).map(|active| &active.text),
                "characters": kept.and_then(|kept| kept.active.as_ref()).map_or(0, |active| active.characters),
                "warnings": warnings.unwrap_or(Value::Array(vec![])),
                "could_move": kept.map_or(0, |kept| kept.could_move.len()),
            }),
        );
        return;
    }
    let Some(kept) = kept else {
        out.line("no facts kept: write a markdown file with a section “## Active facts”, then `calm facts set FILE`");
        return;
    };
    let Some(active) = &kept.active else {
        out.line("kept, but nothing goes into prompts: there is no section “## Active facts” with text in it");
        return;
    };
    out.line(&active.text);
    out.line("");
    out.line(&format!("{} characters go into every prompt", active.characters));
    if !active.warnings.is_empty() {
        out.line("soft_limit_exceeded: more than 8000 characters crowd out the talk");
        out.line("these could become answers in the knowledge, `calm knowledge answer --question … --answer …`:");
        for fact in &kept.could_move {
            out.line(&format!("    {}", fact.question.as_deref().unwrap_or_default()));
        }
    }
}
