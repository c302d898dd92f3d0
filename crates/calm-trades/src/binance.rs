//! Binance: spot trades, futures trades, and the transaction history of futures.
//!
//! Binance writes fees as positive amounts; here they are what they do to the account. Spot exports say nothing of
//! results: they are counted first bought, first sold, and only where the file holds the purchase.

use rust_decimal::Decimal;

use crate::draft::Drafts;
use crate::error::{ReadError, Refusal};
use crate::grid::{Grid, Row};
use crate::group;
use crate::layout::{Field, Layout, Names, Places, column};
use crate::lots::Lots;
use crate::number;
use crate::reading::{Cells, Reading};
use crate::trade::{Cost, CostKind, Side, Trade};
use crate::zone::FileZone;

const TIME: &[&str] = &["dateutc", "timeutc", "utctime", "date", "time"];
const FEE_COIN: &[&str] = &["feecoin", "feeasset", "commissionasset"];

pub(crate) const FUTURES: Layout = Layout {
    columns: &[
        column(Field::ClosedAt, TIME),
        column(Field::Symbol, &["symbol"]),
        column(Field::Side, &["side"]),
        column(Field::ClosePrice, &["price"]),
        column(Field::Quantity, &["quantity", "qty"]),
        column(Field::Amount, &["amount", "quoteqty", "quotequantity"]),
        column(Field::Fee, &["fee", "commission"]),
        column(Field::FeeCurrency, FEE_COIN),
        column(Field::Profit, &["realizedprofit", "realizedpnl", "realisedprofit", "realisedpnl"]),
        column(Field::Currency, &["quoteasset", "marginasset"]),
        column(Field::Id, &["tradeid"]),
        column(Field::Order, &["orderid", "orderno"]),
        column(Field::Account, &["uid", "userid"]),
    ],
    needed: &[Field::ClosedAt, Field::Symbol, Field::Side, Field::Profit],
};

pub(crate) const SPOT: Layout = Layout {
    columns: &[
        column(Field::ClosedAt, TIME),
        column(Field::Symbol, &["pair"]),
        column(Field::Side, &["side"]),
        column(Field::ClosePrice, &["price"]),
        column(Field::Quantity, &["executed"]),
        column(Field::Amount, &["amount"]),
        column(Field::Fee, &["fee"]),
        column(Field::FeeCurrency, FEE_COIN),
    ],
    needed: &[Field::ClosedAt, Field::Symbol, Field::Side, Field::Quantity, Field::Amount],
};

pub(crate) const OLD_SPOT: Layout = Layout {
    columns: &[
        column(Field::ClosedAt, TIME),
        column(Field::Symbol, &["market", "pair"]),
        column(Field::Side, &["type", "side"]),
        column(Field::ClosePrice, &["price"]),
        column(Field::Quantity, &["amount"]),
        column(Field::Amount, &["total"]),
        column(Field::Fee, &["fee"]),
        column(Field::FeeCurrency, FEE_COIN),
    ],
    needed: &[Field::ClosedAt, Field::Symbol, Field::Side, Field::Quantity, Field::Amount, Field::Fee],
};

pub(crate) const TRANSACTIONS: Layout = Layout {
    columns: &[
        column(Field::ClosedAt, TIME),
        column(Field::Kind, &["type"]),
        column(Field::Amount, &["amount"]),
        column(Field::Currency, &["asset"]),
        column(Field::Symbol, &["symbol"]),
        column(Field::Id, &["transactionid", "tranid"]),
        column(Field::Account, &["uid", "userid"]),
    ],
    needed: &[Field::ClosedAt, Field::Kind, Field::Amount, Field::Currency, Field::Symbol],
};

/// What prices are told in; the longer names first.
const QUOTES: [&str; 22] = [
    "FDUSD", "USDT", "USDC", "BUSD", "TUSD", "BIDR", "BTC", "ETH", "BNB", "EUR", "USD", "GBP", "TRY", "RUB", "UAH",
    "BRL", "AUD", "JPY", "PLN", "ARS", "ZAR", "MXN",
];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Table {
    Futures,
    Spot,
    Transactions,
}

