//! How the cells of one file are to be read: its decimal mark, its clock, the order of its dates.

use std::cell::Cell;

use jiff::Timestamp;
use rust_decimal::Decimal;

use crate::Options;
use crate::error::{Reason, Refusal};
use crate::grid::{Grid, Row};
use crate::layout::{Field, Places};
use crate::moment::{self, DateOrder, Written};
use crate::number::{self, DecimalMark};
use crate::recognise::Format;
use crate::trade::Side;
use crate::zone::FileZone;

pub(crate) struct Reading {
    pub mark: DecimalMark,
    pub zone: Option<FileZone>,
    dates: Option<DateOrder>,
    /// Some time needed a zone, or an order of day and month, that nobody named.
    pub zone_missed: Cell<bool>,
    pub order_missed: Cell<bool>,
    pub zone_used: Cell<bool>,
    pub doubtful: Cell<u32>,
}

impl Reading {
    pub fn of(grid: &Grid, format: Format, options: &Options) -> Reading {
        let cells = || grid.rows.iter().flat_map(|row| row.cells.iter().map(String::as_str));
        // Where a comma separates cells it seldom separates digits; where it had to make way, it does.
        let otherwise = match (format, grid.separator) {
            (Format::Generic | Format::Mt4 | Format::Mt5, Some(b';')) => DecimalMark::Comma,
            _ => DecimalMark::Point,
        };
        Reading {
            mark: DecimalMark::of(cells(), otherwise),
            zone: options.zone.clone(),
            dates: options.dates.or_else(|| order_of(cells())),
            zone_missed: Cell::new(false),
            order_missed: Cell::new(false),
            zone_used: Cell::new(false),
            doubtful: Cell::new(0),
        }
    }

    /// For a file whose header names the clock.
    pub fn with_zone(&self, zone: FileZone) -> Reading {
        Reading {
            mark: self.mark,
            zone: Some(self.zone.clone().unwrap_or(zone)),
            dates: self.dates,
            zone_missed: Cell::new(false),
            order_missed: Cell::new(false),
            zone_used: Cell::new(false),
            doubtful: Cell::new(0),
        }
    }

    pub fn moment(&self, text: &str) -> Result<Timestamp, Reason> {
        if self.dates.is_none() && moment::undecided(text).is_some() {
            self.order_missed.set(true);
        }
        match moment::parse(text, self.dates)? {
            Written::Instant(instant) => Ok(instant),
            Written::Clock(clock) => {
                let Some(zone) = &self.zone else {
                    self.zone_missed.set(true);
                    return Ok(Timestamp::UNIX_EPOCH);
                };
                self.zone_used.set(true);
                let (instant, doubtful) = zone.instant(clock)?;
                self.doubtful.set(self.doubtful.get().saturating_add(u32::from(doubtful)));
                Ok(instant)
            }
        }
    }
}

/// What all dates of a file with slashes can mean; `None` where both orders fit, or neither.
fn order_of<'a>(cells: impl Iterator<Item = &'a str>) -> Option<DateOrder> {
    let (mut dmy, mut mdy) = (true, true);
    for (first, second) in cells.filter_map(moment::undecided) {
        dmy &= second <= 12;
        mdy &= first <= 12;
    }
    match (dmy, mdy) {
        (true, false) => Some(DateOrder::Dmy),
        (false, true) => Some(DateOrder::Mdy),
        _ => None,
    }
}

/// One row of a table whose columns are known.
pub(crate) struct Cells<'r> {
    pub row: &'r Row,
    pub places: &'r Places,
    pub reading: &'r Reading,
}

impl Cells<'_> {
    pub fn text(&self, field: Field) -> &str {
        self.places.at(field).map_or("", |at| self.row.cell(at))
    }

    pub fn some(&self, field: Field) -> Option<String> {
        Some(self.text(field)).filter(|text| !text.is_empty()).map(str::to_owned)
    }

    pub fn refusal(&self, field: Field, reason: Reason) -> Refusal {
        Refusal { line: self.row.line, column: self.places.name(field), reason }
    }

    /// `None` where the cell is empty or there is no such column.
    pub fn number(&self, field: Field) -> Result<Option<Decimal>, Refusal> {
        match self.text(field) {
            "" | "-" | "--" => Ok(None),
            text => number::parse(text, self.reading.mark).map(Some).map_err(|reason| self.refusal(field, reason)),
        }
    }

    pub fn needed(&self, field: Field) -> Result<Decimal, Refusal> {
        self.number(field)?.ok_or_else(|| self.refusal(field, Reason::Missing))
    }

    pub fn moment(&self, field: Field) -> Result<Timestamp, Refusal> {
        self.reading.moment(self.text(field)).map_err(|reason| self.refusal(field, reason))
    }

    pub fn moment_if_any(&self, field: Field) -> Result<Option<Timestamp>, Refusal> {
        if self.text(field).is_empty() { Ok(None) } else { self.moment(field).map(Some) }
    }

    pub fn side(&self, field: Field) -> Result<Side, Refusal> {
        side(self.text(field)).ok_or_else(|| self.refusal(field, Reason::UnknownSide))
    }
}

/// What brokers and people call the two sides.
pub(crate) fn side(text: &str) -> Option<Side> {
    match text.trim().to_lowercase().as_str() {
        "buy" | "b" | "long" | "bot" | "bought" | "покупка" | "купля" | "лонг" => Some(Side::Buy),
        "sell" | "s" | "short" | "sld" | "sold" | "продажа" | "шорт" => Some(Side::Sell),
        _ => None,
    }
}
