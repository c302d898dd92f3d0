//! Trades out of brokers' files: what a file seems to be, what it would bring, what was brought.

use calm_app::trades::{
    DateOrder, DayResult, FileZone, Format, ImportLine, Mapping, Options, Preview, Reason, Refusal,
};
use serde::{Deserialize, Serialize};
use specta::Type;

use super::WireError;

/// Refused rows that are shown; the others are counted.
const SHOWN: usize = 50;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "lowercase")]
pub enum TradeFormat {
    Mt4,
    Mt5,
    Binance,
    Ibkr,
    Generic,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "lowercase")]
pub enum TradeDates {
    Dmy,
    Mdy,
}

/// A column of the file, and what it is read as.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
pub struct TradeColumn {
    pub column: String,
    pub field: String,
}

impl TradeColumn {
    /// Whether a user may name it.
    pub fn can_be_named(&self) -> bool {
        Mapping::default().add(&format!("{}={}", self.column, self.field)).is_ok()
    }
}

/// What the user says about a file; what is absent is found out from it.
#[derive(Debug, Clone, Deserialize, Type)]
pub struct TradeAnswers {
    pub format: Option<TradeFormat>,
    /// Named by hand.
    pub columns: Vec<TradeColumn>,
    /// An IANA zone, an offset, `utc` or `ny+7`; empty while it is not told.
    pub zone: String,
    pub dates: Option<TradeDates>,
}

/// What only the user can tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "lowercase")]
pub enum TradeNeed {
    Nothing,
    Columns,
    Zone,
    Dates,
}

#[derive(Debug, Clone, Serialize, Type)]
pub struct TradeLook {
    pub format: Option<TradeFormat>,
    /// Its columns bear only common names.
    pub guessed: bool,
    /// The names of its columns.
    pub header: Vec<String>,
    pub columns: Vec<TradeColumn>,
    /// Its times do not say which clock they are from.
    pub zone_open: bool,
    pub needs: TradeNeed,
    pub preview: Option<TradePreview>,
}

#[derive(Debug, Clone, Serialize, Type)]
pub struct TradePreview {
    pub currency: Option<String>,
    /// With a result.
    pub trades: u32,
    /// Orders that only opened.
    pub without_result: u32,
    /// Of all of them, those that are there already.
    pub known: u32,
    /// Of those, how many another kind of report of the same account has told in other rows.
    pub told_twice: u32,
    /// Times that their clock shows twice or never.
    pub doubtful_times: u32,
    /// Rows that are no trades.
    pub other_rows: u32,
    /// The oldest first.
    pub days: Vec<TradeDayCard>,
    pub refused: u32,
    /// The first of them.
    pub refusals: Vec<TradeRefusal>,
}

#[derive(Debug, Clone, Serialize, Type)]
pub struct TradeDayCard {
    /// `YYYY-MM-DD`.
    pub day: String,
    pub trades: u32,
    /// After costs, one a currency.
    pub sums: Vec<TradeSum>,
}

#[derive(Debug, Clone, Serialize, Type)]
pub struct TradeSum {
    /// Decimal text, two places.
    pub amount: String,
    pub currency: String,
}

#[derive(Debug, Clone, Serialize, Type)]
pub struct TradeRefusal {
    /// From 1.
    pub line: u32,
    pub column: String,
    pub reason: TradeReason,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum TradeReason {
    Missing,
    NotANumber,
    OddNumber,
    TooLarge,
    NotATime,
    NoSuchTime,
    UnknownSide,
}

#[derive(Debug, Clone, Serialize, Type)]
pub struct TradesTaken {
    /// Empty where every trade was there already.
    pub id: String,
    pub added: u32,
}

#[derive(Debug, Clone, Serialize, Type)]
pub struct TradeImport {
    pub id: String,
    pub imported_at: String,
    /// As [`TradeFormat`].
    pub format: String,
    pub file: String,
    pub trades: u32,
    pub refused: u32,
}

impl TradeAnswers {
    pub fn read(&self) -> Result<Options, WireError> {
        let mut mapping = Mapping::default();
        for TradeColumn { column, field } in &self.columns {
            mapping.add(&format!("{column}={field}")).map_err(|_| refused("bad_trades"))?;
        }
        let zone = Some(self.zone.trim()).filter(|zone| !zone.is_empty());
        let zone = zone.map(str::parse::<FileZone>).transpose().map_err(|_| refused("bad_zone"))?;
        Ok(Options { format: self.format.map(Format::from), mapping, zone, dates: self.dates.map(DateOrder::from) })
    }
}

fn refused(code: &str) -> WireError {
    WireError { code: code.to_owned(), detail: String::new() }
}

impl From<&Preview> for TradePreview {
    fn from(preview: &Preview) -> TradePreview {
        TradePreview {
            currency: preview.currency.clone(),
            trades: preview.trades,
            without_result: preview.without_result,
            known: preview.known,
            told_twice: u32::try_from(preview.told_twice.len()).unwrap_or(u32::MAX),
            doubtful_times: preview.doubtful_times,
            other_rows: preview.other_rows,
            days: preview.days.iter().map(TradeDayCard::from).collect(),
            refused: u32::try_from(preview.refused.len()).unwrap_or(u32::MAX),
            refusals: preview.refused.iter().take(SHOWN).map(TradeRefusal::from).collect(),
        }
    }
}

impl From<&DayResult> for TradeDayCard {
    fn from(day: &DayResult) -> TradeDayCard {
        let sums = day.net.iter().map(|money| TradeSum {
            amount: format!("{:.2}", money.amount.round_dp(2)),
            currency: money.currency.clone().unwrap_or_default(),
        });
        TradeDayCard { day: day.day.to_string(), trades: day.trades, sums: sums.collect() }
    }
}

impl From<&Refusal> for TradeRefusal {
    fn from(refusal: &Refusal) -> TradeRefusal {
        TradeRefusal {
            line: u32::try_from(refusal.line).unwrap_or(u32::MAX),
            column: refusal.column.clone(),
            reason: match refusal.reason {
                Reason::Missing => TradeReason::Missing,
                Reason::NotANumber => TradeReason::NotANumber,
                Reason::OddNumber => TradeReason::OddNumber,
                Reason::TooLarge => TradeReason::TooLarge,
                Reason::NotATime => TradeReason::NotATime,
                Reason::NoSuchTime => TradeReason::NoSuchTime,
                Reason::UnknownSide => TradeReason::UnknownSide,
            },
        }
    }
}

impl From<&ImportLine> for TradeImport {
    fn from(line: &ImportLine) -> TradeImport {
        TradeImport {
            id: line.id.to_string(),
            imported_at: line.imported_at.to_string(),
            format: line.format.clone(),
            file: line.file.clone(),
            trades: line.trades,
            refused: line.refused,
        }
    }
}

super::same_variants!(TradeFormat = Format { Mt4, Mt5, Binance, Ibkr, Generic });
super::same_variants!(TradeDates = DateOrder { Dmy, Mdy });
