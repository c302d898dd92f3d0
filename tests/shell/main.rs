//! The shell around the window: one app for one folder, arguments, windows that come back.
#![cfg(target_os = "linux")]

mod app;
#[path = "../desktop/mod.rs"]
mod desktop;
mod healing;
mod reminding;

use std::path::Path;

use app::{Bus, Place};
use calm_app::{Clock, Conductor, Kind, Paths, Secrets, Settings};
use desktop::Display;

/// A journal whose owner has said that they are an adult.
fn journal(data: &Path) -> Conductor {
    let paths = Paths::find(Some(data.to_owned())).expect("a folder");
    let mut conductor = Conductor::open(paths, Secrets::File, Clock::System, Box::new(|_| {})).expect("it opens");
    let settings = Settings { adult_confirmed: true, ..conductor.settings().clone() };
    conductor.save_settings(settings).expect("saved");
    conductor
}

#[test]
fn a_second_start_brings_the_first_window_to_the_front_and_ends() {
    let house = tempfile::tempdir().expect("a folder");
    let (display, bus) = (Display::start(), Bus::start());
    let place = Place { display: &display, bus: Some(&bus), data: &house.path().join("Данные") };
    let mut first = place.start(&[]);
    first.shows_a_page(1);
    let [window] = &first.windows()[..] else { panic!("one window: {:?}", first.windows()) };
    first.xdotool(&["windowfocus", &root(&first)]);
    assert_ne!(first.xdotool(&["getwindowfocus", "-f"]), *window);

    let second = place.run(&[]);
    assert!(second.status.success(), "{second:?}");
    first.wait_until("the focus", || first.xdotool(&["getwindowfocus", "-f"]) == *window);
    assert_eq!(first.windows().len(), 1);
    assert!(first.ended().is_none());
}

#[test]
fn a_second_start_can_ask_for_a_check_in() {
    let house = tempfile::tempdir().expect("a folder");
    let (display, bus) = (Display::start(), Bus::start());
    let place = Place { display: &display, bus: Some(&bus), data: &house.path().join("data") };
    let journal = journal(place.data);
    let first = place.start(&["--open"]);
    first.shows_a_page(1);
    assert!(place.run(&["--check-out"]).status.success());
    first.wait_until("the quick window", || first.windows().len() == 2);
    first.wait_until("a session", || journal.history(9).expect("history").len() == 1);
    let begun = &journal.history(9).expect("history")[0];
    assert_eq!((begun.session_type, begun.ended), (Kind::CheckOut, false));
}

#[test]
fn the_shortcut_opens_the_quick_window_and_two_programs_do_not_share_one() {
    let house = tempfile::tempdir().expect("a folder");
    let (display, bus) = (Display::start(), Bus::start());
    let place = Place { display: &display, bus: Some(&bus), data: &house.path().join("data") };
    let mut journal = journal(place.data);
    let mut settings = journal.settings().clone();
    settings.set("shortcut", "Ctrl+Alt+C").expect("keys");
    journal.save_settings(settings.clone()).expect("saved");
    let app = place.start(&[]);
    app.shows_a_page(1);
    app.xdotool(&["key", "ctrl+alt+c"]);
    app.wait_until("the quick window", || app.windows().len() == 2);
    app.wait_until("a session", || journal.history(9).expect("history").len() == 1);
    assert_eq!(journal.history(9).expect("history")[0].session_type, Kind::CheckIn);

    let data = house.path().join("other");
    let mut other_journal = self::journal(&data);
    other_journal.save_settings(settings).expect("saved");
    let other = Place { display: &display, bus: Some(&bus), data: &data }.start(&[]);
    other.logs("the shortcut could not be registered", 1);
    other.shows_a_page(1);
}

#[test]
fn another_journal_opens_a_window_of_its_own() {
    let house = tempfile::tempdir().expect("a folder");
    let (display, bus) = (Display::start(), Bus::start());
    let one = Place { display: &display, bus: Some(&bus), data: &house.path().join("one") }.start(&[]);
    one.shows_a_page(1);
    let mut other = Place { display: &display, bus: Some(&bus), data: &house.path().join("other") }.start(&[]);
    other.shows_a_page(1);
    assert_eq!(one.windows().len(), 2);
    assert!(other.ended().is_none());
}

#[test]
fn without_a_session_bus_the_app_starts_all_the_same() {
    let house = tempfile::tempdir().expect("a folder");
    let display = Display::start();
    let place = Place { display: &display, bus: None, data: &house.path().join("data") };
    let one = place.start(&["--open"]);
    one.shows_a_page(1);
    // Nobody can say that there is one already; the journal is open in both.
    let two = place.start(&["--open"]);
    two.shows_a_page(1);
    assert_eq!(one.windows().len(), 2);
}

#[test]
fn an_argument_that_nobody_knows_is_refused_in_one_line() {
    let house = tempfile::tempdir().expect("a folder");
    let display = Display::start();
    let data = house.path().join("data");
    let refused = Place { display: &display, bus: None, data: &data }.run(&["--check-im"]);
    assert_eq!(refused.status.code(), Some(2));
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert_eq!(said.lines().count(), 1, "{said}");
    assert!(said.contains("--check-im") && said.contains("--check-in"), "{said}");
    assert!(!data.exists());
}

#[test]
fn the_window_opens_where_it_stood() {
    let house = tempfile::tempdir().expect("a folder");
    let (display, bus) = (Display::start(), Bus::start());
    let place = Place { display: &display, bus: Some(&bus), data: &house.path().join("data") };
    let app = place.start(&[]);
    app.shows_a_page(1);
    let window = app.windows()[0].clone();
    app.xdotool(&["windowmove", &window, "150", "70", "windowsize", &window, "800", "560"]);
    app.wait_until("the new size", || app.xdotool(&["getwindowgeometry", &window]).contains("800x560"));
    // As at the end of a login: nobody closes the window first.
    app.wait_until("the place on disk", || {
        std::fs::read_to_string(place.data.join("window.json")).is_ok_and(|kept| kept.contains("800"))
    });
    drop(app);

    let again = place.start(&[]);
    again.shows_a_page(1);
    let stands = again.xdotool(&["getwindowgeometry", &again.windows()[0]]);
    assert!(stands.contains("150,70") && stands.contains("800x560"), "{stands}");
}

fn root(app: &app::App) -> String {
    app.xdotool(&["search", "--maxdepth", "0", "--name", ""]).lines().next().unwrap_or("0").to_owned()
}
