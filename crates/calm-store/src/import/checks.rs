//! What a row must be beyond what its table demands: the program could have written it.
//!
//! A row is looked at as its reader reads it, once it is in the table and before anything is committed.

use calm_core::end_session::Attributes;
use calm_core::{Kind, Lang};
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use rusqlite::types::{Value, ValueRef};
use rusqlite::{Connection, Row};

use super::{Beside, Refused, place, wrong};
use crate::columns::{Json, Name};
use crate::memories::MemoryKind;
use crate::{StoreError, ledger, memories, sessions, trades, turns};

/// Days between a moment in UTC and its trading day, whatever zone and start of the day are set.
const DAYS_APART: i32 = 2;

/// Looks at a row that has come in under the number `id`; `given` has its values.
pub(super) fn row<'v>(
    conn: &Connection,
    table: &str,
    id: i64,
    given: &dyn Fn(&str) -> Option<&'v Value>,
    beside: &Beside<'_>,
) -> Result<(), Refused> {
    match table {
        "settings" => {
            let settings: serde_json::Value =
                one(conn, table, "only_row", id, |row| Ok(row.get::<_, Json<_>>("json")?.0))?;
            first([("json", !(beside.settings)(&settings))])
        }
        "sessions" => session(conn, id),
        "turns" => turn(conn, id),
        "ledger" => request(conn, id),
        "imports" => {
            let import = one(conn, "(SELECT *, 0 AS trades FROM imports)", "id", id, trades::import)?;
            (beside.import)(&import.begun).map_or(Ok(()), |field| Err(Refused::field(field)))
        }
        "trades" => {
            let trade = one(conn, table, "id", id, trades::trade)?.trade;
            first([("trading_day", is_far(trade.trading_day, trade.closed_at))])?;
            (beside.trade)(&trade).map_or(Ok(()), |field| Err(Refused::field(field)))
        }
        "memories" => {
            let memory = one(conn, table, "id", id, memories::memory)?;
            first([
                ("key", memory.key.is_empty()),
                ("n", memory.n == 0),
                ("first_at", memory.first_at > memory.last_at),
                ("text", memory.text.as_deref().is_some_and(str::is_empty)),
                ("text", memory.text.is_none() && (memory.kind == MemoryKind::Told || memory.corrected)),
                ("text", memory.text.is_some() && memory.kind == MemoryKind::Pattern && !memory.corrected),
            ])
        }
        "experiences" => experience(conn, id),
        "lessons" => one(conn, table, "id", id, |row| {
            row.get::<_, Name<Lang>>("language")?;
            Ok([
                ("topic", row.get::<_, String>("topic")?.is_empty()),
                ("worst", !(1..=5).contains(&row.get::<_, i64>("worst")?)),
                ("first_at", row.get::<_, i64>("first_at")? > row.get::<_, i64>("last_at")?),
            ])
        })
        .and_then(first),
        "experience_sources" | "lesson_sources" | "topic_marks" => of_turn(conn, given),
        "user_model" => one(conn, table, "only_row", id, |row| {
            Ok([
                ("scores", row.get::<_, u32>("scores")? == 0),
                ("mean", !(1.0..=5.0).contains(&row.get::<_, f64>("mean")?)),
            ])
        })
        .and_then(first),
        _ => Ok(()),
    }
}

/// A trade that no import holds, or an import that holds none, cannot be: they go together.
pub(super) fn all_held(conn: &Connection) -> Result<(), StoreError> {
    let alone: bool = conn.query_row(
        "SELECT EXISTS (SELECT 1 FROM trades WHERE NOT EXISTS (SELECT 1 FROM import_trades WHERE trade_id = trades.id))
             OR EXISTS (SELECT 1 FROM imports WHERE NOT EXISTS (SELECT 1 FROM import_trades WHERE import_id = imports.id))",
        [],
        |row| row.get(0),
    )?;
    if alone { Err(wrong(&place("import_trades"))) } else { Ok(()) }
}

fn session(conn: &Connection, id: i64) -> Result<(), Refused> {
    let found = one(conn, "sessions", "id", id, |row| {
        let told: [(&str, Option<String>); 4] = [
            ("readiness", shown(row, "readiness")?),
            ("stress", shown(row, "stress")?),
            ("energy", shown(row, "energy")?),
            ("session_result", shown(row, "session_result")?),
        ];
        Ok((sessions::session(row)?, told))
    })?;
    let (session, told) = found;
    let begun = &session.begun;
    first([
        ("trading_day", is_far(begun.trading_day, begun.started_at)),
        ("number_today", begun.number_today == 0),
        ("time_zone", begun.time_zone.is_empty()),
        ("backend", begun.backend.is_empty()),
    ])?;
    let Some(ended) = &session.ended else { return Ok(()) };
    let said = &ended.arguments.extracted_attributes;
    first([("arguments_json", ended.arguments.session_type != begun.kind || !is_said(said))])?;
    // The lookup columns repeat what the arguments say.
    let number = |level: Option<u8>| level.map(|level| level.to_string());
    let result = said.session_result.and_then(|result| serde_json::to_value(result).ok());
    let result = result.and_then(|name| name.as_str().map(str::to_owned));
    let repeated = [number(said.trading_readiness), number(said.stress_level), number(said.energy_level), result];
    told.into_iter().zip(repeated).try_for_each(|((field, told), said)| first([(field, told != said)]))
}

