//! What the user's own figures say, each with how many sessions it rests on and how far it may be off.
//!
//! They lie beside the patterns because they count the same sessions with the same shares. A pattern is picked out of many
//! and has to earn that; an insight is one of a fixed list and is always shown, so it needs no correction. Neither
//! says why anything happened.
//!
//! Intervals hold 95 %: Wilson's for a share, Newcombe's for two shares beside each other, Student's and Welch's t for
//! means, order statistics for the median day (any distribution, and money stays decimal), shuffles with a fixed seed
//! for runs. All but the shuffles are widened where neighbouring days are alike. Under a stated number of sessions
//! nothing is said but how many are missing.

mod estimates;
mod outcomes;

use calm_core::context::{SessionResult, Streak};
use calm_core::end_session::{Attributes, PlanAdherence, SleepQuality};
use calm_core::session::Kind;
use jiff::civil::Date;
use rust_decimal::Decimal;
use serde::Serialize;

use crate::patterns::moments::{Moment, moments};
use crate::patterns::{Pair, Session, Share, Table};

pub use estimates::{Mean, Means, median_interval, spread};
use outcomes::{Outcome, outcomes};

/// Fewest sessions for a share or a mean.
pub const FEWEST: u32 = 8;
/// Fewest on each side of a comparison.
pub const FEWEST_A_SIDE: u32 = 6;
/// Fewest results for a run.
pub const FEWEST_FOR_RUNS: u32 = 20;
/// Fewest trading days for a median.
pub const FEWEST_DAYS: u32 = 10;

/// From here on readiness is readiness (SPEC S4).
const READY: u8 = 6;

/// What the trades of a day came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TradeDay {
    pub day: Date,
    pub result: SessionResult,
    /// After costs, in the account's currency; `None` where the day's sum is in another.
    pub net: Option<Decimal>,
}

/// The stable key of a sentence in `calm-app/src/insights/`, in the order in which they are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum InsightKind {
    /// Stress after minus stress before, in matched pairs.
    StressChange,
    /// Days that ended up, with readiness of 6 and more against less.
    ReadinessResult,
    /// The plan was followed, of the check-outs with a plan.
    PlanKept,
    /// Days that ended up, with the plan followed against left or half kept.
    PlanResult,
    /// Readiness after a good night against a poor one.
    SleepReadiness,
    /// Days that ended up, of all.
    PlusDays,
    /// The longest run of losses.
    LosingRun,
    /// The day in the middle, in money.
    MedianDay,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Insight {
    pub kind: InsightKind,
    #[serde(flatten)]
    pub reading: Reading,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Reading {
    Figures(Figures),
    /// So many sessions at least are missing until it can be told.
    Missing(u32),
}

#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "method", rename_all = "snake_case")]
pub enum Figures {
    Wilson {
        share: Share,
        interval: (f64, f64),
    },
    /// The difference of two shares, the first minus the second.
    Newcombe {
        table: Table,
        interval: (f64, f64),
    },
    /// The mean change, and the means that it lies between.
    T {
        change: Mean,
        before: f64,
        after: f64,
    },
    /// The difference of two means, the first minus the second.
    Welch {
        means: Means,
    },
    /// The longest run among `n` results, and between what the longest is when the same results are shuffled.
    Shuffles {
        longest: u32,
        n: u32,
        usual: (u32, u32),
    },
    OrderStatistics {
        n: u32,
        median: Decimal,
        interval: (Decimal, Decimal),
        total: Decimal,
    },
}

impl Figures {
    /// Sessions or days that it rests on.
    pub fn n(&self) -> u32 {
        match self {
            Figures::Wilson { share, .. } => share.n,
            Figures::Newcombe { table, .. } => table.with.n + table.without.n,
            Figures::T { change, .. } => change.n,
            Figures::Welch { means } => means.with.n + means.without.n,
            Figures::Shuffles { n, .. } | Figures::OrderStatistics { n, .. } => *n,
        }
    }
}

/// Everything there is to tell.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Overview {
    pub insights: Vec<Insight>,
    /// The run at the newest end.
    pub streak: Option<Streak>,
    /// Results that the user told, and results that only the trades tell.
    pub results_said: u32,
    pub results_of_trades: u32,
}

/// What these sessions and these days of trading say. What the user said of a day counts before its trades.
pub fn overview(sessions: &[Session], days: &[TradeDay]) -> Overview {
    let moments = moments(sessions);
    let outcomes = outcomes(&moments, days);
    let of_trades = outcomes.iter().filter(|outcome| outcome.of_trades).count();
    let newest: Vec<SessionResult> = outcomes.iter().rev().map(|outcome| outcome.result).collect();
    let insights = vec![
        stress_change(&moments),
        compared(InsightKind::ReadinessResult, &outcomes, |outcome| Some(outcome.before?.trading_readiness? >= READY)),
        plan_kept(&moments),
        compared(InsightKind::PlanResult, &outcomes, |outcome| kept(outcome.after?)),
        sleep_readiness(&moments),
        plus_days(&outcomes),
        losing_run(&newest),
        median_day(days),
    ];
    Overview {
        insights,
        streak: Streak::of(&newest),
        results_said: count(outcomes.len() - of_trades),
        results_of_trades: count(of_trades),
    }
}

