//! Dates and times in the ways in which these brokers write them.

use jiff::Timestamp;
use jiff::civil::{Date, DateTime, Time};
use jiff::tz::Offset;
use serde::{Deserialize, Serialize};

use crate::error::Reason;

/// Which comes first in 03/04/2026.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DateOrder {
    /// Day, month, year.
    Dmy,
    /// Month, day, year.
    Mdy,
}

/// A time as it stands in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Written {
    /// By the file's own clock.
    Clock(DateTime),
    /// It named its offset.
    Instant(Timestamp),
}

/// `Err` of [`Reason::NotATime`] where the order of day and month is needed and not known.
pub(crate) fn parse(text: &str, order: Option<DateOrder>) -> Result<Written, Reason> {
    let text = text.trim();
    if text.is_empty() {
        return Err(Reason::Missing);
    }
    if let Some(instant) = unix(text) {
        return instant.map(Written::Instant);
    }
    let text = text.replace([',', ';', '\u{a0}', '\u{202f}'], " ");
    let mut words: Vec<&str> = text.split_whitespace().collect();
    let first = words.first().copied().ok_or(Reason::NotATime)?;
    // ISO 8601 puts a T between date and time.
    let (date, joined) = match first.split_once(['T', 't']) {
        Some((date, time)) if date.starts_with(|c: char| c.is_ascii_digit()) => (date, Some(time)),
        _ => (first, None),
    };
    words.remove(0);
    if let Some(time) = joined {
        words.insert(0, time);
    }
    let date = read_date(date, order)?;
    let Some(clock) = words.first().copied() else { return Ok(Written::Clock(date.to_datetime(Time::midnight()))) };
    let (clock, offset) = split_offset(clock);
    let mut time = read_time(clock)?;
    let mut offset = offset.map(read_offset).transpose()?;
    for word in &words[1..] {
        match word.to_ascii_uppercase().as_str() {
            "AM" => time = twelve_hours(time, false)?,
            "PM" => time = twelve_hours(time, true)?,
            _ if offset.is_none() => offset = Some(read_offset(word)?),
            _ => return Err(Reason::NotATime),
        }
    }
    let moment = date.to_datetime(time);
    match offset {
        None => Ok(Written::Clock(moment)),
        Some(offset) => offset.to_timestamp(moment).map(Written::Instant).map_err(|_| Reason::NoSuchTime),
    }
}

/// Seconds or milliseconds since 1970, as exchanges' programs write them.
fn unix(text: &str) -> Option<Result<Timestamp, Reason>> {
    let digits = text.bytes().all(|b| b.is_ascii_digit());
    let number: i64 = text.parse().ok().filter(|_| digits)?;
    match text.len() {
        10 => Some(Timestamp::from_second(number).map_err(|_| Reason::NoSuchTime)),
        13 => Some(Timestamp::from_millisecond(number).map_err(|_| Reason::NoSuchTime)),
        _ => None,
    }
}

fn read_date(text: &str, order: Option<DateOrder>) -> Result<Date, Reason> {
    let number = |part: &str| part.parse::<i16>().ok().filter(|_| part.bytes().all(|b| b.is_ascii_digit()));
    let of = |year: Option<i16>, month: Option<i16>, day: Option<i16>| {
        let (year, month, day) =
            (year.ok_or(Reason::NotATime)?, month.ok_or(Reason::NotATime)?, day.ok_or(Reason::NotATime)?);
        let (month, day) = (i8::try_from(month), i8::try_from(day));
        let (Ok(month), Ok(day)) = (month, day) else { return Err(Reason::NoSuchTime) };
        Date::new(year, month, day).map_err(|_| Reason::NoSuchTime)
    };
    if text.len() == 8 && text.bytes().all(|b| b.is_ascii_digit()) {
        return of(number(&text[..4]), number(&text[4..6]), number(&text[6..]));
    }
    let Some((separator, [a, b, c])) = parts(text) else { return Err(Reason::NotATime) };
    let century = |year: i16| if year < 100 { year + 2000 } else { year };
    match (a.len(), separator, c.len()) {
        (4, _, _) => of(number(a), number(b), number(c)),
        // 26-03-02 is Binance's short year.
        (2, '-', 2) => of(number(a).map(century), number(b), number(c)),
        (1 | 2, '.', 2 | 4) => of(number(c).map(century), number(b), number(a)),
        (1 | 2, '/' | '-', 2 | 4) => match order {
            Some(DateOrder::Dmy) => of(number(c).map(century), number(b), number(a)),
            Some(DateOrder::Mdy) => of(number(c).map(century), number(a), number(b)),
            None => Err(Reason::NotATime),
        },
        _ => Err(Reason::NotATime),
    }
}

