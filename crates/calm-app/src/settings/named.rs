//! Settings as text, for the command line: one name, one value, and one line for what is wrong with it.

use std::ops::RangeInclusive;
use std::path::{Path, absolute};

use calm_core::Lang;
use calm_core::market::Days;
use jiff::civil::Time;
use jiff::tz::TimeZone;

use super::{CalendarSource, Contact, SPEECH_MODEL, Settings, Shortcut, Theme};
use crate::ears;

/// Longest name, style, place or step, in characters.
const LONGEST: usize = 200;
const MOST_STEPS: usize = 20;
/// Shorter, and a turn ends between two sentences; longer, and nobody waits for it.
const END_SILENCE_MS: RangeInclusive<u32> = 1_000..=6_000;

/// Every name that can be set, in the order in which they are shown.
pub const NAMES: [&str; 33] = [
    "name",
    "language",
    "trading_style",
    "experience",
    "markets",
    "hours",
    "market_reminders",
    "market_days",
    "account_currency",
    "max_trades",
    "daily_loss_limit",
    "stop_rule",
    "time_zone",
    "day_start",
    "location",
    "calendar",
    "trusted_contact",
    "safety_plan",
    "theme",
    "shortcut",
    "voice_analysis",
    "speech_model",
    "microphone",
    "end_silence_ms",
    "include_profile_fields",
    "include_trigger_context",
    "adapt_to_user_language",
    "offline",
    "second_opinion",
    "speak_replies",
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
            "experience" => text(&self.experience),
            "markets" => text(&self.markets),
            "hours" => text(&self.hours),
            "market_reminders" => flag(self.market_reminders),
            "market_days" => match self.market_days {
                Days::Weekdays => "weekdays",
                Days::EveryDay => "every_day",
            }
            .to_owned(),
            "account_currency" => text(&self.account_currency),
            "max_trades" => self.rules.max_trades.map(|most| most.to_string()).unwrap_or_default(),
            "daily_loss_limit" => text(&self.rules.daily_loss_limit),
            "stop_rule" => text(&self.rules.stop_rule),
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
            "shortcut" => text(&self.shortcut),
            "voice_analysis" => flag(self.voice_analysis),
            "speech_model" => self.speech_model.clone(),
            "microphone" => text(&self.microphone),
            "end_silence_ms" => self.end_silence_ms.to_string(),
            "include_profile_fields" => flag(self.include_profile_fields),
            "include_trigger_context" => flag(self.include_trigger_context),
            "adapt_to_user_language" => flag(self.adapt_to_user_language),
            "offline" => flag(self.offline),
            "second_opinion" => flag(self.second_opinion),
            "speak_replies" => flag(self.speak_replies),
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
            "experience" => self.experience = line()?,
            "markets" => self.markets = line()?,
            "hours" => self.hours = line()?,
            "market_reminders" => self.market_reminders = flag()?,
            "market_days" => {
                self.market_days = match value {
                    "weekdays" => Days::Weekdays,
                    "every_day" => Days::EveryDay,
                    _ => return Err(wrong("weekdays or every_day")),
                }
            }
            "account_currency" => self.account_currency = line()?,
            "max_trades" => {
                let most = || value.parse().ok().filter(|most| (1..=1000).contains(most));
                self.rules.max_trades = match value {
                    "" => None,
                    _ => Some(most().ok_or(wrong("a number from 1 to 1000, or empty for none"))?),
                };
            }
            "daily_loss_limit" => self.rules.daily_loss_limit = line()?,
            "stop_rule" => self.rules.stop_rule = line()?,
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
            "safety_plan" => self.set_safety_plan(value.split([';', '\n']))?,
            "theme" => {
                self.theme = match value {
                    "system" => Theme::System,
                    "light" => Theme::Light,
                    "dark" => Theme::Dark,
                    _ => return Err(wrong("system, light or dark")),
                }
            }
            "shortcut" => {
                let expected = "keys such as Ctrl+Alt+C, with Ctrl, Alt or Super among them, or empty for none";
                self.shortcut = match value {
                    "" => None,
                    value => Some(Shortcut::read(value).ok_or(wrong(expected))?.to_string()),
                };
            }
            "voice_analysis" => self.voice_analysis = flag()?,
            "speech_model" => {
                let model = if value.is_empty() { SPEECH_MODEL } else { value };
                let known = ears::speech_models().any(|id| id == model);
                self.speech_model =
                    known.then(|| model.to_owned()).ok_or(wrong("a whisper model of `calm models list`"))?;
            }
            "microphone" => self.microphone = line()?,
            "end_silence_ms" => {
                let length = value.parse().ok().filter(|ms| END_SILENCE_MS.contains(ms));
                self.end_silence_ms = length.ok_or(wrong("a number of milliseconds from 1000 to 6000"))?;
            }
            "include_profile_fields" => self.include_profile_fields = flag()?,
            "include_trigger_context" => self.include_trigger_context = flag()?,
            "adapt_to_user_language" => self.adapt_to_user_language = flag()?,
            "offline" => self.offline = flag()?,
            "second_opinion" => self.second_opinion = flag()?,
            "speak_replies" => self.speak_replies = flag()?,
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

impl Settings {
    /// # Errors
    /// The name or the way to reach them is empty or no short line.
    pub fn set_contact(&mut self, contact: Contact) -> Result<(), SettingError> {
        let fits = |text: &str| short(text).is_some_and(|text| !text.is_empty());
        if !fits(&contact.name) || !fits(&contact.how) {
            let expected = "a name and how to reach them, a line of at most 200 characters each";
            return Err(SettingError::Value { name: "trusted_contact", expected });
        }
        self.trusted_contact = Some(contact);
        Ok(())
    }

    /// In place of the steps that there are; empty ones are left out.
    ///
    /// # Errors
    /// There are too many, or one is no short line.
    pub fn set_safety_plan<'a>(&mut self, steps: impl IntoIterator<Item = &'a str>) -> Result<(), SettingError> {
        let steps = steps.into_iter().map(str::trim).filter(|step| !step.is_empty());
        let steps = steps.map(short).collect::<Option<Vec<String>>>().filter(|steps| steps.len() <= MOST_STEPS);
        let expected = "up to 20 steps of up to 200 characters, with ; between them";
        self.safety_plan = steps.ok_or(SettingError::Value { name: "safety_plan", expected })?;
        Ok(())
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
    #[case("hours", "09:30–16:00", "09:30–16:00")]
    #[case("max_trades", " 3 ", "3")]
    #[case("max_trades", "", "")]
    #[case("daily_loss_limit", "2 %", "2 %")]
    #[case("theme", "dark", "dark")]
    #[case("shortcut", "control+alt+c", "Ctrl+Alt+C")]
    #[case("shortcut", "", "")]
    #[case("market_reminders", "on", "yes")]
    #[case("market_days", "every_day", "every_day")]
    #[case("voice_analysis", "off", "no")]
    #[case("microphone", "alsa:hw:CARD=Headset,DEV=0", "alsa:hw:CARD=Headset,DEV=0")]
    #[case("microphone", "", "")]
    #[case("end_silence_ms", "2500", "2500")]
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
    #[case("end_silence_ms", "999")]
    #[case("end_silence_ms", "6001")]
    #[case("end_silence_ms", "two seconds")]
    #[case("day_start", "soon")]
    #[case("shortcut", "Shift+C")]
    #[case("market_days", "sunday")]
    #[case("calendar", "notes.txt")]
    #[case("calendar", "ftp://example.org/a.ics")]
    #[case("calendar", "https://")]
    #[case("trusted_contact", "Аня")]
    #[case("trusted_contact", ": +7")]
    #[case("max_trades", "+0")]
    #[case("max_trades", "две")]
    #[case("language", "de")]
    #[case("voice_analysis", "maybe")]
    #[case("keep_transcripts", "0 days")]
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
