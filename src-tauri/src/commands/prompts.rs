//! The prompts: their files, what the linter says of them, and what a model would be sent.

#![allow(clippy::let_underscore_must_use, reason = "the macro of asynchronous commands writes it")]

use calm_app::AppError;
use calm_app::prompting::{Finalized, Refusal, edits};
use calm_app::prompts::lint::Lang as LintLang;
use tauri::State;

use super::reaching::unhurried;
use crate::desk::Desk;
use crate::wire::{
    PromptEdit, PromptFinalized, PromptLint, PromptPreview, PromptSample, PromptShelf, PromptText, WireError,
};

/// Every file of the set, with the edits over it.
#[tauri::command(async)]
#[specta::specta]
pub fn prompt_files(desk: State<'_, Desk>) -> Result<PromptShelf, WireError> {
    shelf(&desk)
}

#[tauri::command(async)]
#[specta::specta]
pub fn prompt_file(desk: State<'_, Desk>, path: String) -> Result<PromptText, WireError> {
    let open = edits::text(&desk.paths().data, &path)?;
    let unsaved = open.unsaved.unwrap_or_else(|| open.text.clone());
    let shipped = open.shipped.unwrap_or_default();
    Ok(PromptText { path, unsaved, shipped, text: open.text })
}

/// Keeps a text that is no edit yet, so that nothing of it is lost.
#[tauri::command(async)]
#[specta::specta]
pub fn hold_prompt(desk: State<'_, Desk>, edit: PromptEdit) -> Result<(), WireError> {
    desk.with(|conductor| edits::hold(&conductor.paths().data, &edit.path, Some(&edit.text)))
}

/// Lets go of a text that was no edit.
#[tauri::command(async)]
#[specta::specta]
pub fn let_go_prompt(desk: State<'_, Desk>, path: String) -> Result<PromptShelf, WireError> {
    desk.with(|conductor| edits::hold(&conductor.paths().data, &path, None))?;
    shelf(&desk)
}

#[tauri::command(async)]
#[specta::specta]
pub fn keep_prompt(desk: State<'_, Desk>, edit: PromptEdit) -> Result<PromptShelf, WireError> {
    keep(&desk, &edit)?;
    shelf(&desk)
}

/// The file as it came with the program.
#[tauri::command(async)]
#[specta::specta]
pub fn take_back_prompt(desk: State<'_, Desk>, path: String) -> Result<PromptShelf, WireError> {
    desk.with(|conductor| edits::take_back(&conductor.paths().data, &path))?;
    shelf(&desk)
}

/// What the linter says of the whole set, with the edits and with what is being written.
#[tauri::command]
#[specta::specta]
pub async fn lint_prompts(desk: State<'_, Desk>, edit: Option<PromptEdit>) -> Result<PromptLint, WireError> {
    let desk = desk.inner().clone();
    unhurried(move || lint(&desk, edit.as_ref())).await
}

/// Makes the edits a version that new sessions use, unless there is a hard fail.
#[tauri::command]
#[specta::specta]
pub async fn finalize_prompts(
    desk: State<'_, Desk>,
    version: String,
    note: String,
) -> Result<PromptFinalized, WireError> {
    let desk = desk.inner().clone();
    unhurried(move || finalize(&desk, &version, &note)).await
}

/// The exact messages that a model would be sent.
#[tauri::command]
#[specta::specta]
pub async fn preview_prompts(
    desk: State<'_, Desk>,
    sample: PromptSample,
    edit: Option<PromptEdit>,
) -> Result<PromptPreview, WireError> {
    let desk = desk.inner().clone();
    unhurried(move || preview(&desk, sample, edit.as_ref())).await
}

/// Where the database is closed or everything was erased, nothing is written either.
fn keep(desk: &Desk, edit: &PromptEdit) -> Result<(), WireError> {
    desk.with(|conductor| edits::keep(&conductor.paths().data, &edit.path, &edit.text))
}

fn shelf(desk: &Desk) -> Result<PromptShelf, WireError> {
    let shelf = edits::shelf(&desk.paths().data)?;
    desk.with(|conductor| {
        let versions = conductor.prompt_versions()?;
        let in_use = versions.iter().find(|version| version.in_use);
        let own = in_use.is_some_and(|it| it.is_own());
        let edits_are = conductor.edits_as_version(&versions);
        let version = in_use.map(|it| it.version.clone()).unwrap_or_default();
        Ok(PromptShelf::of(&shelf, version, own, edits_are.unwrap_or_default()))
    })
}

