//! One spoken turn from the microphone: recorded, spooled as it arrives, cut where the speaker falls silent.
//!
//! The spool is written second by second, so a crash, a full disk or a failing recogniser
//! leaves a recording that can be transcribed again. Transcription itself is the caller's.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use calm_store::{RecordingId, SessionId, Store};
use calm_voice::endpoint::FRAME;
use calm_voice::{Clip, Microphone, SAMPLE_RATE, Vad, VadEvent};

use crate::error::AppError;

/// How long one turn may be; past it the turn ends by itself.
const LONGEST: usize = 10 * 60 * SAMPLE_RATE;
/// The baseline of the system's own choice of microphone is kept under this name.
pub const DEFAULT_MICROPHONE: &str = "default";
/// Somebody who speaks without a pause sees words after this much more speech.
const PARTIAL: usize = 5 * SAMPLE_RATE / 2;
/// No partial text goes further back than the recogniser hears at once.
const WINDOW: usize = 28 * SAMPLE_RATE;
/// A pause this long ends the turn.
const PATIENCE: usize = 18 * SAMPLE_RATE / 10;
/// A microphone that nobody speaks into is closed after this.
const NOBODY_SPEAKS: usize = 30 * SAMPLE_RATE;
const POLL: Duration = Duration::from_millis(50);

/// What a door can show while somebody speaks.
pub enum Sound<'a> {
    /// The first samples have come: "speak now" is true from here on.
    Live,
    /// Loudness, 0–100.
    Level(u8),
    /// Speech for the partial text: from the last pause until now.
    Speech {
        samples: &'a [f32],
        /// A pause has ended it; what comes next begins anew.
        ended: bool,
    },
}

/// Takes each second of sound: its number, and 16-bit samples.
pub type Spool<'a, E> = dyn FnMut(u32, &[i16]) -> Result<(), E> + 'a;

pub struct Recorded<E> {
    pub clip: Clip,
    /// Why the recording ended early, where it did; what came before is in the clip.
    pub fault: Option<E>,
}

