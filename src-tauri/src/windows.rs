//! The two windows: the main one, and the quick one that the tray, a shortcut or a reminder opens.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use anyhow::{Result, bail};
use calm_app::Kind;
use tauri::{
    AppHandle, LogicalSize, Manager, PhysicalPosition, PhysicalSize, Url, WebviewUrl, WebviewWindow,
    WebviewWindowBuilder,
};

use crate::asked::Asked;
use crate::desk::Desk;
use crate::healing::Healing;
use crate::keepsake::Keepsake;
use crate::placing::{self, Area};
use crate::{shortcut, tray};

pub const MAIN: &str = "main";
pub const QUICK: &str = "tray";

/// Of the quick window, in logical pixels.
const WIDTH: f64 = 360.0;
const HEIGHT: f64 = 480.0;

/// The quick window while nobody has asked for it.
const LATER: &str = "/tray/later";

/// What has opened the quick window; a session keeps it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Door {
    Tray,
    Shortcut,
    Reminder,
}

impl Door {
    pub fn name(self) -> &'static str {
        match self {
            Door::Tray => "tray",
            Door::Shortcut => "shortcut",
            Door::Reminder => "reminder",
        }
    }
}

/// Without a display the toolkit aborts; this says it in a line instead.
pub fn check_display() -> Result<()> {
    let shown = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    if cfg!(target_os = "linux") && !shown("DISPLAY") && !shown("WAYLAND_DISPLAY") {
        bail!("there is no display here: use the `calm` program, or start this in a desktop session");
    }
    Ok(())
}

/// Does what a second start asks for.
pub fn answer(app: &AppHandle, asked: Asked) {
    match asked {
        Asked::Open => carry_out(app, open_main),
        Asked::Talk(kind) => carry_out(app, move |app| open_quick(app, kind, Door::Shortcut)),
        Asked::Hidden => {}
    }
}

/// Not on the main thread: on Windows a window cannot be made while an event is being answered.
pub fn carry_out(app: &AppHandle, work: impl FnOnce(&AppHandle) -> tauri::Result<()> + Send + 'static) {
    let app = app.clone();
    thread::spawn(move || {
        if let Err(error) = work(&app) {
            tracing::warn!(%error, "the window could not be shown");
        }
    });
}

/// Shows the main window, making it when it is not there.
pub fn open_main(app: &AppHandle) -> tauri::Result<()> {
    open_main_at(app, "")
}

/// Shows the main window in the room of that name; with none, as it was left.
pub fn open_main_at(app: &AppHandle, room: &str) -> tauri::Result<()> {
    let window = match app.get_webview_window(MAIN) {
        Some(window) => {
            if !room.is_empty() {
                go(&window, &format!("/{room}"))?;
            }
            into_sight(&window)?;
            window
        }
        None => {
            let place = if room.is_empty() { String::new() } else { format!("#/{room}") };
            let window = WebviewWindowBuilder::new(app, MAIN, WebviewUrl::App(format!("index.html{place}").into()))
                .title("CalmTrader")
                .inner_size(960.0, 640.0)
                .min_inner_size(640.0, 480.0)
                .visible(false)
                .build()?;
            Healing::watch(app, &window);
            put_back(&window)?;
            window
        }
    };
    show(&window)
}

/// Shows the quick window; its page begins, or goes on with, a short session of this kind.
///
/// A first talk begins with the questions of the main window, the confirmation of age among them (SPEC H2).
pub fn open_quick(app: &AppHandle, kind: Kind, door: Door) -> tauri::Result<()> {
    let desk = app.state::<Desk>();
    if !desk.is_adult() {
        return open_main(app);
    }
    let place = match kind {
        Kind::CheckIn => "/tray",
        Kind::CheckOut => "/tray/check-out",
    };
    let window = match app.get_webview_window(QUICK) {
        Some(window) => {
            // Whoever has it in front already goes on there.
            if !window.is_visible()? {
                app.state::<Healing>().note("the quick window is asked for");
                desk.opened_by(door.name());
                go(&window, place)?;
                beside_pointer(&window)?;
            }
            window
        }
        None => {
            desk.opened_by(door.name());
            make_quick(app, place)?
        }
    };
    show(&window)
}

/// Makes the quick window unseen, so that it is there at once when it is asked for.
pub fn prepare_quick(app: &AppHandle) {
    if app.get_webview_window(QUICK).is_none() {
        carry_out(app, |app| make_quick(app, LATER).map(drop));
    }
}

fn make_quick(app: &AppHandle, place: &str) -> tauri::Result<WebviewWindow> {
    let window = WebviewWindowBuilder::new(app, QUICK, WebviewUrl::App(format!("index.html#{place}").into()))
        .title("CalmTrader")
        // By its limits: GTK makes a window that cannot be resized as small as its empty content.
        .inner_size(WIDTH, HEIGHT)
        .min_inner_size(WIDTH, HEIGHT)
        .max_inner_size(WIDTH, HEIGHT)
        .decorations(false)
        .always_on_top(true)
        .skip_taskbar(true)
        .visible(false)
        .build()?;
    Healing::watch(app, &window);
    beside_pointer(&window)?;
    Ok(window)
}

/// Puts the quick window away; the session behind it stays as it is, and what is half spoken becomes a turn.
pub fn close_quick(app: &AppHandle) {
    app.state::<Desk>().stop_speaking(true);
    carry_out(app, |app| {
        if let Some(window) = app.get_webview_window(QUICK) {
            window.hide()?;
            go(&window, LATER)?;
        }
        settle(app);
        Ok(())
    });
}

