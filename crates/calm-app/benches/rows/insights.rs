//! Insights over 10,000 sessions and 20,000 trades: twenty years of two talks a day.

use std::hint::black_box;
use std::path::Path;
use std::time::Instant;

use calm_app::core::Deltas;
use calm_app::core::context::SessionResult;
use calm_app::core::end_session::{Attributes, EndSession, NextAction, PlanAdherence, SleepQuality};
use calm_app::{Kind, core};
use jiff::ToSpan;
use jiff::civil::{Date, date};
use rusqlite::{Connection, params};
use serde_json::json;

use crate::{house, millis, percentile, print};

const DAYS: u32 = 5000;
const TRADES_A_DAY: u32 = 4;
const ROUNDS: usize = 20;

/// Opening the page: everything is counted anew.
pub fn over_ten_thousand_sessions(id: &str) {
    let dir = tempfile::tempdir().expect("a folder");
    drop(house(dir.path()));
    fill(&dir.path().join("data"));
    let conductor = house(dir.path());
    let mut times = Vec::with_capacity(ROUNDS);
    for _ in 0..ROUNDS {
        let clock = Instant::now();
        let all = black_box(conductor.insights().expect("insights"));
        times.push(clock.elapsed());
        assert!(all.insights.iter().all(|insight| insight.missing == 0), "something is missing");
    }
    print(id, millis(percentile(&mut times, 99)), times.len(), &[]);
}

fn fill(data: &Path) {
    let key = std::fs::read_to_string(data.join("calm.key")).expect("the key");
    let mut conn = Connection::open(data.join("calm.db")).expect("the database");
    conn.execute_batch(&format!("PRAGMA key = \"x'{}'\"", key.trim())).expect("its key");
    let tx = conn.transaction().expect("a transaction");
    tx.execute("INSERT INTO imports VALUES (1, 0, 'generic', 'table.csv', NULL, 'USD', 0)", []).expect("an import");
    for n in 0..DAYS {
        let day = date(2006, 1, 1).checked_add(i64::from(n).days()).expect("a day");
        for kind in [Kind::CheckIn, Kind::CheckOut] {
            session(&tx, n, day, kind);
        }
        for trade in 0..TRADES_A_DAY {
            let net = i64::from((n * 7919 + trade * 104_729) % 1000) - 480;
            tx.prepare_cached(
                "INSERT INTO trades (key, trading_day, closed_at, currency, net, has_result, trade_json)
                 VALUES (?1, ?2, ?3, 'USD', ?4, 1, '{}')",
            )
            .and_then(|mut row| {
                row.execute(params![format!("{n} {trade}"), day.to_string(), millisecond(n), format!("{net}.25")])
            })
            .expect("a trade");
            tx.execute("INSERT INTO import_trades VALUES (1, ?1)", [tx.last_insert_rowid()]).expect("its import");
        }
    }
    tx.commit().expect("committed");
}

fn millisecond(n: u32) -> i64 {
    1_136_073_600_000 + i64::from(n) * 86_400_000
}

fn session(conn: &Connection, n: u32, day: Date, kind: Kind) {
    let level = |from: u32, step: u32| u8::try_from(from + n * step % 5).ok();
    let well = n * 2_654_435_761 % 7 < 4;
    let mut said = Attributes { stress_level: level(3, 3), energy_level: level(4, 2), ..Attributes::default() };
    match kind {
        Kind::CheckIn => {
            said.trading_readiness = level(4, 4);
            said.sleep_quality = Some(if n.is_multiple_of(3) { SleepQuality::Poor } else { SleepQuality::Good });
            said.planned_approach = Some("две сделки по тренду и стоп после второго минуса".into());
            said.external_stressors = Some(vec!["дедлайн".into(), "переезд".into()]);
        }
        Kind::CheckOut => {
            said.session_result =
                (!n.is_multiple_of(4)).then_some(if well { SessionResult::Win } else { SessionResult::Loss });
            said.plan_adherence = Some(if n % 5 > 1 { PlanAdherence::Followed } else { PlanAdherence::Deviated });
            said.key_learnings = Some("не двигать стоп на новостях".into());
        }
    }
    let ending = EndSession {
        session_type: kind,
        extracted_attributes: said,
        risk_flags: core::end_session::RiskFlags::default(),
        recommended_actions: core::end_session::RecommendedActions::default(),
        session_summary: "Спокойный разговор: план назван, стресс в пределах обычного, ждёт вечера.".into(),
        recommended_next_action: NextAction::None,
    };
    let at = millisecond(n) + if kind == Kind::CheckIn { 28_800_000 } else { 64_800_000 };
    let row = params![
        kind.name(),
        at,
        day.to_string(),
        json!({"session": {}, "user": {}}).to_string(),
        json!(ending).to_string(),
        json!(Deltas::default()).to_string(),
    ];
    conn.prepare_cached(
        "INSERT INTO sessions (kind, format, language, started_at, ended_at, trading_day, time_zone, number_today,
             opened_from, backend, prompt_set, prompt_version, prompt_hash, seed, context_json, arguments_json, deltas_json)
         VALUES (?1, 'short', 'ru', ?2, ?2, ?3, 'UTC', 1, 'window', 'guide', 'calm', '1', '0', 1, ?4, ?5, ?6)",
    )
    .and_then(|mut statement| statement.execute(row))
    .expect("a session");
}
