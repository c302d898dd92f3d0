//! How the voice sounds: five feelings and one arousal, from the emotion model.
//!
//! The model was trained on acted German speech. Arousal carries over to other languages, the feelings only so far
//! (about half right on unseen corpora), which is why their probabilities are scaled here and why callers say "unclear"
//! below 0.6. A level on the user's own scale needs a [`crate::Baseline`].

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
/// Of the five classes. Where the model said 0.70 it was right in about 0.48 of cases on unseen corpora:
/// `ln(.70/.075) / ln(.48/.13) ≈ 1.7`. See models/ser/README.md.
pub const TEMPERATURE: f32 = 1.7;
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

/// One reading of the model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Window {
    pub seconds: f32,
    /// `ln(arousal / (1 − arousal))`.
    pub arousal_logit: f32,
    /// As the model says them, in the order of [`Feeling::ALL`].
    pub probs: [f32; 5],
}

/// What the voice gave away, whatever the words were.
#[derive(Clone, Debug, PartialEq)]
pub struct Emotion {
    /// In the order of [`Feeling::ALL`], temperature-scaled; they add up to 1.
    pub probs: [f32; 5],
    /// How roused the voice is, 0–1. Comparable within one speaker and microphone only.
    pub arousal: f32,
    /// `ln(arousal / (1 − arousal))`, what a baseline works on.
    pub arousal_logit: f32,
    /// The likeliest feeling; not to be shown as a fact below a confidence of 0.6.
    pub primary: Feeling,
    /// The probability of `primary`, 0–1.
    pub confidence: f32,
    /// How much speech it rests on.
    pub speech_seconds: f32,
    /// What the figures are the medians of.
    pub windows: Vec<Window>,
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
        let windows = speech
            .chunks(speech.len().div_ceil(count))
            .filter(|window| window.len() >= SHORTEST)
            .map(|window| self.read(window))
            .collect::<Result<Vec<_>, _>>()?;
        Ok(Some(summarise(windows, seconds(speech.len()))))
    }

    fn read(&mut self, window: &[f32]) -> Result<Window, OnnxError> {
        let audio = TensorRef::from_array_view(([1, window.len()], window))?;
        let outputs = self.session.run(ort::inputs!["audio" => audio])?;
        let (_, probs) = outputs["probs"].try_extract_tensor::<f32>()?;
        let (_, arousal) = outputs["arousal"].try_extract_tensor::<f32>()?;
        let probs = probs.try_into().map_err(|_| OnnxError::WrongModel("probs"))?;
        let arousal = *arousal.first().ok_or(OnnxError::WrongModel("arousal"))?;
        Ok(Window { seconds: seconds(window.len()), arousal_logit: logit(arousal), probs })
    }
}

fn summarise(windows: Vec<Window>, speech_seconds: f32) -> Emotion {
    let probs = soften(&std::array::from_fn(|i| median(windows.iter().map(|window| window.probs[i]))));
    let arousal_logit = median(windows.iter().map(|window| window.arousal_logit));
    let (primary, confidence) = probs
        .into_iter()
        .zip(Feeling::ALL)
        .max_by(|(a, _), (b, _)| a.total_cmp(b))
        .map_or((Feeling::Neutral, 0.0), |(confidence, feeling)| (feeling, confidence));
    let arousal = 1.0 / (1.0 + (-arousal_logit).exp());
    Emotion { probs, arousal, arousal_logit, primary, confidence, speech_seconds, windows }
}

fn logit(p: f32) -> f32 {
    let p = p.clamp(EDGE, 1.0 - EDGE);
    (p / (1.0 - p)).ln()
}

/// Temperature scaling: `p^(1/T)`, made to add up to 1.
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
    use proptest::prelude::*;
    use rstest::rstest;

    fn window(probs: [f32; 5], arousal: f32) -> Window {
        Window { seconds: 5.0, arousal_logit: logit(arousal), probs }
    }

    #[rstest]
    #[case::sure([0.96, 0.01, 0.01, 0.01, 0.01], Feeling::Neutral, true)]
    #[case::what_the_model_calls_likely_is_still_unclear([0.075, 0.70, 0.075, 0.075, 0.075], Feeling::Joy, false)]
    #[case::undecided([0.0, 0.0, 0.5, 0.0, 0.5], Feeling::Fear, false)]
    fn confidence_is_toned_down(#[case] probs: [f32; 5], #[case] primary: Feeling, #[case] shown: bool) {
        let emotion = summarise(vec![window(probs, 0.5)], 3.0);
        assert_eq!((emotion.primary, emotion.confidence >= 0.6), (primary, shown), "{emotion:?}");
        assert!(emotion.confidence <= probs.iter().copied().fold(0.0, f32::max));
    }

    #[test]
    fn a_loud_window_does_not_set_the_mood() {
        let calm = window([0.9, 0.02, 0.02, 0.03, 0.03], 0.2);
        let shout = window([0.01, 0.02, 0.95, 0.01, 0.01], 0.999);
        let emotion = summarise(vec![calm, shout, calm], 15.0);
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

    fn readings() -> impl Strategy<Value = Vec<Window>> {
        let probs = prop::array::uniform5(0.0f32..1.0).prop_map(|weights| {
            let sum = weights.iter().sum::<f32>().max(1e-3);
            weights.map(|weight| weight / sum)
        });
        prop::collection::vec((probs, 0.0f32..=1.0).prop_map(|(probs, arousal)| window(probs, arousal)), 1..12)
    }

    proptest! {
        #[test]
        fn figures_are_what_they_are_called(windows in readings()) {
            let emotion = summarise(windows.clone(), 20.0);
            prop_assert!((emotion.probs.iter().sum::<f32>() - 1.0).abs() < 1e-4);
            prop_assert!(emotion.probs.iter().all(|p| *p <= emotion.confidence));
            prop_assert!((0.2..=1.0).contains(&emotion.confidence));
            prop_assert!((logit(emotion.arousal) - emotion.arousal_logit).abs() < 0.1);
            let quieter = windows.iter().filter(|one| one.arousal_logit <= emotion.arousal_logit).count();
            let louder = windows.iter().filter(|one| one.arousal_logit >= emotion.arousal_logit).count();
            prop_assert!(2 * quieter >= windows.len() && 2 * louder >= windows.len(), "half lies on either side");
        }

        #[test]
        fn one_window_more_or_less_sure_is_never_named_otherwise(windows in readings()) {
            let only = windows[0];
            let emotion = summarise(vec![only], 5.0);
            let likeliest = only.probs.iter().copied().fold(0.0, f32::max);
            prop_assert!(emotion.confidence <= likeliest.max(0.2) + 1e-4, "scaling never makes it surer");
            let index = Feeling::ALL.iter().position(|feeling| *feeling == emotion.primary).unwrap();
            prop_assert!(only.probs[index] >= likeliest - 1e-4);
        }
    }
}
