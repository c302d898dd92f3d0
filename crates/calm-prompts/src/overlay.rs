//! The user's own edits over a prompt set, and what differs between two sets.
//!
//! Files are texts by path inside the set, as [`crate::PromptSet`] holds them; where they lie on disk, and whether
//! the result is fit to become a version, is decided elsewhere.

use std::collections::BTreeMap;

use diffy::{DiffOptions, Line, Patch};
use serde::{Deserialize, Serialize};

use crate::Both;
use crate::both::both;

/// An edit with this ending is a unified diff against the file without it.
const PATCH: &str = ".patch";
/// Prompts are pages, not books: more lines than this are neither patched nor compared line by line.
const MOST_LINES: usize = 4_000;

/// An edit that cannot be laid over the set. The texts name places, never contents.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("failed to apply {file}: {problem}")]
pub struct OverlayError {
    /// The edit's path, as it was given.
    pub file: String,
    pub problem: Both,
}

/// How a file of one set differs in another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileChange {
    pub path: String,
    pub kind: ChangeKind,
    /// A unified diff. Of a changed file it is an edit: saved as `<path>.patch`, it makes this change.
    /// Files of more than 4,000 lines are only said to differ.
    pub diff: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChangeKind {
    Added,
    Removed,
    Changed,
}

/// `base` with the edits applied.
///
/// An edit `path` replaces or adds that file whole, `path.patch` is a unified diff of it. CRLF and a byte order mark,
/// as some editors leave them in edits, are taken out.
///
/// # Errors
/// A path leads out of the set; a file is edited both ways; a patch is for a file that is not there, is no unified
/// diff, or does not fit its file (hunks may have moved, but their lines must be there exactly).
pub fn overlay(
    base: &BTreeMap<String, String>,
    edits: &BTreeMap<String, String>,
) -> Result<BTreeMap<String, String>, OverlayError> {
    let mut files = base.clone();
    for (path, text) in edits {
        let failed = |problem: Both| OverlayError { file: path.clone(), problem };
        stays_inside(path).map_err(failed)?;
        let text = text.strip_prefix('\u{feff}').unwrap_or(text).replace("\r\n", "\n");
        let Some(target) = path.strip_suffix(PATCH) else {
            files.insert(path.clone(), text);
            continue;
        };
        if edits.contains_key(target) {
            return Err(failed(both!("{target} правится и целиком тоже", "{target} is edited whole as well")));
        }
        let missing = || failed(both!("файла {target} нет, менять нечего", "there is no {target} to change"));
        let original = base.get(target).ok_or_else(missing)?;
        files.insert(target.to_owned(), patched(original, &text).map_err(failed)?);
    }
    Ok(files)
}

/// What changed from `base` to `other`, by path.
pub fn differences(base: &BTreeMap<String, String>, other: &BTreeMap<String, String>) -> Vec<FileChange> {
    let mut changes: Vec<FileChange> = Vec::new();
    for (path, old) in base {
        match other.get(path) {
            Some(new) if new == old => {}
            Some(new) => changes.push(change(path, ChangeKind::Changed, old, new)),
            None => changes.push(change(path, ChangeKind::Removed, old, "")),
        }
    }
    for (path, new) in other.iter().filter(|(path, _)| !base.contains_key(*path)) {
        changes.push(change(path, ChangeKind::Added, "", new));
    }
    changes.sort_by(|a, b| a.path.cmp(&b.path));
    changes
}

fn change(path: &str, kind: ChangeKind, old: &str, new: &str) -> FileChange {
    let name = |side: &str, absent: bool| if absent { "/dev/null".to_owned() } else { format!("{side}/{path}") };
    let diff = if old.lines().count().max(new.lines().count()) > MOST_LINES {
        format!("--- {}\n+++ {}\n(too long to compare line by line)\n", name("a", false), name("b", false))
    } else {
        DiffOptions::new()
            .set_original_filename(name("a", kind == ChangeKind::Added))
            .set_modified_filename(name("b", kind == ChangeKind::Removed))
            .create_patch(old, new)
            .to_string()
    };
    FileChange { path: path.to_owned(), kind, diff }
}

/// Forward slashes, no empty, `.` or `..` part, nothing that some system reads as a drive, stream or end of text.
fn stays_inside(path: &str) -> Result<(), Both> {
    if path.contains(['\\', ':']) || path.contains(char::is_control) {
        return Err(both!(
            "в пути знак, которого у файлов набора не бывает",
            "the path holds a character that no file of a set has"
        ));
    }
    if path.split('/').any(|part| matches!(part, "" | "." | "..")) {
        return Err(both!("путь уводит из набора", "the path leads out of the set"));
    }
    match path.strip_suffix(PATCH) {
        Some(target) if target.is_empty() || target.ends_with('/') => {
            Err(both!("патч не называет файла", "the patch names no file"))
        }
        _ => Ok(()),
    }
}