fn lint(desk: &Desk, edit: Option<&PromptEdit>) -> Result<PromptLint, WireError> {
    // The conductor is not held meanwhile: a talk goes on.
    let (banned, language) = desk.with(|conductor| Ok((conductor.banned_words()?, conductor.settings().language)))?;
    let linted = edits::lint_with(&desk.paths().data, edit.map(PromptEdit::pair), &banned)?;
    Ok(PromptLint::of(&linted, language))
}

fn finalize(desk: &Desk, version: &str, note: &str) -> Result<PromptFinalized, WireError> {
    let [version, note] = [version, note].map(|text| Some(text.trim()).filter(|text| !text.is_empty()));
    let done = desk.with(|conductor| conductor.finalize_prompts(version, note))?;
    Ok(match done {
        Ok(Finalized { version, files_changed, .. }) => {
            PromptFinalized::Done { version, files: u32::try_from(files_changed).unwrap_or(u32::MAX) }
        }
        Err(Refusal::NothingChanged) => PromptFinalized::NothingChanged,
        Err(Refusal::Lint(linted)) => PromptFinalized::Lint { lint: PromptLint::of(&linted, desk.language()) },
        Err(Refusal::VersionTaken(version)) => PromptFinalized::Taken { version },
        Err(Refusal::WasRetired(version)) => PromptFinalized::Retired { version },
    })
}

/// A mistake in a prompt is the answer, and no failure: somebody is writing it.
fn preview(desk: &Desk, sample: PromptSample, edit: Option<&PromptEdit>) -> Result<PromptPreview, WireError> {
    let sample = sample.read();
    desk.with(|conductor| match conductor.preview_prompts(&sample, edit.map(PromptEdit::pair)) {
        Ok(rendered) => Ok(PromptPreview::from(&rendered)),
        Err(AppError::Template(error)) => {
            let language = LintLang::from_code(conductor.settings().language.code()).unwrap_or(LintLang::En);
            Ok(PromptPreview::empty(error.told(language)))
        }
        Err(error @ (AppError::Prompts(_) | AppError::Draft(_))) => Ok(PromptPreview::empty(error.to_string())),
        Err(error) => Err(error),
    })
}

