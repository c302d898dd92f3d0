//! When a hypothesis is looked at, what a look costs, and which findings may be shown.
//!
//! A look is due when the rarer side has grown by half: 6 days, 9, 14, 21 … Nothing that is being tested decides when
//! that happens.

use super::LEVEL;
use super::stats::{Pair, Share, Table, read_on_fewer, sign_test, spread_of, within_stretches};

const FIRST_LOOK: u32 = 6;
/// Two years of a rather common side; later looks share what is left.
const EVEN_LOOKS: usize = 9;

/// How far looks overlap, days are whole and spreads are rounded up: looks that pay in full use a third of the level.
///
/// Measured, not proven. 4 was measured too: 3.0 % of 2,000 users were misled without regimes and 4.6 % with moods of
/// weeks, which leaves no room for lives that were not simulated. 1 is what a proof would allow.
const OVERLAP: f64 = 2.0;

/// The share of the level that look number `number` (from 0) may spend; over all looks they add up to 1.
fn cost(number: usize) -> f64 {
    let even = 0.9 / EVEN_LOOKS as f64;
    match number.checked_sub(EVEN_LOOKS) {
        None => even,
        Some(later) => 0.1 * 0.5_f64.powi(i32::try_from(later).unwrap_or(i32::MAX).saturating_add(1)),
    }
}

/// The look at which a hypothesis was clearest.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Clearest {
    /// Days that look saw, from the first one on.
    pub days: usize,
    /// Days that the first look saw which could have been enough.
    pub since: usize,
    /// Paid for all looks of this hypothesis, not yet for its neighbours.
    pub p: f64,
    /// Days that count for one.
    pub spread: f64,
    /// Above 0 where `then` goes with `when` more often than beside it.
    pub points: f64,
}

/// All looks that were due in this history; `None` before the first.
///
/// `alone` is the hypothesis without a `when`: both answers are its sides.
pub fn clearest(pairs: &[Pair], alone: bool) -> Option<Clearest> {
    // A share alone is measured on a guess about the worst, and keeps its full price.
    clearest_with(pairs, alone, if alone { 1.0 } else { OVERLAP }, look)
}

/// What a look finds: the p-value, how many days count for one, and the way it points.
pub type Look = fn(&[Pair], bool) -> (f64, f64, f64);

fn look(pairs: &[Pair], alone: bool) -> (f64, f64, f64) {
    let spread = spread_of(pairs, alone);
    let (p, points) = if alone {
        let said = Table::of(pairs).with;
        (sign_test(said), said.value() - 0.5)
    } else {
        within_stretches(pairs)
    };
    (read_on_fewer(p, spread), spread, points)
}

/// The same with another way to look, for comparison.
pub fn clearest_with(pairs: &[Pair], alone: bool, overlap: f64, look: Look) -> Option<Clearest> {
    let (mut best, mut due, mut number): (Option<Clearest>, _, _) = (None, FIRST_LOOK, 0);
    let mut table = Table::default();
    for (i, pair) in pairs.iter().enumerate() {
        table.count(*pair);
        let grown = if alone { table.with.n / 2 } else { table.rarer() };
        if grown < due {
            continue;
        }
        let (p, spread, points) = look(&pairs[..=i], alone);
        let p = (p / (overlap * cost(number))).min(1.0);
        let since = best.filter(|b| b.p <= LEVEL).map_or(i + 1, |b| b.since);
        if best.is_none_or(|b| p <= b.p) {
            best = Some(Clearest { days: i + 1, since, p, spread, points });
        }
        due += due.div_ceil(2);
        number += 1;
    }
    best
}

/// Benjamini and Hochberg's adjusted values, in the order given; a hypothesis without a look has `None`.
pub fn adjusted(p: &[Option<f64>]) -> Vec<f64> {
    let m = p.len() as f64;
    let mut ranked: Vec<(usize, f64)> = p.iter().map(|p| p.unwrap_or(1.0)).enumerate().collect();
    ranked.sort_by(|a, b| b.1.total_cmp(&a.1));
    let mut adjusted = vec![1.0; p.len()];
    let mut lowest: f64 = 1.0;
    for (above, (i, p)) in ranked.iter().enumerate() {
        let rank = m - above as f64;
        lowest = lowest.min(p * m / rank);
        adjusted[*i] = lowest;
    }
    adjusted
}

/// The two shares of a hypothesis without a `when`: yes and no, of the same days.
pub fn both_answers(said: Share) -> Table {
    Table { with: said, without: Share { k: said.n - said.k, n: said.n } }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn looks_never_spend_more_than_the_level() {
        let spent: f64 = (0..60).map(cost).sum();
        assert!(spent <= 1.0 + 1e-12 && spent > 0.999, "{spent}");
    }

    #[test]
    fn adjusted_by_hand() {
        let q = adjusted(&[Some(0.01), None, Some(0.02), Some(0.9)]);
        let expected = [0.04, 1.0, 0.04, 1.0];
        assert!(q.iter().zip(expected).all(|(q, e)| (q - e).abs() < 1e-12), "{q:?}");
    }

    #[test]
    fn between_two_looks_nothing_changes() {
        let pair = |i: usize| Pair { when: i.is_multiple_of(2), then: i % 4 < 2 };
        let pairs: Vec<Pair> = (0..17).map(pair).collect();
        assert_eq!(clearest(&pairs[..11], false), None);
        assert_eq!(clearest(&pairs[..13], false), clearest(&pairs, false));
    }
}
