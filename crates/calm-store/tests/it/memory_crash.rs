use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::thread;
use std::time::Duration;

use calm_store::{Experienced, Kept};
use tempfile::tempdir;

use crate::memory::{begin, remembered};
use crate::{child, child_dir, open, raw};

const KILLS: u32 = 20;
const TURNS: u32 = 600;
const NAME: &str = "memory_crash::a_killed_worker_goes_on_where_it_was";

/// Remembers for as long as it lives, and reports each turn once the store says that it is on disk.
fn work(dir: &Path) {
    let mut store = open(dir);
    let mut known = Vec::new();
    store.for_each_experience(|row| known.push(row.id)).unwrap();
    while let Some(turn) = store.unremembered_turns(1).unwrap().pop() {
        // Every third is new, the others are like something before.
        let same = (turn.seq % 3 != 0).then(|| known.get(turn.seq as usize % known.len().max(1))).flatten();
        let experience = match same {
            Some(id) => Experienced::MergeInto(*id),
            None => Experienced::New { embedding: None },
        };
        match store.remember(turn.id, &remembered(experience, 2)).unwrap() {
            Kept::Experience(id) if !known.contains(&id) => known.push(id),
            Kept::Experience(_) => {}
            other => panic!("{other:?}"),
        }
        // The test harness may be in the middle of a line of its own.
        let mut out = std::io::stdout().lock();
        writeln!(out, "\nremembered {}", turn.seq).unwrap();
        out.flush().unwrap();
    }
}

#[test]
fn a_killed_worker_goes_on_where_it_was() {
    if let Some(dir) = child_dir() {
        return work(&dir);
    }
    let dir = tempdir().unwrap();
    {
        let mut store = open(dir.path());
        let session = begin(&mut store, "15:00:00");
        for turn in 1..=TURNS {
            store.record_turn(session, &crate::turn(&format!("слова {turn}"), "Слышу."), None).unwrap();
        }
    }
    let mut reported = 0;
    let mut random: u64 = 20_260_302;
    for kill in 0..KILLS {
        // A fixed sequence of moments, counted in reports so that a slow machine gets as far.
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let mut worker = child(NAME, dir.path()).spawn().unwrap();
        let lines = BufReader::new(worker.stdout.take().unwrap()).lines().map_while(Result::ok);
        let mut seqs = lines.filter_map(|line| line.strip_prefix("remembered ")?.parse::<u32>().ok());
        for _ in 0..1 + (random >> 33) % 20 {
            let seq = seqs.next().expect("there is more than it can do");
            assert!(seq > reported, "turn {seq} was remembered twice");
            reported = seq;
        }
        thread::sleep(Duration::from_micros((random >> 40) % 8_000));
        worker.kill().unwrap();
        reported = seqs.last().unwrap_or(reported);
        worker.wait().unwrap();

        let store = open(dir.path());
        store.verify().unwrap();
        let count = |what: &str| -> u32 { raw(dir.path()).query_row(what, [], |row| row.get(0)).unwrap() };
        let done = count("SELECT COUNT(*) FROM turns WHERE remembered");
        // The one under way may have happened without its report.
        assert!(done == reported || done == reported + 1, "kill {kill}: {done} done, {reported} reported");
        for table in ["experience_sources", "lesson_sources", "topic_marks"] {
            let kept = format!("SELECT COUNT(*) FROM {table} JOIN turns USING (session_id, seq) WHERE remembered");
            assert_eq!(count(&kept), done, "kill {kill}: {table}");
        }
        assert_eq!(store.user_model().unwrap().scores, done, "kill {kill}");
        assert_eq!(store.unremembered_turns(u32::MAX).unwrap().len() as u32, TURNS - done);
        reported = done;
    }
    println!("{reported} turns remembered");
    assert!(reported > 60 && reported < TURNS, "{reported} turns");
}
