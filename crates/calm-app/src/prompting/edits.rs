//! The user's edits one file at a time: looked through, kept, taken back.
//!
//! Text that is being written and has not been kept lies beside them in `.unsaved/`, where nobody takes it for an edit.

use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use calm_prompts::lint::Finding;
use calm_prompts::overlay::{ChangeKind, overlay};
use calm_prompts::{Both, PromptSet, is_prompt_file};

use super::draft::{Draft, DraftError, PATCH, edits, folder};
use super::linting::{Linted, lint_set, shown};
use super::usable;
use super::versions::VersionLine;
use crate::conductor::Conductor;
use crate::error::AppError;
use crate::prompt_folder::{self, FolderError, LARGEST_FILE};

const UNSAVED: &str = ".unsaved";
/// Numbers that people call in need come with their sources and are edited by nobody.
const HELPLINES: &str = "helplines.toml";

/// Every file of the set with the edits over it.
pub struct Shelf {
    pub files: Vec<ShelfFile>,
    /// Why the edits cannot be used as they are.
    pub problem: Option<DraftError>,
}

pub struct ShelfFile {
    /// Inside the set.
    pub path: String,
    /// Against the shipped file.
    pub edited: Option<ChangeKind>,
    /// There is text of it that was not kept.
    pub unsaved: bool,
    /// Nobody edits it.
    pub fixed: bool,
}

/// A file as an editor opens it.
pub struct EditedText {
    /// With the edit, where there is one.
    pub text: String,
    /// `None` where the set has come without it.
    pub shipped: Option<String>,
    pub unsaved: Option<String>,
}

/// Every file, and what has become of it.
///
/// # Errors
/// The folder of the edits cannot be read. Edits that do not fit the set are told in the shelf.
pub fn shelf(data: &Path) -> Result<Shelf, AppError> {
    let shipped = PromptSet::shipped();
    let edits = edits(data)?;
    let (changes, problem) = match Draft::read(data) {
        Ok(draft) => (draft.map(|draft| draft.changes).unwrap_or_default(), None),
        Err(error) => (Vec::new(), Some(error)),
    };
    let unsaved = held(data)?;
    let targets = edits.keys().map(|path| path.strip_suffix(PATCH).unwrap_or(path));
    let paths: BTreeSet<&str> =
        shipped.files().keys().map(String::as_str).chain(targets).chain(unsaved.iter().map(String::as_str)).collect();
    let file = |path: &str| {
        let is_edit = edits.contains_key(path) || edits.contains_key(&format!("{path}{PATCH}"));
        let found = changes.iter().find(|change| change.path == path).map(|change| change.kind);
        // Which edit it is that does not fit is only known once it can be taken back.
        let unknown = || (problem.is_some() && is_edit).then_some(ChangeKind::Changed);
        ShelfFile {
            path: path.to_owned(),
            edited: found.or_else(unknown),
            unsaved: unsaved.contains(path),
            fixed: path == HELPLINES,
        }
    };
    Ok(Shelf { files: paths.into_iter().map(file).collect(), problem })
}

/// A patch that does not fit leaves the shipped text; [`shelf`] tells of it.
///
/// # Errors
/// There is no such file.
pub fn text(data: &Path, path: &str) -> Result<EditedText, AppError> {
    let set = PromptSet::shipped();
    let shipped = set.files().get(path).cloned();
    let patch = format!("{path}{PATCH}");
    let own = edits(data)?.into_iter().filter(|(name, _)| name == path || *name == patch).collect();
    let edited = match overlay(set.files(), &own) {
        Ok(mut files) => files.remove(path),
        Err(_) => shipped.clone(),
    };
    let unsaved = match inside(data, path)? {
        place if place.is_file() => Some(prompt_folder::read_file(&place)?),
        _ => None,
    };
    let text = edited.or_else(|| unsaved.as_ref().map(|_| String::new()));
    let text = text.ok_or_else(|| DraftError::NoPrompt { path: path.to_owned() })?;
    Ok(EditedText { text, shipped, unsaved })
}

