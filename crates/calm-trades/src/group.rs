//! Partial fills of one order, put together.

use std::collections::HashMap;

use rust_decimal::Decimal;

use crate::trade::{Cost, Fill, Trade};

/// Most decimal places of a mean price.
const PLACES: u32 = 10;

/// Fills of the same group become one trade, at the place of the first. `None` stays alone.
pub(crate) fn fills(fills: Vec<(Option<String>, Trade)>) -> Vec<Trade> {
    let mut places: HashMap<String, usize> = HashMap::new();
    let mut groups: Vec<Vec<Trade>> = Vec::new();
    for (group, fill) in fills {
        let place = group.and_then(|group| {
            let next = groups.len();
            let place = *places.entry(group).or_insert(next);
            (place < next).then_some(place)
        });
        match place {
            Some(place) => groups[place].push(fill),
            None => groups.push(vec![fill]),
        }
    }
    groups.into_iter().filter_map(together).collect()
}

fn together(group: Vec<Trade>) -> Option<Trade> {
    if group.len() == 1 {
        return group.into_iter().next();
    }
    let fill = |trade: &Trade| Fill { at: trade.closed_at, quantity: trade.quantity, price: trade.close_price };
    let gross = group
        .iter()
        .filter_map(|trade| trade.gross)
        .fold(None, |sum: Option<Decimal>, one| Some(sum.unwrap_or_default() + one));
    let whole = Trade {
        quantity: sum(group.iter().map(|trade| trade.quantity)),
        close_price: mean_price(group.iter().map(|trade| (trade.quantity, trade.close_price))),
        open_price: mean_price(group.iter().map(|trade| (trade.quantity, trade.open_price))),
        opened_at: group.iter().filter_map(|trade| trade.opened_at).min(),
        closed_at: group.iter().map(|trade| trade.closed_at).max()?,
        gross,
        costs: costs(&group),
        fills: group.iter().filter(|trade| trade.quantity.is_some()).map(fill).collect(),
        line: group.iter().map(|trade| trade.line).min()?,
        ..group.first()?.clone()
    };
    Some(whole)
}

/// `None` where one of them is not known.
fn sum(values: impl Iterator<Item = Option<Decimal>>) -> Option<Decimal> {
    values.sum()
}

/// Weighed by quantity.
fn mean_price(fills: impl Iterator<Item = (Option<Decimal>, Option<Decimal>)>) -> Option<Decimal> {
    let (mut money, mut quantity) = (Decimal::ZERO, Decimal::ZERO);
    for (size, price) in fills {
        money = money.checked_add(size?.checked_mul(price?)?)?;
        quantity = quantity.checked_add(size?)?;
    }
    money.checked_div(quantity).map(|price| price.round_dp(PLACES).normalize())
}

fn costs(group: &[Trade]) -> Vec<Cost> {
    let mut costs: Vec<Cost> = Vec::new();
    for cost in group.iter().flat_map(|trade| &trade.costs) {
        match costs.iter_mut().find(|known| known.kind == cost.kind && known.currency == cost.currency) {
            Some(known) => known.amount += cost.amount,
            None => costs.push(cost.clone()),
        }
    }
    costs
}
