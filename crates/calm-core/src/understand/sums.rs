//! A sum as a number, and what it is against the user's own usual sums.

use serde::{Deserialize, Serialize};

use super::numbers::{Number, NumberKind};
use super::scope::Scene;
use super::tokens::CURRENCIES;
use crate::context::SessionResult;
use crate::end_session::ResultCategory;
use crate::lang::Lang;

/// What a day brought or cost, without its sign.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sum {
    /// Hundredths of the unit.
    pub value: i64,
    pub unit: Unit,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Unit {
    /// Of whatever currency the user trades in.
    Money,
    Percent,
    /// Multiples of the risk of one trade.
    R,
    /// Points, pips, ticks.
    Points,
}

/// Fewer sums than these say nothing of what is usual.
const ENOUGH: usize = 5;

pub fn of(scene: &Scene<'_>, number: &Number) -> Option<Sum> {
    let word = |name: &str| number.at.clone().any(|i| scene.lexicon.has_word("units", name, scene.tokens.norm(i)));
    let unit = match number.kind {
        NumberKind::Percent => Unit::Percent,
        NumberKind::Money | NumberKind::Plain | NumberKind::PerhapsTime => Unit::Money,
        NumberKind::Count if word("r") => Unit::R,
        NumberKind::Count if word("pips") => Unit::Points,
        _ => return None,
    };
    let value = i64::try_from(number.hundredths).ok()?;
    Some(Sum { value, unit })
}

/// The user's words for a sum with the sign of its outcome: "−200", "минус двести"; a gain keeps its bare words.
pub fn signed(amount: &str, result: SessionResult, lang: Lang) -> String {
    let figure = amount.starts_with(|c: char| c.is_ascii_digit() || CURRENCIES.contains(&c));
    match (result, lang) {
        (SessionResult::Loss, _) if figure => format!("−{amount}"),
        (SessionResult::Loss, Lang::Ru) => format!("минус {amount}"),
        (SessionResult::Loss, Lang::En) => format!("minus {amount}"),
        (SessionResult::Win | SessionResult::Breakeven, _) => amount.to_owned(),
    }
}

/// Small, medium or large against the user's earlier sums, signs aside.
///
/// `None` with fewer than five earlier sums in the same unit. Below half of their median is small,
/// above twice the median large.
pub fn category(sum: Sum, usual: &[Sum]) -> Option<ResultCategory> {
    let mut values: Vec<i64> = usual.iter().filter(|u| u.unit == sum.unit).map(|u| u.value.saturating_abs()).collect();
    if values.len() < ENOUGH {
        return None;
    }
    values.sort_unstable();
    let (low, high) = (values.get((values.len() - 1) / 2)?, values.get(values.len() / 2)?);
    // Twice the median, so that an even count stays whole.
    let median_twice = low.saturating_add(*high);
    let value = sum.value.saturating_abs();
    Some(if value.saturating_mul(4) < median_twice {
        ResultCategory::Small
    } else if value > median_twice {
        ResultCategory::Large
    } else {
        ResultCategory::Medium
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    fn money(value: i64) -> Sum {
        Sum { value, unit: Unit::Money }
    }

    #[rstest]
    #[case::below_half(49, Some(ResultCategory::Small))]
    #[case::half(50, Some(ResultCategory::Medium))]
    #[case::twice(200, Some(ResultCategory::Medium))]
    #[case::above_twice(201, Some(ResultCategory::Large))]
    #[case::a_loss_counts_by_its_size(-300, Some(ResultCategory::Large))]
    fn against_a_median_of_a_hundred(#[case] value: i64, #[case] expected: Option<ResultCategory>) {
        let usual = [80, 90, 100, -120, 400].map(money);
        assert_eq!(category(money(value), &usual), expected);
    }

    #[rstest]
    #[case("200", SessionResult::Loss, Lang::Ru, "−200")]
    #[case("$1.5k", SessionResult::Loss, Lang::En, "−$1.5k")]
    #[case("двести баксов", SessionResult::Loss, Lang::Ru, "минус двести баксов")]
    #[case("two hundred", SessionResult::Loss, Lang::En, "minus two hundred")]
    #[case("200", SessionResult::Win, Lang::Ru, "200")]
    fn a_loss_is_shown_as_one(
        #[case] amount: &str,
        #[case] result: SessionResult,
        #[case] lang: Lang,
        #[case] shown: &str,
    ) {
        assert_eq!(signed(amount, result, lang), shown);
    }

    #[test]
    fn four_days_are_no_habit_and_units_do_not_mix() {
        let four = [100, 100, 100, 100].map(money);
        assert_eq!(category(money(500), &four), None);
        let percents = [1, 2, 3, 4, 5].map(|value| Sum { value, unit: Unit::Percent });
        assert_eq!(category(money(500), &percents), None);
    }
}
