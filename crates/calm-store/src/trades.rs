//! Trades from brokers' files, and the imports that brought them.
//!
//! A trade is known by its key: another file that holds it too adds nothing but a second hold on it. Whoever undoes an
//! import takes back its hold, and a trade that nobody holds any more is gone.

use std::collections::HashSet;

use jiff::Timestamp;
use jiff::civil::Date;
use rusqlite::{Connection, Row, params};
use rust_decimal::Decimal;
use serde_json::Value;

use crate::columns::{Day, Exact, Json, Millis};
use crate::rows::{debug_shows, row_id};
use crate::{Left, Store, StoreError};

pub(crate) const SCHEMA: &str = "
CREATE TABLE imports (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    imported_at INTEGER NOT NULL,
    format TEXT NOT NULL,
    file_name TEXT NOT NULL,
    zone TEXT,
    currency TEXT,
    refused INTEGER NOT NULL
) STRICT;

CREATE TABLE trades (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    key TEXT NOT NULL UNIQUE,
    trading_day TEXT NOT NULL,
    closed_at INTEGER NOT NULL,
    currency TEXT,
    net TEXT NOT NULL,
    has_result INTEGER NOT NULL CHECK (has_result IN (0, 1)),
    trade_json TEXT NOT NULL
) STRICT;
CREATE INDEX trades_of_day ON trades (trading_day, closed_at, id);
CREATE INDEX trade_sums ON trades (trading_day, currency, net, has_result);

