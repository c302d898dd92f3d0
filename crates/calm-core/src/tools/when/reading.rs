//! The moment that an utterance names, and which of its words say so.

use std::ops::Range;

use jiff::civil::{Time, Weekday, time};

use super::When;
use super::clock::{Clock, Part, clock};
use super::duration::{minutes, turned_round};
use crate::lang::Lang;
use crate::tools::words::Words;

/// When the user wants to be reminded; `None` where no moment was named ("перед открытием").
///
/// Longer than a week is read too, so that it can be refused in so many words.
pub fn when(text: &str, lang: Lang) -> Option<When> {
    let words = Words::of(text, lang);
    read(&words).map(|(when, _)| when)
}

/// With the places of all the words that say it.
pub(super) fn read(words: &Words<'_>) -> Option<(When, Vec<Range<usize>>)> {
    if let Some((minutes, at)) = distance(words) {
        return Some((When::In(minutes), vec![at]));
    }
    let day = day(words);
    let (part_alone, part_at) = match part_alone(words) {
        Some((name, at)) => (Some(name), vec![at]),
        None => (None, Vec::new()),
    };
    let mut said: Vec<Range<usize>> = day.iter().map(|(_, at)| at.clone()).chain(part_at).collect();
    if let Some((found, part, at)) = best_clock(words) {
        said.push(at);
        let part = part.or_else(|| Part::named(part_alone?));
        return Some((on(day.map(|(day, _)| day), &found, part)?, said));
    }
    let alone = match part_alone? {
        "morning" => time(9, 0, 0, 0),
        "lunch" => time(13, 0, 0, 0),
        "day" => time(15, 0, 0, 0),
        "evening" => time(20, 0, 0, 0),
        // Nobody wants to be rung up at some time of the night.
        _ => return None,
    };
    Some((at(day.map(|(day, _)| day), alone), said))
}

#[derive(Clone, Copy)]
enum Day {
    Ahead(u8),
    Week(Weekday),
}

fn at(day: Option<Day>, time: Time) -> When {
    match day {
        Some(Day::Week(weekday)) => When::On { weekday, time },
        Some(Day::Ahead(days_ahead)) => When::At { days_ahead, time },
        None => When::At { days_ahead: 0, time },
    }
}

/// One to five without a part of the day is after noon, twelve is noon; six to eleven may be either today.
fn on(day: Option<Day>, clock: &Clock, part: Option<Part>) -> Option<When> {
    let time = clock.time(part)?;
    if part.is_some() || !clock.is_half() {
        return Some(at(day, time));
    }
    let today = matches!(day, None | Some(Day::Ahead(0)));
    match clock.hour {
        1..=5 => Some(at(day, clock.time(Some(Part::Day))?)),
        6..=11 if today => Some(When::Either(time)),
        _ => Some(at(day, time)),
    }
}

/// "Через час", "in half an hour", "ten minutes from now".
fn distance(words: &Words<'_>) -> Option<(u32, Range<usize>)> {
    for start in 0..words.len() {
        if words.is("joining", "later", start)
            && let Some((minutes, end)) = minutes(words, start + 1)
        {
            return Some((minutes, start..end));
        }
        // "Минут через двадцать".
        if words.is("joining", "later", start)
            && let Some(unit_at) = start.checked_sub(1)
            && let Some((minutes, end)) = turned_round(words, unit_at, start + 1)
        {
            return Some((minutes, unit_at..end));
        }
        let spelled = words.past_articles(start);
        if let Some((minutes, end)) = minutes(words, spelled)
            && words.is("joining", "from_now", end)
        {
            let end = if words.norm(end + 1) == "now" { end + 2 } else { end + 1 };
            return Some((minutes, start..end));
        }
    }
    None
}

fn day(words: &Words<'_>) -> Option<(Day, Range<usize>)> {
    for start in 0..words.len() {
        if words.lang == Lang::En && (words.norm(start), words.norm(start + 1)) == ("day", "after") {
            let from = if words.norm(start.saturating_sub(1)) == "the" { start.saturating_sub(1) } else { start };
            if words.number("day", start + 2) == Some(1) {
                return Some((Day::Ahead(2), from..start + 3));
            }
        }
        if let Some(days) = words.number("day", start).and_then(|days| u8::try_from(days).ok()) {
            return Some((Day::Ahead(days), start..start + 1));
        }
        if let Some(weekday) =
            words.number("weekday", start).and_then(|n| Weekday::from_monday_one_offset(i8::try_from(n).ok()?).ok())
        {
            return Some((Day::Week(weekday), with_preposition(words, start)..start + 1));
        }
    }
    None
}

