//! Other ways of looking at the same year, to know what ours costs and buys. All share the level the same way (BH).

use calm_memory::patterns::{LEVEL, Observed, Pair, Table, looks, stats};

pub struct Rival {
    pub name: &'static str,
    /// A p-value for the whole year, whatever it did with the looks on the way.
    p: fn(&[Pair], bool) -> f64,
}

pub const RIVALS: &[Rival] = &[
    Rival { name: "plain, looks", p: |pairs, alone| by_looks(pairs, alone, 1.0, |p, a| (plain(p, a), 1.0, 0.0)) },
    Rival {
        name: "ours, paid full",
        p: |pairs, alone| by_looks(pairs, alone, 1.0, |p, a| (spread(p, a, 20), 1.0, 0.0)),
    },
    Rival {
        name: "ours, fortnight",
        p: |pairs, alone| by_looks(pairs, alone, 4.0, |p, a| (spread(p, a, 10), 1.0, 0.0)),
    },
    Rival { name: "safe", p: safe },
    Rival { name: "safe, spread", p: safe_on_fewer },
    Rival { name: "safe, spread/10", p: |pairs, alone| (0.1 * safe_on_fewer(pairs, alone)).min(1.0) },
];

fn by_looks(pairs: &[Pair], alone: bool, overlap: f64, look: looks::Look) -> f64 {
    looks::clearest_with(pairs, alone, if alone { 1.0 } else { overlap }, look).map_or(1.0, |c| c.p)
}

fn spread(pairs: &[Pair], alone: bool, stretch: usize) -> f64 {
    let p = if alone { plain(pairs, true) } else { stats::within(pairs, stretch).0 };
    stats::read_on_fewer(p, stats::spread_within(pairs, alone, stretch))
}

/// Which hypotheses this way would have shown by the end of the year.
pub fn shown(all: &[Observed], rival: &Rival) -> Vec<usize> {
    let p: Vec<f64> = all.iter().map(|o| (rival.p)(&o.pairs, o.alone)).collect();
    let mut ranked: Vec<usize> = (0..p.len()).collect();
    ranked.sort_by(|a, b| p[*a].total_cmp(&p[*b]));
    let m = p.len() as f64;
    let fits = |rank: &usize| p[ranked[*rank]] <= LEVEL * (*rank as f64 + 1.0) / m;
    let last = (0..p.len()).rev().find(fits);
    ranked.into_iter().take(last.map_or(0, |l| l + 1)).collect()
}

fn plain(pairs: &[Pair], alone: bool) -> f64 {
    let table = Table::of(pairs);
    if alone { stats::sign_test(table.with) } else { table.fisher() }
}

/// Turner, Ly and Grünwald's safe test of two proportions: a block ends when both sides have come up since the last
/// one; each block is bet on with the shares learnt so far, against the one share that would explain it best without
/// a difference. 1 / its largest value is a p-value under any number of looks.
fn safe(pairs: &[Pair], alone: bool) -> f64 {
    if alone { even_bet(pairs) } else { (-largest(pairs)).exp().min(1.0) }
}

/// The same with its exponent divided by how many days count for one.
fn safe_on_fewer(pairs: &[Pair], alone: bool) -> f64 {
    safe(pairs, alone).powf(1.0 / stats::spread_of(pairs, alone))
}

fn largest(pairs: &[Pair]) -> f64 {
    // Beta(0.18, 0.18) is what the authors found best for an unknown alternative.
    let learnt = |share: stats::Share| (f64::from(share.k) + 0.18) / (f64::from(share.n) + 0.36);
    let (mut past, mut block) = (Table::default(), Table::default());
    let (mut log, mut best) = (0.0_f64, 0.0_f64);
    for pair in pairs {
        block.count(*pair);
        if block.with.n == 0 || block.without.n == 0 {
            continue;
        }
        let (a, b) = (learnt(past.with), learnt(past.without));
        let (na, nb) = (f64::from(block.with.n), f64::from(block.without.n));
        let both = (na * a + nb * b) / (na + nb);
        let bet = |share: stats::Share, p: f64| {
            f64::from(share.k) * (p / both).ln() + f64::from(share.n - share.k) * ((1.0 - p) / (1.0 - both)).ln()
        };
        log += bet(block.with, a) + bet(block.without, b);
        best = best.max(log);
        for (sum, new) in [(&mut past.with, block.with), (&mut past.without, block.without)] {
            sum.k += new.k;
            sum.n += new.n;
        }
        block = Table::default();
    }
    best
}

fn even_bet(pairs: &[Pair]) -> f64 {
    let (mut past, mut log, mut best) = (stats::Share::default(), 0.0_f64, 0.0_f64);
    for pair in pairs {
        let p = (f64::from(past.k) + 0.5) / (f64::from(past.n) + 1.0);
        log += (2.0 * if pair.then { p } else { 1.0 - p }).ln();
        best = best.max(log);
        past.count(pair.then);
    }
    (-best).exp().min(1.0)
}
