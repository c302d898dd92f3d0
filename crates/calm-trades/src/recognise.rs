//! Which broker wrote this file, told by the names of its columns.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::error::ReadError;
use crate::grid::{Grid, Row};
use crate::layout::{Field, Layout, Names, Places};
use crate::{Options, binance, generic, ibkr, metatrader};

/// Rows that are looked at: a statement may hold long tables before the one that counts.
const LOOKED_AT: usize = 20_000;
/// A table whose columns only bear common names is a guess.
const GUESS: f32 = 0.5;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    Mt4,
    Mt5,
    Binance,
    Ibkr,
    /// Any table with a time and a result in each row.
    Generic,
}

impl Format {
    pub const ALL: [Format; 5] = [Format::Mt4, Format::Mt5, Format::Binance, Format::Ibkr, Format::Generic];

    pub fn name(self) -> &'static str {
        match self {
            Format::Mt4 => "mt4",
            Format::Mt5 => "mt5",
            Format::Binance => "binance",
            Format::Ibkr => "ibkr",
            Format::Generic => "generic",
        }
    }

    /// As its maker writes it.
    pub fn title(self) -> &'static str {
        match self {
            Format::Mt4 => "MetaTrader 4",
            Format::Mt5 => "MetaTrader 5",
            Format::Binance => "Binance",
            Format::Ibkr => "Interactive Brokers",
            Format::Generic => "trades",
        }
    }

    /// What usually is the answer, to stand behind "name the broker's time zone".
    pub(crate) fn zone_hint(self) -> &'static str {
        match self {
            Format::Mt4 | Format::Mt5 => {
                " (the terminal shows it; ny+7 and Europe/Athens are common, local time is not)"
            }
            Format::Binance => " (UTC unless the export was set to another)",
            Format::Ibkr => " (America/New_York unless the report was set to another)",
            Format::Generic => "",
        }
    }
}

impl FromStr for Format {
    type Err = NoSuchFormat;

    fn from_str(name: &str) -> Result<Format, NoSuchFormat> {
        Format::ALL.into_iter().find(|format| format.name() == name).ok_or(NoSuchFormat)
    }
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("must be mt4, mt5, binance, ibkr or generic")]
pub struct NoSuchFormat;

/// What a file seems to be.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Recognised {
    pub format: Format,
    /// 0–1: the share of its columns that this format knows; 0.5 at most where only common names fit.
    pub confidence: f32,
    /// What each known column is read as, in the order of the format.
    pub columns: Vec<(String, Field)>,
    pub zone: ZoneHint,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ZoneHint {
    /// Every time, or the header, names its offset.
    InTheFile,
    /// The user has to name the clock.
    Needed,
}

/// What `bytes` seem to be, and how their columns would be read.
///
/// # Errors
/// It is no text, or holds no table of trades that is known.
pub fn recognise(bytes: &[u8], options: &Options) -> Result<Recognised, ReadError> {
    let grid = Grid::of(bytes)?;
    let Some(known) = of(&grid, options) else {
        // Reading says what is wrong with a column that was named by hand.
        return Err(crate::read(bytes, options).err().unwrap_or(ReadError::Unrecognised));
    };
    let unzoned = Options { zone: None, ..options.clone() };
    let zone = match crate::read(bytes, &unzoned) {
        Err(ReadError::ZoneNeeded { .. }) => ZoneHint::Needed,
        _ => ZoneHint::InTheFile,
    };
    let columns = known.places.columns.iter().map(|(field, _, name)| (name.clone(), *field)).collect();
    Ok(Recognised { format: known.format, confidence: known.confidence, columns, zone })
}

/// The names of the widest row, the first of its width: in a plain table that is its header.
///
/// # Errors
/// It is no text.
pub fn header(bytes: &[u8]) -> Result<Vec<String>, ReadError> {
    let grid = Grid::of(bytes)?;
    let mut widest: Option<&Row> = None;
    for row in grid.rows.iter().take(LOOKED_AT) {
        if row.filled() > widest.map_or(0, Row::filled) {
            widest = Some(row);
        }
    }
    let names = widest.map(|row| row.cells.iter().map(|cell| cell.trim()).filter(|cell| !cell.is_empty()));
    Ok(names.map(|names| names.map(str::to_owned).collect()).unwrap_or_default())
}

pub(crate) struct Known {
    pub format: Format,
    confidence: f32,
    places: Places,
}

pub(crate) fn of(grid: &Grid, options: &Options) -> Option<Known> {
    let rows = || grid.rows.iter().take(LOOKED_AT);
    let wanted = |format: Format| options.format.is_none_or(|named| named == format);
    let brokers = rows().filter_map(broker).find(|known| wanted(known.format));
    let guess = || {
        let places = rows().find_map(|row| generic::places(row, &options.mapping).ok())?;
        let confidence = places.known().min(1.0) * GUESS;
        Some(Known { format: Format::Generic, confidence, places })
    };
    // Columns that somebody names by hand are not a broker's own.
    if !options.mapping.is_empty() && wanted(Format::Generic) {
        return guess();
    }
    brokers.or_else(|| guess().filter(|_| wanted(Format::Generic)))
}

fn broker(row: &Row) -> Option<Known> {
    if row.filled() < 4 {
        return None;
    }
    let (skip, layouts): (usize, &[(Format, &Layout)]) = match ibkr::prefix(row) {
        Some(ibkr::Prefix::Header) => (2, &[(Format::Ibkr, &ibkr::STATEMENT), (Format::Ibkr, &ibkr::FLEX)]),
        Some(_) => return None,
        None => (
            0,
            &[
                (Format::Mt4, &metatrader::CLOSED),
                (Format::Mt5, &metatrader::POSITIONS),
                (Format::Mt5, &metatrader::DEALS),
                (Format::Ibkr, &ibkr::FLEX),
                (Format::Binance, &binance::FUTURES),
                (Format::Binance, &binance::SPOT),
                (Format::Binance, &binance::OLD_SPOT),
                (Format::Binance, &binance::TRANSACTIONS),
            ],
        ),
    };
    let names = Names::of(row, skip);
    layouts.iter().find_map(|(format, layout)| {
        let places = names.fit(layout)?;
        Some(Known { format: *format, confidence: places.known().min(1.0), places })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_header_of_a_table_is_found_under_a_title() {
        let names = header(b"My trades,,\nWhen,What,Money\n1.3.2026,BRN,12\n");
        assert_eq!(names.as_deref(), Ok(&["When".to_owned(), "What".to_owned(), "Money".to_owned()][..]));
    }
}
