//! Reminders, practices and settings from the terminal.

#![allow(clippy::unwrap_used)]

mod support;

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use rstest::rstest;
use support::{House, NOW};

#[test]
fn a_reminder_waits_rings_once_and_stays_in_the_list() {
    let house = House::new();
    house.calm(["settings", "set", "time_zone", "Europe/Moscow"]);
    let added = house.calm(["reminders", "add", "--in", "1h30m", "выпить воды", "--now", NOW]);
    let reminder = added.one("reminder");
    assert_eq!((&reminder["at"], &reminder["done"]), (&"2026-03-04T12:30:00+03:00".into(), &false.into()));
    assert!(house.calm(["reminders", "due", "--now", "2026-03-04T09:29:00Z"]).events.is_empty());

    let rang = house.calm(["reminders", "due", "--now", "2026-03-04T09:30:30Z"]);
    assert_eq!((&rang.one("reminder")["text"], &rang.one("reminder")["done"]), (&"выпить воды".into(), &true.into()));
    assert!(house.calm(["reminders", "due", "--now", "2026-03-04T09:31:00Z"]).events.is_empty());
    assert_eq!(house.calm(["reminders"]).one("reminder")["done"], true);

    let id = reminder["id"].to_string();
    assert_eq!(house.calm(["reminders", "remove", &id]).code, 0);
    assert_eq!(house.calm(["reminders", "remove", &id]).code, 2);
    assert!(house.calm(["reminders"]).events.is_empty());
}

