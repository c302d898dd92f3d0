//! The user's edits over a set: whole files, patches, and everything that must be refused.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;

use calm_prompts::overlay::{ChangeKind, OverlayError, differences, overlay};
use proptest::prelude::*;
use rstest::rstest;

type Files = BTreeMap<String, String>;

fn files(pairs: &[(&str, &str)]) -> Files {
    pairs.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect()
}

const TONE: &str = "Speak warmly.\nAsk one question.\nNever promise.\n\nBe short.\nLeave room.\nEnd in peace.\n";

fn set() -> Files {
    files(&[("ru/base/tone.md", TONE), ("ru/root.md", "root\n"), ("empty.md", "")])
}

fn with(edit: &str, text: &str) -> Result<Files, OverlayError> {
    overlay(&set(), &files(&[(edit, text)]))
}

#[test]
fn a_whole_edit_replaces_or_adds_and_leaves_the_rest() {
    let edited = overlay(&set(), &files(&[("ru/root.md", "mine\r\nhere\r\n"), ("ru/new.md", "\u{feff}new")])).unwrap();
    assert_eq!(edited["ru/root.md"], "mine\nhere\n", "Windows line ends are taken out");
    assert_eq!(edited["ru/new.md"], "new", "and so is a byte order mark");
    assert_eq!((edited["ru/base/tone.md"].as_str(), edited.len()), (TONE, 4));
}

#[rstest]
#[case::with_headers(
    "--- a/ru/base/tone.md\n+++ b/ru/base/tone.md\n@@ -1,3 +1,3 @@\n Speak warmly.\n-Ask one question.\n+Ask nothing.\n \
     Never promise.\n"
)]
#[case::without_headers("@@ -2 +2 @@\n-Ask one question.\n+Ask nothing.\n")]
#[case::windows_line_ends("@@ -2 +2 @@\r\n-Ask one question.\r\n+Ask nothing.\r\n")]
#[case::moved_since("@@ -30,2 +30,2 @@\n-Ask one question.\n+Ask nothing.\n Never promise.\n")]
#[case::empty_line_trimmed("@@ -2,3 +2,3 @@\n-Ask one question.\n+Ask nothing.\n Never promise.\n\n\n")]
fn a_patch_changes_its_lines_only(#[case] patch: &str) {
    let edited = with("ru/base/tone.md.patch", patch).unwrap();
    assert_eq!(edited["ru/base/tone.md"], TONE.replace("Ask one question.", "Ask nothing."));
    assert_eq!(edited.len(), 3, "the patch itself is no file of the set");
}

#[rstest]
#[case::no_such_file("ru/none.md.patch", "@@ -1 +1 @@\n-a\n+b\n", "there is no ru/none.md to change")]
#[case::not_there(
    "ru/base/tone.md.patch",
    "@@ -1,2 +1,2 @@\n Speak warmly.\n-Ask two questions.\n+Ask nothing.\n",
    "hunk 1 (line 1 of the patch) does not fit: line 2 of the file is another"
)]
#[case::second_hunk(
    "ru/base/tone.md.patch",
    "--- a\n+++ b\n@@ -2 +2 @@\n-Ask one question.\n+Ask nothing.\n@@ -6 +6 @@\n-Leave space.\n+Leave.\n",
    "hunk 2 (line 6 of the patch) does not fit: line 6 of the file is another"
)]
#[case::nothing_to_hold_on_to(
    "ru/base/tone.md.patch",
    "@@ -2,0 +3 @@\n+Ask nothing.\n",
    "hunk 1 (line 1 of the patch) has no line of the file around it"
)]
#[case::not_a_diff("ru/root.md.patch", "just my notes\n", "not a unified diff")]
#[case::nothing("ru/root.md.patch", "", "not a unified diff")]
#[case::header("ru/root.md.patch", "@@ one @@\n-root\n+mine\n", "line 1: not a hunk header")]
#[case::too_long(
    "ru/root.md.patch",
    "@@ -1 +1 @@\n-root\n+mine\n+and this would be lost\n",
    "line 4: the hunk is longer than its header says"
)]
#[case::too_short("ru/root.md.patch", "@@ -1,2 +1 @@\n-root\n+mine\n", "the last hunk is shorter than its header says")]
#[case::two_files(
    "ru/root.md.patch",
    "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-root\n+mine\ndiff --git a/y b/y\n",
    "line 6: not a line of a unified diff"
)]
fn a_patch_that_does_not_fit_says_where(#[case] edit: &str, #[case] patch: &str, #[case] problem: &str) {
    let error = with(edit, patch).unwrap_err();
    assert_eq!((error.file.as_str(), error.problem.en.as_str()), (edit, problem));
    assert_eq!(error.to_string(), format!("failed to apply {edit}: {problem}"));
}

