//! The parsed files that can include each other.

use crate::both::both;
use std::collections::BTreeMap;

use super::check;
use super::error::{Mistake, TemplateError, closest, place};
use super::parse::{Dialect, parse};
use super::syntax::{Include, Node, Template};

#[derive(Debug, Clone, Default)]
pub struct Library {
    files: BTreeMap<String, File>,
}

#[derive(Debug, Clone)]
pub(super) struct File {
    /// As errors name it.
    pub shown: String,
    pub source: String,
    pub template: Template,
    /// A file with mistakes is not rendered.
    pub errors: Vec<TemplateError>,
}

/// An `{{#if}}` of a library.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Condition {
    /// As errors name it.
    pub file: String,
    /// Bytes from the start of the file; with `file` it tells the condition from all others.
    pub offset: usize,
    pub line: u32,
    pub column: u32,
    pub text: String,
}

impl Library {
    /// Parses a file. `path` is what an include writes, `shown` what an error names, `start` where the template
    /// begins in `source`. Mistakes are kept with the file.
    pub fn add(&mut self, path: &str, shown: &str, source: &str, start: usize, dialect: Dialect<'_>) {
        let (template, errors) = match parse(shown, source, start, dialect) {
            Ok(template) => {
                let mistakes = check::check(&template);
                (template, mistakes.into_iter().map(|mistake| mistake.at(shown, source)).collect())
            }
            Err(error) => (Template { nodes: vec![] }, vec![error]),
        };
        let file = File { shown: shown.to_owned(), source: source.to_owned(), template, errors };
        self.files.insert(path.to_owned(), file);
    }

    /// A file that is wrong before its template begins.
    pub(crate) fn reject(&mut self, path: &str, error: TemplateError) {
        if let Some(file) = self.files.get_mut(path) {
            file.errors.insert(0, error);
        }
    }

    /// Looks where the includes lead, once every file is there.
    pub fn link(&mut self) {
        let mut found: Vec<(String, Mistake)> = Vec::new();
        let mut edges: BTreeMap<&str, Vec<(&str, &Include)>> = BTreeMap::new();
        for (path, file) in &self.files {
            file.template.walk(&mut |node| {
                let Node::Include(include) = node else { return };
                let mut is_whole = true;
                for target in check::targets(include).unwrap_or_default() {
                    match self.files.get_key_value(&target) {
                        Some((target, _)) => edges.entry(path).or_default().push((target, include)),
                        // One mistake for one include.
                        None if !is_whole || found.len() >= check::MOST_MISTAKES => {}
                        None => {
                            found.push((path.clone(), self.missing(&target, include.offset)));
                            is_whole = false;
                        }
                    }
                }
            });
        }
        found.extend(cycles(&edges));
        for (path, mistake) in found {
            if let Some(file) = self.files.get_mut(&path)
                && file.errors.len() < check::MOST_MISTAKES
            {
                file.errors.push(mistake.at(&file.shown, &file.source));
            }
        }
        for file in self.files.values_mut() {
            file.errors.sort_by_key(|error| (error.line, error.column));
        }
    }

    pub(super) fn missing(&self, path: &str, offset: usize) -> Mistake {
        let shown: String = path.chars().take(80).collect();
        let mistake = Mistake::new(
            offset,
            both!("файла {shown} в этом наборе нет", "there is no file {shown} in this prompt set"),
        );
        match closest(path, self.files.keys().map(String::as_str)) {
            Some(near) => mistake.hint(both!("может быть, {near}?", "did you mean {near}?")),
            None => mistake,
        }
    }

    pub(super) fn get(&self, path: &str) -> Option<(&str, &File)> {
        self.files.get_key_value(path).map(|(path, file)| (path.as_str(), file))
    }

    /// Every file, as errors name it.
    pub fn files(&self) -> impl Iterator<Item = &str> {
        self.files.values().map(|file| file.shown.as_str())
    }

    /// Every mistake of every file.
    pub fn errors(&self) -> impl Iterator<Item = &TemplateError> {
        self.files.values().flat_map(|file| &file.errors)
    }

    /// Every `{{#if}}` of every file.
    pub fn conditions(&self) -> Vec<Condition> {
        let mut conditions = Vec::new();
        for file in self.files.values() {
            file.template.walk(&mut |node| {
                if let Node::If(branch) = node {
                    let (line, column) = place(&file.source, branch.offset);
                    conditions.push(Condition {
                        file: file.shown.clone(),
                        offset: branch.offset,
                        line,
                        column,
                        text: branch.condition.to_string(),
                    });
                }
            });
        }
        conditions
    }
}

/// Every include that leads back to a file that it is reached from.
fn cycles(edges: &BTreeMap<&str, Vec<(&str, &Include)>>) -> Vec<(String, Mistake)> {
    let mut found = Vec::new();
    let mut done: BTreeMap<&str, bool> = BTreeMap::new();
    for start in edges.keys() {
        // A path through the graph and, at each of its files, the next include to follow.
        let mut trail: Vec<(&str, usize)> = vec![(start, 0)];
        while let Some((file, next)) = trail.last_mut() {
            let file = *file;
            let Some((target, include)) = edges.get(file).and_then(|includes| includes.get(*next)) else {
                done.insert(file, true);
                trail.pop();
                continue;
            };
            *next += 1;
            if let Some(at) = trail.iter().position(|(on_trail, _)| on_trail == target) {
                let ring = trail.iter().skip(at).map(|(file, _)| *file).chain([*target]);
                let ring = ring.collect::<Vec<_>>().join(" → ");
                found.push((
                    file.to_owned(),
                    Mistake::new(
                        include.offset,
                        both!("файлы включают друг друга: {ring}", "files include each other: {ring}"),
                    ),
                ));
            } else if !done.contains_key(target) {
                trail.push((target, 0));
            }
        }
    }
    found
}
