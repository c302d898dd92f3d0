//! When a version has to go: the rule behind automatic rollback.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::SessionFigures;
use super::evidence::{self, Sample};

/// Scored sessions of the baseline below which Sufler's means are not compared.
pub const FEWEST_BASELINE: usize = 10;
/// Scored sessions of the candidate below which Sufler's means are not compared.
pub const FEWEST_CANDIDATE: usize = 5;

/// Evidence that rolls back for lower scores: at most one equal version in 25 ever reaches it.
const ENOUGH_FOR_SUFLER: f64 = 25.0;
/// Evidence that rolls back for boundary hits: at most one in 50 at the reference rate ever reaches it.
const ENOUGH_FOR_BOUNDARIES: f64 = 50.0;
/// One session with a hit may be an accident, whatever the odds say.
const FEWEST_SESSIONS_WITH_HIT: usize = 2;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "verdict", rename_all = "snake_case")]
pub enum Verdict {
    Keep,
    /// Too few scored sessions to compare; boundary hits have been looked at all the same.
    TooFew {
        baseline: usize,
        candidate: usize,
    },
    RollBack(Reason),
}

/// Why, with the figures; the `Display` is the line for the log.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "because", rename_all = "snake_case")]
pub enum Reason {
    /// Sufler scores the candidate's sessions lower.
    LowerScores { baseline_mean: f64, baseline_n: usize, candidate_mean: f64, candidate_n: usize, evidence: f64 },
    /// More of the candidate's sessions run into a safety boundary.
    BoundaryHits {
        baseline_with_hit: usize,
        baseline_n: usize,
        candidate_with_hit: usize,
        candidate_n: usize,
        /// The share of sessions with a hit that the baseline vouches for, 0–1.
        reference_rate: f64,
        evidence: f64,
    },
}

/// Is the candidate worse than the baseline beyond chance?
///
/// Ask after every finished session of the candidate, both slices oldest first; the first `RollBack` is final. The
/// baseline may stand still (the version before) or grow beside the candidate (A/B). Only "worse" is ever found.
pub fn judge(baseline: &[SessionFigures], candidate: &[SessionFigures]) -> Verdict {
    if let Some(reason) = too_many_hits(baseline, candidate) {
        return Verdict::RollBack(reason);
    }
    let scores = |sessions: &[SessionFigures]| Sample::of(sessions.iter().filter_map(SessionFigures::sufler));
    let (before, now) = (scores(baseline), scores(candidate));
    if before.n < FEWEST_BASELINE || now.n < FEWEST_CANDIDATE {
        return Verdict::TooFew { baseline: before.n, candidate: now.n };
    }
    let evidence = evidence::of_a_lower_mean(before, now);
    if evidence < ENOUGH_FOR_SUFLER {
        return Verdict::Keep;
    }
    Verdict::RollBack(Reason::LowerScores {
        baseline_mean: before.mean,
        baseline_n: before.n,
        candidate_mean: now.mean,
        candidate_n: now.n,
        evidence,
    })
}

fn too_many_hits(baseline: &[SessionFigures], candidate: &[SessionFigures]) -> Option<Reason> {
    let with_hit = |sessions: &[SessionFigures]| sessions.iter().filter(|session| session.has_hit()).count();
    let candidate_with_hit = with_hit(candidate);
    if candidate_with_hit < FEWEST_SESSIONS_WITH_HIT {
        return None;
    }
    let baseline_with_hit = with_hit(baseline);
    let reference_rate = evidence::reference_rate(baseline_with_hit, baseline.len());
    let evidence = evidence::of_a_higher_rate(reference_rate, candidate.iter().map(SessionFigures::has_hit));
    (evidence >= ENOUGH_FOR_BOUNDARIES).then_some(Reason::BoundaryHits {
        baseline_with_hit,
        baseline_n: baseline.len(),
        candidate_with_hit,
        candidate_n: candidate.len(),
        reference_rate,
        evidence,
    })
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::LowerScores { baseline_mean, baseline_n, candidate_mean, candidate_n, evidence } => write!(
                f,
                "Sufler mean {candidate_mean:.2} over {candidate_n} sessions, against {baseline_mean:.2} over \
                 {baseline_n}: evidence {evidence:.0}, {ENOUGH_FOR_SUFLER:.0} suffices"
            ),
            Reason::BoundaryHits {
                baseline_with_hit,
                baseline_n,
                candidate_with_hit,
                candidate_n,
                reference_rate,
                evidence,
            } => write!(
                f,
                "boundary hits in {candidate_with_hit} of {candidate_n} sessions, against {baseline_with_hit} of \
                 {baseline_n}, which vouches for {:.1} %: evidence {evidence:.0}, {ENOUGH_FOR_BOUNDARIES:.0} suffices",
                reference_rate * 100.0
            ),
        }
    }
}
