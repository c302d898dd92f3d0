//! Whether a set can be used at all: every file reads, every prompt renders, every move has its words.
//!
//! A session must never be the first to find out.

use std::collections::BTreeSet;

use calm_core::turn::MOVE_KEYS;
use calm_prompts::envelope::{AssemblyError, ENVELOPES, Sources, Surroundings};
use calm_prompts::front::front;
use calm_prompts::lint::{Document, Finding, Rule, Severity};
use calm_prompts::template::{Dialect, Library, TemplateError};
use calm_prompts::{ONLY_VARIANT, PromptSet, SetError};
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
                        let problem = "the base prompt has no place in it".to_owned();
                        findings.push(finding(&path, 1, 1, problem, "put {baseSystemPrompt} on a line of its own"));
                    }
                    Err(AssemblyError::Template(error)) => findings.push(template(&error)),
                    Err(error) => findings.push(finding(&path, 1, 1, error.to_string(), "say it in fewer words")),
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
    let problem = "helplines are verified with their sources and cannot be edited here".to_owned();
    changed.then(|| finding(FILE, 1, 1, problem, "take this file out of the edits"))
}

/// The guide needs every move worded, and its practices and helplines.
fn words(set: &PromptSet, language: &str) -> Vec<Finding> {
    let mut findings: Vec<Finding> = Vec::new();
    match set.phrases(language) {
        Ok(phrases) => {
            let worded: Vec<&str> = phrases.keys().collect();
            for key in MOVE_KEYS.iter().map(|kind| kind.key).filter(|key| !worded.contains(key)) {
                let problem = format!("no wording for the move {key}");
                findings.push(finding(&format!("guide/{language}/"), 1, 1, problem, "add it to one of the files"));
            }
            for kind in MOVE_KEYS {
                let known: BTreeSet<&str> =
                    kind.always.iter().chain(kind.perhaps).copied().chain([EVERYWHERE]).collect();
                for slot in phrases.slots(kind.key).into_iter().filter(|slot| !known.contains(slot)) {
                    let problem = format!("the move {} has no {{{slot}}}", kind.key);
                    findings.push(finding(&format!("guide/{language}/"), 1, 1, problem, "use the slots of the move"));
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
    let hint = error.hint.clone().unwrap_or_default();
    finding(&error.file, error.line, error.column, error.problem.clone(), &hint)
}

pub(super) fn file(error: &SetError) -> Finding {
    let (name, line, problem) = match error {
        SetError::Template(error) => return template(error),
        SetError::Missing { file } => (file.as_str(), 1, "is missing".to_owned()),
        SetError::Invalid { file, line, problem } => (file.as_str(), *line, problem.clone()),
        SetError::NoVariant { .. } => ("manifest.toml", 1, error.to_string()),
    };
    finding(name, u32::try_from(line).unwrap_or(u32::MAX), 1, problem, "see prompts/README.md for its form")
}

pub(super) fn finding(file: &str, line: u32, column: u32, message: String, hint: &str) -> Finding {
    Finding {
        rule: Rule::BrokenFile,
        severity: Severity::HardFail,
        file: file.to_owned(),
        line,
        column,
        length: 1,
        message,
        hint: hint.to_owned(),
    }
}
