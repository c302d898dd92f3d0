//! Insights in words: one plain sentence each, with what it rests on (SPEC D4).
//!
//! The arithmetic is calm-memory's, the sentences lie in `insights/`. What repeats itself over months was found by
//! memory already and stands beside them as it was found.

mod sentences;

use calm_core::Lang;
use calm_core::context::Streak;
use calm_memory::insights::{Overview, Reading, TradeDay, overview};
use calm_memory::patterns::{Pattern, Session};
use calm_store::{MemoryKind, MemoryState, PastSession, Store};
use serde::Serialize;

pub use calm_memory::insights::{Figures, InsightKind, Mean, Means};
pub use calm_memory::patterns::{Share, Table};

use crate::conductor::Conductor;
use crate::error::AppError;
use crate::{remembering, trades};

/// One picture's worth.
#[derive(Debug, Clone, Serialize)]
pub struct Insight {
    pub kind: InsightKind,
    /// What is so, or what will appear and how many sessions are missing.
    pub sentence: String,
    /// Sessions or days that it rests on; 0 while nothing is told.
    pub n: u32,
    /// So many sessions at least until it can be told; 0 where it is.
    pub missing: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub figures: Option<Figures>,
}

/// Something that memory found to come together, newest figures.
#[derive(Debug, Clone, Serialize)]
pub struct Repeated {
    pub sentence: String,
    pub n: u32,
    /// 95 % for the difference of the two shares; absent for a plain count.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interval: Option<(f64, f64)>,
    /// Newer days speak against it, or it has not come up for long.
    pub fading: bool,
}

#[derive(Debug, Clone, Serialize)]
pub struct Insights {
    pub insights: Vec<Insight>,
    pub patterns: Vec<Repeated>,
    pub streak: Option<Streak>,
    /// Results that the user told, and results that only the trades tell.
    pub results_said: u32,
    pub results_of_trades: u32,
    /// Of money in the insights.
    pub currency: Option<String>,
}

impl Conductor {
    /// What the user's own sessions and trades say.
    pub fn insights(&self) -> Result<Insights, AppError> {
        let (days, currency) = trades::traded_days(self.read_store())?;
        let Overview { insights, streak, results_said, results_of_trades } = self.overview(&days)?;
        let language = self.language();
        let told = |insight: calm_memory::insights::Insight| {
            let sentence = sentences::of(&insight, currency.as_deref(), language);
            let (figures, missing) = match insight.reading {
                Reading::Figures(figures) => (Some(figures), 0),
                Reading::Missing(missing) => (None, missing),
            };
            Insight { kind: insight.kind, sentence, n: figures.as_ref().map_or(0, Figures::n), missing, figures }
        };
        Ok(Insights {
            insights: insights.into_iter().map(told).collect(),
            patterns: patterns(self.read_store(), language)?,
            streak,
            results_said,
            results_of_trades,
            currency,
        })
    }

    fn overview(&self, days: &[TradeDay]) -> Result<Overview, AppError> {
        let session = |past: PastSession| Session {
            id: past.id.into(),
            day: past.trading_day,
            kind: past.kind,
            at: past.started_at,
            attributes: past.arguments.extracted_attributes,
        };
        let sessions: Vec<Session> = self.read_store().all_ended()?.into_iter().map(session).collect();
        Ok(overview(&sessions, days))
    }
}

/// Found patterns that the user has not dismissed, the clearest first.
fn patterns(store: &Store, language: Lang) -> Result<Vec<Repeated>, AppError> {
    let mut memories = store.memories()?;
    memories.retain(|memory| memory.kind == MemoryKind::Pattern && memory.state != MemoryState::Dismissed);
    memories.sort_by(|a, b| b.confidence.total_cmp(&a.confidence));
    let repeated = |memory: &calm_store::Memory| {
        let pattern: Option<Pattern> = memory.data.clone().and_then(|data| serde_json::from_value(data).ok());
        Some(Repeated {
            sentence: remembering::sentences::of(memory, language)?,
            n: memory.n,
            interval: pattern.filter(|pattern| pattern.evidence.is_some()).map(|pattern| pattern.interval),
            fading: memory.state == MemoryState::Fading,
        })
    };
    Ok(memories.iter().filter_map(repeated).collect())
}