CREATE TABLE import_trades (
    import_id INTEGER NOT NULL REFERENCES imports (id) ON DELETE CASCADE,
    trade_id INTEGER NOT NULL REFERENCES trades (id) ON DELETE CASCADE,
    PRIMARY KEY (import_id, trade_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX import_trades_of_trade ON import_trades (trade_id);

CREATE TRIGGER trade_let_go AFTER DELETE ON import_trades BEGIN
    DELETE FROM trades WHERE id = old.trade_id
        AND NOT EXISTS (SELECT 1 FROM import_trades WHERE trade_id = old.trade_id);
END;
";

row_id!(ImportId TradeId);

/// A file that is to be taken over.
#[derive(Clone, PartialEq, Eq)]
pub struct NewImport {
    pub imported_at: Timestamp,
    pub format: String,
    /// Without its folder.
    pub file_name: String,
    /// The clock of its times; `None` where each named its own offset.
    pub zone: Option<String>,
    /// The account's.
    pub currency: Option<String>,
    /// Rows that could not be read.
    pub refused: u32,
}

#[derive(Clone, PartialEq, Eq)]
pub struct Import {
    pub id: ImportId,
    pub begun: NewImport,
    /// How many trades it holds.
    pub trades: u32,
}

#[derive(Clone, PartialEq)]
pub struct NewTrade {
    /// The same for the same trade in every file.
    pub key: String,
    pub trading_day: Date,
    pub closed_at: Timestamp,
    pub currency: Option<String>,
    /// After costs; of an order that only opened, its costs.
    pub net: Decimal,
    pub has_result: bool,
    /// The whole trade.
    pub trade: Value,
}

#[derive(Clone, PartialEq)]
pub struct StoredTrade {
    pub id: TradeId,
    pub trade: NewTrade,
}

/// A trade as sums of days need it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TradeSum {
    pub trading_day: Date,
    pub currency: Option<String>,
    pub net: Decimal,
    pub has_result: bool,
}

debug_shows! {
    NewImport: imported_at, format, refused;
    Import: id, trades;
    NewTrade: trading_day, has_result;
    StoredTrade: id;
}

pub(crate) const SUMS: &str = "
SELECT trading_day, currency, net, has_result FROM trades WHERE trading_day >= ?1 ORDER BY trading_day";

pub(crate) const BETWEEN: &str = "
SELECT * FROM trades WHERE trading_day BETWEEN ?1 AND ?2 ORDER BY trading_day, closed_at, id LIMIT ?3";

const OF_FORMAT: &str = "
SELECT * FROM trades WHERE trading_day BETWEEN ?1 AND ?2 AND EXISTS
    (SELECT 1 FROM import_trades JOIN imports ON imports.id = import_id WHERE trade_id = trades.id AND format = ?3)
ORDER BY trading_day, closed_at, id";

pub(crate) const NEWEST_DAYS: &str = "
SELECT MIN(trading_day) FROM
    (SELECT DISTINCT trading_day FROM trades WHERE trading_day < ?1 ORDER BY trading_day DESC LIMIT ?2)";

impl Store {
    /// Takes over a file, whole or not at all. `None`, and nothing changes, where every trade is there already. One that
    /// is there without a result, and has one now, takes it.
    ///
    /// With the import comes how many of its trades are new.
    pub fn add_import(&mut self, new: &NewImport, trades: &[NewTrade]) -> Result<Option<(ImportId, u32)>, StoreError> {
        let tx = self.write()?;
        let import: ImportId = tx
            .prepare_cached(
                "INSERT INTO imports (imported_at, format, file_name, zone, currency, refused)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6) RETURNING id",
            )?
            .query_row(
                params![Millis(new.imported_at), new.format, new.file_name, new.zone, new.currency, new.refused],
                |row| row.get(0),
            )?;
        let (mut added, mut learned) = (0, false);
        for trade in trades {
            let fresh = tx
                .prepare_cached(
                    "INSERT INTO trades (key, trading_day, closed_at, currency, net, has_result, trade_json)
                     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) ON CONFLICT (key) DO NOTHING",
                )?
                .execute(params![
                    trade.key,
                    Day(trade.trading_day),
                    Millis(trade.closed_at),
                    trade.currency,
                    Exact(trade.net),
                    trade.has_result,
                    Json(&trade.trade),
                ])?;
            added += u32::from(fresh == 1);
            // Another file may hold the purchase that a sale's result was missing.
            if fresh == 0 && trade.has_result {
                learned |= 0 < tx
                    .prepare_cached(
                        "UPDATE trades SET currency = ?2, net = ?3, has_result = 1, trade_json = ?4
                         WHERE key = ?1 AND has_result = 0",
                    )?
                    .execute(params![trade.key, trade.currency, Exact(trade.net), Json(&trade.trade)])?;
            }
            tx.prepare_cached(
                "INSERT OR IGNORE INTO import_trades (import_id, trade_id) SELECT ?1, id FROM trades WHERE key = ?2",
            )?
            .execute(params![import, trade.key])?;
        }
        if added == 0 && !learned {
            return Ok(None);
        }
        tx.commit()?;
        Ok(Some((import, added)))
    }

    /// Those of `keys` that are there already.
    pub fn known_trades<'k>(&self, keys: impl IntoIterator<Item = &'k str>) -> Result<HashSet<String>, StoreError> {
        let mut statement = self.conn.prepare_cached("SELECT EXISTS (SELECT 1 FROM trades WHERE key = ?1)")?;
        let mut known = HashSet::new();
        for key in keys {
            if statement.query_row([key], |row| row.get(0))? {
                known.insert(key.to_owned());
            }
        }
        Ok(known)
    }

    /// The newest first.
    pub fn imports(&self) -> Result<Vec<Import>, StoreError> {
        let mut statement = self.conn.prepare_cached(
            "SELECT *, (SELECT COUNT(*) FROM import_trades WHERE import_id = imports.id) AS trades
             FROM imports ORDER BY id DESC",
        )?;
        let imports = statement.query_map([], import)?;
        Ok(imports.collect::<Result<_, _>>()?)
    }

    /// Undoes an import, and says how many trades went with it: those that no other import holds.
    ///
    /// # Errors
    /// [`StoreError::NotFound`] where there is no such import.
    pub fn undo_import(&mut self, id: ImportId) -> Result<(u32, Left), StoreError> {
        let count = |tx: &Connection| -> Result<u32, StoreError> {
            Ok(tx.query_row("SELECT COUNT(*) FROM trades", [], |row| row.get(0))?)
        };
        let mut trades = 0;
        let (_, left) = self.delete(|tx| {
            let before = count(tx)?;
            let gone = tx.prepare_cached("DELETE FROM imports WHERE id = ?1")?.execute([id])?;
            if gone == 0 {
                return Err(StoreError::NotFound("import"));
            }
            trades = before - count(tx)?;
            Ok(gone)
        })?;
        Ok((trades, left))
    }

    /// The trades of these trading days, both included, in the order of time.
    pub fn trades_between(&self, from: Date, to: Date, limit: u32) -> Result<Vec<StoredTrade>, StoreError> {
        let mut statement = self.conn.prepare_cached(BETWEEN)?;
        let trades = statement.query_map(params![Day(from), Day(to), limit], trade)?;
        Ok(trades.collect::<Result<_, _>>()?)
    }

    /// The trades of these trading days, both included, that came out of files of that format.
    pub fn trades_of(&self, format: &str, from: Date, to: Date) -> Result<Vec<StoredTrade>, StoreError> {
        let mut statement = self.conn.prepare_cached(OF_FORMAT)?;
        let trades = statement.query_map(params![Day(from), Day(to), format], trade)?;
        Ok(trades.collect::<Result<_, _>>()?)
    }

    /// Every trade since that trading day, the oldest day first.
    pub fn trade_sums(&self, from: Date) -> Result<Vec<TradeSum>, StoreError> {
        let mut statement = self.conn.prepare_cached(SUMS)?;
        let sums = statement.query_map([Day(from)], |row| {
            Ok(TradeSum {
                trading_day: row.get::<_, Day>(0)?.0,
                currency: row.get(1)?,
                net: row.get::<_, Exact>(2)?.0,
                has_result: row.get(3)?,
            })
        })?;
        Ok(sums.collect::<Result<_, _>>()?)
    }

    /// The first of the newest `count` days with trades before `day`; `None` where there is none.
    pub fn days_with_trades(&self, day: Date, count: u32) -> Result<Option<Date>, StoreError> {
        let first: Option<Day> =
            self.conn.prepare_cached(NEWEST_DAYS)?.query_row(params![Day(day), count], |row| row.get(0))?;
        Ok(first.map(|day| day.0))
    }
}

pub(crate) fn import(row: &Row<'_>) -> rusqlite::Result<Import> {
    Ok(Import {
        id: row.get("id")?,
        begun: NewImport {
            imported_at: row.get::<_, Millis>("imported_at")?.0,
            format: row.get("format")?,
            file_name: row.get("file_name")?,
            zone: row.get("zone")?,
            currency: row.get("currency")?,
            refused: row.get("refused")?,
        },
        trades: row.get("trades")?,
    })
}

pub(crate) fn trade(row: &Row<'_>) -> rusqlite::Result<StoredTrade> {
    Ok(StoredTrade {
        id: row.get("id")?,
        trade: NewTrade {
            key: row.get("key")?,
            trading_day: row.get::<_, Day>("trading_day")?.0,
            closed_at: row.get::<_, Millis>("closed_at")?.0,
            currency: row.get("currency")?,
            net: row.get::<_, Exact>("net")?.0,
            has_result: row.get("has_result")?,
            trade: row.get::<_, Json<_>>("trade_json")?.0,
        },
    })
}
