//! Trying things out before a talk: how loud the microphone is, why a server does not answer.

use std::sync::atomic::Ordering;
use std::thread;
use std::time::{Duration, Instant};

use calm_app::voice::{Capture, Notice};
use calm_app::{AppError, listening};

use crate::desk::Desk;
use crate::wire::{WireError, WireEvent};

/// A forgotten trial closes the microphone by itself.
const LONGEST: Duration = Duration::from_secs(30);
const POLL: Duration = Duration::from_millis(60);

/// Tells the level of the microphone until the trial ends.
pub fn microphone(desk: Desk) {
    let stop = desk.begin_trial();
    thread::spawn(move || {
        let began = Instant::now();
        let listen = || -> Result<(), WireError> {
            let chosen = desk.with(|conductor| Ok(conductor.settings().microphone.clone()))?;
            let mut microphone = Capture::open(chosen.as_deref()).map_err(AppError::from)?;
            while !stop.load(Ordering::Relaxed) && began.elapsed() < LONGEST {
                microphone.read(POLL).map_err(AppError::from)?;
                desk.send(&WireEvent::Level { value: listening::loudness(microphone.level()) });
                for notice in microphone.notices().into_iter().filter(|notice| *notice != Notice::Back) {
                    desk.report(WireError { code: listening::code(notice).to_owned(), detail: String::new() });
                }
            }
            Ok(())
        };
        if let Err(error) = listen() {
            desk.report(error);
        }
        if desk.was_last_trial(&stop) {
            desk.send(&WireEvent::TrialOver);
        }
    });
}

/// Why a server does not work, by a name that the window has words for.
pub fn failed(error: &AppError) -> WireError {
    use calm_app::backend::EndpointError as Why;
    let AppError::Server(why) = error else { return WireError::from(error) };
    let code = match why {
        Why::Offline => "offline",
        Why::Address => "server_address",
        Why::UnsafeKey | Why::KeyRefused { .. } => "server_key",
        Why::Busy { .. } => "server_busy",
        Why::Refused { status: 404 } => "server_no_model",
        Why::TimedOut(_) => "server_slow",
        Why::Unreachable(_) => "server_unreachable",
        Why::Setup(_) => "server_unreachable",
        Why::NotAModel | Why::Redirected => "server_no_server",
        _ => "server_failed",
    };
    WireError { code: code.to_owned(), detail: why.to_string() }
}
