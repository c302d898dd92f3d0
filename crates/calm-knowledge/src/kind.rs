//! What kind of document a file is: first by how it begins, then by how its name ends.

use crate::DocumentError;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Markdown,
    Text,
    Table,
    Pdf,
}

/// Readers of PDF look for the mark this far in; mail programs and web servers put things before it.
const PDF_MARK_WITHIN: usize = 1024;

pub(crate) fn of(name: &str, bytes: &[u8]) -> Result<Kind, DocumentError> {
    let start = &bytes[..bytes.len().min(PDF_MARK_WITHIN)];
    if bytes.starts_with(b"%PDF-") {
        return Ok(Kind::Pdf);
    }
    match ending(name).as_deref() {
        Some("md" | "markdown") => Ok(Kind::Markdown),
        Some("txt" | "text") | None => Ok(Kind::Text),
        Some("csv" | "tsv") => Ok(Kind::Table),
        Some("pdf") if bytes.is_empty() => Err(DocumentError::Empty),
        Some("pdf") if start.windows(5).any(|w| w == b"%PDF-") => Ok(Kind::Pdf),
        Some("pdf") => Err(DocumentError::file("it is named a PDF and is something else")),
        Some(_) => Err(DocumentError::Unsupported),
    }
}

fn ending(name: &str) -> Option<String> {
    let (stem, ending) = file_name(name).rsplit_once('.')?;
    (!stem.is_empty()).then(|| ending.to_lowercase())
}

/// The name without folders and without its ending.
pub(crate) fn stem(name: &str) -> &str {
    let name = file_name(name);
    match name.rsplit_once('.') {
        Some((stem, _)) if !stem.is_empty() => stem,
        _ => name,
    }
}

fn file_name(name: &str) -> &str {
    name.rsplit(['/', '\\']).next().unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("notes.md", b"# x", Ok(Kind::Markdown))]
    #[case("NOTES.MARKDOWN", b"# x", Ok(Kind::Markdown))]
    #[case("C:\\docs.v2\\notes", b"x", Ok(Kind::Text))]
    #[case(".txt", b"x", Ok(Kind::Text))]
    #[case("a.csv", b"q;a", Ok(Kind::Table))]
    #[case::whatever_its_name("a.txt", b"%PDF-1.4", Ok(Kind::Pdf))]
    #[case::something_before_the_mark("a.pdf", b"\r\n\r\n%PDF-1.4", Ok(Kind::Pdf))]
    #[case::a_word_document("a.docx", b"PK\x03\x04", Err(DocumentError::Unsupported))]
    #[case::not_a_pdf("a.pdf", b"<html>", Err(DocumentError::file("it is named a PDF and is something else")))]
    fn kinds(#[case] name: &str, #[case] bytes: &[u8], #[case] kind: Result<Kind, DocumentError>) {
        assert_eq!(of(name, bytes), kind);
    }

    #[rstest]
    #[case("/home/ivan/Мои правила.md", "Мои правила")]
    #[case("C:\\Users\\Иван\\план.2025.txt", "план.2025")]
    #[case(".profile", ".profile")]
    #[case("", "")]
    fn stems(#[case] name: &str, #[case] expected: &str) {
        assert_eq!(stem(name), expected);
    }
}
