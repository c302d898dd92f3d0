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

/// The rule that a sentence most likely breaks, where it sounds enough like breaking one.
pub(super) fn rule(sentence: &str, words: &[Word]) -> Option<Rule> {
    if words.is_empty() {
        return None;
    }
    let is_russian = is_russian(sentence);
    let logits = MODEL.as_ref()?.logits(&features(sentence, words), is_russian);
    let enough = if is_russian { THRESHOLD_RU } else { THRESHOLD_EN };
    KINDS.get(linear::likeliest(&logits)).copied().filter(|_| linear::score(&logits) >= enough)
}

/// The words between marks of where the sentence begins and how it ends; amounts differ, and the
/// difference says nothing.
fn features(sentence: &str, words: &[Word]) -> Vec<Feature> {
    let end = if sentence.contains('?') { "?" } else { "." };
    let norms = words.iter().map(|w| if w.number { "0" } else { w.norm.as_str() });
    let framed: Vec<&str> = std::iter::once("^").chain(norms).chain([end]).collect();
    linear::features::of(&framed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_committed_weights_are_read() {
        assert!(MODEL.is_some());
    }

    #[test]
    fn a_text_without_words_breaks_no_rule() {
        assert_eq!(rule("…!", &words::of("…!")), None);
    }
}