#[test]
fn a_note_is_listed_and_goes_with_the_copies_that_hold_it() {
    let house = House::new();
    assert!(house.calm(["notes"]).events.is_empty());
    assert_eq!(house.calm(["notes", "delete", "1"]).code, 2);
    house.calm(["triggers", "add", "--name", "пауза", "--when", "два минуса", "--note", "ушёл от экрана"]);
    house.calm(["triggers", "run", "пауза"]);
    house.calm(["triggers", "run", "пауза"]);
    let listed = |args: &[&str]| {
        let run = house.calm(["notes"].iter().chain(args));
        run.all("note").map(|note| note["id"].to_string() + " " + note["text"].as_str().unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(listed(&[]), ["2 ушёл от экрана", "1 ушёл от экрана"]);
    assert_eq!(listed(&["--limit", "1"]), ["2 ушёл от экрана"]);

    let backup = house.data.join("calm.db.v3.backup");
    std::fs::write(&backup, "ушёл от экрана").unwrap();
    let gone = house.calm(["notes", "delete", "2"]);
    assert_eq!((gone.code, gone.types()), (0, vec!["note_deleted"]), "{}", gone.stderr);
    assert!(!backup.exists());
    assert_eq!(listed(&[]), ["1 ушёл от экрана"]);
    assert_eq!(house.calm(["notes", "delete", "2"]).code, 2);
}

#[test]
fn what_was_missed_says_so() {
    let house = House::new();
    house.calm(["settings", "set", "time_zone", "Europe/Moscow"]);
    house.calm(["reminders", "add", "--at", "tomorrow 09:00", "записать план", "--now", NOW]);
    let due = ["reminders", "due", "--now", "2026-03-05T10:00:00Z", "--lang", "ru"];
    let output = house.command(due).output().unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    assert_eq!(said, "Пока компьютер спал, подошло напоминание на 9:00: записать план\n");
}

#[rstest]
#[case::past(&["reminders", "add", "--at", "2020-01-01T10:00", "x"], "that moment has passed")]
#[case::far(&["reminders", "add", "--at", "2120-01-01T10:00", "x"], "that is more than a week ahead")]
#[case::too_long(&["reminders", "add", "--in", "8d", "x"], "must be a time such as 30m, 2h, 1h30m or 3d")]
#[case::no_distance(&["reminders", "add", "--in", "soon", "x"], "must be a time such as 30m, 2h, 1h30m or 3d")]
#[case::no_time(&["reminders", "add", "--at", "soon", "x"], "must be a local time such as 15:30")]
#[case::neither(&["reminders", "add", "x"], "required")]
#[case::both(&["reminders", "add", "--in", "5m", "--at", "15:30", "x"], "cannot be used with")]
#[case::no_text(&["reminders", "add", "--in", "5m", " "], "the text is empty")]
#[case::no_such_one(&["reminders", "remove", "7"], "no such reminder")]
#[case::no_setting(&["settings", "set", "colour", "red"], "colour")]
#[case::no_zone(&["settings", "set", "time_zone", "Mars/Olympus"], "time_zone must be a zone such as Europe/Moscow")]
#[case::no_file(&["settings", "set", "calendar", "notes.txt"], "calendar must be a file that ends in .ics")]
#[case::no_practice(&["practice", "run", "nothing"], "there is no practice called so")]
fn wrong_use_is_one_line_and_leaves_no_reminder(#[case] args: &[&str], #[case] expected: &str) {
    let house = House::new();
    let output = house.command(args).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains(expected) && said.lines().count() == 1, "{said}");
    assert!(output.stdout.is_empty());
    assert!(house.calm(["reminders"]).events.is_empty());
}

#[test]
fn looking_makes_no_data_folder() {
    let house = House::new();
    for args in [&["reminders"][..], &["reminders", "due"], &["settings", "get"], &["practice", "list"]] {
        assert_eq!(house.calm(args).code, 0);
    }
    assert_eq!(house.calm(["settings", "set", "day_start", "soon"]).code, 2);
    assert!(!house.data.exists());
}

#[test]
fn settings_are_kept_and_the_language_of_a_run_is_not() {
    let house = House::new();
    house.calm(["settings", "set", "language", "en"]);
    for (name, value) in [
        ("name", "Сергей"),
        ("trusted_contact", "Аня: +7 900 000-00-00"),
        ("safety_plan", "выйти на улицу; позвонить Ане"),
        ("calendar", "https://example.org/week.ics"),
        ("day_start", "04:30"),
    ] {
        let set = house.calm(["settings", "set", name, value, "--lang", "ru"]);
        assert_eq!(set.one("setting")["value"], value, "{}", set.stderr);
        assert_eq!(house.calm(["settings", "get", name]).one("setting")["value"], value);
    }
    assert_eq!(house.calm(["settings", "get", "language"]).one("setting")["value"], "en");
    house.calm(["settings", "set", "name", ""]);
    assert_eq!(house.calm(["settings", "get", "name"]).one("setting")["value"], "");
    assert!(house.calm(["settings", "get"]).all("setting").count() > 10);
}

#[rstest]
fn every_practice_is_listed(#[values("ru", "en")] lang: &str) {
    let listed = House::new().calm(["practice", "list", "--lang", lang]);
    assert!(listed.all("practice").count() >= 18);
    assert!(listed.all("practice").all(|it| (55..=905).contains(&it["seconds"].as_u64().unwrap())));
}

/// The first step comes at once, the second only after its time; Ctrl-C ends it with a kind word.
#[cfg(unix)]
#[test]
fn a_practice_stops_kindly() {
    let house = House::new();
    let listed = house.calm(["practice", "list", "--lang", "en"]);
    let id = listed.all("practice").next().unwrap()["id"].as_str().unwrap().to_owned();
    let mut command = house.command(["practice", "run", &id, "--lang", "en", "--json"]);
    let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut next = || serde_json::from_str::<serde_json::Value>(&lines.next().unwrap().unwrap()).unwrap();
    assert_eq!(next()["type"], "practice");
    let step = next();
    assert_eq!(step["type"], "practice_step");
    assert!(step["seconds"].as_u64().unwrap() > 0 && !step["text"].as_str().unwrap().is_empty());
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
    let ended = next();
    assert_eq!((&ended["type"], &ended["completed"]), (&"practice_ended".into(), &false.into()));
    assert_eq!(child.wait().unwrap().code(), Some(0));
}
