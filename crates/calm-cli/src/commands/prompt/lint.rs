//! `calm prompt lint`: what is wrong, where, and what to do; exit code 1 on a hard fail.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use calm_app::banned::read_sheet;
use calm_app::prompting::{Draft, Linted, lint_paths, lint_set};
use calm_app::prompts::PromptSet;
use calm_app::prompts::lint::{self, Severity, Surface, for_people};
use calm_app::{AppError, Lang, prompt_folder};
use serde_json::json;

use super::super::House;
use crate::bilingual::Noun;
use crate::failure::Failure;
use crate::output::Output;

pub fn run(
    house: &House,
    paths: &[PathBuf],
    surface: Surface,
    sheet: Option<&Path>,
    out: &Output,
) -> Result<ExitCode, Failure> {
    let mut banned = house.existing()?.map(|mut it| it.banned_words()).transpose()?.unwrap_or_default();
    if let Some(sheet) = sheet {
        let text = prompt_folder::read_file(sheet)?;
        banned.extend(read_sheet(&sheet.display().to_string(), &text)?);
    }
    let linted = if paths.is_empty() {
        let draft = Draft::read(&house.paths()?.data).map_err(AppError::from)?;
        lint_set(&draft.map_or_else(PromptSet::shipped, |draft| draft.set), &banned)
    } else {
        lint_paths(paths, surface, &banned)?
    };
    show(&linted, house.lang(), out);
    Ok(if linted.count(Severity::HardFail) == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

pub fn show(linted: &Linted, lang: Lang, out: &Output) {
    let words = lint::Lang::from_code(lang.code()).unwrap_or(lint::Lang::En);
    let count = |severity| linted.count(severity);
    let (hard, warn, info) = (count(Severity::HardFail), count(Severity::Warn), count(Severity::Info));
    if out.json() {
        for shown in &linted.findings {
            out.event("finding", &shown.finding.told(words));
        }
        out.event("lint_summary", &json!({"hard_fail": hard, "warn": warn, "info": info}));
        return;
    }
    for shown in &linted.findings {
        out.line(for_people(&shown.finding, &shown.line, words).trim_end());
        out.line("");
    }
    let counts = [(linted.files, FILE), (hard, HARD_FAIL), (warn, WARNING), (info, NOTE)];
    let [files, hard, warn, info] = counts.map(|(count, noun)| noun.counted(count, lang));
    out.line(&format!("{files}: {hard}, {warn}, {info}"));
}

pub const FILE: Noun = Noun::new(["файл", "файла", "файлов"], ["file", "files"]);
const HARD_FAIL: Noun = Noun::new(["ошибка", "ошибки", "ошибок"], ["hard fail", "hard fails"]);
const WARNING: Noun = Noun::new(["предупреждение", "предупреждения", "предупреждений"], ["warning", "warnings"]);
const NOTE: Noun = Noun::new(["заметка", "заметки", "заметок"], ["note", "notes"]);
