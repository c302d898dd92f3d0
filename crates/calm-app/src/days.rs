//! The calendar of a history: one line a trading day.

use calm_store::SessionId;
use jiff::civil::Date;
use serde::Serialize;

use crate::conductor::Conductor;
use crate::error::AppError;
use crate::history::Line;

/// A trading day with at least one session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Day {
    pub day: Date,
    pub sessions: u32,
    /// 1–10, as it was last said that day.
    pub readiness: Option<u8>,
    /// 1–10, the highest of the day.
    pub stress: Option<u8>,
}

impl Conductor {
    /// The days from `from` to `to`, both included, on which there was a session; the earliest first.
    pub fn days(&self, from: Date, to: Date) -> Result<Vec<Day>, AppError> {
        let mut days: Vec<Day> = Vec::new();
        for session in self.read_store().levels_between(from, to)? {
            match days.last_mut().filter(|last| last.day == session.day) {
                Some(day) => {
                    day.sessions += 1;
                    day.readiness = session.readiness.or(day.readiness);
                    day.stress = day.stress.max(session.stress);
                }
                None => {
                    let (readiness, stress) = (session.readiness, session.stress);
                    days.push(Day { day: session.day, sessions: 1, readiness, stress });
                }
            }
        }
        Ok(days)
    }

    /// The day of the first session that there is.
    pub fn first_day(&self) -> Result<Option<Date>, AppError> {
        Ok(self.read_store().first_day()?)
    }

    /// The sessions of one trading day, newest first.
    pub fn sessions_on(&self, day: Date) -> Result<Vec<Line>, AppError> {
        Ok(self.read_store().history_on(day)?.into_iter().map(Line::from).collect())
    }

    /// The sessions before that one, newest first.
    pub fn history_before(&self, before: SessionId, limit: u32) -> Result<Vec<Line>, AppError> {
        Ok(self.read_store().history(limit, Some(before))?.into_iter().map(Line::from).collect())
    }
}
