//! Is somebody speaking? Silero VAD over 32 ms frames.
//!
//! What it keeps out never reaches the recogniser, which would write words out of noise.

use crate::endpoint::{Endpointer, FRAME, ranges};
use crate::onnx::{self, OnnxError};
use crate::{SAMPLE_RATE, VadEvent};
use ort::session::Session;
use ort::value::TensorRef;
use std::ops::Range;
use std::path::Path;

/// Samples of the frame before, which the model wants to see again.
const CONTEXT: usize = 64;
const STATE: [usize; 3] = [2, 1, 128];
const STATE_LEN: usize = 256;

/// RMS, −20 dBFS. From about −60 dBFS on the model takes speech for silence, so a quiet recording is made louder for it
/// until its loudest frame is at this level.
const LOUD: f32 = 0.1;
/// 30 dB and no more: the hiss of an empty recording stays hiss.
const MOST_GAIN: f32 = 32.0;

/// What one frame of a stream told.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step {
    /// How likely these 32 ms are speech, 0–1.
    pub probability: f32,
    pub event: Option<VadEvent>,
}

/// The voice activity detector. It listens to one stream at a time.
pub struct Vad {
    session: Session,
    state: Vec<f32>,
    /// The tail of the last frame, then the frame.
    window: [f32; CONTEXT + FRAME],
    endpointer: Endpointer,
}

impl Vad {
    /// Loads `silero-vad.onnx` (version 5 or 6).
    ///
    /// # Errors
    /// ONNX Runtime is not started, or the file is missing or another model.
    pub fn load(model: &Path) -> Result<Self, OnnxError> {
        let session = onnx::open(model, &["input", "state", "sr"], &["output", "stateN"])?;
        Ok(Self {
            session,
            state: vec![0.0; STATE_LEN],
            window: [0.0; CONTEXT + FRAME],
            endpointer: Endpointer::default(),
        })
    }

    /// The stretches of `samples` in which somebody speaks, as ranges of samples: in order, apart from each other,
    /// with 200 ms of padding. A stream that was being pushed is forgotten.
    ///
    /// # Errors
    /// The model fails to run.
    pub fn speech(&mut self, samples: &[f32]) -> Result<Vec<Range<usize>>, OnnxError> {
        self.reset();
        let gain = gain(samples);
        let mut events = Vec::new();
        for part in samples.chunks(FRAME) {
            let mut frame = [0.0; FRAME];
            frame.iter_mut().zip(part).for_each(|(frame, sample)| *frame = sample * gain);
            events.extend(self.push(&frame)?.event);
        }
        events.extend(self.endpointer.finish());
        self.reset();
        Ok(ranges(events, samples.len()))
    }

    /// Takes the next 32 ms of a stream.
    ///
    /// # Errors
    /// The model fails to run.
    pub fn push(&mut self, frame: &[f32; FRAME]) -> Result<Step, OnnxError> {
        self.window.copy_within(FRAME.., 0);
        self.window[CONTEXT..].copy_from_slice(frame);
        let probability = self.probability()?;
        Ok(Step { probability, event: self.endpointer.step(probability) })
    }

    /// Forgets the stream; the next frame is the first of another.
    pub fn reset(&mut self) {
        self.state.fill(0.0);
        self.window.fill(0.0);
        self.endpointer = Endpointer::default();
    }

    fn probability(&mut self) -> Result<f32, OnnxError> {
        let rate = [SAMPLE_RATE as i64];
        let shape: [usize; 0] = [];
        let input = TensorRef::from_array_view(([1, CONTEXT + FRAME], &self.window[..]))?;
        let state = TensorRef::from_array_view((STATE, &self.state[..]))?;
        let rate = TensorRef::from_array_view((shape, &rate[..]))?;
        let outputs = self.session.run(ort::inputs!["input" => input, "state" => state, "sr" => rate])?;
        let (_, probability) = outputs["output"].try_extract_tensor::<f32>()?;
        let probability = probability.first().copied().ok_or(OnnxError::WrongModel("output"))?;
        let (_, next) = outputs["stateN"].try_extract_tensor::<f32>()?;
        if next.len() != STATE_LEN {
            return Err(OnnxError::WrongModel("stateN"));
        }
        self.state.copy_from_slice(next);
        Ok(probability)
    }
}

/// By the loudest frame, not by the highest peak, which may be a click.
fn gain(samples: &[f32]) -> f32 {
    let power = |frame: &[f32]| frame.iter().map(|sample| sample * sample).sum::<f32>() / FRAME as f32;
    let loudest = samples.chunks(FRAME).map(power).fold(0.0, f32::max).sqrt();
    (LOUD / loudest.max(f32::MIN_POSITIVE)).clamp(1.0, MOST_GAIN)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case::loud(0.5, 1.0)]
    #[case::as_it_should_be(0.1, 1.0)]
    #[case::quiet(0.01, 10.0)]
    #[case::hardly_there(0.000_1, MOST_GAIN)]
    #[case::digital_silence(0.0, MOST_GAIN)]
    fn a_quiet_recording_is_made_louder(#[case] level: f32, #[case] expected: f32) {
        let samples = vec![level; 3 * FRAME];
        assert!((gain(&samples) - expected).abs() < 0.01, "{}", gain(&samples));
    }

    #[test]
    fn one_click_does_not_make_a_recording_loud() {
        let mut samples = vec![0.01; 20 * FRAME];
        samples[5_000] = 0.9;
        assert!(gain(&samples) > 2.0);
        assert!((gain(&[]) - MOST_GAIN).abs() < f32::EPSILON);
    }
}
