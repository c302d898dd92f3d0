//! `calm history`: past sessions, newest first, or one of them whole (and put right), or what was said in any of them.

use std::process::ExitCode;

use calm_app::core::end_session::Attributes;
use calm_app::correcting::corrected;
use calm_app::history::{Line, Page};
use calm_app::searching::{self, Who};
use calm_app::{AppError, Clock, Conductor};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde::Serialize;

use super::House;
use crate::args::{HistoryAction, HistoryArgs};
use crate::failure::Failure;
use crate::output::Output;

#[derive(Serialize)]
#[serde(tag = "type", rename = "session")]
struct SessionObject<'a, T: Serialize> {
    #[serde(flatten)]
    session: &'a T,
}

pub fn run(house: &House, args: &HistoryArgs, out: &Output) -> Result<ExitCode, Failure> {
    if let Some(HistoryAction::Delete { session, yes }) = args.action {
        return super::data::delete(house, session, yes, out);
    }
    // All of them are looked at before the first is kept.
    for (name, value) in &args.set {
        corrected(&Attributes::default(), name, value).map_err(AppError::from)?;
    }
    if !house.paths()?.has_database() {
        if args.session.is_some() {
            return Err(Failure::bad_input("there is no such session: nothing has been recorded yet"));
        }
        if args.search.is_some() {
            nothing_found(out);
        } else if !out.json() {
            out.line("no sessions yet: begin one with `calm session check-in`");
        }
        return Ok(ExitCode::SUCCESS);
    }
    let mut conductor = house.open(Clock::System, Box::new(|_| {}))?;
    if let Some(id) = args.session {
        for (name, value) in &args.set {
            conductor.correct_value(id, name, value)?;
        }
        let page = conductor.page(id)?;
        let page = page.ok_or_else(|| Failure::bad_input(format!("there is no session {id}")))?;
        if out.json() {
            out.object(&SessionObject { session: &page });
        } else {
            print_page(&page, out);
        }
        return Ok(ExitCode::SUCCESS);
    }
    if let Some(words) = &args.search {
        search(&conductor, words, args.limit, out)?;
        return Ok(ExitCode::SUCCESS);
    }
    let zone = conductor.settings().zone();
    for line in conductor.history(args.limit)? {
        if out.json() {
            out.object(&SessionObject { session: &line });
        } else {
            out.line(&print_line(&line, &shown(line.started_at, &zone)));
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn search(conductor: &Conductor, words: &str, limit: u32, out: &Output) -> Result<(), Failure> {
    if !searching::can_be_found(words) {
        if !out.json() {
            out.line("nothing found: such words are in every talk; add one that says more");
        }
        return Ok(());
    }
    let hits = conductor.search_history(words, limit)?;
    if hits.is_empty() {
        nothing_found(out);
    }
    let zone = conductor.settings().zone();
    for hit in &hits {
        if out.json() {
            out.event("hit", hit);
        } else {
            let who = match hit.who {
                Who::User => "You",
                Who::Calm => "Calm",
            };
            out.line(&format!("{:>5}  {}  {who:<4}  {}", hit.session_id, shown(hit.at, &zone), hit.snippet));
        }
    }
    Ok(())
}

fn nothing_found(out: &Output) {
    if !out.json() {
        out.line("nothing found");
    }
}

fn shown(at: Timestamp, zone: &TimeZone) -> String {
    zone.to_datetime(at).strftime("%Y-%m-%d %H:%M").to_string()
}

fn print_line(line: &Line, when: &str) -> String {
    let level = |name: &str, value: Option<u8>| value.map_or(String::new(), |v| format!("{name} {v}/10"));
    format!(
        "{:>5}  {when}  {:<9}  {:<15} {:<12} {}",
        line.session_id,
        line.session_type.name(),
        level("readiness", line.trading_readiness),
        level("stress", line.stress_level),
        line.session_summary.as_deref().unwrap_or("(still open)"),
    )
}

fn print_page(page: &Page, out: &Output) {
    for turn in &page.turns {
        if let Some(user) = &turn.user {
            out.line(&format!("You      {user}"));
        }
        out.line(&format!("Calm     {}", turn.calm));
    }
    if let Some(arguments) = &page.arguments {
        out.line("");
        out.line(&arguments.session_summary);
    }
}
