//! The system's voice from end to end: it speaks into a sound server of our own, and our own ear listens.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used)]

mod common;
#[path = "common/sound_server.rs"]
mod sound_server;

use calm_voice::{Aloud, AloudError, Clip, Ear, Language, Tongue};
use common::{models, words};
use sound_server::{Running, SoundServer};
use std::fs;
use std::io::{BufRead, Write};
use std::process::{ChildStdin, Stdio};
use std::time::{Duration, Instant};

/// Set in the process that speaks: the voice finds its server by the environment.
const SPEAKS: &str = "CALM_TEST_SPEAKS";
const SENTENCE: &str = "My plan for today is simple: two trades and a stop on each of them.";

/// A voice and what records it.
struct Stage {
    speaker: Running,
    orders: ChildStdin,
    _recorder: Running,
    _voices: Running,
    server: SoundServer,
}

impl Stage {
    fn set(test: &str) -> Stage {
        let server = SoundServer::start();
        let socket = server.path("speech-dispatcher/speechd.sock");
        let voices = server.command("speech-dispatcher").args(["-s", "-t", "0"]).spawn();
        let voices = Running(voices.expect("the package `speech-dispatcher` is installed (cargo xtask setup)"));
        let recorder = server
            .command("parec")
            .args(["--device=virtmic.monitor", "--rate=16000", "--channels=1", "--format=s16le", "--raw"])
            .stdout(fs::File::create(server.path("said.raw")).unwrap())
            .spawn();
        let recorder = Running(recorder.unwrap());
        wait("speech-dispatcher did not start", || socket.exists());
        let speaker = server
            .command(std::env::current_exe().unwrap())
            .args(["--exact", test, "--nocapture"])
            .env(SPEAKS, "yes")
            .stdin(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn();
        let mut speaker = Running(speaker.unwrap());
        let orders = speaker.0.stdin.take().unwrap();
        Stage { speaker, orders, _recorder: recorder, _voices: voices, server }
    }

    fn order(&mut self, order: &str) {
        writeln!(self.orders, "{order}").unwrap();
    }

    fn said(&self) -> Clip {
        let bytes = fs::read(self.server.path("said.raw")).unwrap();
        let numbers = bytes.as_chunks::<2>().0.iter().map(|two| i16::from_le_bytes(*two));
        Clip { samples: numbers.map(|number| f32::from(number) / 32_768.0).collect() }
    }

    /// Seconds from which on the recording is silent; `None` while it sounds.
    fn silent_since(&self) -> Option<f32> {
        let said = self.said();
        let last = said.samples.iter().rposition(|sample| sample.abs() > 0.01)? as f32 / 16_000.0;
        (said.seconds() - last > 1.5).then_some(last)
    }
}

/// The process that speaks: one order a line.
fn speak() {
    let mut aloud = Aloud::find().unwrap();
    for order in std::io::stdin().lock().lines() {
        match order.unwrap().as_str() {
            "hush" => aloud.hush(),
            text => aloud.say(text, Tongue::En).unwrap(),
        }
    }
}

#[test]
fn a_reply_is_heard_from_the_loudspeaker() {
    if std::env::var_os(SPEAKS).is_some() {
        return speak();
    }
    let mut stage = Stage::set("a_reply_is_heard_from_the_loudspeaker");
    stage.order(SENTENCE);
    wait("nothing sounded", || stage.said().samples.iter().any(|sample| sample.abs() > 0.05));
    assert!(!in_the_arguments_of_a_process("simple: two trades"), "what is said can be read in the list of processes");
    wait("it never ended", || stage.silent_since().is_some());
    let heard = Ear::load(&models()).unwrap().hear(&stage.said(), Language::Fixed(Tongue::En)).unwrap();
    let heard = words(&heard.transcript.text);
    for word in ["plan", "today", "trades", "stop"] {
        assert!(heard.iter().any(|it| it == word), "{word} is missing in {heard:?}");
    }
}

#[test]
fn it_is_quiet_at_once_and_speaks_again() {
    if std::env::var_os(SPEAKS).is_some() {
        return speak();
    }
    let mut stage = Stage::set("it_is_quiet_at_once_and_speaks_again");
    stage.order(&[SENTENCE; 8].join(" "));
    wait("nothing sounded", || stage.said().samples.iter().any(|sample| sample.abs() > 0.05));
    stage.order("hush");
    wait("it went on", || stage.silent_since().is_some());
    let end = stage.silent_since().unwrap();
    // The whole would take half a minute.
    assert!(end < 15.0, "it spoke for {end} s");
    let before = stage.said().samples.len();
    stage.order(SENTENCE);
    wait("it stayed mute", || stage.said().samples[before..].iter().any(|sample| sample.abs() > 0.05));
    assert!(stage.speaker.0.try_wait().unwrap().is_none(), "the speaker ended");
}

/// A reply that is one dot, or a command of the voice's own protocol, is a reply.
#[test]
fn no_reply_is_an_order_to_the_voice() {
    if std::env::var_os(SPEAKS).is_some() {
        let mut aloud = Aloud::find().unwrap();
        for text in [".", "", "...", "!-!quit", "QUIT", ".\r\nQUIT\r\n", "one\n.\ntwo", "\u{0}"] {
            aloud.say(text, Tongue::En).unwrap();
        }
        return;
    }
    let mut stage = Stage::set("no_reply_is_an_order_to_the_voice");
    assert!(stage.speaker.0.wait().unwrap().success());
}

#[test]
fn a_system_without_a_voice_says_what_to_install() {
    if std::env::var_os(SPEAKS).is_some() {
        let error = Aloud::find().err().unwrap();
        assert!(matches!(error, AloudError::NoVoice(_)));
        assert!(error.to_string().contains("speech-dispatcher"), "{error}");
        return;
    }
    let empty = tempfile::tempdir().unwrap();
    let status = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "a_system_without_a_voice_says_what_to_install", "--nocapture"])
        .env(SPEAKS, "yes")
        .env("XDG_RUNTIME_DIR", empty.path())
        .env("PATH", empty.path())
        .status();
    assert!(status.unwrap().success());
}

fn wait(what: &str, mut until: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(60);
    while !until() {
        assert!(Instant::now() < deadline, "{what}");
        std::thread::sleep(Duration::from_millis(200));
    }
}

fn in_the_arguments_of_a_process(text: &str) -> bool {
    let processes = fs::read_dir("/proc").unwrap().flatten();
    let arguments = processes.filter_map(|process| fs::read(process.path().join("cmdline")).ok());
    arguments.into_iter().any(|bytes| String::from_utf8_lossy(&bytes).contains(text))
}
