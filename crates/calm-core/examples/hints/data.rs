//! What the hints are learned from, and what they are tried on.

use std::fs;
use std::path::{Path, PathBuf};

use calm_core::Lang;
use calm_core::linear::Feature;
use calm_core::understand::{Distress, hints, normal};

use crate::corpus::{self, Part};

/// Where a line comes from; other sources are other writers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    Hints,
    Corpus(Part),
    /// A turn of a session or a scenario that is no crisis.
    Turn,
    File,
}

pub struct Line {
    pub text: String,
    pub kind: Option<Distress>,
    pub source: Source,
    /// Said in an ordinary check-in, with no wish to sound like a crisis.
    pub ordinary: bool,
    pub is_russian: bool,
    /// Of each window.
    pub windows: Vec<Vec<Feature>>,
    /// Twins that differ in their label begin alike, and may not be parted.
    pub group: String,
}

impl Line {
    pub fn new(text: &str, kind: Option<Distress>, source: Source, ordinary: bool) -> Line {
        let group: Vec<String> = text.split_whitespace().take(2).map(normal).collect();
        Line {
            kind,
            source,
            ordinary,
            is_russian: hints::is_russian(text),
            windows: hints::windows(text),
            group: group.join(" "),
            text: text.to_owned(),
        }
    }
}

pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("hints")
}

/// Every line to learn from, in a fixed order.
pub fn to_learn() -> Result<Vec<Line>, String> {
    let mut lines = Vec::new();
    for lang in Lang::ALL {
        let path = folder().join(format!("{lang}.tsv"));
        lines.extend(tsv(&read(&path)?).map_err(|line| format!("{}: {line}", path.display()))?);
        for part in [Part::Develop, Part::Check, Part::Crisis] {
            for path in corpus::toml_files(&corpus::folder(lang, part)) {
                lines.extend(utterances(&path, Source::Corpus(part))?);
            }
        }
    }
    lines.extend(turns()?);
    lines.retain(|l| !l.windows.is_empty());
    Ok(lines)
}

/// The turns of all sessions and scenarios in which nobody is in distress.
fn turns() -> Result<Vec<Line>, String> {
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/scenarios")];
    for lang in Lang::ALL {
        folders.extend([Part::Develop, Part::Check].map(|part| corpus::folder(lang, part).join("sessions")));
    }
    let mut lines = Vec::new();
    for path in folders.iter().flat_map(|f| corpus::toml_files(f)) {
        let session: toml::Value = toml::from_str(&read(&path)?).map_err(|e| format!("{}: {e}", path.display()))?;
        let says = |turn: &toml::Value| turn.get("say")?.as_str().map(str::to_owned);
        let turns = session.get("turn").and_then(toml::Value::as_array);
        let said: Vec<String> = turns.into_iter().flatten().filter_map(says).collect();
        if !is_crisis(&session) {
            lines.extend(said.iter().map(|text| Line::new(text, None, Source::Turn, true)));
        }
    }
    lines.retain(|l| !l.windows.is_empty());
    Ok(lines)
}

/// By what the session or the scenario should leave behind.
fn is_crisis(session: &toml::Value) -> bool {
    let Some(expected) = session.get("expect") else { return true };
    let flags = expected.get("flags").and_then(toml::Value::as_array);
    let flagged = flags.into_iter().flatten().any(|f| f.as_str() == Some("needs_attention"));
    flagged || expected.get("next_action").and_then(toml::Value::as_str) == Some("seek_support")
}

/// The lines of a corpus file; what is debatable is left out.
pub fn utterances(path: &Path, source: Source) -> Result<Vec<Line>, String> {
    let file: corpus::File = toml::from_str(&read(path)?).map_err(|e| format!("{}: {e}", path.display()))?;
    let name = path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    let hard = source == Source::Corpus(Part::Crisis)
        || ["crisis.toml", "not_crisis.toml", "not_distress.toml", "hard.toml"].contains(&name.as_str());
    let judged = file.utterance.iter().filter(|u| !u.open.iter().any(|o| o == "distress"));
    Ok(judged.map(|u| Line::new(&u.text, u.distress.as_deref().and_then(kind), source, !hard)).collect())
}

fn tsv(text: &str) -> Result<Vec<Line>, String> {
    let line = |line: &str| {
        let (label, text) = line.split_once('\t')?;
        let known = label == "none" || kind(label).is_some();
        known.then(|| Line::new(text, kind(label), Source::Hints, false))
    };
    text.lines().filter(|l| !l.trim().is_empty()).map(|l| line(l).ok_or(l.to_owned())).collect()
}

fn kind(name: &str) -> Option<Distress> {
    Distress::ALL.iter().copied().find(|d| d.name() == name)
}

fn read(path: &Path) -> Result<String, String> {
    fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))
}
