//! What a search is worth over simulated years: how often it shows what is not there, and finds what is.

use std::collections::{BTreeMap, BTreeSet};

use calm_memory::patterns::{PatternKind, Session, Table, find, observed};

use crate::simulate::{Plan, year};

pub type Key = (PatternKind, Option<String>);

/// Everything ever shown to somebody who looks after every `step` sessions, with the session it was first shown after.
pub fn ever_shown(sessions: &[Session], step: usize) -> BTreeMap<Key, usize> {
    let mut shown = BTreeMap::new();
    let looks = (1..=sessions.len()).filter(|seen| seen % step == 0 || *seen == sessions.len());
    for seen in looks {
        for pattern in find(&sessions[..seen]) {
            if pattern.evidence.is_some() {
                shown.entry((pattern.kind, pattern.name)).or_insert(seen);
            }
        }
    }
    shown
}

/// Differences between the shares that are there in the long run, over many people of one kind, each compared with
/// himself (Mantel and Haenszel's weights).
pub fn long_run(plan: &Plan, seeds: std::ops::Range<u64>) -> BTreeMap<Key, f64> {
    let mut sums: BTreeMap<Key, (f64, f64)> = BTreeMap::new();
    for seed in seeds {
        for seen in observed(&year(plan, seed)) {
            let table = Table::of(&seen.pairs);
            let (effect, weight) = if seen.alone {
                (2.0 * table.with.value() - 1.0, f64::from(table.with.n))
            } else {
                let (n1, n2) = (f64::from(table.with.n), f64::from(table.without.n));
                (table.effect(), n1 * n2 / (n1 + n2).max(1.0))
            };
            let sum = sums.entry((seen.kind, seen.name)).or_default();
            sum.0 += effect * weight;
            sum.1 += weight;
        }
    }
    sums.into_iter().map(|(key, (sum, weight))| (key, if weight > 0.0 { sum / weight } else { 0.0 })).collect()
}

/// A link that small is none; the long run of a few hundred people tells two points from nothing.
pub fn true_links(long_run: &BTreeMap<Key, f64>) -> BTreeSet<Key> {
    long_run.iter().filter(|(_, effect)| effect.abs() >= 0.02).map(|(key, _)| key.clone()).collect()
}

#[derive(Debug, Default, Clone)]
pub struct Tally {
    pub users: u32,
    /// Users who were ever shown something false.
    pub misled: u32,
    /// Users who were ever shown the planted link.
    pub found: u32,
    /// Sum over users of false claims / claims.
    pub false_share: f64,
    pub claims: u32,
    /// Sessions until the planted link was shown.
    pub after: Vec<usize>,
}

impl Tally {
    pub fn add(&mut self, shown: &BTreeMap<Key, usize>, truth: &BTreeSet<Key>, planted: Option<&Key>) {
        let wrong = shown.keys().filter(|key| !truth.contains(*key)).count();
        self.users += 1;
        self.misled += u32::from(wrong > 0);
        self.claims += shown.len() as u32;
        self.false_share += wrong as f64 / shown.len().max(1) as f64;
        if let Some(seen) = planted.and_then(|key| shown.get(key)) {
            self.found += 1;
            self.after.push(*seen);
        }
    }
}
