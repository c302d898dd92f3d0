//! The window door: windows, tray, IPC.
//!
//! It shows what the conductor reports and passes on what the user does. Rules, data and
//! sound live behind calm-app.

mod commands;
mod desk;
mod expiring;
mod ringing;
mod showing;
mod speaking;
mod today;
mod tray;
mod trying;
#[cfg(feature = "updates")]
mod updates;
mod windows;
pub mod wire;

use anyhow::{Context, Result};
use calm_app::Paths;
use tauri::{Manager, RunEvent, WindowEvent};

use crate::desk::Desk;

/// Runs the app until the user quits it.
///
/// # Errors
/// When there is no display, or the web view cannot be started.
pub fn run() -> Result<()> {
    let logs = tracing_subscriber::EnvFilter::try_from_env("CALM_LOG")
        .unwrap_or_else(|_| tracing_subscriber::EnvFilter::new("calmtrader=warn"));
    tracing_subscriber::fmt().with_env_filter(logs).with_writer(std::io::stderr).init();
    windows::check_display()?;
    let desk = Desk::open(Paths::find(None)?);
    let ipc = commands::builder();
    let builder = tauri::Builder::default();
    #[cfg(feature = "updates")]
    let builder = builder.plugin(updates::plugin());
    let app = builder
        .manage(desk)
        .invoke_handler(ipc.invoke_handler())
        .setup(|app| {
            windows::open_main(app.handle())?;
            ringing::start(app.state::<Desk>().inner().clone());
            expiring::start(app.state::<Desk>().inner().clone());
            if let Err(error) = tray::place(app.handle()) {
                tracing::warn!(%error, "there is no tray; the window does everything");
            }
            Ok(())
        })
        .build(tauri::generate_context!())
        .context("cannot start the window")?;
    app.run(|app, event| match event {
        // With a tray the app stays after its window closes.
        RunEvent::ExitRequested { api, code: None, .. } if tray::is_placed(app) => api.prevent_exit(),
        // A window that went away must not leave the microphone open behind it.
        RunEvent::WindowEvent { event: WindowEvent::Destroyed, .. } => {
            app.state::<Desk>().end_trial();
            app.state::<Desk>().stop_speaking(true);
        }
        RunEvent::Exit => app.state::<Desk>().put_away(),
        _ => {}
    });
    Ok(())
}
