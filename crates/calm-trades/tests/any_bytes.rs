//! Whatever the bytes are: a report or a reason, never a panic; and the same twice.
#![allow(clippy::unwrap_used)]

use calm_trades::{Booked, Format, Options, days, header, read, recognise};
use proptest::prelude::*;

const FILES: [&str; 6] = [
    "mt4-statement.htm",
    "mt5-report-ru.html",
    "mt5-deals.csv",
    "binance-spot.csv",
    "ibkr-statement.csv",
    "generic-ru.csv",
];

fn check(bytes: &[u8]) {
    for format in [None, Some(Format::Generic), Some(Format::Mt5)] {
        let options = Options { format, zone: Some("ny+7".parse().unwrap()), ..Options::default() };
        let Ok(report) = read(bytes, &options) else { continue };
        assert_eq!(read(bytes, &options).as_ref(), Ok(&report));
        let mut keys: Vec<&str> = report.trades.iter().map(|trade| trade.key.as_str()).collect();
        keys.sort_unstable();
        keys.dedup();
        assert_eq!(keys.len(), report.trades.len(), "two trades with one key");
        let day = jiff::civil::date(2026, 3, 2);
        days(report.trades.iter().map(|trade| Booked::of(trade, day, Some("USD"))));
    }
    let _ignored = recognise(bytes, &Options::default());
    let _ignored = header(bytes);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        check(&bytes);
    }

    #[test]
    fn damaged_reports(
        which in 0..FILES.len(), cut in 0.0..1.0_f64,
        changes in prop::collection::vec((0.0..1.0_f64, any::<u8>()), 0..12),
    ) {
        let path = format!("{}/tests/files/{}", env!("CARGO_MANIFEST_DIR"), FILES[which]);
        let mut bytes = std::fs::read(path).unwrap();
        for (place, byte) in changes {
            let at = (place * (bytes.len() - 1) as f64) as usize;
            bytes[at] = byte;
        }
        bytes.truncate((cut * bytes.len() as f64) as usize);
        check(&bytes);
    }
}