/// Three parts with the same mark between them.
fn parts(text: &str) -> Option<(char, [&str; 3])> {
    let separator = text.chars().find(|c| matches!(c, '.' | '-' | '/'))?;
    let mut parts = text.split(separator);
    let three = [parts.next()?, parts.next()?, parts.next()?];
    let short = three.iter().all(|part| (1..=4).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_digit()));
    (short && parts.next().is_none()).then_some((separator, three))
}

/// 03/04/2026 and its like, where only the order tells: the two numbers before the year.
pub(crate) fn undecided(text: &str) -> Option<(u8, u8)> {
    let date = text.trim().split([' ', ',', ';', 'T']).next()?;
    let (separator, [a, b, c]) = parts(date)?;
    let fits = a.len() <= 2 && b.len() <= 2 && separator != '.' && (c.len() == 4 || separator == '/');
    Some((a.parse().ok()?, b.parse().ok()?)).filter(|_| fits)
}

/// HH:MM, HH:MM:SS with or without a fraction, or HHMMSS.
fn read_time(text: &str) -> Result<Time, Reason> {
    let number = |part: &str| {
        let two = (1..=2).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_digit());
        part.parse::<i8>().ok().filter(|_| two).ok_or(Reason::NotATime)
    };
    if text.len() == 6 && text.bytes().all(|b| b.is_ascii_digit()) {
        let (hour, minute, second) = (number(&text[..2])?, number(&text[2..4])?, number(&text[4..])?);
        return Time::new(hour, minute, second, 0).map_err(|_| Reason::NoSuchTime);
    }
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let mut parts = whole.split(':');
    let (hour, minute) = (number(parts.next().unwrap_or(""))?, number(parts.next().unwrap_or(""))?);
    let second = parts.next().map(number).transpose()?.unwrap_or(0);
    if parts.next().is_some() || fraction.len() > 9 || !fraction.bytes().all(|b| b.is_ascii_digit()) {
        return Err(Reason::NotATime);
    }
    let nanos = format!("{fraction:0<9}").parse().map_err(|_| Reason::NotATime)?;
    Time::new(hour, minute, second, nanos).map_err(|_| Reason::NoSuchTime)
}

fn twelve_hours(time: Time, afternoon: bool) -> Result<Time, Reason> {
    let hour = match (time.hour(), afternoon) {
        (12, false) => 0,
        (12, true) => 12,
        (hour @ 1..=11, true) => hour + 12,
        (hour @ 1..=11, false) => hour,
        _ => return Err(Reason::NoSuchTime),
    };
    time.with().hour(hour).build().map_err(|_| Reason::NoSuchTime)
}

/// The offset that hangs on a time: `10:15:30Z`, `10:15:30+03:00`.
fn split_offset(text: &str) -> (&str, Option<&str>) {
    match text.find(['Z', 'z', '+', '-']) {
        Some(at) if at > 0 => (&text[..at], Some(&text[at..])),
        _ => (text, None),
    }
}

