//! Every line for people in both languages: Russian first, written by ear, then English anew.
//!
//! [`say!`] and [`both!`] take both or do not compile. Figures, dates and counted things are written as each
//! language writes them.

use calm_app::Lang;
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;

/// A sentence that waits for its language.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Both {
    pub ru: String,
    pub en: String,
}

impl Both {
    /// English in either language: a library's own words.
    pub fn english(line: impl Into<String>) -> Both {
        let line = line.into();
        Both { ru: line.clone(), en: line }
    }

    pub fn of(&self, lang: Lang) -> &str {
        match lang {
            Lang::Ru => &self.ru,
            Lang::En => &self.en,
        }
    }
}

/// `say!(lang, "по-русски {x}", "in English {x}")`: the sentence in one language.
macro_rules! say {
    ($lang:expr, $ru:literal, $en:literal $(,)?) => {
        match $lang {
            calm_app::Lang::Ru => std::fmt::format(format_args!($ru)),
            calm_app::Lang::En => std::fmt::format(format_args!($en)),
        }
    };
}

/// The same before the language is known.
macro_rules! both {
    ($ru:literal, $en:literal $(,)?) => {
        $crate::bilingual::Both { ru: std::fmt::format(format_args!($ru)), en: std::fmt::format(format_args!($en)) }
    };
}

pub(crate) use {both, say};

/// What is counted: in Russian for 1, 2 and 5, in English for 1 and 2.
pub struct Noun([&'static str; 3], [&'static str; 2]);

pub const CALM_CLIP: Noun =
    Noun(["спокойная запись", "спокойные записи", "спокойных записей"], ["calm clip", "calm clips"]);
pub const CHARACTER: Noun = Noun(["знак", "знака", "знаков"], ["character", "characters"]);
pub const DAY: Noun = Noun(["день", "дня", "дней"], ["day", "days"]);
pub const ORDER: Noun = Noun(["ордер", "ордера", "ордеров"], ["order", "orders"]);
pub const PIECE: Noun = Noun(["кусок", "куска", "кусков"], ["piece", "pieces"]);
pub const PLACE: Noun = Noun(["место", "места", "мест"], ["place", "places"]);
pub const RECORDING: Noun = Noun(["запись голоса", "записи голоса", "записей голоса"], ["recording", "recordings"]);
pub const ROW: Noun = Noun(["строка", "строки", "строк"], ["row", "rows"]);
pub const SESSION: Noun = Noun(["разговор", "разговора", "разговоров"], ["session", "sessions"]);
pub const TABLE: Noun = Noun(["таблица", "таблицы", "таблиц"], ["table", "tables"]);
pub const TIME: Noun = Noun(["время", "времени", "времён"], ["time", "times"]);
pub const TRADE: Noun = Noun(["сделка", "сделки", "сделок"], ["trade", "trades"]);
pub const WINDOW: Noun = Noun(["окно", "окна", "окон"], ["window", "windows"]);

impl Noun {
    pub const fn new(ru: [&'static str; 3], en: [&'static str; 2]) -> Noun {
        Noun(ru, en)
    }

    /// "1 разговор", "2 разговора", "5 разговоров".
    pub fn counted(&self, n: usize, lang: Lang) -> String {
        let word = match lang {
            Lang::Ru => self.0[russian(n)],
            Lang::En => self.1[usize::from(n != 1)],
        };
        format!("{} {word}", number(&n, lang))
    }
}

/// Which of the three forms goes with the number.
pub fn russian(n: usize) -> usize {
    match (n % 100, n % 10) {
        (11..=14, _) => 2,
        (_, 1) => 0,
        (_, 2..=4) => 1,
        _ => 2,
    }
}

/// A figure as the language writes it: in Russian with a comma, a real minus and groups of three from five digits on.
pub fn number(figure: &impl ToString, lang: Lang) -> String {
    let figure = figure.to_string();
    if lang == Lang::En {
        return figure;
    }
    let (minus, bare) = figure.strip_prefix('-').map_or(("", figure.as_str()), |bare| ("−", bare));
    let (whole, part) = bare.split_once('.').map_or((bare, None), |(whole, part)| (whole, Some(part)));
    let mut out = minus.to_owned();
    for (place, digit) in whole.chars().enumerate() {
        if place > 0 && whole.len() > 4 && (whole.len() - place) % 3 == 0 {
            out.push('\u{a0}');
        }
        out.push(digit);
    }
    if let Some(part) = part {
        out.push(',');
        out.push_str(part);
    }
    out
}

/// With so many digits after the point.
pub fn rounded(value: f64, digits: usize, lang: Lang) -> String {
    number(&format!("{value:.digits$}"), lang)
}

pub fn megabytes(bytes: u64, lang: Lang) -> String {
    let size = rounded(bytes as f64 / 1e6, 1, lang);
    say!(lang, "{size} МБ", "{size} MB")
}

pub fn day(day: Date, lang: Lang) -> String {
    let form = match lang {
        Lang::Ru => "%d.%m.%Y",
        Lang::En => "%Y-%m-%d",
    };
    day.strftime(form).to_string()
}

/// The day and the minute on the user's own clock.
pub fn moment(at: Timestamp, zone: &TimeZone, lang: Lang) -> String {
    let local = zone.to_datetime(at);
    format!("{} {}", day(local.date(), lang), local.strftime("%H:%M"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case(0, "0 разговоров", "0 sessions")]
    #[case(1, "1 разговор", "1 session")]
    #[case(2, "2 разговора", "2 sessions")]
    #[case(5, "5 разговоров", "5 sessions")]
    #[case(11, "11 разговоров", "11 sessions")]
    #[case(14, "14 разговоров", "14 sessions")]
    #[case(21, "21 разговор", "21 sessions")]
    #[case(112, "112 разговоров", "112 sessions")]
    #[case(1004, "1004 разговора", "1004 sessions")]
    #[case(12_345, "12\u{a0}345 разговоров", "12345 sessions")]
    fn counts(#[case] n: usize, #[case] ru: &str, #[case] en: &str) {
        assert_eq!((SESSION.counted(n, Lang::Ru).as_str(), SESSION.counted(n, Lang::En).as_str()), (ru, en));
    }

    #[rstest]
    #[case("0.5", "0,5")]
    #[case("-1250.25", "−1250,25")]
    #[case("-12500", "−12\u{a0}500")]
    #[case("1234567.8", "1\u{a0}234\u{a0}567,8")]
    fn figures_are_written_as_a_russian_writes_them(#[case] figure: &str, #[case] ru: &str) {
        assert_eq!(number(&figure, Lang::Ru), ru);
        assert_eq!(number(&figure, Lang::En), figure);
    }
}
