//! One `VEVENT`: when it begins, how long it lasts, and how it repeats.

use jiff::civil::{Date, DateTime, Time};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp, ZonedDateTime};

use super::lines::{Component, Property};
use super::rule::Rule;
use super::zones::Zones;
use crate::clean;

/// Longest title, in characters.
const LONGEST_TITLE: usize = 120;
/// What lasts longer is taken to last this long, in days.
const LONGEST_DAYS: u8 = 31;
/// The most dates of an `EXDATE` or `RDATE`.
const MOST_DATES: usize = 1000;

#[derive(Debug, Clone)]
pub struct Entry {
    pub uid: String,
    pub title: String,
    pub start: Start,
    /// Zero for days.
    pub lasts: SignedDuration,
    pub rule: Option<Rule>,
    /// It repeats in a way that is not read: only its first time is known.
    pub odd_rule: bool,
    pub also: Vec<DateTime>,
    pub except: Vec<DateTime>,
    /// The instance that this one replaces.
    pub stands_for: Option<Moment>,
    pub cancelled: bool,
    days: u8,
}

#[derive(Debug, Clone)]
pub enum Start {
    Day(Date),
    /// In whatever zone the user is.
    Floating(DateTime),
    Zoned(DateTime, TimeZone),
}

/// A start, comparable across zones.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Moment {
    At(Timestamp),
    Local(DateTime),
}

impl Start {
    /// In the event's own zone; midnight for a day.
    pub fn local(&self) -> DateTime {
        match self {
            Start::Day(date) => date.to_datetime(Time::midnight()),
            Start::Floating(at) | Start::Zoned(at, _) => *at,
        }
    }

    pub fn is_day(&self) -> bool {
        matches!(self, Start::Day(_))
    }

    /// Another time in the same zone; `None` where there is none.
    pub fn moment(&self, at: DateTime) -> Option<ZonedDateTime> {
        match self {
            Start::Zoned(_, zone) => at.to_zoned_datetime(zone.clone()).ok(),
            Start::Day(_) | Start::Floating(_) => None,
        }
    }

    /// Which instance the one at `at` is.
    pub fn key(&self, at: DateTime) -> Moment {
        self.moment(at).map_or(Moment::Local(at), |moment| Moment::At(moment.timestamp()))
    }

    /// A moment of another property, as a time in this one's zone.
    fn brought(&self, other: &Start) -> DateTime {
        match (self, other) {
            (Start::Zoned(_, own), Start::Zoned(at, zone)) => at
                .to_zoned_datetime(zone.clone())
                .map_or(*at, |at| at.timestamp().to_zoned_datetime(own.clone()).datetime()),
            _ => other.local(),
        }
    }
}

impl Entry {
    /// `None` where the start cannot be read.
    pub fn of(component: &Component, zones: &Zones) -> Option<Entry> {
        let start = time(component.first("DTSTART")?, zones)?;
        let ends = component.first("DTEND").and_then(|end| time(end, zones));
        let (lasts, days) = length(component, &start, ends.as_ref());
        let rule = component.first("RRULE");
        let read = rule.and_then(Rule::of);
        let dates = |name: &'static str| {
            let properties = component.all(name).flat_map(|property| times(property, zones));
            properties.map(|at| start.brought(&at)).take(MOST_DATES).collect::<Vec<_>>()
        };
        let stands_for = component.first("RECURRENCE-ID").and_then(|id| time(id, zones));
        Some(Entry {
            uid: component.first("UID").map(|uid| uid.value.trim().to_owned()).unwrap_or_default(),
            title: component
                .first("SUMMARY")
                .map(|title| clean::line(&title.text(), LONGEST_TITLE))
                .unwrap_or_default(),
            lasts,
            days,
            odd_rule: rule.is_some() && read.is_none(),
            rule: read.filter(|_| stands_for.is_none()),
            also: dates("RDATE"),
            except: dates("EXDATE"),
            stands_for: stands_for.map(|at| at.key(at.local())),
            cancelled: component
                .first("STATUS")
                .is_some_and(|status| status.value.trim().eq_ignore_ascii_case("CANCELLED")),
            start,
        })
    }

    /// How many days it touches, at least 1.
    pub fn days(&self) -> u8 {
        self.days
    }
}

