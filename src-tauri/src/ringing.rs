//! Reminders ring: looked for twice a minute, shown by the desktop, and by the window where the desktop shows none.
//!
//! That each rings once, whichever process sees it, is the conductor's promise.

use std::thread;
use std::time::Duration;

use notify_rust::Notification;

use crate::desk::Desk;

/// A notification is never half a minute late.
const EVERY: Duration = Duration::from_secs(30);

/// Watches until the program ends. What fell due while the computer slept rings at once when it wakes.
pub fn start(desk: Desk) {
    thread::spawn(move || {
        loop {
            ring(&desk);
            thread::sleep(EVERY);
        }
    });
}

fn ring(desk: &Desk) {
    // A database that does not open is shown elsewhere already.
    let due = desk.due().unwrap_or_else(|error| {
        tracing::debug!(code = error.code, "nobody can say what is due");
        Vec::new()
    });
    for text in due {
        // The text may be the user's own; the error of a bus is not.
        if let Err(error) = Notification::new().appname("CalmTrader").summary("Calm").body(&as_text(&text)).show() {
            tracing::warn!(%error, "the desktop shows no notifications; the window does");
            desk.show_reminder(text);
        }
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
}
