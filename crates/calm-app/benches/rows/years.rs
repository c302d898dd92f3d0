//! Twenty years of two talks a day: 10,000 sessions, 30,000 turns and 20,000 trades.

use std::path::Path;

use calm_app::core::Deltas;
use calm_app::core::context::{SessionContext, SessionFacts, SessionResult, UserFacts};
use calm_app::core::end_session::{Attributes, EndSession, NextAction, PlanAdherence, SleepQuality};
use calm_app::{Format, Kind, core};
use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};
use rusqlite::{Connection, params};
use serde_json::json;

const DAYS: u32 = 5000;
const TRADES_A_DAY: u32 = 4;
/// What was said and answered; Calm begins.
const TALK: [(Option<&str>, &str); 3] = [
    (None, "Привет. Как ты сегодня?"),
    (Some("Спал часов шесть, немного тревожно, план тот же"), "Слышу тревогу. Насколько готов к торгам, от 1 до 10?"),
    (Some("Семь"), "Семь, хорошо. Спокойного дня, вечером сверимся."),
];

/// Writes them into the data folder of a house that was opened once, up to today; nobody may have it open.
pub fn fill(data: &Path) {
    let first = TimeZone::UTC.to_datetime(Timestamp::now()).date().saturating_sub(i64::from(DAYS - 1).days());
    let key = std::fs::read_to_string(data.join("calm.key")).expect("the key");
    let mut conn = Connection::open(data.join("calm.db")).expect("the database");
    conn.execute_batch(&format!("PRAGMA key = \"x'{}'\"", key.trim())).expect("its key");
    let tx = conn.transaction().expect("a transaction");
    tx.execute("INSERT INTO imports VALUES (1, 0, 'generic', 'table.csv', NULL, 'USD', 0)", []).expect("an import");
    for n in 0..DAYS {
        let day = first.saturating_add(i64::from(n).days());
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
                row.execute(params![format!("{n} {trade}"), day.to_string(), millisecond(day), format!("{net}.25")])
            })
            .expect("a trade");
            tx.execute("INSERT INTO import_trades VALUES (1, ?1)", [tx.last_insert_rowid()]).expect("its import");
        }
    }
    tx.commit().expect("committed");
}

/// Midnight.
fn millisecond(day: Date) -> i64 {
    TimeZone::UTC.to_timestamp(day.at(0, 0, 0, 0)).expect("a day").as_millisecond()
}

fn session(conn: &Connection, n: u32, day: Date, kind: Kind) {
    let level = |from: u32, step: u32| u8::try_from(from + n * step % 5).ok();
    let well = n.wrapping_mul(2_654_435_761) % 7 < 4;
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
    let at = millisecond(day) + if kind == Kind::CheckIn { 28_800_000 } else { 64_800_000 };
    let row = params![
        kind.name(),
        at,
        day.to_string(),
        json!(context(kind)).to_string(),
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
    let session = conn.last_insert_rowid();
    for (seq, (user, reply)) in (0_u32..).zip(TALK) {
        conn.prepare_cached(
            "INSERT INTO turns (session_id, seq, said_at, user_text, reply_text, reply_backend, remembered)
             VALUES (?1, ?2, ?3, ?4, ?5, 'guide', 1)",
        )
        .and_then(|mut turn| turn.execute(params![session, seq, at, user, reply]))
        .expect("a turn");
    }
}

fn context(kind: Kind) -> SessionContext {
    SessionContext {
        session: SessionFacts {
            kind,
            format: Format::Short,
            has_matching_checkin: kind == Kind::CheckOut,
            session_number_today: 1,
        },
        user: UserFacts::default(),
        voice_analysis: None,
        previous_checkin: None,
    }
}
