//! Interactive Brokers: Flex queries and activity statements as CSV.
//!
//! Its realised result already holds the commissions of opening and closing. Here the closing commission is taken out
//! again and named as a cost; that of an opening order is left inside, or it would count twice.

use rust_decimal::Decimal;

use crate::draft::Drafts;
use crate::error::{ReadError, Refusal};
use crate::grid::{Grid, Row};
use crate::group;
use crate::layout::{Field, Layout, Names, Places, column};
use crate::reading::{Cells, Reading, side};
use crate::trade::{Cost, CostKind, Fill, Side, Trade};

pub(crate) const STATEMENT: Layout = Layout {
    columns: &[
        column(Field::Kind, &["datadiscriminator"]),
        column(Field::Currency, &["currency"]),
        column(Field::Account, &["account"]),
        column(Field::Symbol, &["symbol"]),
        column(Field::ClosedAt, &["datetime"]),
        column(Field::Quantity, &["quantity"]),
        column(Field::ClosePrice, &["tprice"]),
        column(Field::Commission, &["commfee", "comminusd", "comminbase"]),
        column(Field::Profit, &["realizedpl"]),
        column(Field::OpenClose, &["code"]),
    ],
    needed: &[Field::Kind, Field::Currency, Field::Symbol, Field::ClosedAt, Field::Quantity],
};

pub(crate) const FLEX: Layout = Layout {
    columns: &[
        column(Field::Account, &["clientaccountid"]),
        column(Field::Currency, &["currencyprimary", "currency"]),
        column(Field::Rate, &["fxratetobase"]),
        column(Field::Symbol, &["symbol"]),
        column(Field::Id, &["tradeid", "ibexecid", "transactionid"]),
        column(Field::Order, &["iborderid"]),
        column(Field::ClosedAt, &["datetime", "tradedatetime", "tradedate"]),
        column(Field::Quantity, &["quantity"]),
        column(Field::ClosePrice, &["tradeprice", "price"]),
        column(Field::Tax, &["taxes"]),
        column(Field::Commission, &["ibcommission", "commission"]),
        column(Field::FeeCurrency, &["ibcommissioncurrency"]),
        column(Field::Profit, &["fifopnlrealized"]),
        column(Field::Side, &["buysell"]),
        column(Field::OpenClose, &["opencloseindicator"]),
        column(Field::Kind, &["levelofdetail"]),
    ],
    needed: &[Field::Symbol, Field::ClosedAt, Field::Quantity, Field::Profit],
};

/// What the first two cells of a row say about the rest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Prefix {
    /// Column names of the trades.
    Header,
    Trades,
    /// A total, or a row of another section.
    Other,
}

/// `None` for a Flex file without section codes.
pub(crate) fn prefix(row: &Row) -> Option<Prefix> {
    let kind = row.cell(1);
    match (row.cell(0), kind) {
        ("Trades" | "Сделки", "Header") | ("HEADER", "TRNT") => Some(Prefix::Header),
        ("Trades" | "Сделки", "Data") | ("DATA", "TRNT") => Some(Prefix::Trades),
        ("HEADER" | "DATA" | "BOF" | "BOA" | "BOS" | "EOS" | "EOA" | "EOF", _) => Some(Prefix::Other),
        (_, "Header" | "Data" | "SubTotal" | "Total" | "Notes") => Some(Prefix::Other),
        _ => None,
    }
}

pub(crate) fn read(grid: &Grid, reading: &Reading) -> Result<Drafts, ReadError> {
    let mut drafts = Drafts::default();
    let mut inside: Option<(bool, Places)> = None;
    let mut fills: Vec<(Option<String>, Trade)> = Vec::new();
    let levels = levels(grid);
    for row in &grid.rows {
        let prefix = prefix(row);
        account(row, &mut drafts);
        let skip = if prefix.is_some() { 2 } else { 0 };
        if matches!(prefix, None | Some(Prefix::Header)) && row.filled() >= 5 {
            let names = Names::of(row, skip);
            let statement = prefix.and_then(|_| names.fit(&STATEMENT)).map(|places| (true, places));
            if let Some(found) = statement.or_else(|| names.fit(&FLEX).map(|places| (false, places))) {
                inside = Some(found);
                drafts.table = true;
                continue;
            }
            // Flex files stack tables, each under a header of its own.
            if prefix.is_none() && is_header(row) {
                inside = None;
                continue;
            }
        }
        let of_trades = matches!(prefix, None | Some(Prefix::Trades));
        let Some((statement, places)) = inside.as_ref().filter(|_| of_trades && row.filled() >= 5) else { continue };
        let cells = Cells { row, places, reading };
        drafts.account = drafts.account.take().or_else(|| cells.some(Field::Account));
        let read = if *statement { of_statement(&cells, &mut fills) } else { of_flex(&cells, levels, &mut fills) };
        match read {
            Ok(true) => {}
            Ok(false) => drafts.other_rows += 1,
            Err(refusal) => drafts.refused.push(refusal),
        }
    }
    drafts.trades = group::fills(fills);
    Ok(drafts)
}

