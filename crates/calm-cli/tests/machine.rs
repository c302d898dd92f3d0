//! A machine that lacks something gets a clear line that says what to do.

mod support;

use std::fs;

use support::{House, recording};

#[test]
fn without_models_speaking_says_how_to_get_them_and_typing_works() {
    let house = House::new();
    let empty = tempfile::tempdir().expect("a folder");
    let file = recording("checkin_ru.flac").into_os_string();
    let spoken = house
        .command(["session".into(), "check-in".into(), "--audio".into(), file])
        .env("CALM_MODELS_DIR", empty.path())
        .output()
        .expect("calm starts");
    let stderr = String::from_utf8_lossy(&spoken.stderr);
    assert_eq!(spoken.status.code(), Some(1), "{stderr}");
    assert_eq!(stderr.trim_end().lines().count(), 1, "{stderr}");
    assert!(stderr.contains("calm models fetch"), "{stderr}");
    assert!(!house.data.exists(), "nothing was begun");

    let typed = house
        .command(["--lang", "en", "session", "check-in", "--say", "I feel calm, readiness 8", "--json"])
        .env("CALM_MODELS_DIR", empty.path())
        .output()
        .expect("calm starts");
    assert_eq!(
        support::Run::read(&typed).one("session_ended")["arguments"]["extracted_attributes"]["trading_readiness"],
        8
    );
}

#[test]
fn a_damaged_model_is_not_loaded() {
    let house = House::new();
    let models = tempfile::tempdir().expect("a folder");
    for part in ["encoder.onnx", "encoder.bin", "decoder.onnx", "decoder.bin", "vocabulary.bin"] {
        fs::write(models.path().join(format!("whisper-base-{part}")), b"half a file").expect("a file");
    }
    for name in ["whisper-base-q8_0.bin", "silero-vad.onnx", "emotion.onnx", "emotion.bin", "libonnxruntime.so"] {
        fs::write(models.path().join(name), b"half a file").expect("a file");
    }
    let file = recording("checkin_ru.flac").into_os_string();
    let run = house
        .command(["transcribe".into(), file, "--json".into()])
        .env("CALM_MODELS_DIR", models.path())
        .output()
        .expect("calm starts");
    let run = support::Run::read(&run);
    assert_eq!(run.code, 1);
    assert_eq!(run.one("error")["code"], "model_damaged");
}

#[test]
fn no_microphone_is_said_in_a_line() {
    let house = House::new();
    let nowhere = tempfile::tempdir().expect("a folder");
    let run = house
        .command(["session", "check-in", "--mic", "--json"])
        .env("PULSE_SERVER", "unix:/nonexistent")
        .env("ALSA_CONFIG_PATH", nowhere.path().join("none"))
        .output()
        .expect("calm starts");
    let run = support::Run::read(&run);
    assert_eq!(run.code, 1, "{}", run.stderr);
    let errors: Vec<_> = run.all("error").collect();
    assert_eq!(errors.len(), 1, "{:?}", run.types());
    assert_eq!(errors[0]["code"], "no_microphone", "{}", errors[0]);
}

#[test]
fn a_data_folder_that_cannot_be_used_is_named() {
    let dir = tempfile::tempdir().expect("a folder");
    let file = dir.path().join("file");
    fs::write(&file, b"not a folder").expect("a file");
    let run = std::process::Command::new(env!("CARGO_BIN_EXE_calm"))
        .args(["session", "check-in", "--say", "привет", "--data-dir"])
        .arg(&file)
        .env("CALM_KEYCHAIN", "off")
        .output()
        .expect("calm starts");
    let stderr = String::from_utf8_lossy(&run.stderr);
    assert_eq!(run.status.code(), Some(1), "{stderr}");
    assert_eq!(stderr.trim_end().lines().count(), 1, "{stderr}");
}

#[test]
fn the_doctor_looks_and_changes_nothing() {
    let house = House::new();
    let run = house.calm(["doctor"]);
    assert_eq!(run.stderr, "", "what the sound system prints of its own is kept out");
    let check = |name: &str| {
        let found = run.all("check").find(|check| check["name"] == name);
        found.unwrap_or_else(|| panic!("no check named {name}")).clone()
    };
    assert_eq!(check("models")["ok"], true);
    assert_eq!(check("recogniser")["ok"], true);
    assert_eq!(check("prompts")["ok"], true);
    assert!(check("microphone")["detail"].is_string());
    assert!(!house.data.exists());
}

#[test]
fn a_model_that_is_deleted_is_gone_and_others_stay() {
    let house = House::new();
    let models = tempfile::tempdir().expect("a folder");
    for (name, text) in [("silero-vad.onnx", "half a file"), ("whisper-small.bin.part", "a part"), ("mine.txt", "mine")]
    {
        fs::write(models.path().join(name), text).expect("a file");
    }
    let calm = |args: &[&str]| {
        let output = house.command(args).arg("--json").env("CALM_MODELS_DIR", models.path()).output();
        support::Run::read(&output.expect("calm starts"))
    };
    let unknown = calm(&["models", "delete", "silero-vad", "whisper-huge"]);
    assert_eq!(unknown.code, 2);
    assert!(models.path().join("silero-vad.onnx").exists(), "one wrong name, and nothing was deleted");

    let deleted = calm(&["models", "delete", "silero-vad"]);
    assert_eq!((deleted.code, &deleted.one("model_deleted")["bytes"]), (0, &11.into()));
    assert!(!models.path().join("silero-vad.onnx").exists());
    assert!(models.path().join("whisper-small.bin.part").exists() && models.path().join("mine.txt").exists());
    let again = calm(&["models", "delete", "silero-vad"]);
    assert_eq!((again.code, &again.one("model_deleted")["bytes"]), (0, &0.into()));
}

#[test]
fn the_speed_of_a_speech_model_is_measured_here() {
    let house = House::new();
    let run = house.calm(["models", "speed", "whisper-base-onnx"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let speed = run.one("speed");
    let figure = |name: &str| speed[name].as_f64().expect("a figure");
    assert_eq!(speed["model"], "whisper-base-onnx");
    assert!(figure("clip_seconds") > 5.0 && figure("asr_ms") > 0.0, "{speed}");
    let factor = figure("asr_ms") / 1000.0 / figure("clip_seconds");
    assert!((figure("real_time_factor") - factor).abs() < 1e-3, "{speed}");

    let silent = house.calm(["models", "speed", "silero-vad"]);
    assert_eq!(silent.code, 2);
    assert!(
        silent.one("error")["message"].as_str().is_some_and(|line| line.contains("silero-vad")),
        "{:?}",
        silent.events
    );
}
