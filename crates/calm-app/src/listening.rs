//! One spoken turn from the microphone: recorded, spooled as it arrives, written down meanwhile, and ended where the
//! speaker falls silent.
//!
//! The spool is written four times a second, so a crash, a full disk or a failing recogniser leaves a recording that
//! can be transcribed again.

mod writing;

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use calm_core::Lang;
use calm_store::{Recording, RecordingId, SessionId, Store};
use calm_voice::endpoint::FRAME;
use calm_voice::{Capture, Clip, Draft, HearError, Notice, SAMPLE_RATE, Segmenter, Vad};
use jiff::Timestamp;

use crate::ears::Ears;
use crate::error::AppError;
use crate::settings::Settings;
use writing::{Piece, write_down};

/// How long one turn may be; past it the turn ends by itself.
const LONGEST: usize = 10 * 60 * SAMPLE_RATE;
/// The baseline of the system's own choice of microphone is kept under this name.
pub const DEFAULT_MICROPHONE: &str = "default";
/// Somebody who speaks without a pause sees words after this much more speech.
const PARTIAL: usize = 5 * SAMPLE_RATE / 2;
/// No first look goes further back than the recogniser hears at once.
const WINDOW: usize = 28 * SAMPLE_RATE;
/// A microphone that nobody speaks into is closed after this.
const NOBODY_SPEAKS: usize = 30 * SAMPLE_RATE;
/// What a kill may cost at most, with the buffer that is on its way.
const SPOOLED: usize = SAMPLE_RATE / 4;
const POLL: Duration = Duration::from_millis(50);

/// What a door can show while somebody speaks.
pub enum Sound<'a> {
    /// Sound has begun to arrive: "speak now" is true from here on.
    Live,
    /// Loudness, 0–100.
    Level(u8),
    /// All words so far. Finished sentences in it stay as they are; what comes after them may still change.
    Words(&'a str),
    /// Something is wrong with the sound, and the recording goes on.
    Notice(Notice),
    /// The microphone is closed; what is left is being written down.
    Over,
}

/// A stable name for scripts and for the window's own words.
pub fn code(notice: Notice) -> &'static str {
    match notice {
        Notice::Away => "microphone_away",
        Notice::Back => "microphone_back",
        Notice::OtherDevice => "microphone_other",
        Notice::Silent => "microphone_silent",
        Notice::Clipping => "microphone_clipping",
    }
}

/// Takes each piece of sound: its number, and 16-bit samples.
pub type Spool<'a, E> = dyn FnMut(u32, &[i16]) -> Result<(), E> + 'a;

/// What a turn is recorded with.
pub struct Turn<'a> {
    pub capture: Capture,
    pub vad: Vad,
    pub ears: &'a Mutex<Ears>,
    /// In which the first looks are written.
    pub language: Lang,
    /// So many milliseconds of silence end it.
    pub end_silence_ms: u32,
}

