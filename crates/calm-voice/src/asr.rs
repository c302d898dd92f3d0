//! Speech to text, whoever does it.
//!
//! Two recognisers stand behind one trait: Whisper-base through ONNX Runtime, and any Whisper through whisper.cpp.
//! What the words mean is not this crate's business.

use serde::{Deserialize, Serialize};

/// Written as a trader would say it: Whisper spells like the text it believes to continue. No numbers here, or it
/// would hear them.
pub(crate) fn hint(tongue: Tongue) -> &'static str {
    match tongue {
        Tongue::Ru => HINT_RU,
        Tongue::En => HINT_EN,
    }
}

const HINT_RU: &str = "Чек-ин трейдера перед торговлей: план, риск, стоп, тейк, лонг, шорт, сетап, просадка, тильт, \
    FOMO, отыграться, в плюс, в минус, безубыток, готовность к торговле.";
const HINT_EN: &str = "A trader's check-in before the session: plan, risk, stop loss, take profit, long, short, setup, \
    drawdown, tilt, FOMO, revenge trade, green day, red day, breakeven, readiness to trade.";

/// A language that the product speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Tongue {
    Ru,
    En,
}

impl Tongue {
    /// ISO 639-1.
    pub fn code(self) -> &'static str {
        match self {
            Self::Ru => "ru",
            Self::En => "en",
        }
    }
}

/// Which language to write down.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Language {
    /// Whichever of these is heard, and never another. An empty list means any that the product speaks.
    Auto(Vec<Tongue>),
    Fixed(Tongue),
}

/// A stretch of text with its place in the sound, in seconds from the start.
#[derive(Clone, PartialEq)]
pub struct Segment {
    pub start: f32,
    pub end: f32,
    pub text: String,
    /// How likely the recogniser holds it that nobody speaks here, 0–1; `None` where it cannot tell.
    pub no_speech: Option<f32>,
    /// Mean natural logarithm of the tokens' probabilities: 0 is certain, below −1 is guessing; `None` as above.
    pub avg_logprob: Option<f32>,
}

/// What was said.
#[derive(Clone, PartialEq)]
pub struct Transcript {
    /// The segments joined by spaces. Empty when nothing was said.
    pub text: String,
    pub language: Tongue,
    pub segments: Vec<Segment>,
}

/// Neither shows its words: a log line must not be able to spill them.
impl std::fmt::Debug for Segment {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Segment({:.2}–{:.2} s, {} chars)", self.start, self.end, self.text.chars().count())
    }
}

impl std::fmt::Debug for Transcript {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Transcript({}, {:?})", self.language.code(), self.segments)
    }
}

#[derive(Debug, thiserror::Error)]
pub enum AsrError {
    #[error("the speech model is not there")]
    ModelMissing,
    #[error("the speech model cannot be loaded: {0}")]
    Model(String),
    #[error("the speech model failed to run: {0}")]
    Run(String),
}

/// Something that writes down speech.
pub trait Recognizer: Send {
    /// Writes down `samples`, which somebody else has found to hold speech.
    ///
    /// # Errors
    /// The model fails to run. Nothing of what was said is in the error.
    fn transcribe(&mut self, samples: &[f32], language: Language) -> Result<Transcript, AsrError>;

    /// A first look at speech that is still going on: one quick pass, no second tries. For text that will be replaced.
    ///
    /// # Errors
    /// As [`Recognizer::transcribe`].
    fn glance(&mut self, samples: &[f32], tongue: Tongue) -> Result<String, AsrError>;
}

pub(crate) fn join(segments: &[Segment]) -> String {
    segments.iter().map(|segment| segment.text.as_str()).collect::<Vec<_>>().join(" ")
}

