//! Brokers' files: what one account tells twice is counted once, and what comes back in is a trade.
#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::Path;

use calm_app::trades::{Options, TradeFile};
use calm_app::{AppError, Clock, Conductor, Paths, Secrets, Settings, importing};
use jiff::civil::Date;

fn paths(dir: &Path) -> Paths {
    Paths { data: dir.join("data"), models: dir.join("models") }
}

fn open(dir: &Path) -> Conductor {
    let clock = Clock::Fixed("2026-03-20T09:00:00Z".parse().unwrap());
    let mut conductor = Conductor::open(paths(dir), Secrets::File, clock, Box::new(|_| {})).unwrap();
    let settings = conductor.settings().clone();
    conductor.save_settings(Settings { time_zone: Some("UTC".into()), ..settings }).unwrap();
    conductor
}

fn file(name: &str) -> TradeFile {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../calm-trades/tests/files");
    TradeFile::open(&Path::new(folder).join(name)).unwrap()
}

/// Of all days, in the one currency.
fn total(conductor: &Conductor) -> String {
    let days = conductor.trade_days(Date::MIN).unwrap();
    let sum: rust_decimal::Decimal = days.iter().flat_map(|day| &day.net).map(|money| money.amount).sum();
    sum.normalize().to_string()
}

const TRADES: &str = "binance-futures.csv";
const TRANSACTIONS: &str = "binance-futures-transactions.csv";

#[test]
fn two_kinds_of_report_of_the_same_days_count_each_trade_once_and_the_preview_says_which() {
    let dir = tempfile::tempdir().unwrap();
    let mut conductor = open(dir.path());
    let options = Options::default();
    let first = conductor.import_trades(&file(TRADES), &options).unwrap();
    assert_eq!((first.added, first.preview.known), (3, 0));

    let preview = conductor.preview_trades(&file(TRANSACTIONS), &options).unwrap();
    let told: Vec<_> = preview.told_twice.iter().map(|told| (&*told.symbol, &told.lines[..])).collect();
    assert_eq!((preview.known, told), (1, vec![("BTCUSDT", &[2][..])]));
    let second = conductor.import_trades(&file(TRANSACTIONS), &options).unwrap();
    assert_eq!(second.added, 1, "the funding is new");
    assert_eq!(total(&conductor), "-7.479", "5.10 - 0.27 - 0.268 - 12 - 0.041");
    let again = conductor.import_trades(&file(TRANSACTIONS), &options).unwrap();
    assert_eq!((again.id, again.added, again.preview.known), (None, 0, 2));

    // What both held stays while one of them does.
    conductor.undo_import(first.id.unwrap()).unwrap();
    assert_eq!(total(&conductor), "4.789");
    conductor.undo_import(second.id.unwrap()).unwrap();
    assert_eq!(total(&conductor), "0");
}

#[test]
fn the_order_of_the_two_files_makes_no_difference_to_the_sum() {
    let dir = tempfile::tempdir().unwrap();
    let mut conductor = open(dir.path());
    conductor.import_trades(&file(TRANSACTIONS), &Options::default()).unwrap();
    let second = conductor.import_trades(&file(TRADES), &Options::default()).unwrap();
    assert_eq!((second.added, second.preview.known), (2, 1), "the opening order and the other pair are new");
    assert_eq!(total(&conductor), "-7.479");
}

#[test]
fn a_sale_takes_its_result_from_a_later_file_that_has_the_purchase_too() {
    let dir = tempfile::tempdir().unwrap();
    let mut conductor = open(dir.path());
    let header = "Date(UTC),Market,Type,Price,Amount,Total,Fee,Fee Coin\n";
    let (bought, sold) =
        ("2026-03-02 10:00:00,BNBUSDT,BUY,300,1,300,0,USDT\n", "2026-03-03 11:00:00,BNBUSDT,SELL,310,1,310,0,USDT\n");
    let file = |rows: &[&str]| TradeFile::of_bytes("spot.csv", format!("{header}{}", rows.concat()).into_bytes());
    let first = conductor.import_trades(&file(&[sold]), &Options::default()).unwrap();
    assert_eq!((first.preview.trades, first.preview.without_result), (0, 1));
    let second = conductor.import_trades(&file(&[bought, sold]), &Options::default()).unwrap();
    assert_eq!((second.added, total(&conductor)), (1, "10".to_owned()));
    assert!(conductor.import_trades(&file(&[bought, sold]), &Options::default()).unwrap().id.is_none());
}

#[test]
fn another_account_s_trades_are_its_own() {
    let dir = tempfile::tempdir().unwrap();
    let mut conductor = open(dir.path());
    let header = "Uid,Time(UTC),Type,Amount,Asset,Symbol,Transaction ID\n";
    let of = |uid: &str| {
        let rows = format!("{header}{uid},2026-03-11 22:15:40,REALIZED_PNL,5.1,USDT,BTCUSDT,9{uid}\n");
        TradeFile::of_bytes("transactions.csv", rows.into_bytes())
    };
    conductor.import_trades(&of("11"), &Options::default()).unwrap();
    let other = conductor.import_trades(&of("22"), &Options::default()).unwrap();
    assert_eq!((other.added, other.preview.known), (1, 0));
    assert_eq!(total(&conductor), "10.2");
}

#[test]
fn a_trade_that_no_report_gives_keeps_the_whole_export_out_and_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let mut conductor = open(dir.path());
    conductor.import_trades(&file(TRADES), &Options::default()).unwrap();
    let out = dir.path().join("out");
    conductor.export(&out, false).unwrap();
    drop(conductor);
    let table = |name: &str| out.join(format!("json/{name}.jsonl"));
    for (name, field, from, to) in [
        ("trades", "trade_json", r#""side":"sell""#, r#""side":"hold""#),
        ("trades", "quantity", r#""quantity":"0.010","#, r#""quantity":"-1","#),
        ("trades", "trade_json", r#""close_price":"67510","#, r#""close_price":"a lot","#),
        ("trades", "closed_at", r#""closed_at":"2026-03-11T22:10:05Z""#, r#""closed_at":"2026-03-11T22:10:06Z""#),
        ("trades", "net", r#""net":"4.830""#, r#""net":"48300""#),
        ("trades", "currency", r#""currency":"USDT","key""#, r#""currency":"\n","key""#),
        ("trades", "key", r#""key":""#, r#""key":"x"#),
        ("imports", "format", r#""format":"binance""#, r#""format":"mtgox""#),
        ("imports", "zone", r#""zone":"UTC""#, r#""zone":"Mars""#),
        ("settings", "json", r#""end_silence_ms":"#, r#""end_silence_ms":-"#),
    ] {
        let good = fs::read_to_string(table(name)).unwrap();
        if !good.contains(from) {
            panic!("{name} has no {from}: {good}");
        }
        fs::write(table(name), good.replacen(from, to, 1)).unwrap();
        let away = tempfile::tempdir().unwrap();
        let refused = importing::import(&paths(away.path()), Secrets::File, &out).unwrap_err();
        assert!(matches!(refused, AppError::Import(_)) && refused.is_bad_input());
        let line = refused.to_string();
        assert!(line.contains(&format!("json/{name}.jsonl, line ")), "{line}");
        assert!(line.contains(&format!(", {field} is not as Calm exports it")), "{field}: {line}");
        assert!(!away.path().join("data").exists(), "it left a trace");
        fs::write(table(name), good).unwrap();
    }
    let away = tempfile::tempdir().unwrap();
    importing::import(&paths(away.path()), Secrets::File, &out).unwrap();
    assert_eq!(total(&open(away.path())), "-7.438");
}
