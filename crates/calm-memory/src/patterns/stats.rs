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
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
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
        let (lowest, chances) = self.hypergeometric();
        let at = (self.with.k - lowest) as usize;
        let below: f64 = chances[..=at].iter().sum();
        let above: f64 = chances[at..].iter().sum();
        (2.0 * below.min(above)).min(1.0)
    }

    /// Chances of every count of `with.k` where the margins are as they are, from the lowest possible one on.
    fn hypergeometric(self) -> (u32, Vec<f64>) {
        let n1 = self.with.n;
        let (k, n) = (self.with.k + self.without.k, n1 + self.without.n);
        let (lowest, highest) = (k.saturating_sub(self.without.n), k.min(n1));
        let step = |x: u32| f64::from((k - x) * (n1 - x)) / f64::from((x + 1) * (n + x + 1 - k - n1));
        (lowest, normalised((lowest..highest).map(step)))
    }
}

/// Chances in a row, from how much larger each is than the one before. Logarithms, for rows of a thousand.
fn normalised(steps: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut logs = vec![0.0];
    logs.extend(steps.scan(0.0, |log, step| {
        *log += f64::ln(step);
        Some(*log)
    }));
    let most = logs.iter().copied().fold(f64::MIN, f64::max);
    let whole: f64 = logs.iter().map(|log| (log - most).exp()).sum();
    logs.into_iter().map(|log| (log - most).exp() / whole).collect()
}

/// The sign test, both sides: `k` of `n` where half is expected.
pub fn sign_test(share: Share) -> f64 {
    let n = share.n;
    let chances = normalised((0..n).map(|x| f64::from(n - x) / f64::from(x + 1)));
    let tail = share.k.min(n - share.k) as usize;
    (2.0 * chances[..=tail].iter().sum::<f64>()).min(1.0)
}

/// Sessions that are compared with each other and with no other: about a month.
///
/// A losing spring and a tired spring meet in every year by chance. Inside a month both sides have the same spring.
pub const STRETCH: usize = 20;

/// Fisher's exact test inside each stretch, summed up, both sides; and the way it points.
///
/// Where the share of `then` drifts over months whatever `when` does, this stays exact; the plain test does not.
pub fn within_stretches(pairs: &[Pair]) -> (f64, f64) {
    within(pairs, STRETCH)
}

pub fn within(pairs: &[Pair], stretch: usize) -> (f64, f64) {
    let (mut chances, mut least, mut seen, mut expected) = (vec![1.0], 0_u32, 0_u32, 0.0);
    for stretch in pairs.chunks(stretch) {
        let table = Table::of(stretch);
        let (lowest, of_stretch) = table.hypergeometric();
        let mut sum = vec![0.0; chances.len() + of_stretch.len() - 1];
        for (i, p) in chances.iter().enumerate() {
            for (j, q) in of_stretch.iter().enumerate() {
                sum[i + j] += p * q;
            }
        }
        chances = sum;
        least += lowest;
        seen += table.with.k;
        expected += f64::from(table.with.n) * f64::from(table.with.k + table.without.k) / stretch.len() as f64;
    }
    let at = (seen - least) as usize;
    // Mid-p: what was seen counts half, or a test of whole days would be stricter than it says.
    let half = 0.5 * chances[at];
    let below: f64 = chances[..=at].iter().sum::<f64>() - half;
    let above: f64 = chances[at..].iter().sum::<f64>() - half;
    ((2.0 * below.min(above)).min(1.0), f64::from(seen) - expected)
}

/// How many days count for one inside a stretch, because neighbouring days are alike; at least 1.
///
/// Bartlett: the variance of a covariance of two unrelated series grows by `1 + 2 Σ ρ_when(k) ρ_then(k)`. The share
/// that goes with each side is taken out of `then` first, so that a true difference does not count against itself.
/// Where `then` stands alone, `when` is a series that never changes, and its ρ is 1.
pub fn spread_of(pairs: &[Pair], alone: bool) -> f64 {
    spread_within(pairs, alone, STRETCH)
}

