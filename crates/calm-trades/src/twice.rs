//! The same executions in two kinds of report of one account: an order with its fills here, sums of each second there.
//!
//! Such rows have no number in common, so they are told by what they did: in the same instrument and at the same seconds
//! both reports have the same result. Where nothing had a result, they have the same costs.

use std::collections::{BTreeMap, HashSet};

use rust_decimal::Decimal;

use crate::trade::{CostKind, Trade};

/// Reports round to eight places and more; sums of what was rounded may differ behind the fifth.
const PLACES: u32 = 5;

/// Trades of two reports that are the same executions, as places in the two lists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Twice {
    pub new: Vec<usize>,
    pub known: Vec<usize>,
}

/// Which of `new` are in `known` already, cut or numbered otherwise. Neither list may hold what the other has under the
/// same key.
pub fn told_twice(new: &[&Trade], known: &[&Trade]) -> Vec<Twice> {
    let mut spans: Vec<(&str, i64, i64, bool, usize)> = Vec::new();
    for (is_new, trades) in [(true, new), (false, known)] {
        for (place, trade) in trades.iter().enumerate().filter(|(_, trade)| !is_funding(trade)) {
            let end = trade.closed_at.as_second();
            let start = trade.fills.iter().map(|fill| fill.at.as_second()).min().unwrap_or(end).min(end);
            spans.push((&trade.symbol, start, end, is_new, place));
        }
    }
    spans.sort_unstable();
    // What overlaps in time is looked at together: several rows here may be one there.
    let mut together: Vec<(&str, i64, Twice)> = Vec::new();
    for (symbol, start, end, is_new, place) in spans {
        let joins = together.last().is_some_and(|(of, until, _)| *of == symbol && start <= *until);
        if !joins {
            together.push((symbol, end, Twice { new: Vec::new(), known: Vec::new() }));
        }
        if let Some((_, until, twice)) = together.last_mut() {
            *until = end.max(*until);
            if is_new { &mut twice.new } else { &mut twice.known }.push(place);
        }
    }
    let is_same = |twice: &Twice| {
        let new = Did::of(twice.new.iter().map(|place| new[*place]));
        let known = Did::of(twice.known.iter().map(|place| known[*place]));
        new.is_the_same(&known)
    };
    let mut same: Vec<Twice> = together.into_iter().map(|(.., twice)| twice).filter(is_same).collect();
    // A position tells its opening too, where a list of deals has a row of its own for it.
    let found: HashSet<usize> = same.iter().flat_map(|twice| twice.new.iter().copied()).collect();
    for (place, opening) in
        new.iter().enumerate().filter(|(place, trade)| trade.gross.is_none() && !found.contains(place))
    {
        let opened = |position: &&Trade| {
            position.symbol == opening.symbol
                && position.opened_at.is_some_and(|at| at.as_second() == opening.closed_at.as_second())
                && is_one_account(position.account.as_deref(), opening.account.as_deref())
        };
        same.extend(known.iter().position(opened).map(|known| Twice { new: vec![place], known: vec![known] }));
    }
    same
}

/// As far as both are named.
fn is_one_account(one: Option<&str>, other: Option<&str>) -> bool {
    one.zip(other).is_none_or(|(one, other)| one == other)
}

/// It has no order beside it.
fn is_funding(trade: &Trade) -> bool {
    trade.gross.is_none() && !trade.costs.is_empty() && trade.costs.iter().all(|cost| cost.kind == CostKind::Swap)
}

/// What some trades did to the account, by currency.
#[derive(Default)]
struct Did<'t> {
    account: Option<&'t str>,
    results: BTreeMap<&'t str, Decimal>,
    costs: BTreeMap<&'t str, Decimal>,
}