/// Keeps `text` as the edit of `path`; the shipped text again is no edit.
///
/// # Errors
/// The set can have no such file, the text is too long, or it cannot be written; the edit before is still there then.
pub fn keep(data: &Path, path: &str, text: &str) -> Result<(), AppError> {
    let place = may_be_written(data, path, text)?;
    if PromptSet::shipped().files().get(path).is_some_and(|shipped| shipped == text) {
        return take_back(data, path);
    }
    write(&place, text)?;
    // A file is edited whole or by a patch, and now it is whole.
    remove(&with_patch(&place))?;
    hold(data, path, None)
}

/// The shipped file again; an added one goes.
///
/// # Errors
/// The edit cannot be removed.
pub fn take_back(data: &Path, path: &str) -> Result<(), AppError> {
    let place = folder(data).join(safe(path)?);
    remove(&with_patch(&place))?;
    remove(&place)?;
    hold(data, path, None)
}

/// Text that is not to be lost and is no edit yet; `None` lets go of it.
///
/// # Errors
/// As [`keep`].
pub fn hold(data: &Path, path: &str, text: Option<&str>) -> Result<(), AppError> {
    match text {
        Some(text) => {
            may_be_written(data, path, text)?;
            write(&inside(data, path)?, text)
        }
        None => remove(&inside(data, path)?),
    }
}

/// What the linter says of the edits, with `text` in the place of one of them; the shipped set where there are none.
///
/// # Errors
/// The edits cannot be read.
pub fn lint_with(data: &Path, edit: Option<(&str, &str)>, banned: &[String]) -> Result<Linted, AppError> {
    match draft_with(data, edit) {
        Ok(set) => Ok(lint_set(&set, banned)),
        Err(DraftError::Folder(error)) => Err(error.into()),
        Err(error) => Ok(shown(vec![mistake(&error)], &[])),
    }
}

/// The set with the edits; the shipped one where there are none.
///
/// # Errors
/// The edits cannot be read or do not fit.
pub fn edited_set(data: &Path) -> Result<PromptSet, AppError> {
    Ok(draft_with(data, None)?)
}

pub(super) fn draft_with(data: &Path, edit: Option<(&str, &str)>) -> Result<PromptSet, DraftError> {
    let draft = match edit {
        Some((path, text)) => Draft::read_with(data, path, text),
        None => Draft::read(data),
    };
    Ok(draft?.map_or_else(PromptSet::shipped, |draft| draft.set))
}

fn mistake(error: &DraftError) -> Finding {
    match error {
        DraftError::Set(error) => usable::file(error),
        DraftError::Overlay(error) => usable::finding(&error.file, 1, 1, error.problem.clone(), take_it_back()),
        DraftError::OtherSet { expected } => {
            let ru = format!("id набора должен остаться {expected}");
            usable::finding("manifest.toml", 1, 1, usable::both(ru, error.to_string()), take_it_back())
        }
        other => usable::finding("manifest.toml", 1, 1, Both::same(other.to_string()), take_it_back()),
    }
}

fn take_it_back() -> Both {
    usable::both("верни файл как был", "take the edit back")
}

/// Where the edit of `path` lies, if it may be written at all.
fn may_be_written(data: &Path, path: &str, text: &str) -> Result<PathBuf, AppError> {
    let place = folder(data).join(safe(path)?);
    if path == HELPLINES {
        return Err(DraftError::Helplines.into());
    }
    if u64::try_from(text.len()).unwrap_or(u64::MAX) > LARGEST_FILE {
        return Err(FolderError::TooLarge { path: place }.into());
    }
    Ok(place)
}

/// A path that leads nowhere but into the set.
fn safe(path: &str) -> Result<&str, AppError> {
    let fits = is_prompt_file(path) && path.split('/').all(|part| !part.starts_with('.'));
    let lies_inside =
        || overlay(&std::collections::BTreeMap::new(), &[(path.to_owned(), String::new())].into()).is_ok();
    if fits && lies_inside() {
        Ok(path)
    } else {
        Err(DraftError::NoPrompt { path: path.chars().take(80).collect() }.into())
    }
}

