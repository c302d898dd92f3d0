//! From the emotion model's raw figures to the user's own scale, and how that scale is learned.

use std::collections::BTreeMap;

use calm_core::understand::{self, Feeling};
use calm_core::{Lang, VoiceAnalysis};
use calm_store::Store;
use calm_voice::{Baseline, Emotion};
use serde_json::{Value, json};

use crate::error::AppError;

/// What events and the record show; without a ready baseline there is no number (SPEC V4).
pub fn analyse(emotion: &Emotion, baseline: &Baseline) -> VoiceAnalysis {
    let levels = baseline.levels(emotion);
    let primary_emotion =
        if emotion.confidence < VoiceAnalysis::CONFIDENCE_FLOOR { "unclear" } else { name(emotion.primary) };
    VoiceAnalysis {
        stress_level: levels.map(|l| l.0),
        energy_level: levels.map(|l| l.1),
        primary_emotion: primary_emotion.to_owned(),
        confidence: emotion.confidence,
        calibrating: levels.is_none(),
    }
}

/// The name that events and records use.
pub fn name(feeling: calm_voice::Feeling) -> &'static str {
    use calm_voice::Feeling as Voice;
    match feeling {
        Voice::Neutral => "neutral",
        Voice::Joy => "joy",
        Voice::Anger => "anger",
        Voice::Sadness => "sadness",
        Voice::Fear => "fear",
    }
}

/// The model's figures as they came, by which a later baseline can read this clip again.
pub fn raw(emotion: &Emotion) -> Value {
    json!({
        "probs": probabilities(emotion),
        "arousal": emotion.arousal,
        "arousal_logit": emotion.arousal_logit,
        "speech_seconds": emotion.speech_seconds,
    })
}

/// Each feeling with its probability.
pub fn probabilities(emotion: &Emotion) -> BTreeMap<&'static str, f32> {
    calm_voice::Feeling::ALL.into_iter().map(name).zip(emotion.probs).collect()
}

/// The calm voice of this user at this microphone; empty until clips were learned.
pub fn baseline(store: &Store, microphone: &str) -> Result<Baseline, AppError> {
    let stored = store.baseline(microphone)?;
    Ok(stored.and_then(|value| serde_json::from_value(value).ok()).unwrap_or_default())
}

pub fn keep_baseline(store: &mut Store, microphone: &str, baseline: &Baseline) -> Result<(), AppError> {
    let value = serde_json::to_value(baseline).unwrap_or_default();
    Ok(store.set_baseline(microphone, &value)?)
}

/// A clip teaches the baseline only when the words themselves say that the user is calm.
pub fn words_were_calm(text: &str, language: Lang) -> bool {
    let said = understand::read(text, language, None);
    let strained = said.stress.as_ref().is_some_and(|stress| stress.value > 3);
    let feels = |wanted: fn(Feeling) -> bool| said.feelings.iter().any(|f| wanted(f.value.feeling));
    let calm = feels(|f| matches!(f, Feeling::Calm | Feeling::Focused | Feeling::Neutral))
        || said.stress.as_ref().is_some_and(|stress| stress.value <= 3);
    let troubled = feels(|f| !matches!(f, Feeling::Calm | Feeling::Focused | Feeling::Neutral));
    calm && !strained && !troubled
}
