//! Hints of a crisis that no pattern knows: a small linear model of pieces of words.
//!
//! It speaks only where the patterns are silent, and what takes a pattern's hit back takes back
//! a hint. Where the weights come from, and what they are worth: `hints/CARD.md`.

use std::ops::Range;
use std::sync::LazyLock;

use super::lexicon::Lexicon;
use super::scope::Scene;
use super::tokens::{Token, Tokens};
use super::{Distress, Intent, Reading, Said, Sign, spoken_language};
use crate::lang::Lang;
use crate::linear::{self, Feature, Magic, Weights, features};

mod cleared;

/// In the order in which their weights are written.
pub const KINDS: [Distress; 3] = [Distress::SelfHarm, Distress::Ruin, Distress::Panic];
pub const MAGIC: Magic = *b"calmhnt1";

type Model = Weights<'static, { KINDS.len() }>;

static WEIGHTS: &[u8] = include_bytes!("../../hints/weights.bin");
static MODEL: LazyLock<Option<Model>> = LazyLock::new(|| Weights::read(WEIGHTS, &MAGIC));

/// Logits from which a hint counts, per language: chosen in cross-validation (`hints/CARD.md`).
const THRESHOLD_RU: f32 = 1.8;
const THRESHOLD_EN: f32 = 1.6;
/// So much more where the talk is plainly of something else: a question, a plan to win it back.
const ELSEWHERE: f32 = 1.0;

/// Words in a window: an aside hides in a ramble, and is no longer than this.
const WINDOW: usize = 40;
/// Fewer words say too little by themselves.
const FEWEST_WORDS: usize = 4;

/// What a window of the text sounds like.
#[derive(Debug, Clone, PartialEq)]
pub struct Hint {
    pub kind: Distress,
    /// Any distress against none, in logits.
    pub score: f32,
    /// Token positions.
    at: Range<usize>,
}

/// The kind and the score of the strongest window, if it is above the threshold.
pub fn hint_of(text: &str) -> Option<(Distress, f32)> {
    strongest(text).filter(|hint| hint.score >= threshold(text)).map(|hint| (hint.kind, hint.score))
}

/// The strongest window, however weak; `None` where there are no words.
pub fn strongest(text: &str) -> Option<Hint> {
    let heard = Heard::of(text)?;
    heard.hints().into_iter().max_by(|a, b| a.score.total_cmp(&b.score))
}

/// In logits, by the letters of the text.
pub fn threshold(text: &str) -> f32 {
    if is_russian(text) { THRESHOLD_RU } else { THRESHOLD_EN }
}

/// What a hint has to reach in a text of which this was read.
pub fn demand(text: &str, said: &Said) -> f32 {
    use Intent::{AsksAdvice, AsksCalculation, AsksCalendar, AsksHistory, AsksHuman, AsksInstructions, WantsReminder};
    let asks = [AsksAdvice, AsksCalculation, AsksCalendar, AsksHistory, AsksHuman, AsksInstructions, WantsReminder];
    let heated = [Sign::Revenge, Sign::Overconfidence, Sign::WantsMore];
    let elsewhere = asks.iter().any(|i| said.intends(*i)) || heated.iter().any(|s| said.shows(*s));
    threshold(text) + if elsewhere { ELSEWHERE } else { 0.0 }
}

/// Whether the text is judged as Russian: by its letters alone.
pub fn is_russian(text: &str) -> bool {
    spoken_language(text, Lang::En) == Lang::Ru
}

pub fn likeliest(logits: &[f32; KINDS.len()]) -> Distress {
    KINDS.get(linear::likeliest(logits)).copied().unwrap_or(Distress::SelfHarm)
}

/// The features of each window, as the training sees them.
pub fn windows(text: &str) -> Vec<Vec<Feature>> {
    let tokens = cut(text);
    ranges(&tokens).into_iter().map(|at| features::of(&words(&tokens, at))).collect()
}

/// A hint above the threshold that nothing in the text takes back, in the words of its sentence.
pub(super) fn distress(text: &str, said: &Said) -> Option<Reading<Distress>> {
    let heard = Heard::of(text)?;
    let enough = demand(text, said);
    let mut hints = heard.hints();
    hints.retain(|hint| hint.score >= enough);
    if hints.is_empty() {
        return None;
    }
    hints.sort_by(|a, b| b.score.total_cmp(&a.score));
    // The lexicon is asked only about the few texts that come this far.
    let lang = spoken_language(text, Lang::En);
    let taken_back = cleared::tokens(&Scene::of(text, lang), text);
    let stands = |hint: &&Hint| {
        let left: Vec<usize> = hint.at.clone().filter(|i| !taken_back.contains(i)).collect();
        left.len() == hint.at.len()
            || left.len() >= FEWEST_WORDS && heard.judge(hint.at.clone(), left.into_iter()).score >= enough
    };
    let hint = hints.iter().find(stands)?;
    Some(Reading { value: hint.kind, words: heard.tokens.words(heard.sentence_of(hint)).to_owned() })
}

