//! The words of an utterance that is still going on.
//!
//! What is settled is never taken back: the text grows at its end, and only its newest part may change.

use crate::asr::join;
use crate::invented::{is_invented, is_known_phrase};
use crate::{Language, Segment, Tongue, Transcript};

/// Language is told from less speech than this, and found out again with the next segment.
const SURE_AFTER: f32 = 3.0;

/// What has been written down so far.
#[derive(Clone, Debug, Default)]
pub struct Draft {
    segments: Vec<Segment>,
    /// Of the newest segment with words.
    tongue: Option<Tongue>,
    sure: bool,
    loose: String,
    pub(crate) asr_ms: u64,
}

impl Draft {
    /// Everything that can be shown now: the settled words, then those that may still change.
    pub fn text(&self) -> String {
        format!("{} {}", join(&self.segments), self.loose).trim().to_owned()
    }

    /// The part of [`Draft::text`] that stays as it is, at its beginning.
    pub fn settled(&self) -> String {
        join(&self.segments)
    }

    /// A first look at the open segment, in place of the one before.
    pub fn glanced(&mut self, words: &str) {
        // Nothing is known of how sure these words are, and they are replaced soon.
        self.loose = if is_known_phrase(words) { String::new() } else { words.trim().to_owned() };
    }

    /// A finished segment that began `offset` seconds into the utterance.
    pub(crate) fn settle(&mut self, part: Transcript, offset: f32, seconds: f32) {
        self.loose.clear();
        let words = part.segments.into_iter().filter(|segment| !is_invented(segment));
        let before = self.segments.len();
        self.segments.extend(words.map(|segment| Segment {
            start: segment.start + offset,
            end: segment.end + offset,
            ..segment
        }));
        if self.segments.len() > before {
            self.tongue = Some(part.language);
            self.sure |= seconds >= SURE_AFTER;
        }
    }

    /// The language to write the next segment in: one utterance, one language, once that is sure.
    pub(crate) fn language(&self, asked: &Language) -> Language {
        self.tongue.filter(|_| self.sure).map_or_else(|| asked.clone(), Language::Fixed)
    }

    pub(crate) fn into_transcript(self, asked: Language) -> Transcript {
        let tongue = self.tongue.unwrap_or(match asked {
            Language::Fixed(tongue) => tongue,
            Language::Auto(allowed) => allowed.first().copied().unwrap_or(Tongue::En),
        });
        Transcript { text: join(&self.segments), language: tongue, segments: self.segments }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn part(words: &str, language: Tongue) -> Transcript {
        let segment =
            Segment { start: 0.0, end: 1.0, text: words.to_owned(), no_speech: Some(0.01), avg_logprob: Some(-0.2) };
        let segments = if words.is_empty() { Vec::new() } else { vec![segment] };
        Transcript { text: words.to_owned(), language, segments }
    }

    proptest! {
        /// Whatever is glanced at in between, settled words stay where they are, and the shown text begins with them.
        #[test]
        fn settled_text_never_flickers(
            steps in prop::collection::vec((any::<bool>(), "[а-яa-z]{0,8}( [а-яa-z]{1,8}){0,5}", 0.2f32..20.0), 0..40),
        ) {
            let mut draft = Draft::default();
            let (mut settled, mut at) = (String::new(), 0.0);
            for (finished, words, seconds) in steps {
                if finished {
                    draft.settle(part(words.trim(), Tongue::Ru), at, seconds);
                    at += seconds;
                } else {
                    draft.glanced(&words);
                }
                prop_assert!(draft.settled().starts_with(&settled));
                prop_assert!(draft.text().starts_with(&draft.settled()));
                prop_assert!(finished || draft.settled() == settled, "a glance settled something");
                settled = draft.settled();
            }
            let transcript = draft.into_transcript(Language::Fixed(Tongue::Ru));
            prop_assert_eq!(&transcript.text, &settled);
            prop_assert!(transcript.segments.windows(2).all(|pair| pair[0].start <= pair[1].start));
        }
    }

    #[test]
    fn one_word_does_not_decide_the_language() {
        let asked = Language::Auto(vec![Tongue::Ru, Tongue::En]);
        let mut draft = Draft::default();
        draft.settle(part("Stop", Tongue::En), 0.0, 0.8);
        assert_eq!(draft.language(&asked), asked);
        draft.settle(part("Сегодня торговал по плану", Tongue::Ru), 1.0, 4.0);
        assert_eq!(draft.language(&asked), Language::Fixed(Tongue::Ru));
    }
}
