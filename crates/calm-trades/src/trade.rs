//! What a report gives: trades with their fills and costs.

use jiff::Timestamp;
use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};

use crate::error::Refusal;
use crate::recognise::Format;

/// What one order closed, or what one order that only opens has cost.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Trade {
    /// The same for the same trade in every file that holds it: 32 hexadecimal digits.
    pub key: String,
    pub symbol: String,
    /// Of the order; MetaTrader names the side on which the position was opened.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub side: Option<Side>,
    /// Lots, shares, contracts or coins; never negative.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quantity: Option<Decimal>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub opened_at: Option<Timestamp>,
    pub closed_at: Timestamp,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub open_price: Option<Decimal>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub close_price: Option<Decimal>,
    /// Before costs, in `currency`; `None` where the order only opened, or the report does not tell.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gross: Option<Decimal>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub costs: Vec<Cost>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub currency: Option<String>,
    /// As the report names it; other reports of the same account may not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub account: Option<String>,
    /// From `currency` to the account's, where the report has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate: Option<Decimal>,
    /// The executions that it is made of, where there is more than one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fills: Vec<Fill>,
    /// Where it stands in the file, from 1.
    #[serde(default)]
    pub line: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Side {
    Buy,
    Sell,
}

/// Something that the account paid, or was paid.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Cost {
    pub kind: CostKind,
    /// As it changes the account: what is paid is negative.
    pub amount: Decimal,
    /// Where it is not the trade's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub currency: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CostKind {
    Commission,
    /// Of a position that is held overnight; funding of perpetual futures too.
    Swap,
    Tax,
    Fee,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Fill {
    pub at: Timestamp,
    pub quantity: Option<Decimal>,
    pub price: Option<Decimal>,
}

impl Trade {
    /// Costs in the trade's own currency.
    pub fn own_costs(&self) -> Decimal {
        let own = self.costs.iter().filter(|cost| cost.currency.is_none() || cost.currency == self.currency);
        own.map(|cost| cost.amount).sum()
    }

    /// After costs in its own currency; `None` where the result is not known.
    pub fn net(&self) -> Option<Decimal> {
        self.gross.map(|gross| gross + self.own_costs())
    }
}

/// What a file gave.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Report {
    pub format: Format,
    /// The account's, where the file or most of its trades tell.
    pub currency: Option<String>,
    /// The clock of its times; `None` where each named its own offset.
    pub zone: Option<String>,
    /// In the order of time.
    pub trades: Vec<Trade>,
    pub refused: Vec<Refusal>,
    /// Rows that are no trades: deposits, totals, cancelled orders.
    pub other_rows: u32,
    /// Times that their clock shows twice or never.
    pub doubtful_times: u32,
}
