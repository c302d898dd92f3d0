//! The one settings struct, as it is stored (with a version) and shown.

mod named;
mod profile;
mod shortcut;
mod stored;

use std::fmt;
use std::path::PathBuf;

use calm_core::Lang;
use calm_core::market::{Days, Hours};
use jiff::civil::Time;
use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};

use crate::backend::{GUIDE, Server};
use crate::countries::{country_in, country_of};
use crate::forgetting::Keep;

pub use named::{NAMES, SettingError};
pub use profile::OwnRules;
pub use shortcut::Shortcut;

/// The recogniser of whoever has chosen none.
pub const SPEECH_MODEL: &str = "whisper-base-onnx";

/// A field that an older record lacks takes its default; a frozen record of each release is in the tests.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Settings {
    pub version: u32,
    pub language: Lang,
    pub name: Option<String>,
    pub trading_style: Option<String>,
    /// How long and in what; the user's own words, as are the next three.
    pub experience: Option<String>,
    pub markets: Option<String>,
    /// When the user trades.
    pub hours: Option<String>,
    /// A check-in is asked for before those hours, a check-out after them.
    pub market_reminders: bool,
    pub market_days: Days,
    pub account_currency: Option<String>,
    pub rules: OwnRules,
    /// Local time at which the trading day starts.
    pub day_start: Time,
    /// An IANA name; the system's zone where absent.
    pub time_zone: Option<String>,
    pub theme: Theme,
    /// Opens the quick check-in from anywhere: a [`Shortcut`]; none where absent.
    pub shortcut: Option<String>,
    pub voice_consent: Consent,
    /// Off: what is said is written down and the voice itself is not analysed.
    pub voice_analysis: bool,
    /// Which model writes down what is said: an id of the list of models.
    pub speech_model: String,
    /// The device's id; the system's choice where absent.
    pub microphone: Option<String>,
    /// So much silence after speech ends a turn.
    pub end_silence_ms: u32,
    /// Replies are said aloud by the system's voice.
    pub speak_replies: bool,
    pub adult_confirmed: bool,
    /// Where the user says they are; prompts may name it.
    pub location: Option<String>,
    pub profile_fields: Vec<ProfileField>,
    /// Shared profile fields go into prompts.
    pub include_profile_fields: bool,
    /// What triggers have done in a talk goes into its prompts.
    pub include_trigger_context: bool,
    /// A model may answer in the language that the user speaks, rather than in the session's.
    pub adapt_to_user_language: bool,
    /// The economic calendar; none is asked for where absent.
    pub calendar: Option<CalendarSource>,
    /// Somebody to turn to in a hard hour; shown to the user alone.
    pub trusted_contact: Option<Contact>,
    /// What the user wrote in a calm hour for a hard one, in order (SPEC H4).
    pub safety_plan: Vec<String>,
    /// Who answers: `guide`, `local`, or the name of one of `servers`.
    pub backend: String,
    pub servers: Vec<Server>,
    /// Nothing is sent, not even to this machine.
    pub offline: bool,
    /// A model that holds a session also judges each reply: one more request a turn.
    pub second_opinion: bool,
    /// Conversations that have ended; what goes with them is in docs/privacy.md.
    pub keep_transcripts: Keep,
    /// Recordings whose words are stored (SPEC V5).
    pub keep_recordings: Keep,
}

/// Where the user's economic calendar lies.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CalendarSource {
    File(PathBuf),
    /// `http` or `https`.
    Url(String),
}

impl fmt::Display for CalendarSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CalendarSource::File(path) => path.display().fmt(f),
            CalendarSource::Url(address) => f.write_str(address),
        }
    }
}

/// A person, and how to reach them: a number, a messenger, "next door".
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Contact {
    pub name: String,
    pub how: String,
}

/// Something that the user wants known (SPEC S10).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProfileField {
    pub name: String,
    pub value: String,
    /// It may be used in prompts.
    pub in_prompts: bool,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Theme {
    #[default]
    System,
    Light,
    Dark,
}

/// Whether the user agreed to a recording being analysed (SPEC H2).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Consent {
    #[default]
    Unasked,
    Yes,
    No,
}

impl Settings {
    pub const VERSION: u32 = 1;

    pub fn fresh(language: Lang) -> Settings {
        Settings { language, ..Settings::default() }
    }

    /// The hours in which the user trades, as far as their words tell.
    pub fn market_hours(&self) -> Option<Hours> {
        Hours::read(self.hours.as_deref()?)
    }

    /// ISO 3166-1 alpha-2, lower case: what the user's own words for their place say, else the time zone; empty
    /// where neither tells.
    pub fn country(&self) -> &'static str {
        let named = self.location.as_deref().and_then(country_in);
        named.unwrap_or_else(|| country_of(self.zone().iana_name().unwrap_or_default()))
    }

    /// The user's zone; one that this system does not know falls back to the system's own.
    pub fn zone(&self) -> TimeZone {
        self.time_zone.as_deref().and_then(|name| TimeZone::get(name).ok()).unwrap_or_else(TimeZone::system)
    }
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            version: Settings::VERSION,
            language: Lang::En,
            name: None,
            trading_style: None,
            experience: None,
            markets: None,
            hours: None,
            market_reminders: false,
            market_days: Days::Weekdays,
            account_currency: None,
            rules: OwnRules::default(),
            day_start: Time::midnight(),
            time_zone: None,
            theme: Theme::System,
            shortcut: None,
            voice_consent: Consent::Unasked,
            voice_analysis: true,
            speech_model: SPEECH_MODEL.to_owned(),
            microphone: None,
            end_silence_ms: 1_800,
            speak_replies: false,
            adult_confirmed: false,
            location: None,
            profile_fields: Vec::new(),
            include_profile_fields: true,
            include_trigger_context: true,
            adapt_to_user_language: false,
            backend: GUIDE.to_owned(),
            servers: Vec::new(),
            offline: false,
            second_opinion: false,
            keep_transcripts: Keep::Forever,
            keep_recordings: Keep::Never,
            calendar: None,
            trusted_contact: None,
            safety_plan: Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_release_s_record_still_reads() {
        let frozen = include_str!("../tests/settings-1.json");
        let read: Settings = serde_json::from_str(frozen).expect("the frozen record");
        assert_eq!(read.name.as_deref(), Some("Сергей"));
        assert_eq!(read.day_start, jiff::civil::time(4, 30, 0, 0));
        assert_eq!(read.voice_consent, Consent::Yes);
        let again = serde_json::to_value(&read).expect("settings are plain data");
        let frozen: serde_json::Map<_, _> = serde_json::from_str(frozen).expect("the frozen record");
        for (field, value) in &frozen {
            assert_eq!(again.get(field), Some(value), "a renamed or dropped field loses a user's settings");
        }
    }

    #[test]
    fn a_zone_that_no_system_knows_falls_back() {
        let odd = Settings { time_zone: Some("Mars/Olympus".into()), ..Settings::default() };
        assert_eq!(odd.zone(), TimeZone::system());
    }
}
