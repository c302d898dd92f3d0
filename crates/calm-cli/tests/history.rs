//! What was said is looked for from the terminal.

#![allow(clippy::unwrap_used)]

mod support;

use rstest::rstest;
use support::{House, NOW};

fn printed(house: &House, args: &[&str]) -> String {
    let output = house.command(args).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn a_hit_shows_who_said_it_and_where() {
    let house = House::new();
    house.calm(["settings", "set", "time_zone", "Europe/Moscow"]);
    let said = "вчера на новостях двигал стоп, минус двести";
    let talk = house.calm(["--lang", "ru", "session", "check-out", "--now", NOW, "--say", said]);
    assert_eq!(talk.code, 0, "{}", talk.stderr);

    let found = house.calm(["history", "--search", "стопа двигала"]);
    let hit = found.one("hit");
    assert_eq!((&hit["who"], &hit["snippet"]), (&"user".into(), &said.into()));
    assert_eq!((&hit["session_id"], &hit["session_type"]), (&1.into(), &"check-out".into()));
    assert!(hit["at"].as_str().unwrap().starts_with("2026-03-04T08:"), "{hit}");
    assert_eq!(hit["marks"], serde_json::json!([{"start": 18, "end": 24}, {"start": 25, "end": 29}]));

    let line = printed(&house, &["history", "--search", "новости", "--limit", "1"]);
    assert_eq!(line, format!("    1  2026-03-04 11:00  You   {said}\n"));
}

#[rstest]
#[case::nobody_said_it("кредит", "nothing found\n")]
#[case::stop_words("и не на", "nothing found: such words are in every talk; add one that says more\n")]
#[case::blank(" ", "nothing found: such words are in every talk; add one that says more\n")]
#[case::syntax("\"кредит\" OR NEAR(", "nothing found\n")]
fn nothing_found_is_no_failure(#[case] words: &str, #[case] expected: &str) {
    let house = House::new();
    assert_eq!(printed(&house, &["history", "--search", "стоп"]), "nothing found\n");
    assert!(!house.data.exists(), "looking makes no database");
    house.calm(["--lang", "ru", "session", "check-out", "--say", "двигал стоп"]);
    assert_eq!(printed(&house, &["history", "--search", words]), expected);
    let json = house.calm(["history", "--search", words]);
    assert_eq!((json.code, json.events.len()), (0, 0));
}

#[test]
fn a_session_and_a_search_are_two_things() {
    assert_eq!(House::new().calm(["history", "7", "--search", "стоп"]).code, 2);
}

#[test]
fn values_of_a_session_are_put_right_all_or_none() {
    let house = House::new();
    house.calm(["--lang", "ru", "session", "check-in", "--now", NOW, "--say", "готов на восьмёрку"]);
    let wrong = house.calm(["history", "1", "--set", "trading_readiness=6", "--set", "stress_level=11"]);
    assert_eq!(wrong.code, 2);
    let message = wrong.one("error")["message"].clone();
    assert!(message.as_str().unwrap().contains("stress_level must be a number from 1 to 10"), "{message}");
    let said = |shown: &support::Run| shown.one("session")["arguments"]["extracted_attributes"].clone();
    assert_eq!(said(&house.calm(["history", "1"]))["trading_readiness"], 8);

    let right = house.calm(["history", "1", "--set", "trading_readiness=6", "--set", "sleep_quality=poor"]);
    assert_eq!((right.code, &said(&right)["sleep_quality"]), (0, &"poor".into()), "{}", right.stderr);
    house.calm(["history", "1", "--set", "sleep_quality="]);
    let kept = said(&house.calm(["history", "1"]));
    assert_eq!((&kept["trading_readiness"], kept["sleep_quality"].is_null()), (&6.into(), true));
    assert_eq!(house.calm(["history", "--set", "sleep_quality=poor"]).code, 2, "which session?");
}
