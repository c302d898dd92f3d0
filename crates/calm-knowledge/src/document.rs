//! A document: what it is called, its language, and its text in parts that know where they stood.

use crate::kind::{self, Kind};
use crate::{clean, encoding, language, markdown, pdf, table};
use serde::{Deserialize, Serialize};
use std::fmt;

/// Bytes; larger files are refused before anything looks inside.
pub const LARGEST_FILE: usize = 20 * 1024 * 1024;
/// Characters of text in one document, some 2,500 printed pages.
pub const LONGEST_TEXT: usize = 5_000_000;
/// Pages of a PDF.
pub const MOST_PAGES: usize = 3_000;
/// Characters; whatever is longer is no question, and it could not be shown with its answer.
pub const LONGEST_QUESTION: usize = 600;

const LONGEST_TITLE: usize = 200;
/// Sections of a note, or rows of a table.
const MOST_PARTS: usize = 200_000;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Document {
    pub title: String,
    /// `"ru"`, `"en"`, or what the document declares; `None` where that cannot be told.
    pub language: Option<String>,
    pub parts: Vec<Part>,
    /// What was left out, in the order of the document.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Warning>,
}

/// A stretch of a document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Part {
    /// Where it stands: `"page 3"`, or the headings above it, outermost first, `"Rules › Mornings"`. The heading is
    /// not repeated in the text.
    pub place: Option<String>,
    /// Set where the text answers it.
    pub question: Option<String>,
    pub text: String,
}

/// What could not be read although the rest could.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum Warning {
    /// A page (from 1) that holds a picture and no text, as scanners make them.
    Picture { page: usize },
    /// A page (from 1) whose content is damaged, or whose letters cannot be told from its fonts.
    Unreadable { page: usize },
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Picture { page } => write!(f, "page {page}: a picture without text, left out"),
            Self::Unreadable { page } => write!(f, "page {page}: damaged, left out"),
        }
    }
}

/// Where in a document something is wrong. Pages and lines count from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    File,
    Page(usize),
    Line(usize),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File => f.write_str("the file"),
            Self::Page(page) => write!(f, "page {page}"),
            Self::Line(line) => write!(f, "line {line}"),
        }
    }
}

/// Why a document was not read: one line, fit to be shown, with nothing of the text in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DocumentError {
    #[error("not a document of a known kind (md, txt, csv and pdf are read; save other documents as one of these)")]
    Unsupported,
    #[error("the file is too large: {} MB, where {} MB are read", bytes.div_ceil(1024 * 1024), LARGEST_FILE / (1024 * 1024))]
    TooLarge { bytes: usize },
    #[error("the document is too long: {0}")]
    TooLong(&'static str),
    #[error("the file holds no text")]
    Empty,
    #[error("the PDF is protected with a password; save a copy without one")]
    Encrypted,
    #[error("the PDF is a scan: {pages} pages of pictures and no text; run it through text recognition first")]
    Scanned { pages: usize },
    #[error("{place}: {fault}")]
    Damaged { place: Place, fault: &'static str },
}

impl DocumentError {
    pub(crate) fn file(fault: &'static str) -> Self {
        Self::Damaged { place: Place::File, fault }
    }

    pub(crate) fn line(line: usize, fault: &'static str) -> Self {
        Self::Damaged { place: Place::Line(line), fault }
    }
}

/// What a reader found: a title where the document has one, a language where it declares one.
#[derive(Default)]
pub(crate) struct Found {
    pub(crate) title: Option<String>,
    pub(crate) language: Option<String>,
    pub(crate) parts: Vec<Part>,
    pub(crate) warnings: Vec<Warning>,
}

/// Reads a document. `name` is its file name, with or without folders: its ending says the kind where the bytes do not,
/// and it serves as the title of a document that has none.
///
/// # Errors
/// See [`DocumentError`]. Damaged text is refused; of a damaged PDF, the pages that can be read are, with a
/// [`Warning`] for each other one.
pub fn read(name: &str, bytes: &[u8]) -> Result<Document, DocumentError> {
    if bytes.len() > LARGEST_FILE {
        return Err(DocumentError::TooLarge { bytes: bytes.len() });
    }
    let found = match kind::of(name, bytes)? {
        Kind::Pdf => pdf::read(bytes)?,
        Kind::Markdown => markdown::read(&text_of(bytes)?)?,
        Kind::Table => table::read(&text_of(bytes)?)?,
        Kind::Text => plain(&text_of(bytes)?),
    };
    let mut parts = found.parts;
    parts.retain(|part| !part.text.trim().is_empty());
    if parts.is_empty() {
        return Err(DocumentError::Empty);
    }
    if parts.len() > MOST_PARTS {
        return Err(DocumentError::TooLong("it has more than 200,000 sections"));
    }
    let title = found.title.map(|title| clean::line(&title, LONGEST_TITLE)).filter(|title| !title.is_empty());
    Ok(Document {
        title: title.unwrap_or_else(|| clean::line(kind::stem(name), LONGEST_TITLE)),
        language: found.language.or_else(|| language::of(&parts).map(str::to_owned)),
        parts,
        warnings: found.warnings,
    })
}

fn text_of(bytes: &[u8]) -> Result<String, DocumentError> {
    let text = clean::text(&encoding::decode(bytes)?);
    if text.chars().count() > LONGEST_TEXT {
        return Err(DocumentError::TooLong("it has more than 5,000,000 characters"));
    }
    Ok(text)
}

fn plain(text: &str) -> Found {
    Found { parts: vec![Part { place: None, question: None, text: text.trim().to_owned() }], ..Found::default() }
}
