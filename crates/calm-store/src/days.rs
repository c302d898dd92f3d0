//! Trading days with their sessions, for a calendar.

use jiff::civil::Date;
use rusqlite::{OptionalExtension, params};

use crate::columns::Day;
use crate::sessions::something_came_of;
use crate::{Store, StoreError};

/// One session on its day; levels are 1–10.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DayLevels {
    pub day: Date,
    pub readiness: Option<u8>,
    pub stress: Option<u8>,
}

impl Store {
    /// The sessions of the days from `from` to `to`, both included, in the order in which they began.
    pub fn levels_between(&self, from: Date, to: Date) -> Result<Vec<DayLevels>, StoreError> {
        let mut statement = self.conn.prepare_cached(&format!(
            "SELECT trading_day, readiness, stress FROM sessions
             WHERE trading_day BETWEEN ?1 AND ?2 AND {} ORDER BY trading_day, started_at, id",
            something_came_of("sessions")
        ))?;
        let levels = statement.query_map(params![Day(from), Day(to)], |row| {
            Ok(DayLevels {
                day: row.get::<_, Day>("trading_day")?.0,
                readiness: row.get("readiness")?,
                stress: row.get("stress")?,
            })
        })?;
        Ok(levels.collect::<Result<_, _>>()?)
    }

    /// The trading day of the first session that there is.
    pub fn first_day(&self) -> Result<Option<Date>, StoreError> {
        let mut statement = self.conn.prepare_cached(&format!(
            "SELECT trading_day FROM sessions WHERE {} ORDER BY trading_day LIMIT 1",
            something_came_of("sessions")
        ))?;
        Ok(statement.query_row([], |row| Ok(row.get::<_, Day>(0)?.0)).optional()?)
    }
}