impl<'t> Did<'t> {
    fn of(trades: impl Iterator<Item = &'t Trade>) -> Did<'t> {
        let mut did = Did::default();
        for trade in trades {
            let own = trade.currency.as_deref().unwrap_or("");
            did.account = did.account.or(trade.account.as_deref());
            if let Some(gross) = trade.gross {
                *did.results.entry(own).or_default() += gross;
            }
            for cost in &trade.costs {
                *did.costs.entry(cost.currency.as_deref().unwrap_or(own)).or_default() += cost.amount;
            }
        }
        for sums in [&mut did.results, &mut did.costs] {
            sums.values_mut().for_each(|sum| *sum = sum.round_dp(PLACES));
            sums.retain(|_, sum| !sum.is_zero());
        }
        did
    }

    fn is_the_same(&self, other: &Did<'_>) -> bool {
        if !is_one_account(self.account, other.account) {
            return false;
        }
        match (self.results.is_empty(), other.results.is_empty()) {
            (true, true) => !self.costs.is_empty() && self.costs == other.costs,
            _ => self.results == other.results,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trade::{Cost, Fill};
    use proptest::prelude::*;

    fn trade(second: i64, gross: Option<i64>, fee: i64) -> Trade {
        let cost = Cost { kind: CostKind::Fee, amount: Decimal::new(-fee, 2), currency: None };
        Trade {
            key: String::new(),
            symbol: "BTCUSDT".into(),
            side: None,
            quantity: None,
            opened_at: None,
            closed_at: jiff::Timestamp::from_second(1_772_431_200 + second).unwrap(),
            open_price: None,
            close_price: None,
            gross: gross.map(|gross| Decimal::new(gross, 2)),
            costs: vec![cost],
            currency: Some("USDT".into()),
            account: None,
            rate: None,
            fills: Vec::new(),
            line: 0,
        }
    }

    fn told(new: &[Trade], known: &[Trade]) -> Vec<Twice> {
        told_twice(&new.iter().collect::<Vec<_>>(), &known.iter().collect::<Vec<_>>())
    }

    #[test]
    fn the_same_second_with_another_result_is_another_trade() {
        let known = [trade(0, Some(510), 27), trade(60, None, 30)];
        assert_eq!(told(&[trade(0, Some(511), 27)], &known), []);
        assert_eq!(told(&[trade(1, Some(510), 27)], &known), []);
        assert_eq!(told(&[trade(60, None, 31)], &known), []);
        assert_eq!(told(&[trade(60, None, 0)], &[trade(60, None, 0)]), [], "nothing tells them apart from others");
        let [mut other, mut own] = [trade(0, Some(510), 27), trade(0, Some(510), 27)];
        (other.account, own.account) = (Some("1".into()), Some("2".into()));
        assert_eq!(told(std::slice::from_ref(&own), &[other]), []);
        let funding = Trade { costs: vec![Cost { kind: CostKind::Swap, ..own.costs[0].clone() }], gross: None, ..own };
        assert_eq!(told(std::slice::from_ref(&funding), std::slice::from_ref(&funding)), []);
    }

    #[test]
    fn a_position_has_told_of_its_opening() {
        let position = Trade { opened_at: Some(trade(0, None, 0).closed_at), ..trade(60, Some(100), 20) };
        let deals = [trade(0, None, 10), trade(60, Some(100), 10), trade(90, None, 10)];
        let found = told(&deals, std::slice::from_ref(&position));
        assert_eq!(found.iter().flat_map(|twice| twice.new.clone()).collect::<Vec<_>>(), [1, 0]);
    }

    proptest! {
        /// An order's fills, in one row each here and in one row together there.
        #[test]
        fn however_an_order_is_cut_it_is_the_same(cuts in prop::collection::vec((0..20_i64, 1..5_000_i64, 0..50_i64), 1..12)) {
            let rows: Vec<Trade> = cuts.iter().map(|(second, gross, fee)| trade(*second, Some(*gross), *fee)).collect();
            let end = rows.iter().map(|row| row.closed_at).max().unwrap();
            let order = Trade {
                closed_at: end,
                fills: rows.iter().map(|row| Fill { at: row.closed_at, quantity: None, price: None }).collect(),
                gross: Some(rows.iter().filter_map(|row| row.gross).sum()),
                costs: rows.iter().flat_map(|row| row.costs.clone()).collect(),
                ..rows[0].clone()
            };
            for (new, known) in [(&rows[..], std::slice::from_ref(&order)), (std::slice::from_ref(&order), &rows[..])] {
                let found = told(new, known);
                prop_assert_eq!(found.len(), 1);
                prop_assert_eq!(found[0].new.len(), new.len());
                prop_assert_eq!(found[0].known.len(), known.len());
            }
        }
    }
}