/// "Вечером", "tonight", "in the morning"; "good morning" is a greeting and "last night" is over.
fn part_alone<'w>(words: &Words<'w>) -> Option<(&'static str, Range<usize>)> {
    (0..words.len()).find_map(|at| {
        let name = words.entry("part_alone", at)?;
        let before = words.norm(at.checked_sub(1)?);
        let other = words.lang == Lang::En && matches!(before, "good" | "last");
        (!other).then(|| (name, with_preposition(words, at)..at + 1))
    })
}

/// The place of the preposition before `at`, and of an article.
fn with_preposition(words: &Words<'_>, at: usize) -> usize {
    let mut start = at;
    while let Some(before) = start.checked_sub(1) {
        let belongs = matches!(words.norm(before), "the" | "this" | "in" | "on") || words.is("clock", "at", before);
        if !belongs {
            break;
        }
        start = before;
    }
    start
}

/// The time said most plainly: with a colon, an hour or a part of the day before a bare figure.
fn best_clock(words: &Words<'_>) -> Option<(Clock, Option<Part>, Range<usize>)> {
    let mut bare = None;
    for start in 0..words.len() {
        let after_at = start.checked_sub(1).is_some_and(|before| words.is("clock", "at", before));
        let Some(found) = clock(words, start) else { continue };
        let (part, end) = part_after(words, found.end);
        let begins = if after_at { start - 1 } else { start };
        let weekday_or_day = words.number("day", start.saturating_sub(1)).is_some();
        if part.is_some()
            || found.certain
                && (after_at || weekday_or_day || words.norm(start).contains(':') || certain_alone(words, start))
        {
            return Some((found, part, begins..end));
        }
        if (after_at || weekday_or_day) && bare.is_none() {
            bare = Some((found, part, begins..end));
        }
    }
    bare
}

/// Times that need no preposition: "полдень", "без четверти три".
fn certain_alone(words: &Words<'_>, at: usize) -> bool {
    words.lang == Lang::Ru && words.is("clock", "to", at)
        || words.is("clock", "noon", at)
        || words.is("clock", "midnight", at)
        || words.number("half_ordinal", at).is_some()
}

