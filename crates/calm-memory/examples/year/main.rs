//! Measures the search for patterns over simulated years: `cargo run --release -p calm-memory --example year [USERS [noise|shared|planted|fading [STEP]]]`.
//!
//! Prints false discoveries, the chance of ever being shown something false, power and time until found, and beside
//! them what the same year gives under other ways of looking.

#[path = "../../tests/patterns/measure.rs"]
mod measure;
mod rivals;
#[path = "../../tests/patterns/simulate.rs"]
mod simulate;

use std::thread;

use calm_memory::patterns::{PatternKind, State, find, observed};
use measure::{Key, Tally, ever_shown, long_run, true_links};
use rivals::RIVALS;
use simulate::{MONTHS, NONE, Plan, Planted, Regime, WEEKS, year};

const REGIMES: [(&str, Regime); 3] = [("none", NONE), ("weeks", WEEKS), ("months", MONTHS)];
/// Seeds that only ever tell the long run.
const LONG_RUN: std::ops::Range<u64> = 1_000_000..1_000_600;

/// Not those that rules were tried out on.
const FIRST_SEED: u64 = 50_000;

fn main() {
    let users = std::env::args().nth(1).and_then(|a| a.parse().ok()).unwrap_or(2000);
    println!(
        "{users} users an arm, a year each, a look after every fifth session (where something is true: every twentieth)\n"
    );
    let only = std::env::args().nth(2);
    for (part, measure) in
        [("noise", noise as fn(u64)), ("shared", shared_mood), ("planted", planted), ("fading", fading)]
    {
        if only.as_deref().is_none_or(|only| only == part) {
            measure(users);
        }
    }
}

/// Everybody's tally, on as many threads as there are cores.
fn over<T: Send>(users: u64, one: impl Fn(u64) -> T + Sync) -> Vec<T> {
    let threads = thread::available_parallelism().map_or(1, |n| n.get() as u64);
    let one = &one;
    thread::scope(|scope| {
        let hands: Vec<_> = (0..threads)
            .map(|hand| {
                scope.spawn(move || {
                    (hand..users).step_by(threads as usize).map(|user| one(FIRST_SEED + user)).collect::<Vec<T>>()
                })
            })
            .collect();
        hands.into_iter().flat_map(|hand| hand.join().unwrap_or_default()).collect()
    })
}

fn tally(plan: &Plan, users: u64, step: usize, planted: Option<&Key>) -> Tally {
    let truth = true_links(&long_run(plan, LONG_RUN));
    let mut whole = Tally::default();
    let parts = over(users, |seed| {
        let mut tally = Tally::default();
        tally.add(&ever_shown(&year(plan, seed), step), &truth, planted);
        tally
    });
    parts.into_iter().for_each(|part| whole.merge(part));
    whole
}

/// Users whom other ways of looking mislead, and find the planted link for, by the end of the year.
fn rivals(plan: &Plan, users: u64, planted: Option<&Key>) -> Vec<(f64, f64)> {
    let truth = true_links(&long_run(plan, LONG_RUN));
    let told = over(users, |seed| {
        let all = observed(&year(plan, seed));
        let key = |i: usize| (all[i].kind, all[i].name.clone());
        let of = |rival| {
            let shown = rivals::shown(&all, rival);
            let wrong = shown.iter().any(|i| !truth.contains(&key(*i)));
            (f64::from(u8::from(wrong)), f64::from(u8::from(shown.iter().any(|i| planted == Some(&key(*i))))))
        };
        RIVALS.iter().map(of).collect::<Vec<(f64, f64)>>()
    });
    let mut sums = vec![(0.0, 0.0); RIVALS.len()];
    for (rival, (wrong, found)) in told.iter().flat_map(|t| t.iter().enumerate()) {
        sums[rival].0 += wrong / told.len() as f64;
        sums[rival].1 += found / told.len() as f64;
    }
    sums
}

fn noise(users: u64) {
    // Every session, for the patient; the search's own looks make every fifth say the same (tests/patterns/years.rs).
    let step = std::env::args().nth(3).and_then(|a| a.parse().ok()).unwrap_or(5);
    println!("## Nothing planted: users ever shown any claim in the year (= FDR there)\n");
    print!("{:<8} {:>9}", "regime", "ours");
    RIVALS.iter().for_each(|r| print!(" {:>15}", r.name));
    println!();
    for (name, regime) in REGIMES {
        let plan = Plan::noise(regime);
        let ours = tally(&plan, users, step, None);
        print!("{name:<8} {:>8.2}%", 100.0 * ours.family_wise());
        rivals(&plan, users, None).iter().for_each(|r| print!(" {:>14.2}%", 100.0 * r.0));
        println!();
    }
    println!();
}

fn shared_mood(users: u64) {
    println!("## Mood moves stress and discipline together: links through the regime are true ones\n");
    for (name, regime) in &REGIMES[1..] {
        let plan = Plan { shared_mood: true, ..Plan::noise(*regime) };
        let truth = true_links(&long_run(&plan, LONG_RUN));
        let tally = tally(&plan, users, 20, None);
        let (fdr, wrong) = (100.0 * tally.false_discoveries(), 100.0 * tally.family_wise());
        let claims = f64::from(tally.claims) / users as f64;
        println!(
            "{name:<8} true links {:>2}, claims a user {claims:.2}, FDR {fdr:.2}%, ever misled {wrong:.2}%",
            truth.len()
        );
    }
    println!();
}

