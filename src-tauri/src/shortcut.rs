//! The key combination that opens the quick check-in from anywhere.
//!
//! X11, Windows and macOS hand it to a program. A Wayland desktop does not: there a registered combination never fires,
//! so none is registered, and the user's own desktop settings call `calmtrader --check-in` instead.

use calm_app::Kind;
use calm_app::settings::Shortcut;
use tauri::plugin::TauriPlugin;
use tauri::{AppHandle, Manager, Wry};
use tauri_plugin_global_shortcut::{Builder, GlobalShortcutExt, ShortcutState};

use crate::desk::Desk;
use crate::windows::{self, Door};
use crate::wire::WireError;

pub fn plugin() -> TauriPlugin<Wry> {
    Builder::new()
        .with_handler(|app, _, event| {
            if event.state == ShortcutState::Pressed {
                windows::carry_out(app, |app| windows::open_quick(app, Kind::CheckIn, Door::Shortcut));
            }
        })
        .build()
}

/// Whether this desktop lets a program have one.
pub fn is_possible() -> bool {
    let wayland = std::env::var_os("WAYLAND_DISPLAY").is_some_and(|display| !display.is_empty());
    !(cfg!(target_os = "linux") && wayland)
}

/// Registers the one of the settings. Where another program has it, the settings page says so when it is opened.
pub fn begin(app: &AppHandle) {
    let kept = app.state::<Desk>().shortcut();
    if let Some(keys) = kept
        && is_possible()
        && let Err(error) = app.global_shortcut().register(keys.as_str())
    {
        tracing::warn!(%error, "the shortcut could not be registered");
    }
}

/// Whether the one of the settings is this program's.
pub fn works(app: &AppHandle) -> bool {
    app.state::<Desk>().shortcut().is_some_and(|keys| app.global_shortcut().is_registered(keys.as_str()))
}

/// Takes another one into use, or with `None` no more; the former stays where the new one is refused.
pub fn change(app: &AppHandle, keys: Option<&Shortcut>) -> Result<(), WireError> {
    let desk = app.state::<Desk>();
    let (former, new) = (desk.shortcut(), keys.map(ToString::to_string));
    let registered = |keys: &str| app.global_shortcut().is_registered(keys);
    if let Some(new) = &new
        && is_possible()
        && !registered(new)
        && let Err(error) = app.global_shortcut().register(new.as_str())
    {
        tracing::warn!(%error, "the shortcut could not be registered");
        return Err(WireError { code: "shortcut_taken".to_owned(), detail: String::new() });
    }
    desk.set_shortcut(new.clone())?;
    if let Some(former) = former.filter(|former| Some(former) != new.as_ref() && registered(former))
        && let Err(error) = app.global_shortcut().unregister(former.as_str())
    {
        tracing::warn!(%error, "the former shortcut could not be given back");
    }
    Ok(())
}
