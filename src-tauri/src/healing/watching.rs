//! The windows under watch: which have shown a picture, which ended, and what is done about it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use tauri::{AppHandle, Manager, WebviewWindow};
use tauri_plugin_dialog::{DialogExt, MessageDialogKind};

use super::rules::{Course, Remedy, Renderer};
use crate::desk::Desk;
use crate::keepsake::Keepsake;
use crate::windows;

/// So long a window that the user has in front may show nothing; a slow machine takes five seconds.
const PATIENCE: Duration = Duration::from_secs(15);
const LOOK: Duration = Duration::from_secs(1);

/// WebKitGTK takes a removed element for as small as its handle in JavaScript, so a collection of young objects only
/// leaves the pages of rooms that were left: 140 MB after 1,600 doors, where this leaves 30. The live heap is small.
const COLLECTS_ALL: (&str, &str) = ("JSC_useGenerationalGC", "0");

/// The renderer in use and the course of the healing; one for the app.
pub struct Healing {
    started: Instant,
    renderer: Renderer,
    /// Of each window.
    courses: Mutex<BTreeMap<String, Course>>,
    /// Windows whose page has put a picture on the screen.
    pictured: Mutex<BTreeSet<String>>,
    /// The app is to start again when it has ended.
    again: AtomicBool,
    given_up: AtomicBool,
}

/// Chooses the renderer and tells the libraries; to be called before there is any thread or window.
pub fn prepare(data: &Path) -> Healing {
    let remembered = Keepsake::read(data).renderer(env!("CARGO_PKG_VERSION"));
    let renderer = remembered.max(if has_foreign_driver() { Renderer::Unshared } else { Renderer::Usual });
    for (name, value) in renderer.variables().iter().chain([&COLLECTS_ALL]) {
        if std::env::var_os(name).is_none() {
            // SAFETY: the caller has started no thread yet, so nobody reads the environment meanwhile.
            unsafe { std::env::set_var(name, value) };
        }
    }
    if renderer > Renderer::Usual {
        tracing::info!(?renderer, "the window is drawn with a safer renderer");
    }
    Healing {
        started: Instant::now(),
        renderer,
        courses: Mutex::default(),
        pictured: Mutex::default(),
        again: AtomicBool::new(false),
        given_up: AtomicBool::new(false),
    }
}

/// NVIDIA's own driver, with which the usual renderer of WebKitGTK stays blank.
fn has_foreign_driver() -> bool {
    cfg!(target_os = "linux") && Path::new("/proc/driver/nvidia/version").exists()
}

impl Healing {
    /// Into the log, with the milliseconds since the start: `CALM_LOG=calmtrader=info` shows how long things take.
    pub fn note(&self, what: &str) {
        let ms = self.started.elapsed().as_millis();
        tracing::info!(ms, "{what}");
    }

    /// The page of that window has put a picture on the screen.
    pub fn pictured(&self, label: &str) {
        held(&self.pictured).insert(label.to_owned());
        let ms = self.started.elapsed().as_millis();
        tracing::info!(label, ms, "the window shows its page");
    }

    pub fn is_pictured(&self, label: &str) -> bool {
        held(&self.pictured).contains(label)
    }

    /// Whether the app is to start again once it has ended.
    pub fn starts_again(&self) -> bool {
        self.again.load(Ordering::Relaxed)
    }

    /// Looks after a window that was just made. A hidden page draws nothing, so only what the user has in front counts.
    pub fn watch(app: &AppHandle, window: &WebviewWindow) {
        hear_the_end(app, window);
        watch_for_a_picture(app.clone(), window.label().to_owned());
    }

