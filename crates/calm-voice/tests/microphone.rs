//! The microphone from end to end: a sound server of our own plays a recording, the system's audio library captures
//! it, and the words come out right.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used)]

mod common;
#[path = "common/sound_server.rs"]
mod sound_server;

use calm_voice::{Clip, Ear, Language, Microphone, Tongue, decode_file, mic};
use common::{models, recording, words};
use sound_server::{Running, SoundServer};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

const RECORDING: &str = "checkin_ru_2.flac";
/// Set in the process that captures: ALSA reads its configuration from the environment, once.
const CAPTURES: &str = "CALM_TEST_CAPTURES";

#[test]
fn a_sentence_played_into_the_microphone_is_understood() {
    if let Some(file) = std::env::var_os(CAPTURES) {
        return capture(&PathBuf::from(file));
    }
    let server = SoundServer::start();
    let captured = server.path("captured.wav");
    let played = server.path("played.wav");
    let original = decode_file(&recording(RECORDING)).unwrap();
    write_wav(&played, &original);

    let capturing = server
        .command(std::env::current_exe().unwrap())
        .args(["--exact", "a_sentence_played_into_the_microphone_is_understood", "--nocapture"])
        .env(CAPTURES, &captured)
        .stderr(Stdio::inherit())
        .spawn();
    let mut capturing = Running(capturing.unwrap());
    let live = captured.with_extension("live");
    let deadline = Instant::now() + Duration::from_secs(30);
    while !live.exists() && capturing.0.try_wait().unwrap().is_none() && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(50));
    }
    assert!(live.exists(), "the microphone did not come alive; is `libasound2-plugins` installed?");
    assert!(server.command("paplay").arg(&played).status().unwrap().success());
    assert!(capturing.0.wait().unwrap().success(), "capturing failed");

    let heard_clip = decode_file(&captured).unwrap();
    assert!(heard_clip.seconds() >= original.seconds(), "{heard_clip:?} of {original:?}");
    let heard = Ear::load(&models()).unwrap().hear(&heard_clip, Language::Fixed(Tongue::Ru)).unwrap();
    let heard = words(&heard.transcript.text);
    for word in ["готовность", "сегодня", "восемь", "десяти"] {
        assert!(heard.iter().any(|w| w == word), "{word} is missing in {heard:?}");
    }
}

/// Records until the sentence is over: loud at some time, then quiet for a second.
fn capture(file: &Path) {
    let devices = mic::devices().unwrap();
    assert!(devices.iter().any(|device| device.default), "{devices:?}");
    let mut microphone = Microphone::open(None).unwrap();
    let mut samples = Vec::new();
    let (mut loudest, mut last_sound) = (0.0_f32, None);
    let deadline = Instant::now() + Duration::from_secs(40);
    loop {
        samples.extend(microphone.read(Duration::from_millis(500)).unwrap());
        if microphone.is_live() {
            fs::write(file.with_extension("live"), "").unwrap();
        }
        loudest = loudest.max(microphone.level());
        if microphone.level() > 0.01 {
            last_sound = Some(Instant::now());
        }
        if last_sound.is_some_and(|at| at.elapsed() > Duration::from_millis(1_500)) {
            break;
        }
        assert!(Instant::now() < deadline, "nothing was heard; the loudest was {loudest}");
    }
    assert!(loudest > 0.05 && loudest < 1.0, "{loudest}");
    assert_eq!(microphone.lost(), 0);
    samples.extend(microphone.stop().unwrap());
    write_wav(file, &Clip { samples });
}

fn write_wav(file: &Path, clip: &Clip) {
    let spec = hound::WavSpec {
        channels: 1,
        sample_rate: 16_000,
        bits_per_sample: 32,
        sample_format: hound::SampleFormat::Float,
    };
    let mut writer = hound::WavWriter::create(file, spec).unwrap();
    clip.samples.iter().for_each(|sample| writer.write_sample(*sample).unwrap());
    writer.finalize().unwrap();
}

/// Without a sound system there is no microphone, which is an answer and not a crash.
#[test]
fn a_machine_without_a_microphone_says_so() {
    if std::env::var_os(CAPTURES).is_some() {
        let error = Microphone::open(None).err().expect("there is no microphone here");
        return println!("{error}");
    }
    let folder = tempfile::tempdir().unwrap();
    let output = sound_server::command_in(folder.path(), std::env::current_exe().unwrap())
        .args(["--exact", "a_machine_without_a_microphone_says_so", "--nocapture"])
        .env("ALSA_CONFIG_PATH", folder.path().join("nowhere.conf"))
        .env(CAPTURES, "nothing")
        .stdout(Stdio::piped())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && said.contains("no microphone is connected"), "{said}");
}
