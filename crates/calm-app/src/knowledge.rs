//! The knowledge base: our notes and the user's documents, cut, stemmed and searched (SPEC E4).

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::LazyLock;

use calm_core::Lang;
use calm_knowledge::{Document, DocumentError, LARGEST_FILE, chunks, read};
pub use calm_knowledge::{PDF_THREAD, Warning};
use calm_prompts::{PromptSet, stems};
pub use calm_store::KnowledgeSource as Source;
use calm_store::{
    KnowledgeChunk, KnowledgeHit, KnowledgeId, KnowledgeKind, KnowledgeOrigin, Left, NewKnowledge, Store, StoreError,
};
use jiff::Timestamp;
use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::conductor::Conductor;
use crate::error::AppError;

/// Words that say nothing at all.
static STOP_WORDS: LazyLock<BTreeSet<&str>> =
    LazyLock::new(|| include_str!("../data/stop_words.txt").split_whitespace().collect());
/// Words that say something, and nothing about a topic.
static COMMON_WORDS: LazyLock<BTreeSet<&str>> =
    LazyLock::new(|| include_str!("../data/common_words.txt").split_whitespace().collect());
/// Of one search.
const MOST_WORDS: usize = 40;
/// The best hits, among which those are picked that bear on what was said.
const LOOKED_AT: u32 = 48;
/// A word that no more of them share tells a topic by itself.
const RARE: usize = 8;

/// A document that has become part of the knowledge.
#[derive(Debug, Clone, Serialize)]
pub struct Added {
    pub id: KnowledgeId,
    pub title: String,
    pub chunks: usize,
    pub chars: usize,
    /// Pages that could not be read.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Warning>,
}

/// What a search found, the best first.
#[derive(Debug, Clone, Serialize)]
pub struct Found {
    pub title: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub question: Option<String>,
    pub text: String,
    pub score: f64,
}

/// Reads a document; the file itself is not kept.
///
/// # Errors
/// The file is not there, or cannot be read as a document.
pub fn read_document(path: &Path) -> Result<Document, AppError> {
    let shown = || path.display().to_string();
    let wrong = |source: DocumentError| AppError::BadDocument { path: shown(), source };
    let unread = |source: std::io::Error| AppError::UnreadFile { path: shown(), source };
    let about = std::fs::metadata(path).map_err(unread)?;
    if !about.is_file() {
        return Err(unread(std::io::Error::other("not a file")));
    }
    if about.len() > LARGEST_FILE as u64 {
        return Err(wrong(DocumentError::TooLarge { bytes: usize::try_from(about.len()).unwrap_or(usize::MAX) }));
    }
    let bytes = std::fs::read(path).map_err(unread)?;
    read_bytes(&shown(), &bytes)
}

/// Reads a document whose bytes are at hand; `name` tells its kind and is named in errors.
///
/// # Errors
/// They cannot be read as a document.
pub fn read_bytes(name: &str, bytes: &[u8]) -> Result<Document, AppError> {
    read(name, bytes).map_err(|source| AppError::BadDocument { path: name.to_owned(), source })
}

impl Conductor {
    /// Keeps the text of a document.
    ///
    /// # Errors
    /// Its text is known already.
    pub fn add_document(&mut self, document: &Document) -> Result<Added, AppError> {
        self.keep(document)
    }

    /// Keeps one answer to one question.
    ///
    /// # Errors
    /// The pair is known already.
    pub fn add_answer(&mut self, question: &str, answer: &str) -> Result<Added, AppError> {
        let part = calm_knowledge::Part { place: None, question: Some(question.to_owned()), text: answer.to_owned() };
        let both = format!("{question} {answer}");
        let has_words = both.contains(char::is_alphabetic);
        let language = has_words.then(|| stems::Lang::detect(&both).code().to_owned());
        let title = question.chars().take(80).collect();
        self.keep(&Document { title, language, parts: vec![part], warnings: Vec::new() })
    }

    fn keep(&mut self, document: &Document) -> Result<Added, AppError> {
        let now = self.now();
        let (new, pieces) = prepared(document, now);
        let id = match self.store().add_knowledge(&new, &pieces) {
            Err(StoreError::AlreadyKnown(id)) => return Err(AppError::AlreadyKnown { id }),
            other => other?,
        };
        self.blocks().forget();
        Ok(Added {
            id,
            title: new.title,
            chunks: pieces.len(),
            chars: usize::try_from(new.chars).unwrap_or_default(),
            warnings: document.warnings.clone(),
        })
    }

    pub fn knowledge(&mut self) -> Result<Vec<Source>, AppError> {
        Ok(self.store().knowledge_sources()?)
    }

    /// # Errors
    /// There is no such document of the user's; our own notes stay.
    pub fn remove_knowledge(&mut self, id: KnowledgeId) -> Result<Left, AppError> {
        let left = self.store().remove_knowledge(id)?;
        self.blocks().forget();
        Ok(left)
    }

    pub fn search_knowledge(&mut self, words: &str, limit: u32) -> Result<Vec<Found>, AppError> {
        let language = self.language().code();
        Ok(search(self.store(), words, language, limit)?.into_iter().map(found).collect())
    }
}

fn found(hit: KnowledgeHit) -> Found {
    Found { title: hit.source_title, place: hit.place, question: hit.question, text: hit.text, score: hit.score }
}

