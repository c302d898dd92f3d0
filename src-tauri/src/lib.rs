//! The window door: windows, tray, IPC.
//!
//! It shows what the conductor reports and passes on what the user does. Rules, data and
//! sound live behind calm-app.

mod asked;
mod commands;
mod desk;
mod expiring;
mod healing;
#[cfg(test)]
mod house;
mod instance;
mod keepsake;
mod launching;
mod placing;
mod recovering;
mod ringing;
mod shortcut;
mod showing;
mod speaking;
mod today;
mod tray;
mod trying;
#[cfg(feature = "updates")]
mod updates;
mod waking;
mod windows;
pub mod wire;

use std::process::Command;
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result};
use calm_app::Paths;
use tauri::{AppHandle, Manager, RunEvent, WindowEvent};

pub use crate::asked::Asked;
use crate::desk::Desk;
use crate::healing::Healing;

/// At login the part of the desktop that shows tray icons may come after the app.
const LOGIN: Duration = Duration::from_secs(20);

/// Runs the app until the user quits it, or hands `asked` to the one that runs already.
///
/// # Errors
/// When there is no display, or the web view cannot be started.
pub fn run(asked: Asked) -> Result<()> {
    let logs = tracing_subscriber::EnvFilter::try_from_env("CALM_LOG")
        .unwrap_or_else(|_| tracing_subscriber::EnvFilter::new("calmtrader=warn"));
    tracing_subscriber::fmt().with_env_filter(logs).with_writer(std::io::stderr).init();
    windows::check_display()?;
    let paths = Paths::find(None)?;
    let healing = healing::prepare(&paths.data);
    let ipc = commands::builder();
    let builder = tauri::Builder::default()
        .plugin(instance::plugin(&paths.data))
        .plugin(tauri_plugin_dialog::init())
        .plugin(shortcut::plugin());
    #[cfg(feature = "updates")]
    let builder = builder.plugin(updates::plugin());
    let app = builder
        .manage(healing)
        .invoke_handler(ipc.invoke_handler())
        .setup(move |app| {
            begin(app.handle(), asked);
            Ok(())
        })
        .build(tauri::generate_context!())
        .context("cannot start the window")?;
    // Only now is it known that no other instance holds this folder.
    app.manage(Desk::open(paths));
    app.run(|app, event| match event {
        RunEvent::WindowEvent { label, event: WindowEvent::CloseRequested { api, .. }, .. } => {
            if label == windows::QUICK {
                api.prevent_close();
                windows::close_quick(app);
            } else {
                windows::remember_place(app);
            }
        }
        RunEvent::WindowEvent { label, event: WindowEvent::Moved(_) | WindowEvent::Resized(_), .. } => {
            windows::moved(&label);
        }
        // A window that went away must not leave the microphone open behind it.
        RunEvent::WindowEvent { event: WindowEvent::Destroyed, .. } => {
            app.state::<Desk>().end_trial();
            app.state::<Desk>().stop_speaking(true);
            windows::settle(app);
        }
        // With a tray the app stays after its window closes.
        RunEvent::ExitRequested { api, code: None, .. } if tray::is_placed(app) => api.prevent_exit(),
        RunEvent::ExitRequested { code: Some(_), .. } => windows::remember_place(app),
        RunEvent::Exit => {
            app.state::<Desk>().put_away();
            if app.state::<Healing>().starts_again() {
                start_again(app);
            }
        }
        _ => {}
    });
    Ok(())
}

fn begin(app: &AppHandle, asked: Asked) {
    waking::start(app);
    expiring::start(app.state::<Desk>().inner().clone());
    shortcut::begin(app);
    let placed = place_tray(app);
    match asked {
        Asked::Hidden if placed => windows::prepare_quick(app),
        Asked::Hidden => {
            let app = app.clone();
            thread::spawn(move || wait_for_tray(&app));
        }
        Asked::Open | Asked::Talk(_) => windows::answer(app, asked),
    }
}

fn place_tray(app: &AppHandle) -> bool {
    let placed = tray::place(app);
    if let Err(error) = &placed {
        tracing::warn!(%error, "there is no tray; the window does everything");
    }
    placed.is_ok()
}

/// Places the icon when there is somebody to show it; otherwise the window opens.
fn wait_for_tray(app: &AppHandle) {
    let mut waited = Duration::ZERO;
    while !tray::has_host() && waited < LOGIN {
        thread::sleep(Duration::from_secs(1));
        waited += Duration::from_secs(1);
    }
    let own = app.clone();
    let queued = app.run_on_main_thread(move || {
        if place_tray(&own) {
            windows::prepare_quick(&own);
        } else {
            windows::answer(&own, Asked::Open);
        }
    });
    if let Err(error) = queued {
        tracing::debug!(%error, "the app has ended");
    }
}

/// The same app once more, after this one has put its session away.
fn start_again(app: &AppHandle) {
    // The other would find this one still here, hand over to it and end.
    tauri_plugin_single_instance::destroy(app);
    let started = launching::program(app).and_then(|program| Command::new(program).arg("--open").spawn());
    if let Err(error) = started {
        tracing::error!(%error, "the app could not be started again");
    }
}
