//! When a reminder is to come: as it was said, as it stands in a call, and as a moment of a calendar.
//!
//! A time of day is the next such time. Half a clock face ("в девять") is the next of the two that is not at night.

mod clock;
mod duration;
mod reading;
mod what;

use std::fmt;
use std::str::FromStr;

use jiff::civil::{Date, DateTime, Time, Weekday};
use jiff::{SignedDuration, Timestamp, ZonedDateTime};

pub use reading::when;
pub use what::what;

use super::SetReminder;

/// The furthest that a reminder may lie ahead, in minutes: a week.
pub const FURTHEST: u32 = 10_080;
/// The furthest day, counted from today.
const FURTHEST_DAY: u8 = 7;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum When {
    /// So many minutes from now.
    In(u32),
    /// A time of day, so many days ahead; 0 is the next such time.
    At { days_ahead: u8, time: Time },
    /// The next of this time and the one twelve hours later.
    Either(Time),
    /// The next such day of the week.
    On { weekday: Weekday, time: Time },
    /// A date and a time in the user's zone.
    Local(DateTime),
    /// A moment that names its own offset.
    Moment(Timestamp),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Unreachable {
    #[error("that moment has passed")]
    Past,
    #[error("that is more than a week ahead")]
    TooFar,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("must be a local time such as 15:30, tomorrow 09:00 or 2026-03-04T15:30")]
pub struct NoSuchForm;

impl When {
    /// The moment that is meant, in the zone of `now`; a time that a change of clocks skips comes right after it.
    ///
    /// # Errors
    /// It has passed, or lies more than a week ahead.
    pub fn resolve(&self, now: &ZonedDateTime) -> Result<ZonedDateTime, Unreachable> {
        let on = |date: Date, time: Time| date.to_datetime(time).to_zoned_datetime(now.time_zone().clone()).ok();
        let today = now.date();
        let ahead = |days: i8| today.checked_add(jiff::Span::new().days(days)).ok();
        let next = |time: Time| on(today, time).filter(|at| at > now).or_else(|| on(ahead(1)?, time));
        let moment = match *self {
            When::In(minutes) if minutes <= FURTHEST => {
                now.checked_add(SignedDuration::from_mins(i64::from(minutes.max(1)))).ok()
            }
            When::In(_) => return Err(Unreachable::TooFar),
            When::At { days_ahead: 0, time } => next(time),
            When::At { days_ahead, time } => {
                i8::try_from(days_ahead).ok().and_then(ahead).and_then(|day| on(day, time))
            }
            When::Either(time) => {
                let later = time.wrapping_add(jiff::Span::new().hours(12));
                next(time).into_iter().chain(next(later)).min()
            }
            When::On { weekday, time } => {
                let days = today.weekday().until(weekday);
                let first = ahead(days).and_then(|day| on(day, time)).filter(|at| at > now);
                first.or_else(|| on(ahead(days + 7)?, time))
            }
            When::Local(at) => at.to_zoned_datetime(now.time_zone().clone()).ok(),
            When::Moment(at) => Some(at.to_zoned_datetime(now.time_zone().clone())),
        };
        let moment = moment.ok_or(Unreachable::TooFar)?;
        if moment <= *now {
            return Err(Unreachable::Past);
        }
        // By the calendar, so that a week with a change of clocks is a week.
        let last = ahead(7).and_then(|day| on(day, now.time())).ok_or(Unreachable::TooFar)?;
        if moment > last { Err(Unreachable::TooFar) } else { Ok(moment) }
    }

    /// The call that sets such a reminder.
    pub fn reminder(&self, text: String) -> SetReminder {
        match self {
            When::In(minutes) => SetReminder { text, at: None, in_minutes: Some(*minutes) },
            other => SetReminder { text, at: Some(other.to_string()), in_minutes: None },
        }
    }

    /// What a call says; `None` where it names no moment or one in a form that is not known.
    pub fn of(call: &SetReminder) -> Option<When> {
        match (&call.at, call.in_minutes) {
            (Some(at), _) => at.parse().ok(),
            (None, Some(minutes)) => Some(When::In(minutes)),
            (None, None) => None,
        }
    }
}

/// As it stands in `at`: `15:30`, `09:00/21:00`, `tomorrow 09:00`, `+3 09:00`, `friday 15:00`, `2026-03-04T15:30`.
impl fmt::Display for When {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = |time: &Time| time.strftime("%H:%M").to_string();
        match self {
            When::In(minutes) => write!(f, "in {minutes}"),
            When::At { days_ahead: 0, time } => f.write_str(&shown(time)),
            When::At { days_ahead: 1, time } => write!(f, "tomorrow {}", shown(time)),
            When::At { days_ahead, time } => write!(f, "+{days_ahead} {}", shown(time)),
            When::Either(time) => {
                let later = time.wrapping_add(jiff::Span::new().hours(12));
                write!(f, "{}/{}", shown(time), shown(&later))
            }
            When::On { weekday, time } => write!(f, "{} {}", weekday_name(*weekday), shown(time)),
            When::Local(at) => f.write_str(&at.strftime("%Y-%m-%dT%H:%M").to_string()),
            When::Moment(at) => write!(f, "{at}"),
        }
    }
}

