//! The microphone button: one utterance, from opening the device to the committed turn.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver};
use std::thread::{self, JoinHandle};
use std::time::Instant;

use calm_app::AppError;
use calm_app::listening::{Sound, record};
use calm_app::voice::{Clip, Microphone};

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
        self.desk.send(&WireEvent::Listening { state: Listening::Off });
    }
}

fn utterance(desk: &Desk, flags: &Flags) -> Result<(), WireError> {
    let vad = desk.ears().detector()?;
    let mic = Microphone::open(None).map_err(AppError::from)?;
    let (session, recording) = desk.with(|conductor| Ok((conductor.running(), conductor.start_recording()?)))?;
    let mut append =
        |seq, pcm: &[i16]| desk.with(|conductor| Ok(conductor.store().append_chunk(recording, seq, pcm)?));
    let (speech, partials) = mpsc::channel();
    let over = AtomicBool::new(false);
    let recorded = thread::scope(|scope| {
        let over = &over;
        scope.spawn(move || write_partials(desk, &partials, over));
        let mut shown = u8::MAX;
        let recorded = record(mic, vad, &flags.stop, &mut append, &mut |sound| {
            match sound {
                Sound::Live => desk.send(&WireEvent::Listening { state: Listening::Listening }),
                // Smaller steps than the eye sees only cost drawing.
                Sound::Level(value) if value.abs_diff(shown) >= 4 => {
                    shown = value;
                    desk.send(&WireEvent::Level { value });
                }
                Sound::Level(_) => {}
                // Without a receiver the partial text is missing, and nothing else.
                Sound::Speech { samples, ended } => drop(speech.send(Speech { samples: samples.to_vec(), ended })),
            }
        });
        over.store(true, Ordering::Relaxed);
        drop(speech);
        desk.send(&WireEvent::Listening { state: Listening::Transcribing });
        recorded
    });
    if let Some(fault) = recorded.fault {
        desk.report(fault);
    }
    if flags.discard.load(Ordering::Relaxed) {
        return desk.with(|conductor| Ok(conductor.store().drop_recording(recording)?));
    }
    desk.hear(&recorded.clip, recording, session)
}

struct Speech {
    samples: Vec<f32>,
    ended: bool,
}

/// Writes words down while the speaker goes on. Speech that went on meanwhile takes the place of what waited.
///
/// Once it is `over` the whole is transcribed, and nobody waits for what is still queued here.
fn write_partials(desk: &Desk, speech: &Receiver<Speech>, over: &AtomicBool) {
    // Loaded while the first words are spoken; what is wrong with the models, the whole recording will say.
    if desk.ears().load().is_err() {
        return;
    }
    let language = desk.spoken_language();
    let mut settled = String::new();
    while let Ok(mut newest) = speech.recv() {
        while !newest.ended
            && let Ok(newer) = speech.try_recv()
        {
            newest = newer;
        }
        if over.load(Ordering::Relaxed) {
            return;
        }
        let began = Instant::now();
        let Ok(words) = desk.ears().glance(&Clip { samples: newest.samples }, language) else { continue };
        tracing::debug!(took = ?began.elapsed(), "partial text");
        let text = format!("{settled} {}", words.trim()).trim().to_owned();
        if newest.ended {
            settled.clone_from(&text);
        }
        if !text.is_empty() {
            desk.send(&WireEvent::Partial { text });
        }
    }
}
