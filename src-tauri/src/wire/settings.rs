//! The settings as the window shows and changes them: text, switches, lists. Empty text is nothing.

use calm_app::Settings;
use calm_app::settings::{Contact, ProfileField, SettingError};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
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
    /// `10:00–18:45`, as those hours are understood; empty where they are not. Not changed here.
    pub market_hours: String,
    pub market_reminders: bool,
    /// `weekdays` or `every_day`.
    pub market_days: String,
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
fn texts(wire: &WireSettings) -> [(&'static str, &str); 14] {
    [
        ("name", &wire.name),
        ("trading_style", &wire.trading_style),
        ("experience", &wire.experience),
        ("markets", &wire.markets),
        ("hours", &wire.hours),
        ("market_days", &wire.market_days),
        ("account_currency", &wire.account_currency),
        ("max_trades", &wire.max_trades),
        ("daily_loss_limit", &wire.daily_loss_limit),
        ("stop_rule", &wire.stop_rule),
        ("day_start", &wire.day_start),
        ("time_zone", &wire.own_zone),
        ("microphone", &wire.microphone),
        ("speech_model", &wire.speech_model),
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
            market_hours: settings.market_hours().map_or_else(String::new, |hours| {
                format!("{}–{}", hours.open.strftime("%H:%M"), hours.close.strftime("%H:%M"))
            }),
            market_reminders: settings.market_reminders,
            market_days: text("market_days"),
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

    /// What differs between these answers and what was `shown`, over what is stored. Everything else stays: the terminal
    /// may have set it meanwhile.
    pub fn onto(&self, shown: &WireSettings, settings: &Settings) -> Result<Settings, SettingError> {
        let now = WireSettings::of(settings);
        let wire = self.since(shown, &now);
        let mut new = settings.clone();
        // What is not changed may be something that would not be taken today.
        for ((name, value), (_, stored)) in texts(&wire).into_iter().zip(texts(&now)) {
            if value != stored {
                new.set(name, value)?;
            }
        }
        if wire.end_silence_ms != now.end_silence_ms {
            new.set("end_silence_ms", &wire.end_silence_ms.to_string())?;
        }
        if wire.safety_plan != now.safety_plan {
            new.set_safety_plan(wire.safety_plan.iter().map(String::as_str))?;
        }
        let contact = Contact { name: wire.contact_name.trim().into(), how: wire.contact_how.trim().into() };
        match (contact.name.is_empty(), contact.how.is_empty()) {
            (true, true) => new.trusted_contact = None,
            _ => new.set_contact(contact)?,
        }
        new.set_profile_fields(wire.profile_fields.iter().map(|field| ProfileField {
            name: field.name.trim().to_owned(),
            value: field.value.trim().to_owned(),
            in_prompts: field.in_prompts,
        }))?;
        Ok(Settings {
            language: wire.language.into(),
            theme: wire.theme.into(),
            market_reminders: wire.market_reminders,
            voice_consent: wire.voice_consent.into(),
            voice_analysis: wire.voice_analysis,
            adult_confirmed: wire.adult_confirmed,
            include_profile_fields: wire.include_profile_fields,
            offline: wire.offline,
            second_opinion: wire.second_opinion,
            speak_replies: wire.speak_replies,
            ..new
        })
    }

    /// `now`, with every field in which these answers differ from what was shown.
    fn since(&self, shown: &WireSettings, now: &WireSettings) -> WireSettings {
        let fields = |settings: &WireSettings| match serde_json::to_value(settings) {
            Ok(Value::Object(fields)) => fields,
            _ => Map::new(),
        };
        let (shown, mut merged) = (fields(shown), fields(now));
        merged.extend(fields(self).into_iter().filter(|(name, answer)| shown.get(name) != Some(answer)));
        serde_json::from_value(Value::Object(merged)).unwrap_or_else(|_| now.clone())
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
            ("hours", "с 10 до 18:45"),
            ("market_reminders", "yes"),
            ("market_days", "every_day"),
            ("shortcut", "Ctrl+Alt+C"),
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
        let shown = WireSettings::of(&settings);
        let back = shown.onto(&shown, &settings).expect("its own values");
        assert_eq!(back, settings);
    }

    #[test]
    fn what_the_terminal_set_meanwhile_stays_where_the_window_s_user_changed_something_else() {
        let shown = WireSettings::of(&Settings::fresh(Lang::Ru));
        let mut stored = Settings::fresh(Lang::Ru);
        for (name, value) in
            [("max_trades", "3"), ("offline", "yes"), ("safety_plan", "выйти на улицу"), ("name", "Ира")]
        {
            stored.set(name, value).expect("a value");
        }
        let mut answers = shown.clone();
        answers.hours = "с 10 до 18:45".into();
        answers.name = "Ирина".into();
        let kept = answers.onto(&shown, &stored).expect("kept");
        let mut expected = stored;
        expected.set("hours", "с 10 до 18:45").expect("a value");
        expected.set("name", "Ирина").expect("a value");
        assert_eq!(kept, expected);
    }

    #[test]
    fn a_zone_that_no_system_knows_any_more_keeps_nobody_from_changing_something_else() {
        let stored = Settings { time_zone: Some("Mars/Olympus".into()), ..Settings::fresh(Lang::Ru) };
        let shown = WireSettings::of(&stored);
        let mut answers = shown.clone();
        answers.name = "Ирина".into();
        let kept = answers.onto(&shown, &stored).expect("kept");
        assert_eq!((kept.name.as_deref(), kept.time_zone), (Some("Ирина"), stored.time_zone));
    }

    #[test]
    fn a_step_of_the_plan_may_hold_a_semicolon_and_half_a_contact_is_refused() {
        let settings = Settings::fresh(Lang::Ru);
        let shown = WireSettings::of(&settings);
        let mut wire = shown.clone();
        wire.contact_name = "Аня".into();
        assert!(wire.onto(&shown, &settings).is_err());
        wire.contact_how = "+7: вечером".into();
        let kept = wire.onto(&shown, &settings).expect("a whole contact").trusted_contact.expect("somebody");
        assert_eq!((kept.name.as_str(), kept.how.as_str()), ("Аня", "+7: вечером"));
    }
}
