//! Linting what lies on the disk or in a set: the linter's rules, and whether every file can be used at all.

use std::path::Path;

use calm_core::turn::MOVE_KEYS;
use calm_prompts::front::front;
use calm_prompts::lint::{Document, Finding, Linter, Options, Rule, Severity, Surface};
use calm_prompts::template::TemplateError;
use calm_prompts::{ONLY_VARIANT, PromptSet, SetError, is_prompt_file};
use serde::Serialize;

use crate::prompt_folder::{self, FolderError};

/// What was found, each with the line it is about.
#[derive(Debug, Clone, Default)]
pub struct Linted {
    pub files: usize,
    pub findings: Vec<Shown>,
}

#[derive(Debug, Clone, Serialize)]
pub struct Shown {
    #[serde(flatten)]
    pub finding: Finding,
    /// The line of the file.
    #[serde(skip)]
    pub line: String,
}

impl Linted {
    pub fn count(&self, severity: Severity) -> usize {
        self.findings.iter().filter(|it| it.finding.severity == severity).count()
    }
}

/// Lints a whole set, each of its languages.
pub fn lint_set(set: &PromptSet, banned: &[String]) -> Linted {
    let documents: Vec<Document<'_>> = set.documents().map(|(path, text)| Document { path, text }).collect();
    let linter = Linter::new(&Options { surface: Surface::Window, banned: banned.to_vec() });
    let mut findings = linter.set(&documents);
    findings.extend(broken(set));
    shown(findings, &documents)
}

/// Lints files and folders. A folder with a root template is a set, any other is so many prompts of their own.
///
/// # Errors
/// A path cannot be read as text.
pub fn lint_paths<P: AsRef<Path>>(paths: &[P], surface: Surface, banned: &[String]) -> Result<Linted, FolderError> {
    let linter = Linter::new(&Options { surface, banned: banned.to_vec() });
    let mut all = Linted::default();
    for path in paths.iter().map(AsRef::as_ref) {
        let name = path.display().to_string();
        if !path.is_dir() {
            let text = prompt_folder::read_file(path)?;
            all.add(alone(&linter, Document { path: &name, text: &text }));
            continue;
        }
        let files = prompt_folder::read(path, |name| {
            name.ends_with(".md") || name.ends_with(".txt") || name.ends_with(".toml")
        })?;
        let mut of_a_set = files.clone();
        of_a_set.retain(|file, _| is_prompt_file(file));
        let whole = PromptSet::unversioned(&name, of_a_set).ok().filter(PromptSet::has_root);
        if let Some(set) = whole {
            let mut linted = lint_set(&set, banned);
            for it in &mut linted.findings {
                it.finding.file = format!("{}/{}", name.trim_end_matches('/'), it.finding.file);
            }
            all.add(linted);
            continue;
        }
        for (file, text) in files.iter().filter(|(file, _)| !file.ends_with(".toml") && !file.ends_with("README.md")) {
            let path = format!("{}/{file}", name.trim_end_matches('/'));
            all.add(alone(&linter, Document { path: &path, text }));
        }
    }
    Ok(all)
}

/// A file by itself. One whose head says that it is a part of a set need not hold what the whole needs.
fn alone(linter: &Linter, document: Document<'_>) -> Linted {
    let mut findings = linter.prompt(&document);
    let head = front(document.path, document.text).unwrap_or_default();
    if head.get("id").is_some_and(|id| id.contains('/') || id == "tools") {
        findings.retain(|finding| finding.rule != Rule::MissingSection);
    }
    shown(findings, &[document])
}

impl Linted {
    fn add(&mut self, other: Linted) {
        self.files += other.files;
        self.findings.extend(other.findings);
    }
}

fn shown(mut findings: Vec<Finding>, documents: &[Document<'_>]) -> Linted {
    findings
        .sort_by(|a, b| (&a.file, a.line, a.column, a.rule.name()).cmp(&(&b.file, b.line, b.column, b.rule.name())));
    let line_of = |finding: &Finding| {
        let document = documents.iter().find(|it| it.path == finding.file)?;
        document.text.lines().nth(usize::try_from(finding.line).ok()?.checked_sub(1)?)
    };
    let findings =
        findings.into_iter().map(|finding| Shown { line: line_of(&finding).unwrap_or_default().to_owned(), finding });
    Linted { files: documents.len(), findings: findings.collect() }
}

/// What would fail when a session needs it.
fn broken(set: &PromptSet) -> Vec<Finding> {
    let mut findings = Vec::new();
    let variants = set.variants().iter().map(|variant| variant.id.as_str()).filter(|id| *id != ONLY_VARIANT);
    for variant in std::iter::once(ONLY_VARIANT).chain(variants) {
        let Ok(set) = set.variant(variant) else { continue };
        let languages = set.languages();
        let languages = if languages.is_empty() { vec!["en".to_owned()] } else { languages };
        for language in &languages {
            findings.extend(set.library(language).errors().map(template));
        }
        for envelope in ["ru", "en", "es", "id"] {
            match set.assembly("en", envelope) {
                Ok(assembly) => findings.extend(assembly.envelope().errors().map(template)),
                Err(error) => findings.push(file(&error)),
            }
        }
        if set.files().keys().any(|path| path.starts_with("guide/")) {
            for language in &languages {
                findings.extend(words(&set, language));
            }
        }
    }
    findings.sort_by(|a, b| (&a.file, a.line, a.column).cmp(&(&b.file, b.line, b.column)));
    findings.dedup();
    findings
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

fn file(error: &SetError) -> Finding {
    let (name, problem) = match error {
        SetError::Template(error) => return template(error),
        SetError::Missing { file } => (file.as_str(), "is missing".to_owned()),
        SetError::Invalid { file, problem } => (file.as_str(), problem.lines().next().unwrap_or_default().to_owned()),
        SetError::NoVariant { .. } => ("manifest.toml", error.to_string()),
    };
    finding(name, 1, 1, problem, "")
}

fn finding(file: &str, line: u32, column: u32, message: String, hint: &str) -> Finding {
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