pub fn spread_within(pairs: &[Pair], alone: bool, stretch: usize) -> f64 {
    let table = Table::of(pairs);
    let mut when: Vec<f64> = pairs.iter().map(|p| f64::from(u8::from(p.when))).collect();
    let mut then: Vec<f64> = pairs
        .iter()
        .map(|p| f64::from(u8::from(p.then)) - if p.when { table.with.value() } else { table.without.value() })
        .collect();
    if alone {
        return spread_alone(&then);
    }
    for series in [&mut when, &mut then] {
        for stretch in series.chunks_mut(stretch) {
            let mean = stretch.iter().sum::<f64>() / stretch.len() as f64;
            stretch.iter_mut().for_each(|x| *x -= mean);
        }
    }
    // Of the sum over one stretch: every two of its days, as far apart as they are.
    let n = stretch.min(pairs.len());
    let whole = |series: &[f64]| series.iter().map(|x| x * x).sum::<f64>();
    let both = whole(&when) * whole(&then);
    if both == 0.0 {
        return 1.0;
    }
    let alike = |series: &[f64], lag: usize| {
        series.chunks(stretch).flat_map(|s| s.iter().zip(s.iter().skip(lag))).map(|(a, b)| a * b).sum::<f64>()
    };
    let sum: f64 = (1..n).map(|lag| alike(&when, lag) * alike(&then, lag) / (1.0 - lag as f64 / n as f64)).sum();
    (1.0 + 2.0 * sum / both).max(1.0)
}

/// A share has nothing beside it to be compared with inside a stretch, and a year is too short to see how long a
/// mood lasts. So the worst is assumed: what is seen between neighbours, and twice what chance may have hidden,
/// is taken to last for [`LASTING`] sessions.
fn spread_alone(then: &[f64]) -> f64 {
    const NEAR: usize = 10;
    let n = then.len().max(1) as f64;
    let near = (1..=NEAR).map(|lag| autocorrelation(then, lag)).sum::<f64>() / NEAR as f64;
    1.0 + 2.0 * LASTING * (near + 2.0 / (NEAR as f64 * n).sqrt()).max(0.0)
}

const LASTING: f64 = 100.0;

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

/// The z whose two tails hold `p` (Abramowitz and Stegun 26.2.23, then Newton, on logarithms for the far tail).
fn z_of(p: f64) -> f64 {
    let t = (-2.0 * (0.5 * p).ln()).sqrt();
    let near =
        t - (2.515_517 + t * (0.802_853 + t * 0.010_328)) / (1.0 + t * (1.432_788 + t * (0.189_269 + t * 0.001_308)));
    (0..3).fold(near, |z, _| {
        let tail = two_sided(z);
        let density = (2.0 / std::f64::consts::PI).sqrt() * (-0.5 * z * z).exp();
        if tail > 0.0 && density > 0.0 { z + (tail / p).ln() * tail / density } else { z }
    })
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
        let lasting: Vec<Pair> = (0..120).map(|i| Pair { when: i / 5 % 2 == 0, then: i / 4 % 3 == 0 }).collect();
        let mixed = |i: u32| i.wrapping_add(77).wrapping_mul(2_654_435_761) ^ i.wrapping_mul(40_503) >> 3;
        let scattered: Vec<Pair> = (0..120)
            .map(|i| Pair { when: mixed(i).count_ones() % 2 == 0, then: mixed(i * i).count_ones() % 3 == 0 })
            .collect();
        assert!(spread_of(&lasting, false) > 2.0, "{}", spread_of(&lasting, false));
        assert!(spread_of(&scattered, false) < 1.3, "{}", spread_of(&scattered, false));
    }

    #[test]
    fn a_losing_spring_and_a_tired_spring_say_nothing() {
        let spring = |i: usize| Pair { when: i < 60 || i.is_multiple_of(5), then: i < 60 || i.is_multiple_of(7) };
        let year: Vec<Pair> = (0..180).map(spring).collect();
        assert!(Table::of(&year).fisher() < 1e-9);
        assert!(within_stretches(&year).0 > 0.2, "{:?}", within_stretches(&year));
    }
}
