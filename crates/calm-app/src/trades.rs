//! Trades out of brokers' files: a look before anything is taken over, the import, and its undoing (SPEC D5).

mod days;

use std::collections::HashSet;
use std::path::Path;

use calm_store::{Import, ImportId, Left, NewImport, NewTrade};
use calm_trades::{Booked, Report, Trade};
use jiff::civil::Date;
use jiff::{Span, Timestamp, ToSpan};
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
    /// Of those, the ones that another kind of report of the same account has told in other rows.
    pub told_twice: Vec<ToldTwice>,
    /// Times that their clock shows twice or never.
    pub doubtful_times: u32,
    /// Rows that are no trades: deposits, totals, cancelled orders.
    pub other_rows: u32,
    /// What each trading day of the file comes to, the oldest first.
    pub days: Vec<DayResult>,
    pub refused: Vec<Refusal>,
}

/// Rows that are the same executions as trades which came out of another file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ToldTwice {
    pub day: Date,
    pub symbol: String,
    /// Where they stand in this file, from 1.
    pub lines: Vec<u64>,
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
        Ok(self.compared(&file.read(options)?)?.0)
    }

    /// Takes the file's trades over, those that can be read; importing it twice adds nothing.
    ///
    /// # Errors
    /// As [`Conductor::preview_trades`]; nothing is taken over then.
    pub fn import_trades(&mut self, file: &TradeFile, options: &Options) -> Result<Imported, AppError> {
        let report = file.read(options)?;
        let (preview, again) = self.compared(&report)?;
        let new = NewImport {
            imported_at: self.now(),
            format: report.format.name().to_owned(),
            file_name: file.name.clone(),
            zone: report.zone.clone(),
            currency: report.currency.clone(),
            refused: count(report.refused.len()),
        };
        let told: HashSet<u64> = preview.told_twice.iter().flat_map(|twice| twice.lines.iter().copied()).collect();
        let fresh = report.trades.iter().filter(|trade| !told.contains(&trade.line));
        // What was told before is held by this import too: it stays where the other is undone.
        let trades: Vec<NewTrade> = fresh.map(|trade| self.kept(trade, &report)).chain(again).collect();
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

    /// Takes an import back and says how many trades went with it, and what is left of them.
    ///
    /// # Errors
    /// There is no such import.
    pub fn undo_import(&mut self, id: ImportId) -> Result<(u32, Left), AppError> {
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

    /// What the file would do, and the stored trades that it tells in other rows.
    fn compared(&self, report: &Report) -> Result<(Preview, Vec<NewTrade>), AppError> {
        let known = self.read_store().known_trades(report.trades.iter().map(|trade| trade.key.as_str()))?;
        let (told_twice, again) = self.told_twice(report, &known)?;
        let in_other_rows: usize = told_twice.iter().map(|twice| twice.lines.len()).sum();
        let with_result = report.trades.iter().filter(|trade| trade.gross.is_some()).count();
        let account = report.currency.as_deref();
        let booked = report.trades.iter().map(|trade| Booked::of(trade, self.day_of(trade), account));
        let preview = Preview {
            format: report.format,
            currency: report.currency.clone(),
            zone: report.zone.clone(),
            trades: count(with_result),
            without_result: count(report.trades.len() - with_result),
            known: count(known.len() + in_other_rows),
            told_twice,
            doubtful_times: report.doubtful_times,
            other_rows: report.other_rows,
            days: calm_trades::days(booked),
            refused: report.refused.clone(),
        };
        Ok((preview, again))
    }

    /// What is here out of another kind of report of the same account.
    fn told_twice(
        &self,
        report: &Report,
        known: &HashSet<String>,
    ) -> Result<(Vec<ToldTwice>, Vec<NewTrade>), AppError> {
        let new: Vec<&Trade> = report.trades.iter().filter(|trade| !known.contains(&trade.key)).collect();
        // A table of anybody's may have no times but days: nothing can be told by the second.
        let (Some(first), Some(last)) = (new.first(), new.last()) else { return Ok(Default::default()) };
        if report.format == Format::Generic {
            return Ok(Default::default());
        }
        let day = |trade: &Trade, apart: Span| self.day_of(trade).saturating_add(apart);
        let stored = self.read_store().trades_of(report.format.name(), day(first, -1.day()), day(last, 1.day()))?;
        let keys: HashSet<&str> = report.trades.iter().map(|trade| trade.key.as_str()).collect();
        let stored = stored.into_iter().map(|stored| stored.trade).filter(|trade| !keys.contains(trade.key.as_str()));
        let (kept, read): (Vec<NewTrade>, Vec<Trade>) = stored
            .filter_map(|kept| serde_json::from_value(kept.trade.clone()).ok().map(|read: Trade| (kept, read)))
            .unzip();
        let mut told = Vec::new();
        let mut again = HashSet::new();
        for twice in calm_trades::told_twice(&new, &read.iter().collect::<Vec<_>>()) {
            let trades: Vec<&Trade> = twice.new.iter().map(|place| new[*place]).collect();
            told.push(ToldTwice {
                day: self.day_of(trades[0]),
                symbol: trades[0].symbol.clone(),
                lines: trades.iter().map(|trade| trade.line).collect(),
            });
            again.extend(twice.known);
        }
        let again = kept.into_iter().enumerate().filter(|(place, _)| again.contains(place));
        Ok((told, again.map(|(_, trade)| trade).collect()))
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

/// The first field of a stored trade that no report gives.
pub(crate) fn wrong_in_trade(stored: &NewTrade) -> Option<&'static str> {
    let Ok(trade) = serde_json::from_value::<Trade>(stored.trade.clone()) else { return Some("trade_json") };
    if trade.closed_at.as_millisecond() != stored.closed_at.as_millisecond() {
        return Some("closed_at");
    }
    let booked = Booked {
        day: stored.trading_day,
        currency: stored.currency.clone(),
        net: stored.net,
        has_result: stored.has_result,
    };
    calm_trades::wrong_in(&trade, &stored.key, &booked)
}

/// The same of an import.
pub(crate) fn wrong_in_import(import: &NewImport) -> Option<&'static str> {
    calm_trades::wrong_in_import(&import.format, import.zone.as_deref(), import.currency.as_deref())
}

fn count(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}
