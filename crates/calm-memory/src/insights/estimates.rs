//! Means, medians and runs with how far they may be off. Nothing here knows about sessions.

use rust_decimal::Decimal;
use serde::Serialize;

/// Results that a run is looked for in: the newest ones.
pub const RUN_HORIZON: usize = 100;
const SHUFFLES: usize = 1000;

const Z: f64 = 1.959_963_985;

/// A mean with its 95 % interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Mean {
    pub n: u32,
    pub value: f64,
    pub interval: (f64, f64),
}

/// Two means, and the 95 % interval of the first minus the second.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Means {
    pub with: Mean,
    pub without: Mean,
    pub interval: (f64, f64),
}

/// Mean and variance of a sample of two or more.
fn moments(values: &[f64]) -> Option<(f64, f64)> {
    if values.len() < 2 {
        return None;
    }
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (n - 1.0);
    Some((mean, variance))
}

/// The least variance of a mean of whole levels: answers that were all the same may still differ by half a level.
fn rounding(n: f64) -> f64 {
    1.0 / 12.0 / n
}

impl Mean {
    /// Student's t. `values` are levels in the order of time; `None` for fewer than two.
    pub fn of(values: &[f64]) -> Option<Mean> {
        let (mean, variance) = moments(values)?;
        let centred: Vec<f64> = values.iter().map(|value| value - mean).collect();
        let n = values.len() as f64;
        let effective = n / spread(&[], &centred);
        let half = t(effective - 1.0) * (variance / effective).max(rounding(n)).sqrt();
        Some(Mean { n: u32::try_from(values.len()).ok()?, value: mean, interval: (mean - half, mean + half) })
    }
}

impl Means {
    /// Welch's t for the values with true against those with false, in the order of time.
    pub fn of(values: &[(bool, f64)]) -> Option<Means> {
        let side = |wanted: bool| -> Vec<f64> {
            values.iter().filter(|(with, _)| *with == wanted).map(|(_, value)| *value).collect()
        };
        let (with, without) = (side(true), side(false));
        let ((m1, v1), (m2, v2)) = (moments(&with)?, moments(&without)?);
        let when: Vec<f64> = values.iter().map(|(with, _)| f64::from(u8::from(*with))).collect();
        let rest: Vec<f64> = values.iter().map(|(with, value)| value - if *with { m1 } else { m2 }).collect();
        let spread = spread(&when, &rest);
        let (n1, n2) = (with.len() as f64 / spread, without.len() as f64 / spread);
        let (e1, e2) = ((v1 / n1).max(rounding(n1)), (v2 / n2).max(rounding(n2)));
        let freedom = (e1 + e2).powi(2) / (e1.powi(2) / (n1 - 1.0).max(1.0) + e2.powi(2) / (n2 - 1.0).max(1.0));
        let half = t(freedom) * (e1 + e2).sqrt();
        let difference = m1 - m2;
        Some(Means {
            with: Mean::of(&with)?,
            without: Mean::of(&without)?,
            interval: (difference - half, difference + half),
        })
    }
}

/// The half-width of 95 % in standard errors (Abramowitz and Stegun 26.7.5); under 3 degrees it is taken at 3.
fn t(freedom: f64) -> f64 {
    let v = freedom.max(3.0);
    let power = |n: i32| Z.powi(n);
    let terms = [
        (power(3) + Z) / 4.0,
        (5.0 * power(5) + 16.0 * power(3) + 3.0 * Z) / 96.0,
        (3.0 * power(7) + 19.0 * power(5) + 17.0 * power(3) - 15.0 * Z) / 384.0,
        (79.0 * power(9) + 776.0 * power(7) + 1482.0 * power(5) - 1920.0 * power(3) - 945.0 * Z) / 92160.0,
    ];
    terms.iter().rev().fold(0.0, |sum, term| (sum + term) / v) + Z
}

/// How many days count for one because neighbours are alike; at least 1, at most a quarter of them.
///
/// Bartlett: `1 + 2 Σ w(k) ρ_when(k) ρ_then(k)` with Newey and West's weights over the first lags. Without a `when` its
/// ρ is 1. `then` has its mean taken out.
pub fn spread(when: &[f64], then: &[f64]) -> f64 {
    let n = then.len();
    let lags = (n as f64).sqrt().floor() as usize;
    let mean = when.iter().sum::<f64>() / when.len().max(1) as f64;
    let when: Vec<f64> = when.iter().map(|value| value - mean).collect();
    let alike = |series: &[f64], lag: usize| {
        let whole: f64 = series.iter().map(|x| x * x).sum();
        let shifted: f64 = series.iter().zip(series.iter().skip(lag)).map(|(a, b)| a * b).sum();
        if whole > 0.0 { shifted / whole } else { 0.0 }
    };
    let term = |lag: usize| {
        let weight = 1.0 - lag as f64 / (lags + 1) as f64;
        weight * alike(then, lag) * if when.is_empty() { 1.0 } else { alike(&when, lag) }
    };
    let sum: f64 = (1..=lags).map(term).sum();
    (1.0 + 2.0 * sum).clamp(1.0, (n as f64 / 4.0).max(1.0))
}

