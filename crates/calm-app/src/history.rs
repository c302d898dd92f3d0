//! Past sessions, as both doors show them.

use calm_core::context::{SessionResult, Streak};
use calm_core::{Deltas, EndSession, Format, Kind, Lang};
use calm_store::{SessionId, SessionLine};
use jiff::Timestamp;
use serde::Serialize;

use crate::composing;
use crate::conductor::Conductor;
use crate::error::AppError;

#[derive(Debug, Clone, Serialize)]
pub struct Line {
    pub session_id: SessionId,
    pub session_type: Kind,
    pub started_at: Timestamp,
    pub ended: bool,
    /// 1–10, as are the other levels.
    pub trading_readiness: Option<u8>,
    pub stress_level: Option<u8>,
    pub session_result: Option<SessionResult>,
    pub session_summary: Option<String>,
}

/// One session, whole.
#[derive(Debug, Clone, Serialize)]
pub struct Page {
    pub session_id: SessionId,
    pub session_type: Kind,
    pub format: Format,
    pub language: Lang,
    pub started_at: Timestamp,
    pub turns: Vec<Exchange>,
    pub arguments: Option<EndSession>,
    pub deltas: Option<Deltas>,
}

#[derive(Debug, Clone, Serialize)]
pub struct Exchange {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user: Option<String>,
    pub calm: String,
}

impl Conductor {
    /// Newest first.
    pub fn history(&self, limit: u32) -> Result<Vec<Line>, AppError> {
        Ok(self.store.history(limit, None)?.into_iter().map(Line::from).collect())
    }

    /// The sessions of the trading day that it is now, newest first.
    pub fn sessions_today(&self) -> Result<Vec<Line>, AppError> {
        let day = self.today();
        let newest = self.store.history(self.store.sessions_on(day)?.max(1), None)?;
        Ok(newest.into_iter().filter(|session| session.trading_day == day).map(Line::from).collect())
    }

    /// `None` where there is no such session.
    pub fn page(&self, session: SessionId) -> Result<Option<Page>, AppError> {
        let Some(record) = self.store.session(session)? else { return Ok(None) };
        let session = record.session;
        let (arguments, deltas) = session.ended.map(|ended| (ended.arguments, ended.deltas)).unzip();
        Ok(Some(Page {
            session_id: session.id,
            session_type: session.begun.kind,
            format: session.begun.format,
            language: session.begun.language,
            started_at: session.begun.started_at,
            turns: record
                .turns
                .into_iter()
                .map(|turn| Exchange { user: turn.record.user_text, calm: turn.record.reply_text })
                .collect(),
            arguments,
            deltas,
        }))
    }

    /// The plan that today's newest check-in with one has written down, in the user's words.
    pub fn plan_today(&self) -> Result<Option<String>, AppError> {
        for line in self.sessions_today()? {
            let page = self.page(line.session_id)?;
            let plan = page.and_then(|page| page.arguments).and_then(|a| a.extracted_attributes.planned_approach);
            if plan.is_some() {
                return Ok(plan);
            }
        }
        Ok(None)
    }

    /// The session that has not ended, whether or not it runs here.
    pub fn unfinished(&self) -> Result<Option<SessionId>, AppError> {
        Ok(self.store.open_session()?.map(|session| session.id))
    }

    pub fn streak(&self) -> Result<Option<Streak>, AppError> {
        composing::streak(&self.store, self.today())
    }
}

impl From<SessionLine> for Line {
    fn from(session: SessionLine) -> Line {
        Line {
            session_id: session.id,
            session_type: session.kind,
            started_at: session.started_at,
            ended: session.ended_at.is_some(),
            trading_readiness: session.readiness,
            stress_level: session.stress,
            session_result: session.result,
            session_summary: session.summary,
        }
    }
}
