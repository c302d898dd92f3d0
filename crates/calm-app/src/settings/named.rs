//! Settings as text, for the command line: one name, one value, and one line for what is wrong with it.

use std::path::{Path, absolute};

use calm_core::Lang;
use jiff::civil::Time;
use jiff::tz::TimeZone;

use super::{CalendarSource, Contact, Settings, Theme};

/// Longest name, style, place or step, in characters.
const LONGEST: usize = 200;
const MOST_STEPS: usize = 20;

/// Every name that can be set, in the order in which they are shown.
pub const NAMES: [&str; 19] = [
    "name",
    "language",
    "trading_style",
    "time_zone",
    "day_start",
    "location",
    "calendar",
    "trusted_contact",
    "safety_plan",
    "theme",
    "voice_analysis",
    "include_profile_fields",
    "include_trigger_context",
    "adapt_to_user_language",
    "offline",
    "second_opinion",
    "adult_confirmed",
    "keep_transcripts",
    "keep_recordings",
];

const KEPT: &str = "forever, never, or a number of days from 1 to 3650";

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SettingError {
    #[error("there is no setting of that name: {}", NAMES.join(", "))]
    Name,
    #[error("{name} must be {expected}")]
    Value { name: &'static str, expected: &'static str },
}

impl Settings {
    /// The value as it would be set; empty where nothing is.
    ///
    /// # Errors
    /// There is no such setting.
    pub fn get(&self, name: &str) -> Result<String, SettingError> {
        let text = |value: &Option<String>| value.clone().unwrap_or_default();
        let flag = |value: bool| if value { "yes" } else { "no" }.to_owned();
        Ok(match name {
            "name" => text(&self.name),
            "language" => self.language.code().to_owned(),
            "trading_style" => text(&self.trading_style),
            "time_zone" => text(&self.time_zone),
            "day_start" => self.day_start.strftime("%H:%M").to_string(),
            "location" => text(&self.location),
            "calendar" => self.calendar.as_ref().map(ToString::to_string).unwrap_or_default(),
            "trusted_contact" => {
                self.trusted_contact.as_ref().map(|it| format!("{}: {}", it.name, it.how)).unwrap_or_default()
            }
            "safety_plan" => self.safety_plan.join("; "),
            "theme" => match self.theme {
                Theme::System => "system",
                Theme::Light => "light",
                Theme::Dark => "dark",
            }
            .to_owned(),
            "voice_analysis" => flag(self.voice_analysis),
            "include_profile_fields" => flag(self.include_profile_fields),
            "include_trigger_context" => flag(self.include_trigger_context),
            "adapt_to_user_language" => flag(self.adapt_to_user_language),
            "offline" => flag(self.offline),
            "second_opinion" => flag(self.second_opinion),
            "adult_confirmed" => flag(self.adult_confirmed),
            "keep_transcripts" => self.keep_transcripts.to_string(),
            "keep_recordings" => self.keep_recordings.to_string(),
            _ => return Err(SettingError::Name),
        })
    }

    /// Sets one of them; an empty value clears what may be empty.
    ///
    /// # Errors
    /// There is no such setting, or the value is none that it takes.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), SettingError> {
        let name = NAMES.into_iter().find(|known| *known == name).ok_or(SettingError::Name)?;
        let value = value.trim();
        let wrong = |expected| SettingError::Value { name, expected };
        let line = || match value {
            "" => Ok(None),
            value => short(value).map(Some).ok_or(wrong("one line of at most 200 characters")),
        };
        let flag = || match value {
            "yes" | "true" | "on" => Ok(true),
            "no" | "false" | "off" => Ok(false),
            _ => Err(wrong("yes or no")),
        };
        match name {
            "name" => self.name = line()?,
            "language" => self.language = value.parse::<Lang>().map_err(|_| wrong("ru or en"))?,
            "trading_style" => self.trading_style = line()?,
            "time_zone" => {
                if !value.is_empty() && TimeZone::get(value).is_err() {
                    return Err(wrong("a zone such as Europe/Moscow, or empty for this system's own"));
                }
                self.time_zone = line()?;
            }
            "day_start" => self.day_start = time(value).ok_or(wrong("a time such as 04:30"))?,
            "location" => self.location = line()?,
            "calendar" => {
                let expected = "a file that ends in .ics, an http or https address, or empty for none";
                self.calendar = match value {
                    "" => None,
                    value => Some(CalendarSource::of(value).ok_or(wrong(expected))?),
                };
            }
            "trusted_contact" => {
                self.trusted_contact = match value {
                    "" => None,
                    value => {
                        Some(Contact::of(value).ok_or(wrong("a name and how to reach them, with a colon between"))?)
                    }
                };
            }
            "safety_plan" => {
                let steps = value.split([';', '\n']).map(str::trim).filter(|step| !step.is_empty());
                let steps = steps.map(short).collect::<Option<Vec<String>>>();
                let expected = "up to 20 steps of up to 200 characters, with ; between them";
                self.safety_plan = steps.filter(|steps| steps.len() <= MOST_STEPS).ok_or(wrong(expected))?;
            }
            "theme" => {
                self.theme = match value {
                    "system" => Theme::System,
                    "light" => Theme::Light,
                    "dark" => Theme::Dark,
                    _ => return Err(wrong("system, light or dark")),
                }
            }
            "voice_analysis" => self.voice_analysis = flag()?,
            "include_profile_fields" => self.include_profile_fields = flag()?,
            "include_trigger_context" => self.include_trigger_context = flag()?,
            "adapt_to_user_language" => self.adapt_to_user_language = flag()?,
            "offline" => self.offline = flag()?,
            "second_opinion" => self.second_opinion = flag()?,
            "keep_transcripts" => self.keep_transcripts = value.parse().map_err(|()| wrong(KEPT))?,
            "keep_recordings" => self.keep_recordings = value.parse().map_err(|()| wrong(KEPT))?,
            _ => self.adult_confirmed = flag()?,
        }
        Ok(())
    }
}

