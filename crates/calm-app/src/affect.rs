//! From the emotion model's raw figures to the user's own scale, and how that scale is learned: from clips that the
//! user records for it ([`enrol`]), and from sessions that the user calls calm ([`learn`]).
//!
//! Each microphone has a baseline of its own, and each is good for one emotion model: the figures of another model
//! mean something else, so after a change of models the user is calibrating again.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::sync::LazyLock;

use calm_core::understand::{self, Feeling};
use calm_core::{Lang, VoiceAnalysis};
use calm_models::Manifest;
use calm_store::{Left, Store};
use calm_voice::{Baseline, Emotion};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::error::AppError;
use crate::running::Running;

/// Which emotion model this program runs, by the checksums of its files.
static MODEL: LazyLock<String> = LazyLock::new(|| {
    let manifest = Manifest::shipped();
    let files = manifest.model("emotion").map(|model| model.files.as_slice()).unwrap_or_default();
    files.iter().map(|file| file.sha256.get(..12).unwrap_or_default()).collect::<Vec<_>>().join("-")
});

/// A baseline as it is stored.
#[derive(Serialize, Deserialize)]
struct Kept {
    #[serde(default)]
    model: String,
    #[serde(flatten)]
    baseline: Baseline,
}

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

/// The model's figures, by which a later baseline can read this clip again.
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
    named(emotion.probs)
}

/// Figures in the order of [`calm_voice::Feeling::ALL`] by the feelings' names.
pub fn named(figures: [f32; 5]) -> BTreeMap<&'static str, f32> {
    calm_voice::Feeling::ALL.into_iter().map(name).zip(figures).collect()
}

/// The calm voice of this user at this microphone; empty until clips were learned.
pub fn baseline(store: &Store, microphone: &str) -> Result<Baseline, AppError> {
    Ok(store.baseline(microphone)?.map(of_this_model).unwrap_or_default())
}

/// All that are known, with their microphones.
pub fn baselines(store: &Store) -> Result<Vec<(String, Baseline)>, AppError> {
    Ok(store.baselines()?.into_iter().map(|(microphone, kept)| (microphone, of_this_model(kept))).collect())
}

/// Takes calm clips into the baseline of `microphone`, in one step, and gives what it has become.
///
/// # Errors
/// The database cannot be written; the baseline stays as it was then.
pub fn enrol(store: &mut Store, microphone: &str, clips: &[Emotion]) -> Result<Baseline, AppError> {
    let mut baseline = baseline(store, microphone)?;
    clips.iter().for_each(|clip| baseline.learn(clip.arousal_logit));
    keep_baseline(store, microphone, &baseline)?;
    Ok(baseline)
}

/// Forgets the calm voice at `microphone`, or everywhere; gives the microphones where there was one, and what is left.
///
/// # Errors
/// The database cannot be read or written.
pub fn forget(store: &mut Store, microphone: Option<&str>) -> Result<(Vec<String>, Left), AppError> {
    let mut names: Vec<String> = store.baselines()?.into_iter().map(|(name, _)| name).collect();
    names.retain(|name| microphone.is_none_or(|microphone| microphone == name));
    let mut left = None;
    for name in &names {
        left = store.forget_baseline(name)?.or(left);
    }
    Ok((names, left))
}

/// Learns from a session that has ended, if the user called themselves calm in it and nothing else.
pub(crate) fn learn(store: &mut Store, session: &Running) -> Result<(), AppError> {
    let words = session.talk.iter().filter_map(|(user, _)| user.as_deref());
    if session.voices.is_empty() || !was_called_calm(words, session.language) {
        return Ok(());
    }
    let mut learned: BTreeMap<&str, Baseline> = BTreeMap::new();
    for (microphone, emotion) in &session.voices {
        let known = match learned.entry(microphone) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(place) => place.insert(baseline(store, microphone)?),
        };
        known.learn_from(emotion);
    }
    learned.iter().try_for_each(|(microphone, baseline)| keep_baseline(store, microphone, baseline))
}

fn of_this_model(kept: Value) -> Baseline {
    let kept: Option<Kept> = serde_json::from_value(kept).ok();
    kept.filter(|kept| kept.model == *MODEL).map(|kept| kept.baseline).unwrap_or_default()
}

fn keep_baseline(store: &mut Store, microphone: &str, baseline: &Baseline) -> Result<(), AppError> {
    let kept = Kept { model: MODEL.clone(), baseline: baseline.clone() };
    Ok(store.set_baseline(microphone, &serde_json::to_value(kept).unwrap_or_default())?)
}

/// One turn of calm words is enough, and one of trouble too much. Whoever is in distress may be calm about it, and is
/// not to be measured against that.
fn was_called_calm<'a>(words: impl Iterator<Item = &'a str>, language: Lang) -> bool {
    let mut calm = false;
    for text in words {
        let said = understand::read(text, language, None);
        let strained = said.stress.as_ref().is_some_and(|stress| stress.value > 3);
        let feels = |wanted: fn(Feeling) -> bool| said.feelings.iter().any(|f| wanted(f.value.feeling));
        if strained
            || said.distress.is_some()
            || feels(|f| !matches!(f, Feeling::Calm | Feeling::Focused | Feeling::Neutral))
        {
            return false;
        }
        calm |= said.stress.is_some() || feels(|f| matches!(f, Feeling::Calm | Feeling::Focused | Feeling::Neutral));
    }
    calm
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::calm(&["Сегодня я спокоен", "Готовность восемь"], true)]
    #[case::nothing_about_it(&["План на два входа", "Готовность восемь"], false)]
    #[case::trouble_later(&["Сегодня я спокоен", "Хотя злюсь на вчерашний день"], false)]
    #[case::trouble_first(&["Тревожно мне", "Теперь я спокоен"], false)]
    #[case::a_low_stress(&["Стресс два из десяти"], true)]
    #[case::a_high_stress(&["Спокоен", "Стресс шесть из десяти"], false)]
    #[case::calm_and_in_distress(&["Я спокоен", "Жить не хочется"], false)]
    #[case::silence(&[], false)]
    fn a_session_is_calm_when_its_words_say_so(#[case] words: &[&str], #[case] calm: bool) {
        assert_eq!(was_called_calm(words.iter().copied(), Lang::Ru), calm);
    }

    #[test]
    fn figures_of_another_model_are_no_baseline() {
        let mut baseline = Baseline::default();
        [-1.0, -1.2, -0.8, -1.1, -0.9].into_iter().for_each(|z| baseline.learn(z));
        let kept = |model: &str| serde_json::to_value(Kept { model: model.to_owned(), baseline: baseline.clone() });
        assert_eq!(of_this_model(kept(&MODEL).expect("json")), baseline);
        assert_eq!(of_this_model(kept("of last year").expect("json")), Baseline::default());
        assert_eq!(of_this_model(json!({"n": 5, "mean": -1.0, "variance": 0.1})), Baseline::default());
        assert_eq!(of_this_model(json!("nonsense")), Baseline::default());
        assert!(!MODEL.is_empty());
    }
}
