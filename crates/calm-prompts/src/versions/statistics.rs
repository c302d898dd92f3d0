//! How a version does, for people to read: every figure with the number of sessions it rests on.

use serde::{Deserialize, Serialize};

use super::{Heard, SessionFigures};

/// Below this many sessions a mean is shown without an interval: it would be wide enough to say nothing.
pub const FEWEST_FOR_INTERVAL: usize = 5;

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Statistics {
    pub sessions: usize,
    pub completed: Share,
    pub forced: Share,
    /// Mean over sessions of their Sufler means, 1–5.
    pub sufler: Option<Mean>,
    pub heard: HeardCounts,
    /// Stress after minus before, −9–9, over the sessions that know both.
    pub stress_delta: Option<Mean>,
    pub boundary_hits_per_session: Option<f64>,
    pub sessions_with_hit: Share,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Share {
    pub count: usize,
    pub n: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Mean {
    pub mean: f64,
    /// Holds the true mean in 95 % of such samples (Student). `None` below [`FEWEST_FOR_INTERVAL`] sessions, and
    /// when all figures are equal: then nothing shows how far they spread.
    pub interval: Option<Interval>,
    pub n: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Interval {
    pub low: f64,
    pub high: f64,
}

/// Answers to the tap at the close; a session without one is in none of them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct HeardCounts {
    pub yes: usize,
    pub partly: usize,
    pub no: usize,
}

impl Share {
    fn of(count: usize, n: usize) -> Share {
        Share { count, n }
    }

    /// 0–1; `None` of nothing.
    pub fn share(&self) -> Option<f64> {
        (self.n > 0).then(|| self.count as f64 / self.n as f64)
    }
}

impl HeardCounts {
    /// How many answered at all.
    pub fn n(&self) -> usize {
        self.yes + self.partly + self.no
    }
}

/// The figures of a version over its finished sessions, in any order.
pub fn statistics(sessions: &[SessionFigures]) -> Statistics {
    let n = sessions.len();
    let count = |holds: fn(&SessionFigures) -> bool| sessions.iter().filter(|session| holds(session)).count();
    let said = |answer: Heard| sessions.iter().filter(|session| session.heard == Some(answer)).count();
    let hits: u64 = sessions.iter().map(|session| u64::from(session.boundary_hits)).sum();
    let sufler: Vec<f64> = sessions.iter().filter_map(SessionFigures::sufler).collect();
    let stress: Vec<f64> = sessions.iter().filter_map(|session| session.stress_delta).map(f64::from).collect();
    Statistics {
        sessions: n,
        completed: Share::of(count(|session| session.ended), n),
        forced: Share::of(count(|session| session.forced), n),
        sufler: mean_of(&sufler, 1.0, 5.0),
        heard: HeardCounts { yes: said(Heard::Yes), partly: said(Heard::Partly), no: said(Heard::No) },
        stress_delta: mean_of(&stress, -9.0, 9.0),
        boundary_hits_per_session: (n > 0).then(|| hits as f64 / n as f64),
        sessions_with_hit: Share::of(count(SessionFigures::has_hit), n),
    }
}

impl SessionFigures {
    /// A score that is not a number was not measured.
    pub(super) fn sufler(&self) -> Option<f64> {
        self.sufler_mean.filter(|score| score.is_finite())
    }

    pub(super) fn has_hit(&self) -> bool {
        self.boundary_hits > 0
    }
}

/// `lowest` and `highest` are the ends of the scale; an interval does not reach past them.
fn mean_of(figures: &[f64], lowest: f64, highest: f64) -> Option<Mean> {
    let n = figures.len();
    if n == 0 {
        return None;
    }
    let mean = figures.iter().sum::<f64>() / n as f64;
    let squares: f64 = figures.iter().map(|figure| (figure - mean).powi(2)).sum();
    let interval = (n >= FEWEST_FOR_INTERVAL && squares > 1e-9).then(|| {
        let freedom = (n - 1) as f64;
        let half = student_975(freedom) * (squares / freedom / n as f64).sqrt();
        Interval { low: (mean - half).max(lowest), high: (mean + half).min(highest) }
    });
    Some(Mean { mean, interval, n })
}

/// The 97.5 % point of Student's t (Abramowitz and Stegun, 26.7.5): within 0.001 from 4 degrees of freedom on.
fn student_975(freedom: f64) -> f64 {
    let z = 1.959_963_985_f64;
    let g1 = (z.powi(3) + z) / 4.0;
    let g2 = (5.0 * z.powi(5) + 16.0 * z.powi(3) + 3.0 * z) / 96.0;
    let g3 = (3.0 * z.powi(7) + 19.0 * z.powi(5) + 17.0 * z.powi(3) - 15.0 * z) / 384.0;
    let g4 = (79.0 * z.powi(9) + 776.0 * z.powi(7) + 1482.0 * z.powi(5) - 1920.0 * z.powi(3) - 945.0 * z) / 92_160.0;
    z + g1 / freedom + g2 / freedom.powi(2) + g3 / freedom.powi(3) + g4 / freedom.powi(4)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn students_quantile_is_the_one_in_the_tables() {
        for (freedom, table) in [(4.0, 2.776), (5.0, 2.571), (9.0, 2.262), (29.0, 2.045), (1000.0, 1.962)] {
            assert!((student_975(freedom) - table).abs() < 0.001, "{freedom}: {}", student_975(freedom));
        }
    }
}
