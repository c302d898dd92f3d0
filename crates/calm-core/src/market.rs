//! The hours in which the user trades, and what is to be asked around them (SPEC D1).

use jiff::civil::{Date, Time, Weekday};
use jiff::{SignedDuration, Timestamp, ToSpan, ZonedDateTime};
use serde::{Deserialize, Serialize};

use crate::session::Kind;

/// A check-in is asked for this long before the market opens.
const BEFORE: SignedDuration = SignedDuration::from_mins(15);
/// A check-out is no longer asked for when the market has been closed for this long.
const AFTER: SignedDuration = SignedDuration::from_hours(4);

/// Local time; a close that is not after the open is on the next day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hours {
    pub open: Time,
    pub close: Time,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Days {
    #[default]
    Weekdays,
    EveryDay,
}

/// A talk that the market's hours ask for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Call {
    pub kind: Kind,
    /// The moment from which it is asked for.
    pub at: Timestamp,
    /// The market has opened, or closed, meanwhile.
    pub passed: bool,
}

impl Hours {
    /// Of the user's own words, such as "10:00–18:45", "пн–пт с 16:30 до 23:00" or "9:30 am to 4 pm".
    ///
    /// `None` where there are not exactly two times in them.
    pub fn read(text: &str) -> Option<Hours> {
        let mut times = times(text);
        let (open, close) = (times.next()??, times.next()??);
        (times.next().is_none() && open != close).then_some(Hours { open, close })
    }

    /// What is to be asked at `now`: the newest call of the last two days that is still worth it and came after
    /// `asked`, the moment of the one before.
    ///
    /// A moment more than a day ahead comes from a clock that was wrong, and counts as none.
    pub fn call(self, days: Days, now: &ZonedDateTime, asked: Option<Timestamp>) -> Option<Call> {
        let at = now.timestamp();
        let asked = asked.filter(|asked| asked.duration_since(at) <= SignedDuration::from_hours(24));
        let today = now.date();
        let calls = [today.saturating_sub(1.day()), today].into_iter().filter(|day| days.has(*day));
        let calls = calls.flat_map(|day| self.calls_of(day, now)).flatten();
        calls.filter(|call| asked.is_none_or(|asked| call.at > asked)).max_by_key(|call| call.at)
    }

    /// What the market of one day asks for at `now`.
    fn calls_of(self, day: Date, now: &ZonedDateTime) -> [Option<Call>; 2] {
        let moment = |day: Date, time: Time| {
            Some(day.to_datetime(time).to_zoned_datetime(now.time_zone().clone()).ok()?.timestamp())
        };
        let next = if self.close > self.open { day } else { day.saturating_add(1.day()) };
        let (Some(open), Some(close)) = (moment(day, self.open), moment(next, self.close)) else { return [None; 2] };
        let now = now.timestamp();
        let call = |kind, at: Timestamp, passed, until| (at <= now && now < until).then_some(Call { kind, at, passed });
        [
            open.checked_sub(BEFORE).ok().and_then(|at| call(Kind::CheckIn, at, open <= now, close)),
            close.checked_add(AFTER).ok().and_then(|until| call(Kind::CheckOut, close, true, until)),
        ]
    }
}

impl Days {
    fn has(self, day: Date) -> bool {
        self == Days::EveryDay || !matches!(day.weekday(), Weekday::Saturday | Weekday::Sunday)
    }
}

/// Every number that could be a time, in order; `None` for one that is none.
fn times(text: &str) -> impl Iterator<Item = Option<Time>> + '_ {
    let mut rest = text;
    std::iter::from_fn(move || {
        rest = &rest[rest.find(|c: char| c.is_ascii_digit())?..];
        // "24/7" is no time.
        let hour = number(&mut rest).filter(|_| !rest.starts_with('/'));
        let minute = match rest.strip_prefix([':', '.']) {
            Some(after) if after.starts_with(|c: char| c.is_ascii_digit()) => {
                rest = after;
                number(&mut rest)
            }
            _ => Some(0),
        };
        let half = rest.trim_start().to_lowercase();
        let hour = match hour {
            Some(24) => Some(0),
            Some(12) if half.starts_with("am") => Some(0),
            Some(hour @ 1..12) if half.starts_with("pm") => Some(hour + 12),
            hour => hour,
        };
        Some(hour.zip(minute).and_then(|(hour, minute)| Time::new(hour, minute, 0, 0).ok()))
    })
}

