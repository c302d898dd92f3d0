//! Rows of an Excel workbook (.xlsx), as a table of text would hold them.

use std::io::{Cursor, Read, copy, sink};

use calamine::{DataRef, ExcelDateTime, Reader, Xlsx};
use zip::ZipArchive;

use crate::LARGEST;
use crate::error::ReadError;
use crate::grid::Row;

/// What a workbook is when it is unpacked; XML shrinks to a tenth or less.
const LARGEST_UNPACKED: u64 = 8 * LARGEST as u64;
/// A cell further right than any report goes is a slip.
const WIDEST: u32 = 256;
/// Excel's own precision; what follows is the error of binary fractions.
const DIGITS: usize = 15;

/// Rows of the sheet that has the most.
///
/// # Errors
/// When this is no workbook, or it unpacks into more than a report can be.
pub(crate) fn rows(bytes: &[u8]) -> Result<Vec<Row>, ReadError> {
    check_size(bytes)?;
    let mut book = Xlsx::new(Cursor::new(bytes)).map_err(|_| ReadError::Spreadsheet)?;
    let mut longest = Vec::new();
    for name in book.sheet_names() {
        let rows = rows_of(&mut book, &name)?;
        if rows.len() > longest.len() {
            longest = rows;
        }
    }
    if longest.is_empty() { Err(ReadError::Empty) } else { Ok(longest) }
}

/// A few kilobytes can unpack into more than there is memory, whatever the archive says of itself.
fn check_size(bytes: &[u8]) -> Result<(), ReadError> {
    let mut archive = ZipArchive::new(Cursor::new(bytes)).map_err(|_| ReadError::Spreadsheet)?;
    let mut left = LARGEST_UNPACKED;
    for at in 0..archive.len() {
        let part = archive.by_index(at).map_err(|_| ReadError::Spreadsheet)?;
        let size = copy(&mut part.take(left + 1), &mut sink()).map_err(|_| ReadError::Spreadsheet)?;
        left = left.checked_sub(size).ok_or(ReadError::TooLarge)?;
    }
    Ok(())
}

/// One after another: a sheet with cells in opposite corners is not laid out whole.
fn rows_of(book: &mut Xlsx<Cursor<&[u8]>>, sheet: &str) -> Result<Vec<Row>, ReadError> {
    let mut rows: Vec<Row> = Vec::new();
    // A chart on a page of its own has no cells.
    let Ok(mut cells) = book.worksheet_cells_reader(sheet) else { return Ok(rows) };
    while let Some(cell) = cells.next_cell().map_err(|_| ReadError::Spreadsheet)? {
        let (row, column) = cell.get_position();
        let text = text(cell.get_value());
        if text.is_empty() || column >= WIDEST {
            continue;
        }
        let line = u64::from(row) + 1;
        if rows.last().is_none_or(|last| last.line != line) {
            rows.push(Row { line, cells: Vec::new() });
        }
        if let Some(Row { cells, .. }) = rows.last_mut() {
            cells.resize(cells.len().max(column as usize + 1), String::new());
            cells[column as usize] = text;
        }
    }
    Ok(rows)
}

fn text(value: &DataRef<'_>) -> String {
    match value {
        DataRef::Float(number) => decimal(*number),
        DataRef::DateTime(moment) if moment.is_datetime() => date(moment),
        DataRef::DateTime(span) => decimal(span.as_f64()),
        DataRef::Int(number) => number.to_string(),
        DataRef::String(text) | DataRef::DateTimeIso(text) | DataRef::DurationIso(text) => text.trim().to_owned(),
        DataRef::SharedString(text) => text.trim().to_owned(),
        DataRef::Bool(value) => value.to_string(),
        _ => String::new(),
    }
}

/// As the cell shows it. Three decimals get a fourth, so that nobody takes them for a group of thousands.
fn decimal(number: f64) -> String {
    let shortest = number.to_string();
    let rounded = format!("{number:.*e}", DIGITS - 1).parse().map_or(shortest, |number: f64| number.to_string());
    match rounded.split_once('.') {
        Some((_, decimals)) if decimals.len() == 3 => format!("{rounded}0"),
        _ => rounded,
    }
}

fn date(moment: &ExcelDateTime) -> String {
    let (year, month, day, hour, minute, second, _) = moment.to_ymd_hms_milli();
    format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}")
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::decimal;

    #[rstest]
    #[case(0.1 + 0.2, "0.3")]
    #[case(1.234, "1.2340")]
    #[case(-1480.25, "-1480.25")]
    #[case(9101.0, "9101")]
    #[case(1.1e-7, "0.00000011")]
    fn a_number_is_what_the_cell_shows(#[case] number: f64, #[case] shown: &str) {
        assert_eq!(decimal(number), shown);
    }
}