/// Records until `stop`, until a pause ends the turn, or until the microphone is gone.
///
/// `spool` gets each second as it is complete. Whatever fails, what was recorded until then comes back.
pub fn record<E: From<AppError>>(
    mut mic: Microphone,
    mut vad: Vad,
    stop: &AtomicBool,
    spool: &mut Spool<'_, E>,
    on: &mut dyn FnMut(Sound<'_>),
) -> Recorded<E> {
    let mut tape = Tape::default();
    let mut ears = Endpoint::default();
    let mut live = false;
    let mut until_the_end = || -> Result<(), E> {
        while !stop.load(Ordering::Relaxed) && tape.samples.len() < LONGEST && !ears.is_over() {
            tape.samples.extend_from_slice(&mic.read(POLL).map_err(AppError::from)?);
            if !live && mic.is_live() {
                live = true;
                on(Sound::Live);
            }
            on(Sound::Level(loudness(mic.level())));
            tape.spool(spool, false)?;
            ears.follow(&tape.samples, &mut vad, on)?;
        }
        Ok(())
    };
    let mut fault = until_the_end().err();
    match mic.stop() {
        Ok(rest) => tape.samples.extend_from_slice(&rest),
        Err(error) => fault = fault.or_else(|| Some(AppError::from(error).into())),
    }
    if let Err(full) = tape.spool(spool, true) {
        fault = fault.or(Some(full));
    }
    Recorded { clip: Clip { samples: tape.samples }, fault }
}

/// A recording that was left in the spool by a fault or a crash.
pub struct Leftover {
    pub recording: RecordingId,
    pub clip: Clip,
}

/// What the spool still holds of a session, oldest first.
pub fn leftovers(store: &Store, session: SessionId) -> Result<Vec<Leftover>, AppError> {
    let mut found = Vec::new();
    for recording in store.recordings()?.into_iter().filter(|recording| recording.session == Some(session)) {
        let pcm = store.recording_samples(recording.id)?;
        let samples = pcm.iter().map(|s| f32::from(*s) / 32_768.0).collect();
        found.push(Leftover { recording: recording.id, clip: Clip { samples } });
    }
    Ok(found)
}

#[derive(Default)]
struct Tape {
    samples: Vec<f32>,
    spooled: usize,
    chunks: u32,
}

impl Tape {
    /// Writes whole seconds; with `all`, what is left as well.
    fn spool<E>(&mut self, spool: &mut Spool<'_, E>, all: bool) -> Result<(), E> {
        while self.samples.len() - self.spooled >= SAMPLE_RATE || all && self.samples.len() > self.spooled {
            let end = (self.spooled + SAMPLE_RATE).min(self.samples.len());
            let pcm: Vec<i16> = self.samples[self.spooled..end].iter().map(|s| to_pcm(*s)).collect();
            spool(self.chunks, &pcm)?;
            self.chunks += 1;
            self.spooled = end;
        }
        Ok(())
    }
}

/// Follows the voice: where stretches of speech end, and how long it has been quiet.
#[derive(Default)]
struct Endpoint {
    followed: usize,
    began: Option<usize>,
    /// Up to where the speech was handed on for the partial text.
    shown: usize,
    last_end: Option<usize>,
}

impl Endpoint {
    fn follow(&mut self, samples: &[f32], vad: &mut Vad, on: &mut dyn FnMut(Sound<'_>)) -> Result<(), AppError> {
        while let Some(frame) = samples.get(self.followed..self.followed + FRAME) {
            self.followed += FRAME;
            let mut window = [0.0; FRAME];
            window.copy_from_slice(frame);
            let step = vad.push(&window).map_err(calm_voice::HearError::Vad)?;
            match step.event {
                Some(VadEvent::Started { at }) => {
                    self.began = Some(at);
                    self.shown = at;
                    self.last_end = None;
                }
                Some(VadEvent::Ended { at }) => {
                    let from = self.began.take().unwrap_or(0);
                    on(Sound::Speech { samples: newest(samples, from, at), ended: true });
                    self.last_end = Some(at);
                }
                None => {}
            }
        }
        if let Some(from) = self.began
            && self.followed >= self.shown + PARTIAL
        {
            self.shown = self.followed;
            on(Sound::Speech { samples: newest(samples, from, self.followed), ended: false });
        }
        Ok(())
    }

    /// Quiet for long enough after speech, or for much longer without any.
    fn is_over(&self) -> bool {
        let quiet = match (self.began, self.last_end) {
            (Some(_), _) => return false,
            (None, Some(end)) => (self.followed.saturating_sub(end), PATIENCE),
            (None, None) => (self.followed, NOBODY_SPEAKS),
        };
        quiet.0 >= quiet.1
    }
}

/// The part between two places that the recogniser can still hear at once.
fn newest(samples: &[f32], from: usize, to: usize) -> &[f32] {
    let to = to.min(samples.len());
    samples.get(from.max(to.saturating_sub(WINDOW))..to).unwrap_or_default()
}

/// A meter for eyes: −60 dBFS is 0, full scale is 100.
pub fn loudness(rms: f32) -> u8 {
    let decibels = 20.0 * rms.max(1e-6).log10();
    ((decibels + 60.0) / 60.0 * 100.0).clamp(0.0, 100.0) as u8
}

fn to_pcm(sample: f32) -> i16 {
    (sample * 32_767.0).round().clamp(-32_768.0, 32_767.0) as i16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_meter_covers_whispering_to_shouting() {
        assert_eq!(loudness(0.0), 0);
        assert_eq!(loudness(1.0), 100);
        assert!((45..=55).contains(&loudness(0.03)));
    }

    #[test]
    fn every_sample_reaches_the_spool_once_and_in_order() {
        let mut written = Vec::new();
        let mut spool = |seq: u32, pcm: &[i16]| -> Result<(), AppError> {
            written.push((seq, pcm.to_vec()));
            Ok(())
        };
        let mut tape = Tape::default();
        let said: Vec<f32> = (0..40_000).map(|i| (i % 100) as f32 / 200.0).collect();
        for block in said.chunks(7_001) {
            tape.samples.extend_from_slice(block);
            tape.spool(&mut spool, false).expect("the spool takes it");
        }
        tape.spool(&mut spool, true).expect("the spool takes it");
        assert_eq!(written.iter().map(|(seq, _)| *seq).collect::<Vec<_>>(), [0, 1, 2]);
        let pcm: Vec<i16> = written.into_iter().flat_map(|(_, pcm)| pcm).collect();
        let expected: Vec<i16> = said.iter().map(|s| to_pcm(*s)).collect();
        assert_eq!(pcm, expected);
    }
}
