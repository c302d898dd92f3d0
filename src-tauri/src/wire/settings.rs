//! The settings as the window shows and changes them: text, switches, lists. Empty text is nothing.

use calm_app::Settings;
use calm_app::settings::{Contact, ProfileField, SettingError};
use serde::{Deserialize, Serialize};
use specta::Type;

use super::{VoiceConsent, WireLang, WireTheme};

#[derive(Debug, Clone, Serialize, Deserialize, Type)]
pub struct WireSettings {
    pub version: u32,
    pub language: WireLang,
    pub name: String,
    pub trading_style: String,
    pub experience: String,
    pub markets: String,
    pub hours: String,
    pub account_currency: String,
    /// A number, or empty.
    pub max_trades: String,
    pub daily_loss_limit: String,
    pub stop_rule: String,
    pub profile_fields: Vec<WireField>,
    pub include_profile_fields: bool,
    /// `HH:MM` in `time_zone`.
    pub day_start: String,
    /// IANA name of the zone in use.
    pub time_zone: String,
    /// The one that the user chose; empty for the system's.
    pub own_zone: String,
    pub theme: WireTheme,
    pub voice_consent: VoiceConsent,
    pub voice_analysis: bool,
    /// A device's id; empty for the system's choice.
    pub microphone: String,
    /// So many milliseconds of silence end a turn.
    pub end_silence_ms: u32,
    /// The id of the model that writes down what is said.
    pub speech_model: String,
    pub adult_confirmed: bool,
    /// Not changed here.
    pub backend: String,
    pub offline: bool,
    pub second_opinion: bool,
    /// Replies are said aloud.
    pub speak_replies: bool,
    pub contact_name: String,
    pub contact_how: String,
    pub safety_plan: Vec<String>,
}

#[derive(Debug, Clone, Serialize, Deserialize, Type)]
pub struct WireField {
    pub name: String,
    pub value: String,
    pub in_prompts: bool,
}

/// The settings that are text, by their names on the command line, which knows what fits.
fn texts(wire: &WireSettings) -> [(&'static str, &str); 10] {
    [
        ("name", &wire.name),
        ("trading_style", &wire.trading_style),
        ("experience", &wire.experience),
        ("markets", &wire.markets),
        ("hours", &wire.hours),
        ("account_currency", &wire.account_currency),
        ("max_trades", &wire.max_trades),
        ("daily_loss_limit", &wire.daily_loss_limit),
        ("stop_rule", &wire.stop_rule),
        ("day_start", &wire.day_start),
    ]
}

impl WireSettings {
    pub fn of(settings: &Settings) -> WireSettings {
        let text = |name: &str| settings.get(name).unwrap_or_default();
        let contact = settings.trusted_contact.clone();
        let (contact_name, contact_how) = contact.map(|it| (it.name, it.how)).unwrap_or_default();
        let field = |field: &ProfileField| WireField {
            name: field.name.clone(),
            value: field.value.clone(),
            in_prompts: field.in_prompts,
        };
        WireSettings {
            version: settings.version,
            language: settings.language.into(),
            name: text("name"),
            trading_style: text("trading_style"),
            experience: text("experience"),
            markets: text("markets"),
            hours: text("hours"),
            account_currency: text("account_currency"),
            max_trades: text("max_trades"),
            daily_loss_limit: text("daily_loss_limit"),
            stop_rule: text("stop_rule"),
            profile_fields: settings.profile_fields.iter().map(field).collect(),
            include_profile_fields: settings.include_profile_fields,
            day_start: text("day_start"),
            time_zone: settings.zone().iana_name().unwrap_or("local").to_owned(),
            own_zone: text("time_zone"),
            theme: settings.theme.into(),
            voice_consent: settings.voice_consent.into(),
            voice_analysis: settings.voice_analysis,
            microphone: text("microphone"),
            end_silence_ms: settings.end_silence_ms,
            speech_model: text("speech_model"),
            adult_confirmed: settings.adult_confirmed,
            backend: settings.backend.clone(),
            offline: settings.offline,
            second_opinion: settings.second_opinion,
            speak_replies: settings.speak_replies,
            contact_name,
            contact_how,
            safety_plan: settings.safety_plan.clone(),
        }
    }

    /// The window's answers over what is stored. What the window does not ask about stays.
    pub fn onto(self, settings: &Settings) -> Result<Settings, SettingError> {
        let mut new = settings.clone();
        for (name, value) in texts(&self) {
            new.set(name, value)?;
        }
        new.set("time_zone", &self.own_zone)?;
        new.set("microphone", &self.microphone)?;
        new.set("end_silence_ms", &self.end_silence_ms.to_string())?;
        // One that this release does not know stays until another is chosen.
        if self.speech_model != settings.speech_model {
            new.set("speech_model", &self.speech_model)?;
        }
        new.set_safety_plan(self.safety_plan.iter().map(String::as_str))?;
        let contact = Contact { name: self.contact_name.trim().into(), how: self.contact_how.trim().into() };
        match (contact.name.is_empty(), contact.how.is_empty()) {
            (true, true) => new.trusted_contact = None,
            _ => new.set_contact(contact)?,
        }
        new.set_profile_fields(self.profile_fields.into_iter().map(|field| ProfileField {
            name: field.name.trim().to_owned(),
            value: field.value.trim().to_owned(),
            in_prompts: field.in_prompts,
        }))?;
        Ok(Settings {
            language: self.language.into(),
            theme: self.theme.into(),
            voice_consent: self.voice_consent.into(),
            voice_analysis: self.voice_analysis,
            adult_confirmed: self.adult_confirmed,
            include_profile_fields: self.include_profile_fields,
            offline: self.offline,
            second_opinion: self.second_opinion,
            speak_replies: self.speak_replies,
            ..new
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use calm_app::Lang;

    #[test]
    fn what_the_window_shows_and_sends_back_changes_nothing() {
        let mut settings = Settings::fresh(Lang::Ru);
        for (name, value) in [
            ("name", "Ира"),
            ("max_trades", "3"),
            ("time_zone", "Asia/Tokyo"),
            ("day_start", "04:30"),
            ("trusted_contact", "Аня: +7 900 000-00-00"),
            ("safety_plan", "выйти на улицу; позвонить Ане"),
            ("offline", "yes"),
            ("location", "Казань"),
            ("microphone", "alsa:hw:CARD=Headset,DEV=0"),
            ("end_silence_ms", "2500"),
            ("speech_model", "whisper-small"),
        ] {
            settings.set(name, value).expect("a value");
        }
        settings.profile_fields =
            vec![ProfileField { name: "брокер".into(), value: "Т".into(), in_prompts: false }];
        settings.adapt_to_user_language = true;
        let back = WireSettings::of(&settings).onto(&settings).expect("its own values");
        assert_eq!(back, settings);
    }

    #[test]
    fn a_step_of_the_plan_may_hold_a_semicolon_and_half_a_contact_is_refused() {
        let settings = Settings::fresh(Lang::Ru);
        let mut wire = WireSettings::of(&settings);
        wire.contact_name = "Аня".into();
        assert!(wire.clone().onto(&settings).is_err());
        wire.contact_how = "+7: вечером".into();
        let kept = wire.onto(&settings).expect("a whole contact").trusted_contact.expect("somebody");
        assert_eq!((kept.name.as_str(), kept.how.as_str()), ("Аня", "+7: вечером"));
    }
}
