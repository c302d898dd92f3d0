//! Past sessions.

use calm_app::SessionId;
use jiff::civil::Date;
use tauri::State;

use crate::desk::Desk;
use crate::showing;
use crate::wire::{DayCalendar, DayDot, FoundTurn, SessionLine, SessionPage, WireError};

/// How many sessions the history shows at once.
const PAGE: u32 = 60;
/// And how many of those that were found.
const FOUND: u32 = 40;

/// Newest first; those before a session, or those of one day.
#[tauri::command(async)]
#[specta::specta]
pub fn history(
    desk: State<'_, Desk>,
    before: Option<String>,
    day: Option<String>,
) -> Result<Vec<SessionLine>, WireError> {
    let day = day.map(|day| date(&day)).transpose()?;
    let before = before.map(|id| session_id(&id)).transpose()?;
    let lines = desk.with(|conductor| match (day, before) {
        (Some(day), _) => conductor.sessions_on(day),
        (None, Some(before)) => conductor.history_before(before, PAGE),
        (None, None) => conductor.history(PAGE),
    })?;
    Ok(lines.iter().map(showing::line).collect())
}

/// One session, whole.
#[tauri::command(async)]
#[specta::specta]
pub fn session(desk: State<'_, Desk>, id: String) -> Result<SessionPage, WireError> {
    let id = session_id(&id)?;
    let page = desk.with(|conductor| conductor.page(id))?;
    page.as_ref().map(showing::page).ok_or_else(no_such_session)
}

/// The days from `from` to `to`, both included, on which there was a session.
#[tauri::command(async)]
#[specta::specta]
pub fn calendar(desk: State<'_, Desk>, from: String, to: String) -> Result<DayCalendar, WireError> {
    let (from, to) = (date(&from)?, date(&to)?);
    desk.with(|conductor| {
        Ok(DayCalendar {
            days: conductor.days(from, to)?.iter().map(DayDot::from).collect(),
            first: conductor.first_day()?.map(|day| day.to_string()).unwrap_or_default(),
            today: conductor.today().to_string(),
        })
    })
}

/// The best first.
#[tauri::command(async)]
#[specta::specta]
pub fn search_history(desk: State<'_, Desk>, words: String) -> Result<Vec<FoundTurn>, WireError> {
    let hits = desk.with(|conductor| conductor.search_history(&words, FOUND))?;
    Ok(hits.iter().map(FoundTurn::from).collect())
}

/// Puts a value that Calm took from the words right; empty where it was not said. Gives the session as it is then.
#[tauri::command(async)]
#[specta::specta]
pub fn correct_value(desk: State<'_, Desk>, id: String, key: String, value: String) -> Result<SessionPage, WireError> {
    let session = session_id(&id)?;
    desk.with(|conductor| conductor.correct_value(session, showing::attribute(&key), &value))?;
    desk.show_everything()?;
    let page = desk.with(|conductor| conductor.page(session))?;
    page.as_ref().map(showing::page).ok_or_else(no_such_session)
}

/// What the user says of a reply.
#[tauri::command(async)]
#[specta::specta]
pub fn rate_reply(desk: State<'_, Desk>, id: String, reply: String, good: bool) -> Result<(), WireError> {
    let session = session_id(&id)?;
    desk.with(|conductor| conductor.rate_reply(session, &reply, good))
}

pub(super) fn session_id(id: &str) -> Result<SessionId, WireError> {
    id.parse().map_err(|_| no_such_session())
}

fn no_such_session() -> WireError {
    WireError { code: "no_such_session".into(), detail: String::new() }
}

fn date(day: &str) -> Result<Date, WireError> {
    day.parse().map_err(|_| WireError { code: "bad_input".into(), detail: String::new() })
}
