//! Insights: what is said of which sessions, and how often the intervals hold what they promise.
#![allow(clippy::unwrap_used)]

use calm_core::context::{SessionResult, StreakKind};
use calm_core::end_session::{Attributes, PlanAdherence, SleepQuality};
use calm_core::session::Kind;
use calm_memory::insights::{
    FEWEST, FEWEST_A_SIDE, FEWEST_DAYS, Figures, InsightKind, Mean, Means, Overview, Reading, TradeDay,
    median_interval, overview, spread,
};
use calm_memory::patterns::{Session, Share};
use jiff::ToSpan;
use jiff::civil::{Date, date};
use proptest::prelude::*;
use rust_decimal::Decimal;

fn day(n: i32) -> Date {
    date(2026, 1, 1).checked_add(n.days()).unwrap()
}

fn session(n: i32, kind: Kind, attributes: Attributes) -> Session {
    let hour = if kind == Kind::CheckIn { 8 } else { 18 };
    let at = jiff::tz::TimeZone::UTC.to_timestamp(day(n).at(hour, 0, 0, 0)).unwrap();
    Session { id: i64::from(n) * 2 + i64::from(kind == Kind::CheckOut), day: day(n), kind, at, attributes }
}

fn morning(n: i32, stress: u8, readiness: u8, sleep: SleepQuality) -> Session {
    let said = Attributes {
        stress_level: Some(stress),
        trading_readiness: Some(readiness),
        sleep_quality: Some(sleep),
        ..Attributes::default()
    };
    session(n, Kind::CheckIn, said)
}

fn evening(n: i32, stress: u8, result: Option<SessionResult>, plan: PlanAdherence) -> Session {
    let said = Attributes {
        stress_level: Some(stress),
        session_result: result,
        plan_adherence: Some(plan),
        ..Attributes::default()
    };
    session(n, Kind::CheckOut, said)
}

fn traded(n: i32, net: i64) -> TradeDay {
    let result = if net < 0 { SessionResult::Loss } else { SessionResult::Win };
    TradeDay { day: day(n), result, net: Some(Decimal::from(net)) }
}

fn figures(overview: &Overview, kind: InsightKind) -> &Figures {
    match &overview.insights.iter().find(|insight| insight.kind == kind).unwrap().reading {
        Reading::Figures(figures) => figures,
        Reading::Missing(n) => panic!("{kind:?}: {n} are missing"),
    }
}

fn missing(overview: &Overview, kind: InsightKind) -> u32 {
    match overview.insights.iter().find(|insight| insight.kind == kind).unwrap().reading {
        Reading::Missing(n) => n,
        Reading::Figures(_) => 0,
    }
}

#[test]
fn a_month_of_sessions() {
    let sessions: Vec<Session> = (0..30)
        .flat_map(|n| {
            let well = n % 3 != 0;
            let (sleep, readiness) = if well { (SleepQuality::Good, 8) } else { (SleepQuality::Poor, 4) };
            let (result, plan) = match well {
                true => (SessionResult::Win, PlanAdherence::Followed),
                false => (SessionResult::Loss, PlanAdherence::Deviated),
            };
            [morning(n, 6, readiness, sleep), evening(n, if n % 2 == 0 { 4 } else { 5 }, Some(result), plan)]
        })
        .collect();
    let all = overview(&sessions, &[]);
    let Figures::T { change, before, after } = figures(&all, InsightKind::StressChange) else { panic!() };
    assert_eq!((change.n, change.value, *before, *after), (30, -1.5, 6.0, 4.5));
    assert!(change.interval.0 > -1.8 && change.interval.1 < -1.2, "{change:?}");
    let Figures::Newcombe { table, interval } = figures(&all, InsightKind::ReadinessResult) else { panic!() };
    assert_eq!((table.with, table.without), (Share { k: 20, n: 20 }, Share { k: 0, n: 10 }));
    assert!(interval.0 > 0.5 && interval.1 <= 1.0);
    let Figures::Wilson { share, .. } = figures(&all, InsightKind::PlanKept) else { panic!() };
    assert_eq!(*share, Share { k: 20, n: 30 });
    let Figures::Welch { means } = figures(&all, InsightKind::SleepReadiness) else { panic!() };
    assert_eq!((means.with.value, means.without.value, means.with.n), (8.0, 4.0, 20));
    let Figures::Shuffles { longest, n, .. } = figures(&all, InsightKind::LosingRun) else { panic!() };
    assert_eq!((*longest, *n), (1, 30));
    assert_eq!((all.results_said, all.results_of_trades), (30, 0));
    assert_eq!(missing(&all, InsightKind::MedianDay), FEWEST_DAYS);
}

