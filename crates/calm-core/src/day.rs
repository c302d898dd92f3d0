//! The trading day: it starts when the user says, where the user is (SPEC S2).

use jiff::civil::{Date, Time};
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};

/// The trading day that `now` belongs to, for a day that starts at `day_start` local time.
///
/// It is the local calendar date, or the date before it while the clock on the wall has
/// not reached `day_start` yet. Because it compares wall-clock times, a DST change makes
/// one day an hour longer or shorter and never moves a session to another day.
pub fn trading_day(now: Timestamp, zone: &TimeZone, day_start: Time) -> Date {
    let local = zone.to_datetime(now);
    if local.time() >= day_start { local.date() } else { local.date().saturating_sub(1.day()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::civil::date;
    use rstest::rstest;

    #[rstest]
    #[case::midnight_start("2026-03-02T00:10:00+03:00", "Europe/Moscow", "00:00", date(2026, 3, 2))]
    #[case::before_the_start("2026-03-02T03:59:59+03:00", "Europe/Moscow", "04:00", date(2026, 3, 1))]
    #[case::at_the_start("2026-03-02T04:00:00+03:00", "Europe/Moscow", "04:00", date(2026, 3, 2))]
    #[case::utc_evening_is_local_morning("2026-03-01T22:30:00Z", "Europe/Moscow", "00:00", date(2026, 3, 2))]
    // New York springs forward on 2026-03-08 at 02:00: 02:30 does not exist on the wall.
    #[case::dst_gap_before("2026-03-08T06:59:00Z", "America/New_York", "02:30", date(2026, 3, 7))]
    #[case::dst_gap_after("2026-03-08T07:00:00Z", "America/New_York", "02:30", date(2026, 3, 8))]
    // It falls back on 2026-11-01: 01:30 happens twice, and both belong to the same day.
    #[case::dst_first_half_past_one("2026-11-01T05:30:00Z", "America/New_York", "01:00", date(2026, 11, 1))]
    #[case::dst_second_half_past_one("2026-11-01T06:30:00Z", "America/New_York", "01:00", date(2026, 11, 1))]
    fn day_of(#[case] now: Timestamp, #[case] zone: &str, #[case] start: Time, #[case] expected: Date) {
        let zone = TimeZone::get(zone).expect("a zone of the bundled database");
        assert_eq!(trading_day(now, &zone, start), expected);
    }
}