fn is_said(said: &Attributes) -> bool {
    let levels = [said.stress_level, said.energy_level, said.trading_readiness, said.regret_level, said.satisfaction];
    levels.into_iter().flatten().all(|level| (1..=10).contains(&level))
        && said.confidence.is_none_or(|confidence| (0.0..=1.0).contains(&confidence))
}

fn turn(conn: &Connection, id: i64) -> Result<(), Refused> {
    let turn = one(conn, "turns", "id", id, turns::turn)?;
    let voice = turn.record.voice.as_ref();
    let level = |level: Option<u8>| level.is_none_or(|level| (1..=10).contains(&level));
    first([
        ("seq", turn.seq == 0),
        ("audio_seconds", turn.record.audio_seconds.is_some_and(|seconds| seconds < 0.0)),
        ("voice_json", voice.is_some_and(|voice| !level(voice.stress_level) || !level(voice.energy_level))),
        ("voice_json", voice.is_some_and(|voice| !(0.0..=1.0).contains(&voice.confidence))),
    ])
}

/// What was deleted from the ledger has no body any more.
fn request(conn: &Connection, id: i64) -> Result<(), Refused> {
    let entry = one(conn, "ledger", "id", id, ledger::entry)?;
    let row = &entry.row;
    let is_method = !row.method.is_empty() && row.method.bytes().all(|byte| byte.is_ascii_uppercase());
    let is_address = ["http://", "https://"].iter().any(|scheme| row.url.starts_with(scheme));
    first([
        ("method", !is_method),
        ("url", !is_address || row.url.chars().any(char::is_control)),
        ("bytes", !row.body.is_empty() && row.body.len() as u64 != entry.bytes),
        ("status", entry.status.is_some_and(|status| !(100..1000).contains(&status))),
    ])
}

fn experience(conn: &Connection, id: i64) -> Result<(), Refused> {
    let words = one(conn, "experiences", "id", id, |row| {
        row.get::<_, Name<Lang>>("language")?;
        row.get::<_, Name<Kind>>("kind")?;
        let score: Option<f64> = row.get("score")?;
        let situation: String = row.get("situation")?;
        let fields = [
            ("first_at", row.get::<_, i64>("first_at")? > row.get::<_, i64>("last_at")?),
            ("score", score.is_some_and(|score| !(1.0..=5.0).contains(&score))),
            ("situation", situation.is_empty()),
        ];
        Ok((
            fields,
            (row.get::<_, i64>("words_session")?, row.get::<_, i64>("words_seq")?),
            situation,
            row.get("corrected")?,
        ))
    });
    let (fields, place, situation, corrected): (_, _, String, bool) = words?;
    first(fields)?;
    let mut said = conn.prepare_cached("SELECT user_text FROM turns WHERE session_id = ?1 AND seq = ?2")?;
    let said = said.query_map([place.0, place.1], |row| row.get::<_, Option<String>>(0))?.next().transpose()?;
    let Some(Some(said)) = said else { return Err(Refused::field("words_seq")) };
    first([("situation", !corrected && said != situation)])
}

/// The moment is its turn's.
fn of_turn<'v>(conn: &Connection, given: &dyn Fn(&str) -> Option<&'v Value>) -> Result<(), Refused> {
    let said_at: Option<i64> = conn
        .prepare_cached("SELECT (SELECT said_at FROM turns WHERE session_id = ?1 AND seq = ?2)")?
        .query_row([given("session_id"), given("seq")], |row| row.get(0))?;
    let at = given("at").and_then(|at| if let Value::Integer(at) = at { Some(*at) } else { None });
    first([("at", said_at != at)])?;
    let text = |name: &str| given(name).and_then(|value| if let Value::Text(text) = value { Some(text) } else { None });
    if let Some(reasons) = text("reasons_json") {
        first([("reasons_json", serde_json::from_str::<Vec<String>>(reasons).is_err())])?;
    }
    let is_language = |name: &String| serde_json::from_value::<Lang>(name.as_str().into()).is_ok();
    first([("language", text("language").is_some_and(|name| !is_language(name)))])
}

fn is_far(day: Date, moment: Timestamp) -> bool {
    let utc = TimeZone::UTC.to_datetime(moment).date();
    utc.until(day).map_or(true, |apart| apart.get_days().abs() > DAYS_APART)
}

/// The first field that is wrong.
fn first<const N: usize>(fields: [(&str, bool); N]) -> Result<(), Refused> {
    match fields.into_iter().find(|(_, is_wrong)| *is_wrong) {
        Some((field, _)) => Err(Refused::field(field)),
        None => Ok(()),
    }
}

/// A number or a word, as text.
fn shown(row: &Row<'_>, name: &str) -> rusqlite::Result<Option<String>> {
    Ok(match row.get_ref(name)? {
        ValueRef::Integer(number) => Some(number.to_string()),
        other => other.as_str_or_null()?.map(str::to_owned),
    })
}

fn one<T>(
    conn: &Connection,
    table: &str,
    key: &str,
    id: i64,
    read: impl FnOnce(&Row<'_>) -> rusqlite::Result<T>,
) -> Result<T, Refused> {
    let mut statement = conn.prepare_cached(&format!("SELECT * FROM {table} WHERE {key} = ?1"))?;
    Ok(statement.query_row([id], read)?)
}