/// A page has come up. Once the main one has, there is time for the quick window.
pub fn pictured(healing: &Healing, window: &WebviewWindow) {
    healing.pictured(window.label());
    let app = window.app_handle();
    if window.label() == MAIN && (tray::is_placed(app) || shortcut::works(app)) {
        prepare_quick(app);
    }
}

/// An app that nothing shows any more ends.
pub fn settle(app: &AppHandle) {
    let shown = |window: &WebviewWindow| window.is_visible().unwrap_or(false);
    if !tray::is_placed(app) && !app.webview_windows().values().any(shown) {
        app.exit(0);
    }
}

/// Where the page of a window is to begin again after a fault.
pub fn address_of(window: &WebviewWindow) -> tauri::Result<Url> {
    let running = window.state::<Desk>().is_running();
    let place = match (window.label(), running) {
        (MAIN, true) => "/talk",
        (MAIN, false) => "",
        (_, true) if window.is_visible()? => "/tray",
        _ => {
            // Its talk is over, so there is nothing to go on with.
            window.hide()?;
            LATER
        }
    };
    let mut page = window.url()?;
    page.set_fragment((!place.is_empty()).then_some(place));
    Ok(page)
}

/// What a session records of where it was opened.
pub fn opened_from(desk: &Desk, window: &WebviewWindow) -> &'static str {
    if window.label() == QUICK { desk.quick_door() } else { "window" }
}

/// The main window was moved or resized, and nobody has written that down yet.
static MOVED: AtomicBool = AtomicBool::new(false);

pub fn moved(label: &str) {
    if label == MAIN {
        MOVED.store(true, Ordering::Relaxed);
    }
}

/// Writes down where the main window stands, if it was moved: at the end of a login nobody asks it to close.
pub fn remember_if_moved(app: &AppHandle) {
    if MOVED.swap(false, Ordering::Relaxed) {
        remember_place(app);
    }
}

/// Remembers where the main window stands.
pub fn remember_place(app: &AppHandle) {
    let Some(window) = app.get_webview_window(MAIN) else { return };
    let desk = app.state::<Desk>();
    let data = &desk.paths().data;
    let stands = || -> tauri::Result<Option<Area>> {
        let whole = window.is_maximized()? || window.is_fullscreen()?;
        Ok(if whole { None } else { Some(frame_of(&window)?) })
    };
    // Whoever has erased everything leaves no trace of the window either.
    if window.is_minimized().unwrap_or(true) || !data.is_dir() {
        return;
    }
    let kept = stands().map_err(anyhow::Error::from).and_then(|frame| {
        Ok(Keepsake::change(data, |kept| {
            kept.maximised = frame.is_none();
            kept.frame = frame.or(kept.frame);
        })?)
    });
    if let Err(error) = kept {
        tracing::warn!(%error, "where the window stands could not be kept");
    }
}

/// A new window to where the former one stood, as far as that can be seen.
fn put_back(window: &WebviewWindow) -> tauri::Result<()> {
    let kept = Keepsake::read(&window.state::<Desk>().paths().data);
    if let Some(frame) = kept.frame {
        let frame = placing::in_sight(frame, &monitors(window)?);
        window.set_size(PhysicalSize::new(frame.width, frame.height))?;
        window.set_position(PhysicalPosition::new(frame.x, frame.y))?;
    }
    if kept.maximised {
        window.maximize()?;
    }
    Ok(())
}

/// A monitor may have gone while the window was hidden or forgotten on it.
fn into_sight(window: &WebviewWindow) -> tauri::Result<()> {
    if window.is_maximized()? || window.is_minimized()? {
        return Ok(());
    }
    let stands = frame_of(window)?;
    let frame = placing::in_sight(stands, &monitors(window)?);
    if frame != stands {
        window.set_size(PhysicalSize::new(frame.width, frame.height))?;
        window.set_position(PhysicalPosition::new(frame.x, frame.y))?;
    }
    Ok(())
}

/// Wayland lets no window choose its place; it is asked for all the same.
fn beside_pointer(window: &WebviewWindow) -> tauri::Result<()> {
    let Ok(pointer) = window.cursor_position() else { return Ok(()) };
    let size = LogicalSize::new(WIDTH, HEIGHT).to_physical::<u32>(window.scale_factor()?);
    let pointer = (pointer.x as i32, pointer.y as i32);
    match placing::beside(pointer, &monitors(window)?, size.width, size.height) {
        Some((x, y)) => window.set_position(PhysicalPosition::new(x, y)),
        None => Ok(()),
    }
}

fn frame_of(window: &WebviewWindow) -> tauri::Result<Area> {
    let (at, size) = (window.outer_position()?, window.inner_size()?);
    Ok(Area { x: at.x, y: at.y, width: size.width, height: size.height })
}

fn monitors(window: &WebviewWindow) -> tauri::Result<Vec<Area>> {
    let free = |monitor: tauri::Monitor| {
        let area = monitor.work_area();
        Area { x: area.position.x, y: area.position.y, width: area.size.width, height: area.size.height }
    };
    Ok(window.available_monitors()?.into_iter().map(free).collect())
}

/// To another place of the page that the window shows.
fn go(window: &WebviewWindow, place: &str) -> tauri::Result<()> {
    let mut page = window.url()?;
    page.set_fragment(Some(place));
    window.navigate(page)
}

fn show(window: &WebviewWindow) -> tauri::Result<()> {
    window.show()?;
    window.unminimize()?;
    window.set_focus()
}