fn patched(original: &str, text: &str) -> Result<String, Both> {
    if original.lines().count().max(text.lines().count()) > MOST_LINES {
        return Err(both!(
            "если строк больше {MOST_LINES}, правь файл целиком, а не патчем",
            "more than {MOST_LINES} lines are edited whole, not patched"
        ));
    }
    let starts = hunk_starts(text)?;
    let patch = Patch::from_str(text).map_err(|error| Both::same(error.to_string()))?;
    let lines: Vec<&str> = original.split_inclusive('\n').collect();
    for (hunk, (i, start)) in patch.hunks().iter().zip(starts.iter().enumerate()) {
        let expected: Vec<&str> = hunk.lines().iter().filter_map(before).collect();
        let number = i + 1;
        // Without a line to hold on to it would land anywhere.
        if expected.is_empty() && !lines.is_empty() {
            return Err(both!(
                "у куска {number} (строка {start} патча) нет вокруг ни одной строки файла",
                "hunk {number} (line {start} of the patch) has no line of the file around it"
            ));
        }
        if !expected.is_empty() && !lines.windows(expected.len()).any(|window| window == expected) {
            let first = hunk.old_range().start().saturating_sub(1);
            let here = lines.iter().skip(first);
            let same = here.zip(&expected).take_while(|(line, wanted)| line == wanted).count();
            let line = first + same + 1;
            return Err(both!(
                "кусок {number} (строка {start} патча) не подходит: строка {line} файла другая",
                "hunk {number} (line {start} of the patch) does not fit: line {line} of the file is another"
            ));
        }
    }
    diffy::apply(original, &patch)
        .map_err(|error| both!("куски не сходятся друг с другом: {error}", "the hunks do not fit together: {error}"))
}

/// What the line was before the change, if it was there.
fn before<'a>(line: &Line<'a, str>) -> Option<&'a str> {
    match line {
        Line::Context(text) | Line::Delete(text) => Some(text),
        Line::Insert(_) => None,
    }
}

/// The lines, from 1, on which the hunks of a patch begin.
///
/// Stricter than the patch library, which drops what follows a hunk that is full: a forgotten count in a header
/// must not lose the user's last lines.
fn hunk_starts(text: &str) -> Result<Vec<usize>, Both> {
    let mut starts = Vec::new();
    let (mut old, mut new) = (0usize, 0usize);
    let mut headed = false;
    for (number, line) in text.lines().enumerate().map(|(i, line)| (i + 1, line)) {
        let full = (old, new) == (0, 0);
        if line.starts_with("@@") {
            if !full {
                return Err(both!(
                    "строка {number}: кусок перед ней короче, чем сказано в его заголовке",
                    "line {number}: the hunk before is shorter than its header says"
                ));
            }
            (old, new) = hunk_header(line)
                .ok_or_else(|| both!("строка {number}: это не заголовок куска", "line {number}: not a hunk header"))?;
            starts.push(number);
        } else if starts.is_empty() {
            headed |= line.starts_with("--- ") || line.starts_with("+++ ");
        } else if !line.starts_with('\\') {
            let (was, is) = match line.as_bytes().first() {
                // An editor that trims lines leaves nothing of an empty one.
                None if full => continue,
                None | Some(b' ') => (1, 1),
                Some(b'-') => (1, 0),
                Some(b'+') => (0, 1),
                Some(_) => {
                    return Err(both!(
                        "строка {number}: в unified diff таких не бывает",
                        "line {number}: not a line of a unified diff"
                    ));
                }
            };
            let left = old.checked_sub(was).zip(new.checked_sub(is));
            (old, new) = left.ok_or_else(|| {
                both!(
                    "строка {number}: кусок длиннее, чем сказано в его заголовке",
                    "line {number}: the hunk is longer than its header says"
                )
            })?;
        }
    }
    if (old, new) != (0, 0) {
        return Err(both!(
            "последний кусок короче, чем сказано в его заголовке",
            "the last hunk is shorter than its header says"
        ));
    }
    if starts.is_empty() && !headed {
        return Err(both!("это не unified diff", "not a unified diff"));
    }
    Ok(starts)
}

/// How many lines a hunk covers before and after: `@@ -3,7 +3,8 @@`, where a count of 1 may be left out.
fn hunk_header(line: &str) -> Option<(usize, usize)> {
    let (ranges, _) = line.strip_prefix("@@ -")?.split_once(" @@")?;
    let (old, new) = ranges.split_once(" +")?;
    let length = |range: &str| match range.split_once(',') {
        Some((_, length)) => length.parse().ok(),
        None => Some(1),
    };
    Some((length(old)?, length(new)?))
}