fn length(component: &Component, start: &Start, ends: Option<&Start>) -> (SignedDuration, u8) {
    let longest = SignedDuration::from_hours(24 * i64::from(LONGEST_DAYS));
    let given = component
        .first("DURATION")
        .and_then(|duration| duration.value.trim().parse::<SignedDuration>().ok().or_else(|| in_days(&duration.value)));
    let lasts = match (start, ends) {
        (_, None) => given.unwrap_or_default(),
        (Start::Zoned(..), Some(end @ Start::Zoned(..))) => {
            let (from, to) = (start.moment(start.local()), end.moment(end.local()));
            from.zip(to).map(|(from, to)| to.timestamp().duration_since(from.timestamp())).unwrap_or_default()
        }
        (_, Some(end)) => end.local().duration_since(start.local()),
    };
    let lasts = lasts.clamp(SignedDuration::ZERO, longest);
    let whole = u8::try_from(lasts.as_hours() / 24).unwrap_or(LONGEST_DAYS);
    if start.is_day() { (lasts, whole.max(1)) } else { (lasts, whole + 1) }
}

/// "P1D", "P2W" and "P1DT2H": days of 24 hours.
fn in_days(text: &str) -> Option<SignedDuration> {
    let rest = text.trim().trim_start_matches('+').strip_prefix('P')?;
    let (days, time) = rest.split_once('T').map_or((rest, None), |(days, time)| (days, Some(time)));
    let hours = match days {
        "" => 0,
        days => {
            let (number, unit) = days.split_at_checked(days.len().checked_sub(1)?)?;
            let number = number.parse::<i64>().ok().filter(|number| *number <= 60)?;
            number
                * if unit == "W" {
                    7 * 24
                } else if unit == "D" {
                    24
                } else {
                    return None;
                }
        }
    };
    let time = time.map_or(Some(SignedDuration::ZERO), |time| format!("PT{time}").parse().ok())?;
    time.checked_add(SignedDuration::from_hours(hours))
}

fn time(property: &Property, zones: &Zones) -> Option<Start> {
    one(property.value.trim(), property, zones)
}

fn times(property: &Property, zones: &Zones) -> Vec<Start> {
    property.value.split(',').take(MOST_DATES).filter_map(|value| one(value.trim(), property, zones)).collect()
}

fn one(value: &str, property: &Property, zones: &Zones) -> Option<Start> {
    // A period begins with its start.
    let value = value.split('/').next().unwrap_or(value);
    match stamp(value)? {
        Stamp::Day(date) => Some(Start::Day(date)),
        Stamp::Utc(at) => Some(Start::Zoned(at, TimeZone::UTC)),
        Stamp::Local(at) => match property.parameter("TZID") {
            Some(id) => Some(Start::Zoned(at, zones.get(id)?)),
            None => Some(Start::Floating(at)),
        },
    }
}

pub enum Stamp {
    Day(Date),
    Local(DateTime),
    Utc(DateTime),
}

/// "20260304", "20260304T153000", "20260304T153000Z".
pub fn stamp(text: &str) -> Option<Stamp> {
    let bytes = text.as_bytes();
    let number = |from: usize, to: usize| {
        let digits = text.get(from..to)?;
        digits.bytes().all(|b| b.is_ascii_digit()).then(|| digits.parse::<i16>().ok())?
    };
    let short = |from: usize| number(from, from + 2).and_then(|n| i8::try_from(n).ok());
    let date = Date::new(number(0, 4)?, short(4)?, short(6)?).ok()?;
    if bytes.len() == 8 {
        return Some(Stamp::Day(date));
    }
    let utc = bytes.len() == 16 && matches!(bytes.get(15), Some(b'Z' | b'z'));
    if !matches!(bytes.get(8), Some(b'T' | b't')) || bytes.len() != 15 && !utc {
        return None;
    }
    // A leap second is the second before it.
    let at = date.to_datetime(Time::new(short(9)?, short(11)?, short(13)?.min(59), 0).ok()?);
    Some(if utc { Stamp::Utc(at) } else { Stamp::Local(at) })
}
