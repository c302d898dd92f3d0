//! What trading days came to: sums per currency, and what such a sum is to somebody who has seen other days.

use std::collections::BTreeMap;

use calm_core::context::SessionResult;
use calm_core::end_session::ResultCategory;
use jiff::civil::Date;
use rust_decimal::Decimal;
use serde::Serialize;

use crate::trade::Trade;

/// Days that have to be known before a day can be small or large beside them.
const ENOUGH: usize = 10;

/// What a trade did to the account, on the trading day that it belongs to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Booked {
    pub day: Date,
    pub currency: Option<String>,
    /// After costs.
    pub net: Decimal,
    /// False for an order that only opened, and for a sale whose result is not known: it has costs alone.
    pub has_result: bool,
}

impl Booked {
    /// In the account's currency where the report has the rate; else in the trade's own.
    pub fn of(trade: &Trade, day: Date, account: Option<&str>) -> Booked {
        let net = trade.gross.unwrap_or_default() + trade.own_costs();
        let converted = trade.rate.and_then(|rate| net.checked_mul(rate)).zip(account);
        let (net, currency) = match converted {
            Some((net, account)) => (net, Some(account.to_owned())),
            None => (net, trade.currency.clone()),
        };
        Booked { day, currency, net, has_result: trade.gross.is_some() }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Money {
    pub currency: Option<String>,
    pub amount: Decimal,
}

/// One trading day.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DayResult {
    pub day: Date,
    /// Trades with a result.
    pub trades: u32,
    /// After costs, one sum a currency, the one with the most trades first.
    pub net: Vec<Money>,
}

impl DayResult {
    /// The day's one sum; `None` where it is in several currencies, or no trade had a result.
    pub fn single(&self) -> Option<&Money> {
        match &self.net[..] {
            [one] if self.trades > 0 => Some(one),
            _ => None,
        }
    }
}

/// The oldest day first. A currency with costs alone does not make a second sum beside results of another.
pub fn days(booked: impl IntoIterator<Item = Booked>) -> Vec<DayResult> {
    let mut days: BTreeMap<Date, BTreeMap<Option<String>, (u32, Decimal)>> = BTreeMap::new();
    for one in booked {
        let sum = days.entry(one.day).or_default().entry(one.currency).or_default();
        sum.0 += u32::from(one.has_result);
        sum.1 += one.net;
    }
    let of_day = |(day, sums): (Date, BTreeMap<Option<String>, (u32, Decimal)>)| {
        let trades = sums.values().map(|(trades, _)| trades).sum();
        let mut sums: Vec<_> = sums.into_iter().filter(|(_, (of_sum, _))| *of_sum > 0 || trades == 0).collect();
        sums.sort_by_key(|(_, (trades, _))| std::cmp::Reverse(*trades));
        let net = sums.into_iter().map(|(currency, (_, amount))| Money { currency, amount }).collect();
        DayResult { day, trades, net }
    };
    days.into_iter().map(of_day).collect()
}

/// What a day's sum is: a win, a loss or even, and how large beside the `usual` days before it.
///
/// Even is zero, or less than a twentieth of the usual day. Small and large are the lower and the upper third of the
/// usual days, by size and without sign. With fewer than ten of them only the sign is told.
pub fn judge(net: Decimal, usual: &[Decimal]) -> (SessionResult, Option<ResultCategory>) {
    let mut sizes: Vec<Decimal> = usual.iter().map(Decimal::abs).filter(|size| !size.is_zero()).collect();
    sizes.sort_unstable();
    let size = net.abs();
    let known = sizes.len() >= ENOUGH;
    let even = known && size * Decimal::from(20) < sizes[sizes.len() / 2];
    let result = match net {
        net if net.is_zero() || even => SessionResult::Breakeven,
        net if net.is_sign_negative() => SessionResult::Loss,
        _ => SessionResult::Win,
    };
    let category = (known && result != SessionResult::Breakeven).then(|| {
        let below = sizes.iter().filter(|other| **other < size).count();
        match below * 3 / sizes.len() {
            0 => ResultCategory::Small,
            1 => ResultCategory::Medium,
            _ => ResultCategory::Large,
        }
    });
    (result, category)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    fn d(text: &str) -> Decimal {
        text.parse().unwrap()
    }

    #[rstest]
    #[case::a_loss_before_others_are_known("-20", 3, SessionResult::Loss, None)]
    #[case::zero("0", 3, SessionResult::Breakeven, None)]
    #[case::next_to_nothing("-1", 12, SessionResult::Breakeven, None)]
    #[case::small("30", 12, SessionResult::Win, Some(ResultCategory::Small))]
    #[case::medium("-60", 12, SessionResult::Loss, Some(ResultCategory::Medium))]
    #[case::large("-500", 12, SessionResult::Loss, Some(ResultCategory::Large))]
    fn a_day_beside_usual_ones(
        #[case] net: &str,
        #[case] days: i64,
        #[case] result: SessionResult,
        #[case] category: Option<ResultCategory>,
    ) {
        let usual: Vec<Decimal> =
            (1..=days).map(|n| Decimal::from(n * 10) * Decimal::from(if n % 2 == 0 { 1 } else { -1 })).collect();
        assert_eq!(judge(d(net), &usual), (result, category));
    }

    #[test]
    fn a_fee_in_another_coin_makes_no_second_sum() {
        let day = jiff::civil::date(2026, 3, 2);
        let one = |currency: &str, net: &str, has_result| Booked {
            day,
            currency: Some(currency.into()),
            net: d(net),
            has_result,
        };
        let sums = days([one("USDT", "0.1", true), one("USDT", "0.2", true), one("BNB", "-0.001", false)]);
        assert_eq!((sums[0].trades, sums[0].single().map(|money| money.amount)), (2, Some(d("0.3"))));
        let two = days([one("USDT", "5", true), one("EUR", "-7", true)]);
        assert_eq!((two[0].single(), two[0].net.len()), (None, 2));
    }
}
