//! What is older than the settings say goes while the program stays open; opening it does the same.

use std::thread;
use std::time::Duration;

use calm_app::Conductor;

use crate::desk::Desk;

/// Well under a day, of which a sleeping computer counts nothing.
const EVERY: Duration = Duration::from_secs(60 * 60);

pub fn start(desk: Desk) {
    thread::spawn(move || {
        loop {
            thread::sleep(EVERY);
            if let Err(error) = desk.with(Conductor::expire_by_itself) {
                tracing::debug!(code = error.code, "nothing can go now");
            }
        }
    });
}