fn inside(data: &Path, path: &str) -> Result<PathBuf, AppError> {
    Ok(folder(data).join(UNSAVED).join(safe(path)?))
}

/// The files that text is held of.
fn held(data: &Path) -> Result<BTreeSet<String>, AppError> {
    let unsaved = folder(data).join(UNSAVED);
    if !unsaved.is_dir() {
        return Ok(BTreeSet::new());
    }
    Ok(prompt_folder::read_set(&unsaved)?.into_keys().collect())
}

fn with_patch(place: &Path) -> PathBuf {
    let mut name = place.as_os_str().to_owned();
    name.push(PATCH);
    name.into()
}

/// Whole or not at all.
fn write(place: &Path, text: &str) -> Result<(), AppError> {
    let failed = |source| DraftError::Write { path: place.to_owned(), source };
    let parent = place.parent().unwrap_or(place);
    fs::create_dir_all(parent).map_err(failed)?;
    let mut file = tempfile::NamedTempFile::new_in(parent).map_err(failed)?;
    file.write_all(text.as_bytes()).and_then(|()| file.as_file().sync_all()).map_err(failed)?;
    file.persist(place).map_err(|error| failed(error.error))?;
    Ok(())
}

fn remove(place: &Path) -> Result<(), AppError> {
    match fs::remove_file(place) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(DraftError::Write { path: place.to_owned(), source: error }.into())
        }
        _ => Ok(()),
    }
}

