//! Two shares beside each other: how surprising their difference is, and how wide its interval.
//!
//! Nothing here knows about sessions. Fisher's exact test, because a share of six days is no bell curve; Bartlett's
//! formula, because days are not independent of the days before.

use serde::{Deserialize, Serialize};

/// `k` of `n`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Share {
    pub k: u32,
    pub n: u32,
}

impl Share {
    pub fn count(&mut self, yes: bool) {
        self.n += 1;
        self.k += u32::from(yes);
    }

    /// 0–1; of nothing it is 0.
    pub fn value(self) -> f64 {
        if self.n == 0 { 0.0 } else { f64::from(self.k) / f64::from(self.n) }
    }

    /// Wilson's interval for this share, read as if it rested on `n / spread` days.
    pub fn wilson(self, spread: f64) -> (f64, f64) {
        const Z: f64 = 1.959_963_985;
        if self.n == 0 {
            return (0.0, 1.0);
        }
        let n = f64::from(self.n) / spread;
        let p = self.value();
        let middle = (p + Z * Z / (2.0 * n)) / (1.0 + Z * Z / n);
        let half = Z / (1.0 + Z * Z / n) * (p * (1.0 - p) / n + Z * Z / (4.0 * n * n)).sqrt();
        ((middle - half).max(0.0), (middle + half).min(1.0))
    }
}

/// One day on which both sides are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pair {
    pub when: bool,
    pub then: bool,
}

/// How often `then` was seen with `when`, and without it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Table {
    pub with: Share,
    pub without: Share,
}

impl Table {
    pub fn of(pairs: &[Pair]) -> Table {
        let mut table = Table::default();
        for pair in pairs {
            table.count(*pair);
        }
        table
    }

    pub fn count(&mut self, pair: Pair) {
        if pair.when { self.with.count(pair.then) } else { self.without.count(pair.then) }
    }

    /// Days on the side that has fewer: what limits how much can be known.
    pub fn rarer(self) -> u32 {
        self.with.n.min(self.without.n)
    }

    pub fn effect(self) -> f64 {
        self.with.value() - self.without.value()
    }

    /// 95 % for the difference of the shares (Newcombe 1998, method 10), on `n / spread` days.
    pub fn interval(self, spread: f64) -> (f64, f64) {
        let (p, q) = (self.with.value(), self.without.value());
        let ((l1, u1), (l2, u2)) = (self.with.wilson(spread), self.without.wilson(spread));
        let low = p - q - ((p - l1).powi(2) + (u2 - q).powi(2)).sqrt();
        let high = p - q + ((u1 - p).powi(2) + (q - l2).powi(2)).sqrt();
        (low.max(-1.0), high.min(1.0))
    }

    /// Fisher's exact test, both sides: twice the smaller tail.
    pub fn fisher(self) -> f64 {
        let (a, n1) = (self.with.k, self.with.n);
        let (k, n) = (self.with.k + self.without.k, self.with.n + self.without.n);
        let lowest = k.saturating_sub(self.without.n);
        let highest = k.min(n1);
        let probability = |x: u32| (ln_choose(k, x) + ln_choose(n - k, n1 - x) - ln_choose(n, n1)).exp();
        let below: f64 = (lowest..=a).map(probability).sum();
        let above: f64 = (a..=highest).map(probability).sum();
        (2.0 * below.min(above)).min(1.0)
    }
}

/// The sign test, both sides: `k` of `n` where half is expected.
pub fn sign_test(share: Share) -> f64 {
    let n = share.n;
    let tail = share.k.min(n - share.k);
    let lower: f64 = (0..=tail).map(|x| (ln_choose(n, x) - f64::from(n) * std::f64::consts::LN_2).exp()).sum();
    (2.0 * lower).min(1.0)
}

fn ln_choose(n: u32, k: u32) -> f64 {
    let ln_factorial = |x: u32| libm::lgamma(f64::from(x) + 1.0);
    ln_factorial(n) - ln_factorial(k) - ln_factorial(n - k)
}