#[test]
fn a_file_is_edited_one_way_not_two() {
    let both = files(&[("ru/root.md", "mine\n"), ("ru/root.md.patch", "@@ -1 +1 @@\n-root\n+mine\n")]);
    let error = overlay(&set(), &both).unwrap_err();
    assert_eq!(error.problem.en, "ru/root.md is edited whole as well");
}

#[rstest]
#[case("../root.md")]
#[case("ru/../../root.md")]
#[case("ru/..")]
#[case("/etc/passwd")]
#[case("ru//root.md")]
#[case("./root.md")]
#[case("ru\\root.md")]
#[case("C:root.md")]
#[case("ru/ro\0ot.md")]
#[case("ru/root.md\n")]
#[case("")]
#[case("ru/")]
#[case("ru/.patch")]
#[case("../root.md.patch")]
fn no_edit_leads_out_of_the_set(#[case] path: &str) {
    assert_eq!(with(path, "x").unwrap_err().file, path);
}

#[test]
fn hostile_sizes_are_refused_and_not_chewed_on() {
    let long = "x\n".repeat(500_000);
    let patch = format!("@@ -1,500000 +1,0 @@\n{}", "-x\n".repeat(500_000));
    let base = files(&[("a.md", &long)]);
    assert!(overlay(&base, &files(&[("a.md.patch", &patch)])).unwrap_err().problem.en.contains("edited whole"));
    assert_eq!(differences(&base, &files(&[("a.md", "y\n")])).len(), 1);
    for counts in ["-1,99999999999999999999 +1", "-18446744073709551615,18446744073709551615 +1", "-1 +0,0"] {
        assert!(with("ru/root.md.patch", &format!("@@ {counts} @@\n-root\n+mine\n")).is_err(), "{counts}");
    }
}

#[test]
fn differences_read_like_a_diff_and_work_as_an_edit() {
    let other = files(&[
        ("ru/base/tone.md", &TONE.replace("Be short.", "Be brief.")),
        ("ru/new.md", "new\n"),
        ("empty.md", ""),
    ]);
    let changes = differences(&set(), &other);
    let kinds: Vec<_> = changes.iter().map(|change| (change.path.as_str(), change.kind)).collect();
    assert_eq!(
        kinds,
        [
            ("ru/base/tone.md", ChangeKind::Changed),
            ("ru/new.md", ChangeKind::Added),
            ("ru/root.md", ChangeKind::Removed)
        ]
    );
    assert!(changes[0].diff.starts_with("--- a/ru/base/tone.md\n+++ b/ru/base/tone.md\n@@ "), "{}", changes[0].diff);
    assert!(changes[0].diff.contains("\n-Be short.\n+Be brief.\n"));
    assert_eq!(changes[1].diff, "--- /dev/null\n+++ b/ru/new.md\n@@ -0,0 +1 @@\n+new\n");
    assert_eq!(changes[2].diff, "--- a/ru/root.md\n+++ /dev/null\n@@ -1 +0,0 @@\n-root\n");
    assert_eq!(with("ru/base/tone.md.patch", &changes[0].diff).unwrap()["ru/base/tone.md"], other["ru/base/tone.md"]);
    assert!(differences(&other, &other).is_empty());
}

/// Texts of few different lines, so that hunks have many places that look alike; some end without a line end.
fn text() -> impl Strategy<Value = String> {
    let line =
        prop::sample::select(vec!["", " ", "a", "b", "- a", "+ b", "@@ -1 +1 @@", "--- a", "\\ x", "привет", "🙂"]);
    (prop::collection::vec(line, 0..40), any::<bool>()).prop_map(|(lines, ended)| {
        let text = lines.join("\n");
        if ended && !lines.is_empty() { text + "\n" } else { text }
    })
}

proptest! {
    #[test]
    fn a_patch_made_from_two_texts_leads_from_one_to_the_other(old in text(), new in text()) {
        let (base, other) = (files(&[("a.md", &old)]), files(&[("a.md", &new)]));
        let edits: Files =
            differences(&base, &other).into_iter().map(|change| (change.path + ".patch", change.diff)).collect();
        prop_assert_eq!(overlay(&base, &edits), Ok(other));
    }

    #[test]
    fn no_edit_makes_it_panic(path in "[a-z./\\\\:]{0,12}(\\.patch)?", patch in "([-+ @\\\\]|@@ -[0-9]{1,3}(,[0-9])? \\+[0-9](,[0-9])? @@|[a-c\n\r])*") {
        for path in [path.as_str(), "a.md.patch"] {
            if let Err(error) = overlay(&files(&[("a.md", "a\nb\nc\n")]), &files(&[(path, &patch)])) {
                prop_assert_eq!(error.file.as_str(), path);
            }
        }
    }
}
