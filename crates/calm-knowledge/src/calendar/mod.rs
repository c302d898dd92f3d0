//! An economic calendar as an iCalendar file (RFC 5545): what it holds for the hours to come.
//!
//! Repetitions are not unrolled from their beginning: each day of the window is asked whether the rule names it, so
//! that an event of 1970 costs as much as one of today. What a calendar is fetched from, and who is told what is in
//! it, is decided elsewhere; titles are foreign text, cleaned of what nobody sees and cut.

mod event;
mod lines;
mod rule;
mod zones;

use std::collections::HashSet;

use jiff::civil::{Date, DateTime};
use jiff::{SignedDuration, ToSpan, ZonedDateTime};

use event::{Entry, Moment, Start};
use lines::Component;

/// Largest file, in bytes.
pub const LARGEST_CALENDAR: usize = 2 * 1024 * 1024;
/// The most events that are looked at.
const MOST_ENTRIES: usize = 20_000;
/// The most events that are given.
const MOST_GIVEN: usize = 100;
/// The longest window, in days.
const LONGEST_WINDOW: i64 = 32;

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum CalendarError {
    #[error("it is larger than 2 MB")]
    TooLarge,
    #[error("it is no iCalendar file: BEGIN:VCALENDAR is missing")]
    NoCalendar,
    #[error("it is cut off: what begins in line {line} has no end")]
    CutOff { line: usize },
    #[error("line {line} ends something that did not begin")]
    Unbalanced { line: usize },
    #[error("it holds more than {MOST_ENTRIES} events")]
    TooMany,
    #[error("none of its {events} events has a time that can be read")]
    NoTimes { events: usize },
}

#[derive(Debug, Clone)]
pub struct Calendar {
    entries: Vec<Entry>,
    /// Events with a time, a zone or a rule that cannot be read.
    pub unread: usize,
}

/// One event in the window, in the user's zone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CalendarEvent {
    /// One line of at most 120 characters; empty where the event has none.
    pub title: String,
    pub starts: ZonedDateTime,
    pub ends: ZonedDateTime,
    /// A day, or several, rather than a time.
    pub all_day: bool,
}

#[derive(Debug, Clone, Default)]
pub struct Coming {
    /// The earliest first.
    pub events: Vec<CalendarEvent>,
    /// How many more there are than are given.
    pub left_out: usize,
}

/// Reads a whole file.
///
/// # Errors
/// It is no calendar, is cut off or too large, or nothing in it can be read; see [`CalendarError`].
pub fn read_calendar(bytes: &[u8]) -> Result<Calendar, CalendarError> {
    if bytes.len() > LARGEST_CALENDAR {
        return Err(CalendarError::TooLarge);
    }
    let text = String::from_utf8_lossy(bytes);
    let components = lines::events(&text)?;
    if components.len() > MOST_ENTRIES {
        return Err(CalendarError::TooMany);
    }
    let found = components.iter().filter(|one| one.kind == "VEVENT").count();
    let zones = zones::Zones::of(&components);
    let events: Vec<&Component> = components.iter().filter(|one| one.kind == "VEVENT").collect();
    let entries: Vec<Entry> = events.iter().filter_map(|one| Entry::of(one, &zones)).collect();
    if found > 0 && entries.is_empty() {
        return Err(CalendarError::NoTimes { events: found });
    }
    let odd_rules = entries.iter().filter(|entry| entry.odd_rule).count();
    Ok(Calendar { unread: found - entries.len() + odd_rules, entries })
}

impl Calendar {
    /// What begins or lasts between two moments, at most 32 days apart; times are in the zone of `from`.
    pub fn between(&self, from: &ZonedDateTime, to: &ZonedDateTime) -> Coming {
        let furthest = from.saturating_add(SignedDuration::from_hours(24 * LONGEST_WINDOW));
        let to = if *to < furthest { to } else { &furthest };
        // An instance that was moved or changed stands in for the one that the rule names.
        let changed: HashSet<(&str, &Moment)> =
            self.entries.iter().filter_map(|entry| Some((entry.uid.as_str(), entry.stands_for.as_ref()?))).collect();
        let mut budget = rule::BUDGET;
        let mut events: Vec<CalendarEvent> = Vec::new();
        let mut left_out = 0;
        for entry in self.entries.iter().filter(|entry| !entry.cancelled) {
            for start in instances(entry, from, to, &mut budget) {
                if entry.stands_for.is_none() && changed.contains(&(entry.uid.as_str(), &entry.start.key(start))) {
                    continue;
                }
                let Some(event) = entry.at(start, from.time_zone()) else { continue };
                let over = event.ends <= *from && event.starts < *from;
                if over || event.starts >= *to {
                    continue;
                }
                if events.len() < MOST_GIVEN * 20 {
                    events.push(event);
                } else {
                    left_out += 1;
                }
            }
        }
        events.sort_by(|a, b| a.starts.cmp(&b.starts).then_with(|| a.title.cmp(&b.title)));
        events.dedup();
        left_out += events.len().saturating_sub(MOST_GIVEN);
        events.truncate(MOST_GIVEN);
        Coming { events, left_out }
    }
}

/// The starts, in the event's own zone, that may fall into the window.
fn instances(entry: &Entry, from: &ZonedDateTime, to: &ZonedDateTime, budget: &mut u32) -> Vec<DateTime> {
    let first = entry.start.local();
    let mut starts: Vec<DateTime> = entry.also.clone();
    let Some(rule) = &entry.rule else {
        starts.push(first);
        return starts;
    };
    let lasts = i64::from(entry.days());
    // A day on either side, for zones that are a day apart.
    let day = |date: Date, days: i64| date.saturating_add(days.days());
    let mut date = day(from.date(), -lasts - 1).max(first.date());
    let last = day(to.date(), 1);
    while date <= last {
        if rule.names(date, &first, entry.start.is_day(), budget) {
            starts.push(date.to_datetime(first.time()));
        }
        if date == Date::MAX {
            break;
        }
        date = day(date, 1);
    }
    starts.retain(|start| {
        let zoned = |at: &DateTime| entry.start.moment(*at).map(|at| at.timestamp());
        *start >= first && !entry.except.contains(start) && rule.holds_until(start, zoned(start))
    });
    starts
}

impl Entry {
    fn at(&self, start: DateTime, zone: &jiff::tz::TimeZone) -> Option<CalendarEvent> {
        let (starts, ends) = match &self.start {
            Start::Day(_) => {
                let end = start.date().saturating_add(i64::from(self.days()).days());
                (start.date().to_zoned_datetime(zone.clone()).ok()?, end.to_zoned_datetime(zone.clone()).ok()?)
            }
            Start::Floating(_) => {
                let starts = start.to_zoned_datetime(zone.clone()).ok()?;
                (starts.clone(), starts.saturating_add(self.lasts))
            }
            Start::Zoned(_, own) => {
                let starts = start.to_zoned_datetime(own.clone()).ok()?.timestamp();
                let ends = starts.checked_add(self.lasts).ok()?;
                (starts.to_zoned_datetime(zone.clone()), ends.to_zoned_datetime(zone.clone()))
            }
        };
        Some(CalendarEvent { title: self.title.clone(), starts, ends, all_day: self.start.is_day() })
    }
}
