//! Whether a stored trade is one that a reader here could have made: it may come back out of a file that somebody changed.

use rust_decimal::Decimal;

use crate::draft::LONGEST_CURRENCY;
use crate::trade::Trade;
use crate::{Booked, FileZone, Format};

/// The first field of a trade that no reader writes so.
///
/// `key`, `currency`, `net` and `has_result` stand beside it in the database.
pub fn wrong_in(trade: &Trade, key: &str, booked: &Booked) -> Option<&'static str> {
    let is_negative = |number: Option<Decimal>| number.is_some_and(|number| number < Decimal::ZERO);
    let quantities = trade.fills.iter().map(|fill| fill.quantity).chain([trade.quantity]);
    let currencies = trade.costs.iter().map(|cost| cost.currency.as_deref()).chain([trade.currency.as_deref()]);
    let (own, rate) = (Booked::of(trade, booked.day, None), trade.rate);
    // Which currency the account had, the rate does not say.
    let converted =
        Booked { currency: booked.currency.clone(), ..Booked::of(trade, booked.day, booked.currency.as_deref()) };
    let wrong = [
        ("key", trade.key != key || !is_key(key)),
        ("quantity", quantities.into_iter().any(is_negative)),
        ("currency", currencies.into_iter().flatten().any(|name| !is_currency(name))),
        ("net", *booked != own && (rate.is_none() || booked.currency.is_none() || *booked != converted)),
    ];
    wrong.into_iter().find(|(_, is_wrong)| *is_wrong).map(|(field, _)| field)
}

/// The first field of an import that none has so.
pub fn wrong_in_import(format: &str, zone: Option<&str>, currency: Option<&str>) -> Option<&'static str> {
    // A zone without a name of its own is shown as `local`.
    let is_zone = |zone: &str| zone == "local" || zone.parse::<FileZone>().is_ok();
    let wrong = [
        ("format", format.parse::<Format>().is_err()),
        ("zone", zone.is_some_and(|zone| !is_zone(zone))),
        ("currency", currency.is_some_and(|name| !is_currency(name) || name.len() > LONGEST_CURRENCY)),
    ];
    wrong.into_iter().find(|(_, is_wrong)| *is_wrong).map(|(field, _)| field)
}

fn is_key(key: &str) -> bool {
    key.len() == 32 && key.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

fn is_currency(name: &str) -> bool {
    !name.chars().any(char::is_control)
}
