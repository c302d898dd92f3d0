//! The microphone button: one utterance, from opening the device to the committed turn.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};

use calm_app::listening::{self, Sound, Turn, record};
use calm_app::voice::Notice;

use crate::desk::Desk;
use crate::wire::{Listening, WireError, WireEvent};

/// An utterance under way.
pub struct Speaking {
    flags: Arc<Flags>,
    thread: JoinHandle<()>,
}

#[derive(Default)]
struct Flags {
    stop: AtomicBool,
    discard: AtomicBool,
    over: AtomicBool,
}

impl Speaking {
    pub fn start(desk: Desk) -> Speaking {
        let flags = Arc::new(Flags::default());
        let own = Arc::clone(&flags);
        let thread = thread::spawn(move || {
            let _closing = Closing { desk: &desk, flags: &own };
            desk.send(&WireEvent::Listening { state: Listening::Opening });
            if let Err(error) = utterance(&desk, &own) {
                desk.report(error);
            }
        });
        Speaking { flags, thread }
    }

    /// Ends the utterance; with `keep` its words become a turn.
    pub fn stop(&self, keep: bool) {
        self.flags.discard.store(!keep, Ordering::Relaxed);
        self.flags.stop.store(true, Ordering::Relaxed);
    }

    pub fn is_over(&self) -> bool {
        self.flags.over.load(Ordering::Relaxed)
    }

    /// Waits until what was said is a turn (or has failed to become one, and was reported).
    pub fn wait(self) {
        if self.thread.join().is_err() {
            tracing::warn!("the recording ended by a fault; what was recorded is in the spool");
        }
    }
}

/// Says that the microphone is closed, however the utterance ended.
struct Closing<'a> {
    desk: &'a Desk,
    flags: &'a Flags,
}

impl Drop for Closing<'_> {
    fn drop(&mut self) {
        self.flags.over.store(true, Ordering::Relaxed);
        self.desk.listened();
        self.desk.send(&WireEvent::Listening { state: Listening::Off });
    }
}

fn utterance(desk: &Desk, flags: &Flags) -> Result<(), WireError> {
    let (settings, language) = desk.with(|conductor| Ok((conductor.settings().clone(), conductor.language())))?;
    let turn = Turn::open(desk.shared_ears(), &settings, language)?;
    let (session, recording) = desk.with(|conductor| Ok((conductor.running(), conductor.start_recording()?)))?;
    let mut append =
        |seq, pcm: &[i16]| desk.with(|conductor| Ok(conductor.store().append_chunk(recording, seq, pcm)?));
    let mut shown = u8::MAX;
    let recorded = record(turn, &flags.stop, &mut append, &mut |sound| match sound {
        Sound::Live => desk.send(&WireEvent::Listening { state: Listening::Listening }),
        // Smaller steps than the eye sees only cost drawing.
        Sound::Level(value) if value.abs_diff(shown) >= 4 => {
            shown = value;
            desk.send(&WireEvent::Level { value });
        }
        Sound::Level(_) => {}
        Sound::Words(text) => desk.send(&WireEvent::Partial { text: text.to_owned() }),
        Sound::Over => desk.send(&WireEvent::Listening { state: Listening::Transcribing }),
        // That it listens again is seen by the microphone itself.
        Sound::Notice(Notice::Back) => desk.send(&WireEvent::Listening { state: Listening::Listening }),
        Sound::Notice(notice) => {
            desk.report(WireError { code: listening::code(notice).to_owned(), detail: String::new() });
        }
    });
    desk.listened();
    if let Some(fault) = recorded.fault {
        desk.report(fault);
    }
    if flags.discard.load(Ordering::Relaxed) {
        return desk.with(|conductor| Ok(conductor.store().drop_recording(recording)?));
    }
    desk.hear(session, false, |ears| ears.take(&recorded.take, recording))
}
