//! Versions under trial: which variant a session gets, how a version does, and when it has to go.
//!
//! Figures in, judgements out: nothing here reads a clock or a table, so every rule fits a simulation. Keeping the
//! history and switching the version back are done elsewhere. The rule and what was measured of it stand in
//! docs/prompt-experiments.md.
//!
//! How long people talk and whether they come back are not among the figures, and must not become one: a prompt that
//! is judged by them learns to hold on to people.

mod assignment;
mod evidence;
mod rollback;
mod statistics;

use serde::{Deserialize, Serialize};

pub use assignment::assign;
pub use rollback::{FEWEST_BASELINE, FEWEST_CANDIDATE, Reason, Verdict, judge};
pub use statistics::{FEWEST_FOR_INTERVAL, HeardCounts, Interval, Mean, Share, Statistics, statistics};

/// What one finished session says about the version that led it. What was not measured is `None`, never 0.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct SessionFigures {
    /// It came to its end, rather than being cut off or left.
    pub ended: bool,
    /// It was left or cut off, and the app had to end it.
    pub forced: bool,
    /// Mean of Sufler's scores over the session's replies, 1–5.
    pub sufler_mean: Option<f64>,
    /// The one optional tap at the close.
    pub heard: Option<Heard>,
    /// Stress on the user's scale, after minus before: −9–9, below 0 is relief.
    pub stress_delta: Option<i32>,
    /// Hits of the guard in all its replies.
    pub boundary_hits: u32,
}

/// Did the person feel heard?
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Heard {
    Yes,
    Partly,
    No,
}