#[test]
fn under_the_least_number_nothing_is_claimed() {
    let nothing = overview(&[], &[]);
    assert_eq!(missing(&nothing, InsightKind::StressChange), FEWEST);
    assert_eq!(missing(&nothing, InsightKind::PlanResult), 2 * FEWEST_A_SIDE);
    let one_short: Vec<Session> =
        (0..7).map(|n| evening(n, 5, Some(SessionResult::Win), PlanAdherence::Followed)).collect();
    let short = overview(&one_short, &[]);
    assert_eq!((missing(&short, InsightKind::PlanKept), missing(&short, InsightKind::PlusDays)), (1, 1));
    // Enough on one side says nothing of the other.
    assert_eq!(missing(&short, InsightKind::PlanResult), FEWEST_A_SIDE);
}

#[test]
fn trades_speak_only_where_the_user_did_not() {
    let mut sessions: Vec<Session> =
        (0..6).map(|n| evening(n, 5, Some(SessionResult::Win), PlanAdherence::Followed)).collect();
    // A check-out without a result, and two days without a word.
    sessions.push(evening(6, 5, None, PlanAdherence::Deviated));
    sessions.push(morning(7, 5, 3, SleepQuality::Poor));
    let days: Vec<TradeDay> = (0..9).map(|n| traded(n, -100)).collect();
    let all = overview(&sessions, &days);
    assert_eq!((all.results_said, all.results_of_trades), (6, 3));
    let streak = all.streak.unwrap();
    assert_eq!((streak.kind, streak.count), (StreakKind::Losing, 3));
    let Figures::Wilson { share, .. } = figures(&all, InsightKind::PlusDays) else { panic!() };
    assert_eq!(*share, Share { k: 6, n: 9 });
}

#[test]
fn the_median_day_is_in_money() {
    let days: Vec<TradeDay> = (0..11).map(|n| traded(n, i64::from(n) * 10 - 40)).collect();
    let Figures::OrderStatistics { n, median, total, interval } =
        figures(&overview(&[], &days), InsightKind::MedianDay).clone()
    else {
        panic!()
    };
    assert_eq!((n, median, total), (11, Decimal::from(10), Decimal::from(110)));
    assert!(interval.0 < median && median < interval.1);
}

/// Numbers that are the same on every machine.
struct Dice(u64);

impl Dice {
    fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.uniform()).sum::<f64>() - 6.0
    }

    /// Days of which each is `alike` to the one before.
    fn series(&mut self, n: usize, alike: f64) -> Vec<f64> {
        let mut last = self.normal();
        let mut next = || {
            last = alike * last + (1.0 - alike * alike).sqrt() * self.normal();
            last
        };
        (0..n).map(|_| next()).collect()
    }
}

const ROUNDS: u32 = 2000;

fn coverage(mut holds: impl FnMut(&mut Dice) -> bool) -> f64 {
    let mut dice = Dice(2026);
    let held = (0..ROUNDS).filter(|_| holds(&mut dice)).count();
    held as f64 / f64::from(ROUNDS)
}

#[test]
fn the_interval_of_a_mean_holds_what_it_promises() {
    for (n, alike, least) in [(8, 0.0, 0.94), (30, 0.0, 0.94), (200, 0.0, 0.93), (30, 0.3, 0.88), (200, 0.3, 0.91)] {
        let held = coverage(|dice| {
            let mean = Mean::of(&dice.series(n, alike)).unwrap();
            mean.interval.0 <= 0.0 && 0.0 <= mean.interval.1
        });
        println!("mean n {n} alike {alike}: {held}");
        assert!(held >= least, "n {n}, {alike}: {held}");
    }
}

