//! The text of a PDF, page by page.
//!
//! hayro-syntax reads the file's structure; what a page says is found out here. A PDF is a program by a stranger, so the
//! file is vetted before it is parsed ([`vet`]), the work of running its pages is counted, and all of it happens on a
//! thread of its own with a stack of known size. Pictures are not looked at.

mod cmap;
mod font;
mod lines;
mod matrix;
mod measure;
mod names;
mod page;
mod pages;
mod vet;

use crate::document::Found;
use crate::{DocumentError, LONGEST_TEXT, MOST_PAGES, Place, Warning};
use hayro_syntax::object::Stream;
use hayro_syntax::{DecryptionError, LoadPdfError, Pdf};
use page::{Fonts, Shown, Stop};

/// The name of the thread that reads a PDF. Should the parser panic after all, the document is refused and the program
/// goes on: a panic hook may keep silent about this thread.
pub const PDF_THREAD: &str = "calm-pdf";

/// Bytes; the parser nests 512 objects deep.
const STACK: usize = 16 << 20;
/// Bytes of page content that may be run. A page of text has five thousand.
const MOST_WORK: usize = 160 << 20;

const DAMAGED: DocumentError =
    DocumentError::Damaged { place: Place::File, fault: "it is damaged, or its structure is not known" };
const SPENT: &str = "what the pages up to here draw is more than can be read";
const UNREADABLE: &str = "its content is damaged, or its fonts do not say which letters they show";

/// # Errors
/// When nothing of it can be read.
pub(crate) fn read(bytes: &[u8]) -> Result<Found, DocumentError> {
    std::thread::scope(|scope| {
        let reader = std::thread::Builder::new().name(PDF_THREAD.to_owned()).stack_size(STACK);
        let reader = reader.spawn_scoped(scope, || read_here(bytes)).map_err(|_| DAMAGED)?;
        reader.join().unwrap_or(Err(DAMAGED))
    })
}

fn read_here(bytes: &[u8]) -> Result<Found, DocumentError> {
    let (vetted, sealed) = vet::vet(bytes)?;
    let pdf = Pdf::new(vetted).map_err(|error| match error {
        LoadPdfError::Decryption(DecryptionError::PasswordProtected) => DocumentError::Encrypted,
        LoadPdfError::Decryption(_) => DocumentError::file("it is protected in a way that is not known"),
        LoadPdfError::Invalid => DAMAGED,
    })?;
    let pages = pdf.pages();
    if pages.len() > MOST_PAGES {
        return Err(DocumentError::TooLong("it has more than 3,000 pages"));
    }
    let (mut fonts, mut work) = (Fonts::default(), Work { left: MOST_WORK, characters: LONGEST_TEXT, sealed });
    let (mut texts, mut warnings) = (Vec::new(), Vec::new());
    for (index, page) in pages.iter().enumerate() {
        let number = index + 1;
        let shown = page::run(page, &mut fonts, &mut work).map_err(|Stop::Spent| match work.characters {
            0 => DocumentError::TooLong("it has more than 5,000,000 characters"),
            _ => DocumentError::Damaged { place: Place::Page(number), fault: SPENT },
        })?;
        let (damaged, picture) = (is_unreadable(&shown), shown.picture);
        let paragraphs = if damaged { Vec::new() } else { shown.lines.paragraphs() };
        match paragraphs.is_empty() {
            true if damaged => warnings.push(Warning::Unreadable { page: number }),
            true if picture => warnings.push(Warning::Picture { page: number }),
            true => {}
            false => texts.push((number, paragraphs)),
        }
    }
    if texts.is_empty() {
        return Err(nothing(&warnings));
    }
    let title = pdf.metadata().title.as_deref().map(text_string).filter(|title| is_title(title));
    Ok(Found { title, parts: pages::parts(texts), warnings, ..Found::default() })
}

/// Half of the letters unknown, or content that could not be unpacked and nothing else.
fn is_unreadable(shown: &Shown) -> bool {
    shown.unknown > shown.known || (shown.damaged && shown.known == 0)
}

fn nothing(warnings: &[Warning]) -> DocumentError {
    let pictures = warnings.iter().filter(|warning| matches!(warning, Warning::Picture { .. })).count();
    match warnings.first() {
        None => DocumentError::Empty,
        Some(_) if pictures > 0 => DocumentError::Scanned { pages: pictures },
        Some(Warning::Picture { page } | Warning::Unreadable { page }) => {
            DocumentError::Damaged { place: Place::Page(*page), fault: UNREADABLE }
        }
    }
}

/// The text of a string outside of page content: UTF-16, UTF-8 or Latin.
fn text_string(bytes: &[u8]) -> String {
    let (text, _) = match bytes {
        [0xFE, 0xFF, rest @ ..] => encoding_rs::UTF_16BE.decode_without_bom_handling(rest),
        [0xFF, 0xFE, rest @ ..] => encoding_rs::UTF_16LE.decode_without_bom_handling(rest),
        [0xEF, 0xBB, 0xBF, rest @ ..] => encoding_rs::UTF_8.decode_without_bom_handling(rest),
        _ => encoding_rs::WINDOWS_1252.decode_without_bom_handling(bytes),
    };
    text.into_owned()
}

/// Programs put the name of a template or of a file there.
fn is_title(title: &str) -> bool {
    let title = title.trim().to_lowercase();
    let endings = [".doc", ".docx", ".odt", ".rtf", ".indd", ".tex", ".dvi", ".pdf", ".html"];
    let beginnings = ["microsoft word", "untitled", "(anonymous)", "(unspecified)", "без имени", "about:", "http"];
    let letters = title.chars().filter(|c| c.is_alphanumeric()).count();
    letters * 2 > title.chars().count()
        && !endings.iter().any(|ending| title.ends_with(ending))
        && !beginnings.iter().any(|beginning| title.starts_with(beginning))
}

/// What reading one document may still cost.
struct Work {
    /// Bytes of content.
    left: usize,
    /// Characters of text.
    characters: usize,
    /// Encrypted: what a stream unpacks to is only known here.
    sealed: bool,
}

impl Work {
    fn spend(&mut self, work: usize) -> Result<(), Stop> {
        self.left = self.left.checked_sub(work).ok_or(Stop::Spent)?;
        Ok(())
    }

    fn write(&mut self, text: &str) -> Result<(), Stop> {
        match self.characters.checked_sub(text.chars().count()) {
            Some(left) if left > 0 => self.characters = left,
            _ => {
                self.characters = 0;
                return Err(Stop::Spent);
            }
        }
        Ok(())
    }

    /// The content of a stream, `None` where it is damaged.
    fn unpack(&mut self, stream: &Stream<'_>) -> Result<Option<Vec<u8>>, Stop> {
        let Some(packing) = vet::packing(stream.dict()) else { return Ok(None) };
        if self.sealed {
            let raw = stream.raw_data();
            let size = packing.unpacked(&raw, raw.len(), vet::LARGEST_STREAM, &mut 0);
            if size.is_none_or(|size| size.possible > vet::LARGEST_STREAM) {
                return Ok(None);
            }
        }
        let Ok(content) = stream.decoded_data() else { return Ok(None) };
        self.spend(content.len())?;
        Ok(Some(content.into_owned()))
    }
}
