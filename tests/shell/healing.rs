//! A window whose web process ends or hangs comes back as it was, and it never goes on for ever.

use crate::app::{App, Bus, Place};
use crate::desktop::Display;
use crate::journal;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

const LOADED_ANEW: &str = "its page is loaded anew";
const STARTS_AGAIN: &str = "the app starts again";

#[test]
fn a_quick_window_whose_web_process_crashes_comes_back_with_its_talk() {
    let house = tempfile::tempdir().expect("a folder");
    let (display, bus) = (Display::start(), Bus::start());
    let place = Place { display: &display, bus: Some(&bus), data: &house.path().join("data") };
    let journal = journal(place.data);
    let app = place.start(&["--check-in"]);
    app.shows_a_page(1);
    app.wait_until("a greeting", || {
        let begun = journal.history(9).expect("history").pop();
        begun.is_some_and(|line| journal.page(line.session_id).expect("a page").is_some_and(|it| !it.turns.is_empty()))
    });
    let window = app.windows()[0].clone();
    assert!(app.xdotool(&["getwindowgeometry", &window]).contains("360x480"));
    let before = settled(&app, &window, "before");

    app.send("-KILL", web_process(&app));
    app.logs(LOADED_ANEW, 1);
    app.shows_a_page(2);
    let after = settled(&app, &window, "after");
    let different = difference(&before, &after);
    assert!(different < 0.02, "{different} of the picture is different");
    assert_eq!(journal.history(9).expect("history").len(), 1, "the talk goes on");
    assert_eq!(app.logged(STARTS_AGAIN), 0);
    assert_eq!(app.logged("its web process crashed"), 1);
}

#[test]
fn a_page_that_shows_nothing_is_loaded_anew() {
    let house = tempfile::tempdir().expect("a folder");
    let (display, bus) = (Display::start(), Bus::start());
    let place = Place { display: &display, bus: Some(&bus), data: &house.path().join("data") };
    let app = place.start(&[]);
    app.wait_until("a web process", || !app.web_processes().is_empty());
    app.send("-STOP", web_process(&app));
    app.wait_until("a window", || !app.windows().is_empty());
    app.xdotool(&["windowfocus", &app.windows()[0]]);
    app.logs(LOADED_ANEW, 1);
    app.shows_a_page(1);
    assert_eq!(app.logged("no picture came in time"), 1);
}

#[test]
fn a_window_that_crashes_again_and_again_is_drawn_more_safely_and_then_given_up() {
    let house = tempfile::tempdir().expect("a folder");
    let (display, bus) = (Display::start(), Bus::start());
    let data = house.path().join("data");
    let place = Place { display: &display, bus: Some(&bus), data: &data };
    let app = place.start(&[]);
    let given_up = "whatever it is drawn with";
    // Two failures with each of three renderers.
    for picture in 1..=6 {
        app.shows_a_page(picture);
        app.send("-KILL", web_process(&app));
    }
    app.logs(given_up, 1);
    assert_eq!((app.logged(LOADED_ANEW), app.logged(STARTS_AGAIN), app.logged(given_up)), (3, 2, 1));
    let kept = std::fs::read_to_string(data.join("window.json")).expect("what is remembered");
    assert!(kept.contains("software"), "{kept}");
}

fn web_process(app: &App) -> u32 {
    let [one] = app.web_processes()[..] else { panic!("one web process: {:?}", app.web_processes()) };
    one
}

/// A picture of the window once it no longer changes, kept for the eyes in the target folder.
fn settled(app: &App, window: &str, name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let mut last = app.picture(window, &folder.join("shell-last.png"));
    app.wait_until("a picture that stands still", || {
        std::thread::sleep(Duration::from_millis(500));
        let next = app.picture(window, &folder.join(format!("shell-{name}.png")));
        // A caret may blink.
        let still = difference(&last, &next) < 0.002 && colours(&next) > 20;
        std::fs::copy(&next, &last).expect("copied");
        last = folder.join("shell-last.png");
        still
    });
    folder.join(format!("shell-{name}.png"))
}

/// The share of points that differ, 0–1.
fn difference(one: &Path, other: &Path) -> f64 {
    let compared = Command::new("compare")
        .args(["-metric", "AE", "-fuzz", "10%"])
        .args([one, other])
        .arg("null:")
        .output()
        .expect("compare (Debian: imagemagick)");
    let said = String::from_utf8_lossy(&compared.stderr).into_owned();
    let points: f64 = said.split_whitespace().next().and_then(|count| count.parse().ok()).expect("a number");
    points / (360.0 * 480.0)
}

fn colours(picture: &Path) -> u32 {
    let told = Command::new("identify").args(["-format", "%k"]).arg(picture).output().expect("identify");
    String::from_utf8_lossy(&told.stdout).trim().parse().expect("a number")
}
