//! A prompt set: its files, its manifest and the hash that a session records.

use std::collections::{BTreeMap, BTreeSet};

use include_dir::{Dir, include_dir};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::front::front;
use crate::helplines::Helplines;
use crate::phrases::Phrases;
use crate::practices::{Practice, Practices};
use crate::template::{Dialect, Library, TemplateError};

static SHIPPED: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../../prompts");

/// The variant of a session in a set that declares none.
pub const ONLY_VARIANT: &str = "default";

/// Folders whose `.md` files are no prompts.
const OTHER_FOLDERS: [&str; 5] = ["guide/", "practices/", "envelope/", "knowledge/", "variants/"];

/// What is not told to a model as its instructions, and moves on with the program.
const SHARED: [&str; 4] = ["guide/", "practices/", "knowledge/", "helplines.toml"];

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PromptSet {
    manifest: Manifest,
    variant: String,
    /// Of the version, whichever variant this is and whatever was laid under it.
    version_hash: Option<String>,
    /// By path inside the set, with forward slashes.
    files: BTreeMap<String, String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Manifest {
    id: String,
    version: String,
    #[serde(default)]
    #[allow(dead_code, reason = "for those who read the file")]
    description: String,
    #[serde(default)]
    languages: Vec<String>,
    #[serde(default = "root")]
    root: String,
    #[serde(default, rename = "variant")]
    variants: Vec<Variant>,
}

/// One of several wordings that are tried side by side; its files lie in `variants/<id>/`, over those of the set.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Variant {
    pub id: String,
    /// Its share of the sessions, against the weights of the others; 0 takes it out.
    pub weight: u32,
}

