//! The sound room: from a file or a microphone to words and a reading of the voice.
//!
//! ```text
//! file ─ decode ┐
//!               ├─ 16 kHz mono ─ vad ─┬─ recogniser ─ transcript
//! microphone ───┘                     └─ emotion model ─ arousal, feeling
//! ```
//!
//! Everything past the first step works on 16 kHz mono `f32` samples between −1 and 1. Paths of models are handed
//! in: this crate knows no folder layout, no database, no session, and it never opens a socket. What a feeling
//! *means* for a trader is decided elsewhere; here it is only measured.

pub mod aloud;
pub mod asr;
pub mod baseline;
mod cores;
#[cfg(test)]
mod counted;
pub mod decode;
mod draft;
pub mod ear;
pub mod emotion;
pub mod endpoint;
mod invented;
pub mod mic;
pub mod onnx;
pub mod resample;
pub mod segments;
pub mod vad;
pub mod whisper;
pub mod whisper_onnx;

pub use aloud::{Aloud, AloudError};
pub use asr::{AsrError, Language, Recognizer, Segment, Tongue, Transcript};
pub use baseline::{Baseline, Comparison};
pub use decode::{DecodeError, decode_bytes, decode_file};
pub use draft::Draft;
pub use ear::{Ear, EarFiles, HearError, Heard, RecognizerFiles};
pub use emotion::{Emotion, EmotionModel, Feeling, Window};
pub use endpoint::VadEvent;
pub use mic::{Capture, MicError, Microphone, Notice};
pub use onnx::{OnnxError, start_onnxruntime};
pub use resample::Resampler;
pub use segments::Segmenter;
pub use vad::{Step, Vad};
pub use whisper::Whisper;
pub use whisper_onnx::WhisperOnnx;

/// Samples per second of everything behind the decoder and the microphone.
pub const SAMPLE_RATE: usize = 16_000;

/// A piece of sound: 16 kHz, mono, every sample finite and between −1 and 1.
#[derive(Clone, Default, PartialEq)]
pub struct Clip {
    pub samples: Vec<f32>,
}

impl Clip {
    /// Length in seconds.
    pub fn seconds(&self) -> f32 {
        seconds(self.samples.len())
    }
}

/// Shows the length only: a log line must not be able to spill a recording.
impl std::fmt::Debug for Clip {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Clip({:.2} s)", self.seconds())
    }
}

pub(crate) fn seconds(samples: usize) -> f32 {
    samples as f32 / SAMPLE_RATE as f32
}

pub(crate) const fn millis(ms: usize) -> usize {
    ms * SAMPLE_RATE / 1000
}
