//! The disk room against real files: every test has its own folder and its own database.
#![allow(clippy::unwrap_used)]

mod banned_terms;
mod crash;
mod erasing;
mod forgetting;
mod keychain;
mod knowledge;
mod memory;
mod memory_crash;
mod memory_rules;
mod opening;
mod passphrase;
mod patterns;
mod plans;
mod portable;
mod privacy;
mod prompt_figures;
mod prompts;
mod records;
mod sessions;
mod spool;
mod traces;
mod trades;
mod turn_search;

use std::path::Path;
use std::process::{Command, Stdio};

use calm_core::context::{SessionFacts, UserFacts};
use calm_core::end_session::Attributes;
use calm_core::{EndSession, Format, Kind, Lang, SessionContext};
use calm_store::{NewSession, PromptStamp, Secrets, Store, TurnRecord};
use jiff::Timestamp;
use jiff::civil::date;
use rusqlite::Connection;

fn open(dir: &Path) -> Store {
    Store::open(dir, Secrets::File).unwrap()
}

fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

/// A session of Monday, 2 March 2026, begun at `time` UTC.
fn new_session(kind: Kind, time: &str) -> NewSession {
    NewSession {
        kind,
        format: Format::Short,
        language: Lang::Ru,
        started_at: at(&format!("2026-03-02T{time}Z")),
        trading_day: date(2026, 3, 2),
        time_zone: "Europe/Moscow".into(),
        number_today: 1,
        opened_from: "terminal".into(),
        backend: "guide".into(),
        prompt: PromptStamp {
            set: "calm".into(),
            version: "1.0.0".into(),
            variant: Some("a".into()),
            hash: "c0ffee".into(),
        },
        context: SessionContext {
            session: SessionFacts { kind, format: Format::Short, has_matching_checkin: false, session_number_today: 1 },
            user: UserFacts { name: Some("Светлана".into()), ..Default::default() },
            voice_analysis: None,
            previous_checkin: None,
        },
        seed: u64::MAX,
        matched_checkin: None,
    }
}

fn turn(user: &str, reply: &str) -> TurnRecord {
    TurnRecord::new(at("2026-03-02T06:01:00Z"), Some(user.into()), reply.into(), "guide".into())
}

fn ending(kind: Kind, attributes: Attributes) -> EndSession {
    EndSession {
        session_type: kind,
        extracted_attributes: attributes,
        risk_flags: Default::default(),
        recommended_actions: Default::default(),
        session_summary: "Спокойное утро.".into(),
        recommended_next_action: Default::default(),
    }
}

/// This test binary again, running the test `name` as a second process with `CALM_STORE_CHILD` set to `dir`.
fn child(name: &str, dir: &Path) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args([name, "--exact", "--nocapture", "--include-ignored"])
        .env("CALM_STORE_CHILD", dir)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

/// The folder that a test run as a second process works in; `None` in an ordinary run.
fn child_dir() -> Option<std::path::PathBuf> {
    std::env::var_os("CALM_STORE_CHILD").map(Into::into)
}

/// The database as any SQLCipher program with the key sees it.
fn raw(dir: &Path) -> Connection {
    let key = std::fs::read_to_string(dir.join("calm.key")).unwrap();
    let conn = Connection::open(dir.join("calm.db")).unwrap();
    conn.execute_batch(&format!("PRAGMA key = \"x'{}'\"", key.trim())).unwrap();
    conn
}
