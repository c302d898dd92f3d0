//! The real program at a real sound server, and everything that can happen to a recording: nothing that was said
//! before is lost.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used)]

#[path = "../../calm-voice/tests/common/sound_server.rs"]
mod sound_server;
mod support;

use std::ffi::OsStr;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;
use sound_server::{Running, SoundServer};
use support::{House, recording};

/// For whatever takes long on a busy machine.
const PATIENCE: Duration = Duration::from_secs(90);

/// `calm … --json` at a sound server, its events as they come.
struct Talk {
    calm: Running,
    events: Receiver<Value>,
    seen: Vec<Value>,
}

impl Talk {
    fn begin<S: AsRef<OsStr>>(server: &SoundServer, house: &House, args: impl IntoIterator<Item = S>) -> Talk {
        let mut command = house.command(args);
        server.lend(&mut command);
        Talk::of(command.args(["--lang", "ru", "--json"]).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap())
    }

    fn of(mut calm: Child) -> Talk {
        let stdout = calm.stdout.take().unwrap();
        let (out, events) = mpsc::channel();
        thread::spawn(move || {
            for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                if serde_json::from_str(&line).is_ok_and(|event: Value| out.send(event).is_ok()) {
                    continue;
                }
                break;
            }
        });
        Talk { calm: Running(calm), events, seen: Vec::new() }
    }

    /// Waits for an event with this in it, by type or code; everything is kept.
    fn wait_for(&mut self, what: &str) -> Value {
        let deadline = Instant::now() + PATIENCE;
        while let Ok(event) = self.events.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
            self.seen.push(event.clone());
            if event["type"] == what || event["code"] == what {
                return event;
            }
        }
        panic!("no {what} came; there were {:?}", self.seen);
    }

    fn types(&self) -> Vec<&str> {
        self.seen.iter().filter_map(|event| event["type"].as_str()).collect()
    }
}

/// A recording as a WAV file that the sound server can play.
fn wav(server: &SoundServer, name: &str) -> PathBuf {
    let file = server.path(&format!("{name}.wav"));
    let clip = calm_app::ears::decode(&recording(name)).unwrap();
    let spec = hound::WavSpec {
        channels: 1,
        sample_rate: 16_000,
        bits_per_sample: 16,
        sample_format: hound::SampleFormat::Int,
    };
    let mut out = hound::WavWriter::create(&file, spec).unwrap();
    clip.samples.iter().for_each(|sample| out.write_sample((sample * 32_767.0) as i16).unwrap());
    out.finalize().unwrap();
    file
}

fn text(event: &Value) -> String {
    event["text"].as_str().unwrap_or_default().to_lowercase()
}

#[test]
fn a_device_that_goes_away_mid_sentence_and_comes_back_costs_no_words() {
    let (server, house) = (SoundServer::start(), House::new());
    let (first, second) = (wav(&server, "checkin_ru_1.flac"), wav(&server, "checkin_ru_2.flac"));
    let mut talk = Talk::begin(&server, &house, ["listen", "--turns", "1"]);
    talk.wait_for("listening");
    let mut playing = Running(server.command("paplay").arg(&first).spawn().unwrap());
    thread::sleep(Duration::from_secs(6));
    server.unplug();
    playing.0.wait().unwrap();
    talk.wait_for("microphone_away");
    // Another device in its place: a headset, with one channel and a third of the rate.
    server.plug(16_000, 1);
    talk.wait_for("microphone_back");
    server.play(&second);
    let said = text(&talk.wait_for("transcript"));
    for word in ["привет", "плохо", "готовность"] {
        assert!(said.contains(word), "{word} is missing in {said:?}");
    }
    assert!(said.contains("из 10") || said.contains("из десяти"), "{said:?}");
    assert!(talk.seen.iter().all(|event| event["type"] != "error"));
    assert!(talk.calm.0.wait().unwrap().success());
}

#[test]
fn a_device_that_stays_away_ends_the_turn_with_what_was_said() {
    let (server, house) = (SoundServer::start(), House::new());
    let first = wav(&server, "checkin_ru_1.flac");
    let mut talk = Talk::begin(&server, &house, ["session", "check-in", "--format", "unlimited", "--mic"]);
    talk.wait_for("listening");
    let mut playing = Running(server.command("paplay").arg(&first).spawn().unwrap());
    thread::sleep(Duration::from_secs(6));
    server.unplug();
    playing.0.wait().unwrap();
    let said = text(&talk.wait_for("user_turn"));
    assert!(said.contains("привет") && said.contains("плохо"), "{said:?}");
    talk.wait_for("microphone_lost");
    assert_eq!(talk.calm.0.wait().unwrap().code(), Some(1));
    talk.seen.extend(talk.events.try_iter());
    assert_eq!(talk.seen.iter().filter(|event| event["type"] == "error").count(), 1, "{:?}", talk.types());
}

