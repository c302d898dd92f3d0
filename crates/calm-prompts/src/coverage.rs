//! Which files and which sides of conditions a set of renderings went through (SPEC K5).
//!
//! What was not reached is information, never a fault: somebody may not have thought of a case yet.

use std::collections::BTreeSet;

use serde::Serialize;

use crate::template::{Library, Trace};

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Coverage {
    pub files: usize,
    pub files_taken: usize,
    pub conditions: usize,
    /// Each condition has two: it holds, and it does not.
    pub sides: usize,
    pub sides_taken: usize,
    pub gaps: Vec<Gap>,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(tag = "gap", rename_all = "lowercase")]
pub enum Gap {
    /// Never rendered.
    File { file: String },
    /// Rendered, but never went this way.
    Side { file: String, line: u32, column: u32, condition: String, holds: bool },
}

/// What `trace` reached of the files in `libraries`; a file that several of them hold counts once.
pub fn coverage<'a>(libraries: impl IntoIterator<Item = &'a Library>, trace: &Trace) -> Coverage {
    let libraries: Vec<&Library> = libraries.into_iter().collect();
    let files: BTreeSet<&str> = libraries.iter().flat_map(|library| library.files()).collect();
    let mut gaps: BTreeSet<Gap> = BTreeSet::new();
    gaps.extend(files.iter().filter(|f| !trace.files.contains(**f)).map(|f| Gap::File { file: (*f).to_owned() }));
    let files_taken = files.len() - gaps.len();
    let mut seen: BTreeSet<(String, usize)> = BTreeSet::new();
    let mut sides_taken = 0;
    for condition in libraries.iter().flat_map(|library| library.conditions()) {
        if !seen.insert((condition.file.clone(), condition.offset)) {
            continue;
        }
        for holds in [true, false] {
            if trace.sides.contains(&(condition.file.clone(), condition.offset, holds)) {
                sides_taken += 1;
            } else {
                gaps.insert(Gap::Side {
                    file: condition.file.clone(),
                    line: condition.line,
                    column: condition.column,
                    condition: condition.text.clone(),
                    holds,
                });
            }
        }
    }
    let gaps = gaps.into_iter().collect();
    Coverage { files: files.len(), files_taken, conditions: seen.len(), sides: seen.len() * 2, sides_taken, gaps }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::template::Dialect;
    use serde_json::json;

    #[test]
    fn gaps_are_named_and_a_shared_file_counts_once() {
        let mut library = Library::default();
        library.add("root.md", "root.md", "{{#if user.name}}a{{else}}{{include b.md}}{{/if}}", 0, Dialect::Prompt);
        library.add("b.md", "b.md", "\n{{#if voice}}b{{/if}}", 0, Dialect::Prompt);
        library.link();
        let mut trace = Trace::default();
        let of = |trace: &Trace| coverage([&library, &library], trace);
        library.render("root.md", &json!({"user": {"name": "x"}}), &[], Some(&mut trace)).unwrap();
        let first = of(&trace);
        assert_eq!((first.files, first.files_taken, first.conditions, first.sides, first.sides_taken), (2, 1, 2, 4, 1));
        assert_eq!(first.gaps.len(), 4);
        library.render("root.md", &json!({}), &[], Some(&mut trace)).unwrap();
        let place = Gap::Side { file: "b.md".into(), line: 2, column: 1, condition: "voice".into(), holds: true };
        assert_eq!(of(&trace).gaps, [place]);
        library.render("root.md", &json!({"voice_analysis": {"stress_level": 3}}), &[], Some(&mut trace)).unwrap();
        assert_eq!(of(&trace).gaps, []);
        assert_eq!(of(&trace).sides_taken, 4);
    }
}
