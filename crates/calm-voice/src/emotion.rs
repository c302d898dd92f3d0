//! How the voice sounds: five feelings and one arousal, from the emotion model.
//!
//! These are raw readings of a model trained on acted German speech. Arousal carries over to other languages, the
//! feelings only so far (about half right on unseen corpora), which is why the confidence is toned down here and why
//! callers say "unclear" below 0.6. A level on the user's own scale needs a [`crate::Baseline`].

use crate::onnx::{self, OnnxError};
use crate::{millis, seconds};
use ort::session::Session;
use ort::value::TensorRef;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// Less speech than this says nothing about a mood.
const SHORTEST: usize = millis(2_000);
/// The model is read over windows of about this length.
const WINDOW: usize = millis(5_000);
/// Probabilities are softened by this before they count as confidence. Where the model said 0.70 it was right in
/// about 0.48 of cases on unseen corpora: `ln(.70/.075) / ln(.48/.13) ≈ 1.7`.
const TEMPERATURE: f32 = 1.7;
/// Keeps the logit finite: ±13.8.
const EDGE: f32 = 1e-6;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Feeling {
    Neutral,
    Joy,
    Anger,
    Sadness,
    Fear,
}

impl Feeling {
    /// In the order of [`Emotion::probs`].
    pub const ALL: [Self; 5] = [Self::Neutral, Self::Joy, Self::Anger, Self::Sadness, Self::Fear];
}

/// What the voice gave away, whatever the words were.
#[derive(Clone, Debug, PartialEq)]
pub struct Emotion {
    /// As the model says them, in the order of [`Feeling::ALL`]; they add up to 1.
    pub probs: [f32; 5],
    /// How roused the voice is, 0–1. Comparable within one speaker and microphone only.
    pub arousal: f32,
    /// `ln(arousal / (1 − arousal))`, what a baseline works on.
    pub arousal_logit: f32,
    /// The likeliest feeling; not to be shown as a fact below a confidence of 0.6.
    pub primary: Feeling,
    /// How far `primary` can be trusted, 0–1.
    pub confidence: f32,
    /// How much speech it rests on.
    pub speech_seconds: f32,
}

pub struct EmotionModel {
    session: Session,
}

impl EmotionModel {
    /// Loads `emotion.onnx`; its weights may lie beside it in a file of their own.
    ///
    /// # Errors
    /// ONNX Runtime is not started, or the file is missing or another model.
    pub fn load(model: &Path) -> Result<Self, OnnxError> {
        Ok(Self { session: onnx::open(model, &["audio"], &["probs", "arousal"])? })
    }

    /// Reads the voice in `speech`, which holds speech and no pauses. `None` under two seconds.
    ///
    /// Longer speech is read in windows of about five seconds, and the median of each figure is taken, so that one
    /// loud word does not set the mood of a minute.
    ///
    /// # Errors
    /// The model fails to run.
    pub fn measure(&mut self, speech: &[f32]) -> Result<Option<Emotion>, OnnxError> {
        if speech.len() < SHORTEST {
            return Ok(None);
        }
        // Equal windows: a short rest at the end would weigh as much as a full one.
        let count = (speech.len() as f32 / WINDOW as f32).round().max(1.0) as usize;
        let readings = speech
            .chunks(speech.len().div_ceil(count))
            .filter(|window| window.len() >= SHORTEST)
            .map(|window| self.read(window))
            .collect::<Result<Vec<_>, _>>()?;
        Ok(Some(summarise(&readings, seconds(speech.len()))))
    }

    fn read(&mut self, window: &[f32]) -> Result<([f32; 5], f32), OnnxError> {
        let audio = TensorRef::from_array_view(([1, window.len()], window))?;
        let outputs = self.session.run(ort::inputs!["audio" => audio])?;
        let (_, probs) = outputs["probs"].try_extract_tensor::<f32>()?;
        let (_, arousal) = outputs["arousal"].try_extract_tensor::<f32>()?;
        let probs = probs.try_into().map_err(|_| OnnxError::WrongModel("probs"))?;
        let arousal = *arousal.first().ok_or(OnnxError::WrongModel("arousal"))?;
        Ok((probs, arousal))
    }
}

fn summarise(readings: &[([f32; 5], f32)], speech_seconds: f32) -> Emotion {
    let mut probs: [f32; 5] = std::array::from_fn(|i| median(readings.iter().map(|(probs, _)| probs[i])));
    let sum: f32 = probs.iter().sum();
    if sum > 0.0 {
        probs.iter_mut().for_each(|p| *p /= sum);
    }
    let arousal_logit = median(readings.iter().map(|(_, arousal)| logit(*arousal)));
    let (primary, confidence) = soften(&probs)
        .into_iter()
        .zip(Feeling::ALL)
        .max_by(|(a, _), (b, _)| a.total_cmp(b))
        .map_or((Feeling::Neutral, 0.0), |(confidence, feeling)| (feeling, confidence));
    Emotion { probs, arousal: 1.0 / (1.0 + (-arousal_logit).exp()), arousal_logit, primary, confidence, speech_seconds }
}

fn logit(p: f32) -> f32 {
    let p = p.clamp(EDGE, 1.0 - EDGE);
    (p / (1.0 - p)).ln()
}

/// Temperature scaling: `p^(1/T)`, made to add up to 1 again.
fn soften(probs: &[f32; 5]) -> [f32; 5] {
    let flat = probs.map(|p| p.max(EDGE).powf(1.0 / TEMPERATURE));
    let sum: f32 = flat.iter().sum();
    flat.map(|p| p / sum)
}

fn median(values: impl Iterator<Item = f32>) -> f32 {
    let mut values: Vec<f32> = values.collect();
    values.sort_by(f32::total_cmp);
    match values.len() {
        0 => 0.0,
        n if n % 2 == 1 => values[n / 2],
        n => f32::midpoint(values[n / 2 - 1], values[n / 2]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case::sure([0.96, 0.01, 0.01, 0.01, 0.01], Feeling::Neutral, true)]
    #[case::what_the_model_calls_likely_is_still_unclear([0.075, 0.70, 0.075, 0.075, 0.075], Feeling::Joy, false)]
    #[case::undecided([0.0, 0.0, 0.5, 0.0, 0.5], Feeling::Fear, false)]
    fn confidence_is_toned_down(#[case] probs: [f32; 5], #[case] primary: Feeling, #[case] shown: bool) {
        let emotion = summarise(&[(probs, 0.5)], 3.0);
        assert_eq!((emotion.primary, emotion.confidence >= 0.6), (primary, shown), "{emotion:?}");
        assert!(emotion.confidence <= probs.iter().copied().fold(0.0, f32::max));
    }

    #[test]
    fn a_loud_window_does_not_set_the_mood() {
        let calm = ([0.9, 0.02, 0.02, 0.03, 0.03], 0.2);
        let shout = ([0.01, 0.02, 0.95, 0.01, 0.01], 0.999);
        let emotion = summarise(&[calm, shout, calm], 15.0);
        assert_eq!(emotion.primary, Feeling::Neutral);
        assert!((emotion.arousal - 0.2).abs() < 1e-4);
        assert!((emotion.probs.iter().sum::<f32>() - 1.0).abs() < 1e-5);
    }

    #[rstest]
    #[case(0.0, -13.8)]
    #[case(0.5, 0.0)]
    #[case(1.0, 13.8)]
    fn the_logit_stays_finite(#[case] p: f32, #[case] expected: f32) {
        assert!((logit(p) - expected).abs() < 0.1);
    }
}
