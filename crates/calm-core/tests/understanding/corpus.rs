//! The labelled utterances: one TOML file each theme, strictly read.
//!
//! The world is closed: what is not labelled must not be read, and what is debatable is `open`.

use std::fs;
use std::path::{Path, PathBuf};

use calm_core::{Kind, Lang, Question};
use serde::Deserialize;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct File {
    #[serde(default)]
    pub utterance: Vec<Utterance>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Utterance {
    pub text: String,
    #[serde(deserialize_with = "known_kind")]
    pub kind: Option<Kind>,
    #[serde(default)]
    pub asked: Option<Question>,
    /// Attributes that are not judged.
    #[serde(default)]
    pub open: Vec<String>,
    #[serde(default)]
    pub readiness: Option<u8>,
    #[serde(default)]
    pub stress: Option<u8>,
    #[serde(default)]
    pub energy: Option<u8>,
    #[serde(default)]
    pub regret: Option<u8>,
    #[serde(default)]
    pub satisfaction: Option<u8>,
    #[serde(default)]
    pub ready: Option<bool>,
    #[serde(default)]
    pub sleep: Option<String>,
    #[serde(default)]
    pub feeling: Option<OneOf>,
    #[serde(default)]
    pub stressor: Option<String>,
    #[serde(default)]
    pub plan: Option<String>,
    #[serde(default)]
    pub risk_appetite: Option<String>,
    #[serde(default)]
    pub result: Option<String>,
    #[serde(default)]
    pub past_result: Option<String>,
    #[serde(default)]
    pub size: Option<String>,
    #[serde(default)]
    pub amount: Option<String>,
    #[serde(default)]
    pub plan_adherence: Option<String>,
    #[serde(default)]
    pub learning: Option<String>,
    #[serde(default)]
    pub signs: Vec<String>,
    #[serde(default)]
    pub intents: Vec<String>,
    #[serde(default)]
    pub answer: Option<String>,
    #[serde(default)]
    pub distress: Option<String>,
}

/// One label, or several of which any is right.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub enum OneOf {
    One(String),
    Any(Vec<String>),
}

impl OneOf {
    pub fn names(&self) -> Vec<&str> {
        match self {
            OneOf::One(name) if name == "none" => Vec::new(),
            OneOf::One(name) => vec![name],
            OneOf::Any(names) => names.iter().map(String::as_str).collect(),
        }
    }
}

impl Utterance {
    pub fn is_check_in(&self) -> bool {
        self.kind == Some(Kind::CheckIn)
    }
}

fn known_kind<'d, D: serde::Deserializer<'d>>(from: D) -> Result<Option<Kind>, D::Error> {
    Kind::deserialize(from).map(Some)
}

/// Written by other people than the ones who write the lexicon: `check` is only ever measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    Develop,
    Check,
    /// Crises alone, and what only sounds like one.
    Crisis,
    /// Whole sessions that came after the rest was tuned.
    Later,
    /// Crises by other writers, after the hints were learned: never learned from.
    CrisisLater,
    /// English sessions in four rounds, each measured before anything was made of it.
    Fresh,
}

impl Part {
    pub const ALL: [Part; 6] = [Part::Develop, Part::Check, Part::Crisis, Part::Later, Part::CrisisLater, Part::Fresh];

    pub fn name(self) -> &'static str {
        match self {
            Part::Develop => "develop",
            Part::Check => "check",
            Part::Crisis => "crisis",
            Part::Later => "later",
            Part::CrisisLater => "crisis_later",
            Part::Fresh => "fresh",
        }
    }
}

pub fn folder(lang: Lang, part: Part) -> PathBuf {
    let language = match lang {
        Lang::Ru => "ru",
        Lang::En => "en",
    };
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/understanding").join(language).join(part.name())
}

/// The TOML files of a folder in the order of their names; none where there is no folder.
pub fn toml_files(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut files: Vec<PathBuf> = entries.filter_map(|e| Some(e.ok()?.path())).collect();
    files.retain(|f| f.extension().is_some_and(|e| e == "toml"));
    files.sort();
    files
}

/// Every utterance of a part; the error names the file and the line.
pub fn utterances(lang: Lang, part: Part) -> Result<Vec<Utterance>, String> {
    let mut all = Vec::new();
    for path in toml_files(&folder(lang, part)) {
        let text = fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
        let file: File = toml::from_str(&text).map_err(|e| format!("{}: {e}", path.display()))?;
        all.extend(file.utterance);
    }
    Ok(all)
}