impl FromStr for When {
    type Err = NoSuchForm;

    fn from_str(text: &str) -> Result<When, NoSuchForm> {
        let text = text.trim().to_lowercase();
        if text.len() > 40 {
            return Err(NoSuchForm);
        }
        if let Some(minutes) = text.strip_prefix("in ") {
            return minutes.parse().map(When::In).map_err(|_| NoSuchForm);
        }
        if let Some((early, late)) = text.split_once('/') {
            let (early, late) = (time(early)?, time(late)?);
            let fits = early.wrapping_add(jiff::Span::new().hours(12)) == late;
            return if fits { Ok(When::Either(early)) } else { Err(NoSuchForm) };
        }
        if let Ok(time) = time(&text) {
            return Ok(When::At { days_ahead: 0, time });
        }
        if let Some((day, clock)) = text.split_once(' ')
            && let Ok(time) = time(clock)
            && let Some(said) = on_day(day, time)
        {
            return Ok(said);
        }
        let upper = text.to_uppercase();
        if let Ok(moment) = upper.parse::<Timestamp>() {
            return Ok(When::Moment(moment));
        }
        upper.parse::<DateTime>().map(When::Local).map_err(|_| NoSuchForm)
    }
}

fn on_day(day: &str, time: Time) -> Option<When> {
    match day {
        "today" => return Some(When::At { days_ahead: 0, time }),
        "tomorrow" => return Some(When::At { days_ahead: 1, time }),
        _ => {}
    }
    if let Some(days) = day.strip_prefix('+') {
        let days_ahead = days.parse().ok().filter(|days| *days <= FURTHEST_DAY)?;
        return Some(When::At { days_ahead, time });
    }
    WEEKDAYS.iter().find(|(_, name)| *name == day).map(|(weekday, _)| When::On { weekday: *weekday, time })
}

/// `9:00`, `15:30`, `15:30:00`.
fn time(text: &str) -> Result<Time, NoSuchForm> {
    let mut parts = text.split(':').map(|part| {
        let digits = (1..=2).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_digit());
        part.parse::<i8>().ok().filter(|_| digits)
    });
    let (hour, minute) = (parts.next().flatten(), parts.next().flatten());
    let seconds_fit = parts.next().is_none_or(|seconds| seconds.is_some_and(|seconds| seconds < 60));
    match (hour, minute) {
        (Some(hour), Some(minute)) if seconds_fit && parts.next().is_none() => {
            Time::new(hour, minute, 0, 0).map_err(|_| NoSuchForm)
        }
        _ => Err(NoSuchForm),
    }
}

const WEEKDAYS: [(Weekday, &str); 7] = [
    (Weekday::Monday, "monday"),
    (Weekday::Tuesday, "tuesday"),
    (Weekday::Wednesday, "wednesday"),
    (Weekday::Thursday, "thursday"),
    (Weekday::Friday, "friday"),
    (Weekday::Saturday, "saturday"),
    (Weekday::Sunday, "sunday"),
];