/// Text that goes round in circles, which a decoder produces when it has lost the sound.
///
/// True if a phrase of up to eight words, or one letter group inside a word, comes four times in a row. People do say
/// "no, no, no".
pub(crate) fn loops(text: &str) -> bool {
    let words: Vec<String> = text
        .split_whitespace()
        .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase())
        .filter(|word| !word.is_empty())
        .collect();
    (1..=8).any(|phrase| repeats(&words, phrase, 4))
        || words.iter().any(|word| {
            let letters: Vec<char> = word.chars().collect();
            (1..=4).any(|group| repeats(&letters, group, 8))
        })
}

/// The text with every circle cut to three rounds: people do repeat themselves, and what comes after a circle was said.
pub(crate) fn straightened(text: &str) -> String {
    let plain = |word: &str| word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    let mut words: Vec<(String, String)> = text.split_whitespace().map(|word| (plain(word), word.to_owned())).collect();
    for (_, word) in &mut words {
        if loops(word) {
            let mut letters: Vec<(char, char)> = word.chars().map(|letter| (letter, letter)).collect();
            (1..=4).for_each(|group| letters = three_rounds(std::mem::take(&mut letters), group));
            *word = letters.into_iter().map(|(letter, _)| letter).collect();
        }
    }
    (1..=8).for_each(|phrase| words = three_rounds(std::mem::take(&mut words), phrase));
    words.into_iter().map(|(_, word)| word).collect::<Vec<_>>().join(" ")
}

/// Leaves out the fourth and every further round of `period` items that are the same by their first halves.
fn three_rounds<K: PartialEq, T>(items: Vec<(K, T)>, period: usize) -> Vec<(K, T)> {
    let mut kept: Vec<(K, T)> = Vec::with_capacity(items.len());
    for item in items {
        kept.push(item);
        let newest = kept.len().saturating_sub(4 * period);
        let four = &kept[newest..];
        if four.len() == 4 * period && (period..four.len()).all(|i| four[i].0 == four[i - period].0) {
            // The newest round stays: its signs lead on to what comes next.
            let end = kept.len();
            kept.drain(end - 2 * period..end - period);
        }
    }
    kept
}

fn repeats<T: PartialEq>(items: &[T], period: usize, times: usize) -> bool {
    let mut same = 0;
    for i in period..items.len() {
        same = if items[i] == items[i - period] { same + 1 } else { 0 };
        if same >= period * (times - 1) {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case::speech("Закрыл день в минус двести долларов.", false)]
    #[case::emphasis("нет, нет, нет, только не это", false)]
    #[case::a_number("тысяча сто одиннадцать, 1111111", false)]
    #[case::one_word("стоп стоп стоп Стоп.", true)]
    #[case::a_phrase("и вот по плану, и вот по плану, и вот по плану, и вот по плану", true)]
    #[case::letters("ахахахахахахахахахах", true)]
    #[case::nothing("", false)]
    fn going_round(#[case] text: &str, #[case] expected: bool) {
        assert_eq!(loops(text), expected);
    }

    #[rstest]
    #[case::speech("Закрыл день в минус двести долларов.", "Закрыл день в минус двести долларов.")]
    #[case::what_comes_after(
        "Я не могу, не могу, не могу, не могу больше. Потерял все деньги",
        "Я не могу, не могу, не могу больше. Потерял все деньги"
    )]
    #[case::one_word("нет нет нет нет нет, по плану", "нет нет нет, по плану")]
    #[case::letters("ахахахахахахахахахах", "ахахах")]
    #[case::nothing("", "")]
    fn a_circle_is_cut_and_the_rest_stays(#[case] text: &str, #[case] expected: &str) {
        assert_eq!(straightened(text), expected);
    }

    #[test]
    fn a_log_line_cannot_spill_words() {
        let text = "секрет".to_owned();
        let segments = vec![Segment { start: 0.0, end: 1.0, text: text.clone(), no_speech: None, avg_logprob: None }];
        let shown = format!("{:?}", Transcript { text, language: Tongue::Ru, segments });
        assert!(!shown.contains("секрет"), "{shown}");
    }
}
