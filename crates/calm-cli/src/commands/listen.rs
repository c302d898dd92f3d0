//! Speaking into the microphone from the terminal.

use std::sync::atomic::AtomicBool;

use calm_app::ears::Ears;
use calm_app::listening::{DEFAULT_MICROPHONE, Sound, record};
use calm_app::voice::Microphone;
use calm_app::{AppError, Conductor, Lang};

use crate::failure::Failure;
use crate::output::Output;

/// Turn after turn until the session ends.
pub fn converse(conductor: &mut Conductor, ears: &mut Ears, out: &Output, lang: Lang) -> Result<(), Failure> {
    while conductor.running().is_some() {
        let mic = Microphone::open(None).map_err(AppError::from)?;
        let vad = ears.detector()?;
        let recording = conductor.start_recording()?;
        let never = AtomicBool::new(false);
        let mut meter = Meter::new(out.json(), lang);
        let mut spool =
            |seq, pcm: &[i16]| -> Result<(), AppError> { Ok(conductor.store().append_chunk(recording, seq, pcm)?) };
        let recorded = record(mic, vad, &never, &mut spool, &mut |sound| meter.show(&sound));
        meter.clear();
        if let Some(fault) = &recorded.fault {
            conductor.report(fault);
        }
        let spoken = ears.hear(&recorded.clip, DEFAULT_MICROPHONE, Some(recording))?;
        match conductor.hear(&spoken) {
            Err(silent @ AppError::NothingHeard) => {
                conductor.report(&silent);
                conductor.store().drop_recording(recording).map_err(AppError::from)?;
                if recorded.fault.is_some() {
                    break;
                }
            }
            other => other?,
        }
    }
    Ok(())
}

/// A level meter on stderr, one line that is drawn over.
struct Meter {
    quiet: bool,
    lang: Lang,
    drawn: u8,
}

impl Meter {
    fn new(json: bool, lang: Lang) -> Meter {
        use std::io::IsTerminal;
        Meter { quiet: json || !std::io::stderr().is_terminal(), lang, drawn: u8::MAX }
    }

    fn show(&mut self, sound: &Sound<'_>) {
        if self.quiet {
            return;
        }
        match sound {
            Sound::Live => eprint!("\r{}", self.word()),
            Sound::Level(level) if *level / 5 != self.drawn => {
                self.drawn = *level / 5;
                let bar = "▮".repeat(usize::from(self.drawn));
                eprint!("\r{} {bar:<20}", self.word());
            }
            Sound::Level(_) | Sound::Speech { .. } => {}
        }
    }

    fn word(&self) -> &'static str {
        match self.lang {
            Lang::Ru => "слушаю",
            Lang::En => "listening",
        }
    }

    fn clear(&self) {
        if !self.quiet {
            eprint!("\r{:40}\r", "");
        }
    }
}