fn is_header(row: &Row) -> bool {
    ["ClientAccountID", "Statement"].contains(&row.cell(0))
}

/// `Account Information,Data,Base Currency,USD`.
fn account(row: &Row, drafts: &mut Drafts) {
    if row.cell(1) != "Data" || row.cell(0) != "Account Information" {
        return;
    }
    match row.cell(2) {
        "Account" => drafts.account = Some(row.cell(3).to_owned()),
        "Base Currency" => drafts.currency = Some(row.cell(3).to_owned()),
        _ => {}
    }
}

/// Order rows are trades; Trade rows below one are its fills; lots and the rest are told elsewhere already.
fn of_statement(cells: &Cells<'_>, fills: &mut Vec<(Option<String>, Trade)>) -> Result<bool, Refusal> {
    match cells.text(Field::Kind) {
        "Order" => fills.push((None, trade(cells)?)),
        "Trade" => {
            let fill = trade(cells)?;
            let order = fills.last_mut().filter(|(_, order)| order.symbol == fill.symbol && order.line < fill.line);
            match order {
                Some((_, order)) => {
                    order.fills.push(Fill { at: fill.closed_at, quantity: fill.quantity, price: fill.close_price });
                }
                None => fills.push((None, fill)),
            }
        }
        _ => return Ok(false),
    }
    Ok(true)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Levels {
    Executions,
    Orders,
    Untold,
}

/// A Flex query may hold the same trades at several levels of detail.
fn levels(grid: &Grid) -> Levels {
    let has = |level: &str| grid.rows.iter().any(|row| row.cells.iter().any(|cell| cell.trim() == level));
    match (has("EXECUTION"), has("ORDER")) {
        (true, _) => Levels::Executions,
        (false, true) => Levels::Orders,
        (false, false) => Levels::Untold,
    }
}

fn of_flex(cells: &Cells<'_>, levels: Levels, fills: &mut Vec<(Option<String>, Trade)>) -> Result<bool, Refusal> {
    let fits = match (cells.text(Field::Kind), levels) {
        ("EXECUTION", Levels::Executions) | ("ORDER", Levels::Orders) => true,
        (level, Levels::Untold) => level.is_empty(),
        ("", _) => true,
        _ => false,
    };
    let total = ["total", "subtotal"].contains(&cells.row.cell(0).to_lowercase().as_str());
    if !fits || total {
        return Ok(false);
    }
    let trade = trade(cells)?;
    let order = cells.some(Field::Order).map(|order| format!("order {order}"));
    fills.push((order, trade));
    Ok(true)
}

fn trade(cells: &Cells<'_>) -> Result<Trade, Refusal> {
    let quantity = cells.needed(Field::Quantity)?;
    let named = side(cells.text(Field::Side));
    let by_sign = if quantity.is_sign_negative() { Side::Sell } else { Side::Buy };
    let realised = cells.number(Field::Profit)?;
    let code = cells.text(Field::OpenClose);
    let closes = code.split([';', ',']).any(|part| part.trim() == "C") || realised.is_some_and(|r| !r.is_zero());
    let currency = cells.some(Field::Currency);
    let costs = if closes { costs(cells)? } else { Vec::new() };
    let own = costs.iter().filter(|cost| cost.currency.is_none() || cost.currency == currency);
    let own: Decimal = own.map(|cost| cost.amount).sum();
    let key = match (cells.some(Field::Order), cells.some(Field::Id)) {
        (Some(order), _) => format!("order {order} {}", cells.text(Field::Symbol)),
        (None, Some(id)) => format!("trade {id}"),
        (None, None) => String::new(),
    };
    Ok(Trade {
        key,
        symbol: cells.text(Field::Symbol).to_ascii_uppercase(),
        side: Some(named.unwrap_or(by_sign)),
        quantity: Some(quantity.abs()),
        opened_at: None,
        closed_at: cells.moment(Field::ClosedAt)?,
        open_price: None,
        close_price: cells.number(Field::ClosePrice)?,
        gross: realised.filter(|_| closes).map(|realised| realised - own),
        costs,
        currency,
        account: None,
        rate: cells.number(Field::Rate)?.filter(|rate| !rate.is_zero()),
        fills: Vec::new(),
        line: cells.row.line,
    })
}

fn costs(cells: &Cells<'_>) -> Result<Vec<Cost>, Refusal> {
    let mut costs = Vec::new();
    let kinds = [(Field::Commission, CostKind::Commission), (Field::Tax, CostKind::Tax)];
    for (field, kind) in kinds {
        let currency = cells.some(Field::FeeCurrency).filter(|_| kind == CostKind::Commission);
        let amount = cells.number(field)?.filter(|amount| !amount.is_zero());
        costs.extend(amount.map(|amount| Cost { kind, amount, currency }));
    }
    Ok(costs)
}
