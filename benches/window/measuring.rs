//! The rows.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use fantoccini::{Client, Locator};
use serde_json::json;

use crate::desktop::{Display, stop};
use crate::driver::Driver;
use crate::eyes::Eyes;
use crate::tray_host::TrayHost;
use crate::{processes, years};

const PATIENCE: Duration = Duration::from_secs(30);
const STARTS: usize = 11;
const VISITS: usize = 20;
/// A little more than a thousand doors.
const ROUNDS: usize = 112;
/// How long nothing is done before memory is read.
const REST: Duration = Duration::from_secs(20);

/// A room: what leads into it, and what is there once it can be used.
struct Room {
    name: &'static str,
    press: &'static str,
    there: &'static str,
}

const ROOMS: [Room; 9] = [
    room("today", "nav-today", "[data-testid='start-checkin']"),
    room("practice", "nav-practice", "[data-testid^='practice-']"),
    room("history", "nav-history", "[data-testid^='session-']"),
    room("letter", "session-10000", "[data-testid='letter']"),
    room("insights", "nav-insights", "[data-testid='insights-told']"),
    room("trades", "insights-trades", "[data-testid='trades-imports-list']"),
    room("memory", "nav-memory", "[data-testid='memory-empty']"),
    room("care", "nav-care", "[data-testid='care-emergency']"),
    room("settings", "nav-settings", "[data-testid='settings-data']"),
];

const fn room(name: &'static str, press: &'static str, there: &'static str) -> Room {
    Room { name, press, there }
}

/// Milliseconds from each press until its room is there and a frame has been drawn, one room after the other.
const ENTER: &str = "
    const [rooms, done] = arguments;
    const enter = ([press, there]) => new Promise((entered) => {
        const begin = performance.now();
        document.querySelector(`[data-testid='${press}']`).click();
        const look = () => {
            if (!document.querySelector(there)) requestAnimationFrame(look);
            else requestAnimationFrame(() => setTimeout(() => entered(performance.now() - begin)));
        };
        look();
    });
    (async () => {
        const times = [];
        for (const room of rooms) times.push(await enter(room));
        done(times);
    })();
";

#[tokio::main]
pub async fn run() {
    let wanted = std::env::args().skip(1).find(|arg| !arg.starts_with("--"));
    let all = ["window_shown", "window_rooms_10k", "window_growth_mb", "idle_with_window_mb", "idle_in_tray_mb"];
    let is_wanted = |id: &str| wanted.as_ref().is_none_or(|name| id.contains(name.as_str()));
    if !all.into_iter().any(is_wanted) {
        return;
    }
    let house = tempfile::tempdir().expect("a folder");
    let data = house.path().join("data");
    let display = Display::start();
    let tray = TrayHost::start();
    move_in(&display, &data).await;
    years::fill(&data);
    if is_wanted("window_shown") {
        shown(&display, &data, &tray);
    }
    if is_wanted("window_rooms_10k") || is_wanted("window_growth_mb") {
        rooms(&display, &data).await;
    }
    if is_wanted("idle_with_window_mb") || is_wanted("idle_in_tray_mb") {
        idle(&display, &data, &tray);
    }
}

fn print(id: &str, value: f64, n: usize) {
    println!("{}", json!({"id": id, "value": value, "n": n}));
}

fn median(times: &mut [f64]) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

/// The first run, so that later starts show the rooms.
async fn move_in(display: &Display, data: &Path) {
    let driver = Driver::start(display, data);
    let window = driver.window().await;
    press(&window, "first-run-continue").await;
    press(&window, "nav-today").await;
    window.close().await.expect("closes");
}

async fn press(window: &Client, id: &str) {
    let selector = format!("[data-testid='{id}']");
    let found = window.wait().at_most(PATIENCE).for_element(Locator::Css(&selector)).await;
    found.expect("what is pressed").click().await.expect("clicks");
}

/// From the start of the program until its window is on the screen with words in it.
fn shown(display: &Display, data: &Path, tray: &TrayHost) {
    let eyes = Eyes::on(display.name());
    let mut times: Vec<f64> = (0..STARTS)
        .map(|_| {
            let clock = Instant::now();
            let mut app = start(display, data, tray);
            eyes.until_written(PATIENCE);
            let took = clock.elapsed().as_secs_f64();
            stop(&mut app);
            eyes.until_empty(PATIENCE);
            took
        })
        .collect();
    print("window_shown", median(&mut times), STARTS);
}

fn start(display: &Display, data: &Path, tray: &TrayHost) -> Child {
    let mut app = Command::new(env!("CARGO_BIN_EXE_calmtrader"));
    tray.show(&mut app);
    app.env("DISPLAY", display.name())
        .env_remove("WAYLAND_DISPLAY")
        .env("CALM_DATA_DIR", data)
        .env("CALM_KEYCHAIN", "off")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the program starts")
}

/// Goes round the house: the slowest room's median, and what a thousand doors leave in memory.
async fn rooms(display: &Display, data: &Path) {
    let driver = Driver::start(display, data);
    let window = driver.window().await;
    window.wait().at_most(PATIENCE).for_element(Locator::Css("[data-testid='nav-today']")).await.expect("the house");
    let mut times = vec![Vec::with_capacity(VISITS); ROOMS.len()];
    for _ in 0..VISITS {
        for (times, took) in times.iter_mut().zip(round(&window).await) {
            times.push(took);
        }
    }
    let mut slowest = 0.0_f64;
    for (room, times) in ROOMS.iter().zip(&mut times) {
        let (first, usual) = (times[0], median(times));
        eprintln!("{:<10} {usual:>6.0} ms, first {first:>6.0} ms, slowest {:>6.0} ms", room.name, times[VISITS - 1]);
        slowest = slowest.max(usual);
    }
    print("window_rooms_10k", slowest, VISITS);

    let before = processes::megabytes_below(driver.process.id());
    for _ in 0..ROUNDS {
        round(&window).await;
    }
    tokio::time::sleep(REST).await;
    let after = processes::megabytes_below(driver.process.id());
    eprintln!("{before:.0} MB before {ROUNDS} rounds, {after:.0} MB after");
    print("window_growth_mb", after - before, ROUNDS * ROOMS.len());
    window.close().await.expect("closes");
}

/// Into each room once.
async fn round(window: &Client) -> Vec<f64> {
    let rooms = ROOMS.map(|room| [room.press, room.there]);
    let took = window.execute_async(ENTER, vec![json!(rooms)]).await.expect("every room opens");
    serde_json::from_value(took).expect("milliseconds")
}

/// The whole program's memory with its window open, and after it was closed into the tray; no model is loaded.
fn idle(display: &Display, data: &Path, tray: &TrayHost) {
    let eyes = Eyes::on(display.name());
    let mut app = start(display, data, tray);
    eyes.until_written(PATIENCE);
    std::thread::sleep(REST);
    print("idle_with_window_mb", processes::megabytes(app.id()), 1);
    eyes.close_windows();
    eyes.until_empty(PATIENCE);
    std::thread::sleep(REST);
    assert!(app.try_wait().expect("asked").is_none(), "the program left with its window");
    print("idle_in_tray_mb", processes::megabytes(app.id()), 1);
    stop(&mut app);
}