pub(crate) fn read(grid: &Grid, reading: &Reading) -> Result<Drafts, ReadError> {
    let mut drafts = Drafts::default();
    let mut inside: Option<(Table, Places)> = None;
    let (mut fills, mut spot) = (Vec::new(), Vec::new());
    let utc = grid.rows.iter().filter_map(table_of).any(|(_, places)| names_utc(&places));
    let own_clock = utc.then(|| reading.with_zone(FileZone::Zone(jiff::tz::TimeZone::UTC)));
    let clock = own_clock.as_ref().unwrap_or(reading);
    for row in &grid.rows {
        if let Some(found) = table_of(row) {
            inside = Some(found);
            drafts.table = true;
            continue;
        }
        let Some((table, places)) = &inside else { continue };
        if row.filled() < 4 {
            drafts.other_rows += u32::from(row.filled() > 0);
            continue;
        }
        let cells = Cells { row, places, reading: clock };
        drafts.account = drafts.account.take().or_else(|| cells.some(Field::Account));
        let read = match table {
            Table::Futures => futures(&cells),
            Table::Spot => self::spot(&cells),
            Table::Transactions => transaction(&cells),
        };
        match read {
            Ok(Some(fill)) if *table == Table::Spot => spot.push(fill),
            Ok(Some(fill)) => fills.push(fill),
            Ok(None) => drafts.other_rows += 1,
            Err(refusal) => drafts.refused.push(refusal),
        }
    }
    drafts.trades = group::fills(fills);
    drafts.trades.extend(results(group::fills(spot)));
    drafts.own_zone = own_clock;
    Ok(drafts)
}

fn table_of(row: &Row) -> Option<(Table, Places)> {
    if row.filled() < 5 {
        return None;
    }
    let names = Names::of(row, 0);
    let tables = [
        (Table::Futures, &FUTURES),
        (Table::Spot, &SPOT),
        (Table::Spot, &OLD_SPOT),
        (Table::Transactions, &TRANSACTIONS),
    ];
    tables.into_iter().find_map(|(table, layout)| Some((table, names.fit(layout)?)))
}

/// `Date(UTC)`: the header tells the clock.
fn names_utc(places: &Places) -> bool {
    places.name(Field::ClosedAt).to_ascii_lowercase().contains("utc")
}

type Fill = (Option<String>, Trade);

fn futures(cells: &Cells<'_>) -> Result<Option<Fill>, Refusal> {
    let symbol = cells.text(Field::Symbol).to_ascii_uppercase();
    let profit = cells.needed(Field::Profit)?;
    let fee = amount(cells, Field::Fee, None)?;
    let (_, quote) = assets(&symbol);
    let fee_currency = cells.some(Field::FeeCurrency).or(fee.1);
    let trade = Trade {
        // Not by the numbers of the fills: another export may have them in another order.
        key: cells.some(Field::Order).map(|order| format!("futures order {order} {symbol}")).unwrap_or_default(),
        side: Some(cells.side(Field::Side)?),
        quantity: amount(cells, Field::Quantity, assets(&symbol).0)?.0.map(|size| size.abs()),
        closed_at: cells.moment(Field::ClosedAt)?,
        close_price: cells.number(Field::ClosePrice)?,
        // Binance writes 0 where an order only opened; closing without gain or loss is rarer by far.
        gross: Some(profit).filter(|profit| !profit.is_zero()),
        costs: paid(fee.0, fee_currency),
        currency: cells.some(Field::Currency).or(quote.map(str::to_owned)),
        ..empty(symbol.clone(), cells)
    };
    Ok(Some((Some(of_order(cells, &trade)), trade)))
}

fn spot(cells: &Cells<'_>) -> Result<Option<Fill>, Refusal> {
    let symbol = cells.text(Field::Symbol).to_ascii_uppercase();
    let (base, quote) = assets(&symbol);
    let (total, currency) = amount(cells, Field::Amount, quote)?;
    let (fee, fee_unit) = amount(cells, Field::Fee, None)?;
    let trade = Trade {
        side: Some(cells.side(Field::Side)?),
        quantity: amount(cells, Field::Quantity, base)?.0.map(|size| size.abs()),
        closed_at: cells.moment(Field::ClosedAt)?,
        close_price: cells.number(Field::ClosePrice)?,
        // The money that changed hands; its result is counted when all fills are together.
        gross: total,
        costs: paid(fee, cells.some(Field::FeeCurrency).or(fee_unit)),
        currency: currency.or(quote.map(str::to_owned)),
        ..empty(symbol.clone(), cells)
    };
    Ok(Some((Some(of_order(cells, &trade)), trade)))
}

