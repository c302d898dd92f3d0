//! What the user's own figures say, as small pictures.

use calm_app::insights::{Figures, Insight, InsightKind as Kind, Insights, Mean, Repeated, Share};
use serde::Serialize;
use specta::Type;

#[derive(Debug, Clone, Serialize, Type)]
pub struct InsightSheet {
    pub insights: Vec<InsightCard>,
    pub patterns: Vec<RepeatedCard>,
    /// Results that the user told, and results that only the trades tell.
    pub results_said: u32,
    pub results_of_trades: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum InsightKind {
    StressChange,
    ReadinessResult,
    PlanKept,
    PlanResult,
    SleepReadiness,
    PlusDays,
    LosingRun,
    MedianDay,
}

#[derive(Debug, Clone, Serialize, Type)]
pub struct InsightCard {
    pub kind: InsightKind,
    pub sentence: String,
    /// Sessions or days that it rests on; 0 while nothing is told.
    pub n: u32,
    /// So many sessions at least until it can be told.
    pub missing: u32,
    pub picture: Option<Picture>,
}

/// What is drawn. Intervals are of 95 %.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
#[serde(tag = "shape", rename_all = "snake_case")]
pub enum Picture {
    /// In percent.
    Share { of: Part, low: i32, high: i32 },
    /// Two shares, and their difference in percentage points, the first minus the second.
    Shares { first: Part, second: Part, low: i32, high: i32 },
    /// Two means of levels in tenths, 10–100, with how many each rests on, and their difference: the second minus the
    /// first where they are before and after, the first minus the second otherwise.
    Levels { first: Level, second: Level, difference: i32, low: i32, high: i32 },
    /// The longest run, and between what it is when the same results are shuffled.
    Run { longest: u32, low: u32, high: u32 },
    /// Decimal text, in `currency`.
    Money { median: String, low: String, high: String, currency: String },
}

/// `k` of `n`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
pub struct Part {
    pub k: u32,
    pub n: u32,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
pub struct Level {
    pub tenths: i32,
    pub n: u32,
}

/// Something that memory found to come together.
#[derive(Debug, Clone, Serialize, Type)]
pub struct RepeatedCard {
    pub sentence: String,
    pub n: u32,
    /// How far apart the two shares may lie, in percentage points, at 95 %; absent for a plain count.
    pub between: Option<(i32, i32)>,
    pub fading: bool,
}

impl From<&Insights> for InsightSheet {
    fn from(all: &Insights) -> InsightSheet {
        let currency = all.currency.as_deref().unwrap_or_default();
        InsightSheet {
            insights: all.insights.iter().map(|insight| card(insight, currency)).collect(),
            patterns: all.patterns.iter().map(RepeatedCard::from).collect(),
            results_said: all.results_said,
            results_of_trades: all.results_of_trades,
        }
    }
}

impl From<&Repeated> for RepeatedCard {
    fn from(repeated: &Repeated) -> RepeatedCard {
        RepeatedCard {
            sentence: repeated.sentence.clone(),
            n: repeated.n,
            between: repeated.interval.map(|(low, high)| (percent(low), percent(high))),
            fading: repeated.fading,
        }
    }
}

fn card(insight: &Insight, currency: &str) -> InsightCard {
    InsightCard {
        kind: insight.kind.into(),
        sentence: insight.sentence.clone(),
        n: insight.n,
        missing: insight.missing,
        picture: insight.figures.as_ref().map(|figures| picture(figures, currency)),
    }
}

fn picture(figures: &Figures, currency: &str) -> Picture {
    let part = |share: &Share| Part { k: share.k, n: share.n };
    let level = |mean: &Mean| Level { tenths: whole(mean.value * 10.0), n: mean.n };
    match figures {
        Figures::Wilson { share, interval } => {
            Picture::Share { of: part(share), low: percent(interval.0), high: percent(interval.1) }
        }
        Figures::Newcombe { table, interval } => Picture::Shares {
            first: part(&table.with),
            second: part(&table.without),
            low: percent(interval.0),
            high: percent(interval.1),
        },
        Figures::T { change, before, after } => Picture::Levels {
            first: Level { tenths: whole(before * 10.0), n: change.n },
            second: Level { tenths: whole(after * 10.0), n: change.n },
            difference: whole(change.value * 10.0),
            low: whole(change.interval.0 * 10.0),
            high: whole(change.interval.1 * 10.0),
        },
        Figures::Welch { means } => Picture::Levels {
            first: level(&means.with),
            second: level(&means.without),
            difference: whole((means.with.value - means.without.value) * 10.0),
            low: whole(means.interval.0 * 10.0),
            high: whole(means.interval.1 * 10.0),
        },
        Figures::Shuffles { longest, usual, .. } => Picture::Run { longest: *longest, low: usual.0, high: usual.1 },
        Figures::OrderStatistics { median, interval, .. } => Picture::Money {
            median: median.round_dp(2).to_string(),
            low: interval.0.round_dp(2).to_string(),
            high: interval.1.round_dp(2).to_string(),
            currency: currency.to_owned(),
        },
    }
}

super::same_variants!(
    InsightKind =
        Kind { StressChange, ReadinessResult, PlanKept, PlanResult, SleepReadiness, PlusDays, LosingRun, MedianDay }
);

fn percent(share: f64) -> i32 {
    whole(share * 100.0)
}

#[expect(clippy::cast_possible_truncation, reason = "levels and shares are small")]
fn whole(value: f64) -> i32 {
    value.round() as i32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_keeps_the_figures_of_its_sentence() {
        let wilson = Figures::Wilson { share: Share { k: 21, n: 30 }, interval: (0.521, 0.834) };
        assert_eq!(picture(&wilson, ""), Picture::Share { of: Part { k: 21, n: 30 }, low: 52, high: 83 });
        let change = Mean { n: 11, value: -1.25, interval: (-1.75, -0.04) };
        let levels = picture(&Figures::T { change, before: 6.04, after: 4.79 }, "");
        let Picture::Levels { first, second, low, high, .. } = levels else { unreachable!("two means") };
        assert_eq!((first.tenths, second.tenths, second.n, low, high), (60, 48, 11, -18, 0));
    }
}
