//! Moments and counts as they are said in Russian and English.

use calm_core::Lang;
use jiff::ZonedDateTime;
use jiff::civil::Weekday;

/// "сегодня в 15:30", "завтра в 9:00", "в пятницу в 9:00", "6 марта в 9:00".
pub fn day_and_time(at: &ZonedDateTime, now: &ZonedDateTime, lang: Lang) -> String {
    let time = clock(at);
    let days = now.date().until(at.date()).map_or(i64::MAX, |span| i64::from(span.get_days()));
    match (days, lang) {
        (0, Lang::Ru) => format!("сегодня в {time}"),
        (0, Lang::En) => format!("today at {time}"),
        (1, Lang::Ru) => format!("завтра в {time}"),
        (1, Lang::En) => format!("tomorrow at {time}"),
        (-1, Lang::Ru) => format!("вчера в {time}"),
        (-1, Lang::En) => format!("yesterday at {time}"),
        (2..=6, Lang::Ru) => format!("{} в {time}", on_weekday(at.date().weekday())),
        (2..=6, Lang::En) => format!("{} at {time}", at.strftime("on %A")),
        (_, Lang::Ru) => format!("{} {} в {time}", at.day(), month(at.month())),
        (_, Lang::En) => format!("{} at {time}", at.strftime("on %-d %B")),
    }
}

/// "9:05".
pub fn clock(at: &ZonedDateTime) -> String {
    at.strftime("%-H:%M").to_string()
}

fn on_weekday(weekday: Weekday) -> &'static str {
    match weekday {
        Weekday::Monday => "в понедельник",
        Weekday::Tuesday => "во вторник",
        Weekday::Wednesday => "в среду",
        Weekday::Thursday => "в четверг",
        Weekday::Friday => "в пятницу",
        Weekday::Saturday => "в субботу",
        Weekday::Sunday => "в воскресенье",
    }
}

const MONTHS: [&str; 12] = [
    "января",
    "февраля",
    "марта",
    "апреля",
    "мая",
    "июня",
    "июля",
    "августа",
    "сентября",
    "октября",
    "ноября",
    "декабря",
];

fn month(month: i8) -> &'static str {
    usize::try_from(month - 1).ok().and_then(|at| MONTHS.get(at)).copied().unwrap_or_default()
}

/// "1 день", "2 дня", "5 дней"; English has the last form for all but one.
pub fn counted(n: usize, forms: [&str; 3]) -> String {
    let form = match (n % 10, n % 100) {
        (_, 11..=14) => forms[2],
        (1, _) => forms[0],
        (2..=4, _) => forms[1],
        _ => forms[2],
    };
    format!("{n} {form}")
}

pub fn counted_in(lang: Lang, n: usize, ru: [&str; 3], en: [&str; 2]) -> String {
    match lang {
        Lang::Ru => counted(n, ru),
        Lang::En => format!("{n} {}", if n == 1 { en[0] } else { en[1] }),
    }
}