/// Results, commissions and funding; transfers are no trades.
fn transaction(cells: &Cells<'_>) -> Result<Option<Fill>, Refusal> {
    let amount = cells.needed(Field::Amount)?;
    let kind = match cells.text(Field::Kind).to_ascii_uppercase().replace(' ', "_").as_str() {
        "REALIZED_PNL" | "REALISED_PNL" => None,
        "COMMISSION" => Some(CostKind::Commission),
        "FUNDING_FEE" => Some(CostKind::Swap),
        "INSURANCE_CLEAR" | "LIQUIDATION_FEE" => Some(CostKind::Fee),
        _ => return Ok(None),
    };
    let own = cells.some(Field::Currency);
    let base = empty(cells.text(Field::Symbol).to_ascii_uppercase(), cells);
    let trade = Trade {
        closed_at: cells.moment(Field::ClosedAt)?,
        gross: kind.is_none().then_some(amount),
        costs: kind.map(|kind| Cost { kind, amount, currency: own.clone() }).into_iter().collect(),
        currency: own,
        ..base
    };
    // A commission in another coin stands beside the result, not in it.
    let group = format!("{} {} {}", trade.closed_at, trade.symbol, trade.currency.as_deref().unwrap_or(""));
    let group = if kind == Some(CostKind::Swap) { format!("funding {group}") } else { group };
    Ok(Some((Some(group), trade)))
}

fn empty(symbol: String, cells: &Cells<'_>) -> Trade {
    Trade {
        key: String::new(),
        symbol,
        side: None,
        quantity: None,
        opened_at: None,
        closed_at: jiff::Timestamp::UNIX_EPOCH,
        open_price: None,
        close_price: None,
        gross: None,
        costs: Vec::new(),
        currency: None,
        account: None,
        rate: None,
        fills: Vec::new(),
        line: cells.row.line,
    }
}

/// Fills of one order; without its number, those of one second, pair and side.
fn of_order(cells: &Cells<'_>, trade: &Trade) -> String {
    match cells.some(Field::Order) {
        Some(order) => format!("order {order}"),
        None => format!("{} {} {:?}", trade.closed_at, trade.symbol, trade.side),
    }
}

/// `BTCUSDT` or `BTC/USDT` → BTC and USDT.
fn assets(symbol: &str) -> (Option<&str>, Option<&str>) {
    let symbol = symbol.split('_').next().unwrap_or(symbol);
    if let Some((base, quote)) = symbol.split_once(['/', '-']) {
        return (Some(base), Some(quote));
    }
    let quote = QUOTES.iter().find(|quote| symbol.len() > quote.len() && symbol.ends_with(**quote));
    match quote {
        Some(quote) => (Some(&symbol[..symbol.len() - quote.len()]), Some(&symbol[symbol.len() - quote.len()..])),
        None => (None, None),
    }
}

/// An amount with or without the name of its coin; `unit` is the one that it should have.
fn amount(cells: &Cells<'_>, field: Field, unit: Option<&str>) -> Result<(Option<Decimal>, Option<String>), Refusal> {
    let text = cells.text(field);
    if text.is_empty() {
        return Ok((None, None));
    }
    let refused = |reason| cells.refusal(field, reason);
    let own = unit.and_then(|unit| Some((text.strip_suffix(unit)?, unit)));
    if let Some((number, unit)) = own.filter(|(number, _)| number::parse(number, cells.reading.mark).is_ok()) {
        return Ok((Some(number::parse(number, cells.reading.mark).map_err(refused)?), Some(unit.to_owned())));
    }
    let (number, unit) = number::with_unit(text, cells.reading.mark).map_err(refused)?;
    Ok((Some(number), unit))
}

fn paid(fee: Option<Decimal>, currency: Option<String>) -> Vec<Cost> {
    let fee = fee.filter(|fee| !fee.is_zero());
    fee.map(|fee| Cost { kind: CostKind::Fee, amount: -fee.abs(), currency }).into_iter().collect()
}

/// Results of spot trades, in the order of time. A purchase has none, a sale has one where its coins were bought here.
fn results(mut trades: Vec<Trade>) -> Vec<Trade> {
    // At the same moment coins come in before they go out; exports often begin with the newest.
    trades.sort_by_key(|trade| (trade.closed_at, trade.side == Some(Side::Sell)));
    let mut lots = Lots::default();
    for trade in &mut trades {
        let (Some(quantity), Some(money)) = (trade.quantity, trade.gross) else { continue };
        trade.key = format!(
            "spot {} {} {:?} {} {}",
            trade.closed_at,
            trade.symbol,
            trade.side,
            quantity.normalize(),
            money.normalize()
        );
        trade.gross = match trade.side {
            Some(Side::Sell) => lots.sold(&trade.symbol, quantity).map(|paid| money - paid),
            _ => {
                let (base, _) = assets(&trade.symbol);
                // A fee in the coin itself comes off what was bought.
                let in_coins = trade.costs.iter().filter(|cost| cost.currency.as_deref() == base && base.is_some());
                let fees: Decimal = in_coins.map(|cost| cost.amount).sum();
                lots.bought(&trade.symbol, quantity + fees, money);
                None
            }
        };
    }
    trades
}
