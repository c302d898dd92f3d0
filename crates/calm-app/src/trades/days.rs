//! What stored trades say of days: their results beside what the user said, which always comes first.

use std::collections::BTreeMap;

use calm_core::context::{SessionResult, TradesToday};
use calm_core::end_session::ResultCategory;
use calm_memory::insights::TradeDay;
use calm_store::Store;
use calm_trades::{Booked, DayResult, Money, days, judge};
use jiff::ToSpan;
use jiff::civil::Date;

use crate::error::AppError;

/// Days with trades that a day is judged beside: about a quarter of a year.
const USUAL: u32 = 60;

/// A day whose trades have one sum.
struct Traded {
    day: Date,
    net: Money,
    result: SessionResult,
    category: Option<ResultCategory>,
    trades: u32,
}

/// What each trading day since `from` came to, the oldest first.
pub(crate) fn sums(store: &Store, from: Date) -> Result<Vec<DayResult>, AppError> {
    let booked = store.trade_sums(from)?.into_iter().map(|sum| Booked {
        day: sum.trading_day,
        currency: sum.currency,
        net: sum.net,
        has_result: sum.has_result,
    });
    Ok(days(booked))
}

/// The same, judged: each beside the sixty days before it in the same currency.
fn judged(sums: &[DayResult]) -> Vec<Traded> {
    let mut earlier: BTreeMap<Option<&str>, Vec<rust_decimal::Decimal>> = BTreeMap::new();
    let mut judged = Vec::new();
    for day in sums {
        let Some(net) = day.single() else { continue };
        let known = earlier.entry(net.currency.as_deref()).or_default();
        let usual = &known[known.len().saturating_sub(USUAL as usize)..];
        let (result, category) = judge(net.amount, usual);
        known.push(net.amount);
        judged.push(Traded { day: day.day, net: net.clone(), result, category, trades: day.trades });
    }
    judged
}

/// All days with trades, with money in the currency of most of them; and that currency.
pub(crate) fn traded_days(store: &Store) -> Result<(Vec<TradeDay>, Option<String>), AppError> {
    let days = judged(&sums(store, Date::MIN)?);
    let mut times: BTreeMap<&Option<String>, usize> = BTreeMap::new();
    for day in &days {
        *times.entry(&day.net.currency).or_default() += 1;
    }
    let main = times.into_iter().max_by_key(|(_, times)| *times).and_then(|(currency, _)| currency.clone());
    let day = |traded: &Traded| TradeDay {
        day: traded.day,
        result: traded.result,
        net: (traded.net.currency == main).then_some(traded.net.amount),
    };
    Ok((days.iter().map(day).collect(), main))
}

/// What the trades of `day` came to; `None` where there are none, or in several currencies.
pub(crate) fn trades_today(store: &Store, day: Date) -> Result<Option<TradesToday>, AppError> {
    let from = store.days_with_trades(day, USUAL)?.unwrap_or(day);
    let today = judged(&sums(store, from)?).into_iter().find(|traded| traded.day == day);
    Ok(today.map(|traded| TradesToday {
        result: traded.result,
        category: traded.category,
        net: traded.net.amount,
        currency: traded.net.currency,
        trades: traded.trades,
    }))
}

/// The newest results first, and whether any of them is from trades alone.
///
/// A day's trades count once, and only where no check-out of that day names a result.
pub(crate) fn results(store: &Store, before: Date, limit: u32) -> Result<(Vec<SessionResult>, bool), AppError> {
    let said = store.recent_results(limit)?;
    let mut of_days: BTreeMap<Date, Vec<SessionResult>> = BTreeMap::new();
    for (day, result) in &said {
        of_days.entry(*day).or_default().push(*result);
    }
    let mut only_traded = Vec::new();
    if let Some(first) = store.days_with_trades(before, limit.saturating_add(USUAL))? {
        // Past the oldest result that was looked at, there may be others that were said.
        let horizon = said.last().filter(|_| said.len() >= limit as usize).map_or(Date::MIN, |(day, _)| *day);
        for traded in judged(&sums(store, first)?) {
            if traded.day >= horizon && traded.day < before && !of_days.contains_key(&traded.day) {
                of_days.insert(traded.day, vec![traded.result]);
                only_traded.push(traded.day);
            }
        }
    }
    let newest = of_days.iter().rev().flat_map(|(day, results)| results.iter().map(move |result| (*day, *result)));
    let newest: Vec<(Date, SessionResult)> = newest.take(limit as usize).collect();
    let of_trades = newest.last().is_some_and(|(oldest, _)| only_traded.iter().any(|day| day >= oldest));
    Ok((newest.into_iter().map(|(_, result)| result).collect(), of_trades))
}

/// The day after `day`, for results up to and with it.
pub(crate) fn after(day: Date) -> Date {
    day.checked_add(1.day()).unwrap_or(Date::MAX)
}