    fn failed(app: &AppHandle, label: &str, why: &str) {
        let healing = app.state::<Healing>();
        held(&healing.pictured).remove(label);
        if healing.starts_again() || healing.given_up.load(Ordering::Relaxed) {
            return;
        }
        let renderer = healing.renderer;
        let mut courses = held(&healing.courses);
        let remedy = courses.entry(label.to_owned()).or_default().next(healing.started.elapsed(), renderer);
        drop(courses);
        match remedy {
            Remedy::Reload => {
                tracing::warn!(label, why, ?renderer, "the window shows nothing; its page is loaded anew");
                reload(app, label);
                watch_for_a_picture(app.clone(), label.to_owned());
            }
            Remedy::Restart(safer) => {
                let data = app.state::<Desk>().paths().data.clone();
                let kept = Keepsake::change(&data, |kept| {
                    kept.renderer = safer;
                    kept.found_by = env!("CARGO_PKG_VERSION").to_owned();
                });
                // What is not remembered would be tried again at every start.
                if let Err(error) = kept {
                    tracing::error!(label, why, ?renderer, %error, "the window shows nothing, and no other way is kept");
                    healing.given_up.store(true, Ordering::Relaxed);
                    return give_up(app);
                }
                tracing::warn!(label, why, ?renderer, ?safer, "the window shows nothing; the app starts again");
                healing.again.store(true, Ordering::Relaxed);
                app.exit(0);
            }
            Remedy::GiveUp => {
                healing.given_up.store(true, Ordering::Relaxed);
                tracing::error!(label, why, ?renderer, "the window shows nothing, whatever it is drawn with");
                give_up(app);
            }
            Remedy::Nothing => {}
        }
    }
}

/// Waits until the page shows itself; gone or hidden windows need not.
fn watch_for_a_picture(app: AppHandle, label: String) {
    thread::spawn(move || {
        let mut blank = Duration::ZERO;
        loop {
            thread::sleep(LOOK);
            let Some(window) = app.get_webview_window(&label) else { return };
            if app.state::<Healing>().is_pictured(&label) {
                return;
            }
            // A desktop draws nothing for a window that is on another workspace or behind a locked screen.
            let in_front = window.is_visible().unwrap_or(false) && window.is_focused().unwrap_or(false);
            blank = if in_front { blank + LOOK } else { Duration::ZERO };
            if blank >= PATIENCE {
                return Healing::failed(&app, &label, "no picture came in time");
            }
        }
    });
}

#[cfg(target_os = "linux")]
fn hear_the_end(app: &AppHandle, window: &WebviewWindow) {
    use webkit2gtk::{WebProcessTerminationReason as Why, WebViewExt};

    let (app, label) = (app.clone(), window.label().to_owned());
    let heard = window.with_webview(move |view| {
        view.inner().connect_web_process_terminated(move |_, why| {
            let why = match why {
                Why::Crashed => "its web process crashed",
                Why::ExceededMemoryLimit => "its web process took too much memory",
                // By us, before the page is loaded anew.
                _ => return,
            };
            Healing::failed(&app, &label, why);
        });
    });
    if let Err(error) = heard {
        tracing::warn!(%error, "an end of the web process will not be noticed");
    }
}

#[cfg(target_os = "linux")]
fn end_web_process(window: &WebviewWindow) -> tauri::Result<()> {
    window.with_webview(|view| webkit2gtk::WebViewExt::terminate_web_process(&view.inner()))
}

#[cfg(not(target_os = "linux"))]
fn hear_the_end(_: &AppHandle, _: &WebviewWindow) {}

#[cfg(not(target_os = "linux"))]
fn end_web_process(_: &WebviewWindow) -> tauri::Result<()> {
    Ok(())
}

/// The page anew, where its user was. A web process that hangs would not load it, so it ends first.
fn reload(app: &AppHandle, label: &str) {
    let Some(window) = app.get_webview_window(label) else { return };
    let loaded = windows::address_of(&window).and_then(|page| {
        end_web_process(&window)?;
        window.navigate(page)
    });
    if let Err(error) = loaded {
        tracing::error!(%error, "the page could not be loaded anew");
    }
}

fn give_up(app: &AppHandle) {
    let (title, text) = match app.state::<Desk>().language() {
        calm_app::Lang::Ru => (
            "Окно не рисуется",
            "Видеокарта или её драйвер не показывают окно CalmTrader. Всё сказанное сохранено. Помогает обновить \
             драйвер; а пока то же самое умеет программа calm в терминале.",
        ),
        calm_app::Lang::En => (
            "The window cannot be drawn",
            "The graphics card or its driver does not show CalmTrader's window. Everything you said is kept. Updating \
             the driver helps; until then the program calm does the same in a terminal.",
        ),
    };
    app.dialog().message(text).title(title).kind(MessageDialogKind::Error).show(|_| {});
}

fn held<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
