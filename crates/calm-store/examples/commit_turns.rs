//! How long a durable turn takes: `cargo run -p calm-store --example commit_turns [FOLDER]`.
//!
//! The figures depend on the disk: name a folder on the one that matters.

use std::fs::File;
use std::io::Write;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use calm_core::context::{SessionFacts, UserFacts};
use calm_core::{Format, Kind, Lang, SessionContext};
use calm_store::{CHUNK_SAMPLES, NewSession, PromptStamp, Secrets, Store, TurnRecord};
use jiff::Timestamp;
use serde_json::json;

const TURNS: usize = 500;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::args_os().nth(1).map_or_else(std::env::temp_dir, PathBuf::from);
    let dir = tempfile::tempdir_in(folder)?;
    let opening = Instant::now();
    let mut store = Store::open(dir.path(), Secrets::File)?;
    println!("first opening {:.1} ms", millis(opening.elapsed()));

    let session = store.begin_session(&session())?;
    let mut turn = TurnRecord::new(
        Timestamp::UNIX_EPOCH,
        Some("Сегодня спал часов шесть, готов процентов на семьдесят, план тот же.".into()),
        "Слышу: сон короткий, а план остаётся. Что поможет держаться его?".into(),
        "guide".into(),
    );
    turn.raw_emotion = Some(json!({"arousal": 0.41, "probs": {"neutral": 0.7, "fear": 0.3}}));
    turn.contour = Some(json!({"labels": ["УВЕР: HIGH"], "state": {"trust": 0.5}, "micros": 12}));

    // What the disk itself takes to keep as many bytes as a small commit writes.
    let mut bare = File::create(dir.path().join("bare"))?;
    let mut disk = Vec::with_capacity(TURNS);
    let mut typed = Vec::with_capacity(TURNS);
    let mut spoken = Vec::with_capacity(TURNS);
    let mut chunks = Vec::with_capacity(TURNS * 3);
    for _ in 0..TURNS {
        disk.push(timed(|| bare.write_all(&[7; 4 * 4096]).and_then(|()| bare.sync_data()))?);
        typed.push(timed(|| store.record_turn(session, &turn, None).map(drop))?);
        let recording = store.start_recording(Timestamp::UNIX_EPOCH, Some(session))?;
        for seq in 0..3 {
            chunks.push(timed(|| store.append_chunk(recording, seq, &[7; CHUNK_SAMPLES]))?);
        }
        spoken.push(timed(|| store.record_turn(session, &turn, Some(recording)).map(drop))?);
    }
    show("16 KiB and a bare fdatasync", disk);
    show("typed turn", typed);
    show("spoken turn, 3 s leave the spool", spoken);
    show("a second of speech into the spool", chunks);
    Ok(())
}

fn timed<E>(work: impl FnOnce() -> Result<(), E>) -> Result<Duration, E> {
    let started = Instant::now();
    work()?;
    Ok(started.elapsed())
}

fn show(what: &str, mut times: Vec<Duration>) {
    times.sort();
    let at = |share: usize| times.get(times.len() * share / 100).copied().map_or(0.0, millis);
    println!("{what}: n {}, p50 {:.2} ms, p99 {:.2} ms", times.len(), at(50), at(99));
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

fn session() -> NewSession {
    NewSession {
        kind: Kind::CheckIn,
        format: Format::Short,
        language: Lang::Ru,
        started_at: Timestamp::UNIX_EPOCH,
        trading_day: jiff::civil::date(1970, 1, 1),
        time_zone: "UTC".into(),
        number_today: 1,
        opened_from: "terminal".into(),
        backend: "guide".into(),
        prompt: PromptStamp { set: "calm".into(), version: "1".into(), variant: None, hash: "0".into() },
        context: SessionContext {
            session: SessionFacts {
                kind: Kind::CheckIn,
                format: Format::Short,
                has_matching_checkin: false,
                session_number_today: 1,
            },
            user: UserFacts::default(),
            voice_analysis: None,
            previous_checkin: None,
        },
        seed: u64::MAX,
        matched_checkin: None,
    }
}
