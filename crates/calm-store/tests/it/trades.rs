use calm_store::{ImportId, NewImport, NewTrade, Store, StoreError};
use jiff::civil::{Date, date};
use serde_json::json;
use tempfile::tempdir;

use crate::{at, open};

pub fn import(name: &str) -> NewImport {
    NewImport {
        imported_at: at("2026-03-31T18:00:00Z"),
        format: "mt4".into(),
        file_name: name.into(),
        zone: Some("Europe/Athens".into()),
        currency: Some("USD".into()),
        refused: 2,
    }
}

/// A trade of that day in March.
pub fn trade(key: &str, day: i8, net: &str) -> NewTrade {
    NewTrade {
        key: key.into(),
        trading_day: date(2026, 3, day),
        closed_at: at(&format!("2026-03-{day:02}T12:00:00Z")),
        currency: Some("USD".into()),
        net: net.parse().unwrap(),
        has_result: true,
        trade: json!({"symbol": "XAUUSD", "gross": net}),
    }
}

fn keys(store: &Store) -> Vec<String> {
    let all = store.trades_between(Date::MIN, Date::MAX, 99).unwrap();
    all.into_iter().map(|stored| stored.trade.key).collect()
}

#[test]
fn money_comes_back_to_the_last_digit() {
    let dir = tempdir().unwrap();
    let trades = [trade("b", 3, "0.00000001"), trade("a", 2, "-123456789012.10"), trade("c", 4, "0.10")];
    let (id, added) = open(dir.path()).add_import(&import("март.htm"), &trades).unwrap().unwrap();
    assert_eq!(added, 3);

    let store = open(dir.path());
    let imports = store.imports().unwrap();
    assert!(imports.len() == 1 && imports[0].id == id && imports[0].begun == import("март.htm"));
    assert_eq!(imports[0].trades, 3);
    assert_eq!(keys(&store), ["a", "b", "c"], "by day");
    let stored = store.trades_between(date(2026, 3, 2), date(2026, 3, 3), 9).unwrap();
    assert!(stored.iter().map(|stored| &stored.trade).eq([&trades[1], &trades[0]]));
    let sums = store.trade_sums(date(2026, 3, 3)).unwrap();
    let shown: Vec<String> = sums.iter().map(|sum| sum.net.to_string()).collect();
    assert_eq!(shown, ["0.00000001", "0.10"]);
    assert_eq!(store.days_with_trades(date(2026, 3, 4), 2).unwrap(), Some(date(2026, 3, 2)));
    assert_eq!(store.days_with_trades(date(2026, 3, 2), 2).unwrap(), None);
}

#[test]
fn the_same_file_twice_adds_nothing() {
    let dir = tempdir().unwrap();
    let mut store = open(dir.path());
    let trades = [trade("a", 2, "1"), trade("b", 3, "2")];
    store.add_import(&import("март.htm"), &trades).unwrap().unwrap();
    assert_eq!(store.add_import(&import("март (1).htm"), &trades).unwrap(), None);
    assert_eq!((store.imports().unwrap().len(), keys(&store).len()), (1, 2));
    assert_eq!(store.known_trades(["b", "z"]).unwrap().into_iter().collect::<Vec<_>>(), ["b"]);
}

#[test]
fn an_undone_import_leaves_what_another_file_holds_too() {
    let dir = tempdir().unwrap();
    let mut store = open(dir.path());
    let (march, _) = store.add_import(&import("март.htm"), &[trade("a", 2, "1"), trade("b", 3, "2")]).unwrap().unwrap();
    let spring = [trade("b", 3, "2"), trade("c", 4, "3")];
    let (spring, added) = store.add_import(&import("весна.htm"), &spring).unwrap().unwrap();
    assert_eq!(added, 1);
    assert_eq!(store.undo_import(march).unwrap(), (1, None));
    assert_eq!(keys(&store), ["b", "c"]);
    assert_eq!(store.undo_import(spring).unwrap(), (2, None));
    assert!(keys(&store).is_empty() && store.imports().unwrap().is_empty());
    assert!(matches!(store.undo_import(march), Err(StoreError::NotFound("import"))));
    assert!(matches!(store.undo_import(ImportId::from(99)), Err(StoreError::NotFound("import"))));
    store.verify().unwrap();
}

#[test]
fn debug_output_names_no_file_and_no_sum() {
    let shown = format!("{:?} {:?}", import("Светлана.htm"), trade("a", 2, "-777"));
    assert!(!shown.contains("Светлана") && !shown.contains("777"), "{shown}");
}
