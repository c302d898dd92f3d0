//! `calm facts`: the user's facts, of which the section "## Active facts" goes into every prompt.

use std::io::Read;
use std::path::Path;
use std::process::ExitCode;

use calm_app::facts::{self, Kept};
use calm_app::{Lang, prompt_folder};
use serde_json::{Value, json};

use super::House;
use super::data::traces;
use crate::args::FactsAction;
use crate::bilingual::{Both, CHARACTER, both, say};
use crate::errors;
use crate::failure::Failure;
use crate::output::Output;

/// Of a text on standard input, in bytes; as for a file.
const LARGEST: u64 = 1024 * 1024;

pub fn run(house: &House, action: Option<FactsAction>, out: &Output) -> Result<ExitCode, Failure> {
    match action.unwrap_or(FactsAction::Show) {
        FactsAction::Show => {
            let kept = house.existing()?.map(|mut conductor| conductor.facts()).transpose()?.flatten();
            show(kept.as_ref(), house.lang(), out);
        }
        FactsAction::Set { file } => {
            let markdown = if file == Path::new("-") { standard_input()? } else { prompt_folder::read_file(&file)? };
            facts::check(&markdown)?;
            let mut conductor = house.quiet()?;
            let left = conductor.set_facts(&markdown)?;
            show(conductor.facts()?.as_ref(), house.lang(), out);
            traces(left.as_deref(), house.lang(), out);
        }
        FactsAction::Clear => {
            let left = house.existing()?.map(|mut conductor| conductor.clear_facts()).transpose()?.flatten();
            show(None, house.lang(), out);
            traces(left.as_deref(), house.lang(), out);
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn standard_input() -> Result<String, Failure> {
    let mut bytes = Vec::new();
    let read = std::io::stdin().take(LARGEST + 1).read_to_end(&mut bytes);
    read.map_err(|error| {
        let why = errors::system(&error);
        Failure::bad_input(Both {
            ru: format!("вход не читается: {why}"), en: format!("standard input: {error}")
        })
    })?;
    if bytes.len() as u64 > LARGEST {
        return Err(Failure::bad_input(both!("на входе больше 1 МБ", "standard input is larger than 1 MB")));
    }
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        Failure::bad_input(both!("на входе, байт {at}: это не текст в UTF-8", "standard input, byte {at}: not UTF-8"))
    })
}

fn show(kept: Option<&Kept>, lang: Lang, out: &Output) {
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
        out.line(&say!(
            lang,
            "фактов пока нет: запиши их в раздел «## Активные факты» файла md, и `calm facts set FILE`",
            "no facts kept: write a markdown file with a section “## Active facts”, then `calm facts set FILE`"
        ));
        return;
    };
    let Some(active) = &kept.active else {
        out.line(&say!(
            lang,
            "сохранено, но в разговор ничего не идёт: раздел «## Активные факты» пуст, или его нет",
            "kept, but nothing goes into prompts: there is no section “## Active facts” with text in it"
        ));
        return;
    };
    out.line(&active.text);
    out.line("");
    let characters = CHARACTER.counted(active.characters, lang);
    out.line(&say!(lang, "в каждый разговор идёт {characters}", "{characters} go into every prompt"));
    if !active.warnings.is_empty() {
        out.line(&say!(
            lang,
            "soft_limit_exceeded: больше 8000 знаков вытесняют сам разговор",
            "soft_limit_exceeded: more than 8000 characters crowd out the talk"
        ));
        out.line(&say!(
            lang,
            "эти факты могли бы стать ответами в знаниях, `calm knowledge answer --question … --answer …`:",
            "these could become answers in the knowledge, `calm knowledge answer --question … --answer …`:"
        ));
        for fact in &kept.could_move {
            out.line(&format!("    {}", fact.question.as_deref().unwrap_or_default()));
        }
    }
}
