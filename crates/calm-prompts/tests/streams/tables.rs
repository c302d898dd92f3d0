//! The measured figures of docs/prompt-experiments.md, printed as its tables.

use super::{Arm, Baseline, Outcome, looks_until_rollback, median};

const BASELINES: [(&str, Baseline); 6] = [
    ("20", Baseline::Fixed(20)),
    ("30", Baseline::Fixed(30)),
    ("40", Baseline::Fixed(40)),
    ("60", Baseline::Fixed(60)),
    ("200", Baseline::Fixed(200)),
    ("A/B", Baseline::SideBySide),
];
const RUNS: u64 = 20_000;

pub fn print() {
    worse_versions();
    equal_versions();
    bent_assumptions();
    vetoes();
}

fn worse_versions() {
    println!(
        "worse: baseline | -0.5: in 60, median | clipped at 4.0 | clipped at 4.5 | -0.25: in 60, in 200 | -1.0: in 60, median"
    );
    let clipped = |mean: f64| Arm { clipped: true, mean, ..Arm::STEADY };
    for (name, kind) in BASELINES {
        let run = |runs, looks, arm: Arm, by: f64| {
            looks_until_rollback(runs, looks, kind, arm, Arm { mean: arm.mean - by, ..arm })
        };
        let half = run(RUNS, 60, Arm::STEADY, 0.5);
        let quarter = run(RUNS / 4, 200, Arm::STEADY, 0.25);
        let whole = run(RUNS, 60, Arm::STEADY, 1.0);
        println!(
            "| {name} | {} | {} | {} | {} | {} | {} | {} | {} |",
            within(&half, 60),
            named(median(&half)),
            within(&run(RUNS, 60, clipped(4.0), 0.5), 60),
            within(&run(RUNS, 60, clipped(4.5), 0.5), 60),
            within(&quarter, 60),
            within(&quarter, 200),
            within(&whole, 60),
            named(median(&whole)),
        );
    }
}

fn equal_versions() {
    println!("equal: baseline | in 60 | in 200 | in 500 | clipped at 4.5, in 500");
    for (name, kind) in BASELINES {
        let outcomes = looks_until_rollback(RUNS, 500, kind, Arm::STEADY, Arm::STEADY);
        let ceiling = Arm { clipped: true, mean: 4.5, ..Arm::STEADY };
        let at_ceiling = looks_until_rollback(RUNS / 4, 500, kind, ceiling, ceiling);
        let [sixty, two_hundred, all] = [60, 200, 500].map(|looks| within(&outcomes, looks));
        println!("| {name} | {sixty} | {two_hundred} | {all} | {} |", within(&at_ceiling, 500));
    }
}

fn bent_assumptions() {
    println!("equal means, 500 looks: baseline | deviations 0.9, 0.5 | 0.5, 0.9 | correlation 0.15 | 0.3");
    let scattered = |deviation: f64| Arm { deviation, ..Arm::STEADY };
    let carried = |carried_over: f64| Arm { carried_over, ..Arm::STEADY };
    for (name, kind) in BASELINES {
        let shares = [
            (scattered(0.9), scattered(0.5)),
            (scattered(0.5), scattered(0.9)),
            (carried(0.15), carried(0.15)),
            (carried(0.3), carried(0.3)),
        ]
        .map(|(before, now)| within(&looks_until_rollback(RUNS / 4, 500, kind, before, now), 500));
        println!("| {name} | {} |", shares.join(" | "));
    }
}

fn vetoes() {
    let hits = |hits: f64| Arm { hits, ..Arm::STEADY };
    println!("veto, 1 % before: baseline | candidate 15 %: median, in 60, in 200 | 30 % | 50 %");
    for (name, kind) in BASELINES {
        let cells = [0.15, 0.3, 0.5].map(|rate| {
            let outcomes = looks_until_rollback(RUNS / 4, 200, kind, hits(0.01), hits(rate));
            format!("{}, {}, {}", named(median(&outcomes)), within(&outcomes, 60), within(&outcomes, 200))
        });
        println!("| {name} | {} |", cells.join(" | "));
    }
    println!("equal rates and scores, 200 looks, for hits / in all: baseline | 1 % | 2 % | 5 % | 10 %");
    for (name, kind) in BASELINES {
        let cells = [0.01, 0.02, 0.05, 0.1].map(|rate| {
            let outcomes = looks_until_rollback(RUNS / 2, 200, kind, hits(rate), hits(rate));
            let for_hits = outcomes.iter().flatten().filter(|outcome| outcome.for_hits).count();
            format!("{} / {}", percent(for_hits, outcomes.len()), within(&outcomes, 200))
        });
        println!("| {name} | {} |", cells.join(" | "));
    }
}

fn within(outcomes: &[Option<Outcome>], looks: usize) -> String {
    percent(outcomes.iter().flatten().filter(|outcome| outcome.looks <= looks).count(), outcomes.len())
}

fn percent(count: usize, of: usize) -> String {
    format!("{:.1}", 100.0 * count as f64 / of as f64)
}

fn named(median: Option<usize>) -> String {
    median.map_or_else(|| "none".to_owned(), |looks| looks.to_string())
}
