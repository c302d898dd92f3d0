//! Simulated sessions of two versions, judged after every session of the second, from fixed seeds.

pub mod tables;

use calm_prompts::versions::{Reason, SessionFigures, Verdict, judge};

/// SplitMix64, and Box–Muller on top.
pub struct Dice(pub u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Above 0, at most 1.
    fn uniform(&mut self) -> f64 {
        ((self.next() >> 11) + 1) as f64 / (1u64 << 53) as f64
    }

    pub fn normal(&mut self) -> f64 {
        (-2.0 * self.uniform().ln()).sqrt() * (std::f64::consts::TAU * self.uniform()).cos()
    }
}

/// What a version's sessions are like.
#[derive(Debug, Clone, Copy)]
pub struct Arm {
    pub mean: f64,
    pub deviation: f64,
    /// Scores end at 1 and 5, as Sufler's do.
    pub clipped: bool,
    /// Share of sessions with a boundary hit.
    pub hits: f64,
    /// Correlation of a session's score with the one before.
    pub carried_over: f64,
}

impl Arm {
    pub const STEADY: Arm = Arm { mean: 4.0, deviation: 0.6, clipped: false, hits: 0.0, carried_over: 0.0 };

    fn session(self, dice: &mut Dice, last: &mut Option<f64>) -> SessionFigures {
        let fresh = dice.normal();
        let keep = self.carried_over;
        let noise = last.map_or(fresh, |last| keep * last + (1.0 - keep * keep).sqrt() * fresh);
        *last = Some(noise);
        let score = self.mean + self.deviation * noise;
        let score = if self.clipped { score.clamp(1.0, 5.0) } else { score };
        let hit = self.hits > 0.0 && dice.uniform() <= self.hits;
        SessionFigures {
            ended: true,
            sufler_mean: Some(score),
            boundary_hits: u32::from(hit),
            ..SessionFigures::default()
        }
    }
}

#[derive(Debug, Clone, Copy)]
pub enum Baseline {
    /// So many sessions, all before the candidate's first.
    Fixed(usize),
    /// A/B: one more for each of the candidate's.
    SideBySide,
}

#[derive(Debug, Clone, Copy)]
pub struct Outcome {
    /// Sessions of the candidate until its rollback.
    pub looks: usize,
    pub for_hits: bool,
}

/// For each run when, if at all, the candidate was rolled back within `looks` of its sessions.
pub fn looks_until_rollback(runs: u64, looks: usize, kind: Baseline, before: Arm, now: Arm) -> Vec<Option<Outcome>> {
    (0..runs).map(|run| one_run(&mut Dice(run << 32), looks, kind, before, now)).collect()
}

pub fn share_rolled_back(runs: u64, looks: usize, kind: Baseline, before: Arm, now: Arm) -> f64 {
    let outcomes = looks_until_rollback(runs, looks, kind, before, now);
    outcomes.iter().flatten().count() as f64 / runs as f64
}

/// The candidate's sessions until half of the runs were rolled back; `None` if they never were.
pub fn median(outcomes: &[Option<Outcome>]) -> Option<usize> {
    let mut looks: Vec<usize> = outcomes.iter().map(|outcome| outcome.map_or(usize::MAX, |it| it.looks)).collect();
    looks.sort_unstable();
    looks.get(looks.len() / 2).copied().filter(|looks| *looks != usize::MAX)
}

fn one_run(dice: &mut Dice, looks: usize, kind: Baseline, before: Arm, now: Arm) -> Option<Outcome> {
    let (mut last_before, mut last_now) = (None, None);
    let standing = if let Baseline::Fixed(n) = kind { n } else { 0 };
    let mut baseline: Vec<SessionFigures> = (0..standing).map(|_| before.session(dice, &mut last_before)).collect();
    let mut candidate = Vec::with_capacity(looks);
    for look in 1..=looks {
        if matches!(kind, Baseline::SideBySide) {
            baseline.push(before.session(dice, &mut last_before));
        }
        candidate.push(now.session(dice, &mut last_now));
        if let Verdict::RollBack(reason) = judge(&baseline, &candidate) {
            return Some(Outcome { looks: look, for_hits: matches!(reason, Reason::BoundaryHits { .. }) });
        }
    }
    None
}
