//! Two sequential tests, as evidence values: how many times better "the candidate is worse" explains what was seen.
//!
//! If the candidate is in truth no worse, the value has a mean of at most 1 at every look, and the chance that it
//! *ever* reaches `x` is at most `1/x` (Ville's inequality). That is why looking after every session costs nothing.
//! Formulas and proofs in short: docs/prompt-experiments.md.

/// Spread of the differences that the mean test looks for, in (standard deviations)²: ±0.7 of a deviation, which is
/// 0.4 Sufler points.
const PRIOR_VARIANCE: f64 = 0.5;
/// Sessions on a scale of five steps differ by at least this much; less is a run of luck, not precision.
const LEAST_DEVIATION: f64 = 0.3;
/// A baseline is believed to be clean only as far as this many further clean sessions would make it so.
const CLEAN_SESSIONS_ASSUMED: usize = 20;
/// The reference rate is the one at which the baseline would look as good as it does with this chance.
const REFERENCE_CHANCE: f64 = 0.2;
/// Beyond any threshold, and still a number in JSON.
const MOST: f64 = 1e12;

/// Size, mean and squared deviations of a sample.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sample {
    pub n: usize,
    pub mean: f64,
    squares: f64,
}

impl Sample {
    pub fn of(figures: impl Iterator<Item = f64>) -> Sample {
        // Welford's update: one pass, and no difference of large sums.
        figures.fold(Sample { n: 0, mean: 0.0, squares: 0.0 }, |seen, figure| {
            let n = seen.n + 1;
            let step = figure - seen.mean;
            let mean = seen.mean + step / n as f64;
            Sample { n, mean, squares: seen.squares + step * (figure - mean) }
        })
    }
}

/// Evidence that the candidate's mean is lower. The deviation need not be known: it is estimated from both samples,
/// and the guarantee holds for the estimate. 0 where the candidate is not lower; both need at least two figures.
pub(super) fn of_a_lower_mean(baseline: Sample, candidate: Sample) -> f64 {
    let difference = candidate.mean - baseline.mean;
    if difference >= 0.0 || baseline.n < 2 || candidate.n < 2 {
        return 0.0;
    }
    let (n0, k) = (baseline.n as f64, candidate.n as f64);
    let freedom = n0 + k - 2.0;
    let pooled = ((baseline.squares + candidate.squares) / freedom).max(LEAST_DEVIATION.powi(2));
    // Where the versions scatter differently, pooling may promise too much; the wider of the two is taken.
    let apart = baseline.squares / (n0 - 1.0) / n0 + candidate.squares / (k - 1.0) / k;
    let variance = (pooled * (1.0 / n0 + 1.0 / k)).max(apart);
    let t2 = difference.powi(2) / variance;
    let c = PRIOR_VARIANCE * n0 * k / (n0 + k);
    let two_sided =
        ((freedom + 1.0) / 2.0 * ((freedom + t2) / (freedom + t2 / (1.0 + c))).ln() - 0.5 * (1.0 + c).ln()).exp();
    // Twice the two-sided value is the sum of both one-sided ones, and the other side's is below 1 here.
    (2.0 * two_sided - 1.0).clamp(0.0, MOST)
}

/// The highest share of sessions with a hit that the baseline can honestly vouch for, 0–1.
///
/// The `p` at which `hits` or fewer in `sessions` (and [`CLEAN_SESSIONS_ASSUMED`] more) have the chance
/// [`REFERENCE_CHANCE`].
pub(super) fn reference_rate(hits: usize, sessions: usize) -> f64 {
    let n = sessions + CLEAN_SESSIONS_ASSUMED;
    let (mut low, mut high) = (0.0_f64, 1.0_f64);
    for _ in 0..40 {
        let middle = f64::midpoint(low, high);
        if at_most(hits, n, middle) > REFERENCE_CHANCE {
            low = middle;
        } else {
            high = middle;
        }
    }
    // The upper end: rounding must not make the reference stricter.
    high
}

/// Evidence that hits come more often than at `reference` (above 0, below 1), over sessions oldest first.
///
/// Each session is foretold twice, at the reference rate and at what the candidate has shown so far, never below
/// the reference: `(1 + hits) / (5 + sessions)`. The evidence is how much better the second did.
pub(super) fn of_a_higher_rate(reference: f64, hits: impl Iterator<Item = bool>) -> f64 {
    let mut seen = 0.0;
    let mut evidence = 0.0;
    for (i, hit) in hits.enumerate() {
        let foretold = ((1.0 + seen) / (5.0 + i as f64)).max(reference);
        if hit {
            seen += 1.0;
            evidence += (foretold / reference).ln();
        } else {
            evidence += ((1.0 - foretold) / (1.0 - reference)).ln();
        }
    }
    evidence.exp().min(MOST)
}

/// P(X ≤ `most`) for X binomial; in logarithms, because the first terms of a long run are below any `f64`.
fn at_most(most: usize, n: usize, p: f64) -> f64 {
    let mut ln_term = n as f64 * (1.0 - p).ln();
    let mut sum = ln_term.exp();
    for i in 0..most.min(n) {
        ln_term += ((n - i) as f64 / (i + 1) as f64).ln() + (p / (1.0 - p)).ln();
        sum += ln_term.exp();
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clean_baseline_vouches_for_more_the_longer_it_is() {
        // 1 − 0.2^(1/n): the closed form where there were no hits.
        for sessions in [0usize, 20, 60, 200] {
            let expected = 1.0 - 0.2_f64.powf(1.0 / (sessions + 20) as f64);
            assert!((reference_rate(0, sessions) - expected).abs() < 1e-9, "{sessions}");
        }
        assert!(reference_rate(3, 60) > 3.0 / 60.0);
        let long = reference_rate(3000, 6000);
        assert!((0.5..0.52).contains(&long), "{long}");
    }

    #[test]
    fn a_rate_at_the_reference_gains_nothing_on_average() {
        let reference = 0.1;
        // Every course of eight sessions, each with its probability at the reference.
        let mean: f64 = (0u32..256)
            .map(|course| {
                let hits = (0..8).map(|i| course >> i & 1 == 1);
                let chance: f64 = hits.clone().map(|hit| if hit { reference } else { 1.0 - reference }).product();
                chance * of_a_higher_rate(reference, hits)
            })
            .sum();
        assert!((mean - 1.0).abs() < 1e-9, "{mean}");
    }
}