/// Whether as many notes are in the store as the set has; none are after a start that broke off.
pub(crate) fn has_notes(store: &Store, set: &PromptSet) -> Result<bool, AppError> {
    let wanted: usize = Lang::ALL.iter().map(|language| set.notes(language.code()).count()).sum();
    let there = store.knowledge_sources()?.iter().filter(|it| it.origin == KnowledgeOrigin::Shipped).count();
    Ok(there == wanted)
}

/// Brings our own notes in the store up to those of the set. Cheap where they are.
pub(crate) fn refresh_notes(store: &mut Store, set: &PromptSet, now: Timestamp) -> Result<(), AppError> {
    let mut notes = Vec::new();
    for language in Lang::ALL.map(Lang::code) {
        for (path, text) in set.notes(language) {
            match read(path, text.as_bytes()) {
                Ok(document) => {
                    let (mut new, pieces) = prepared(&document, now);
                    new.kind = KnowledgeKind::Note;
                    new.language = Some(language.to_owned());
                    notes.push((new, pieces));
                }
                Err(error) => tracing::warn!(%error, path, "a note of the prompt set cannot be read"),
            }
        }
    }
    store.replace_shipped_knowledge(&notes)?;
    Ok(())
}

fn prepared(document: &Document, now: Timestamp) -> (NewKnowledge, Vec<KnowledgeChunk>) {
    let mut hasher = Sha256::new();
    let mut pieces = Vec::new();
    let mut chars = 0;
    for chunk in chunks(document) {
        let searched = [chunk.place.as_deref(), chunk.question.as_deref(), Some(&chunk.text)];
        let stems: Vec<String> = searched.into_iter().flatten().flat_map(all_stems).collect();
        for part in searched.into_iter().map(Option::unwrap_or_default) {
            hasher.update((part.len() as u64).to_le_bytes());
            hasher.update(part);
        }
        chars += chunk.text.chars().count();
        pieces.push(KnowledgeChunk {
            place: chunk.place,
            question: chunk.question,
            text: chunk.text,
            stems: stems.join(" "),
        });
    }
    let answers = !document.parts.is_empty() && document.parts.iter().all(|part| part.question.is_some());
    let new = NewKnowledge {
        kind: if answers { KnowledgeKind::Answers } else { KnowledgeKind::Document },
        title: document.title.clone(),
        language: document.language.clone(),
        fingerprint: hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect(),
        added_at: now,
        chars: u32::try_from(chars).unwrap_or(u32::MAX),
    };
    (new, pieces)
}

/// The excerpts that bear on what was said. One shared word is chance, unless few texts have it; two are a topic.
pub(crate) fn search(store: &Store, said: &str, language: &str, limit: u32) -> Result<Vec<KnowledgeHit>, AppError> {
    let wanted = search_stems(said);
    let hits = store.search_knowledge(&wanted, Some(language), LOOKED_AT)?;
    let has = |hit: &KnowledgeHit| -> BTreeSet<String> {
        let texts = [hit.place.as_deref(), hit.question.as_deref(), Some(hit.text.as_str())];
        texts.into_iter().flatten().flat_map(all_stems).collect()
    };
    let shared: Vec<Vec<&String>> =
        hits.iter().map(has).map(|has| wanted.iter().filter(|stem| has.contains(*stem)).collect()).collect();
    let texts_with = |stem: &String| shared.iter().filter(|of| of.contains(&stem)).count();
    let alone = wanted.len() == 1;
    let bears = |of: &Vec<&String>| of.len() >= 2 || of.first().is_some_and(|stem| alone || texts_with(stem) <= RARE);
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    let bearing = hits.iter().zip(&shared).filter(|(_, of)| bears(of)).map(|(hit, _)| hit.clone());
    Ok(bearing.take(limit).collect())
}

/// What is worth looking for in what was said; of a long speech, its end.
pub(crate) fn search_stems(said: &str) -> Vec<String> {
    let words = stems::words(said).map(|word| stems::normal(word.text));
    let says_nothing = |word: &str| STOP_WORDS.contains(word) || COMMON_WORDS.contains(word);
    let telling = words.filter(|word| word.chars().count() > 2 && !says_nothing(word));
    let mut stems: Vec<String> = Vec::new();
    for stem in telling.map(|word| stem_of(&word)) {
        if !stems.contains(&stem) {
            stems.push(stem);
        }
    }
    stems.split_off(stems.len().saturating_sub(MOST_WORDS))
}

/// The stem of every word that says anything, as often as it is there.
pub(crate) fn telling_stems(text: &str) -> impl Iterator<Item = String> {
    stems::words(text).filter_map(|word| telling_stem(word.text))
}

/// `None` for a word that says nothing.
pub(crate) fn telling_stem(word: &str) -> Option<String> {
    let word = stems::normal(word);
    (!STOP_WORDS.contains(word.as_str())).then(|| stem_of(&word))
}

fn all_stems(text: &str) -> Vec<String> {
    stems::words(text).map(|word| stem_of(word.text)).collect()
}

/// By the word's own alphabet: Russian texts hold English words.
fn stem_of(word: &str) -> String {
    stems::stem(word, stems::Lang::detect(word))
}
