//! How fast a model writes down what is said, on this machine and as busy as it is now.

use std::time::Instant;

use calm_models::ModelError;
use serde::Serialize;

use crate::ears::{Ears, speech_models};
use crate::error::AppError;
use crate::paths::Paths;

/// Nine seconds of Russian by a speech synthesiser, with a pause or two: tests/make-audio.sh.
const SAMPLE: &[u8] = include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/audio/checkin_ru_1.flac"));
/// A first run warms up. Whoever takes longer than this to read the sample is measured once.
const PATIENCE_MS: u64 = 5_000;

#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Speed {
    /// Length of the sample.
    pub clip_seconds: f32,
    /// Of that, the better of two runs.
    pub asr_ms: u64,
    pub load_ms: u64,
    /// The time it took as a part of the sample's length: 0.1 is ten times as fast as speaking.
    pub real_time_factor: f32,
}

/// Loads the model, lets it write down the sample, and lets it go.
///
/// # Errors
/// There is no such model, it writes down nothing, or it is not on this machine.
pub fn measure(paths: &Paths, id: &str) -> Result<Speed, AppError> {
    if !speech_models().any(|known| known == id) {
        return Err(ModelError::Unknown { id: id.to_owned() }.into());
    }
    let sample = calm_voice::decode_bytes(SAMPLE)
        .map_err(|source| AppError::BadAudio { path: "the built-in sample".to_owned(), source })?;
    let mut ears = Ears::new(&paths.models, false).with_speech_model(id);
    let began = Instant::now();
    ears.load()?;
    let load_ms = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
    let mut asr_ms = ears.listen(&sample)?.asr_ms;
    if asr_ms < PATIENCE_MS {
        asr_ms = asr_ms.min(ears.listen(&sample)?.asr_ms);
    }
    let clip_seconds = sample.seconds();
    Ok(Speed { clip_seconds, asr_ms, load_ms, real_time_factor: asr_ms as f32 / 1000.0 / clip_seconds })
}
