//! Whether a pattern still holds: newer days are weighed against the ones it was claimed on.
//!
//! Page's cumulative sum. Each newer day of the rarer side adds how much better "no difference" foretold it than "the
//! difference that was claimed" did; the sum never falls below zero, so years of agreement do not hide a change. At
//! [`FADING`] a pattern fades; at [`GONE`] it is not shown. Days that agree again bring it back.

use super::stats::{Pair, Share, Table};

/// `ln 55`: with a clear difference (0.7 against 0.3) some twelve contrary days, and a false alarm in some 150.
pub const FADING: f64 = 4.0;
pub const GONE: f64 = 7.0;
/// Beyond this, agreement could not bring a pattern back within a month or two.
const MOST: f64 = 8.0;
/// A claimed difference is on average larger than the true one: it was claimed because it was large.
const SHRUNK: f64 = 0.8;
/// Days of the other side that tell what is usual now.
const USUAL: usize = 30;

/// The sum after the days that came after the clearest look; `claimed` are the days that look saw.
pub fn contradiction(claimed: &[Pair], newer: &[Pair]) -> f64 {
    let table = Table::of(claimed);
    let side = table.with.n <= table.without.n;
    let (rarer, other) = if side { (table.with, table.without) } else { (table.without, table.with) };
    let shift = SHRUNK * (log_odds(rarer) - log_odds(other));
    let mut usual: Vec<bool> = claimed.iter().filter(|p| p.when != side).map(|p| p.then).collect();
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
pub fn contradiction_alone(claimed: &[Pair], newer: &[Pair]) -> f64 {
    let shift = SHRUNK * log_odds(Table::of(claimed).with);
    newer.iter().fold(0.0, |sum, pair| step(sum, pair.then, 0.0, shift))
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

    #[test]
    fn what_goes_on_does_not_fade() {
        assert!(contradiction(&days(0, 90, true), &days(90, 600, true)) < FADING);
    }

    #[test]
    fn what_stopped_fades_within_fifteen_days_of_its_side() {
        assert!(contradiction(&days(0, 90, true), &days(90, 135, false)) >= FADING);
        assert!(contradiction(&days(0, 90, true), &days(90, 180, false)) >= GONE);
    }

    #[test]
    fn what_came_back_is_shown_again() {
        let newer = [days(90, 300, false), days(300, 360, true)].concat();
        assert!(contradiction(&days(0, 90, true), &newer) < FADING);
    }
}
