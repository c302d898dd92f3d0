//! Whether a set can be used at all: every file reads, every prompt renders, every move has its words.
//!
//! A session must never be the first to find out.

use std::collections::BTreeSet;

use calm_core::turn::MOVE_KEYS;
use calm_prompts::envelope::{AssemblyError, ENVELOPES, Sources, Surroundings};
use calm_prompts::front::front;
use calm_prompts::lint::{Document, Finding, Lang, Rule, Severity};
use calm_prompts::template::{Dialect, Library, TemplateError};
use calm_prompts::{Both, ONLY_VARIANT, PromptSet, SetError};
use serde_json::json;

/// Words of the conductor's own that every phrase may use.
const EVERYWHERE: &str = "helplines";

/// What would fail when a session needs it.
pub(super) fn mistakes(set: &PromptSet) -> Vec<Finding> {
    let mut findings = Vec::new();
    let variants = set.variants().iter().map(|variant| variant.id.as_str()).filter(|id| *id != ONLY_VARIANT);
    for variant in std::iter::once(ONLY_VARIANT).chain(variants) {
        let Ok(set) = set.variant(variant) else { continue };
        let languages = set.languages();
        for language in &languages {
            findings.extend(set.library(language).errors().map(template));
            if findings.is_empty() {
                findings.extend(rendered(&set, language));
            }
        }
        if set.files().keys().any(|path| path.starts_with("guide/")) {
            for language in &languages {
                findings.extend(words(&set, language));
            }
        }
    }
    findings.extend(helplines(set));
    findings.sort_by(|a, b| (&a.file, a.line, a.column).cmp(&(&b.file, b.line, b.column)));
    findings.dedup();
    findings
}

/// A file by itself: what it includes is not looked for.
pub(super) fn mistakes_of(document: Document<'_>) -> Vec<Finding> {
    let head = match front(document.path, document.text) {
        Ok(head) => head,
        Err(error) => return vec![template(&error)],
    };
    let mut library = Library::default();
    library.add(document.path, document.path, document.text, head.end, Dialect::Prompt);
    library.errors().map(template).collect()
}

/// Every kind of talk, in every envelope, with nothing known about anybody.
fn rendered(set: &PromptSet, language: &str) -> Vec<Finding> {
    let mut findings = Vec::new();
    for code in ENVELOPES {
        let assembly = match set.assembly(language, code) {
            Ok(assembly) => assembly,
            Err(error) => {
                findings.push(file(&error));
                continue;
            }
        };
        findings.extend(assembly.envelope().errors().map(template));
        for (kind, format) in
            ["check-in", "check-out"].iter().flat_map(|kind| ["short", "medium", "unlimited"].map(|f| (kind, f)))
        {
            let context = json!({"session": {"type": kind, "format": format}});
            let base = match assembly.base(&context, None) {
                Ok(base) => base,
                Err(error) => {
                    findings.push(template(&error));
                    continue;
                }
            };
            for sources in [Sources::Knowledge(Vec::new()), Sources::default()] {
                let name = if matches!(sources, Sources::Knowledge(_)) { "regular" } else { "plain" };
                let path = format!("envelope/{code}/{name}.md");
                let around = Surroundings { sources, ..Surroundings::default() };
                match assembly.messages(&context, &around) {
                    Ok(messages) if messages.iter().any(|it| it.content.contains(&base)) => {}
                    Ok(_) => {
                        let problem = both("в ней нет места для самого промпта", "the base prompt has no place in it");
                        let hint = both(
                            "поставь {baseSystemPrompt} на отдельную строку",
                            "put {baseSystemPrompt} on a line of its own",
                        );
                        findings.push(finding(&path, 1, 1, problem, hint));
                    }
                    Err(AssemblyError::Template(error)) => findings.push(template(&error)),
                    Err(error @ AssemblyError::TooLong { .. }) => {
                        let problem = both(error.told(Lang::Ru), error.told(Lang::En));
                        findings.push(finding(&path, 1, 1, problem, both("скажи короче", "say it in fewer words")));
                    }
                }
            }
        }
    }
    findings
}

/// Numbers that people call in need are checked against their sources, and not edited on the side (SPEC H6).
fn helplines(set: &PromptSet) -> Option<Finding> {
    const FILE: &str = "helplines.toml";
    let shipped = PromptSet::shipped();
    let theirs = set.files().get(FILE)?;
    let changed = set.identity().set == shipped.identity().set && shipped.files().get(FILE) != Some(theirs);
    let problem = both(
        "телефоны помощи сверены с источниками, здесь их не правят",
        "helplines are verified with their sources and cannot be edited here",
    );
    let hint = both("убери этот файл из правок", "take this file out of the edits");
    changed.then(|| finding(FILE, 1, 1, problem, hint))
}

/// The guide needs every move worded, and its practices and helplines.
fn words(set: &PromptSet, language: &str) -> Vec<Finding> {
    let mut findings: Vec<Finding> = Vec::new();
    match set.phrases(language) {
        Ok(phrases) => {
            let worded: Vec<&str> = phrases.keys().collect();
            for key in MOVE_KEYS.iter().map(|kind| kind.key).filter(|key| !worded.contains(key)) {
                let problem = both(format!("нет слов для хода {key}"), format!("no wording for the move {key}"));
                let hint = both("добавь их в один из файлов", "add it to one of the files");
                findings.push(finding(&format!("guide/{language}/"), 1, 1, problem, hint));
            }
            for kind in MOVE_KEYS {
                let known: BTreeSet<&str> =
                    kind.always.iter().chain(kind.perhaps).copied().chain([EVERYWHERE]).collect();
                for slot in phrases.slots(kind.key).into_iter().filter(|slot| !known.contains(slot)) {
                    let key = kind.key;
                    let problem =
                        both(format!("у хода {key} нет {{{slot}}}"), format!("the move {key} has no {{{slot}}}"));
                    let hint = both("бери места этого хода", "use the slots of the move");
                    findings.push(finding(&format!("guide/{language}/"), 1, 1, problem, hint));
                }
            }
        }
        Err(error) => findings.push(file(&error)),
    }
    findings.extend(set.practices(language).err().map(|error| file(&error)));
    findings.extend(set.helplines().err().map(|error| file(&error)));
    findings
}

fn template(error: &TemplateError) -> Finding {
    let hint = error.hint.as_deref().cloned().unwrap_or_else(|| Both::same(""));
    finding(&error.file, error.line, error.column, error.problem.clone(), hint)
}

pub(super) fn file(error: &SetError) -> Finding {
    let (name, line, problem) = match error {
        SetError::Template(error) => return template(error),
        SetError::Missing { file } => (file.as_str(), 1, both("файла нет", "is missing")),
        SetError::Invalid { file, line, problem } => (file.as_str(), *line, Both::same(problem)),
        SetError::NoVariant { id } => ("manifest.toml", 1, both(format!("варианта {id} нет"), error.to_string())),
    };
    finding(
        name,
        u32::try_from(line).unwrap_or(u32::MAX),
        1,
        problem,
        both("его вид описан в prompts/README.md", "see prompts/README.md for its form"),
    )
}

pub(super) fn finding(file: &str, line: u32, column: u32, message: Both, hint: Both) -> Finding {
    Finding {
        rule: Rule::BrokenFile,
        severity: Severity::HardFail,
        file: file.to_owned(),
        line,
        column,
        length: 1,
        message,
        hint,
    }
}

pub(super) fn both(ru: impl Into<String>, en: impl Into<String>) -> Both {
    Both { ru: ru.into(), en: en.into() }
}