fn cases() -> Vec<(PatternKind, Option<&'static str>, Vec<f64>)> {
    let shifts = vec![0.2, 0.3, 0.4, 0.5];
    vec![
        (PatternKind::PlanKeptAfterTwoLosses, None, vec![-0.2, -0.3, -0.4, -0.5]),
        (PatternKind::PlanKeptAfterLoss, None, vec![-0.2, -0.3, -0.4]),
        (PatternKind::PlanLeftHighStress, None, shifts.clone()),
        (PatternKind::LossPoorSleep, None, shifts.clone()),
        (PatternKind::LossHighStress, None, shifts.clone()),
        (PatternKind::PlanLeftNoCheckin, None, vec![0.2, 0.3, 0.4]),
        (PatternKind::RegretPlanLeft, None, vec![0.2, 0.3, 0.4]),
        (PatternKind::HighRiskAfterLoss, None, vec![0.2, 0.3, 0.4]),
        (PatternKind::LossThirdSession, None, vec![0.3, 0.5]),
        (PatternKind::LossOnWeekday, Some("monday"), vec![0.3, 0.5]),
        (PatternKind::LossWithStressor, Some("work"), vec![0.3, 0.5]),
        (PatternKind::StressFalls, None, vec![0.5, 1.0]),
    ]
}

fn planted(users: u64) {
    println!("## One link planted, regime of weeks\n");
    println!(
        "{:<27} {:>6} {:>6} {:>8} {:>8} {:>6} {:>7} {:>7} | power of rivals",
        "link", "shift", "n", "rarer n", "long run", "power", "FDR", "median"
    );
    for (kind, name, shifts) in cases() {
        for shift in shifts {
            one_planted(users, kind, name, shift);
        }
    }
    println!();
}

fn one_planted(users: u64, kind: PatternKind, name: Option<&str>, shift: f64) {
    let plan = Plan::planted(kind, shift, WEEKS);
    let key: Key = (kind, name.map(str::to_owned));
    let effect = long_run(&plan, LONG_RUN).get(&key).copied().unwrap_or(0.0);
    let (mut n, mut rarer) = (0, 0);
    for seed in 0..100 {
        for seen in observed(&year(&plan, seed)).iter().filter(|o| o.kind == kind && o.name == key.1) {
            n += seen.pairs.len();
            rarer += calm_memory::patterns::Table::of(&seen.pairs).rarer() as usize;
        }
    }
    let tally = tally(&plan, users, 20, Some(&key));
    let median = tally.median_after().map_or("–".to_owned(), |m| m.to_string());
    let label = serde_json::to_string(&kind).unwrap_or_default();
    print!(
        "{:<27} {shift:>6.2} {:>6} {:>8} {effect:>8.2} {:>5.0}% {:>6.2}% {median:>7} |",
        label.trim_matches('"'),
        n / 100,
        rarer / 100,
        100.0 * tally.power(),
        100.0 * tally.false_discoveries()
    );
    rivals(&plan, users, Some(&key)).iter().for_each(|r| print!(" {:>4.0}%", 100.0 * r.1));
    println!();
}

fn fading(users: u64) {
    println!("## Of the users who were shown the link, the share with it standing / fading / gone\n");
    for (kind, shift) in [(PatternKind::PlanLeftHighStress, 0.5), (PatternKind::PlanKeptAfterLoss, -0.4)] {
        for (label, until_week) in [("still true", u32::MAX), ("true for 52 weeks", 52)] {
            let planted = Some(Planted { kind, shift, until_week });
            let plan = Plan { planted, weeks: 104, ..Plan::noise(WEEKS) };
            for weeks in [52, 65, 78, 104] {
                let states = over(users.min(1000), |seed| {
                    let sessions = year(&plan, seed);
                    let until = |weeks: i64| {
                        let first = sessions.first().map(|s| s.day);
                        sessions.partition_point(|s| first.is_some_and(|f| (s.day - f).get_days() < weeks as i32 * 7))
                    };
                    let state =
                        |weeks| find(&sessions[..until(weeks)]).into_iter().find(|p| p.kind == kind).map(|p| p.state);
                    state(52).map(|_| state(weeks))
                });
                let known: Vec<_> = states.into_iter().flatten().collect();
                let share = |of| 100.0 * known.iter().filter(|s| **s == of).count() as f64 / known.len().max(1) as f64;
                let (stands, fades, gone) = (share(Some(State::Standing)), share(Some(State::Fading)), share(None));
                println!(
                    "{kind:?} {shift:+.1}, {label:<18} week {weeks:>3}: {stands:>5.1} / {fades:>5.1} / {gone:>5.1} %  (of {})",
                    known.len()
                );
            }
        }
    }
}

impl Tally {
    fn merge(&mut self, other: Tally) {
        self.users += other.users;
        self.misled += other.misled;
        self.found += other.found;
        self.false_share += other.false_share;
        self.claims += other.claims;
        self.after.extend(other.after);
    }

    /// Mean over users.
    fn false_discoveries(&self) -> f64 {
        self.false_share / f64::from(self.users.max(1))
    }

    fn family_wise(&self) -> f64 {
        f64::from(self.misled) / f64::from(self.users.max(1))
    }

    fn power(&self) -> f64 {
        f64::from(self.found) / f64::from(self.users.max(1))
    }

    fn median_after(&self) -> Option<usize> {
        let mut after = self.after.clone();
        after.sort_unstable();
        after.get(after.len() / 2).copied()
    }
}
