//! What no word list catches: advice in a proverb, a wink, a picture of the weather.
//!
//! A small linear model of pieces of words (`linear`), asked about a sentence in which the lists found
//! nothing. Where the weights come from, and what they are worth: `advice/CARD.md`.

use std::sync::LazyLock;

use super::Rule;
use super::words::{self, Word};
use crate::lang::Lang;
use crate::linear::{self, Feature, Magic, Weights};
use crate::understand::spoken_language;

/// In the order in which their weights are written.
pub const KINDS: [Rule; 4] = [Rule::Advice, Rule::Promise, Rule::Diagnosis, Rule::Minimising];
pub const MAGIC: Magic = *b"calmadv1";

static WEIGHTS: &[u8] = include_bytes!("../../advice/weights.bin");
static MODEL: LazyLock<Option<Weights<'static, { KINDS.len() }>>> = LazyLock::new(|| Weights::read(WEIGHTS, &MAGIC));

/// Logits from which a sentence is not said, per language: chosen in cross-validation (`advice/CARD.md`).
const THRESHOLD_RU: f32 = 1.75;
const THRESHOLD_EN: f32 = 2.1;

/// The rule that a sentence most likely breaks, and the logit of any against none; `None` without words.
pub fn strongest(sentence: &str) -> Option<(Rule, f32)> {
    judged(sentence, &words::of(sentence))
}

/// Logits from which it counts, by the letters of the sentence.
pub fn threshold(sentence: &str) -> f32 {
    if is_russian(sentence) { THRESHOLD_RU } else { THRESHOLD_EN }
}

/// Whether a sentence is judged as Russian: by its letters alone.
pub fn is_russian(sentence: &str) -> bool {
    spoken_language(sentence, Lang::En) == Lang::Ru
}

/// Whether something in the sentence makes a hint none, whatever it sounds like.
pub fn taken_back(sentence: &str) -> bool {
    super::taken_back(&words::of(sentence), &[])
}

/// The features of a sentence, as the training sees them.
pub fn features_of(sentence: &str) -> Vec<Feature> {
    features(sentence, &words::of(sentence))
}

pub(super) fn rule(sentence: &str, words: &[Word]) -> Option<Rule> {
    judged(sentence, words).filter(|(_, score)| *score >= threshold(sentence)).map(|(rule, _)| rule)
}

fn judged(sentence: &str, words: &[Word]) -> Option<(Rule, f32)> {
    if words.is_empty() {
        return None;
    }
    let logits = MODEL.as_ref()?.logits(&features(sentence, words), is_russian(sentence));
    Some((KINDS.get(linear::likeliest(&logits)).copied()?, linear::score(&logits)))
}

/// The words between marks of where the sentence begins and how it ends; amounts differ, and the
/// difference says nothing.
fn features(sentence: &str, words: &[Word]) -> Vec<Feature> {
    let end = if sentence.contains('?') { "?" } else { "." };
    let norms = words.iter().map(|w| if w.number { "0" } else { w.norm.as_str() });
    let framed: Vec<&str> = std::iter::once("^").chain(norms).chain([end]).collect();
    linear::features::of(&framed)
}
