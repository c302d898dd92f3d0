//! kill −9 at 200 random moments of running sessions: what was reported is there, and the session goes on.

mod support;

use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use calm_app::{Clock, Conductor, Paths, Secrets, SessionId};
use serde_json::Value;
use support::House;

const ROUNDS: u32 = 200;
const SEED: u64 = 20_261_129;

/// Things a trader says in a conversation that does not end by itself.
const SAID: [&str; 6] = [
    "Немного тревожно после вчерашнего дня",
    "План простой: две сделки и стоп",
    "Спал нормально, часов семь",
    "На работе много дел, отвлекает",
    "Риск сегодня маленький",
    "Хочу спокойно отработать план",
];

#[test]
fn every_reported_turn_survives() {
    let house = House::new();
    let mut chance = Chance(SEED);
    let mut open: Option<SessionId> = None;
    let (mut reported, mut resumed) = (0, 0);
    for round in 0..ROUNDS {
        let mut command = match open {
            Some(_) => house.command(["session", "--resume", "--json"]),
            None => house.command(["--lang", "ru", "session", "check-in", "--format", "unlimited", "--json"]),
        };
        let mut calm = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("calm starts");
        let events = lines(calm.stdout.take().expect("a pipe"));
        let mut stdin = calm.stdin.take().expect("a pipe");
        let talking = thread::spawn({
            let first = chance.below(SAID.len() as u64) as usize;
            // The pipe breaks when the program is killed: that is the end of talking.
            move || SAID.iter().cycle().skip(first).take(40).all(|text| writeln!(stdin, "{text}").is_ok())
        });
        // Three of four die while they talk, so many turns later on a slow machine as well; the rest at any moment from
        // the start on.
        let mut seen: Vec<Value> = Vec::new();
        if chance.below(4) > 0 {
            let mut turns = chance.below(5);
            seen.extend(events.recv());
            while turns > 0
                && let Ok(event) = events.recv()
            {
                turns -= u64::from(event["type"] == "user_turn");
                seen.push(event);
            }
            thread::sleep(Duration::from_micros(chance.below(10_000)));
        } else {
            thread::sleep(Duration::from_micros(chance.below(150_000)));
        }
        calm.kill().expect("killed");
        calm.wait().expect("reaped");
        talking.join().expect("talked");

        seen.extend(events);
        let session = seen.iter().find_map(|event| event["session_id"].to_string().parse().ok());
        if let (Some(before), Some(now)) = (open, session) {
            assert_eq!(before, now, "round {round} went on with another session");
            resumed += 1;
        }
        let conductor = look(&house);
        if let Some(id) = session {
            let page = conductor.page(id).expect("the file opens");
            let page = page.expect("a session that was reported is there");
            let mut kept = page.turns.iter().filter_map(|turn| turn.user.as_deref());
            for turn in seen.iter().filter(|event| event["type"] == "user_turn") {
                let text = turn["text"].as_str().expect("words");
                assert!(kept.any(|kept| kept == text), "round {round} lost a turn that it had reported");
                reported += 1;
            }
            let replies = seen.iter().filter(|event| event["type"] == "reply").count();
            assert!(page.turns.len() >= replies, "round {round} lost a reply");
        }
        open = conductor.unfinished().expect("the file opens");
    }
    println!("{ROUNDS} kills, {reported} reported turns, {resumed} sessions resumed");
    assert!(reported > 200, "the kills came too early to prove anything: {reported} turns");
    assert!(resumed > 20, "few sessions were there to resume: {resumed}");

    let closing = house.calm(["session", "check-in", "--say", "Готовность 8 из 10, спокоен, план есть"]);
    assert_eq!(closing.code, 0, "{}", closing.stderr);
    assert_eq!(look(&house).unfinished().expect("the file opens"), None);
}

fn look(house: &House) -> Conductor {
    let paths = Paths::find(Some(house.data.clone())).expect("a folder");
    Conductor::open(paths, Secrets::File, Clock::System, Box::new(|_| {})).expect("the file opens after a kill")
}

fn lines(stdout: std::process::ChildStdout) -> mpsc::Receiver<Value> {
    let (out, events) = mpsc::channel();
    thread::spawn(move || {
        for line in BufReader::new(stdout).lines().map_while(Result::ok) {
            // A line that the kill cut in half was not reported.
            let Ok(event) = serde_json::from_str(&line) else { break };
            if out.send(event).is_err() {
                break;
            }
        }
    });
    events
}

/// SplitMix64: the same moments on every machine.
struct Chance(u64);

impl Chance {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % limit
    }
}
