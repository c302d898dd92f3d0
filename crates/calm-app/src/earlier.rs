//! What the last talks left, for the first words of the next day.

use calm_core::context::SessionResult;
use calm_core::day::trading_day;
use calm_core::turn::Earlier;
use jiff::{SignedDuration, Timestamp};

use crate::conductor::Conductor;
use crate::error::AppError;

/// A long weekend; what is older is no "last time" any more.
const REMEMBERED_HOURS: i64 = 5 * 24;
/// More sessions than anybody holds in these days.
const MOST: u32 = 60;

impl Conductor {
    /// What the newest day before the one of `began` left: the user's own words, none of a hard talk.
    pub(crate) fn earlier(&self, began: Timestamp) -> Result<Earlier, AppError> {
        let today = trading_day(began, &self.settings().zone(), self.settings().day_start);
        let from = began.checked_sub(SignedDuration::from_hours(REMEMBERED_HOURS)).unwrap_or(Timestamp::MIN);
        let mut past = self.read_store().ended_since(from, MOST)?;
        past.retain(|session| session.trading_day < today);
        let Some(day) = past.iter().map(|session| session.trading_day).max() else { return Ok(Earlier::default()) };
        past.retain(|session| session.trading_day == day);
        if past.iter().any(|session| session.arguments.risk_flags.needs_attention) {
            return Ok(Earlier::default());
        }
        let said = || past.iter().map(|session| &session.arguments.extracted_attributes);
        Ok(Earlier {
            learning: said().find_map(|said| said.key_learnings.clone()),
            stressor: said().find_map(|said| said.external_stressors.as_ref()?.first().cloned()),
            won: said().find_map(|said| said.session_result) == Some(SessionResult::Win),
        })
    }
}
