use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::thread;
use std::time::Duration;

use calm_core::Kind;
use calm_store::{CHUNK_SAMPLES, Store};
use jiff::Timestamp;
use tempfile::tempdir;

use crate::{child, child_dir, new_session, open, turn};

const KILLS: u32 = 40;
const NAME: &str = "crash::what_was_reported_is_there_after_every_kill";

/// Talks for as long as it lives, and reports each thing once the store says that it is on disk.
///
/// Utterances are numbered from `first` on, which also serves as the recording's start in seconds.
fn talk(dir: &Path, first: u32) {
    let mut store = open(dir);
    let session = match store.open_session().unwrap() {
        Some(session) => session.id,
        None => store.begin_session(&new_session(Kind::CheckIn, "06:00:00")).unwrap(),
    };
    for utterance in first.. {
        let recording =
            store.start_recording(Timestamp::from_second(utterance.into()).unwrap(), Some(session)).unwrap();
        for second in 1..=2 {
            store.append_chunk(recording, second, &vec![7; CHUNK_SAMPLES]).unwrap();
            report(&format!("chunk {utterance} {second}"));
        }
        // Every third utterance is never understood and stays in the spool.
        let understood = utterance % 3 != 2;
        let text = format!("реплика {utterance}");
        let seq = store.record_turn(session, &turn(&text, "Слышу."), understood.then_some(recording)).unwrap();
        report(&format!("turn {seq} {utterance}"));
    }
}

fn report(line: &str) {
    // The test harness may be in the middle of a line of its own.
    let mut out = std::io::stdout().lock();
    writeln!(out, "\n{line}").unwrap();
    out.flush().unwrap();
}

/// What the killed processes have reported so far.
#[derive(Default)]
struct Reported {
    /// Number of the turn in the session → utterance.
    turns: BTreeMap<usize, u32>,
    /// Utterance → seconds that must still be in the spool.
    spooled: BTreeMap<u32, u32>,
}

impl Reported {
    fn hear(&mut self, line: &str) {
        match line.split(' ').collect::<Vec<_>>()[..] {
            ["chunk", utterance, seconds] => {
                self.spooled.insert(utterance.parse().unwrap(), seconds.parse().unwrap());
            }
            ["turn", seq, utterance] => {
                let utterance: u32 = utterance.parse().unwrap();
                let taken = self.turns.insert(seq.parse().unwrap(), utterance);
                assert_eq!(taken, None, "turn {seq} was reported twice");
                if utterance % 3 != 2 {
                    self.spooled.remove(&utterance);
                }
            }
            _ => {}
        }
    }

    /// After a kill the commit under way may have happened without its report: one turn more.
    fn is_in(&mut self, store: &Store) {
        let stored = match store.session("1".parse().unwrap()).unwrap() {
            Some(session) => session.turns,
            None => Vec::new(),
        };
        for (seq, utterance) in &self.turns {
            let text = stored.get(seq - 1).and_then(|t| t.record.user_text.as_deref());
            assert_eq!(text, Some(format!("реплика {utterance}").as_str()), "turn {seq}");
        }
        let last_spooled = self.spooled.last_key_value().map(|(utterance, _)| *utterance);
        let unreported = stored.iter().filter(|t| !self.turns.contains_key(&(t.seq as usize)));
        let consumed: Vec<String> = unreported.filter_map(|t| t.record.user_text.clone()).collect();
        if let Some(last) = last_spooled
            && last % 3 != 2
            && consumed.contains(&format!("реплика {last}"))
        {
            self.spooled.remove(&last);
        }

        let recordings = store.recordings().unwrap();
        for (utterance, seconds) in &self.spooled {
            let recording = recordings.iter().find(|r| r.started_at.as_second() == i64::from(*utterance));
            let recording = recording.unwrap_or_else(|| panic!("utterance {utterance} is not in the spool"));
            assert!(recording.seconds >= f64::from(*seconds), "utterance {utterance}");
            let samples = store.recording_samples(recording.id).unwrap();
            assert!(samples.len() >= *seconds as usize * CHUNK_SAMPLES && samples.iter().all(|s| *s == 7));
        }
    }
}

#[test]
fn what_was_reported_is_there_after_every_kill() {
    if let Some(dir) = child_dir() {
        let first = std::env::var("CALM_STORE_FIRST_UTTERANCE").unwrap();
        return talk(&dir, first.parse().unwrap());
    }
    let dir = tempdir().unwrap();
    let mut reported = Reported::default();
    let mut random: u64 = 20_260_302;
    for kill in 0..KILLS {
        // A fixed sequence of moments, counted in reports so that a slow machine gets as far: the kill
        // comes up to 8 ms, about two commits, after one of the first forty. Every tenth process dies unborn.
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let reports = if kill % 10 == 9 { 0 } else { 1 + (random >> 33) % 40 };
        let moment = Duration::from_micros((random >> 40) % 8_000);
        let first = (kill * 10_000).to_string();
        let mut talker = child(NAME, dir.path()).env("CALM_STORE_FIRST_UTTERANCE", first).spawn().unwrap();
        let mut lines = BufReader::new(talker.stdout.take().unwrap()).lines().map_while(Result::ok);
        let mut heard = 0;
        while heard < reports {
            let line = lines.next().expect("it talks until it is killed");
            heard += u64::from(line.starts_with("chunk ") || line.starts_with("turn "));
            reported.hear(&line);
        }
        thread::sleep(moment);
        talker.kill().unwrap();
        lines.for_each(|line| reported.hear(&line));
        talker.wait().unwrap();

        let store = open(dir.path());
        store.verify().unwrap();
        reported.is_in(&store);
    }
    let (turns, left) = (reported.turns.len(), reported.spooled.len());
    println!("{turns} turns reported, {left} recordings left in the spool");
    assert!(turns > 100 && left > 20, "the killed processes did too little: {turns} turns, {left} recordings left");
}
