//! Trades out of brokers' files: a look before anything is taken over, the import, and its undoing (SPEC D5).

mod days;

use std::path::Path;

use calm_store::{Import, ImportId, NewImport, NewTrade};
use calm_trades::{Booked, Report, Trade};
use jiff::Timestamp;
use jiff::civil::Date;
use serde::Serialize;
use serde_json::json;

use crate::conductor::Conductor;
use crate::error::AppError;

pub use calm_trades::{
    DateOrder, DayResult, Field, FileZone, Format, LARGEST, Mapping, Money, Options, ReadError, Reason, Recognised,
    Refusal, ZoneHint,
};
pub(crate) use days::{after, results, traded_days, trades_today};

/// A report as it was read from disk.
pub struct TradeFile {
    /// Without its folder.
    pub name: String,
    bytes: Vec<u8>,
}

/// What an import would do, before anything is written.
#[derive(Debug, Clone, Serialize)]
pub struct Preview {
    pub format: Format,
    /// The account's.
    pub currency: Option<String>,
    /// The clock of the file's times; `None` where each named its own offset.
    pub zone: Option<String>,
    /// Trades with a result, and orders that only opened.
    pub trades: u32,
    pub without_result: u32,
    /// Of all of them, those that are there already.
    pub known: u32,
    /// Times that their clock shows twice or never.
    pub doubtful_times: u32,
    /// Rows that are no trades: deposits, totals, cancelled orders.
    pub other_rows: u32,
    /// What each trading day of the file comes to, the oldest first.
    pub days: Vec<DayResult>,
    pub refused: Vec<Refusal>,
}

/// What an import has done.
#[derive(Debug, Clone, Serialize)]
pub struct Imported {
    /// `None` where every trade was there already.
    pub id: Option<ImportId>,
    /// New trades and orders.
    pub added: u32,
    #[serde(flatten)]
    pub preview: Preview,
}

/// A past import.
#[derive(Debug, Clone, Serialize)]
pub struct ImportLine {
    pub id: ImportId,
    pub imported_at: Timestamp,
    pub format: String,
    pub file: String,
    pub zone: Option<String>,
    pub currency: Option<String>,
    pub trades: u32,
    pub refused: u32,
}

/// A stored trade.
#[derive(Debug, Clone, Serialize)]
pub struct TradeLine {
    pub day: Date,
    #[serde(flatten)]
    pub trade: Trade,
}

impl TradeFile {
    /// # Errors
    /// The file is not there, is no file, or is too large.
    pub fn open(path: &Path) -> Result<TradeFile, AppError> {
        let shown = || path.display().to_string();
        let unread = |source: std::io::Error| AppError::UnreadFile { path: shown(), source };
        let about = std::fs::metadata(path).map_err(unread)?;
        if !about.is_file() {
            return Err(unread(std::io::Error::other("not a file")));
        }
        if about.len() > LARGEST as u64 {
            return Err(AppError::BadTrades { path: shown(), source: ReadError::TooLarge });
        }
        let bytes = std::fs::read(path).map_err(unread)?;
        let name = path.file_name().map_or_else(shown, |name| name.to_string_lossy().into_owned());
        Ok(TradeFile { name, bytes })
    }

    /// One that is in memory already; its size is for the reader to judge.
    pub fn of_bytes(name: &str, bytes: Vec<u8>) -> TradeFile {
        TradeFile { name: name.to_owned(), bytes }
    }

    /// What its columns are called, for somebody who names them by hand.
    ///
    /// # Errors
    /// It holds no table.
    pub fn header(&self) -> Result<Vec<String>, AppError> {
        calm_trades::header(&self.bytes).map_err(|source| self.wrong(source))
    }

    /// Which broker wrote it, how sure that is, and what its columns are read as.
    ///
    /// # Errors
    /// It holds no table of trades that is known.
    pub fn recognise(&self, options: &Options) -> Result<Recognised, AppError> {
        calm_trades::recognise(&self.bytes, options).map_err(|source| self.wrong(source))
    }

    /// Whether it can be read, without a database to compare it with.
    ///
    /// # Errors
    /// As [`Conductor::preview_trades`].
    pub fn check(&self, options: &Options) -> Result<(), AppError> {
        self.read(options).map(|_| ())
    }

