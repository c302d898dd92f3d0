//! "В три часа дня", "half past nine", "15:30": a time of day out of words.

use jiff::civil::Time;
use rust_decimal::prelude::ToPrimitive;

use crate::lang::Lang;
use crate::tools::figures::figure;
use crate::tools::words::Words;
use crate::understand::lexicon::Lexicon;

/// A time as it was said, before the part of the day is known.
#[derive(Debug, Clone, Copy)]
pub struct Clock {
    pub hour: i8,
    pub minute: i8,
    /// On a clock of 24 hours.
    pub whole_day: bool,
    /// More than a bare figure after a preposition.
    pub certain: bool,
    /// One past the last word.
    pub end: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    Morning,
    Day,
    Evening,
    Night,
}

impl Part {
    pub fn named(name: &str) -> Option<Part> {
        match name {
            "morning" => Some(Part::Morning),
            "day" => Some(Part::Day),
            "evening" => Some(Part::Evening),
            "night" => Some(Part::Night),
            _ => None,
        }
    }

    /// The hour that a face of twelve hours means in this part of the day.
    fn hour(self, hour: i8) -> i8 {
        match (self, hour) {
            (_, 13..) => hour,
            (Part::Morning, 12) => 0,
            (Part::Day, 1..=9) => hour + 12,
            (Part::Evening, 1..=11) => hour + 12,
            // "Twelve pm" is noon, and "в двенадцать вечера" is said by nobody.
            (Part::Evening, 12) => 12,
            (Part::Night, 12) => 0,
            (Part::Night, 6..=11) => hour + 12,
            _ => hour,
        }
    }
}

impl Clock {
    fn new(hour: i8, minute: i8, end: usize) -> Clock {
        Clock { hour, minute, whole_day: false, certain: true, end }
    }

    /// `None` where it is no time of a day.
    pub fn time(&self, part: Option<Part>) -> Option<Time> {
        let hour = part.map_or(self.hour, |part| part.hour(self.hour));
        Time::new(hour % 24, self.minute, 0, 0).ok()
    }

    /// Whether it could be meant before noon and after it.
    pub fn is_half(&self) -> bool {
        !self.whole_day && (1..=12).contains(&self.hour)
    }
}

/// The time that the words at `at` say.
pub fn clock(words: &Words<'_>, at: usize) -> Option<Clock> {
    let noon = words.is("clock", "noon", at);
    if noon || words.is("clock", "midnight", at) {
        return Some(Clock { whole_day: true, ..Clock::new(if noon { 12 } else { 0 }, 0, at + 1) });
    }
    in_digits(words, at).or_else(|| by_the_half(words, at)).or_else(|| by_the_hour(words, at))
}

/// "15:30", "15.30", "15-30", "9:30".
fn in_digits(words: &Words<'_>, at: usize) -> Option<Clock> {
    let norm = words.norm(at);
    let (hour, minute, end) = if let Some((hour, minute)) = norm.split_once([':', '.']) {
        (hour, minute, at + 1)
    } else if words.is_digits(at) && words.is_digits(at + 1) && words.gap_before(at + 1) == "-" {
        (norm, words.norm(at + 1), at + 2)
    } else {
        return None;
    };
    if minute.len() != 2 || hour.len() > 2 {
        return None;
    }
    let whole_day = words.lang == Lang::Ru || hour.starts_with('0');
    let (hour, minute) = (hour.parse().ok()?, minute.parse().ok()?);
    let certain = norm.contains(':');
    in_a_day(hour, minute).then_some(Clock { whole_day, certain, ..Clock::new(hour, minute, end) })
}

/// "В половине третьего", "без пятнадцати девять", "half past nine", "ten to nine".
fn by_the_half(words: &Words<'_>, at: usize) -> Option<Clock> {
    let before = |hour: i8| if hour == 1 { 12 } else { hour - 1 };
    if let Some(hour) = words.number("half_ordinal", at).and_then(|hour| i8::try_from(hour).ok()) {
        return Some(Clock::new(before(hour), 30, at + 1));
    }
    let share = words.past_articles(at);
    let percent = words.number("fraction", share).filter(|percent| *percent < 100);
    if let Some(percent) = percent
        && let Some(hour) = words.number("ordinal", share + 1).and_then(|hour| i8::try_from(hour).ok())
    {
        let minute = if percent == 50 { 30 } else { 15 };
        return Some(Clock::new(before(hour), minute, share + 2));
    }
    let from = if words.lang == Lang::Ru {
        if !words.is("clock", "to", at) {
            return None;
        }
        at + 1
    } else {
        at
    };
    let (minute, after) = match words.number("fraction", words.past_articles(from)) {
        Some(25) => (15, words.past_articles(from) + 1),
        Some(50) => (30, words.past_articles(from) + 1),
        _ => {
            let (minute, after) = small(words, from)?;
            let after = if words.number("duration", after) == Some(1) { after + 1 } else { after };
            (minute, after)
        }
    };
    if !(1..=30).contains(&minute) {
        return None;
    }
    if words.lang == Lang::Ru {
        let (hour, end) = hour(words, after)?;
        return Some(Clock::new(before(hour), 60 - minute, end));
    }
    // "Half nine" is half past it.
    if minute == 30
        && words.number("fraction", after - 1) == Some(50)
        && let Some((hour, end)) = hour(words, after)
    {
        return Some(Clock::new(hour, 30, end));
    }
    let (hour, end) = hour(words, after + 1)?;
    if words.is("clock", "past", after) {
        Some(Clock::new(hour, minute, end))
    } else {
        words.is("clock", "to", after).then(|| Clock::new(before(hour), 60 - minute, end))
    }
}

fn hour(words: &Words<'_>, at: usize) -> Option<(i8, usize)> {
    small(words, at).filter(|(hour, _)| (1..=12).contains(hour))
}

/// "В девять", "в три часа", "at nine thirty", "at 3 o'clock".
fn by_the_hour(words: &Words<'_>, at: usize) -> Option<Clock> {
    // "В час": one o'clock.
    let (hour, mut end) = match small(words, at) {
        Some(found) => found,
        None if words.lang == Lang::Ru && words.norm(at) == "час" => (1, at + 1),
        None => return None,
    };
    let mut certain = end == at + 1 && !words.is_digits(at) && words.norm(at) == "час";
    if words.number("duration", end) == Some(60) || words.is("clock", "oclock", end) {
        end += 1;
        certain = true;
    }
    let mut minute = 0;
    if let Some((found, after)) = small(words, end).filter(|(found, _)| (10..60).contains(found)) {
        let close = words.gap_before(end).trim().is_empty();
        if close && !counted(words, after) {
            minute = found;
            end = if words.number("duration", after) == Some(1) { after + 1 } else { after };
            certain = true;
        }
    }
    if counted(words, end) || words.gap_before(end).starts_with(['%', '$']) {
        return None;
    }
    in_a_day(hour, minute).then_some(Clock { certain, ..Clock::new(hour, minute, end) })
}

/// "Три сделки", "five dollars": no time.
fn counted(words: &Words<'_>, at: usize) -> bool {
    let unit = Lexicon::of(words.lang).entry_of("units", words.norm(at));
    matches!(unit, Some("count" | "money" | "percent"))
}

fn small(words: &Words<'_>, at: usize) -> Option<(i8, usize)> {
    let (value, end) = figure(words, at)?;
    if !value.fract().is_zero() {
        return None;
    }
    value.to_i8().map(|value| (value, end))
}

fn in_a_day(hour: i8, minute: i8) -> bool {
    (0..24).contains(&hour) && (0..60).contains(&minute) || (hour, minute) == (24, 0)
}
