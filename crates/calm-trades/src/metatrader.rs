//! MetaTrader 4 statements and MetaTrader 5 history reports, as HTML or saved as CSV, in English and Russian.
//!
//! MetaTrader 5 tells the same trades twice, as positions and as deals; positions are read where they are there.
//! Signs are the terminal's: a commission that was paid is negative.

use rust_decimal::Decimal;

use crate::draft::Drafts;
use crate::error::{ReadError, Reason, Refusal};
use crate::grid::{Grid, Row};
use crate::group;
use crate::layout::{Column, Field, Layout, Names, Places, column, second};
use crate::reading::{Cells, Reading};
use crate::recognise::Format;
use crate::trade::{Cost, CostKind, Side, Trade};

const TIME: &[&str] = &["time", "время"];
const PRICE: &[&str] = &["price", "цена"];
const VOLUME: &[&str] = &["volume", "size", "lots", "объем"];
const SYMBOL: &[&str] = &["symbol", "item", "символ"];
const TYPE: &[&str] = &["type", "тип"];
const COMMISSION: Column = column(Field::Commission, &["commission", "commis", "комиссия"]);
const FEE: Column = column(Field::Fee, &["fee", "сбор", "плата"]);
const SWAP: Column = column(Field::Swap, &["swap", "rswap", "своп"]);
const PROFIT: Column = column(Field::Profit, &["profit", "tradepl", "прибыль"]);

pub(crate) const CLOSED: Layout = Layout {
    columns: &[
        column(Field::Id, &["ticket", "тикет"]),
        column(Field::OpenedAt, &["opentime", "времяоткрытия"]),
        column(Field::Side, TYPE),
        column(Field::Quantity, VOLUME),
        column(Field::Symbol, SYMBOL),
        column(Field::OpenPrice, &["price", "openprice", "цена", "ценаоткрытия"]),
        column(Field::ClosedAt, &["closetime", "времязакрытия"]),
        second(Field::ClosePrice, PRICE),
        column(Field::ClosePrice, &["closeprice", "ценазакрытия"]),
        COMMISSION,
        column(Field::Tax, &["taxes", "tax", "налоги"]),
        SWAP,
        PROFIT,
    ],
    needed: &[Field::Id, Field::OpenedAt, Field::Side, Field::ClosedAt, Field::Profit],
};

pub(crate) const POSITIONS: Layout = Layout {
    columns: &[
        column(Field::OpenedAt, TIME),
        column(Field::Id, &["position", "позиция"]),
        column(Field::Symbol, SYMBOL),
        column(Field::Side, TYPE),
        column(Field::Quantity, VOLUME),
        column(Field::OpenPrice, PRICE),
        second(Field::ClosedAt, TIME),
        second(Field::ClosePrice, PRICE),
        COMMISSION,
        FEE,
        SWAP,
        PROFIT,
    ],
    needed: &[Field::Id, Field::OpenedAt, Field::Side, Field::ClosedAt, Field::Profit],
};

pub(crate) const DEALS: Layout = Layout {
    columns: &[
        column(Field::ClosedAt, TIME),
        column(Field::Id, &["deal", "сделка"]),
        column(Field::Symbol, SYMBOL),
        column(Field::Side, TYPE),
        column(Field::OpenClose, &["direction", "направление"]),
        column(Field::Quantity, VOLUME),
        column(Field::ClosePrice, PRICE),
        column(Field::Order, &["order", "ордер"]),
        COMMISSION,
        FEE,
        SWAP,
        PROFIT,
    ],
    needed: &[Field::Id, Field::ClosedAt, Field::OpenClose, Field::Profit],
};

#[derive(Clone, Copy, PartialEq, Eq)]
enum Table {
    Closed,
    Positions,
    Deals,
}

pub(crate) fn read(grid: &Grid, reading: &Reading, format: Format) -> Result<Drafts, ReadError> {
    let wanted: &[Table] = match format {
        Format::Mt4 => &[Table::Closed],
        _ if grid.rows.iter().any(|row| table_of(row).is_some_and(|(table, _)| table == Table::Positions)) => {
            &[Table::Positions]
        }
        _ => &[Table::Deals],
    };
    let mut drafts = Drafts::default();
    let mut inside: Option<(Table, Places)> = None;
    let mut fills = Vec::new();
    for row in &grid.rows {
        if let Some(found) = table_of(row) {
            inside = Some(found).filter(|(table, _)| wanted.contains(table));
            drafts.table |= inside.is_some();
            continue;
        }
        if !drafts.table {
            account(row, &mut drafts);
        }
        // A line of its own names the next table, whatever the language.
        if row.filled() <= 1 || is_header(row) {
            if row.filled() > 0 {
                inside = None;
            }
            continue;
        }
        let Some((table, places)) = &inside else { continue };
        let cells = Cells { row, places, reading };
        match trade(*table, &cells) {
            Ok(Some(fill)) => fills.push(fill),
            Ok(None) => drafts.other_rows += 1,
            Err(refusal) => drafts.refused.push(refusal),
        }
    }
    drafts.trades = group::fills(fills);
    Ok(drafts)
}

fn table_of(row: &Row) -> Option<(Table, Places)> {
    if row.filled() < 6 {
        return None;
    }
    let names = Names::of(row, 0);
    let tables = [(Table::Closed, &CLOSED), (Table::Positions, &POSITIONS), (Table::Deals, &DEALS)];
    tables.into_iter().find_map(|(table, layout)| Some((table, names.fit(layout)?)))
}

