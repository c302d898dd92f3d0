//! An edit of the prompts on its way to a version and back.

mod support;

use std::fs;

use rstest::rstest;
use support::{House, NOW, shipped, write};

#[test]
fn an_edit_becomes_a_version_only_when_the_linter_lets_it_pass_and_can_be_taken_back() {
    let house = House::new();
    assert_eq!(house.calm(["prompt", "finalize"]).code, 2, "there is nothing to finalize");
    let shipped = shipped("ru/base/tone.md");
    let edit = house.data.join("prompts");
    write(&edit, "ru/base/tone.md", &format!("{shipped}\nОтвечай так: я языковая модель от OpenAI.\n"));

    let refused = house.calm(["prompt", "finalize"]);
    assert_eq!(refused.code, 1, "{}", refused.stderr);
    assert!(refused.all("finding").any(|it| it["rule"] == "anti_ai" && it["file"] == "ru/base/tone.md"));
    assert_eq!(refused.one("error")["code"], "refused");
    let begin = ["--lang", "ru", "session", "check-in", "--say", "готов на восемь", "--now", NOW, "--seed", "1"];
    let before = house.calm(begin).one("session_started")["prompt"].clone();
    assert_eq!(before["version"], "0.3.0");

    write(&edit, "ru/base/tone.md", &format!("{shipped}\nГовори ещё чуть тише.\n"));
    let done = house.calm(["prompt", "finalize", "--note", "quieter"]);
    assert_eq!(done.code, 0, "{}", done.stderr);
    assert_eq!(done.one("finalized")["version"], "0.3.0-mine.1");
    let after = house.calm(begin).one("session_started")["prompt"].clone();
    assert_eq!(after["version"], "0.3.0-mine.1");
    assert_ne!(after["hash"], before["hash"]);
    assert_eq!(house.calm(["prompt", "finalize"]).code, 2, "the same edit is not finalized twice");
    let diff = house.command(["prompt", "versions", "--diff", "0.3.0-mine.1"]).output().expect("calm starts");
    assert!(String::from_utf8_lossy(&diff.stdout).contains("+Говори ещё чуть тише."));

    let back = house.calm(["prompt", "rollback", "--reason", "too quiet"]);
    assert_eq!(back.one("rolled_back")["to"], "0.3.0", "{}", back.stderr);
    assert_eq!(house.calm(begin).one("session_started")["prompt"], before);
    let versions = house.calm(["prompt", "versions"]);
    let mine = versions.all("version").find(|it| it["version"] == "0.3.0-mine.1").expect("my version");
    assert!(mine["retired_at"].is_string() && mine["in_use"] == false);
    let decisions: Vec<&str> = versions.all("decision").filter_map(|it| it["event"].as_str()).collect();
    assert_eq!(decisions, ["rolled_back", "activated", "finalized", "activated", "finalized"]);
    assert_eq!(house.calm(["prompt", "rollback"]).code, 2, "there is nothing before the first version");

    let stats = house.calm(["prompt", "stats"]);
    let figures: Vec<(&str, u64)> = stats
        .all("prompt_stats")
        .map(|it| (it["version"].as_str().unwrap_or_default(), it["sessions"].as_u64().unwrap_or_default()))
        .collect();
    assert_eq!(figures, [("0.3.0", 2), ("0.3.0-mine.1", 1)]);
}

#[rstest]
#[case::what_the_guide_says("guide/en/closing.toml", |text: String| text.replacen("variants = [", "variants = [\n  \"As an AI language model, I cannot feel.\",", 1), "anti_ai")]
#[case::a_note_that_promises("knowledge/en/sleep.md", |text: String| text + "\nThis practice cures your depression.\n", "wellness_wording")]
#[case::an_envelope_without_the_prompt("envelope/en/regular.md", |text: String| text.replace("{baseSystemPrompt}", ""), "broken_file")]
#[case::a_root_that_is_not_there("manifest.toml", |text: String| text.replace("description", "root = \"nosuch.md\"\ndescription"), "broken_file")]
#[case::a_slot_that_no_move_has("guide/en/closing.toml", |text: String| text.replacen("variants = [", "variants = [\n  \"So {evnt} it is.\",", 1), "broken_file")]
#[case::a_number_for_people_in_need("helplines.toml", |text: String| text + "\n# mine\n", "broken_file")]
#[case::a_move_without_words("guide/en/closing.toml", |_: String| "move = []\n".to_owned(), "broken_file")]
#[case::a_broken_practice("practices/en/tea_15min.toml", |_: String| "id = [".to_owned(), "broken_file")]
fn an_edit_that_would_hurt_a_session_never_becomes_a_version(
    #[case] path: &str,
    #[case] edit: fn(String) -> String,
    #[case] rule: &str,
) {
    let house = House::new();
    write(&house.data.join("prompts"), path, &edit(shipped(path)));
    let run = house.calm(["prompt", "finalize"]);
    assert_eq!(run.code, 1, "{:?}", run.events);
    assert!(run.all("finding").any(|it| it["rule"] == rule && it["severity"] == "hard_fail"), "{:?}", run.events);
    assert_eq!(house.calm(["prompt", "lint"]).code, 1);
}