/// Offsets, and the two names that Interactive Brokers writes behind its times.
fn read_offset(text: &str) -> Result<Offset, Reason> {
    let hours = |hours| Offset::from_hours(hours).map_err(|_| Reason::NoSuchTime);
    let upper = text.to_ascii_uppercase();
    match upper.as_str() {
        "Z" | "UTC" | "GMT" => return Ok(Offset::UTC),
        "EST" => return hours(-5),
        "EDT" => return hours(-4),
        _ => {}
    }
    let sign = match upper.chars().next() {
        Some('+') => 1,
        Some('-') => -1,
        _ => return Err(Reason::NotATime),
    };
    let digits: String = upper[1..].chars().filter(|c| *c != ':').collect();
    if !digits.bytes().all(|b| b.is_ascii_digit()) || !matches!(digits.len(), 2 | 4) {
        return Err(Reason::NotATime);
    }
    let two = |range: std::ops::Range<usize>| digits.get(range).and_then(|d| d.parse::<i32>().ok()).unwrap_or(0);
    let seconds = sign * (two(0..2) * 3600 + two(2..4) * 60);
    Offset::from_seconds(seconds).map_err(|_| Reason::NoSuchTime)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use rstest::rstest;

    fn shown(text: &str, order: Option<DateOrder>) -> Result<String, Reason> {
        Ok(match parse(text, order)? {
            Written::Clock(clock) => clock.to_string(),
            Written::Instant(instant) => instant.to_string(),
        })
    }

    #[rstest]
    #[case::metatrader("2026.03.02 10:15:30", "2026-03-02T10:15:30")]
    #[case::metatrader_4("2026.03.02 10:15", "2026-03-02T10:15:00")]
    #[case::binance("2026-03-02 10:15:30", "2026-03-02T10:15:30")]
    #[case::binance_short("26-03-02 10:15:30", "2026-03-02T10:15:30")]
    #[case::flex("20260302;101530", "2026-03-02T10:15:30")]
    #[case::flex_named("2026-03-02;10:15:30 EST", "2026-03-02T15:15:30Z")]
    #[case::flex_summer("20260602;101530 EDT", "2026-06-02T14:15:30Z")]
    #[case::statement("2026-03-02, 10:15:30", "2026-03-02T10:15:30")]
    #[case::a_day("20260302", "2026-03-02T00:00:00")]
    #[case::russian("02.03.2026 10:15:30", "2026-03-02T10:15:30")]
    #[case::short_russian("2.3.26 9:05", "2026-03-02T09:05:00")]
    #[case::iso("2026-03-02T10:15:30.250Z", "2026-03-02T10:15:30.25Z")]
    #[case::iso_offset("2026-03-02T10:15:30+03:00", "2026-03-02T07:15:30Z")]
    #[case::milliseconds("1772446530000", "2026-03-02T10:15:30Z")]
    fn reads(#[case] text: &str, #[case] expected: &str) {
        assert_eq!(shown(text, None).as_deref(), Ok(expected));
    }

    #[rstest]
    #[case("03/04/2026 1:05:00 PM", DateOrder::Mdy, "2026-03-04T13:05:00")]
    #[case("03/04/2026 12:05 AM", DateOrder::Dmy, "2026-04-03T00:05:00")]
    #[case("3-4-2026", DateOrder::Dmy, "2026-04-03T00:00:00")]
    fn reads_in_order(#[case] text: &str, #[case] order: DateOrder, #[case] expected: &str) {
        assert_eq!(shown(text, Some(order)).as_deref(), Ok(expected));
        assert_eq!(shown(text, None), Err(Reason::NotATime));
    }

    #[rstest]
    #[case::nothing(" ", Reason::Missing)]
    #[case::no_such_day("2026.02.30 10:00", Reason::NoSuchTime)]
    #[case::no_such_hour("2026.02.20 25:00", Reason::NoSuchTime)]
    #[case::word("balance", Reason::NotATime)]
    #[case::number("12.5", Reason::NotATime)]
    #[case::two_numbers("1.2.3.4", Reason::NotATime)]
    #[case::zone_of_the_moon("2026-03-02 10:00 LUNA", Reason::NotATime)]
    fn refuses(#[case] text: &str, #[case] expected: Reason) {
        assert_eq!(shown(text, None), Err(expected));
    }

    proptest! {
        #[test]
        fn every_way_of_writing_a_time_gives_it_back(second in 946_684_800_i64..4_102_444_799) {
            let moment = Offset::UTC.to_datetime(Timestamp::from_second(second).expect("in range"));
            for format in ["%Y.%m.%d %H:%M:%S", "%Y-%m-%d %H:%M:%S", "%Y%m%d;%H%M%S", "%Y-%m-%d, %H:%M:%S",
                "%d.%m.%Y %H:%M:%S", "%y-%m-%d %H:%M:%S", "%m/%d/%Y %H:%M:%S", "%m/%d/%Y %I:%M:%S %p"] {
                let text = moment.strftime(format).to_string();
                prop_assert_eq!(parse(&text, Some(DateOrder::Mdy)), Ok(Written::Clock(moment)), "{}", text);
            }
        }

        #[test]
        fn nothing_panics(text in "[0-9TZ:.,;/ +a-zÀ-я-]{0,30}", any in ".{0,30}") {
            for text in [text, any] {
                let _ignored = (parse(&text, None), parse(&text, Some(DateOrder::Dmy)), undecided(&text));
            }
        }
    }
}