impl Conductor {
    /// The version that the edits are already, if they are one of `versions` and fit the set at all.
    pub fn edits_as_version(&self, versions: &[VersionLine]) -> Option<String> {
        let hash = Draft::read(&self.paths().data).ok()??.set.identity().hash;
        versions.iter().find(|it| it.hash == hash).map(|it| it.version.clone())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use calm_prompts::lint::{Rule, Severity};
    use proptest::collection::vec;
    use proptest::prelude::*;
    use proptest::sample::select;
    use rstest::rstest;

    const TONE: &str = "ru/base/tone.md";

    fn shipped(path: &str) -> String {
        PromptSet::shipped().files()[path].clone()
    }

    fn edited(data: &Path) -> Vec<String> {
        shelf(data).unwrap().files.into_iter().filter(|it| it.edited.is_some()).map(|it| it.path).collect()
    }

    #[test]
    fn an_edit_is_kept_seen_and_taken_back() {
        let data = tempfile::tempdir().unwrap();
        assert_eq!(edited(data.path()), [""; 0]);
        let mine = shipped(TONE) + "\nКороче.\n";
        hold(data.path(), TONE, Some(&mine)).unwrap();
        assert_eq!(edited(data.path()), [""; 0], "what is being written is no edit");
        assert_eq!(text(data.path(), TONE).unwrap().unsaved.as_deref(), Some(mine.as_str()));
        keep(data.path(), TONE, &mine).unwrap();
        assert_eq!(edited(data.path()), [TONE]);
        let open = text(data.path(), TONE).unwrap();
        assert_eq!((open.text, open.shipped, open.unsaved), (mine, Some(shipped(TONE)), None));
        take_back(data.path(), TONE).unwrap();
        assert_eq!(text(data.path(), TONE).unwrap().text, shipped(TONE));
        assert!(Draft::read(data.path()).unwrap().is_none());
    }

    #[test]
    fn the_shipped_text_again_is_no_edit_and_a_patch_becomes_a_whole_file() {
        let data = tempfile::tempdir().unwrap();
        let mine = shipped(TONE) + "\nКороче.\n";
        keep(data.path(), TONE, &mine).unwrap();
        let patch = Draft::read(data.path()).unwrap().unwrap().changes[0].diff.clone();
        take_back(data.path(), TONE).unwrap();
        fs::write(folder(data.path()).join("ru/base/tone.md.patch"), patch).unwrap();
        assert_eq!(text(data.path(), TONE).unwrap().text, mine);
        keep(data.path(), TONE, &(mine + "Ещё.\n")).unwrap();
        assert!(text(data.path(), TONE).unwrap().text.ends_with("Ещё.\n"));
        keep(data.path(), TONE, &shipped(TONE)).unwrap();
        assert!(super::edits(data.path()).unwrap().is_empty());
    }

    #[test]
    fn an_edit_that_does_not_fit_is_told_and_can_be_taken_back() {
        let data = tempfile::tempdir().unwrap();
        keep(data.path(), "manifest.toml", "id = 1").unwrap();
        let broken = shelf(data.path()).unwrap();
        assert!(broken.problem.is_some_and(|it| it.to_string().starts_with("manifest.toml:1")));
        assert_eq!(edited(data.path()), ["manifest.toml"]);
        take_back(data.path(), "manifest.toml").unwrap();
        assert!(shelf(data.path()).unwrap().problem.is_none());

        let patch = folder(data.path()).join("ru/base/tone.md.patch");
        fs::create_dir_all(patch.parent().unwrap()).unwrap();
        fs::write(patch, "@@ -1,1 +1,1 @@\n-nowhere\n+here\n").unwrap();
        assert!(shelf(data.path()).unwrap().problem.is_some_and(|it| it.to_string().contains("tone.md.patch")));
        assert_eq!(text(data.path(), TONE).unwrap().text, shipped(TONE));
        assert_eq!(edited(data.path()), [TONE]);
        take_back(data.path(), TONE).unwrap();
        assert_eq!(edited(data.path()), [""; 0]);
    }

    #[rstest]
    #[case::out("../calm.db.md")]
    #[case::hidden(".unsaved/a.md")]
    #[case::absolute("/etc/a.md")]
    #[case::other("ru/a.txt")]
    #[case::drive("c:/a.md")]
    #[case::helplines("helplines.toml")]
    fn what_no_set_can_have_is_not_written(#[case] path: &str) {
        let data = tempfile::tempdir().unwrap();
        assert!(keep(data.path(), path, "x").is_err());
        assert!(hold(data.path(), path, Some("x")).is_err());
        assert_eq!(fs::read_dir(data.path()).unwrap().count(), 0);
    }

    proptest! {
        #[test]
        fn no_path_leads_out_of_the_edits(parts in vec(select(&["..", ".", "", "ru", "a.md", "C:", "b\\c.md", "\0", "x.toml", ".d", "\u{202e}"][..]), 1..5)) {
            let data = tempfile::tempdir().unwrap();
            let house = data.path().join("house");
            let kept = keep(&house, &parts.join("/"), "x").is_ok();
            let outside = fs::read_dir(data.path()).unwrap().filter(|it| it.as_ref().unwrap().path() != house).count();
            prop_assert_eq!(outside, 0);
            if kept {
                prop_assert_eq!(fs::read_dir(&house).unwrap().count(), 1, "only the folder of the edits");
                prop_assert_eq!(super::edits(&house).unwrap().len(), 1);
            }
        }
    }

    #[test]
    fn the_text_that_is_being_written_is_linted_with_the_rest_of_the_set() {
        let data = tempfile::tempdir().unwrap();
        let wrong = shipped(TONE) + "\n{{usr.name}}\n";
        let linted = lint_with(data.path(), Some((TONE, &wrong)), &[]).unwrap();
        let lines = u32::try_from(wrong.lines().count()).unwrap();
        let found = linted.findings.iter().find(|it| it.finding.rule == Rule::BrokenFile).unwrap();
        assert_eq!((found.finding.file.as_str(), found.finding.line), (TONE, lines));
        assert_eq!(lint_with(data.path(), None, &[]).unwrap().count(Severity::HardFail), 0);
        let manifest = lint_with(data.path(), Some(("manifest.toml", "id = 1")), &[]).unwrap();
        assert_eq!(
            (manifest.findings[0].finding.file.as_str(), manifest.findings[0].finding.line),
            ("manifest.toml", 1)
        );
    }
}