#[rstest]
#[case::no_name(&["--version", ""])]
#[case::a_table_breaker(&["--version", "a\nb"])]
#[case::a_path(&["--version", "../x"])]
fn a_version_has_a_name_that_fits_everywhere(#[case] args: &[&str]) {
    let house = House::new();
    write(&house.data.join("prompts"), "ru/base/tone.md", &(shipped("ru/base/tone.md") + "\nЕщё тише.\n"));
    let run = house.calm(["prompt", "finalize"].iter().chain(args));
    assert_eq!((run.code, run.types()), (2, vec!["error"]), "{}", run.stderr);
}

#[test]
fn another_set_does_not_come_in_as_an_edit_and_unknown_versions_are_named() {
    let house = House::new();
    write(&house.data.join("prompts"), "manifest.toml", &shipped("manifest.toml").replace("\"calm\"", "\"mine\""));
    assert_eq!(house.calm(["prompt", "finalize"]).code, 2);
    fs::remove_dir_all(house.data.join("prompts")).expect("removed");
    assert_eq!(house.calm(["prompt", "versions"]).code, 0);
    let run = house.calm(["prompt", "rollback", "--to", "nosuch"]);
    assert!(run.one("error")["message"].as_str().is_some_and(|it| it.contains("no version nosuch")), "{}", run.stderr);
}

#[test]
fn an_edited_note_is_found_and_is_gone_again_after_a_rollback() {
    let house = House::new();
    let note = shipped("knowledge/en/sleep.md")
        + "\n## A test of mine\n\nThe zebrafish sleeps as well, and nobody knows why.\n";
    write(&house.data.join("prompts"), "knowledge/en/sleep.md", &note);
    assert_eq!(house.calm(["prompt", "finalize"]).code, 0);
    let search = || house.calm(["--lang", "en", "knowledge", "search", "zebrafish"]).all("excerpt").count();
    assert_eq!(search(), 1);
    assert_eq!(house.calm(["prompt", "rollback"]).code, 0);
    assert_eq!(search(), 0);
}

#[test]
fn a_rolled_back_edit_comes_back_only_by_its_own_name() {
    let house = House::new();
    write(&house.data.join("prompts"), "ru/base/tone.md", &(shipped("ru/base/tone.md") + "\nЕщё тише.\n"));
    assert_eq!(house.calm(["prompt", "finalize", "--version", "quiet"]).code, 0);
    assert_eq!(house.calm(["prompt", "rollback"]).code, 0);
    let again = house.calm(["prompt", "finalize"]);
    assert_eq!(again.code, 2);
    assert!(again.one("error")["message"].as_str().is_some_and(|it| it.contains("rollback --to quiet")));
    assert_eq!(house.calm(["prompt", "rollback", "--to", "quiet"]).one("rolled_back")["to"], "quiet");
    assert_eq!(house.calm(["prompt", "rollback"]).one("rolled_back")["to"], "0.3.0", "the way back stays open");
}

#[test]
fn a_patch_is_an_edit_and_one_that_does_not_fit_is_refused() {
    let house = House::new();
    let patch = "--- a\n+++ b\n@@ -1,6 +1,6 @@\n ---\n id: base/tone\n-version: 1\n+version: 2\n language: ru\n";
    let shipped = shipped("ru/base/tone.md");
    let description = shipped.lines().nth(4).expect("the head");
    let fits = format!("{patch} {description}\n ---\n");
    write(&house.data.join("prompts"), "ru/base/tone.md.patch", &fits);
    let done = house.calm(["prompt", "finalize", "--version", "tone-2"]);
    assert_eq!(done.one("finalized")["files_changed"], 1, "{}", done.stderr);

    write(&house.data.join("prompts"), "ru/base/tone.md.patch", &fits.replace("base/tone", "base/voice"));
    let wrong = house.calm(["prompt", "finalize"]);
    assert_eq!(wrong.code, 2);
    assert!(
        wrong.one("error")["message"].as_str().is_some_and(|it| it.contains("ru/base/tone.md.patch")),
        "{}",
        wrong.stderr
    );
}
