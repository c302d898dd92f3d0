//! Reports of every broker, as their programs write them, down to the trade.
#![allow(clippy::unwrap_used)]

use calm_trades::{
    DateOrder, Field, FileZone, Format, Options, ReadError, Reason, Report, Trade, ZoneHint, read, recognise,
};
use encoding_rs::WINDOWS_1251;
use rstest::rstest;

fn file(name: &str) -> Vec<u8> {
    std::fs::read(format!("{}/tests/files/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

fn in_zone(zone: &str) -> Options {
    Options { zone: Some(zone.parse().unwrap()), ..Options::default() }
}

fn of(name: &str, options: &Options) -> Report {
    read(&file(name), options).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// When, what, how much, before costs, after costs.
fn told(trade: &Trade) -> String {
    let number = |value: Option<rust_decimal::Decimal>| value.map_or("?".to_owned(), |v| v.normalize().to_string());
    let side = trade.side.map_or("-".to_owned(), |side| format!("{side:?}").to_lowercase());
    let fills = if trade.fills.is_empty() { String::new() } else { format!(" in {}", trade.fills.len()) };
    format!(
        "{} {} {side} {} {} → {} {}{fills}",
        trade.closed_at,
        trade.symbol,
        number(trade.quantity),
        number(trade.gross),
        number(trade.net()),
        trade.currency.as_deref().unwrap_or("?"),
    )
}

fn all(report: &Report) -> Vec<String> {
    report.trades.iter().map(told).collect()
}

fn refused(report: &Report) -> Vec<(u64, &str, Reason)> {
    report.refused.iter().map(|refusal| (refusal.line, refusal.column.as_str(), refusal.reason)).collect()
}

#[test]
fn a_metatrader_4_statement() {
    let report = of("mt4-statement.htm", &in_zone("Europe/Athens"));
    let expected = [
        "2026-03-02T09:40:05Z EURUSD buy 0.1 -20 → -20.7 USD",
        "2026-03-27T14:30:00Z XAUUSD sell 0.3 1135 → 1131.55 USD",
        // 03:30 is in the hour that Athens leaves out.
        "2026-03-29T01:30:00Z XAUUSD sell 0.2 200 → 195.9 USD",
    ];
    assert_eq!(all(&report), expected);
    assert_eq!(refused(&report), [(15, "Profit", Reason::NotANumber)]);
    assert_eq!((report.currency.as_deref(), report.doubtful_times), (Some("USD"), 1));
    assert_eq!(report.other_rows, 4, "a deposit, a cancelled order, two totals");
}

#[test]
fn the_server_clock_is_not_the_users() {
    let bytes = file("mt4-statement.htm");
    let error = read(&bytes, &Options::default()).unwrap_err();
    assert!(matches!(error, ReadError::ZoneNeeded { .. }) && error.to_string().contains("ny+7"), "{error}");
    let found = recognise(&bytes, &Options::default()).unwrap();
    assert_eq!((found.format, found.zone), (Format::Mt4, ZoneHint::Needed));
    // S / L and T / P are the two columns that are not needed.
    assert!(found.confidence > 0.8, "{}", found.confidence);
    assert!(found.columns.contains(&("Close Time".to_owned(), Field::ClosedAt)));
    // New York changes on 8 March, Athens on the 29th: for three weeks their brokers differ by an hour.
    let report = of("mt4-statement.htm", &in_zone("ny+7"));
    assert!(all(&report)[1].starts_with("2026-03-27T13:30:00Z"), "{:?}", all(&report));
}

#[rstest]
#[case::utf_8(None)]
#[case::utf_16_little(Some(false))]
#[case::utf_16_big(Some(true))]
fn a_russian_metatrader_5_report(#[case] wide: Option<bool>) {
    let text = String::from_utf8(file("mt5-report-ru.html")).unwrap();
    let bytes = match wide {
        None => [b"\xEF\xBB\xBF", text.as_bytes()].concat(),
        Some(big) => {
            let units = std::iter::once(0xFEFF).chain(text.encode_utf16());
            units.flat_map(|unit| if big { unit.to_be_bytes() } else { unit.to_le_bytes() }).collect()
        }
    };
    let report = read(&bytes, &in_zone("ny+7")).unwrap();
    let expected = [
        "2026-03-06T10:30:00Z GER40 buy 1 40 → 38 EUR",
        "2026-03-09T07:00:02Z XAUUSD sell 0.1 -93.32 → -94.82 EUR in 2",
    ];
    assert_eq!(all(&report), expected);
    assert_eq!((report.format, report.refused.len()), (Format::Mt5, 0));
    let position = &report.trades[1];
    assert_eq!(position.close_price.unwrap().to_string(), "2160.2", "weighed by what was closed");
    assert_eq!(position.fills[0].price.unwrap().to_string(), "2160.10");
}

#[test]
fn metatrader_5_deals_with_partial_fills_and_decimal_commas() {
    let report = of("mt5-deals.csv", &in_zone("+02:00"));
    let expected = [
        "2026-03-02T08:00:00Z GER40 buy 2 ? → ? ?",
        "2026-03-02T09:00:01Z GER40 buy 1 10.5 → 9.5 ? in 2",
        "2026-03-03T10:00:00Z GER40 buy 1 -1100 → -1104.35 ?",
    ];
    assert_eq!(all(&report), expected);
    assert_eq!(report.trades[0].own_costs().to_string(), "-2.00", "opening costs too");
    assert_eq!(refused(&report), [(8, "Direction", Reason::UnknownSide)]);
    assert_eq!(report.zone.as_deref(), Some("+02"));
}

#[test]
fn binance_spot_counts_what_its_coins_had_cost() {
    let report = of("binance-spot.csv", &Options::default());
    let mut found = all(&report);
    // 0.03 of the 0.03998 that the fees had left, which had cost 2601.3.
    assert!(found.remove(2).starts_with("2026-03-03T09:00:00Z BTCUSDT sell 0.03 28.049"), "{found:?}");
    let expected = [
        // A coin whose name begins with a digit.
        "2026-03-02T20:00:00Z 1INCHUSDT buy 100 ? → ? USDT",
        "2026-03-02T21:30:10Z BTCUSDT buy 0.04002 ? → ? USDT in 2",
        // Bought before the file begins.
        "2026-03-04T10:00:00Z ETHUSDT sell 1 ? → ? USDT",
    ];
    assert_eq!(found, expected);
    assert_eq!(report.trades[2].gross.unwrap().round_dp(4).to_string(), "28.0490");
    assert_eq!(report.trades[2].net().unwrap().round_dp(4).to_string(), "26.0690");
    assert_eq!(report.trades[0].costs[0].currency.as_deref(), Some("BNB"));
    assert_eq!((report.zone.as_deref(), report.currency.as_deref()), (Some("UTC"), Some("USDT")));

    let old = of("binance-spot-old.csv", &Options::default());
    assert_eq!(all(&old)[1], "2026-03-02T11:00:00Z BNBUSDT sell 1 10 → 9.69 USDT");
}

#[test]
fn binance_without_utc_in_its_header_is_asked_about() {
    let bytes = file("binance-spot-local.csv");
    assert!(matches!(read(&bytes, &Options::default()), Err(ReadError::ZoneNeeded { .. })));
    let report = read(&bytes, &in_zone("utc-6")).unwrap();
    assert_eq!(all(&report), ["2026-03-03T05:30:00Z SOLUSDC buy 9.434 ? → ? USDC"]);
}

#[test]
fn binance_futures() {
    let report = of("binance-futures.csv", &Options::default());
    let expected = [
        "2026-03-11T22:10:05Z BTCUSDT buy 0.01 ? → ? USDT",
        "2026-03-11T22:15:40Z BTCUSDT sell 0.01 5.1 → 4.83 USDT in 2",
        // Its fee was paid in another coin.
        "2026-03-12T01:00:00Z ETHUSDT buy 1 -12 → -12 USDT",
    ];
    assert_eq!(all(&report), expected);
    assert_eq!(refused(&report), [(6, "Side", Reason::UnknownSide)]);

    let transactions = of("binance-futures-transactions.csv", &Options::default());
    let expected = ["2026-03-11T22:15:40Z BTCUSDT - ? 5.1 → 4.83 USDT", "2026-03-12T00:00:00Z BTCUSDT - ? ? → ? USDT"];
    assert_eq!(all(&transactions), expected);
    assert_eq!((transactions.trades[1].own_costs().to_string().as_str(), transactions.other_rows), ("-0.04100000", 1));
}

#[test]
fn an_interactive_brokers_statement() {
    let report = of("ibkr-statement.csv", &in_zone("America/New_York"));
    let expected = [
        "2026-03-02T15:30:12Z AAPL buy 1000 ? → ? USD",
        "2026-03-02T20:59:01Z AAPL sell 1000 995 → 989.5 USD in 2",
        "2026-03-03T14:00:00Z EUR.USD sell 1000 ? → ? USD",
        "2026-03-04T09:15:00Z SAP sell 10 -50 → -53 EUR",
    ];
    assert_eq!(all(&report), expected);
    assert_eq!(refused(&report), [(22, "Date/Time", Reason::NoSuchTime)]);
    assert_eq!(report.currency.as_deref(), Some("EUR"), "the account's, not that of most trades");
    assert!(report.trades[0].costs.is_empty(), "the result of the sale holds it already");
}

#[test]
fn an_interactive_brokers_flex_query() {
    let report = of("ibkr-flex.csv", &Options::default());
    let expected =
        ["2026-03-06T15:00:00Z AAPL buy 10 ? → ? USD", "2026-03-09T18:00:01Z AAPL sell 10 99.1 → 98 USD in 2"];
    assert_eq!(all(&report), expected);
    assert_eq!((report.zone, report.refused.len()), (None, 0));
}

#[test]
fn a_table_of_ones_own_in_the_old_russian_code_page() {
    let text = String::from_utf8(file("generic-ru.csv")).unwrap();
    let bytes = WINDOWS_1251.encode(&text).0;
    let mut options = in_zone("Europe/Moscow");
    options.mapping.add("Кол-во=quantity").unwrap();
    let report = read(&bytes, &options).unwrap();
    let expected = [
        "2026-03-02T07:15:00Z SIM6 buy 5 1250.5 → 1240.5 ?",
        "2026-03-02T07:15:00Z SIM6 buy 5 1250.5 → 1240.5 ?",
        "2026-03-03T15:40:00Z GAZP; обыкн. sell 100 -1480 → -1483.2 ?",
    ];
    assert_eq!(all(&report), expected);
    let wrong = [(5, "Дата закрытия", Reason::NoSuchTime), (6, "Прибыль/убыток", Reason::NotANumber)];
    assert_eq!(refused(&report), wrong);
    assert_ne!(report.trades[0].key, report.trades[1].key, "two trades may be alike");
    assert_eq!(report.other_rows, 2, "a second header and a total");
    let again: Vec<String> = read(text.as_bytes(), &options).unwrap().trades.into_iter().map(|t| t.key).collect();
    assert_eq!(again, report.trades.iter().map(|t| t.key.clone()).collect::<Vec<_>>(), "whatever the encoding");
}

#[rstest]
#[case::the_middle_is_no_month("03/04/2026 10:00,1.5\n03/28/2026 10:00,2\n", Ok("2026-03-04T10:00:00Z"))]
#[case::the_first_is_no_month("03/04/2026 10:00,1.5\n28/04/2026 10:00,2\n", Ok("2026-04-03T10:00:00Z"))]
#[case::both_fit("03/04/2026 10:00,1.5\n", Err(ReadError::DateOrderNeeded))]
fn the_order_of_day_and_month_is_found_or_asked_for(#[case] rows: &str, #[case] expected: Result<&str, ReadError>) {
    let text = format!("date,profit,symbol\n{}", rows.replace('\n', ",A\n"));
    let found = read(text.as_bytes(), &in_zone("utc")).map(|report| report.trades[0].closed_at.to_string());
    assert_eq!(found, expected.map(str::to_owned));
    let asked = Options { dates: Some(DateOrder::Dmy), ..in_zone("utc") };
    assert!(read(text.as_bytes(), &asked).is_ok());
}

#[rstest]
#[case::nothing(b"", ReadError::Empty)]
#[case::blank(b" \r\n ", ReadError::Empty)]
#[case::spreadsheet(b"PK\x03\x04rest", ReadError::Spreadsheet)]
#[case::picture(b"\x89PNG\r\n\x1a\n\x00\x00\x00\x01\x02\x03\x05\x06\x0e\x0f\x10\x11\x12", ReadError::NotText)]
#[case::a_letter(b"Dear reader, nothing here is a trade.\n", ReadError::Unrecognised)]
#[case::another_table(b"name,age\nAnn,3\n", ReadError::Unrecognised)]
fn what_is_no_report(#[case] bytes: &[u8], #[case] expected: ReadError) {
    assert_eq!(read(bytes, &in_zone("utc")).unwrap_err(), expected);
}

#[test]
fn a_named_format_that_is_not_there_and_a_column_that_is_not_there() {
    let bytes = file("binance-futures.csv");
    let ibkr = Options { format: Some(Format::Ibkr), ..in_zone("utc") };
    assert_eq!(read(&bytes, &ibkr).unwrap_err(), ReadError::NoTable { format: "Interactive Brokers" });
    let mut named = Options { format: Some(Format::Generic), ..in_zone("utc") };
    named.mapping.add("Gewinn=profit").unwrap();
    for format in [named.format, None] {
        let named = Options { format, ..named.clone() };
        let unknown = ReadError::UnknownColumn { column: "Gewinn".into() };
        assert_eq!(read(&bytes, &named).unwrap_err(), unknown);
        assert_eq!(recognise(&bytes, &named).unwrap_err(), unknown);
    }
}

#[test]
fn every_format_is_recognised() {
    let files = [
        ("mt4-statement.htm", Format::Mt4),
        ("mt5-report-ru.html", Format::Mt5),
        ("mt5-deals.csv", Format::Mt5),
        ("binance-spot.csv", Format::Binance),
        ("binance-spot-old.csv", Format::Binance),
        ("binance-futures.csv", Format::Binance),
        ("binance-futures-transactions.csv", Format::Binance),
        ("ibkr-statement.csv", Format::Ibkr),
        ("ibkr-flex.csv", Format::Ibkr),
        ("generic-ru.csv", Format::Generic),
    ];
    for (name, format) in files {
        let found = recognise(&file(name), &Options::default()).unwrap();
        assert_eq!(found.format, format, "{name}");
        assert_eq!(found.confidence > 0.5, format != Format::Generic, "{name}: {}", found.confidence);
    }
    assert_eq!("mt4".parse(), Ok(Format::Mt4));
    assert!("UTC".parse::<FileZone>().is_ok());
}
