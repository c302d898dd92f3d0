//! Updates, from the menu of the tray: one press looks for a newer version, the next one installs it.
//!
//! Only in builds with the feature `updates`, which want the makers' key. Tauri's updater reads the list of releases,
//! checks the signature and installs; it is never asked to fetch anything, because it would open a socket of its own.
//! What it needs comes by the one way out of this machine: offline mode holds, and the ledger tells of every request.

use std::io::Read;
use std::sync::{Mutex, PoisonError};

use anyhow::{Context, Result, bail};
use calm_app::Lang;
use tauri::menu::MenuItem;
use tauri::plugin::TauriPlugin;
use tauri::{AppHandle, Manager, Wry};
use tauri_plugin_updater::{Config, Update, UpdaterExt};

use crate::desk::Desk;

pub const ITEM: &str = "updates";
/// Bytes. A list of releases is a page of text.
const LIST: u64 = 1 << 20;
/// Bytes. Several times of what a package weighs.
const PACKAGE: u64 = 1 << 30;

/// The item of the menu, and what the last press found.
struct Found {
    item: MenuItem<Wry>,
    update: Mutex<Option<Update>>,
}

pub fn plugin() -> TauriPlugin<Wry, Config> {
    tauri_plugin_updater::Builder::new().build()
}

pub fn menu_item(app: &AppHandle) -> tauri::Result<MenuItem<Wry>> {
    let item = MenuItem::with_id(app, ITEM, say(app, Said::Look), true, None::<&str>)?;
    app.manage(Found { item: item.clone(), update: Mutex::default() });
    Ok(item)
}

/// The item was pressed. What comes of it is read on the item.
pub fn pressed(app: &AppHandle) {
    let app = app.clone();
    std::thread::spawn(move || {
        let Some(found) = app.try_state::<Found>() else { return };
        let known = found.update.lock().unwrap_or_else(PoisonError::into_inner).take();
        show(&app, &found.item, Said::Wait, false);
        let done = match known {
            Some(update) => install(&app, &update).map(|()| Said::Look),
            None => look(&app).map(|newer| match newer {
                Some(update) => {
                    let version = update.version.clone();
                    *found.update.lock().unwrap_or_else(PoisonError::into_inner) = Some(update);
                    Said::Install(version)
                }
                None => Said::Newest,
            }),
        };
        let said = done.unwrap_or_else(|error| {
            tracing::warn!(error = format!("{error:#}"), "the update did not work out");
            Said::Failed
        });
        show(&app, &found.item, said, true);
    });
}

/// A version that is newer than this one.
fn look(app: &AppHandle) -> Result<Option<Update>> {
    let list = address_of_list(app)?;
    let releases = serde_json::from_slice(&bring(app, &list, LIST)?).context("the list of releases cannot be read")?;
    Ok(app.updater_builder().build()?.restore_update(releases)?)
}

/// Checks the signature, puts the new version in place of this one and starts it. An open session goes on there.
fn install(app: &AppHandle, update: &Update) -> Result<()> {
    let package = bring(app, update.download_url.as_str(), PACKAGE)?;
    update.verify(&package).context("it is not signed by the makers")?;
    let desk = app.state::<Desk>();
    desk.put_away();
    if let Err(error) = update.install(&package) {
        // Then this version goes on.
        desk.reopen().map_err(|closed| anyhow::anyhow!("the database is closed: {}", closed.code))?;
        return Err(error.into());
    }
    app.restart()
}

fn address_of_list(app: &AppHandle) -> Result<String> {
    let updater = app.config().plugins.0.get("updater").context("this build knows no place of updates")?;
    let first = updater["endpoints"][0].as_str().context("this build knows no place of updates")?;
    Ok(first.to_owned())
}

fn bring(app: &AppHandle, address: &str, most: u64) -> Result<Vec<u8>> {
    let http = app.state::<Desk>().with(|conductor| Ok(conductor.http().clone()));
    let http = http.map_err(|closed| anyhow::anyhow!("the database is closed: {}", closed.code))?;
    let mut bytes = Vec::new();
    http.get_range(address, 0)?.into_reader().take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        bail!("the server sends more than {most} bytes");
    }
    Ok(bytes)
}

enum Said {
    Look,
    Wait,
    Newest,
    Install(String),
    Failed,
}

fn show(app: &AppHandle, item: &MenuItem<Wry>, said: Said, enabled: bool) {
    if let Err(error) = item.set_text(say(app, said)).and_then(|()| item.set_enabled(enabled)) {
        tracing::warn!(%error, "the tray's menu could not be changed");
    }
}

fn say(app: &AppHandle, said: Said) -> String {
    let words = match (app.state::<Desk>().language(), said) {
        (Lang::Ru, Said::Look) => "Проверить обновления",
        (Lang::En, Said::Look) => "Check for updates",
        (Lang::Ru, Said::Wait) => "Обновление: минутку…",
        (Lang::En, Said::Wait) => "Update: one moment…",
        (Lang::Ru, Said::Newest) => "Это самая новая версия",
        (Lang::En, Said::Newest) => "This is the newest version",
        (Lang::Ru, Said::Failed) => "Обновить не вышло. Попробовать ещё раз",
        (Lang::En, Said::Failed) => "The update did not work. Try again",
        (Lang::Ru, Said::Install(version)) => return format!("Поставить версию {version}"),
        (Lang::En, Said::Install(version)) => return format!("Install version {version}"),
    };
    words.to_owned()
}
