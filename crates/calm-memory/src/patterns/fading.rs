//! Whether a pattern still holds: newer days are weighed against the ones it was claimed on.
//!
//! Page's cumulative sum. Each newer day of the rarer side adds how much better "no difference" foretold it than "the
//! difference that was claimed" did; the sum never falls below zero, so years of agreement do not hide a change. At
//! [`FADING`] a pattern fades; at [`GONE`] it is not shown. Days that agree again bring it back.

use super::stats::{Pair, Share, Table};

/// Measured on simulated years: of patterns that had ended, 8 in 100 still stood half a year later; of those that went
/// on, 8 in 100 were fading by mistake, and came back.
pub const FADING: f64 = 2.0;
pub const GONE: f64 = 4.5;
/// Beyond this, agreement could not bring a pattern back within a month or two.
const MOST: f64 = 8.0;
/// A claimed difference is on average larger than the true one: it was claimed because it was large.
const SHRUNK: f64 = 0.8;
/// Days of the other side that tell what is usual now.
const USUAL: usize = 30;

/// The sum after all days from number `since` on, when the claim could first be made; its size is that of `claimed`,
/// the days of the clearest look, which may be later: a look just after a change still sees mostly the time before.
pub fn contradiction(pairs: &[Pair], since: usize, claimed: usize) -> f64 {
    let table = Table::of(&pairs[..claimed]);
    let (earlier, newer) = pairs.split_at(since);
    let side = table.with.n <= table.without.n;
    let (rarer, other) = if side { (table.with, table.without) } else { (table.without, table.with) };
    let shift = SHRUNK * (log_odds(rarer) - log_odds(other));
    let mut usual: Vec<bool> = earlier.iter().filter(|p| p.when != side).map(|p| p.then).collect();
    let mut sum: f64 = 0.0;
    for pair in newer {
        if pair.when != side {
            usual.push(pair.then);
            continue;
        }
        let mut recent = Share::default();
        usual.iter().rev().take(USUAL).for_each(|then| recent.count(*then));
        let plain = log_odds(recent);
        sum = step(sum, pair.then, plain, plain + shift);
    }
    sum
}

/// The same for an answer against an even chance.
pub fn contradiction_alone(pairs: &[Pair], since: usize, claimed: usize) -> f64 {
    let shift = SHRUNK * log_odds(Table::of(&pairs[..claimed]).with);
    pairs[since..].iter().fold(0.0, |sum, pair| step(sum, pair.then, 0.0, shift))
}

fn step(sum: f64, then: bool, plain: f64, claimed: f64) -> f64 {
    (sum + ln_chance(then, plain) - ln_chance(then, claimed)).clamp(0.0, MOST)
}

fn log_odds(share: Share) -> f64 {
    ((f64::from(share.k) + 0.5) / (f64::from(share.n - share.k) + 0.5)).ln()
}

fn ln_chance(then: bool, log_odds: f64) -> f64 {
    let signed = if then { log_odds } else { -log_odds };
    -(-signed).exp().ln_1p()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every third day has `when`; there `then` is said in 8 of 10 of them, elsewhere in 2 of 10.
    fn days(from: usize, to: usize, link: bool) -> Vec<Pair> {
        let rare = |turn: usize| if turn.is_multiple_of(2) { [0, 5] } else { [3, 8] };
        (from..to)
            .map(|i| {
                let (when, turn) = (i % 3 == 0, i / 3);
                let said = rare(i % 3).contains(&(turn % 10));
                Pair { when, then: if when && link { !said } else { said } }
            })
            .collect()
    }

    fn after_a_year(newer: &[Pair]) -> f64 {
        contradiction(&[days(0, 90, true), newer.to_vec()].concat(), 90, 90)
    }

    #[test]
    fn what_goes_on_does_not_fade() {
        assert!(after_a_year(&days(90, 600, true)) < FADING);
    }

    #[test]
    fn what_stopped_fades_within_fifteen_days_of_its_side() {
        assert!(after_a_year(&days(90, 135, false)) >= FADING);
        assert!(after_a_year(&days(90, 180, false)) >= GONE);
    }

    #[test]
    fn what_came_back_is_shown_again() {
        assert!(after_a_year(&[days(90, 300, false), days(300, 360, true)].concat()) < FADING);
    }
}
