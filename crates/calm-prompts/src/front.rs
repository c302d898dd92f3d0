//! Front matter: the few lines at the head of a prompt file that say what it is.

use crate::both::both;
use std::collections::BTreeMap;

use crate::template::{Mistake, TemplateError};

const FENCE: &str = "---";

/// The head of a file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Front {
    /// `id`, `version`, `language`, `description` and whatever else stands there.
    pub fields: BTreeMap<String, String>,
    /// Bytes from the start of the file to what follows the head.
    pub end: usize,
}

impl Front {
    pub fn get(&self, field: &str) -> Option<&str> {
        self.fields.get(field).map(String::as_str).filter(|value| !value.is_empty())
    }
}

/// Reads the head; a file without one has no fields and begins at its first character.
///
/// # Errors
/// The head is not closed, or a line of it is not `name: value`.
pub fn front(file: &str, source: &str) -> Result<Front, TemplateError> {
    let mut front = Front::default();
    let text = source.strip_prefix('\u{feff}').unwrap_or(source);
    let start = source.len() - text.len();
    front.end = start;
    let mut lines = text.split_inclusive('\n');
    let mut at = start;
    match lines.next() {
        Some(first) if first.trim_end() == FENCE => at += first.len(),
        _ => return Ok(front),
    }
    for line in lines {
        let content = line.trim();
        if content == FENCE {
            front.end = at + line.len();
            return Ok(front);
        }
        if !content.is_empty() && !content.starts_with('#') {
            let (name, value) = content.split_once(':').ok_or_else(|| {
                Mistake::new(
                    at,
                    both!("строка шапки не вида `имя: значение`", "a line of the head is not `name: value`"),
                )
                .at(file, source)
            })?;
            front.fields.insert(name.trim().to_owned(), unquoted(value.trim()).to_owned());
        }
        at += line.len();
    }
    Err(Mistake::new(start, both!("шапка не закрыта", "the head is never closed"))
        .hint(both!("закончи её строкой из трёх дефисов", "end it with a line of three dashes"))
        .at(file, source))
}

fn unquoted(value: &str) -> &str {
    ['"', '\''].iter().find_map(|mark| value.strip_prefix(*mark)?.strip_suffix(*mark)).unwrap_or(value)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case::plain("---\nid: base/tone\nversion: 1\n---\ntext", Some("base/tone"), "text")]
    #[case::windows_and_bom("\u{feff}---\r\nid: \"a: b\"\r\n---\r\ntext", Some("a: b"), "text")]
    #[case::none("text\n---\nid: x\n---\n", None, "text\n---\nid: x\n---\n")]
    #[case::nothing_else("---\nid: x\n---", Some("x"), "")]
    #[case::empty("", None, "")]
    fn heads(#[case] source: &str, #[case] id: Option<&str>, #[case] rest: &str) {
        let front = front("f.md", source).unwrap();
        assert_eq!((front.get("id"), source.get(front.end..)), (id, Some(rest)));
    }

    #[rstest]
    #[case::open("---\nid: x\nversion: 1", 1, "never closed")]
    #[case::no_field("---\nid: x\nwhat\n---\n", 3, "name: value")]
    fn damaged_heads(#[case] source: &str, #[case] line: u32, #[case] says: &str) {
        let error = front("f.md", source).unwrap_err();
        assert_eq!(error.line, line);
        assert!(error.problem.en.contains(says));
    }
}
