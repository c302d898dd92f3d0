//! What the user typed or brought: settings, corrections, plans, reminders, documents, trades.

use calm_app::correcting::CorrectionError;
use calm_app::error::{DocumentError, MappingError, Place, ReadError, Unreachable};
use calm_app::settings::{NAMES, SettingError};
use calm_app::tools::reminders::ReminderError;
use calm_app::trades::Field;
use calm_app::triggers::PlanError;

pub fn setting(error: &SettingError) -> String {
    match error {
        SettingError::Name => format!("такой настройки нет, есть: {}", NAMES.join(", ")),
        SettingError::Value { name, expected } => {
            format!("{name}: подойдёт {}", takes(name).unwrap_or(expected))
        }
    }
}

/// What a setting may be.
fn takes(name: &str) -> Option<&'static str> {
    Some(match name {
        "language" => "`ru` или `en`",
        "name" | "trading_style" | "experience" | "markets" | "hours" | "account_currency" | "daily_loss_limit"
        | "stop_rule" | "location" | "microphone" => "одна строка до 200 знаков",
        "market_reminders"
        | "voice_analysis"
        | "include_profile_fields"
        | "include_trigger_context"
        | "adapt_to_user_language"
        | "offline"
        | "second_opinion"
        | "speak_replies"
        | "adult_confirmed" => "`yes` (да) или `no` (нет)",
        "market_days" => "`weekdays` (будни) или `every_day` (каждый день)",
        "max_trades" => "число от 1 до 1000 или пусто, если предела нет",
        "time_zone" => "часовой пояс вроде Europe/Moscow или пусто, тогда как в системе",
        "day_start" => "время вроде 04:30",
        "calendar" => "файл .ics, адрес http или https или пусто",
        "trusted_contact" => "имя и как связаться, через двоеточие, до 200 знаков",
        "safety_plan" => "до 20 шагов через точку с запятой, в каждом до 200 знаков",
        "theme" => "`system` (как в системе), `light` (светлая) или `dark` (тёмная)",
        "shortcut" => "сочетание вроде Ctrl+Alt+C (нужны Ctrl, Alt или Super) или пусто",
        "speech_model" => "модель whisper из `calm models list`",
        "end_silence_ms" => "число миллисекунд от 1000 до 6000",
        "keep_transcripts" | "keep_recordings" => {
            "`forever` (пока не удалишь), `never` (не хранить) или число дней от 1 до 3650"
        }
        _ => return None,
    })
}

pub fn correction(error: &CorrectionError) -> String {
    match error {
        CorrectionError::Name => "такого значения в разговоре нет".into(),
        CorrectionError::Value { name, expected } => {
            format!("{name}: подойдёт {}; пусто, если речи об этом не было", was(name).unwrap_or(expected))
        }
    }
}

/// What a value of a session may be.
fn was(name: &str) -> Option<&'static str> {
    Some(match name {
        "stress_level" | "energy_level" | "trading_readiness" | "regret_level" | "satisfaction" => "число от 1 до 10",
        "primary_emotion" => "чувство, которое Calm знает",
        "sleep_quality" => "`poor` (плохо), `fair` (средне), `good` (хорошо) или `excellent` (отлично)",
        "risk_appetite" => "`low` (низкий), `medium` (обычный) или `high` (высокий)",
        "session_result" => "`win` (плюс), `loss` (минус) или `breakeven` (ноль)",
        "result_category" => "`small` (небольшой), `medium` (средний) или `large` (крупный)",
        "plan_adherence" => {
            "`followed` (соблюдён), `partially` (частично), `deviated` (нарушен) или `no_plan` (не было)"
        }
        "planned_approach" | "key_learnings" => "текст до 500 знаков",
        "external_stressors" => "до 20 слов или фраз через запятую",
        _ => return None,
    })
}

