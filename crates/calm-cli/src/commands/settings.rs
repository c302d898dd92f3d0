//! `calm settings`: one setting at a time.

use std::process::ExitCode;

use calm_app::settings::NAMES;
use calm_app::{AppError, Settings};
use serde_json::json;

use super::House;
use crate::args::SettingsAction;
use crate::failure::Failure;
use crate::output::Output;

pub fn run(house: &House, action: &SettingsAction, out: &Output) -> Result<ExitCode, Failure> {
    // `--lang` is for this run and must not be kept with the rest.
    let data_dir = house.data_dir.clone();
    let own = House { data_dir, language: None, passphrase_stdin: house.passphrase_stdin };
    match action {
        SettingsAction::Get { name } => {
            let existing = own.existing()?;
            let settings =
                existing.map_or_else(|| Settings::fresh(house.words()), |conductor| conductor.settings().clone());
            for known in NAMES.iter().filter(|known| name.as_deref().is_none_or(|name| name == **known)) {
                show(&settings, known, name.is_some(), out)?;
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
            show(conductor.settings(), name, false, out)?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn show(settings: &Settings, name: &str, alone: bool, out: &Output) -> Result<(), AppError> {
    let value = settings.get(name)?;
    if out.json() {
        out.event("setting", &json!({"name": name, "value": value}));
    } else if alone {
        out.line(&value);
    } else {
        out.line(&format!("{name:<24}{value}"));
    }
    Ok(())
}
