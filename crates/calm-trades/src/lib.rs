//! Trades out of brokers' reports: bytes in, trades out, and a reason for every row that is left.
//!
//! MetaTrader 4 and 5 (the HTML report, the same table saved as CSV, or the HTML that calls itself a spreadsheet),
//! Binance (spot and futures), Interactive Brokers (Flex query and activity statement), and any table whose columns
//! the user names; each also as an Excel workbook. Prices and money are decimal. What a day's result means to the user is
//! decided elsewhere.
//!
//! A trade is what was closed by one order, with its partial fills inside; a position that is closed in three orders is
//! three trades, each on its own day. An order that only opens is kept for its costs, without a result.
//!
//! Files name their times in the broker's own clock. A time that this clock shows twice (it was put back) is read as
//! the first of the two; one that it never shows (it was put forward) moves forward by the gap. Both are counted.

mod binance;
mod days;
mod decode;
mod draft;
mod error;
mod generic;
mod grid;
mod group;
mod html;
mod ibkr;
mod layout;
mod lots;
mod metatrader;
mod moment;
mod number;
mod reading;
mod recognise;
mod sheet;
mod stored;
mod trade;
mod twice;
mod zone;

pub use days::{Booked, DayResult, Money, days, judge};
pub use error::{ReadError, Reason, Refusal};
pub use layout::{Field, Mapping, MappingError};
pub use moment::DateOrder;
pub use recognise::{Format, Recognised, ZoneHint, header, recognise};
pub use stored::{wrong_in, wrong_in_import};
pub use trade::{Cost, CostKind, Fill, Report, Side, Trade};
pub use twice::{Twice, told_twice};
pub use zone::{FileZone, NoSuchZone};

/// Largest file that is read, in bytes.
pub const LARGEST: usize = 64 << 20;

/// What the user says about a file; what is absent is found out from it.
#[derive(Debug, Clone, Default)]
pub struct Options {
    pub format: Option<Format>,
    /// Names of columns, for [`Format::Generic`]; what is not named here is guessed.
    pub mapping: Mapping,
    /// The clock of the file; not used for a time that names its own offset.
    pub zone: Option<FileZone>,
    /// How 03/04/2026 is meant.
    pub dates: Option<DateOrder>,
}

/// Reads a report. Rows that cannot be read are in [`Report::refused`]; the others are offered all the same.
///
/// # Errors
/// The file as a whole cannot be read: no text, no known table, or something that only the user can tell is missing.
pub fn read(bytes: &[u8], options: &Options) -> Result<Report, ReadError> {
    let grid = grid::Grid::of(bytes)?;
    let found = || recognise::of(&grid, options).map(|known| known.format);
    let by_hand = (!options.mapping.is_empty()).then_some(Format::Generic);
    let format = options.format.or_else(found).or(by_hand).ok_or(ReadError::Unrecognised)?;
    let reading = reading::Reading::of(&grid, format, options);
    let drafts = match format {
        Format::Mt4 | Format::Mt5 => metatrader::read(&grid, &reading, format),
        Format::Binance => binance::read(&grid, &reading),
        Format::Ibkr => ibkr::read(&grid, &reading),
        Format::Generic => generic::read(&grid, &reading, &options.mapping),
    }?;
    drafts.finish(format, reading)
}
