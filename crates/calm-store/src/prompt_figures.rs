//! How each session went, for the comparison of prompt versions (SPEC P4).
//!
//! One line a session and no judgement: which sessions count, and what they prove, is decided elsewhere.

use calm_core::Lang;
use jiff::Timestamp;

use crate::columns::{Millis, Name};
use crate::sessions::{Heard, SessionId};
use crate::{Store, StoreError};

/// How a session with a prompt set went.
#[derive(Debug, Clone, PartialEq)]
pub struct PromptFigures {
    pub session: SessionId,
    pub version: String,
    pub variant: Option<String>,
    pub hash: String,
    pub language: Lang,
    pub started_at: Timestamp,
    pub ended: bool,
    /// It was left, and the app had to end it.
    pub forced: bool,
    /// Mean score of the scored turns, 1–5; `None` where none was scored.
    pub sufler_mean: Option<f64>,
    pub heard: Option<Heard>,
    /// Stress after minus stress before, −9 to 9, where a check-out knows both.
    pub stress_delta: Option<i32>,
    /// Hits of the guard in all its replies.
    pub boundary_hits: u32,
    /// Replies, the opening included.
    pub replies: u32,
    /// Those of the replies that the guide gave, without these prompts.
    pub guide_replies: u32,
    /// The session ended with `needs_attention`: it is no experiment (SPEC H5).
    pub crisis: bool,
}

impl Store {
    /// All sessions that were held with any version of the prompt set, oldest first.
    pub fn prompt_figures(&self, set: &str) -> Result<Vec<PromptFigures>, StoreError> {
        let mut statement = self.conn.prepare_cached(
            "SELECT session.id, prompt_version, prompt_variant, prompt_hash, language, started_at,
                 ended_at IS NOT NULL AS ended, forced, heard,
                 deltas_json ->> '$.stress.change' AS stress_delta,
                 COALESCE(arguments_json ->> '$.risk_flags.needs_attention', 0) AS crisis,
                 AVG(sufler_json ->> '$.score') AS sufler_mean,
                 COALESCE(SUM(json_array_length(guard_json)), 0) AS boundary_hits,
                 COUNT(turn.id) AS replies,
                 COALESCE(SUM(reply_backend = 'guide'), 0) AS guide_replies
             FROM sessions AS session LEFT JOIN turns AS turn ON session_id = session.id
             WHERE prompt_set = ?1
             GROUP BY session.id ORDER BY started_at, session.id",
        )?;
        let figures = statement.query_map([set], |row| {
            Ok(PromptFigures {
                session: row.get("id")?,
                version: row.get("prompt_version")?,
                variant: row.get("prompt_variant")?,
                hash: row.get("prompt_hash")?,
                language: row.get::<_, Name<_>>("language")?.0,
                started_at: row.get::<_, Millis>("started_at")?.0,
                ended: row.get("ended")?,
                forced: row.get("forced")?,
                sufler_mean: row.get("sufler_mean")?,
                heard: row.get::<_, Option<Name<_>>>("heard")?.map(|heard| heard.0),
                stress_delta: row.get("stress_delta")?,
                boundary_hits: row.get("boundary_hits")?,
                replies: row.get("replies")?,
                guide_replies: row.get("guide_replies")?,
                crisis: row.get("crisis")?,
            })
        })?;
        Ok(figures.collect::<Result<_, _>>()?)
    }
}
