//! Shortcut, start at login, and what the desktop offers.

use calm_app::AppError;
use calm_app::settings::{SettingError, Shortcut};
use tauri::AppHandle;
use tauri::Manager;

use crate::desk::Desk;
use crate::wire::{ShellSheet, WireError};
use crate::{launching, shortcut, tray};

#[tauri::command(async)]
#[specta::specta]
pub fn shell(app: AppHandle) -> ShellSheet {
    let program = launching::program(&app).map(|program| program.display().to_string()).unwrap_or_default();
    ShellSheet {
        shortcut: app.state::<Desk>().shortcut().unwrap_or_default(),
        shortcut_possible: shortcut::is_possible(),
        shortcut_works: shortcut::works(&app),
        command: format!("{program} --check-in"),
        at_login: launching::is_on(&app).unwrap_or(false),
        tray: tray::is_placed(&app),
    }
}

/// Keys such as `Ctrl+Alt+C`, or empty for none; refused ones leave the former in use.
#[tauri::command(async)]
#[specta::specta]
pub fn set_shortcut(app: AppHandle, keys: String) -> Result<ShellSheet, WireError> {
    let wrong = || AppError::Setting(SettingError::Value { name: "shortcut", expected: "keys such as Ctrl+Alt+C" });
    let keys = match keys.trim() {
        "" => None,
        keys => Some(Shortcut::read(keys).ok_or_else(wrong)?),
    };
    shortcut::change(&app, keys.as_ref())?;
    Ok(shell(app))
}

#[tauri::command(async)]
#[specta::specta]
pub fn start_at_login(app: AppHandle, on: bool) -> Result<ShellSheet, WireError> {
    if let Err(error) = launching::turn(&app, on) {
        tracing::warn!(%error, "the start at login could not be changed");
        return Err(WireError { code: "login_refused".to_owned(), detail: String::new() });
    }
    Ok(shell(app))
}
