//! Linting what lies on the disk or in a set: the linter's rules, and whether every file can be used at all.

use std::path::Path;

use calm_prompts::front::front;
use calm_prompts::lint::{self, Document, Finding, Linter, Options, Rule, Severity, Surface};
use calm_prompts::{PromptSet, is_prompt_file};

use super::usable;

use crate::prompt_folder::{self, FolderError};

/// What was found, each with the line it is about.
#[derive(Debug, Clone, Default)]
pub struct Linted {
    pub files: usize,
    pub findings: Vec<Shown>,
}

#[derive(Debug, Clone)]
pub struct Shown {
    pub finding: Finding,
    /// The line of the file.
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
    findings.extend(usable::mistakes(set));
    let files = documents.len();
    // What Calm says by itself is judged as a reply, line by line.
    let spoken = set.spoken().map(|(path, text)| Document { path, text }).collect::<Vec<_>>();
    for document in &spoken {
        findings.extend(said_in(&linter, document));
    }
    let all: Vec<Document<'_>> = documents.into_iter().chain(spoken).collect();
    Linted { files, ..shown(findings, &all) }
}

/// The guide's phrases, practices and notes: what a person hears or a model passes on.
fn said_in(linter: &Linter, document: &Document<'_>) -> Vec<Finding> {
    let language = document.path.split('/').nth(1).and_then(lint::Lang::from_code);
    let language = language.unwrap_or_else(|| lint::Lang::detect(document.text));
    let mut findings = Vec::new();
    for (number, line) in (1..).zip(document.text.lines()) {
        let start = if document.path.ends_with(".toml") { line.find('"').map_or(line.len(), |at| at + 1) } else { 0 };
        let text = line.get(start..).unwrap_or_default().trim_end_matches([',', '"', ' ']);
        if text.is_empty() || line.trim_start().starts_with('#') && start > 0 {
            continue;
        }
        let before = line.get(..start).unwrap_or_default().chars().count();
        findings.extend(linter.reply(text, language, &[]).into_iter().map(|it| Finding {
            file: document.path.to_owned(),
            line: number,
            column: it.column + u32::try_from(before).unwrap_or_default(),
            ..it
        }));
    }
    findings
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
    findings.extend(usable::mistakes_of(document));
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

pub(super) fn shown(mut findings: Vec<Finding>, documents: &[Document<'_>]) -> Linted {
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