fn count(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

/// What is told where enough is known.
fn told(kind: InsightKind, missing: u32, figures: impl FnOnce() -> Option<Figures>) -> Insight {
    let figures = if missing == 0 { figures() } else { None };
    let reading = figures.map_or(Reading::Missing(missing.max(1)), Reading::Figures);
    Insight { kind, reading }
}

fn stress_change(moments: &[Moment<'_>]) -> Insight {
    let pair = |moment: &Moment<'_>| {
        let (before, after) = (moment.before?.1.stress_level?, moment.after?.1.stress_level?);
        Some((f64::from(before), f64::from(after)))
    };
    let pairs: Vec<(f64, f64)> = moments.iter().filter_map(pair).collect();
    told(InsightKind::StressChange, FEWEST.saturating_sub(count(pairs.len())), || {
        let n = pairs.len() as f64;
        let change: Vec<f64> = pairs.iter().map(|(before, after)| after - before).collect();
        Some(Figures::T {
            change: Mean::of(&change)?,
            before: pairs.iter().map(|pair| pair.0).sum::<f64>() / n,
            after: pairs.iter().map(|pair| pair.1).sum::<f64>() / n,
        })
    })
}

fn kept(said: &Attributes) -> Option<bool> {
    match said.plan_adherence? {
        PlanAdherence::Followed => Some(true),
        PlanAdherence::Partially | PlanAdherence::Deviated => Some(false),
        PlanAdherence::NoPlan => None,
    }
}

fn plan_kept(moments: &[Moment<'_>]) -> Insight {
    let days = moments.iter().filter(|moment| moment.kind == Kind::CheckOut).filter_map(|moment| kept(moment.after?.1));
    share(InsightKind::PlanKept, &days.collect::<Vec<_>>())
}

fn plus_days(outcomes: &[Outcome<'_>]) -> Insight {
    let plus: Vec<bool> = outcomes.iter().map(|outcome| outcome.result == SessionResult::Win).collect();
    share(InsightKind::PlusDays, &plus)
}

fn share(kind: InsightKind, days: &[bool]) -> Insight {
    told(kind, FEWEST.saturating_sub(count(days.len())), || {
        let mut share = Share::default();
        days.iter().for_each(|yes| share.count(*yes));
        let series: Vec<f64> = days.iter().map(|yes| f64::from(u8::from(*yes)) - share.value()).collect();
        Some(Figures::Wilson { share, interval: share.wilson(spread(&[], &series)) })
    })
}

/// How often a day ended up, with `when` and without it.
fn compared(kind: InsightKind, outcomes: &[Outcome<'_>], when: impl Fn(&Outcome<'_>) -> Option<bool>) -> Insight {
    let pair = |outcome: &Outcome<'_>| Some(Pair { when: when(outcome)?, then: outcome.result == SessionResult::Win });
    let pairs: Vec<Pair> = outcomes.iter().filter_map(pair).collect();
    let table = Table::of(&pairs);
    told(kind, missing_of_sides(table.with.n, table.without.n), || {
        let when: Vec<f64> = pairs.iter().map(|pair| f64::from(u8::from(pair.when))).collect();
        let rest = |pair: &Pair| {
            let share = if pair.when { table.with } else { table.without };
            f64::from(u8::from(pair.then)) - share.value()
        };
        let then: Vec<f64> = pairs.iter().map(rest).collect();
        Some(Figures::Newcombe { table, interval: table.interval(spread(&when, &then)) })
    })
}

fn missing_of_sides(with: u32, without: u32) -> u32 {
    FEWEST_A_SIDE.saturating_sub(with) + FEWEST_A_SIDE.saturating_sub(without)
}

fn sleep_readiness(moments: &[Moment<'_>]) -> Insight {
    let said = |moment: &Moment<'_>| {
        let said = moment.before.filter(|_| moment.kind == Kind::CheckIn)?.1;
        let good = matches!(said.sleep_quality?, SleepQuality::Good | SleepQuality::Excellent);
        Some((good, f64::from(said.trading_readiness?)))
    };
    let days: Vec<(bool, f64)> = moments.iter().filter_map(said).collect();
    let good = count(days.iter().filter(|(good, _)| *good).count());
    let missing = missing_of_sides(good, count(days.len()) - good);
    told(InsightKind::SleepReadiness, missing, || Some(Figures::Welch { means: Means::of(&days)? }))
}

fn losing_run(newest_first: &[SessionResult]) -> Insight {
    let losses: Vec<bool> =
        newest_first.iter().take(estimates::RUN_HORIZON).map(|result| *result == SessionResult::Loss).collect();
    told(InsightKind::LosingRun, FEWEST_FOR_RUNS.saturating_sub(count(losses.len())), || {
        let (longest, usual) = estimates::longest_run(&losses);
        Some(Figures::Shuffles { longest, n: count(losses.len()), usual })
    })
}

fn median_day(days: &[TradeDay]) -> Insight {
    let nets: Vec<Decimal> = days.iter().filter_map(|day| day.net).collect();
    told(InsightKind::MedianDay, FEWEST_DAYS.saturating_sub(count(nets.len())), || {
        let (median, interval) = median_interval(&nets)?;
        Some(Figures::OrderStatistics { n: count(nets.len()), median, interval, total: nets.iter().sum() })
    })
}
