//! Versions of the prompts: figures, differences, and going back.

use calm_app::AppError;
use tauri::State;

use crate::desk::Desk;
use crate::wire::{PromptDifference, PromptSide, PromptVersions, WireError};

/// Decisions that are shown.
const LOG: u32 = 50;

/// Every version with its figures, and who decided what.
#[tauri::command(async)]
#[specta::specta]
pub fn prompt_versions(desk: State<'_, Desk>) -> Result<PromptVersions, WireError> {
    versions(&desk)
}

/// What differs from one to the other, file by file.
#[tauri::command(async)]
#[specta::specta]
pub fn compare_prompts(
    desk: State<'_, Desk>,
    from: PromptSide,
    to: PromptSide,
) -> Result<Vec<PromptDifference>, WireError> {
    let compared = desk.with(|conductor| conductor.compare_prompts(&from.read(), &to.read()))?;
    Ok(compared.into_iter().map(PromptDifference::from).collect())
}

/// New sessions use that version again.
#[tauri::command(async)]
#[specta::specta]
pub fn roll_back_prompts(desk: State<'_, Desk>, to: String) -> Result<PromptVersions, WireError> {
    desk.with(|conductor| conductor.roll_back_prompts(Some(&to), None))?;
    versions(&desk)
}

fn versions(desk: &Desk) -> Result<PromptVersions, WireError> {
    desk.with(|conductor| {
        let (versions, log) = (conductor.prompt_versions()?, conductor.prompt_log(LOG)?);
        let statistics = conductor.prompt_statistics()?;
        Ok::<_, AppError>(PromptVersions::of(&versions, &statistics, &log, conductor.prompts()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::house::House;
    use crate::wire::{PromptEventKind, PromptLineKind, PromptReason, PromptWho};
    use calm_app::prompting::edits;
    use calm_app::{Format, Kind};

    const TONE: &str = "en/base/tone.md";

    /// A version that says one thing more.
    fn finalized(desk: &Desk, more: &str) -> String {
        let text = edits::text(&desk.paths().data, TONE).expect("the file").text + more;
        edits::keep(&desk.paths().data, TONE, &text).expect("kept");
        let done = desk.with(|conductor| conductor.finalize_prompts(None, Some("shorter"))).expect("an answer");
        done.unwrap_or_else(|_| panic!("refused")).version
    }

    #[test]
    fn a_version_is_listed_counted_compared_and_gone_back_from() {
        let desk = House::new();
        let shipped = versions(&desk).expect("versions").versions[0].version.clone();
        let mine = finalized(&desk, "\nKeep every reply under three sentences.\n");
        desk.begin(Kind::CheckIn, Format::Short, "window").expect("begun");
        desk.finish().expect("finished");
        let now = versions(&desk).expect("versions");
        let names: Vec<_> = now.versions.iter().map(|it| (it.version.as_str(), it.in_use, it.own)).collect();
        assert_eq!(names, [(mine.as_str(), true, true), (shipped.as_str(), false, false)]);
        assert_eq!((now.versions[0].note.as_str(), now.versions[0].figures.len()), ("shorter", 1));
        let figures = &now.versions[0].figures[0];
        assert_eq!((figures.sessions, figures.forced.k, figures.completed.k, figures.stress), (1, 1, 0, None));

        let side = |version: &str| PromptSide::Version { version: version.to_owned() };
        let compared = desk.with(|it| it.compare_prompts(&side(&shipped).read(), &side(&mine).read()));
        let compared: Vec<PromptDifference> = compared.expect("differences").into_iter().map(Into::into).collect();
        assert_eq!(compared.iter().map(|it| it.path.as_str()).collect::<Vec<_>>(), [TONE]);
        let added = compared[0].lines.iter().filter(|line| line.kind == PromptLineKind::Added);
        let added: Vec<String> = added.map(|line| line.pieces.iter().map(|it| it.text.as_str()).collect()).collect();
        assert_eq!(added, ["", "Keep every reply under three sentences."]);

        desk.with(|conductor| conductor.roll_back_prompts(Some(&shipped), None)).expect("gone back");
        let after = versions(&desk).expect("versions");
        assert!(after.versions.iter().any(|it| it.version == mine && it.retired && !it.in_use));
        assert!(after.versions.iter().any(|it| it.version == shipped && it.in_use));
        let last = &after.log[0];
        assert_eq!((last.event, last.who, last.to.as_str()), (PromptEventKind::RolledBack, PromptWho::User, &*shipped));
        let refused = desk.with(|it| it.roll_back_prompts(Some("9.9.9"), None).map(drop)).expect_err("refused");
        assert_eq!(refused.code, "no_earlier_prompts");
    }

    #[test]
    fn the_rule_s_reason_comes_in_figures_and_not_as_a_sentence() {
        let reason = calm_app::prompts::versions::Reason::LowerScores {
            baseline_mean: 4.126,
            baseline_n: 60,
            candidate_mean: 3.5,
            candidate_n: 15,
            evidence: 31.0,
        };
        let expected = PromptReason::LowerScores { before: 413, before_n: 60, now: 350, now_n: 15 };
        assert_eq!(PromptReason::from(reason), expected);
    }
}
