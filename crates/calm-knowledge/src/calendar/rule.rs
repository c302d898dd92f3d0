//! A repetition (`RRULE`), asked day by day: does it name this date?
//!
//! Daily to yearly, with `INTERVAL`, `COUNT`, `UNTIL`, `BYDAY`, `BYMONTHDAY`, `BYMONTH`, `BYSETPOS` and `WKST`.

use jiff::civil::{Date, DateTime, Weekday};
use jiff::{Timestamp, ToSpan, Unit};

use super::event::{Stamp, stamp};
use super::lines::Property;

/// How many days may be counted through for rules with `COUNT`, all of them together.
pub const BUDGET: u32 = 2_000_000;

#[derive(Debug, Clone)]
pub struct Rule {
    frequency: Frequency,
    interval: i64,
    count: Option<u32>,
    until: Option<Until>,
    /// With the place in the month where one is given: -1 is the last.
    weekdays: Vec<(i8, Weekday)>,
    month_days: Vec<i8>,
    months: Vec<i8>,
    places: Vec<i16>,
    week_start: Weekday,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Frequency {
    Daily,
    Weekly,
    Monthly,
    Yearly,
}

#[derive(Debug, Clone, Copy)]
enum Until {
    Day(Date),
    Local(DateTime),
    Moment(Timestamp),
}

impl Rule {
    /// `None` for what is not read: several times a day, week numbers, days of the year.
    pub fn of(property: &Property) -> Option<Rule> {
        let mut rule = Rule {
            frequency: Frequency::Daily,
            interval: 1,
            count: None,
            until: None,
            weekdays: Vec::new(),
            month_days: Vec::new(),
            months: Vec::new(),
            places: Vec::new(),
            week_start: Weekday::Monday,
        };
        let mut named = false;
        for (key, value) in property.pairs() {
            match key.as_str() {
                "FREQ" => {
                    rule.frequency = frequency(value)?;
                    named = true;
                }
                "INTERVAL" => rule.interval = value.parse().ok().filter(|interval| (1..=10_000).contains(interval))?,
                "COUNT" => rule.count = Some(value.parse().ok()?),
                "UNTIL" => rule.until = Some(until(value)?),
                "BYDAY" => rule.weekdays = list(value, place_and_weekday)?,
                "BYMONTHDAY" => rule.month_days = list(value, |day| day.parse().ok().filter(|day| *day != 0))?,
                "BYMONTH" => rule.months = list(value, |month| month.parse().ok())?,
                "BYSETPOS" => rule.places = list(value, |place| place.parse().ok().filter(|place| *place != 0))?,
                "WKST" => rule.week_start = weekday(value)?,
                "BYHOUR" | "BYMINUTE" | "BYSECOND" | "BYWEEKNO" | "BYYEARDAY" => return None,
                _ => {}
            }
        }
        let placed = !rule.places.is_empty() && rule.frequency != Frequency::Monthly;
        (named && !placed).then_some(rule)
    }

    /// Whether an event that first begins at `first` begins on `date` too. The count of days goes down with the work.
    pub fn names(&self, date: Date, first: &DateTime, is_day: bool, budget: &mut u32) -> bool {
        let start = first.date();
        if date < start {
            return false;
        }
        if date == start {
            return true;
        }
        if !self.matches(date, start) {
            return false;
        }
        // Cheap before dear: nothing is counted for a day past the end.
        if is_day && !self.holds_until(&date.to_datetime(first.time()), None) {
            return false;
        }
        let Some(count) = self.count else { return true };
        let mut seen = 1;
        let mut day = start;
        while day < date {
            if *budget == 0 || seen > count {
                return false;
            }
            *budget -= 1;
            day = day.saturating_add(1.day());
            seen += u32::from(self.matches(day, start));
        }
        seen <= count
    }

    pub fn holds_until(&self, start: &DateTime, moment: Option<Timestamp>) -> bool {
        match self.until {
            None => true,
            Some(Until::Day(last)) => start.date() <= last,
            Some(Until::Local(last)) => *start <= last,
            Some(Until::Moment(last)) => match moment {
                Some(moment) => moment <= last,
                // A floating time against a moment: its day decides.
                None => start.date() <= jiff::tz::TimeZone::UTC.to_datetime(last).date(),
            },
        }
    }

