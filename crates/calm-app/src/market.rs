//! What the market's hours ask for: a check-in before it opens, a check-out after it closes.

use calm_core::market::Call;
use calm_core::{Kind, Lang};
use jiff::Timestamp;

use crate::conductor::Conductor;
use crate::error::AppError;

impl Conductor {
    /// The call that is due now and came after `asked`, the one that was answered for last.
    ///
    /// `None` also where the user has not switched it on or their hours cannot be read, and while a session runs.
    pub fn market_call(&self, asked: Option<Timestamp>) -> Result<Option<Call>, AppError> {
        let settings = self.settings();
        if !settings.market_reminders || self.running().is_some() {
            return Ok(None);
        }
        let Some(hours) = settings.market_hours() else { return Ok(None) };
        let now = self.now().to_zoned_datetime(settings.zone());
        Ok(hours.call(settings.market_days, &now, asked))
    }

    /// Whether the talk that it asks for was had since: then there is nothing to ask.
    pub fn is_answered(&self, call: &Call) -> Result<bool, AppError> {
        let had = self.sessions_today()?;
        Ok(match call.kind {
            // A check-in of the same day counts, however early it was.
            Kind::CheckIn => had.iter().any(|line| line.session_type == Kind::CheckIn),
            Kind::CheckOut => had.iter().any(|line| line.session_type == Kind::CheckOut && line.started_at >= call.at),
        })
    }
}

/// The words of its notification.
pub fn words(call: &Call, lang: Lang) -> &'static str {
    match (call.kind, call.passed, lang) {
        (Kind::CheckIn, false, Lang::Ru) => "Скоро откроется рынок. Есть минута на чек-ин?",
        (Kind::CheckIn, true, Lang::Ru) => "Рынок уже открыт. Есть минута на чек-ин?",
        (Kind::CheckOut, _, Lang::Ru) => "Рынок закрылся. Расскажешь, как прошло?",
        (Kind::CheckIn, false, Lang::En) => "The market opens soon. A minute for a check-in?",
        (Kind::CheckIn, true, Lang::En) => "The market is open. A minute for a check-in?",
        (Kind::CheckOut, _, Lang::En) => "The market has closed. How did it go?",
    }
}
