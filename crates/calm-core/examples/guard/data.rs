//! What the guard's model is learned from.

use std::fs;
use std::path::{Path, PathBuf};

use calm_core::guard::learned::{KINDS, features_of, is_russian};
use calm_core::linear::Feature;
use calm_core::{Lang, sentences};

use crate::corpus;

/// Where a sentence comes from; other sources are other writers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// Written for this, in `advice/`.
    Advice,
    /// The parts of `tests/guard` that are learned from.
    Corpus,
    /// Phrases of the guide and steps of the practices.
    Guide,
}

pub struct Line {
    pub text: String,
    /// By the order of [`KINDS`]; `None` may be said.
    pub kind: Option<usize>,
    pub source: Source,
    pub is_russian: bool,
    pub features: Vec<Feature>,
    /// Held out together: one manner of saying it, one file of phrases.
    pub family: String,
}

impl Line {
    fn new(text: &str, kind: Option<usize>, source: Source, family: &str) -> Line {
        let (text, family) = (text.to_owned(), family.to_owned());
        Line { kind, source, is_russian: is_russian(&text), features: features_of(&text), text, family }
    }
}

pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("advice")
}

/// Every sentence to learn from, in a fixed order.
pub fn to_learn() -> Result<Vec<Line>, String> {
    let mut lines = Vec::new();
    for lang in Lang::ALL {
        let path = folder().join(format!("{lang}.tsv"));
        for line in read(&path)?.lines().filter(|l| !l.trim().is_empty()) {
            lines.push(written(line).ok_or_else(|| format!("{}: {line}", path.display()))?);
        }
        for part in ["develop", "later"] {
            lines.extend(corpus(lang, part));
        }
        for kind in ["guide", "practices"] {
            lines.extend(said_by_calm(lang, kind)?);
        }
    }
    Ok(lines)
}

/// `label TAB family TAB sentence`.
fn written(line: &str) -> Option<Line> {
    let mut fields = line.splitn(3, '\t');
    let (label, family, text) = (fields.next()?, fields.next()?, fields.next()?);
    let kind = kind(label);
    (label == "good" || kind.is_some()).then(|| Line::new(text, kind, Source::Advice, family))
}

fn kind(label: &str) -> Option<usize> {
    KINDS.iter().position(|rule| rule.name() == label)
}

/// What is bad or good by itself; other rules and what depends on the sentence before are left out.
fn corpus(lang: Lang, part: &str) -> Vec<Line> {
    let mut lines = Vec::new();
    for (label, sentences) in corpus::read(lang, part).labelled() {
        let kind = kind(label);
        if label != "good" && kind.is_none() {
            continue;
        }
        let alone = sentences.iter().filter(|s| !s.contains(" // "));
        lines.extend(alone.map(|s| Line::new(s, kind, Source::Corpus, first_words(s).as_str())));
    }
    lines
}

fn first_words(text: &str) -> String {
    text.split_whitespace().take(2).collect::<Vec<_>>().join(" ").to_lowercase()
}

/// The texts of `prompts/`, sentence by sentence; each file is a family.
fn said_by_calm(lang: Lang, kind: &str) -> Result<Vec<Line>, String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../prompts/{kind}/{lang}"));
    let entries = fs::read_dir(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let mut paths: Vec<PathBuf> = entries.flatten().map(|e| e.path()).collect();
    paths.sort();
    let mut lines = Vec::new();
    for path in paths {
        let file: toml::Value = toml::from_str(&read(&path)?).map_err(|e| format!("{}: {e}", path.display()))?;
        let mut texts = Vec::new();
        collect(&file, &mut texts);
        let family = path.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
        let said = texts.iter().flat_map(|text| sentences::of(text));
        lines.extend(said.map(|s| Line::new(&s, None, Source::Guide, &family)));
    }
    Ok(lines)
}

fn collect(value: &toml::Value, texts: &mut Vec<String>) {
    match value {
        toml::Value::String(text) if text.contains(' ') => texts.push(text.clone()),
        toml::Value::Array(list) => list.iter().for_each(|v| collect(v, texts)),
        toml::Value::Table(table) => table.values().for_each(|v| collect(v, texts)),
        _ => {}
    }
}

fn read(path: &Path) -> Result<String, String> {
    fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))
}