fn root() -> String {
    "root.md".to_owned()
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
    #[error("{file} is missing from the prompt set")]
    Missing { file: String },
    #[error("{file}:{line}: {problem}")]
    Invalid { file: String, line: usize, problem: String },
    #[error("the prompt set has no variant {id}")]
    NoVariant { id: String },
    #[error(transparent)]
    Template(#[from] TemplateError),
}

impl PromptSet {
    /// The set that came with the program.
    pub fn shipped() -> PromptSet {
        let mut files = BTreeMap::new();
        embedded(&SHIPPED, &mut files);
        // Part of the program, and a test reads it.
        PromptSet::of(files).expect("the shipped manifest is valid")
    }

    /// A set of these files, by path with forward slashes; others than [`is_prompt_file`] do not belong in it.
    ///
    /// # Errors
    /// There is no valid `manifest.toml`, or a declared variant has no file.
    pub fn of(files: BTreeMap<String, String>) -> Result<PromptSet, SetError> {
        let manifest: Manifest = parse(&files, "manifest.toml")?;
        let set = PromptSet { manifest, variant: ONLY_VARIANT.to_owned(), version_hash: None, files };
        for Variant { id, .. } in set.variants() {
            let folder = format!("variants/{id}/");
            if id != ONLY_VARIANT && !set.files.keys().any(|path| path.starts_with(&folder)) {
                return Err(SetError::Missing { file: folder });
            }
        }
        Ok(set)
    }

    /// A folder of prompts that has no manifest (yet): it is named after its folder and has no version.
    ///
    /// # Errors
    /// As [`PromptSet::of`], for a manifest that is there.
    pub fn unversioned(name: &str, mut files: BTreeMap<String, String>) -> Result<PromptSet, SetError> {
        let manifest = toml::Table::from_iter([("id", name), ("version", "0")].map(|(k, v)| (k.to_owned(), v.into())));
        files.entry("manifest.toml".to_owned()).or_insert_with(|| manifest.to_string());
        PromptSet::of(files)
    }

    /// The same set under the name by which a version is kept.
    pub fn named(mut self, version: &str) -> PromptSet {
        version.clone_into(&mut self.manifest.version);
        self
    }

    /// The same version, with what `newer` says where the version leaves it as `older` had it, outside the prompts: a
    /// version that changes how a model is spoken to must not hold back practices, helplines or the guide's words.
    pub fn over(mut self, older: &PromptSet, newer: &PromptSet) -> PromptSet {
        self.version_hash = Some(self.identity().hash);
        let is_shared = |path: &str| SHARED.iter().any(|shared| path.starts_with(shared));
        for (path, text) in newer.files.iter().filter(|(path, _)| is_shared(path)) {
            if self.files.get(path) == older.files.get(path) {
                self.files.insert(path.clone(), text.clone());
            }
        }
        self
    }

    /// The same set, starting from another of its templates.
    pub fn rooted(mut self, root: &str) -> PromptSet {
        root.clone_into(&mut self.manifest.root);
        self
    }

    pub fn has_root(&self) -> bool {
        let end = format!("/{}", self.manifest.root);
        self.files
            .keys()
            .any(|path| *path == self.manifest.root || path.ends_with(&end) && path.matches('/').count() == 1)
    }

    /// The prompts and envelopes of all languages and variants: what a model reads as instructions.
    pub fn documents(&self) -> impl Iterator<Item = (&str, &str)> {
        let is_prompt = |path: &str| {
            path.ends_with(".md")
                && !["guide/", "practices/", "knowledge/"].iter().any(|folder| path.starts_with(folder))
        };
        self.files.iter().filter(move |(path, _)| is_prompt(path)).map(|(path, text)| (path.as_str(), text.as_str()))
    }

    /// What Calm says by itself, or a model passes on: phrases, practices and notes, of all languages.
    pub fn spoken(&self) -> impl Iterator<Item = (&str, &str)> {
        let is_spoken =
            |path: &str| ["guide/", "practices/", "knowledge/"].iter().any(|folder| path.starts_with(folder));
        self.files.iter().filter(move |(path, _)| is_spoken(path)).map(|(path, text)| (path.as_str(), text.as_str()))
    }

    pub fn identity(&self) -> Identity {
        Identity {
            set: self.manifest.id.clone(),
            version: self.manifest.version.clone(),
            variant: self.variant.clone(),
            hash: self.version_hash.clone().unwrap_or_else(|| self.hash()),
        }
    }

    /// By path inside the set.
    pub fn files(&self) -> &BTreeMap<String, String> {
        &self.files
    }

    pub fn variants(&self) -> &[Variant] {
        &self.manifest.variants
    }

    /// The set as the sessions of one variant see it.
    ///
    /// # Errors
    /// The set declares no such variant.
    pub fn variant(&self, id: &str) -> Result<PromptSet, SetError> {
        if id != ONLY_VARIANT && !self.variants().iter().any(|variant| variant.id == id) {
            return Err(SetError::NoVariant { id: id.to_owned() });
        }
        let folder = format!("variants/{id}/");
        let own = self.files.iter().filter_map(|(path, text)| Some((path.strip_prefix(&folder)?.to_owned(), text)));
        let own: Vec<(String, String)> = own.map(|(path, text)| (path, text.clone())).collect();
        let mut set = self.clone();
        set.version_hash = Some(self.identity().hash);
        set.files.extend(own);
        id.clone_into(&mut set.variant);
        Ok(set)
    }

    /// Of the prompts, as the manifest or else the folders say; English where all prompts lie at the top.
    pub fn languages(&self) -> Vec<String> {
        if !self.manifest.languages.is_empty() {
            return self.manifest.languages.clone();
        }
        let roots = self.files.keys().filter_map(|path| path.strip_suffix(&format!("/{}", self.manifest.root)));
        let found: Vec<String> = roots.filter(|folder| !folder.contains('/')).map(str::to_owned).collect();
        if found.is_empty() { vec!["en".to_owned()] } else { found }
    }

    /// The prompts of a language: those of its folder, and under them what lies at the top of the set.
    ///
    /// A language that the set does not have gets English, or whatever lies at the top.
    pub fn library(&self, language: &str) -> Library {
        let languages = self.languages();
        let language = if languages.iter().any(|code| code == language) { language } else { "en" };
        let mut library = Library::default();
        for (path, shown, text) in self.prompts(language, &languages) {
            let (start, head) = match front(shown, text) {
                Ok(front) => (front.end, None),
                Err(error) => (0, Some(error)),
            };
            library.add(path, shown, text, start, Dialect::Prompt);
            if let Some(error) = head {
                library.reject(path, error);
            }
        }
        library.link();
        library
    }

    /// Path for includes, path in the set, and text, of every prompt that a language sees.
    fn prompts<'a>(
        &'a self,
        language: &'a str,
        languages: &'a [String],
    ) -> impl Iterator<Item = (&'a str, &'a str, &'a str)> {
        let in_language = |path: &'a str, language: &str| path.strip_prefix(language)?.strip_prefix('/');
        let is_prompt = |path: &str| path.ends_with(".md") && !OTHER_FOLDERS.iter().any(|f| path.starts_with(f));
        let of_any = move |path: &'a str| languages.iter().any(|code| in_language(path, code).is_some());
        let all = self.files.iter().filter(move |(path, _)| is_prompt(path));
        let shared: BTreeSet<&str> = all.clone().map(|(path, _)| path.as_str()).filter(|path| !of_any(path)).collect();
        let own: BTreeMap<&str, &str> =
            all.clone().filter_map(|(path, _)| Some((in_language(path, language)?, path.as_str()))).collect();
        let shared = shared.into_iter().filter(|path| !own.contains_key(path)).map(|path| (path, path));
        let paths: Vec<(&str, &str)> = shared.chain(own.iter().map(|(path, shown)| (*path, *shown))).collect();
        paths.into_iter().filter_map(|(path, shown)| Some((path, shown, self.files.get(shown)?.as_str())))
    }

    /// The template that everything starts from, as an include would name it.
    pub fn root(&self) -> &str {
        &self.manifest.root
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
                    return Err(SetError::Invalid { file: file.to_owned(), line: 1, problem });
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
            practice.check().map_err(|problem| SetError::Invalid { file: file.to_owned(), line: 1, problem })?;
            practices.push(practice);
        }
        Ok(Practices::new(practices))
    }

    /// # Errors
    /// `helplines.toml` is missing or does not parse.
    pub fn helplines(&self) -> Result<Helplines, SetError> {
        parse(&self.files, "helplines.toml")
    }

    /// Our own notes for the knowledge base, by path.
    pub fn notes(&self, lang: &str) -> impl Iterator<Item = (&str, &str)> {
        let folder = format!("knowledge/{lang}/");
        self.files.iter().filter(move |(path, _)| path.starts_with(&folder)).map(|(p, t)| (p.as_str(), t.as_str()))
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
pub fn is_prompt_file(name: &str) -> bool {
    (name.ends_with(".toml") || name.ends_with(".md")) && !name.ends_with("README.md")
}

pub(crate) fn parse<T: serde::de::DeserializeOwned>(
    files: &BTreeMap<String, String>,
    file: &str,
) -> Result<T, SetError> {
    let text = files.get(file).ok_or_else(|| SetError::Missing { file: file.to_owned() })?;
    toml::from_str(text).map_err(|e| {
        let start = e.span().map_or(0, |span| span.start);
        let line = text.get(..start).unwrap_or_default().matches('\n').count() + 1;
        // The parser's own text quotes the file over several lines.
        SetError::Invalid { file: file.to_owned(), line, problem: e.message().replace('\n', " ") }
    })
}