    fn matches(&self, date: Date, start: Date) -> bool {
        if !self.months.is_empty() && !self.months.contains(&date.month()) {
            return false;
        }
        match self.frequency {
            Frequency::Daily => {
                self.is_nth(days_between(start, date)) && self.fits_month_day(date) && self.fits_weekday(date)
            }
            Frequency::Weekly => {
                let weeks = days_between(self.week_of(start), self.week_of(date)) / 7;
                let day =
                    if self.weekdays.is_empty() { date.weekday() == start.weekday() } else { self.fits_weekday(date) };
                self.is_nth(weeks) && day
            }
            Frequency::Monthly => self.is_nth(months_between(start, date)) && self.in_month(date, start),
            Frequency::Yearly => {
                let month = !self.months.is_empty() || date.month() == start.month();
                self.is_nth(i64::from(date.year() - start.year())) && month && self.in_month(date, start)
            }
        }
    }

    fn is_nth(&self, distance: i64) -> bool {
        distance % self.interval == 0
    }

    fn week_of(&self, date: Date) -> Date {
        date.saturating_sub(i64::from(date.weekday().since(self.week_start)).days())
    }

    fn in_month(&self, date: Date, start: Date) -> bool {
        if self.places.is_empty() {
            return self.is_candidate(date, start);
        }
        let candidates: Vec<Date> = (1..=date.days_in_month())
            .filter_map(|day| Date::new(date.year(), date.month(), day).ok())
            .filter(|day| self.is_candidate(*day, start))
            .collect();
        let Some(at) = candidates.iter().position(|candidate| *candidate == date) else { return false };
        let (from_start, from_end) = (at + 1, candidates.len() - at);
        self.places.iter().any(|place| {
            let wanted = usize::from(place.unsigned_abs());
            if *place > 0 { wanted == from_start } else { wanted == from_end }
        })
    }

    fn is_candidate(&self, date: Date, start: Date) -> bool {
        if self.weekdays.is_empty() && self.month_days.is_empty() {
            return date.day() == start.day();
        }
        self.fits_month_day(date) && self.fits_weekday(date)
    }

    fn fits_month_day(&self, date: Date) -> bool {
        let from_end = date.day() - date.days_in_month() - 1;
        self.month_days.is_empty() || self.month_days.iter().any(|day| *day == date.day() || *day == from_end)
    }

    fn fits_weekday(&self, date: Date) -> bool {
        let of_month = matches!(self.frequency, Frequency::Monthly | Frequency::Yearly);
        let from_start = (date.day() - 1) / 7 + 1;
        let from_end = -((date.days_in_month() - date.day()) / 7 + 1);
        self.weekdays.is_empty()
            || self.weekdays.iter().any(|(place, weekday)| {
                let placed = *place == 0 || !of_month || *place == from_start || *place == from_end;
                *weekday == date.weekday() && placed
            })
    }
}

fn days_between(from: Date, to: Date) -> i64 {
    from.until((Unit::Day, to)).map_or(0, |span| i64::from(span.get_days()))
}

fn months_between(from: Date, to: Date) -> i64 {
    i64::from(to.year() - from.year()) * 12 + i64::from(to.month() - from.month())
}

fn frequency(name: &str) -> Option<Frequency> {
    match name.to_ascii_uppercase().as_str() {
        "DAILY" => Some(Frequency::Daily),
        "WEEKLY" => Some(Frequency::Weekly),
        "MONTHLY" => Some(Frequency::Monthly),
        "YEARLY" => Some(Frequency::Yearly),
        _ => None,
    }
}

fn until(value: &str) -> Option<Until> {
    Some(match stamp(value)? {
        Stamp::Day(day) => Until::Day(day),
        Stamp::Local(at) => Until::Local(at),
        Stamp::Utc(at) => Until::Moment(jiff::tz::TimeZone::UTC.to_timestamp(at).ok()?),
    })
}

fn list<T>(value: &str, one: impl Fn(&str) -> Option<T>) -> Option<Vec<T>> {
    value.split(',').take(100).map(|item| one(item.trim())).collect()
}

/// "FR", "2TU", "-1FR".
fn place_and_weekday(text: &str) -> Option<(i8, Weekday)> {
    let (place, day) = text.split_at_checked(text.len().checked_sub(2)?)?;
    let place = if place.is_empty() { 0 } else { place.parse().ok()? };
    Some((place, weekday(day)?))
}

fn weekday(name: &str) -> Option<Weekday> {
    match name.to_ascii_uppercase().as_str() {
        "MO" => Some(Weekday::Monday),
        "TU" => Some(Weekday::Tuesday),
        "WE" => Some(Weekday::Wednesday),
        "TH" => Some(Weekday::Thursday),
        "FR" => Some(Weekday::Friday),
        "SA" => Some(Weekday::Saturday),
        "SU" => Some(Weekday::Sunday),
        _ => None,
    }
}