#[test]
fn the_interval_of_a_share_holds_what_it_promises() {
    for (n, p, least) in [(8, 0.5, 0.93), (30, 0.3, 0.93), (200, 0.6, 0.93), (30, 0.9, 0.93)] {
        let held = coverage(|dice| {
            let days: Vec<bool> = (0..n).map(|_| dice.uniform() < p).collect();
            let mut share = Share::default();
            days.iter().for_each(|yes| share.count(*yes));
            let series: Vec<f64> = days.iter().map(|yes| f64::from(u8::from(*yes)) - share.value()).collect();
            let (low, high) = share.wilson(spread(&[], &series));
            low <= p && p <= high
        });
        println!("share n {n} p {p}: {held}");
        assert!(held >= least, "n {n}, {p}: {held}");
    }
}

#[test]
fn the_interval_of_two_means_holds_what_it_promises() {
    for (n, alike, least) in [(12, 0.0, 0.94), (60, 0.0, 0.93), (60, 0.3, 0.93)] {
        let held = coverage(|dice| {
            let with = dice.series(n, alike);
            let levels = dice.series(n, alike);
            let mut days: Vec<(bool, f64)> = with.iter().map(|w| *w > 0.0).zip(levels).collect();
            // Both sides are there.
            days[0].0 = true;
            days[1].0 = true;
            days[2].0 = false;
            days[3].0 = false;
            days.iter_mut().filter(|(with, _)| *with).for_each(|(_, level)| *level += 1.0);
            let means = Means::of(&days).unwrap();
            means.interval.0 <= 1.0 && 1.0 <= means.interval.1
        });
        println!("means n {n} alike {alike}: {held}");
        assert!(held >= least, "n {n}, {alike}: {held}");
    }
}

#[test]
fn the_interval_of_a_median_holds_what_it_promises_on_days_with_heavy_tails() {
    for (n, least) in [(10, 0.95), (30, 0.95), (200, 0.94)] {
        let held = coverage(|dice| {
            let money = |x: f64| Decimal::try_from((x * x * x * 1e4).round() / 100.0).unwrap();
            let days: Vec<Decimal> = dice.series(n, 0.0).into_iter().map(money).collect();
            let (_, (low, high)) = median_interval(&days).unwrap();
            low <= Decimal::ZERO && Decimal::ZERO <= high
        });
        println!("median n {n}: {held}");
        assert!(held >= least, "n {n}: {held}");
    }
}

proptest! {
    #[test]
    fn estimates_lie_inside_their_intervals(values in prop::collection::vec(1_u8..=10, 2..60), cuts in prop::collection::vec(any::<bool>(), 60)) {
        let values: Vec<f64> = values.into_iter().map(f64::from).collect();
        let mean = Mean::of(&values).unwrap();
        prop_assert!(mean.interval.0 < mean.value && mean.value < mean.interval.1);
        let days: Vec<(bool, f64)> = cuts.into_iter().zip(values.iter().copied()).collect();
        if let Some(means) = Means::of(&days) {
            let difference = means.with.value - means.without.value;
            prop_assert!(means.interval.0 < difference && difference < means.interval.1);
        }
        let money: Vec<Decimal> = values.iter().map(|value| Decimal::try_from(*value).unwrap()).collect();
        let (median, (low, high)) = median_interval(&money).unwrap();
        prop_assert!(low <= median && median <= high);
    }

    #[test]
    fn any_sessions_give_an_overview(
        said in prop::collection::vec((0_i32..40, any::<bool>(), prop::option::of(1_u8..=10), 0..4_u8), 0..60),
        nets in prop::collection::vec(-1000_i64..1000, 0..40),
    ) {
        let sessions: Vec<Session> = said.into_iter().map(|(n, out, level, result)| {
            let results = [None, Some(SessionResult::Win), Some(SessionResult::Loss), Some(SessionResult::Breakeven)];
            if out { evening(n, level.unwrap_or(5), results[usize::from(result)], PlanAdherence::Partially) }
            else { morning(n, 5, level.unwrap_or(5), SleepQuality::Fair) }
        }).collect();
        let days: Vec<TradeDay> = (0..).zip(&nets).map(|(n, net)| traded(n, *net)).collect();
        let all = overview(&sessions, &days);
        prop_assert_eq!(all.insights.len(), 8);
        for insight in &all.insights {
            match &insight.reading {
                Reading::Figures(figures) => prop_assert!(figures.n() >= FEWEST),
                Reading::Missing(n) => prop_assert!(*n >= 1),
            }
        }
    }
}
