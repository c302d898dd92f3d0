//! The user's own calm voice: enrolled, shown, compared with, forgotten. Real recordings, real models, a real database.

mod support;

use std::ffi::OsString;

use serde_json::Value;
use support::{House, Run, recording};

const FIVE: [&str; 5] =
    ["checkin_ru.flac", "checkin_ru_1.flac", "checkin_ru_2.flac", "checkin_en.flac", "checkout_en.flac"];

fn run(house: &House, words: &[&str], files: &[&str]) -> Run {
    let words = words.iter().map(OsString::from);
    house.calm(words.chain(files.iter().map(|file| recording(file).into_os_string())))
}

#[test]
fn five_calm_recordings_make_levels_that_can_be_recalculated() {
    let house = House::new();
    let four = run(&house, &["baseline", "enrol"], &FIVE[..4]);
    assert_eq!(four.code, 0, "{}", four.stderr);
    let known = four.one("baseline");
    assert_eq!((&known["clips"], &known["ready"], &known["missing"]), (&4.into(), &false.into(), &1.into()));
    let before = run(&house, &["emotion", "--explain"], &["checkout_ru.flac"]);
    let emotion = before.one("emotion");
    assert_eq!(emotion["stress_level"], Value::Null, "four are not enough");
    assert_eq!(emotion["explain"]["comparison"], Value::Null);

    run(&house, &["baseline", "enrol"], &FIVE[4..]);
    let shown = run(&house, &["baseline", "show"], &[]);
    let known = shown.one("baseline");
    assert_eq!((&known["microphone"], &known["clips"], &known["ready"]), (&"file".into(), &5.into(), &true.into()));

    let after = run(&house, &["emotion", "--explain"], &["checkout_ru.flac"]);
    let emotion = after.one("emotion");
    let (explain, figure) = (&emotion["explain"], |value: &Value| value.as_f64().expect("a figure"));
    let c = &explain["comparison"];
    let mut logits: Vec<f64> =
        explain["windows"].as_array().expect("windows").iter().map(|one| figure(&one["arousal_logit"])).collect();
    logits.sort_by(f64::total_cmp);
    let middle = f64::midpoint(logits[(logits.len() - 1) / 2], logits[logits.len() / 2]);
    assert!((figure(&c["z"]) - middle).abs() < 1e-4, "{explain}");
    let (s, mean) = (figure(&explain["deviation"]), figure(&c["mean"]));
    let sigma = ((4.0 * s * s + 5.0 * 1.5 * 1.5) / 9.0).sqrt();
    let u = (figure(&c["z"]) - mean) / sigma;
    let g = 1.0 - 0.5 * figure(&emotion["probs"]["joy"]);
    let level = |distance: f64| (4.0 + 2.3 * distance).round().clamp(1.0, 10.0) as u64;
    assert_eq!(emotion["stress_level"], level(u * g));
    assert_eq!(emotion["energy_level"], level(u));
    assert_eq!(emotion["baseline"]["clips"], 5);

    let session = run(&house, &["session", "check-in", "--audio"], &["checkin_ru.flac"]);
    let voice = &session.one("user_turn")["voice_analysis"];
    assert!(voice["stress_level"].is_u64() && voice.get("calibrating").is_none(), "the talk knows it too: {voice}");
}

#[test]
fn each_microphone_has_its_own_calm_and_forgets_it_alone() {
    let house = House::new();
    run(&house, &["baseline", "enrol", "--microphone", "Наушники"], &FIVE[..1]);
    run(&house, &["baseline", "enrol"], &FIVE[1..3]);
    let all = run(&house, &["baseline"], &[]);
    let clips: Vec<_> = all.all("baseline").map(|one| (one["microphone"].as_str(), one["clips"].as_u64())).collect();
    assert_eq!(clips, [(Some("file"), Some(2)), (Some("Наушники"), Some(1))]);
    let there = run(&house, &["emotion", "--microphone", "Наушники"], &FIVE[..1]);
    assert_eq!(there.one("emotion")["baseline"]["clips"], 1);

    assert_eq!(run(&house, &["baseline", "reset", "--microphone", "Наушники"], &[]).code, 0);
    assert_eq!(run(&house, &["baseline"], &[]).one("baseline")["microphone"], "file");
    assert_eq!(run(&house, &["baseline", "reset", "--microphone", "Наушники"], &[]).code, 2, "it is gone");
    run(&house, &["baseline", "reset"], &[]);
    assert_eq!(run(&house, &["baseline"], &[]).events.len(), 0);
}

#[test]
fn what_cannot_teach_leaves_no_trace() {
    let house = House::new();
    let silent = run(&house, &["baseline", "enrol"], &["checkin_ru_2.flac", "silence.flac"]);
    assert_eq!(silent.code, 2);
    assert!(silent.one("error")["message"].as_str().is_some_and(|line| line.contains("silence.flac")));
    let twice = run(&house, &["baseline", "enrol"], &["checkin_ru_2.flac", "checkin_ru_2.flac"]);
    assert_eq!(twice.code, 2);
    assert_eq!(run(&house, &["baseline"], &[]).code, 0, "there is nothing to show, and that is no error");
    assert_eq!(run(&house, &["baseline", "reset"], &[]).code, 0);
    assert!(!house.data.exists());
}

#[test]
fn the_explanation_can_be_read_without_json() {
    let house = House::new();
    run(&house, &["baseline", "enrol"], &FIVE);
    let file = recording("checkout_ru.flac").into_os_string();
    let output = house.command(["emotion".into(), "--explain".into(), file]).output().expect("calm starts");
    let text = String::from_utf8(output.stdout).expect("text");
    for part in [
        "windows of",
        "median z =",
        "at temperature 1.7",
        "5 calm clips: mean =",
        "sigma =",
        "g = 1 - 0.5 P(joy)",
        "stress = 4 + 2.3 u g",
    ] {
        assert!(text.contains(part), "{part:?} is not in\n{text}");
    }
}