/// The median and what it may lie between, both days of the sample: `None` of nothing.
///
/// The ranks are `z √(n · spread) / 2` away from the middle, rounded outwards, whatever the days are distributed like.
pub fn median_interval(days: &[Decimal]) -> Option<(Decimal, (Decimal, Decimal))> {
    let mut sorted = days.to_vec();
    sorted.sort_unstable();
    let n = sorted.len();
    let (below, above) = (sorted.get((n.checked_sub(1)?) / 2)?, sorted.get(n / 2)?);
    let median = below.checked_add(*above)? / Decimal::TWO;
    let sides: Vec<f64> = days.iter().map(|day| if *day > median { 0.5 } else { -0.5 }).collect();
    let width = Z * (n as f64 * spread(&[], &sides)).sqrt();
    // Counted from 1, and as far from the other end.
    let rank = (((n as f64 - width) / 2.0).floor() as usize).clamp(1, n.div_ceil(2));
    Some((median, (*sorted.get(rank - 1)?, *sorted.get(n - rank)?)))
}

/// The longest run of true, and between what the longest is in 95 % of shuffles of the same values. The seed is fixed.
pub fn longest_run(values: &[bool]) -> (u32, (u32, u32)) {
    let mut shuffled = values.to_vec();
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = || {
        // Marsaglia's xorshift.
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    let mut longest: Vec<u32> = (0..SHUFFLES)
        .map(|_| {
            for i in (1..shuffled.len()).rev() {
                let other = usize::try_from(next() % (i as u64 + 1)).unwrap_or(0);
                shuffled.swap(i, other);
            }
            longest_of(&shuffled)
        })
        .collect();
    longest.sort_unstable();
    let outside = SHUFFLES / 40;
    (longest_of(values), (longest[outside], longest[SHUFFLES - 1 - outside]))
}

fn longest_of(values: &[bool]) -> u32 {
    let (longest, _) = values.iter().fold((0, 0), |(longest, run): (u32, u32), yes| {
        let run = if *yes { run + 1 } else { 0 };
        (longest.max(run), run)
    });
    longest
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case(7.0, 2.365)]
    #[case(29.0, 2.045)]
    #[case(1000.0, 1.962)]
    fn t_from_tables(#[case] freedom: f64, #[case] expected: f64) {
        assert!((t(freedom) - expected).abs() < 1e-3, "{}", t(freedom));
    }

    #[test]
    fn welch_by_hand() {
        // Two samples with means 7 and 5 and variance 15/14 each: t(14) · √(15/14 · 2/8).
        let side = |mean: f64| [-1.5_f64, -0.5, -0.5, 0.5, 0.5, 1.5, -1.0, 1.0].map(|d| mean + d);
        let values: Vec<(bool, f64)> =
            side(7.0).iter().zip(side(5.0)).flat_map(|(a, b)| [(true, *a), (false, b)]).collect();
        let means = Means::of(&values).unwrap();
        let half = 2.1448 * (15.0 / 14.0 / 4.0_f64).sqrt();
        assert!((means.with.value - 7.0).abs() < 1e-9 && (means.without.value - 5.0).abs() < 1e-9);
        assert!((means.interval.1 - 2.0 - half).abs() < 1e-3 && (2.0 - means.interval.0 - half).abs() < 1e-3);
    }

    #[test]
    fn runs_of_the_same_results_are_the_same_every_time() {
        let losses: Vec<bool> = (0..40).map(|n| n < 6 || n % 3 == 0).collect();
        assert_eq!(longest_run(&losses), longest_run(&losses));
        let (longest, (low, high)) = longest_run(&losses);
        assert_eq!(longest, 7);
        assert!(low >= 2 && high <= 10 && low < high, "{low} {high}");
        assert_eq!(longest_run(&[false; 20]), (0, (0, 0)));
    }

    #[test]
    fn a_median_is_a_day_or_between_two() {
        let days: Vec<Decimal> = (1..=20).map(Decimal::from).collect();
        let (median, (low, high)) = median_interval(&days).unwrap();
        assert_eq!(median, Decimal::new(105, 1));
        assert!(low >= Decimal::from(1) && high <= Decimal::from(20) && low < median && median < high);
        assert_eq!(median_interval(&[]), None);
        let one = Decimal::from(7);
        assert_eq!(median_interval(&[one]), Some((one, (one, one))));
    }
}
