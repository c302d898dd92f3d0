//! What a reader hands over: executions that are not trades yet, refusals, and what it learned of the account.

use std::collections::BTreeMap;

use jiff::Timestamp;
use rust_decimal::Decimal;
use sha2::{Digest, Sha256};

use crate::error::{ReadError, Refusal};
use crate::reading::Reading;
use crate::recognise::Format;
use crate::trade::{Report, Trade};

/// Most digits of a currency's name that is one.
pub(crate) const LONGEST_CURRENCY: usize = 10;

#[derive(Default)]
pub(crate) struct Drafts {
    /// Where `key` holds what the trade is known by, and is empty where only its content tells.
    pub trades: Vec<Trade>,
    pub refused: Vec<Refusal>,
    pub other_rows: u32,
    pub account: Option<String>,
    pub currency: Option<String>,
    /// Whether any table of that format was seen.
    pub table: bool,
    /// The header named the clock.
    pub own_zone: Option<Reading>,
}

impl Drafts {
    pub fn take(&mut self, read: Result<Option<Trade>, Refusal>) {
        match read {
            Ok(Some(trade)) => self.trades.push(trade),
            Ok(None) => self.other_rows += 1,
            Err(refusal) => self.refused.push(refusal),
        }
    }

    pub fn finish(mut self, format: Format, reading: Reading) -> Result<Report, ReadError> {
        let reading = self.own_zone.take().unwrap_or(reading);
        if !self.table {
            return Err(ReadError::NoTable { format: format.title() });
        }
        if reading.order_missed.get() {
            return Err(ReadError::DateOrderNeeded);
        }
        if reading.zone_missed.get() {
            return Err(ReadError::ZoneNeeded { hint: format.zone_hint() });
        }
        let account = self.account.as_deref().unwrap_or_default();
        let mut seen: BTreeMap<String, u32> = BTreeMap::new();
        for trade in &mut self.trades {
            trade.currency = trade.currency.take().map(|name| name.to_ascii_uppercase());
            let of_content = trade.key.is_empty();
            let known_by = if of_content { content(trade) } else { std::mem::take(&mut trade.key) };
            // Two executions may be alike in everything; the second is not a copy of the first.
            let times = seen.entry(known_by.clone()).and_modify(|times| *times += 1).or_default();
            trade.key = digest(&[format.name(), account, &known_by, &times.to_string()]);
        }
        self.trades.sort_by_key(|trade| (trade.closed_at, trade.line));
        let currency = self.currency.or_else(|| most(&self.trades)).filter(|name| name.len() <= LONGEST_CURRENCY);
        for trade in &mut self.trades {
            trade.currency = trade.currency.take().or_else(|| currency.clone());
            trade.account.clone_from(&self.account);
        }
        let zone = reading.zone.as_ref().filter(|_| reading.zone_used.get()).map(ToString::to_string);
        Ok(Report {
            format,
            currency,
            zone,
            trades: self.trades,
            refused: self.refused,
            other_rows: self.other_rows,
            doubtful_times: reading.doubtful.get(),
        })
    }
}

/// The currency that most results are in.
fn most(trades: &[Trade]) -> Option<String> {
    let mut times: BTreeMap<&str, u32> = BTreeMap::new();
    for trade in trades.iter().filter(|trade| trade.gross.is_some()) {
        *times.entry(trade.currency.as_deref()?).or_default() += 1;
    }
    times.into_iter().max_by_key(|(_, times)| *times).map(|(name, _)| name.to_owned())
}

/// Numbers are written without trailing zeros: another export of the same trade may have more of them.
fn content(trade: &Trade) -> String {
    let number = |value: Option<Decimal>| value.map(|value| value.normalize().to_string()).unwrap_or_default();
    let moment = |at: Timestamp| at.as_millisecond().to_string();
    [
        trade.symbol.clone(),
        trade.side.map(|side| format!("{side:?}")).unwrap_or_default(),
        number(trade.quantity),
        moment(trade.closed_at),
        trade.opened_at.map(moment).unwrap_or_default(),
        number(trade.close_price),
        number(trade.gross),
        number(Some(trade.own_costs())),
    ]
    .join("|")
}

fn digest(parts: &[&str]) -> String {
    let hash = Sha256::digest(parts.join("\u{1f}"));
    hash.iter().take(16).map(|byte| format!("{byte:02x}")).collect()
}