/// How many days count for one, because moods and markets come in stretches; at least 1.
///
/// Bartlett: the variance of a covariance of two unrelated series grows by `1 + 2 Σ ρ_when(k) ρ_then(k)`. The share
/// that goes with each side is taken out of `then` first, so that a true difference does not count against itself.
/// Where `then` stands alone, `when` is a series that never changes, and its ρ is 1.
pub fn spread_of(pairs: &[Pair], alone: bool) -> f64 {
    let table = Table::of(pairs);
    let middle = f64::from(table.with.n) / pairs.len().max(1) as f64;
    let when: Vec<f64> = pairs.iter().map(|p| f64::from(u8::from(p.when)) - middle).collect();
    let then: Vec<f64> = pairs
        .iter()
        .map(|p| f64::from(u8::from(p.then)) - if p.when { table.with.value() } else { table.without.value() })
        .collect();
    let lags = lags(pairs.len());
    let of_when = |lag| if alone { 1.0 } else { autocorrelation(&when, lag) };
    let sum: f64 = (1..=lags).map(|lag| taper(lag, lags) * of_when(lag) * autocorrelation(&then, lag)).sum();
    (1.0 + 2.0 * sum).max(1.0)
}

fn lags(n: usize) -> usize {
    (n / 4).min(30)
}

fn taper(lag: usize, lags: usize) -> f64 {
    1.0 - lag as f64 / (lags as f64 + 1.0)
}

fn autocorrelation(centred: &[f64], lag: usize) -> f64 {
    let whole: f64 = centred.iter().map(|x| x * x).sum();
    if whole == 0.0 {
        return 0.0;
    }
    let shifted: f64 = centred.iter().zip(centred.iter().skip(lag)).map(|(a, b)| a * b).sum();
    shifted / whole
}

/// A p-value read on `n / spread` days: its z-score shrinks by the root of the spread.
pub fn read_on_fewer(p: f64, spread: f64) -> f64 {
    if spread <= 1.0 || p >= 1.0 {
        return p;
    }
    two_sided(z_of(p) / spread.sqrt())
}

fn two_sided(z: f64) -> f64 {
    libm::erfc(z / std::f64::consts::SQRT_2)
}

/// The z whose two tails hold `p`. Halving is slow and cannot go wrong; a search runs a few hundred times a session.
fn z_of(p: f64) -> f64 {
    let (mut low, mut high) = (0.0, 38.0);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if two_sided(middle) > p { low = middle } else { high = middle }
    }
    0.5 * (low + high)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    fn table(k1: u32, n1: u32, k2: u32, n2: u32) -> Table {
        Table { with: Share { k: k1, n: n1 }, without: Share { k: k2, n: n2 } }
    }

    // Tails counted by hand from C(n, k): the tea tasting is 1/70 for all four, 17/70 for three or more.
    #[rstest]
    #[case::all_four_cups(table(4, 4, 0, 4), 2.0 / 70.0)]
    #[case::three_of_four_cups(table(3, 4, 1, 4), 34.0 / 70.0)]
    #[case::no_difference(table(2, 4, 2, 4), 1.0)]
    #[case::one_side_is_empty(table(0, 0, 3, 9), 1.0)]
    #[case::nothing(table(0, 0, 0, 0), 1.0)]
    fn fisher_by_hand(#[case] table: Table, #[case] p: f64) {
        assert!((table.fisher() - p).abs() < 1e-9, "{}", table.fisher());
    }

    #[test]
    fn newcombe_as_published() {
        // Newcombe 1998, table II: 56/70 against 48/80, method 10 without continuity correction.
        let (low, high) = table(56, 70, 48, 80).interval(1.0);
        assert!((low - 0.0524).abs() < 5e-5 && (high - 0.3339).abs() < 5e-5, "{low} {high}");
    }

    #[rstest]
    #[case(0.05, 1.959_964)]
    #[case(0.001, 3.290_527)]
    fn z_from_tables(#[case] p: f64, #[case] z: f64) {
        assert!((z_of(p) - z).abs() < 1e-5);
    }

    #[test]
    fn sign_test_by_hand() {
        assert!((sign_test(Share { k: 9, n: 10 }) - 22.0 / 1024.0).abs() < 1e-12);
        assert!((sign_test(Share { k: 0, n: 0 }) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn stretches_weigh_less_than_scattered_days() {
        let stretches: Vec<Pair> =
            (0..120).map(|i| Pair { when: i / 10 % 2 == 0, then: i / 10 % 3 == 0 }).collect();
        let scattered: Vec<Pair> =
            (0..120).map(|i| Pair { when: i * 7 % 11 < 5, then: i * 5 % 13 < 6 }).collect();
        assert!(spread_of(&stretches, false) > 2.0, "{}", spread_of(&stretches, false));
        assert!(spread_of(&scattered, false) < 1.3, "{}", spread_of(&scattered, false));
    }
}
