//! Any table with a time and a result in each row: the user names its columns, common names are guessed.

use crate::draft::Drafts;
use crate::error::{ReadError, Refusal};
use crate::grid::{Grid, Row};
use crate::layout::{Field, Layout, Mapping, Names, Places, column, plain};
use crate::reading::{Cells, Reading, side};
use crate::trade::{Cost, CostKind, Trade};

const COMMON: Layout = Layout {
    columns: &[
        column(
            Field::ClosedAt,
            &[
                "closedat",
                "closetime",
                "closedate",
                "exittime",
                "exitdate",
                "datetime",
                "date",
                "time",
                "timestamp",
                "датазакрытия",
                "времязакрытия",
                "дата",
                "время",
                "датаивремя",
            ],
        ),
        column(
            Field::Profit,
            &[
                "profit",
                "pnl",
                "pl",
                "netpnl",
                "realizedpnl",
                "realizedpl",
                "profitloss",
                "result",
                "grosspnl",
                "прибыль",
                "результат",
                "финрез",
                "прибыльубыток",
                "финансовыйрезультат",
            ],
        ),
        column(
            Field::Symbol,
            &["symbol", "ticker", "instrument", "pair", "market", "инструмент", "тикер", "символ", "бумага"],
        ),
        column(
            Field::Side,
            &["side", "direction", "type", "buysell", "action", "направление", "сторона", "тип", "операция"],
        ),
        column(Field::Quantity, &["quantity", "qty", "size", "volume", "lots", "количество", "объем", "лоты", "лот"]),
        column(
            Field::OpenedAt,
            &["openedat", "opentime", "opendate", "entrytime", "entrydate", "датаоткрытия", "времяоткрытия"],
        ),
        column(Field::OpenPrice, &["openprice", "entryprice", "entry", "ценаоткрытия", "ценавхода"]),
        column(Field::ClosePrice, &["closeprice", "exitprice", "exit", "price", "ценазакрытия", "ценавыхода", "цена"]),
        column(Field::Commission, &["commission", "commissions", "комиссия"]),
        column(Field::Swap, &["swap", "funding", "своп"]),
        column(Field::Tax, &["tax", "taxes", "налог"]),
        column(Field::Fee, &["fee", "fees", "сбор"]),
        column(Field::Currency, &["currency", "валюта"]),
        column(Field::Account, &["account", "счет"]),
        column(Field::Id, &["id", "tradeid", "dealid", "ticket", "orderid", "номер", "номерсделки"]),
    ],
    needed: &[],
};

const NEEDED: [Field; 2] = [Field::ClosedAt, Field::Profit];

/// The columns of a header row, by the user's word first. An error where one that is needed, or named, is missing.
pub(crate) fn places(row: &Row, mapping: &Mapping) -> Result<Places, ReadError> {
    let names = Names::of(row, 0);
    let mut places = names.fit(&COMMON).unwrap_or_default();
    for (name, field) in &mapping.0 {
        let (at, shown) = names.exact(name).ok_or_else(|| ReadError::UnknownColumn { column: name.clone() })?;
        places.columns.retain(|(known, column, _)| known != field && *column != at);
        places.columns.push((*field, at, shown));
    }
    let numbers = row.cells.iter().filter(|cell| cell.contains(|c: char| c.is_ascii_digit())).count();
    for field in NEEDED {
        if places.at(field).is_none() || numbers * 2 > row.filled() {
            return Err(ReadError::NoColumn { field: field.name() });
        }
    }
    Ok(places)
}

pub(crate) fn read(grid: &Grid, reading: &Reading, mapping: &Mapping) -> Result<Drafts, ReadError> {
    // What is wrong with the header is told of the row that looks most like one.
    let tried = grid.rows.iter().take(50).filter(|row| row.filled() > 1).map(|row| (row, places(row, mapping)));
    let mut first_error = None;
    let mut header = None;
    for (row, found) in tried {
        match found {
            Ok(places) => {
                header = Some((row.line, places));
                break;
            }
            Err(error) => first_error = first_error.or(Some(error)),
        }
    }
    let Some((line, places)) = header else { return Err(first_error.unwrap_or(ReadError::Unrecognised)) };
    let mut drafts = Drafts { table: true, ..Drafts::default() };
    let names: Vec<String> = places.columns.iter().map(|(.., name)| plain(name)).collect();
    for row in grid.rows.iter().filter(|row| row.line > line && row.filled() > 0) {
        let repeats = places.columns.iter().zip(&names).all(|((_, at, _), name)| plain(row.cell(*at)) == *name);
        if repeats || is_total(row, &places) {
            drafts.other_rows += 1;
            continue;
        }
        drafts.take(trade(&Cells { row, places: &places, reading }));
    }
    Ok(drafts)
}

fn is_total(row: &Row, places: &Places) -> bool {
    let words = ["total", "totals", "subtotal", "sum", "итого", "всего", "сумма"];
    let begins = row.cells.iter().map(|cell| plain(cell)).find(|cell| !cell.is_empty());
    let named = begins.is_some_and(|cell| words.contains(&&*cell));
    named
        || places.at(Field::ClosedAt).is_some_and(|at| row.cell(at).is_empty())
            && row.filled() * 2 <= places.columns.len()
}

fn trade(cells: &Cells<'_>) -> Result<Option<Trade>, Refusal> {
    let profit = cells.needed(Field::Profit)?;
    let kinds: [(Field, CostKind); 4] = [
        (Field::Commission, CostKind::Commission),
        (Field::Swap, CostKind::Swap),
        (Field::Tax, CostKind::Tax),
        (Field::Fee, CostKind::Fee),
    ];
    let mut costs = Vec::new();
    for (field, kind) in kinds {
        let Some(amount) = cells.number(field)?.filter(|amount| !amount.is_zero()) else { continue };
        // Tables write what was paid with either sign; only a swap is ever earned.
        let amount = if kind == CostKind::Swap { amount } else { -amount.abs() };
        costs.push(Cost { kind, amount, currency: None });
    }
    Ok(Some(Trade {
        key: cells.some(Field::Id).map(|id| format!("id {id}")).unwrap_or_default(),
        symbol: cells.text(Field::Symbol).to_ascii_uppercase(),
        side: side(cells.text(Field::Side)),
        quantity: cells.number(Field::Quantity)?.map(|quantity| quantity.abs()),
        opened_at: cells.moment_if_any(Field::OpenedAt)?,
        closed_at: cells.moment(Field::ClosedAt)?,
        open_price: cells.number(Field::OpenPrice)?,
        close_price: cells.number(Field::ClosePrice)?,
        gross: Some(profit),
        costs,
        currency: cells.some(Field::Currency),
        account: None,
        rate: None,
        fills: Vec::new(),
        line: cells.row.line,
    }))
}