/// The digits at the start of `rest`, which goes on after them; `None` where they are too many.
fn number(rest: &mut &str) -> Option<i8> {
    let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    let (digits, after) = rest.split_at(end);
    *rest = after;
    digits.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::civil::time;
    use proptest::prelude::*;
    use rstest::rstest;

    #[rstest]
    #[case("10:00–18:45", Some((10, 0, 18, 45)))]
    #[case("09.30 - 16.00 NY", Some((9, 30, 16, 0)))]
    #[case("пн–пт с 16:30 до 23:00", Some((16, 30, 23, 0)))]
    #[case("с 10 до 19", Some((10, 0, 19, 0)))]
    #[case("9:30 am to 4 pm", Some((9, 30, 16, 0)))]
    #[case("22:00–05:00", Some((22, 0, 5, 0)))]
    #[case("18:00-24:00", Some((18, 0, 0, 0)))]
    #[case("", None)]
    #[case("24/7", None)]
    #[case("утром", None)]
    #[case("с 10:00", None)]
    #[case("10:00–14:00, 16:00–19:00", None)]
    #[case("10:75–18:00", None)]
    #[case("1000–1800", None)]
    #[case("10:00–10:00", None)]
    fn hours_are_read_from_the_users_words(#[case] text: &str, #[case] read: Option<(i8, i8, i8, i8)>) {
        let hours = read.map(|(a, b, c, d)| Hours { open: time(a, b, 0, 0), close: time(c, d, 0, 0) });
        assert_eq!(Hours::read(text), hours);
    }

    fn called(hours: &str, days: Days, now: &str, asked: Option<&str>) -> Option<(Kind, String, bool)> {
        let now: ZonedDateTime = now.parse().expect("a moment");
        let asked = asked.map(|asked| asked.parse().expect("a moment"));
        let call = Hours::read(hours).expect("hours").call(days, &now, asked)?;
        let at = call.at.to_zoned_datetime(now.time_zone().clone());
        Some((call.kind, at.strftime("%d %H:%M").to_string(), call.passed))
    }

    // 2026-03-04 is a Wednesday.
    #[rstest]
    #[case::too_early("2026-03-04T09:44:59+03:00[Europe/Moscow]", None)]
    #[case::before_the_open("2026-03-04T09:45:00+03:00[Europe/Moscow]", Some((Kind::CheckIn, "04 09:45", false)))]
    #[case::woken_late("2026-03-04T15:00:00+03:00[Europe/Moscow]", Some((Kind::CheckIn, "04 09:45", true)))]
    #[case::the_close("2026-03-04T18:45:00+03:00[Europe/Moscow]", Some((Kind::CheckOut, "04 18:45", true)))]
    #[case::evening("2026-03-04T22:44:59+03:00[Europe/Moscow]", Some((Kind::CheckOut, "04 18:45", true)))]
    #[case::night("2026-03-04T22:45:00+03:00[Europe/Moscow]", None)]
    #[case::saturday("2026-03-07T12:00:00+03:00[Europe/Moscow]", None)]
    fn a_check_in_before_the_market_and_a_check_out_after_it(
        #[case] now: &str,
        #[case] call: Option<(Kind, &str, bool)>,
    ) {
        let call = call.map(|(kind, at, passed)| (kind, at.to_owned(), passed));
        assert_eq!(called("10:00–18:45", Days::Weekdays, now, None), call);
    }

    #[test]
    fn each_is_asked_for_once() {
        let at = |now, asked| called("10:00–18:45", Days::Weekdays, now, Some(asked)).map(|(kind, ..)| kind);
        assert_eq!(at("2026-03-04T12:00:00+03:00[Europe/Moscow]", "2026-03-04T06:45:00Z"), None);
        assert_eq!(at("2026-03-04T19:00:00+03:00[Europe/Moscow]", "2026-03-04T06:45:00Z"), Some(Kind::CheckOut));
        // A clock that was a year ahead for a while silences nothing.
        assert_eq!(at("2026-03-04T12:00:00+03:00[Europe/Moscow]", "2027-03-04T06:45:00Z"), Some(Kind::CheckIn));
    }

    #[test]
    fn a_night_market_closes_on_the_next_day_and_belongs_to_the_day_it_opened_on() {
        let night = |now| called("22:00–05:00", Days::Weekdays, now, None);
        // Friday's market closes on Saturday, and Sunday has none.
        let saturday = Some((Kind::CheckOut, "07 05:00".to_owned(), true));
        assert_eq!(night("2026-03-07T05:30:00+03:00[Europe/Moscow]"), saturday);
        assert_eq!(night("2026-03-08T21:50:00+03:00[Europe/Moscow]"), None);
        let every = called("22:00–05:00", Days::EveryDay, "2026-03-08T21:50:00+03:00[Europe/Moscow]", None);
        assert_eq!(every, Some((Kind::CheckIn, "08 21:45".to_owned(), false)));
    }

    #[test]
    fn the_hours_are_those_of_the_wall_when_the_clocks_change() {
        // New York springs forward on Sunday 2026-03-08: Monday's 09:15 is 13:15 UTC, Friday's was 14:15.
        let at = |now| called("9:30–16:00", Days::Weekdays, now, None).map(|(_, at, _)| at);
        assert_eq!(at("2026-03-06T09:15:00-05:00[America/New_York]").as_deref(), Some("06 09:15"));
        assert_eq!(at("2026-03-09T09:15:00-04:00[America/New_York]").as_deref(), Some("09 09:15"));
        assert_eq!(at("2026-03-09T08:15:00-04:00[America/New_York]"), None);
    }

    proptest! {
        #[test]
        fn any_text_is_read_without_harm(text in "\\PC{0,80}") {
            Hours::read(&text);
        }

        #[test]
        fn two_times_read_back(a in 0..24_i8, b in 0..60_i8, c in 0..24_i8, d in 0..60_i8) {
            prop_assume!((a, b) != (c, d));
            let hours = Hours { open: time(a, b, 0, 0), close: time(c, d, 0, 0) };
            prop_assert_eq!(Hours::read(&format!("{a}:{b:02} — {c:02}.{d:02}")), Some(hours));
        }
    }
}
