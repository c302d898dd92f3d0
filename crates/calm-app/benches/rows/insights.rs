//! Insights over 10,000 sessions and 20,000 trades: twenty years of two talks a day.

use std::hint::black_box;
use std::time::Instant;

use crate::{house, millis, percentile, print, years};

const ROUNDS: usize = 20;

/// Opening the page: everything is counted anew.
pub fn over_ten_thousand_sessions(id: &str) {
    let dir = tempfile::tempdir().expect("a folder");
    drop(house(dir.path()));
    years::fill(&dir.path().join("data"));
    let conductor = house(dir.path());
    let mut times = Vec::with_capacity(ROUNDS);
    for _ in 0..ROUNDS {
        let clock = Instant::now();
        let all = black_box(conductor.insights().expect("insights"));
        times.push(clock.elapsed());
        assert!(all.insights.iter().all(|insight| insight.missing == 0), "something is missing");
    }
    print(id, millis(percentile(&mut times, 99)), times.len(), &[]);
}