/// One line without anything unseen; `None` where it is too long or is none.
fn short(value: &str) -> Option<String> {
    let fits = value.chars().count() <= LONGEST && !value.chars().any(char::is_control);
    fits.then(|| value.trim().to_owned())
}

fn time(value: &str) -> Option<Time> {
    let (hour, minute) = value.split_once(':')?;
    Time::new(hour.parse().ok()?, minute.parse().ok()?, 0, 0).ok()
}

impl CalendarSource {
    /// An address as it stands, a file by its whole path.
    pub fn of(value: &str) -> Option<CalendarSource> {
        let lower = value.to_lowercase();
        let rest = lower.strip_prefix("https://").or_else(|| lower.strip_prefix("http://"));
        if let Some(host) = rest {
            let fits = value.len() <= 2000 && !value.contains(char::is_whitespace) && !host.starts_with('/');
            return (fits && !host.is_empty()).then(|| CalendarSource::Url(value.to_owned()));
        }
        let file = Path::new(value).extension().is_some_and(|ending| ending.eq_ignore_ascii_case("ics"));
        if lower.contains("://") || !file {
            return None;
        }
        absolute(value).ok().map(CalendarSource::File)
    }
}

impl Contact {
    fn of(value: &str) -> Option<Contact> {
        let (name, how) = value.split_once(':')?;
        let contact = Contact { name: short(name)?, how: short(how)? };
        (!contact.name.is_empty() && !contact.how.is_empty()).then_some(contact)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("name", "Сергей", "Сергей")]
    #[case("name", "", "")]
    #[case("time_zone", "Europe/Moscow", "Europe/Moscow")]
    #[case("day_start", "4:30", "04:30")]
    #[case("calendar", "https://example.org/week.ics?key=1", "https://example.org/week.ics?key=1")]
    #[case("calendar", "/tmp/Мой календарь.ICS", "/tmp/Мой календарь.ICS")]
    #[case("trusted_contact", "Аня: +7 900 000-00-00", "Аня: +7 900 000-00-00")]
    #[case("safety_plan", "выйти на улицу; позвонить Ане;", "выйти на улицу; позвонить Ане")]
    #[case("theme", "dark", "dark")]
    #[case("voice_analysis", "off", "no")]
    #[case("offline", "on", "yes")]
    #[case("keep_transcripts", "90", "90 days")]
    #[case("keep_transcripts", "1 day", "1 days")]
    #[case("keep_transcripts", "never", "never")]
    #[case("keep_recordings", "forever", "forever")]
    fn what_is_set_reads_back(#[case] name: &str, #[case] value: &str, #[case] shown: &str) {
        let mut settings = Settings::default();
        settings.set(name, value).expect("a value");
        assert_eq!(settings.get(name).as_deref(), Ok(shown));
        settings.set(name, shown).expect("its own value");
        assert_eq!(settings.get(name).as_deref(), Ok(shown));
    }

    #[rstest]
    #[case("time_zone", "Mars/Olympus")]
    #[case("day_start", "25:00")]
    #[case("day_start", "soon")]
    #[case("calendar", "notes.txt")]
    #[case("calendar", "ftp://example.org/a.ics")]
    #[case("calendar", "https://")]
    #[case("trusted_contact", "Аня")]
    #[case("trusted_contact", ": +7")]
    #[case("language", "de")]
    #[case("voice_analysis", "maybe")]
    #[case("keep_transcripts", "-3")]
    #[case("keep_transcripts", "4000 days")]
    #[case("keep_transcripts", "a week")]
    #[case("name", "a\nb")]
    fn a_bad_value_changes_nothing(#[case] name: &str, #[case] value: &str) {
        let mut settings = Settings::default();
        let refusal = settings.set(name, value).expect_err("no value").to_string();
        assert!(refusal.starts_with(name) && !refusal.contains(value), "{refusal}");
        assert_eq!(settings, Settings::default());
    }

    #[test]
    fn every_name_can_be_read_and_no_other() {
        let mut settings = Settings::default();
        assert!(NAMES.iter().all(|name| settings.get(name).is_ok()));
        assert_eq!(settings.get("colour"), Err(SettingError::Name));
        assert_eq!(settings.set("colour", "red"), Err(SettingError::Name));
    }
}
