//! Sleep, wake and clocks that jump: looked for every few seconds.
//!
//! A sleeping computer runs none of this, so the wall clock has gone on by more than was waited for. What a jump of
//! the clock looks like is the same, and so is what follows from it.

use std::thread;
use std::time::{Duration, SystemTime};

use tauri::{AppHandle, Manager};

use crate::desk::Desk;
use crate::{ringing, windows};

const EVERY: Duration = Duration::from_secs(5);
/// A busy machine may be this late without having slept.
const LATE: Duration = Duration::from_secs(15);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Passed {
    AsWaited,
    /// The computer slept, or its clock was set forward.
    Jump,
    SetBack,
}

impl Passed {
    /// What happened between two looks at the wall clock, `EVERY` apart.
    fn between(before: SystemTime, now: SystemTime) -> Passed {
        match now.duration_since(before) {
            Ok(passed) if passed > EVERY + LATE => Passed::Jump,
            Ok(_) => Passed::AsWaited,
            Err(back) if back.duration() > LATE => Passed::SetBack,
            Err(_) => Passed::AsWaited,
        }
    }
}

/// Watches until the program ends. Reminders ring from here too, so that those of the night ring on waking.
pub fn start(app: &AppHandle) {
    let app = app.clone();
    thread::spawn(move || {
        let desk = app.state::<Desk>().inner().clone();
        let mut before = SystemTime::now();
        loop {
            ringing::ring(&app, &desk);
            if let Err(error) = desk.follow_settings() {
                tracing::debug!(code = error.code, "there are no settings to follow");
            }
            windows::remember_if_moved(&app);
            thread::sleep(EVERY);
            let now = SystemTime::now();
            match Passed::between(before, now) {
                Passed::AsWaited => {}
                jump => {
                    tracing::info!(?jump, "the clock jumped");
                    woken(&desk);
                }
            }
            before = now;
        }
    });
}

/// Nobody speaks into a computer that slept: what was said before becomes a turn, and the microphone closes. The
/// windows learn what day it is.
fn woken(desk: &Desk) {
    desk.end_trial();
    desk.stop_speaking(true);
    if let Err(error) = desk.show_everything() {
        tracing::debug!(code = error.code, "there is nothing to show");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case::as_waited(5, Passed::AsWaited)]
    #[case::a_busy_machine(19, Passed::AsWaited)]
    #[case::a_night(8 * 3600, Passed::Jump)]
    #[case::a_second_back_by_the_time_server(-1, Passed::AsWaited)]
    #[case::set_back(-3600, Passed::SetBack)]
    fn sleep_is_told_by_the_wall_clock(#[case] seconds: i64, #[case] passed: Passed) {
        let before = SystemTime::UNIX_EPOCH + Duration::from_secs(1_800_000_000);
        let by = Duration::from_secs(seconds.unsigned_abs());
        let now = if seconds < 0 { before - by } else { before + by };
        assert_eq!(Passed::between(before, now), passed);
    }
}