/// A text and the model that listens to it.
struct Heard<'t> {
    tokens: Tokens<'t>,
    is_russian: bool,
    model: &'static Model,
}

impl<'t> Heard<'t> {
    fn of(text: &'t str) -> Option<Heard<'t>> {
        Some(Heard { tokens: cut(text), is_russian: is_russian(text), model: MODEL.as_ref()? })
    }

    fn hints(&self) -> Vec<Hint> {
        ranges(&self.tokens).into_iter().map(|at| self.judge(at.clone(), at)).collect()
    }

    fn judge(&self, at: Range<usize>, tokens: impl Iterator<Item = usize>) -> Hint {
        let logits = self.model.logits(&features::of(&words(&self.tokens, tokens)), self.is_russian);
        Hint { kind: likeliest(&logits), score: linear::score(&logits), at }
    }

    /// The sentence of the window that says most of it.
    fn sentence_of(&self, hint: &Hint) -> Range<usize> {
        let sentences = sentences(&self.tokens, hint.at.clone()).into_iter();
        let judged = sentences.map(|at| (self.judge(at.clone(), at.clone()).score, at));
        judged.max_by(|a, b| a.0.total_cmp(&b.0)).map_or(hint.at.clone(), |(_, at)| at)
    }
}

fn cut(text: &str) -> Tokens<'_> {
    let mut tokens = Tokens::of(text);
    let lexicon = Lexicon::of(spoken_language(text, Lang::En));
    tokens.join_spelled(|letters| lexicon.cut(letters));
    tokens
}

fn words<'t>(tokens: &'t Tokens<'_>, at: impl Iterator<Item = usize>) -> Vec<&'t str> {
    at.filter_map(|i| tokens.get(i)).map(word_of).collect()
}

/// Amounts differ, and the difference says nothing.
fn word_of(token: &Token) -> &str {
    if token.is_digits() { "0" } else { &token.norm }
}

/// All of a short text; of a long one overlapping windows and every sentence. The number grows
/// with the text and no faster, whatever its punctuation.
fn ranges(tokens: &Tokens<'_>) -> Vec<Range<usize>> {
    let all = tokens.len();
    if all == 0 {
        return Vec::new();
    }
    if all <= WINDOW {
        let whole = 0..all;
        return vec![whole];
    }
    let steps = (0..all - WINDOW / 2).step_by(WINDOW / 2);
    let mut ranges: Vec<Range<usize>> = steps.map(|start| start..(start + WINDOW).min(all)).collect();
    ranges.extend(sentences(tokens, 0..all).into_iter().filter(|s| (FEWEST_WORDS..=WINDOW).contains(&s.len())));
    ranges
}

fn sentences(tokens: &Tokens<'_>, within: Range<usize>) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut start = within.start;
    while start < within.end {
        let end = tokens.sentence_end(start).min(within.end).max(start + 1);
        found.push(start..end);
        start = end;
    }
    found
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;
    use crate::understand::read;

    #[test]
    fn the_committed_weights_are_read() {
        assert!(MODEL.is_some());
    }

    #[test]
    fn a_text_without_words_is_no_hint() {
        assert_eq!(strongest("…!"), None);
        assert_eq!(hint_of(""), None);
    }

    /// No pattern knows these.
    #[rstest]
    #[case("кота отдал в хорошие руки, теперь меня вообще ничего не держит", Lang::Ru, Some(Distress::SelfHarm))]
    #[case(
        "envelope with the account passwords has her name on, to be opened after",
        Lang::En,
        Some(Distress::SelfHarm)
    )]
    #[case("закрываю все позиции перед выходными, как обычно", Lang::Ru, None)]
    #[case("closing all positions before the weekend as usual", Lang::En, None)]
    fn what_no_pattern_knows(#[case] text: &str, #[case] lang: Lang, #[case] expected: Option<Distress>) {
        assert_eq!(read(text, lang, None).distress.map(|d| d.value), expected);
    }

    /// The aside is found in the ramble, and it alone is quoted.
    #[test]
    fn an_aside_in_a_ramble() {
        let talk =
            "Утром смотрел открытие, вошёл от уровня, вышел по тейку. Потом обедал, читал новости, ждал данных. ";
        let text = format!("{0}{0}Кота отдал в хорошие руки, теперь меня вообще ничего не держит. {0}{0}", talk);
        let said = read(&text, Lang::Ru, None).distress;
        assert!(said.is_some_and(|d| d.words.contains("Кота") && !d.words.contains("обедал")));
    }

    #[test]
    fn windows_grow_with_the_text_and_no_faster() {
        let text = "а. ".repeat(4000);
        assert!(windows(&text).len() <= 4000 / (WINDOW / 2) + 1);
    }
}
