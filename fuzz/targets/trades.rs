//! A broker's report of any content, read as any format: each trade has a key of its own, and days add up.
#![no_main]

use std::collections::HashSet;

use calm_trades::{Booked, Format, Options, days, read, recognise};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let Some((kind, rest)) = bytes.split_first() else { return };
    let format = Format::ALL.get(usize::from(*kind)).copied();
    let options = Options { format, zone: "ny+7".parse().ok(), ..Options::default() };
    let _ignored = recognise(rest, &options);
    let Ok(report) = read(rest, &options) else { return };
    let keys: HashSet<&str> = report.trades.iter().map(|trade| trade.key.as_str()).collect();
    assert_eq!(keys.len(), report.trades.len());
    let day = jiff::civil::date(2026, 3, 2);
    days(report.trades.iter().map(|trade| Booked::of(trade, day, report.currency.as_deref())));
});
