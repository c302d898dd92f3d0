//! A broker's report from the terminal: looked at, taken over, counted, taken back.

#![allow(clippy::unwrap_used)]

mod support;

use rstest::rstest;
use serde_json::json;
use support::{Folder, House, NOW};

fn file(name: &str) -> String {
    format!("{}/../calm-trades/tests/files/{name}", env!("CARGO_MANIFEST_DIR"))
}

fn printed(house: &House, args: &[&str]) -> String {
    let output = house.command(args).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn in_moscow() -> House {
    let house = House::new();
    house.calm(["settings", "set", "time_zone", "Europe/Moscow"]);
    house
}

#[test]
fn a_report_is_looked_at_taken_over_once_and_taken_back() {
    let house = in_moscow();
    let statement = file("mt4-statement.htm");
    let args = ["trades", "import", &statement, "--zone", "Europe/Athens", "--now", NOW];
    let looked = house.calm(args.iter().chain(&["--preview"]));
    assert_eq!((looked.code, looked.types()), (0, vec!["recognised", "preview"]), "{}", looked.stderr);
    assert_eq!(looked.one("recognised")["format"], "mt4");
    let preview = looked.one("preview");
    assert_eq!((&preview["trades"], &preview["known"], &preview["doubtful_times"]), (&json!(3), &json!(0), &json!(1)));
    assert_eq!(preview["refused"], json!([{"line": 15, "column": "Profit", "reason": "not_a_number"}]));
    let days = [("2026-03-02", "-20.70"), ("2026-03-27", "1131.55"), ("2026-03-29", "195.90")];
    for ((day, net), shown) in days.iter().zip(preview["days"].as_array().unwrap()) {
        assert_eq!((&shown["day"], &shown["net"]), (&json!(day), &json!([{"currency": "USD", "amount": net}])));
    }
    assert_eq!(house.calm(["trades"]).events.len(), 0, "a look takes nothing over");

    let imported = house.calm(args);
    assert_eq!((&imported.one("imported")["id"], &imported.one("imported")["added"]), (&json!(1), &json!(3)));
    let again = house.calm(args);
    let again = again.one("imported");
    assert_eq!((&again["id"], &again["added"], &again["known"]), (&json!(null), &json!(0), &json!(3)));

    let listed = house.calm(["trades", "list"]);
    assert_eq!(listed.types(), ["import", "trade_day", "trade_day", "trade_day"]);
    assert_eq!(listed.one("import")["file"], "mt4-statement.htm");
    let day = house.calm(["trades", "list", "--day", "2026-03-27"]);
    assert_eq!((&day.one("trade")["symbol"], &day.one("trade")["gross"]), (&json!("XAUUSD"), &json!("1135.00")));
    let line = printed(&house, &["trades", "list", "--day", "2026-03-27"]);
    assert_eq!(line.split_whitespace().collect::<Vec<_>>(), ["17:30:00", "XAUUSD", "1131.55", "USD"]);

    assert_eq!(house.calm(["trades", "undo", "1"]).one("undone")["trades"], 3);
    assert_eq!(house.calm(["trades"]).events.len(), 0);
    assert_eq!(house.calm(["trades", "undo", "1"]).code, 2);
}

#[rstest]
#[case::whose_clock(&["mt4-statement.htm"], "zone_needed", "ny+7")]
#[case::no_such_format(&["mt4-statement.htm", "--format", "mt6"], "usage", "mt6")]
#[case::no_such_zone(&["mt4-statement.htm", "--zone", "Mars/Olympus"], "usage", "ny+7")]
#[case::no_such_field(&["generic-ru.csv", "--map", "Дата=when"], "bad_input", "closed_at")]
#[case::no_such_column(&["generic-ru.csv", "--zone", "utc", "--map", "Gewinn=profit"], "bad_trades", "Gewinn")]
#[case::another_broker(&["binance-futures.csv", "--format", "ibkr"], "bad_trades", "table")]
#[case::not_there(&["nothing.csv"], "bad_document", "nothing.csv")]
fn a_file_that_cannot_be_read_is_one_line_and_leaves_no_trace(
    #[case] args: &[&str],
    #[case] code: &str,
    #[case] names: &str,
) {
    let house = House::new();
    let path = file(args[0]);
    let failed = house.calm(["trades", "import", &path].iter().chain(&args[1..]));
    assert_eq!(failed.code, 2);
    let error = failed.one("error");
    let message = error["message"].as_str().unwrap();
    assert_eq!(error["code"], code, "{message}");
    assert!(message.contains(names) && message.lines().count() == 1, "{message}");
    assert!(!house.data.exists(), "it left a database behind");
}

/// A table of `days` days in January, each with one trade that comes to `net`.
fn table(folder: &Folder, days: std::ops::RangeInclusive<u32>, net: impl Fn(u32) -> i64) -> String {
    let rows: Vec<String> = days.map(|n| format!("2026-01-{n:02}T15:00:00Z,ES,{},USD", net(n))).collect();
    folder.write("table.csv", &format!("closed_at,symbol,profit,currency\n{}\n", rows.join("\n")));
    folder.path("table.csv")
}

#[test]
fn trades_tell_of_days_that_the_user_has_not_told_of() {
    let house = in_moscow();
    let folder = Folder::of(&[]);
    // Twelve usual days, then three that lost.
    let path = table(&folder, 10..=24, |n| if n < 22 { i64::from(n) * 10 } else { -300 });
    house.calm(["trades", "import", &path]);
    let at = |day: u32, hour: u32| format!("2026-01-{day:02}T{hour:02}:00:00Z");

    let context = |kind: &str, now: &str| {
        let run =
            house.calm(["--lang", "ru", "session", kind, "--now", now, "--say", "всё спокойно, не хочу говорить"]);
        run.one("session_started")["context"]["user"].clone()
    };
    let evening = context("check-out", &at(24, 18));
    let today = json!({"result": "loss", "category": "large", "net": "-300", "currency": "USD", "trades": 1});
    assert_eq!(evening["trades_today"], today);
    assert_eq!(evening["streak"], json!({"type": "losing", "count": 2}), "of the days before");
    let morning = context("check-in", &at(25, 6));
    assert_eq!((&morning["last_session_result"], &morning["results_of_trades"]), (&json!("loss"), &json!(true)));
    assert_eq!(morning["streak"], json!({"type": "losing", "count": 3}));
    assert_eq!(morning["trades_today"], json!(null));

    // What the user says of a day counts, whatever its trades came to.
    let said = ["--lang", "ru", "session", "check-out", "--now", &at(24, 20), "--say", "день в плюс, по плану"];
    let ended = house.calm(said);
    assert_eq!(ended.one("session_ended")["arguments"]["extracted_attributes"]["session_result"], "win");
    let later = context("check-in", &at(26, 6));
    assert_eq!(later["streak"], json!({"type": "winning", "count": 1}));
    let insights = house.calm(["insights"]);
    let summary = insights.one("insights_summary");
    assert_eq!((&summary["results_said"], &summary["results_of_trades"]), (&json!(1), &json!(14)));
    assert_eq!(summary["currency"], "USD");
}

#[test]
fn insights_tell_what_is_known_and_what_is_missing() {
    let house = in_moscow();
    assert!(printed(&house, &["insights"]).contains('…'));
    let folder = Folder::of(&[]);
    let path = table(&folder, 1..=12, |n| if n % 3 == 0 { -50 } else { i64::from(n) * 10 });
    house.calm(["trades", "import", &path]);
    let insights = house.calm(["--lang", "ru", "insights"]);
    assert_eq!(insights.all("insight").count(), 8);
    let of = |kind: &str| insights.all("insight").find(|insight| insight["kind"] == kind).unwrap().clone();
    let plus = of("plus_days");
    assert_eq!(
        (&plus["n"], &plus["missing"], &plus["figures"]["share"]),
        (&json!(12), &json!(0), &json!({"k": 8, "n": 12}))
    );
    assert_eq!(plus["figures"]["method"], "wilson");
    let median = of("median_day");
    assert_eq!((&median["figures"]["median"], &median["figures"]["total"]), (&json!("30"), &json!("280")));
    assert!(median["sentence"].as_str().unwrap().contains("+30,00 USD"), "{median}");
    let plan = of("plan_kept");
    assert_eq!((&plan["missing"], &plan["n"], &plan["figures"]), (&json!(8), &json!(0), &json!(null)));
    let english = printed(&house, &["--lang", "en", "insights"]);
    assert!(english.contains("8 of 12 results were up") && english.contains("12 from trades"), "{english}");
}

#[test]
fn formats_are_named() {
    let house = House::new();
    assert_eq!(house.calm(["trades", "formats"]).all("format").count(), 5);
    assert!(!house.data.exists());
}
