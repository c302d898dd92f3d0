//! `calm settings`: one setting at a time.

use std::process::ExitCode;

use calm_app::settings::NAMES;
use calm_app::{AppError, Lang, Settings};
use serde_json::json;

use super::House;
use crate::args::SettingsAction;
use crate::columns::padded;
use crate::failure::Failure;
use crate::output::Output;

pub fn run(house: &House, action: &SettingsAction, out: &Output) -> Result<ExitCode, Failure> {
    // `--lang` is for this run and must not be kept with the rest.
    let own = house.as_stored();
    match action {
        SettingsAction::Get { name } => {
            let existing = own.existing()?;
            let settings =
                existing.map_or_else(|| Settings::fresh(house.lang()), |conductor| conductor.settings().clone());
            for known in NAMES.iter().filter(|known| name.as_deref().is_none_or(|name| name == **known)) {
                show(&settings, known, name.is_some(), house.lang(), out)?;
            }
        }
        SettingsAction::Set { name, value } => {
            // A bad value is refused before there is a data folder.
            Settings::default().set(name, value).map_err(AppError::from)?;
            let mut conductor = own.quiet()?;
            conductor.change_settings(|mut settings| {
                settings.set(name, value)?;
                Ok(settings)
            })?;
            show(conductor.settings(), name, false, house.lang(), out)?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Names and values are as they are typed; in Russian a list says beside them what they are.
fn show(settings: &Settings, name: &str, alone: bool, lang: Lang, out: &Output) -> Result<(), AppError> {
    let value = settings.get(name)?;
    if out.json() {
        out.event("setting", &json!({"name": name, "value": value}));
    } else if alone {
        out.line(&value);
    } else if let Some(what) = what(name).filter(|_| lang == Lang::Ru) {
        out.line(&format!("{name:<24}{}  {what}", padded(&value, 20)));
    } else {
        out.line(&format!("{name:<24}{value}"));
    }
    Ok(())
}

/// What a setting is, in Russian; in English its name says it.
fn what(name: &str) -> Option<&'static str> {
    Some(match name {
        "name" => "как тебя зовут",
        "language" => "язык",
        "trading_style" => "стиль торговли",
        "experience" => "сколько и чем торгуешь",
        "markets" => "рынки",
        "hours" => "часы торговли",
        "market_reminders" => "звать до торговли и после",
        "market_days" => "по каким дням",
        "account_currency" => "валюта счёта",
        "max_trades" => "своё правило: сделок в день",
        "daily_loss_limit" => "своё правило: предел минуса за день",
        "stop_rule" => "своё правило: когда хватит",
        "time_zone" => "часовой пояс",
        "day_start" => "когда начинается торговый день",
        "location" => "где ты",
        "calendar" => "экономический календарь",
        "trusted_contact" => "кому позвонить в трудный час",
        "safety_plan" => "план на трудный час",
        "theme" => "тема окна",
        "shortcut" => "клавиши быстрого чек-ина",
        "voice_analysis" => "догадка по голосу",
        "speech_model" => "кто записывает слова",
        "microphone" => "микрофон",
        "end_silence_ms" => "тишина, после которой реплика закончена, мс",
        "include_profile_fields" => "поля профиля в разговоре с моделью",
        "include_trigger_context" => "планы «если — то» в разговоре с моделью",
        "adapt_to_user_language" => "отвечать на языке, на котором говоришь",
        "offline" => "режим без сети",
        "second_opinion" => "второй взгляд модели на каждый ответ",
        "speak_replies" => "ответы вслух",
        "adult_confirmed" => "тебе есть 18",
        "keep_transcripts" => "сколько хранить разговоры",
        "keep_recordings" => "сколько хранить записи голоса",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_setting_is_told_of_in_russian() {
        assert!(NAMES.iter().all(|name| what(name).is_some()));
    }
}