#[test]
fn a_muted_microphone_is_told_of_once() {
    let (server, house) = (SoundServer::start(), House::new());
    server.mute();
    let mut talk = Talk::begin(&server, &house, ["listen", "--turns", "1"]);
    talk.wait_for("microphone_silent");
    talk.wait_for("nothing_heard");
    assert_eq!(talk.seen.iter().filter(|event| event["type"] == "notice").count(), 1, "{:?}", talk.seen);
}

#[test]
fn kill_9_in_the_middle_of_a_sentence_loses_half_a_second_at_most() {
    let (server, house) = (SoundServer::start(), House::new());
    let first = wav(&server, "checkin_ru_1.flac");
    let mut talk = Talk::begin(&server, &house, ["session", "check-in", "--format", "unlimited", "--mic"]);
    talk.wait_for("listening");
    let began = Instant::now();
    let _playing = Running(server.command("paplay").arg(&first).spawn().unwrap());
    thread::sleep(Duration::from_secs(6));
    let spoken = began.elapsed();
    talk.calm.0.kill().unwrap();
    talk.calm.0.wait().unwrap();

    let resumed = house.calm(["session", "--resume", "--stay"]);
    assert_eq!(resumed.code, 0, "{}", resumed.stderr);
    let turn = resumed.one("user_turn");
    let said = text(turn);
    assert!(said.contains("привет") && said.contains("плохо"), "{said:?}");
    let kept = turn["audio_seconds"].as_f64().unwrap();
    assert!(kept > spoken.as_secs_f64() - 0.5, "{kept} s of {spoken:?} are kept");
    let again = house.calm(["session", "--resume", "--stay"]);
    assert_eq!(again.all("user_turn").count(), 0, "the recording was heard twice");
}

/// The data folder lies on a file system of its own, in a name space of its own, and fills up while somebody speaks.
#[test]
fn a_full_disk_keeps_what_was_said_until_then() {
    let (server, house) = (SoundServer::start(), House::new());
    let first = wav(&server, "checkin_ru_1.flac");
    std::fs::create_dir(&house.data).unwrap();
    let script = r#"
        mount -t tmpfs -o size=12m none "$DATA" || exit 77
        "$CALM" --data-dir "$DATA" --lang ru --json session check-in --format unlimited --say "Привет" --stay
        free=$(df --output=avail -k "$DATA" | tail -1)
        head -c $(( (free - 600) * 1024 )) /dev/zero > "$DATA/filler"
        "$CALM" --data-dir "$DATA" --lang ru --json session --resume --mic
        echo "{\"type\":\"code\",\"value\":$?}"
        rm "$DATA/filler"
        "$CALM" --data-dir "$DATA" --lang ru --json session --resume --stay
        echo "{\"type\":\"code\",\"value\":$?}"
    "#;
    let mut command = Command::new("unshare");
    command.args(["--map-root-user", "--mount", "sh", "-c", script]).env("DATA", &house.data);
    command.env("CALM", env!("CARGO_BIN_EXE_calm")).env("CALM_KEYCHAIN", "off").env_remove("CALM_LOG");
    server.lend(&mut command);
    let mut talk = Talk::of(command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap());
    talk.wait_for("listening");
    let _playing = Running(server.command("paplay").arg(&first).spawn().unwrap());
    talk.wait_for("disk_full");
    assert_eq!(talk.wait_for("code")["value"], 1, "{:?}", talk.types());
    let turns = talk.seen.iter().filter(|event| event["type"] == "user_turn").count();
    let said = text(&talk.wait_for("user_turn"));
    assert_eq!(turns, 1, "only what was typed before the disk was full");
    assert!(said.contains("привет") && said.contains("плохо"), "{said:?}");
    assert_eq!(talk.wait_for("code")["value"], 0);
}

#[test]
fn a_chosen_microphone_that_is_not_there_is_replaced_and_told_of() {
    let (server, house) = (SoundServer::start(), House::new());
    house.calm(["settings", "set", "microphone", "alsa:hw:CARD=Headset,DEV=0"]);
    house.calm(["settings", "set", "end_silence_ms", "1000"]);
    let second = wav(&server, "checkin_ru_2.flac");
    let mut talk = Talk::begin(&server, &house, ["listen", "--turns", "1"]);
    talk.wait_for("microphone_other");
    talk.wait_for("listening");
    server.play(&second);
    assert!(text(&talk.wait_for("transcript")).contains("готовность"));
    assert!(talk.calm.0.wait().unwrap().success());
    talk.seen.extend(talk.events.try_iter());
    assert!(talk.types().contains(&"voice"), "{:?}", talk.types());
}
