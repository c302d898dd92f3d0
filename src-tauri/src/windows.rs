//! The two windows: the main one, and the small one of the tray.

use anyhow::{Result, bail};
use calm_app::Kind;
use tauri::{AppHandle, Manager, WebviewUrl, WebviewWindow, WebviewWindowBuilder};

pub const MAIN: &str = "main";
pub const TRAY: &str = "tray";

/// Without a display the toolkit aborts; this says it in a line instead.
pub fn check_display() -> Result<()> {
    let shown = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    if cfg!(target_os = "linux") && !shown("DISPLAY") && !shown("WAYLAND_DISPLAY") {
        bail!("there is no display here: use the `calm` program, or start this in a desktop session");
    }
    Ok(())
}

/// Shows the main window, making it when it is not there.
pub fn open_main(app: &AppHandle) -> tauri::Result<()> {
    open_main_at(app, "")
}

/// Shows the main window in the room of that name; with none, as it was left.
pub fn open_main_at(app: &AppHandle, room: &str) -> tauri::Result<()> {
    let place = if room.is_empty() { String::new() } else { format!("#/{room}") };
    let window = match app.get_webview_window(MAIN) {
        Some(window) => {
            if let Some(fragment) = place.strip_prefix('#') {
                let mut page = window.url()?;
                page.set_fragment(Some(fragment));
                window.navigate(page)?;
            }
            window
        }
        None => WebviewWindowBuilder::new(app, MAIN, WebviewUrl::App(format!("index.html{place}").into()))
            .title("CalmTrader")
            .inner_size(960.0, 640.0)
            .min_inner_size(640.0, 480.0)
            .build()?,
    };
    show(&window)
}

/// Shows the small window of the tray; its page begins (or goes on with) a short session of this kind.
pub fn open_tray(app: &AppHandle, kind: Kind) -> tauri::Result<()> {
    let place = match kind {
        Kind::CheckIn => "#/tray",
        Kind::CheckOut => "#/tray/check-out",
    };
    let window = match app.get_webview_window(TRAY) {
        Some(window) => {
            let mut page = window.url()?;
            page.set_fragment(place.strip_prefix('#'));
            window.navigate(page)?;
            window
        }
        None => WebviewWindowBuilder::new(app, TRAY, WebviewUrl::App(format!("index.html{place}").into()))
            .title("CalmTrader")
            .inner_size(360.0, 480.0)
            .resizable(false)
            .decorations(false)
            .always_on_top(true)
            .skip_taskbar(true)
            .build()?,
    };
    show(&window)
}

/// What a session records of where it was opened.
pub fn opened_from(window: &WebviewWindow) -> &'static str {
    if window.label() == TRAY { "tray" } else { "window" }
}

fn show(window: &WebviewWindow) -> tauri::Result<()> {
    window.show()?;
    window.unminimize()?;
    window.set_focus()
}