    fn read(&self, options: &Options) -> Result<Report, AppError> {
        calm_trades::read(&self.bytes, options).map_err(|source| self.wrong(source))
    }

    fn wrong(&self, source: ReadError) -> AppError {
        AppError::BadTrades { path: self.name.clone(), source }
    }
}

impl Conductor {
    /// What importing the file would do.
    ///
    /// # Errors
    /// The file as a whole cannot be read, or something that only the user can tell is missing.
    pub fn preview_trades(&self, file: &TradeFile, options: &Options) -> Result<Preview, AppError> {
        self.preview(&file.read(options)?)
    }

    /// Takes the file's trades over, those that can be read; importing it twice adds nothing.
    ///
    /// # Errors
    /// As [`Conductor::preview_trades`]; nothing is taken over then.
    pub fn import_trades(&mut self, file: &TradeFile, options: &Options) -> Result<Imported, AppError> {
        let report = file.read(options)?;
        let preview = self.preview(&report)?;
        let new = NewImport {
            imported_at: self.now(),
            format: report.format.name().to_owned(),
            file_name: file.name.clone(),
            zone: report.zone.clone(),
            currency: report.currency.clone(),
            refused: count(report.refused.len()),
        };
        let trades: Vec<NewTrade> = report.trades.iter().map(|trade| self.kept(trade, &report)).collect();
        let (id, added) = self.store().add_import(&new, &trades)?.unzip();
        Ok(Imported { id, added: added.unwrap_or(0), preview })
    }

    /// The newest first.
    pub fn imports(&self) -> Result<Vec<ImportLine>, AppError> {
        let line = |import: Import| ImportLine {
            id: import.id,
            imported_at: import.begun.imported_at,
            format: import.begun.format,
            file: import.begun.file_name,
            zone: import.begun.zone,
            currency: import.begun.currency,
            trades: import.trades,
            refused: import.begun.refused,
        };
        Ok(self.read_store().imports()?.into_iter().map(line).collect())
    }

    /// Takes an import back and says how many trades went with it.
    ///
    /// # Errors
    /// There is no such import.
    pub fn undo_import(&mut self, id: ImportId) -> Result<u32, AppError> {
        Ok(self.store().undo_import(id)?)
    }

    /// The trades of these trading days, both included, in the order of time.
    pub fn trades(&self, from: Date, to: Date, limit: u32) -> Result<Vec<TradeLine>, AppError> {
        let stored = self.read_store().trades_between(from, to, limit)?;
        let line = |stored: calm_store::StoredTrade| {
            let trade = serde_json::from_value(stored.trade.trade).ok()?;
            Some(TradeLine { day: stored.trade.trading_day, trade })
        };
        Ok(stored.into_iter().filter_map(line).collect())
    }

    /// What each trading day since `from` came to, the oldest first.
    pub fn trade_days(&self, from: Date) -> Result<Vec<DayResult>, AppError> {
        days::sums(self.read_store(), from)
    }

    fn preview(&self, report: &Report) -> Result<Preview, AppError> {
        let known = self.read_store().known_trades(report.trades.iter().map(|trade| trade.key.as_str()))?;
        let with_result = report.trades.iter().filter(|trade| trade.gross.is_some()).count();
        let account = report.currency.as_deref();
        let booked = report.trades.iter().map(|trade| Booked::of(trade, self.day_of(trade), account));
        Ok(Preview {
            format: report.format,
            currency: report.currency.clone(),
            zone: report.zone.clone(),
            trades: count(with_result),
            without_result: count(report.trades.len() - with_result),
            known: count(known.len()),
            doubtful_times: report.doubtful_times,
            other_rows: report.other_rows,
            days: calm_trades::days(booked),
            refused: report.refused.clone(),
        })
    }

    /// The trading day in which it was closed.
    fn day_of(&self, trade: &Trade) -> Date {
        let settings = self.settings();
        calm_core::day::trading_day(trade.closed_at, &settings.zone(), settings.day_start)
    }

    fn kept(&self, trade: &Trade, report: &Report) -> NewTrade {
        let booked = Booked::of(trade, self.day_of(trade), report.currency.as_deref());
        NewTrade {
            key: trade.key.clone(),
            trading_day: booked.day,
            closed_at: trade.closed_at,
            currency: booked.currency,
            net: booked.net,
            has_result: booked.has_result,
            trade: json!(trade),
        }
    }
}

fn count(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}