/// Many words and not one digit: the header of a table that is not read.
fn is_header(row: &Row) -> bool {
    row.filled() >= 5 && !row.cells.iter().any(|cell| cell.contains(|c: char| c.is_ascii_digit()))
}

/// `Account: | 12345678 (USD, Server, real, Hedge)`, or `Account: 12345678 | Currency: USD`, above the tables.
fn account(row: &Row, drafts: &mut Drafts) {
    let mut cells = row.cells.iter().map(|cell| cell.trim()).filter(|cell| !cell.is_empty());
    while let Some(cell) = cells.next() {
        let Some((label, rest)) = cell.split_once(':') else { continue };
        let label = label.trim().to_lowercase();
        let is_account = ["account", "a/c no", "счет", "счёт", "торговый счет", "торговый счёт"].contains(&&*label);
        let is_currency = ["currency", "валюта"].contains(&&*label);
        if !is_account && !is_currency {
            continue;
        }
        let value = match rest.trim() {
            "" => cells.next().unwrap_or(""),
            rest => rest,
        };
        if is_currency {
            drafts.currency = currency(value).or(drafts.currency.take());
            continue;
        }
        let (number, brackets) = value.split_once('(').unwrap_or((value, ""));
        let number: String = number.chars().filter(char::is_ascii_digit).collect();
        drafts.account = drafts.account.take().or(Some(number)).filter(|number| !number.is_empty());
        drafts.currency = drafts.currency.take().or_else(|| currency(brackets.split(',').next()?));
    }
}

fn currency(text: &str) -> Option<String> {
    let name = text.trim().to_ascii_uppercase();
    ((3..=5).contains(&name.len()) && name.bytes().all(|b| b.is_ascii_alphanumeric())).then_some(name)
}

/// `None` for deposits, totals, orders that were cancelled and positions that are still open.
fn trade(table: Table, cells: &Cells<'_>) -> Result<Option<(Option<String>, Trade)>, Refusal> {
    let id = cells.text(Field::Id);
    let kind = cells.text(Field::Side);
    let is_number = !id.is_empty() && id.bytes().all(|b| b.is_ascii_digit());
    if !is_number || is_no_trade(kind) || cells.text(Field::ClosedAt).is_empty() {
        return Ok(None);
    }
    let side = cells.side(Field::Side)?;
    let profit = cells.needed(Field::Profit)?;
    let (key, group, opens) = match table {
        Table::Closed => (format!("ticket {id}"), None, false),
        Table::Positions => (format!("position {id}"), Some(id.to_owned()), false),
        Table::Deals => {
            let opens = opens(cells)?;
            let order = cells.some(Field::Order).filter(|order| order.bytes().all(|b| b.is_ascii_digit()));
            match order {
                Some(order) => (format!("order {order}"), Some(order), opens),
                None => (format!("deal {id}"), None, opens),
            }
        }
    };
    let whole = Trade {
        key,
        symbol: cells.text(Field::Symbol).to_ascii_uppercase(),
        side: Some(match table {
            // A deal that closes is on the other side of the position.
            Table::Deals if !opens => other(side),
            _ => side,
        }),
        quantity: quantity(cells)?.map(|lots| lots.abs()),
        opened_at: cells.moment_if_any(Field::OpenedAt)?,
        closed_at: cells.moment(Field::ClosedAt)?,
        open_price: cells.number(Field::OpenPrice)?,
        close_price: cells.number(Field::ClosePrice)?,
        gross: (!opens).then_some(profit),
        costs: costs(cells)?,
        currency: None,
        account: None,
        rate: None,
        fills: Vec::new(),
        line: cells.row.line,
    };
    Ok(Some((group, whole)))
}

fn is_no_trade(kind: &str) -> bool {
    let kind = kind.trim().to_lowercase();
    let words = ["balance", "credit", "limit", "stop", "bonus", "баланс", "кредит", "charge", "correction", "dividend"];
    kind.is_empty() || words.iter().any(|word| kind.contains(word))
}

fn opens(cells: &Cells<'_>) -> Result<bool, Refusal> {
    match cells.text(Field::OpenClose).to_lowercase().as_str() {
        "in" | "вход" => Ok(true),
        "out" | "in/out" | "out by" | "выход" | "разворот" => Ok(false),
        "" => Err(cells.refusal(Field::OpenClose, Reason::Missing)),
        _ => Err(cells.refusal(Field::OpenClose, Reason::UnknownSide)),
    }
}

fn other(side: Side) -> Side {
    match side {
        Side::Buy => Side::Sell,
        Side::Sell => Side::Buy,
    }
}

/// "0.05 / 0.10" is what was closed of what was open.
fn quantity(cells: &Cells<'_>) -> Result<Option<Decimal>, Refusal> {
    let text = cells.text(Field::Quantity);
    let Some((closed, _)) = text.split_once('/') else { return cells.number(Field::Quantity) };
    let number = crate::number::parse(closed, cells.reading.mark);
    number.map(Some).map_err(|reason| cells.refusal(Field::Quantity, reason))
}

fn costs(cells: &Cells<'_>) -> Result<Vec<Cost>, Refusal> {
    let kinds = [
        (Field::Commission, CostKind::Commission),
        (Field::Fee, CostKind::Fee),
        (Field::Tax, CostKind::Tax),
        (Field::Swap, CostKind::Swap),
    ];
    let mut costs = Vec::new();
    for (field, kind) in kinds {
        let amount = cells.number(field)?.filter(|amount| !amount.is_zero());
        costs.extend(amount.map(|amount| Cost { kind, amount, currency: None }));
    }
    Ok(costs)
}