impl<'a> Turn<'a> {
    /// Opens the microphone of the settings; sound is kept from this moment on.
    ///
    /// # Errors
    /// A model is missing, or there is no microphone that may be used.
    pub fn open(ears: &'a Mutex<Ears>, settings: &Settings, language: Lang) -> Result<Turn<'a>, AppError> {
        held(ears).check()?;
        let capture = Capture::open(settings.microphone.as_deref())?;
        let vad = held(ears).detector()?;
        Ok(Turn { capture, vad, ears, language, end_silence_ms: settings.end_silence_ms })
    }
}

/// What was recorded, as far as it was written down meanwhile.
pub struct Take {
    pub clip: Clip,
    /// What the baseline is kept under.
    pub microphone: String,
    /// `None` where the whole has to be heard again.
    pub(crate) draft: Option<Draft>,
    pub(crate) rest: Vec<Range<usize>>,
    pub(crate) speech: Vec<Range<usize>>,
}

pub struct Recorded<E> {
    pub take: Take,
    /// Why the recording ended early, where it did; what came before is in the take.
    pub fault: Option<E>,
}

/// Records until `stop`, until a pause ends the turn, or until the microphone is gone for good.
///
/// `spool` gets each piece as it is complete. Whatever fails, what was recorded until then comes back.
pub fn record<E: From<AppError>>(
    turn: Turn<'_>,
    stop: &AtomicBool,
    spool: &mut Spool<'_, E>,
    on: &mut dyn FnMut(Sound<'_>),
) -> Recorded<E> {
    let Turn { mut capture, vad, ears, language, end_silence_ms } = turn;
    let microphone = capture.device().unwrap_or(DEFAULT_MICROPHONE).to_owned();
    let patience = end_silence_ms as usize * SAMPLE_RATE / 1000;
    let mut tape = Tape::default();
    let over = AtomicBool::new(false);
    let (fault, draft, mut segmenter) = thread::scope(|scope| {
        let (pieces, waiting) = mpsc::channel();
        let (words, written) = mpsc::channel();
        let over = &over;
        let writing = scope.spawn(move || write_down(ears, language, &waiting, &words, over));
        // In here, so that the writer ends however this does.
        let mut voice = Following { vad, segmenter: Segmenter::default(), shown: 0, pieces };
        let mut live = false;
        let mut until_the_end = || -> Result<(), E> {
            while !stop.load(Ordering::Relaxed) && tape.samples.len() < LONGEST && !voice.is_over(patience) {
                tape.samples.extend_from_slice(&capture.read(POLL).map_err(AppError::from)?);
                if !live && capture.is_live() {
                    live = true;
                    on(Sound::Live);
                }
                on(Sound::Level(loudness(capture.level())));
                capture.notices().into_iter().for_each(|notice| on(Sound::Notice(notice)));
                tape.spool(spool, false)?;
                voice.follow(&tape.samples)?;
                show_newest(&written, on);
            }
            Ok(())
        };
        let mut fault = until_the_end().err();
        over.store(true, Ordering::Relaxed);
        match capture.stop() {
            Ok(rest) => tape.samples.extend_from_slice(&rest),
            Err(error) => fault = fault.or_else(|| Some(AppError::from(error).into())),
        }
        if let Err(full) = tape.spool(spool, true) {
            fault = fault.or(Some(full));
        }
        on(Sound::Over);
        let followed = voice.follow(&tape.samples);
        let Following { segmenter, pieces, .. } = voice;
        drop(pieces);
        let draft = writing.join().ok().flatten().filter(|_| followed.is_ok());
        (fault, draft, segmenter)
    });
    let rest = segmenter.finish(tape.samples.len()).into_iter().collect();
    let speech = segmenter.speech(tape.samples.len());
    Recorded { take: Take { clip: Clip { samples: tape.samples }, microphone, draft, rest, speech }, fault }
}

fn show_newest(written: &Receiver<String>, on: &mut dyn FnMut(Sound<'_>)) {
    if let Some(text) = written.try_iter().last() {
        on(Sound::Words(&text));
    }
}

fn held(ears: &Mutex<Ears>) -> std::sync::MutexGuard<'_, Ears> {
    ears.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A recording that was left in the spool by a fault or a crash.
pub struct Leftover {
    pub recording: RecordingId,
    pub started_at: Timestamp,
    pub clip: Clip,
}

/// What the spool still holds of a session, oldest first.
pub fn leftovers(store: &Store, session: SessionId) -> Result<Vec<Leftover>, AppError> {
    leftovers_where(store, |recording| recording.session == Some(session))
}

/// What the spool still holds of all sessions, oldest first.
pub fn all_leftovers(store: &Store) -> Result<Vec<Leftover>, AppError> {
    leftovers_where(store, |_| true)
}

fn leftovers_where(store: &Store, wanted: impl Fn(&Recording) -> bool) -> Result<Vec<Leftover>, AppError> {
    let mut found = Vec::new();
    for recording in store.recordings()?.into_iter().filter(wanted) {
        let pcm = store.recording_samples(recording.id)?;
        let samples = pcm.iter().map(|s| f32::from(*s) / 32_768.0).collect();
        let started_at = recording.started_at;
        found.push(Leftover { recording: recording.id, started_at, clip: Clip { samples } });
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
    /// Writes whole pieces; with `all`, what is left as well.
    fn spool<E>(&mut self, spool: &mut Spool<'_, E>, all: bool) -> Result<(), E> {
        while self.samples.len() - self.spooled >= SPOOLED || all && self.samples.len() > self.spooled {
            let end = (self.spooled + SPOOLED).min(self.samples.len());
            let pcm: Vec<i16> = self.samples[self.spooled..end].iter().map(|s| to_pcm(*s)).collect();
            spool(self.chunks, &pcm)?;
            self.chunks += 1;
            self.spooled = end;
        }
        Ok(())
    }
}

/// Follows the voice, and hands on what can be written down.
struct Following {
    vad: Vad,
    segmenter: Segmenter,
    /// Up to where speech was handed on for a first look.
    shown: usize,
    pieces: Sender<Piece>,
}

impl Following {
    fn follow(&mut self, samples: &[f32]) -> Result<(), AppError> {
        while let Some(frame) = samples.get(self.segmenter.heard()..self.segmenter.heard() + FRAME) {
            let mut window = [0.0; FRAME];
            window.copy_from_slice(frame);
            let step = self.vad.push(&window).map_err(HearError::Vad)?;
            if let Some(range) = self.segmenter.step(step.event, samples) {
                self.shown = range.end;
                self.hand_on(&samples[range.clone()], range.start, true);
            }
        }
        if let Some(open) = self.segmenter.unfinished()
            && open.end >= self.shown.max(open.start) + PARTIAL
        {
            self.shown = open.end;
            self.hand_on(newest(samples, open.start, open.end), open.start, false);
        }
        Ok(())
    }

    fn hand_on(&self, samples: &[f32], at: usize, finished: bool) {
        // Without a receiver the models have failed, and the whole is heard again later.
        self.pieces.send(Piece { samples: samples.to_vec(), at, finished }).ok();
    }

    /// Quiet for long enough after speech, or for much longer without any.
    fn is_over(&self, patience: usize) -> bool {
        let patience = if self.segmenter.has_speech() { patience } else { NOBODY_SPEAKS };
        self.segmenter.quiet().is_some_and(|quiet| quiet >= patience)
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
        assert_eq!(written.iter().map(|(seq, _)| *seq).collect::<Vec<_>>(), [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
        let pcm: Vec<i16> = written.into_iter().flat_map(|(_, pcm)| pcm).collect();
        let expected: Vec<i16> = said.iter().map(|s| to_pcm(*s)).collect();
        assert_eq!(pcm, expected);
    }
}
