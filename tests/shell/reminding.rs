//! Reminders on a desktop that shows notifications, on one that shows none, and after a sleep.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use calm_app::core::tools::When;
use zbus::object_server::SignalEmitter;
use zbus::zvariant::OwnedValue;

use crate::app::{Bus, Place};
use crate::desktop::Display;
use crate::journal;

/// What was shown: the text, and the actions by their names.
type Shown = Arc<Mutex<Vec<(String, Vec<String>)>>>;

/// The part of a desktop that shows notifications.
struct Notifications(Shown);

#[zbus::interface(name = "org.freedesktop.Notifications")]
impl Notifications {
    #[expect(clippy::too_many_arguments, reason = "the desktop's own interface")]
    fn notify(
        &self,
        _app: String,
        _replaces: u32,
        _icon: String,
        _summary: String,
        body: String,
        actions: Vec<String>,
        _hints: HashMap<String, OwnedValue>,
        _timeout: i32,
    ) -> u32 {
        let mut shown = self.0.lock().expect("what was shown");
        shown.push((body, actions.into_iter().step_by(2).collect()));
        u32::try_from(shown.len()).expect("few")
    }

    fn get_capabilities(&self) -> Vec<String> {
        vec!["actions".into(), "body".into()]
    }

    fn get_server_information(&self) -> (String, String, String, String) {
        ("test".into(), "test".into(), "1".into(), "1.2".into())
    }

    #[zbus(signal)]
    async fn action_invoked(emitter: &SignalEmitter<'_>, id: u32, action: &str) -> zbus::Result<()>;
}

fn serve(bus: &Bus) -> (zbus::blocking::Connection, Shown) {
    let shown = Shown::default();
    let connection = zbus::blocking::connection::Builder::address(bus.address())
        .and_then(|builder| builder.name("org.freedesktop.Notifications"))
        .and_then(|builder| builder.serve_at("/org/freedesktop/Notifications", Notifications(Arc::clone(&shown))))
        .and_then(zbus::blocking::connection::Builder::build)
        .expect("a place on the bus");
    (connection, shown)
}

fn press(connection: &zbus::blocking::Connection, id: u32, action: &str) {
    let (path, name) = ("/org/freedesktop/Notifications", "org.freedesktop.Notifications");
    connection.emit_signal(None::<&str>, path, name, "ActionInvoked", &(id, action)).expect("pressed");
}

#[test]
fn a_call_of_the_market_leads_to_its_talk_and_a_reminder_can_be_put_off() {
    let house = tempfile::tempdir().expect("a folder");
    let (display, bus) = (Display::start(), Bus::start());
    let (desktop, shown) = serve(&bus);
    let place = Place { display: &display, bus: Some(&bus), data: &house.path().join("data") };
    let mut journal = journal(place.data);
    let mut settings = journal.settings().clone();
    // A market that opened a moment ago, whatever the time is now.
    let now = journal.now().to_zoned_datetime(settings.zone());
    let hours = format!("{} to {}", now.strftime("%H:%M"), (&now - jiff::Span::new().hours(1)).strftime("%H:%M"));
    for (name, value) in [("hours", hours.as_str()), ("market_reminders", "yes"), ("market_days", "every_day")] {
        settings.set(name, value).expect("a value");
    }
    journal.save_settings(settings).expect("saved");
    let app = place.start(&["--open"]);
    app.wait_until("a notification", || shown.lock().expect("shown").len() == 1);
    let (text, actions) = shown.lock().expect("shown")[0].clone();
    assert!(text.contains("market"), "{text}");
    assert_eq!(actions, ["default", "talk", "later"]);
    press(&desktop, 1, "talk");
    app.wait_until("a session", || journal.history(9).expect("history").len() == 1);
    app.wait_until("the quick window", || app.windows().len() == 2);

    journal.add_reminder(When::In(0), "water").expect("set");
    app.wait_until("the other notification", || shown.lock().expect("shown").len() == 2);
    assert_eq!(shown.lock().expect("shown")[1].0, "water");
    press(&desktop, 2, "later");
    let waits = || journal.reminders().expect("reminders").iter().any(|it| !it.done && it.text == "water");
    app.wait_until("the same once more", waits);
    // Asked once: the market's hours are answered for.
    assert_eq!(shown.lock().expect("shown").len(), 2);
}

#[test]
fn what_fell_due_while_the_computer_slept_rings_once_when_it_wakes() {
    let house = tempfile::tempdir().expect("a folder");
    let (display, bus) = (Display::start(), Bus::start());
    let (_desktop, shown) = serve(&bus);
    let place = Place { display: &display, bus: Some(&bus), data: &house.path().join("data") };
    let mut journal = journal(place.data);
    let app = place.start(&[]);
    app.shows_a_page(1);
    // To the app a sleep of the computer is what this is: it does not run, and the clock goes on.
    app.send("-STOP", app.pid());
    journal.add_reminder(When::In(0), "water").expect("set");
    std::thread::sleep(std::time::Duration::from_secs(25));
    assert!(shown.lock().expect("shown").is_empty());
    app.send("-CONT", app.pid());
    app.logs("the clock jumped", 1);
    app.wait_until("a notification", || !shown.lock().expect("shown").is_empty());
    std::thread::sleep(std::time::Duration::from_secs(12));
    assert_eq!(shown.lock().expect("shown").len(), 1);
}
