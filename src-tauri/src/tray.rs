//! The tray icon and its menu; the app works without one.

#[cfg(target_os = "linux")]
use std::time::Duration;

use anyhow::{Context, Result};
use calm_app::{Kind, Lang};
use tauri::menu::{Menu, MenuEvent, MenuItem, PredefinedMenuItem};
use tauri::tray::TrayIconBuilder;
use tauri::{AppHandle, Manager};

use crate::desk::Desk;
use crate::windows::{self, Door};

const ICON: &str = "calm";
/// How long the session bus may take to answer.
#[cfg(target_os = "linux")]
const PATIENCE: Duration = Duration::from_secs(2);

pub fn place(app: &AppHandle) -> Result<()> {
    check_library()?;
    check_host()?;
    let words = Words::of(app.state::<Desk>().language());
    let item = |id, text| MenuItem::with_id(app, id, text, true, None::<&str>);
    let menu = Menu::with_items(
        app,
        &[
            &item("check-in", words.check_in)?,
            &item("check-out", words.check_out)?,
            &item("practice", words.practice)?,
            &PredefinedMenuItem::separator(app)?,
            &item("open", words.open)?,
            &item("quit", words.quit)?,
        ],
    )?;
    #[cfg(feature = "updates")]
    menu.append(&crate::updates::menu_item(app)?)?;
    TrayIconBuilder::with_id(ICON)
        .icon(tauri::include_image!("src-tauri/icons/tray.png"))
        .tooltip("CalmTrader")
        .menu(&menu)
        .on_menu_event(chosen)
        .build(app)
        .context("the desktop offers no place for an icon")?;
    Ok(())
}

pub fn is_placed(app: &AppHandle) -> bool {
    app.tray_by_id(ICON).is_some()
}

#[expect(clippy::needless_pass_by_value, reason = "the shape of a menu handler")]
fn chosen(app: &AppHandle, event: MenuEvent) {
    match event.id().as_ref() {
        "check-in" => windows::carry_out(app, |app| windows::open_quick(app, Kind::CheckIn, Door::Tray)),
        "check-out" => windows::carry_out(app, |app| windows::open_quick(app, Kind::CheckOut, Door::Tray)),
        "practice" => windows::carry_out(app, |app| windows::open_main_at(app, "practice")),
        "open" => windows::carry_out(app, windows::open_main),
        "quit" => app.exit(0),
        #[cfg(feature = "updates")]
        crate::updates::ITEM => crate::updates::pressed(app),
        _ => {}
    }
}

struct Words {
    check_in: &'static str,
    check_out: &'static str,
    practice: &'static str,
    open: &'static str,
    quit: &'static str,
}

impl Words {
    fn of(language: Lang) -> Words {
        match language {
            Lang::Ru => Words {
                check_in: "Быстрый чек-ин",
                check_out: "Чек-аут",
                practice: "Практика",
                open: "Открыть CalmTrader",
                quit: "Выйти",
            },
            Lang::En => Words {
                check_in: "Quick check-in",
                check_out: "Check-out",
                practice: "A practice",
                open: "Open CalmTrader",
                quit: "Quit",
            },
        }
    }
}

/// The tray code aborts the process when this library is missing, so it is looked for first.
#[cfg(target_os = "linux")]
fn check_library() -> Result<()> {
    let names = ["libayatana-appindicator3.so.1", "libappindicator3.so.1"];
    // SAFETY: these are plain C libraries whose initialisers do nothing; each is only opened and kept.
    let found = names.iter().find_map(|name| unsafe { libloading::Library::new(name) }.ok());
    let library = found.context("libayatana-appindicator3 is not installed")?;
    std::mem::forget(library);
    Ok(())
}

pub fn has_host() -> bool {
    check_host().is_ok()
}

/// An icon that nobody shows would keep a closed app running out of reach.
#[cfg(target_os = "linux")]
fn check_host() -> Result<()> {
    let nobody = "no part of this desktop shows tray icons (on GNOME: the AppIndicator extension)";
    let bus = zbus::blocking::connection::Builder::session()
        .and_then(|builder| builder.method_timeout(PATIENCE).build())
        .context("there is no session bus")?;
    let name = "org.kde.StatusNotifierWatcher";
    let watcher = zbus::blocking::Proxy::new(&bus, name, "/StatusNotifierWatcher", name).context(nobody)?;
    match watcher.get_property("IsStatusNotifierHostRegistered") {
        Ok(true) => Ok(()),
        Ok(false) | Err(_) => anyhow::bail!(nobody),
    }
}

#[cfg(not(target_os = "linux"))]
fn check_host() -> Result<()> {
    Ok(())
}

#[cfg(not(target_os = "linux"))]
fn check_library() -> Result<()> {
    Ok(())
}