pub fn plan(error: &PlanError) -> String {
    match error {
        PlanError::Name => "название пустое, длиннее 80 знаков или с квадратными скобками",
        PlanError::Condition => "условие пустое или длиннее 500 знаков",
        PlanError::Mark => "в условии стоит знак, которым заканчивается список условий",
        PlanError::NoAction => "в плане нужно хоть одно действие",
        PlanError::Practice => "таких практик нет",
        PlanError::Pause => "пауза длится от 1 до 240 минут",
        PlanError::Reminder => "напомнить можно через 1–10080 минут",
        PlanError::Text => "текст пустой или длиннее 1000 знаков",
        PlanError::TooMany => "включено уже 50 планов, больше в разговор не поместится: сначала выключи какой-нибудь",
        PlanError::Unknown => "такого плана нет, или так названы несколько: укажи номер",
        PlanError::SwitchedOff => "этот план выключен",
    }
    .to_owned()
}

pub fn reminder(error: &ReminderError) -> String {
    match error {
        ReminderError::Moment(Unreachable::Past) => "это время уже прошло",
        ReminderError::Moment(Unreachable::TooFar) => "до этого больше недели",
        ReminderError::Form(_) => "время пишется как 15:30, «завтра в 9 утра» или 2026-03-04T15:30",
        ReminderError::Text => "текст пустой или длиннее 500 знаков",
        ReminderError::TooMany => "ждут уже 200 напоминаний: сначала убери какое-нибудь",
    }
    .to_owned()
}

pub fn document(error: &DocumentError) -> String {
    match error {
        DocumentError::Unsupported => "такие документы не читаются: сохрани как md, txt, csv или pdf".into(),
        DocumentError::TooLarge { .. } => "файл больше 20 МБ".into(),
        DocumentError::TooLong(_) => "документ слишком длинный: раздели его на части".into(),
        DocumentError::Empty => "в файле нет текста".into(),
        DocumentError::Encrypted => "PDF закрыт паролем: сохрани копию без него".into(),
        DocumentError::Scanned { pages } => {
            format!("в PDF одни картинки, без текста (страниц: {pages}): сначала распознай текст")
        }
        DocumentError::Damaged { place: Place::File, .. } => "файл повреждён, или текст в нём не в UTF-8".into(),
        DocumentError::Damaged { place: Place::Page(page), .. } => format!("страница {page} не читается"),
        DocumentError::Damaged { place: Place::Line(line), .. } => {
            format!("строка {line}: здесь ждут вопрос до 600 знаков и ответ на него")
        }
    }
}

pub fn trades(error: &ReadError) -> String {
    match error {
        ReadError::Empty => "файл пустой".into(),
        ReadError::TooLarge => "файл больше 64 МБ".into(),
        ReadError::NotText => "это не текст, или кодировка неизвестна: сохрани отчёт как HTML или CSV".into(),
        ReadError::Spreadsheet => "эта таблица не открывается: сохрани отчёт как .xlsx, HTML или CSV".into(),
        ReadError::Unrecognised => {
            "знакомой таблицы сделок нет: назови формат (--format) или столбцы по одному (--map)".into()
        }
        ReadError::NoTable { format } => format!("таблицы {format} в файле нет"),
        ReadError::Quotes { line } => format!("строка {line}: кавычки в таблице не закрыты"),
        ReadError::NoColumn { field } => {
            format!("не видно, где {field}: назови столбец, --map \"Столбец={field}\"")
        }
        ReadError::UnknownColumn { column } => format!("столбца «{column}» нет"),
        ReadError::ZoneNeeded { .. } => {
            "непонятно, чьи часы в файле: назови их через --zone (смотри `calm trades formats`)".into()
        }
        ReadError::DateOrderNeeded => {
            "даты читаются двояко: скажи, что стоит первым, день (--dates dmy) или месяц (--dates mdy)".into()
        }
    }
}

pub fn mapping(error: &MappingError) -> String {
    match error {
        MappingError::Form => "нужно СТОЛБЕЦ=ПОЛЕ".into(),
        MappingError::Field => format!("поле должно быть из этих: {}", Field::names().join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use calm_app::core::end_session::Attributes;

    #[test]
    fn every_setting_says_in_russian_what_it_takes() {
        assert!(NAMES.iter().all(|name| takes(name).is_some()));
    }

    #[test]
    fn every_value_of_a_session_says_in_russian_what_it_may_be() {
        let serde_json::Value::Object(fields) = serde_json::json!(Attributes::default()) else {
            panic!("attributes are fields")
        };
        let without = fields.keys().filter(|name| *name != "confidence");
        assert!(without.clone().count() > 10 && without.into_iter().all(|name| was(name).is_some()));
    }
}