/// "Вечера", "pm", "p.m.", "in the evening" after a time.
fn part_after(words: &Words<'_>, at: usize) -> (Option<Part>, usize) {
    let mut from = at;
    while from < at + 2 && matches!(words.norm(from), "in" | "the" | "at") {
        from += 1;
    }
    if let Some(part) = words.entry("part", from).and_then(Part::named) {
        return (Some(part), from + 1);
    }
    // "p.m." is two words.
    let dotted = words.norm(from + 1) == "m" && words.gap_before(from + 1) == ".";
    match words.norm(from) {
        "a" if dotted => (Some(Part::Morning), from + 2),
        "p" if dotted => (Some(Part::Evening), from + 2),
        _ => (None, at),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("напомни через полчаса", "in 30")]
    #[case("напомни мне через час", "in 60")]
    #[case("через 2 часа 15 минут напомни выйти", "in 135")]
    #[case("через два с половиной часа", "in 150")]
    #[case("напомни через полтора часа", "in 90")]
    #[case("через час с половиной", "in 90")]
    #[case("через час пятнадцать минут", "in 75")]
    #[case("через пару часов", "in 120")]
    #[case("через часа два", "in 120")]
    #[case("через минут двадцать", "in 20")]
    #[case("через двадцать пять минут", "in 25")]
    #[case("через 90 мин", "in 90")]
    #[case("минут через двадцать напомни", "in 20")]
    #[case("часа через полтора", "in 90")]
    #[case("сегодня ночью в два", "02:00")]
    #[case("напомни ночью", "-")]
    #[case("через четверть часа", "in 15")]
    #[case("через минутку", "in 1")]
    #[case("через три дня", "in 4320")]
    #[case("через неделю", "in 10080")]
    #[case("напомни в 15:30", "15:30")]
    #[case("напомни в 15.30 закрыть", "15:30")]
    #[case("в 3:30", "03:30")]
    #[case("напомни в три часа дня", "15:00")]
    #[case("завтра в 9 утра", "tomorrow 09:00")]
    #[case("напомни завтра утром", "tomorrow 09:00")]
    #[case("послезавтра в девять", "+2 09:00")]
    #[case("напомни вечером", "20:00")]
    #[case("напомни сегодня вечером в восемь", "20:00")]
    #[case("в девять вечера", "21:00")]
    #[case("напомни в девять", "09:00/21:00")]
    #[case("напомни в девять тридцать", "09:30/21:30")]
    #[case("в час дня", "13:00")]
    #[case("в час", "13:00")]
    #[case("в два", "14:00")]
    #[case("в два ночи", "02:00")]
    #[case("в двенадцать ночи", "00:00")]
    #[case("в полдень", "12:00")]
    #[case("в двадцать один тридцать", "21:30")]
    #[case("в половине третьего", "14:30")]
    #[case("в полдевятого", "08:30/20:30")]
    #[case("без пятнадцати девять вечера", "20:45")]
    #[case("без четверти три", "14:45")]
    #[case("к шести вечера", "18:00")]
    #[case("в пятницу в 9 утра", "friday 09:00")]
    #[case("завтра в 9:30", "tomorrow 09:30")]
    #[case("напомни перед открытием", "-")]
    #[case("напомни потом", "-")]
    #[case("напомни не делать больше трёх сделок", "-")]
    #[case("напомни завтра", "-")]
    #[case("напомни не входить в 3 сделки сразу", "-")]
    fn russian(#[case] text: &str, #[case] expected: &str) {
        assert_eq!(when(text, Lang::Ru).map_or("-".to_owned(), |when| when.to_string()), expected, "{text}");
    }

    #[rstest]
    #[case("remind me in half an hour", "in 30")]
    #[case("in an hour", "in 60")]
    #[case("in an hour and a half", "in 90")]
    #[case("in ninety minutes", "in 90")]
    #[case("in two and a half hours", "in 150")]
    #[case("in 2 hours and 15 minutes", "in 135")]
    #[case("in a couple of hours", "in 120")]
    #[case("in 30m", "in 30")]
    #[case("in a quarter of an hour", "in 15")]
    #[case("ten minutes from now", "in 10")]
    #[case("in about twenty minutes", "in 20")]
    #[case("remind me at 3 pm", "15:00")]
    #[case("at 3pm", "15:00")]
    #[case("at 3 p.m. to stop", "15:00")]
    #[case("at 3:30", "15:30")]
    #[case("at 15:30", "15:30")]
    #[case("at 09:30", "09:30")]
    #[case("tomorrow at nine", "tomorrow 09:00")]
    #[case("remind me tonight", "20:00")]
    #[case("at nine tonight", "21:00")]
    #[case("at nine", "09:00/21:00")]
    #[case("at nine thirty", "09:30/21:30")]
    #[case("half past nine in the evening", "21:30")]
    #[case("at half nine in the evening", "21:30")]
    #[case("last night was bad, remind me at noon", "12:00")]
    #[case("at half past two", "14:30")]
    #[case("at a quarter to three", "14:45")]
    #[case("at ten to nine am", "08:50")]
    #[case("at noon", "12:00")]
    #[case("at 12 pm", "12:00")]
    #[case("at 12 am", "00:00")]
    #[case("tomorrow morning", "tomorrow 09:00")]
    #[case("the day after tomorrow at ten", "+2 10:00")]
    #[case("on friday at 4 pm", "friday 16:00")]
    #[case("remind me before the open", "-")]
    #[case("remind me to take no more than three trades", "-")]
    #[case("good morning, remind me later", "-")]
    fn english(#[case] text: &str, #[case] expected: &str) {
        assert_eq!(when(text, Lang::En).map_or("-".to_owned(), |when| when.to_string()), expected, "{text}");
    }
}