fn weekday_name(weekday: Weekday) -> &'static str {
    WEEKDAYS.iter().find(|(day, _)| *day == weekday).map_or("monday", |(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    fn moment(text: &str) -> ZonedDateTime {
        text.parse().expect("a moment")
    }

    #[rstest]
    #[case::later_today("15:30", "2026-03-04T15:30")]
    #[case::passed_is_tomorrow("09:00", "2026-03-05T09:00")]
    #[case::tomorrow("tomorrow 09:00", "2026-03-05T09:00")]
    #[case::days("+3 09:00", "2026-03-07T09:00")]
    #[case::evening_of_the_two("09:00/21:00", "2026-03-04T21:00")]
    #[case::weekday("friday 09:00", "2026-03-06T09:00")]
    #[case::same_weekday_later("wednesday 15:00", "2026-03-04T15:00")]
    #[case::same_weekday_passed("wednesday 09:00", "2026-03-11T09:00")]
    #[case::date("2026-03-05T07:15", "2026-03-05T07:15")]
    #[case::date_with_space("2026-03-05 07:15", "2026-03-05T07:15")]
    #[case::own_offset("2026-03-05T07:15:00Z", "2026-03-05T10:15")]
    fn a_moment_from_half_past_two(#[case] said: &str, #[case] expected: &str) {
        let now = moment("2026-03-04T14:30[Europe/Moscow]");
        let at = said.parse::<When>().expect("a form").resolve(&now).expect("a moment");
        assert_eq!(at.strftime("%Y-%m-%dT%H:%M").to_string(), expected);
    }

    #[rstest]
    #[case::yesterday("2026-03-03T10:00", Unreachable::Past)]
    #[case::this_minute("2026-03-04T14:30", Unreachable::Past)]
    #[case::eight_days("2026-03-12T10:00", Unreachable::TooFar)]
    fn what_cannot_be_reached(#[case] said: &str, #[case] expected: Unreachable) {
        let now = moment("2026-03-04T14:30[Europe/Moscow]");
        assert_eq!(said.parse::<When>().expect("a form").resolve(&now), Err(expected));
    }

    #[test]
    fn the_clocks_change_and_the_time_of_day_stays() {
        let now = moment("2026-03-28T21:00[Europe/Berlin]");
        let skipped = When::At { days_ahead: 1, time: jiff::civil::time(2, 30, 0, 0) };
        assert_eq!(skipped.resolve(&now).expect("a moment").to_string(), "2026-03-29T03:30:00+02:00[Europe/Berlin]");
        let nine = When::At { days_ahead: 1, time: jiff::civil::time(9, 0, 0, 0) };
        assert_eq!(nine.resolve(&now).expect("a moment").to_string(), "2026-03-29T09:00:00+02:00[Europe/Berlin]");
        let week = When::At { days_ahead: 7, time: jiff::civil::time(21, 0, 0, 0) };
        assert!(week.resolve(&now).is_ok(), "a week with a lost hour is a week");
        assert_eq!(When::In(300).resolve(&now).expect("a moment").time(), jiff::civil::time(3, 0, 0, 0));
    }

    #[rstest]
    fn no_form_of_a_moment(
        #[values(
            "",
            "25:00",
            "9",
            "15:60",
            "yesterday 09:00",
            "+9 09:00",
            "09:00/22:00",
            "soon",
            "15:30:99",
            "1:2:3:4"
        )]
        text: &str,
    ) {
        assert_eq!(text.parse::<When>(), Err(NoSuchForm));
    }

    #[rstest]
    fn a_form_reads_back(
        #[values("15:30", "09:00/21:00", "tomorrow 09:00", "+3 09:00", "friday 15:00", "2026-03-04T15:30")] text: &str,
    ) {
        assert_eq!(text.parse::<When>().expect("a form").to_string(), text);
    }
}
