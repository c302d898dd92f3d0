//! Helplines: dated data with a source, and an emergency number that needs neither (SPEC H6).

use jiff::ToSpan;
use jiff::civil::Date;
use serde::Deserialize;

/// After this a number is shown with "check this number".
const GOOD_FOR_MONTHS: i32 = 18;

#[derive(Debug, Clone, Deserialize)]
pub struct Helplines {
    floor: Floor,
    #[serde(rename = "line")]
    lines: Vec<Helpline>,
}

#[derive(Debug, Clone, Deserialize)]
struct Floor {
    emergency: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Helpline {
    /// ISO 3166-1 alpha-2, lower case.
    pub country: String,
    pub kind: HelplineKind,
    pub number: String,
    name: Spoken,
    hours: Spoken,
    pub source: String,
    /// When somebody last compared the number with the source.
    #[serde(default)]
    verified: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum HelplineKind {
    Crisis,
    Emergency,
    Gambling,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
struct Spoken {
    ru: String,
    en: String,
}

impl Helpline {
    /// `lang` is `ru`; anything else is English.
    pub fn name(&self, lang: &str) -> &str {
        self.name.of(lang)
    }

    pub fn hours(&self, lang: &str) -> &str {
        self.hours.of(lang)
    }

    pub fn verified(&self) -> Option<Date> {
        self.verified.as_ref().and_then(|date| date.parse().ok())
    }

    /// With its hours, where they are only a part of the day.
    fn spoken(&self, lang: &str) -> String {
        let hours = self.hours(lang);
        let part_of_day = if hours.contains(':') { format!(" ({hours})") } else { String::new() };
        format!("{} {}{part_of_day}", self.name(lang), self.number)
    }

    /// Whether the number has to be shown with "check this number": never compared, or long ago.
    pub fn needs_checking(&self, today: Date) -> bool {
        self.verified().is_none_or(|date| date.saturating_add(GOOD_FOR_MONTHS.months()) < today)
    }
}

impl Spoken {
    fn of(&self, lang: &str) -> &str {
        if lang == "ru" { &self.ru } else { &self.en }
    }
}

impl Helplines {
    /// The lines of a country, crisis first. Empty for a country that is not in the data.
    pub fn for_country(&self, country: &str) -> Vec<&Helpline> {
        let mut lines: Vec<&Helpline> = self.lines.iter().filter(|l| l.country.eq_ignore_ascii_case(country)).collect();
        lines.sort_by_key(|l| l.kind);
        lines
    }

    /// The emergency number of a country, 112 where nothing better is known.
    pub fn emergency(&self, country: &str) -> &str {
        let line = self.for_country(country).into_iter().find(|l| l.kind == HelplineKind::Emergency);
        line.map_or(self.floor.emergency.as_str(), |l| l.number.as_str())
    }

    /// The numbers to say in a crisis, as one phrase: "психологическая помощь МЧС +7 495 …, экстренная помощь 112".
    ///
    /// Always holds the emergency number.
    pub fn spoken(&self, country: &str, lang: &str) -> String {
        let known = self.for_country(country);
        let mut said: Vec<String> =
            known.iter().filter(|l| l.kind == HelplineKind::Crisis).map(|l| l.spoken(lang)).collect();
        let emergency = if lang == "ru" { "экстренная помощь" } else { "emergency" };
        said.push(format!("{emergency} {}", self.emergency(country)));
        said.join(", ")
    }

    /// Who helps with gambling and debt, as one phrase that fits after a colon.
    ///
    /// Where the country has no such line in the data, a kind of help that exists nearly everywhere, without a number.
    pub fn gambling(&self, country: &str, lang: &str) -> String {
        let known = self.for_country(country);
        let lines = known.iter().filter(|l| l.kind == HelplineKind::Gambling);
        let said: Vec<String> = lines.map(|l| l.spoken(lang)).collect();
        match (said.is_empty(), lang) {
            (false, _) => said.join(", "),
            (true, "ru") => "группы «Анонимных игроков» и службы помощи при азарте".to_owned(),
            (true, _) => "Gamblers Anonymous groups and support services for gambling".to_owned(),
        }
    }

    pub fn iter(&self) -> impl Iterator<Item = &Helpline> {
        self.lines.iter()
    }
}
