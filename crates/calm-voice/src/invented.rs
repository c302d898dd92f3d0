//! Words that a recogniser wrote out of no speech.
//!
//! Its own figures decide. A phrase that recognisers are known to invent needs less doubt than another, but the
//! phrase alone is never enough: people do say "thank you".

use crate::asr::hint;
use crate::{Segment, Tongue};

/// Whisper's own rule: likely no speech, and the words are guesses.
const NO_SPEECH: f32 = 0.6;
const GUESS: f32 = -1.0;
/// A known phrase goes at half the doubt of either kind.
const SOME_NO_SPEECH: f32 = 0.3;
const SOME_GUESS: f32 = -0.6;

/// So many words of the hint in a row are an echo of it.
const ECHO: usize = 5;

/// Ends of subtitles, which is what recognisers learned silence from. Lower case, letters and spaces only.
const KNOWN: [&str; 18] = [
    "субтитры сделал",
    "субтитры создавал",
    "субтитры подогнал",
    "субтитры подготовил",
    "редактор субтитров",
    "корректор",
    "продолжение следует",
    "спасибо за просмотр",
    "подписывайтесь на канал",
    "спасибо за внимание",
    "до новых встреч",
    "thank you",
    "thanks for watching",
    "thank you for watching",
    "please subscribe",
    "subtitles by",
    "bye",
    "you",
];

/// Whether the recogniser's own figures say that nobody said this.
pub(crate) fn is_invented(segment: &Segment) -> bool {
    let above = |figure: Option<f32>, limit: f32| figure.is_some_and(|figure| figure > limit);
    let below = |figure: Option<f32>, limit: f32| figure.is_some_and(|figure| figure < limit);
    let doubted = above(segment.no_speech, NO_SPEECH) && below(segment.avg_logprob, GUESS);
    let half = above(segment.no_speech, SOME_NO_SPEECH) || below(segment.avg_logprob, SOME_GUESS);
    doubted || half && is_known_phrase(&segment.text) || echoes_the_hint(&segment.text)
}

/// Whether the text repeats the hint that the recogniser was given: over music it does so without any doubt. Nobody
/// says five of those words in that order.
fn echoes_the_hint(text: &str) -> bool {
    let text = plain(text);
    let said: Vec<&str> = text.split(' ').collect();
    [Tongue::Ru, Tongue::En].into_iter().map(|tongue| plain(hint(tongue))).any(|hint| {
        let hint: Vec<&str> = hint.split(' ').collect();
        said.windows(ECHO).any(|part| hint.windows(ECHO).any(|given| given == part))
    })
}

/// Letters in lower case and single spaces.
fn plain(text: &str) -> String {
    let letters = text.to_lowercase().replace(['\'', '’'], "").replace(|c: char| !c.is_alphabetic(), " ");
    letters.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Whether the text is nothing but a phrase that recognisers invent.
pub(crate) fn is_known_phrase(text: &str) -> bool {
    let plain = plain(text);
    // Names of the people who made the subtitles follow some of them.
    KNOWN.iter().any(|known| {
        plain == *known
            || known.contains(' ')
                && plain.strip_prefix(known).is_some_and(|rest| rest.starts_with(' ') && rest.split(' ').count() <= 4)
                && (known.starts_with("субтитры") || known.starts_with("редактор") || known.starts_with("subtitles"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case::clear_speech("Сегодня минус двести", 0.01, -0.2, false)]
    #[case::mumbled_speech("Сегодня минус двести", 0.2, -0.9, false)]
    #[case::an_unlikely_voice("Сегодня минус двести", 0.9, -0.3, false)]
    #[case::noise("Мы пойдем дальше", 0.8, -1.3, true)]
    #[case::thanks_that_were_said("Спасибо за внимание.", 0.02, -0.2, false)]
    #[case::thanks_that_were_not("Спасибо за внимание.", 0.4, -0.5, true)]
    #[case::credits("Субтитры сделал DimaTorzok", 0.1, -0.7, true)]
    #[case::the_hint_again("A traders check-in before the session ends", 0.0, -0.18, true)]
    #[case::its_end_again("просадка, тильт, FOMO, отыграться, в плюс", 0.0, -0.1, true)]
    #[case::a_trader_in_his_own_words("План такой: риск маленький, стоп короткий, тейк дальше", 0.0, -0.2, false)]
    #[case::a_long_sentence_that_begins_so("Thank you for asking, I slept well", 0.4, -0.8, false)]
    fn what_nobody_said(#[case] text: &str, #[case] no_speech: f32, #[case] logprob: f32, #[case] expected: bool) {
        let text = text.to_owned();
        let (no_speech, avg_logprob) = (Some(no_speech), Some(logprob));
        assert_eq!(is_invented(&Segment { start: 0.0, end: 1.0, text, no_speech, avg_logprob }), expected);
    }

    #[test]
    fn a_recogniser_that_tells_nothing_is_believed() {
        let text = "Спасибо за просмотр!".to_owned();
        let segment = Segment { start: 0.0, end: 1.0, text, no_speech: None, avg_logprob: None };
        assert!(!is_invented(&segment));
        assert!(is_known_phrase(&segment.text));
    }
}