impl PromptEdit {
    fn pair(&self) -> (&str, &str) {
        (&self.path, &self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::house::House;
    use crate::wire::{PromptEditState, PromptKnown, PromptRule, PromptSeverity, WireFormat, WireKind, WireLang};
    use calm_app::{Lang, Settings};

    const TONE: &str = "en/base/tone.md";

    fn with(desk: &Desk, more: &str) -> PromptEdit {
        let text = edits::text(&desk.paths().data, TONE).expect("the file").text + more;
        PromptEdit { path: TONE.to_owned(), text }
    }

    fn sample(known: PromptKnown, edits: bool) -> PromptSample {
        PromptSample {
            kind: WireKind::CheckIn,
            format: WireFormat::Short,
            language: WireLang::En,
            envelope: "en".into(),
            plain: false,
            native_tools: true,
            known,
            said: String::new(),
            edits,
        }
    }

    fn system(desk: &Desk, sample: PromptSample, edit: Option<&PromptEdit>) -> String {
        preview(desk, sample, edit).expect("a preview").messages.first().expect("a message").text.clone()
    }

    #[test]
    fn an_edit_is_seen_on_the_shelf_and_becomes_a_version_that_sessions_use() {
        let desk = House::new();
        let before = shelf(&desk).expect("a shelf");
        assert!(!before.own && before.files.iter().all(|file| file.edit == PromptEditState::None));
        let edit = with(&desk, "\nKeep every reply under three sentences.\n");
        keep(&desk, &edit).expect("kept");
        let edited = shelf(&desk).expect("a shelf").files.into_iter().filter(|it| it.edit != PromptEditState::None);
        assert_eq!(edited.map(|file| file.path).collect::<Vec<_>>(), [TONE]);
        assert!(!system(&desk, sample(PromptKnown::Nothing, false), None).contains("under three sentences"));
        assert!(system(&desk, sample(PromptKnown::Nothing, true), None).contains("under three sentences"));
        let done = finalize(&desk, " ", "shorter").expect("an answer");
        let PromptFinalized::Done { version, files: 1 } = done else { panic!("{done:?}") };
        let after = shelf(&desk).expect("a shelf");
        assert_eq!((after.own, after.version.as_str(), after.edits_are.as_str()), (true, &*version, &*version));
        assert!(system(&desk, sample(PromptKnown::Nothing, false), None).contains("under three sentences"));
        assert!(matches!(finalize(&desk, "", "").expect("an answer"), PromptFinalized::NothingChanged));
    }

    #[test]
    fn a_hard_fail_stops_a_version_and_says_where() {
        let desk = House::new();
        let edit = with(&desk, "\nHello {{usr.name}}\n");
        let live = lint(&desk, Some(&edit)).expect("findings");
        let last = u32::try_from(edit.text.lines().count()).expect("lines");
        let found = live.findings.iter().find(|it| it.severity == PromptSeverity::HardFail).expect("a hard fail");
        assert_eq!(
            (found.rule, found.file.as_str(), found.line, found.column),
            (PromptRule::BrokenFile, TONE, last, 9)
        );
        assert!(found.hint.contains("user.name"), "{found:?}");
        assert!(shelf(&desk).expect("a shelf").files.iter().all(|file| file.edit == PromptEditState::None));
        let seen = preview(&desk, sample(PromptKnown::Nothing, true), Some(&edit)).expect("an answer");
        assert!(seen.messages.is_empty() && seen.problem.starts_with(&format!("{TONE}:{last}:9")), "{}", seen.problem);
        for (language, says) in [(Lang::Ru, "переменной usr.name нет"), (Lang::En, "there is no variable usr.name")]
        {
            desk.with(|conductor| conductor.change_settings(|now| Ok(Settings { language, ..now }))).expect("set");
            let live = lint(&desk, Some(&edit)).expect("findings");
            assert!(live.findings.iter().any(|it| it.message == says), "{:?}", live.findings);
            let seen = preview(&desk, sample(PromptKnown::Nothing, true), Some(&edit)).expect("an answer");
            assert!(seen.problem.contains(says), "{}", seen.problem);
        }
        keep(&desk, &edit).expect("kept");
        let PromptFinalized::Lint { lint } = finalize(&desk, "", "").expect("an answer") else { panic!("finalized") };
        assert!(lint.findings.iter().any(|it| it.line == last && it.severity == PromptSeverity::HardFail));
        assert!(!shelf(&desk).expect("a shelf").own);
    }

    #[test]
    fn a_preview_knows_nobody_somebody_or_the_user() {
        let desk = House::new();
        desk.with(|conductor| {
            let settings = conductor.settings().clone();
            conductor.save_settings(calm_app::Settings { name: Some("Iris".into()), ..settings })
        })
        .expect("saved");
        let names = |known| {
            let text = system(&desk, sample(known, false), None);
            ["Iris", "Maya"].map(|name| text.contains(name))
        };
        assert_eq!(names(PromptKnown::Nothing), [false, false]);
        assert_eq!(names(PromptKnown::Example), [false, true]);
        assert_eq!(names(PromptKnown::Own), [true, false]);
        let said = PromptSample { said: "I slept badly".into(), ..sample(PromptKnown::Example, false) };
        let all = preview(&desk, said, None).expect("a preview");
        assert_eq!(all.messages.last().map(|it| (it.role.as_str(), it.text.as_str())), Some(("user", "I slept badly")));
        assert_eq!(all.characters, all.messages.iter().map(|it| it.characters).sum::<u32>());
        assert_eq!((all.warned_from, all.most), (25_000, 60_000));
    }

    #[test]
    fn after_erasing_no_prompt_is_written() {
        let desk = House::new();
        let edit = with(&desk, "\nShorter.\n");
        keep(&desk, &edit).expect("kept");
        desk.closed("erased", |paths| calm_app::erasing::erase(paths, calm_app::paths::secrets(), false))
            .expect("erased");
        assert!(keep(&desk, &edit).is_err_and(|error| error.code == "erased"));
        assert!(!desk.paths().data.exists());
    }

    #[test]
    fn text_that_is_too_long_to_be_sent_is_told_and_not_cut() {
        let desk = House::new();
        let edit = with(&desk, &"More words. ".repeat(6_000));
        let seen = preview(&desk, sample(PromptKnown::Nothing, true), Some(&edit)).expect("an answer");
        assert!(seen.messages.is_empty() && seen.problem.contains("60"), "{}", seen.problem);
    }
}
