//! Reminders ring: shown by the desktop, with something to press, and by the window where the desktop shows none.
//!
//! That each rings once, whichever process sees it, is the conductor's promise; a call of the market's hours is asked
//! for here alone, and remembered in the [`Keepsake`].

use std::thread;

use calm_app::core::market::Call;
use calm_app::{Kind, Lang, market};
use notify_rust::Notification;
use tauri::AppHandle;

use crate::desk::Desk;
use crate::keepsake::Keepsake;
use crate::windows::{self, Door};

/// "Later" rings again after so many minutes.
const LATER: u16 = 10;

/// What rings.
struct Ring {
    text: String,
    /// The talk that it asks for.
    asks: Option<Kind>,
}

/// Shows what is due now.
pub fn ring(app: &AppHandle, desk: &Desk) {
    // A database that does not open is shown elsewhere already.
    let due = desk.due().unwrap_or_else(|error| {
        tracing::debug!(code = error.code, "nobody can say what is due");
        Vec::new()
    });
    let due = due.into_iter().map(|text| Ring { text, asks: None });
    let lang = desk.language();
    for ring in
        due.chain(called(desk).map(|call| Ring { text: market::words(&call, lang).to_owned(), asks: Some(call.kind) }))
    {
        show(app, desk, lang, ring);
    }
}

/// What the market's hours ask for now, once.
fn called(desk: &Desk) -> Option<Call> {
    let data = &desk.paths().data;
    let asked = Keepsake::read(data).called_at;
    let call = desk.with(|conductor| conductor.market_call(asked)).ok()??;
    // What cannot be remembered would ring every few seconds.
    if let Err(error) = Keepsake::change(data, |kept| kept.called_at = Some(call.at)) {
        tracing::warn!(%error, "the market's hours are passed over, as nothing can be remembered");
        return None;
    }
    let answered = desk.with(|conductor| conductor.is_answered(&call)).unwrap_or(true);
    (!answered).then_some(call)
}

fn show(app: &AppHandle, desk: &Desk, lang: Lang, ring: Ring) {
    let (app, desk) = (app.clone(), desk.clone());
    // Until it is pressed or put away, which may take all day.
    thread::spawn(move || {
        let mut notification = Notification::new();
        notification.appname("CalmTrader").summary("Calm").body(&as_text(&ring.text));
        for (action, label) in actions(&ring, lang) {
            notification.action(action, label);
        }
        match notification.show() {
            #[cfg(all(unix, not(target_os = "macos")))]
            Ok(shown) => shown.wait_for_action(|action| pressed(&app, &desk, &ring, action)),
            #[cfg(not(all(unix, not(target_os = "macos"))))]
            Ok(_) => {}
            // The text may be the user's own; the error of a bus is not.
            Err(error) => {
                tracing::warn!(%error, "the desktop shows no notifications; the window does");
                desk.show_reminder(ring.text);
            }
        }
    });
}

/// The name of each and what is written on it; `default` is a press on the notification itself.
fn actions(ring: &Ring, lang: Lang) -> Vec<(&'static str, &'static str)> {
    let (talk, open, later) = match (lang, ring.asks) {
        (Lang::Ru, Some(Kind::CheckOut)) => ("Чек-аут", "Открыть", "Позже"),
        (Lang::Ru, _) => ("Чек-ин", "Открыть", "Позже"),
        (Lang::En, Some(Kind::CheckOut)) => ("Check-out", "Open", "Later"),
        (Lang::En, _) => ("Check-in", "Open", "Later"),
    };
    let first = match ring.asks {
        Some(_) => [("default", talk), ("talk", talk)],
        None => [("default", open), ("open", open)],
    };
    first.into_iter().chain([("later", later)]).collect()
}

#[cfg(all(unix, not(target_os = "macos")))]
fn pressed(app: &AppHandle, desk: &Desk, ring: &Ring, action: &str) {
    match (action, ring.asks) {
        ("default" | "talk", Some(kind)) => {
            windows::carry_out(app, move |app| windows::open_quick(app, kind, Door::Reminder))
        }
        ("default" | "open", None) => windows::carry_out(app, windows::open_main),
        ("later", _) => {
            if let Err(error) = desk.remind_again(LATER, &ring.text) {
                desk.report(error);
            }
        }
        // Put away.
        _ => {}
    }
}

/// Desktops on Linux read markup in the body.
fn as_text(text: &str) -> String {
    if cfg!(all(unix, not(target_os = "macos"))) {
        text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
    } else {
        text.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(target_os = "linux")]
    #[test]
    fn markup_in_a_reminder_is_read_as_text() {
        assert_eq!(as_text("стоп < 2 % & <b>тишина</b>"), "стоп &lt; 2 % &amp; &lt;b&gt;тишина&lt;/b&gt;");
    }

    #[test]
    fn every_reminder_can_be_put_off_and_a_call_of_the_market_leads_to_its_talk() {
        let names = |asks| actions(&Ring { text: "вода".into(), asks }, Lang::Ru);
        assert_eq!(names(None), [("default", "Открыть"), ("open", "Открыть"), ("later", "Позже")]);
        let called = [("default", "Чек-аут"), ("talk", "Чек-аут"), ("later", "Позже")];
        assert_eq!(names(Some(Kind::CheckOut)), called);
    }
}
