//! A prompt set: its files, its manifest and the hash that a session records.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use include_dir::{Dir, include_dir};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::helplines::Helplines;
use crate::phrases::Phrases;
use crate::practices::{Practice, Practices};

static SHIPPED: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../../prompts");

/// A prompt file is text written by people; anything bigger is a mistake.
const LARGEST_FILE: u64 = 1024 * 1024;
const DEEPEST: usize = 6;
/// The one variant of a set that declares none.
const ONLY_VARIANT: &str = "default";

#[derive(Debug, Clone)]
pub struct PromptSet {
    manifest: Manifest,
    /// By path inside the set, with forward slashes.
    files: BTreeMap<String, String>,
}

#[derive(Debug, Clone, Deserialize)]
struct Manifest {
    id: String,
    version: String,
}

/// A file of `guide/`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Moves {
    #[serde(rename = "move")]
    moves: Vec<MoveWording>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MoveWording {
    key: String,
    variants: Vec<String>,
}

/// What a session records about the set it used.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Identity {
    pub set: String,
    pub version: String,
    pub variant: String,
    /// SHA-256 over sorted paths and contents, in hex.
    pub hash: String,
}

#[derive(Debug, thiserror::Error)]
pub enum SetError {
    #[error("failed to read {path}")]
    Read { path: PathBuf, source: std::io::Error },
    #[error("{path} is larger than 1 MB")]
    TooLarge { path: PathBuf },
    #[error("{file} is missing from the prompt set")]
    Missing { file: String },
    #[error("{file} is not valid: {problem}")]
    Invalid { file: String, problem: String },
}

impl PromptSet {
    /// The set that came with the program.
    pub fn shipped() -> PromptSet {
        let mut files = BTreeMap::new();
        embedded(&SHIPPED, &mut files);
        // Part of the program, and a test reads it.
        PromptSet::of(files).expect("the shipped manifest is valid")
    }

    /// Every `.toml` and `.md` file under `dir`, links not followed.
    ///
    /// # Errors
    /// A file cannot be read, is too large or is not UTF-8, or there is no valid `manifest.toml`.
    pub fn load(dir: &Path) -> Result<PromptSet, SetError> {
        let mut files = BTreeMap::new();
        collect(dir, "", DEEPEST, &mut files)?;
        PromptSet::of(files)
    }

    fn of(files: BTreeMap<String, String>) -> Result<PromptSet, SetError> {
        let manifest = parse(&files, "manifest.toml")?;
        Ok(PromptSet { manifest, files })
    }

    pub fn identity(&self) -> Identity {
        Identity {
            set: self.manifest.id.clone(),
            version: self.manifest.version.clone(),
            variant: ONLY_VARIANT.to_owned(),
            hash: self.hash(),
        }
    }

    /// The guide's wording; `lang` is `ru` or `en`.
    ///
    /// # Errors
    /// A file does not parse, a move is worded twice, or the language is not there.
    pub fn phrases(&self, lang: &str) -> Result<Phrases, SetError> {
        let mut wording: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for file in self.under(&format!("guide/{lang}/"))? {
            let Moves { moves } = parse(&self.files, file)?;
            for MoveWording { key, variants } in moves {
                if wording.contains_key(&key) {
                    let problem = format!("{key} is worded a second time");
                    return Err(SetError::Invalid { file: file.to_owned(), problem });
                }
                wording.insert(key, variants);
            }
        }
        Ok(Phrases::new(wording))
    }

    /// # Errors
    /// A file does not parse, a step has no time, or the language is not there.
    pub fn practices(&self, lang: &str) -> Result<Practices, SetError> {
        let mut practices = Vec::new();
        for file in self.under(&format!("practices/{lang}/"))? {
            let practice: Practice = parse(&self.files, file)?;
            practice.check().map_err(|problem| SetError::Invalid { file: file.to_owned(), problem })?;
            practices.push(practice);
        }
        Ok(Practices::new(practices))
    }

    /// # Errors
    /// `helplines.toml` is missing or does not parse.
    pub fn helplines(&self) -> Result<Helplines, SetError> {
        parse(&self.files, "helplines.toml")
    }

    fn under(&self, folder: &str) -> Result<Vec<&str>, SetError> {
        let files: Vec<&str> = self.files.keys().filter(|p| p.starts_with(folder)).map(String::as_str).collect();
        if files.is_empty() {
            return Err(SetError::Missing { file: folder.to_owned() });
        }
        Ok(files)
    }

    fn hash(&self) -> String {
        let mut hasher = Sha256::new();
        for (path, text) in &self.files {
            // Lengths keep two different splits of the same bytes apart.
            hasher.update((path.len() as u64).to_le_bytes());
            hasher.update(path);
            hasher.update((text.len() as u64).to_le_bytes());
            hasher.update(text);
        }
        hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

fn embedded(folder: &Dir<'_>, files: &mut BTreeMap<String, String>) {
    for file in folder.files() {
        let path = file.path().to_string_lossy().replace('\\', "/");
        if let Some(text) = file.contents_utf8().filter(|_| is_prompt_file(&path)) {
            files.insert(path, text.replace("\r\n", "\n"));
        }
    }
    for inner in folder.dirs() {
        embedded(inner, files);
    }
}

/// The set's own files; a README beside them is none.
fn is_prompt_file(name: &str) -> bool {
    (name.ends_with(".toml") || name.ends_with(".md")) && !name.ends_with("README.md")
}

fn parse<T: serde::de::DeserializeOwned>(files: &BTreeMap<String, String>, file: &str) -> Result<T, SetError> {
    let text = files.get(file).ok_or_else(|| SetError::Missing { file: file.to_owned() })?;
    toml::from_str(text).map_err(|e| SetError::Invalid { file: file.to_owned(), problem: e.to_string() })
}

fn collect(dir: &Path, prefix: &str, depth: usize, files: &mut BTreeMap<String, String>) -> Result<(), SetError> {
    let failed = |path: &Path| {
        let path = path.to_owned();
        |source| SetError::Read { path, source }
    };
    for entry in fs::read_dir(dir).map_err(failed(dir))? {
        let entry = entry.map_err(failed(dir))?;
        let path = entry.path();
        let kind = entry.file_type().map_err(failed(&path))?;
        let Some(name) = entry.file_name().to_str().map(str::to_owned) else { continue };
        if kind.is_dir() && depth > 0 && !name.starts_with('.') {
            collect(&path, &format!("{prefix}{name}/"), depth - 1, files)?;
        } else if kind.is_file() && is_prompt_file(&name) {
            if entry.metadata().map_err(failed(&path))?.len() > LARGEST_FILE {
                return Err(SetError::TooLarge { path });
            }
            let text = fs::read_to_string(&path).map_err(failed(&path))?;
            // The hash must not depend on how a checkout ends its lines.
            files.insert(format!("{prefix}{name}"), text.replace("\r\n", "\n"));
        }
    }
    Ok(())
}
