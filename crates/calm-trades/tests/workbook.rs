//! The same reports saved as an Excel workbook.
#![allow(clippy::unwrap_used)]

use calm_trades::{Options, ReadError, Report, read};
use csv::ReaderBuilder;
use proptest::prelude::*;
use rust_xlsxwriter::{ExcelDateTime, Format, Workbook, Worksheet};

fn file(name: &str) -> String {
    std::fs::read_to_string(format!("{}/tests/files/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

fn in_zone(zone: &str) -> Options {
    Options { zone: Some(zone.parse().unwrap()), ..Options::default() }
}

/// Numbers as numbers, moments as moments, the rest as text: what Excel makes of a table when it opens it.
fn saved_by_excel(table: &str, separator: u8) -> Vec<u8> {
    let mut book = Workbook::new();
    // A page of notes before it is not the report.
    book.add_worksheet().write(0, 0, "My trades").unwrap();
    let sheet = book.add_worksheet();
    let lines =
        ReaderBuilder::new().has_headers(false).flexible(true).delimiter(separator).from_reader(table.as_bytes());
    for (row, line) in (2_u32..).zip(lines.into_records()) {
        for (column, cell) in (0_u16..).zip(line.unwrap().iter()) {
            write(sheet, row, column, cell);
        }
    }
    book.save_to_buffer().unwrap()
}

fn write(sheet: &mut Worksheet, row: u32, column: u16, cell: &str) {
    let plain: String = cell.chars().filter(|c| !c.is_whitespace()).collect::<String>().replace(',', ".");
    let moment = cell.replacen('.', "-", 2).replace(' ', "T");
    if let Ok(number) = plain.parse::<f64>() {
        sheet.write(row, column, number).unwrap();
    } else if let (Ok(moment), true) = (ExcelDateTime::parse_from_str(&moment), cell.contains(':')) {
        let format = Format::new().set_num_format("yyyy.mm.dd hh:mm:ss");
        sheet.write_datetime_with_format(row, column, &moment, &format).unwrap();
    } else if !cell.is_empty() {
        sheet.write(row, column, cell).unwrap();
    }
}

fn told(report: &Report) -> Vec<String> {
    let told = |trade: &calm_trades::Trade| {
        let number = |value: Option<rust_decimal::Decimal>| value.map(|value| value.normalize());
        let fills: Vec<_> = trade.fills.iter().map(|fill| number(fill.price)).collect();
        let (gross, net) = (number(trade.gross), number(trade.net()));
        format!("{} {} {:?} {gross:?} {net:?} {fills:?}", trade.closed_at, trade.symbol, number(trade.quantity))
    };
    report.trades.iter().map(told).collect()
}

#[test]
fn a_workbook_reads_like_the_table_that_it_was_made_of() {
    for (name, separator, options) in [
        ("mt5-deals.csv", b';', in_zone("+02:00")),
        ("binance-futures.csv", b',', Options::default()),
        ("generic-ru.csv", b';', in_zone("Europe/Moscow")),
    ] {
        let table = file(name);
        let (table, workbook) = (read(table.as_bytes(), &options).unwrap(), saved_by_excel(&table, separator));
        let workbook = read(&workbook, &options).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(told(&workbook), told(&table), "{name}");
        assert_eq!((workbook.format, workbook.currency), (table.format, table.currency), "{name}");
        assert_eq!(workbook.refused.len(), table.refused.len(), "{name}");
    }
}

#[test]
fn a_price_of_three_decimals_is_no_group_of_thousands() {
    let table = "Close time,Symbol,Price,Profit\n2026-03-02 10:00:00,USDJPY,149.123,1.255\n";
    let report = read(&saved_by_excel(table, b','), &in_zone("utc")).unwrap();
    assert_eq!(report.trades[0].gross.unwrap().normalize().to_string(), "1.255");
}

#[test]
fn a_workbook_without_trades_and_a_damaged_one() {
    let empty = Workbook::new().save_to_buffer();
    let mut letter = Workbook::new();
    letter.add_worksheet().write(4, 4, "Dear reader").unwrap();
    let letter = letter.save_to_buffer().unwrap();
    assert_eq!(read(&letter, &in_zone("utc")).unwrap_err(), ReadError::Unrecognised);
    assert_eq!(read(&letter[..letter.len() / 2], &in_zone("utc")).unwrap_err(), ReadError::Spreadsheet);
    if let Ok(empty) = empty {
        assert_eq!(read(&empty, &in_zone("utc")).unwrap_err(), ReadError::Empty);
    }
}

#[test]
fn cells_in_opposite_corners_take_no_room() {
    let mut book = Workbook::new();
    let sheet = book.add_worksheet();
    sheet.write(0, 0, "here").unwrap();
    sheet.write(1_048_575, 16_383, "there").unwrap();
    let bytes = book.save_to_buffer().unwrap();
    assert_eq!(read(&bytes, &in_zone("utc")).unwrap_err(), ReadError::Unrecognised);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    #[test]
    fn damaged_workbooks(damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6)) {
        let mut bytes = saved_by_excel(&file("mt5-deals.csv"), b';');
        for (at, byte) in damage {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        // Read or refused: both are fine.
        read(&bytes, &in_zone("utc")).ok();
    }
}
