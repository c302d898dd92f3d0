//! A spoken day, through every room: real recordings, real models, a real database.

mod support;

use rstest::rstest;
use serde_json::Value;
use support::{House, recording};

const MORNING: &str = "2026-03-02T09:12:00+03:00";
const EVENING: &str = "2026-03-02T19:40:00+03:00";

#[rstest]
#[case::russian("ru")]
#[case::english("en")]
fn a_check_in_and_the_check_out_after_it(#[case] lang: &str) {
    let house = House::new();
    let file = |kind: &str| recording(&format!("{kind}_{lang}.flac")).into_os_string();
    let session = |kind: &str, at: &str| {
        let mut args: Vec<std::ffi::OsString> = ["--lang", lang, "session"].iter().map(Into::into).collect();
        args.push(kind.replace("checkin", "check-in").replace("checkout", "check-out").into());
        args.extend(["--now".into(), at.into(), "--audio".into(), file(kind)]);
        house.calm(args)
    };

    let morning = session("checkin", MORNING);
    assert_eq!(morning.code, 0, "{}", morning.stderr);
    assert_eq!(morning.types()[..2], ["session_started", "reply"]);
    let started = morning.one("session_started");
    assert_eq!(started["context"]["session"]["has_matching_checkin"], false);
    assert_eq!(started["backend"], "guide");
    assert_eq!(started["prompt"]["hash"].as_str().map(str::len), Some(64));
    let said = morning.one("user_turn");
    assert!(said["audio_seconds"].as_f64().is_some_and(|s| s > 3.0));
    assert!(said["asr_ms"].as_u64().is_some_and(|ms| ms > 0));
    let voice = &said["voice_analysis"];
    assert_eq!(voice["calibrating"], true, "the first clip has no baseline: {voice}");
    assert_eq!(voice["stress_level"], Value::Null);
    assert!(voice["confidence"].as_f64().is_some_and(|c| (0.0..=1.0).contains(&c)));
    let ended = morning.one("session_ended");
    assert_eq!(ended["arguments"]["session_type"], "check-in");
    let attributes = &ended["arguments"]["extracted_attributes"];
    assert_eq!(attributes["trading_readiness"], 8, "heard: {}", said["text"]);
    assert_eq!(attributes["sleep_quality"], "poor", "heard: {}", said["text"]);
    assert!(attributes["planned_approach"].is_string(), "heard: {}", said["text"]);
    assert_eq!(ended["forced"], false, "everything was said: the guide closes by itself");

    let evening = session("checkout", EVENING);
    assert_eq!(evening.code, 0, "{}", evening.stderr);
    let context = &evening.one("session_started")["context"];
    assert_eq!(context["session"]["has_matching_checkin"], true);
    assert_eq!(context["session"]["session_number_today"], 2);
    assert_eq!(context["previous_checkin"]["trading_readiness"], 8);
    let ended = evening.one("session_ended");
    let said = &evening.one("user_turn")["text"];
    let attributes = &ended["arguments"]["extracted_attributes"];
    assert_eq!(attributes["session_result"], "loss", "heard: {said}");
    assert_eq!(attributes["plan_adherence"], "followed", "heard: {said}");
    assert_eq!(ended["deltas"]["readiness_and_result"]["readiness"], 8);
    assert_eq!(ended["deltas"]["readiness_and_result"]["result"], "loss");
    assert_eq!(ended["deltas"]["plan_adherence"], "followed");
}

#[test]
fn turns_are_taken_in_the_order_in_which_they_were_typed() {
    let house = House::new();
    let spoken = recording("checkin_ru_2.flac");
    let run = house.calm([
        "--lang".into(),
        "ru".into(),
        "session".into(),
        "check-in".into(),
        "--format".into(),
        "medium".into(),
        "--say".into(),
        "Немного волнуюсь".into(),
        "--audio".into(),
        spoken.into_os_string(),
    ]);
    let turns: Vec<&Value> = run.all("user_turn").collect();
    assert_eq!(turns.len(), 2, "{}", run.stderr);
    assert_eq!(turns[0]["text"], "Немного волнуюсь");
    assert_eq!(turns[0]["audio_seconds"], Value::Null);
    assert!(turns[1]["audio_seconds"].is_number());
    assert_eq!(run.one("session_ended")["arguments"]["extracted_attributes"]["trading_readiness"], 8);
}

#[test]
fn a_recording_without_words_is_no_turn() {
    let house = House::new();
    let silence = recording("silence.flac");
    let run = house.calm(["session".into(), "check-in".into(), "--audio".into(), silence.into_os_string()]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert_eq!(run.all("user_turn").count(), 0);
    assert_eq!(run.one("error")["code"], "nothing_heard");
    assert_eq!(run.one("session_ended")["forced"], true);
}

#[test]
fn transcribe_and_emotion_print_what_the_models_say() {
    let house = House::new();
    let file = recording("checkin_ru.flac").into_os_string();
    let run = house.calm(["transcribe".into(), file.clone()]);
    let transcript = run.one("transcript");
    assert_eq!(transcript["language"], "ru");
    assert!(transcript["text"].as_str().is_some_and(|text| text.contains("план")), "{transcript}");
    assert!(transcript["segments"].as_array().is_some_and(|s| !s.is_empty()));

    let run = house.calm(["emotion".into(), file]);
    let emotion = run.one("emotion");
    assert_eq!(emotion["stress_level"], Value::Null, "there is no baseline");
    assert_eq!(emotion["baseline"], Value::Null);
    let total: f64 = emotion["probs"].as_object().expect("five probabilities").values().filter_map(Value::as_f64).sum();
    assert!((total - 1.0).abs() < 1e-3, "{emotion}");
    assert!(!house.data.exists(), "looking at files leaves no trace");
}
