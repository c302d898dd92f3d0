//! The microphone button: one utterance, from opening the device to the committed turn.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::Duration;

use calm_app::listening::{EndOfTurn, Sound, record};
use calm_app::voice::{Clip, Microphone};
use calm_app::{AppError, Conductor};

use crate::desk::Desk;
use crate::wire::{Listening, WireError, WireEvent};

/// A pause this long ends the turn.
const PATIENCE: Duration = Duration::from_millis(1_800);

/// An utterance under way.
pub struct Speaking {
    flags: Arc<Flags>,
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
        thread::spawn(move || {
            desk.send(&WireEvent::Listening { state: Listening::Opening });
            if let Err(error) = utterance(&desk, &own) {
                desk.report(error);
            }
            own.over.store(true, Ordering::Relaxed);
            desk.send(&WireEvent::Listening { state: Listening::Off });
        });
        Speaking { flags }
    }

    /// Ends the utterance; with `keep` its words become a turn.
    pub fn stop(&self, keep: bool) {
        self.flags.discard.store(!keep, Ordering::Relaxed);
        self.flags.stop.store(true, Ordering::Relaxed);
    }

    pub fn is_over(&self) -> bool {
        self.flags.over.load(Ordering::Relaxed)
    }
}

fn utterance(desk: &Desk, flags: &Flags) -> Result<(), WireError> {
    let vad = desk.ears().detector()?;
    let mic = Microphone::open(None).map_err(AppError::from)?;
    let recording = desk.with(Conductor::start_recording)?;
    let mut append =
        |seq, pcm: &[i16]| desk.with(|conductor| Ok(conductor.store().append_chunk(recording, seq, pcm)?));
    let (stretches, partials) = mpsc::channel();
    let recorded = thread::scope(|scope| {
        scope.spawn(move || write_partials(desk, &partials));
        let mut shown = u8::MAX;
        let recorded = record(mic, vad, EndOfTurn::BySilence(PATIENCE), &flags.stop, &mut append, &mut |sound| {
            match sound {
                Sound::Live => desk.send(&WireEvent::Listening { state: Listening::Listening }),
                Sound::Level(value) if value != shown => {
                    shown = value;
                    desk.send(&WireEvent::Level { value });
                }
                Sound::Level(_) => {}
                // Without a receiver the partial text is missing, and nothing else.
                Sound::Stretch(speech) => drop(stretches.send(speech.to_vec())),
            }
        });
        drop(stretches);
        desk.send(&WireEvent::Listening { state: Listening::Transcribing });
        recorded
    });
    if let Some(fault) = recorded.fault {
        desk.report(fault);
    }
    if flags.discard.load(Ordering::Relaxed) {
        return desk.with(|conductor| Ok(conductor.store().drop_recording(recording)?));
    }
    desk.hear(&recorded.clip, recording)
}

/// Writes down each stretch of speech while the speaker goes on.
fn write_partials(desk: &Desk, stretches: &Receiver<Vec<f32>>) {
    let mut text = String::new();
    while let Ok(samples) = stretches.recv() {
        let Ok(heard) = desk.ears().listen(&Clip { samples }) else { continue };
        let words = heard.transcript.text.trim();
        if !words.is_empty() {
            if !text.is_empty() {
                text.push(' ');
            }
            text.push_str(words);
            desk.send(&WireEvent::Partial { text: text.clone() });
        }
    }
}
