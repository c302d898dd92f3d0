//! Two sets side by side, for reading: which lines changed, and which words of them.

use std::collections::BTreeMap;

use calm_prompts::PromptSet;
use calm_prompts::overlay::{ChangeKind, differences};
use similar::{ChangeTag, TextDiff};

use super::edits::draft_with;
use crate::conductor::Conductor;
use crate::error::AppError;

/// Unchanged lines shown around a change.
const AROUND: usize = 2;
/// A file with more lines is only said to differ.
const MOST_LINES: usize = 4_000;

/// A set that can be compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Side {
    /// As the program has come.
    Shipped,
    Version(String),
    /// The edits, finalized or not.
    Edits,
}

/// A file that differs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Comparison {
    pub path: String,
    pub kind: ChangeKind,
    /// Empty where it has too many to be compared.
    pub lines: Vec<ComparedLine>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ComparedLine {
    pub kind: LineKind,
    /// Before and after; `None` where the line is not there.
    pub old: Option<usize>,
    pub new: Option<usize>,
    pub pieces: Vec<Piece>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineKind {
    Same,
    Removed,
    Added,
    /// Unchanged lines are left out here.
    Gap,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    pub text: String,
    /// What is new or gone within a line that is otherwise the same.
    pub changed: bool,
}

impl Conductor {
    /// What differs from one set to the other, by path.
    ///
    /// # Errors
    /// There is no such version, or the edits do not fit.
    pub fn compare_prompts(&mut self, from: &Side, to: &Side) -> Result<Vec<Comparison>, AppError> {
        let (old, new) = (self.files_of(from)?, self.files_of(to)?);
        let blank = String::new();
        let compared = differences(&old, &new).into_iter().map(|change| {
            let [before, after] = [&old, &new].map(|files| files.get(&change.path).unwrap_or(&blank));
            Comparison { lines: lines(before, after), path: change.path, kind: change.kind }
        });
        Ok(compared.collect())
    }

    fn files_of(&mut self, side: &Side) -> Result<BTreeMap<String, String>, AppError> {
        match side {
            Side::Shipped => Ok(PromptSet::shipped().files().clone()),
            Side::Edits => Ok(draft_with(&self.paths().data, None)?.files().clone()),
            Side::Version(name) => {
                let set = self.prompts().identity().set;
                let found = self.store().prompt_versions()?.into_iter().find(|it| it.version == *name && it.set == set);
                let files = found.map(|it| self.store().prompt_files(it.id)).transpose()?.flatten();
                files.ok_or_else(|| AppError::NoSuchPrompts { version: name.chars().take(40).collect() })
            }
        }
    }
}

fn lines(old: &str, new: &str) -> Vec<ComparedLine> {
    if old.lines().count().max(new.lines().count()) > MOST_LINES {
        return Vec::new();
    }
    let diff = TextDiff::from_lines(old, new);
    let mut lines = Vec::new();
    for (index, group) in diff.grouped_ops(AROUND).iter().enumerate() {
        let begins = group.first().map_or(0, |op| op.old_range().start.max(op.new_range().start));
        if index > 0 || begins > 0 {
            lines.push(ComparedLine { kind: LineKind::Gap, old: None, new: None, pieces: Vec::new() });
        }
        for change in group.iter().flat_map(|op| diff.iter_inline_changes(op)) {
            let kind = match change.tag() {
                ChangeTag::Equal => LineKind::Same,
                ChangeTag::Delete => LineKind::Removed,
                ChangeTag::Insert => LineKind::Added,
            };
            let piece = |(changed, text): (bool, std::borrow::Cow<'_, str>)| Piece {
                text: text.trim_end_matches('\n').to_owned(),
                changed,
            };
            lines.push(ComparedLine {
                kind,
                old: change.old_index().map(|index| index + 1),
                new: change.new_index().map(|index| index + 1),
                pieces: change.iter_strings_lossy().map(piece).filter(|piece| !piece.text.is_empty()).collect(),
            });
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use proptest::prelude::*;

    fn shown(line: &ComparedLine) -> String {
        let mark = match line.kind {
            LineKind::Same => ' ',
            LineKind::Removed => '-',
            LineKind::Added => '+',
            LineKind::Gap => return "…".to_owned(),
        };
        let piece = |it: &Piece| if it.changed { format!("[{}]", it.text) } else { it.text.clone() };
        format!("{mark}{}", line.pieces.iter().map(piece).collect::<String>())
    }

    #[test]
    fn the_words_of_a_long_line_that_changed_are_marked() {
        let old = "one\ntwo\nthree\nfour\nSay it in two short sentences and then ask.\nsix\n";
        let new = old.replace("two short", "one short");
        let compared: Vec<String> = lines(old, &new).iter().map(shown).collect();
        assert_eq!(
            compared,
            [
                "…",
                " three",
                " four",
                "-Say it in [two] short sentences and then ask.",
                "+Say it in [one] short sentences and then ask.",
                " six"
            ]
        );
    }

    proptest! {
        #[test]
        fn nothing_of_either_text_is_lost(old in "([a-c ]{0,6}\n){0,8}", new in "([a-c ]{0,6}\n){0,8}") {
            let compared = lines(&old, &new);
            for (text, absent, number) in [
                (&old, LineKind::Added, (|it: &ComparedLine| it.old) as fn(&ComparedLine) -> Option<usize>),
                (&new, LineKind::Removed, |it| it.new),
            ] {
                let all: Vec<&str> = text.lines().collect();
                for line in compared.iter().filter(|it| it.kind != absent && it.kind != LineKind::Gap) {
                    let told: String = line.pieces.iter().map(|piece| piece.text.as_str()).collect();
                    prop_assert_eq!(told.as_str(), all[number(line).unwrap() - 1]);
                }
            }
        }
    }
}
