//! Token by token: what is taken, when it ends, and how good it is. Knows no graph.

use super::vocabulary::{END_OF_TEXT, Token};
use crate::asr::{AsrError, loops, straightened};

/// Nobody says more in a second than this many tokens; what goes past it is a loop.
const TOKENS_PER_SECOND: f32 = 12.0;
const TOKENS_MARGIN: f32 = 14.0;
/// The decoder's page is 448 tokens long, and half of it is for the hint.
const LONGEST: usize = 220;
/// Mean log-probability of a token below which a text is a guess (Whisper's own figure).
const LIKELY: f32 = -1.0;
/// Chance, but the same each time: a recording that is heard again gives the same words.
const SEED: u64 = 0x0043_616c_6d00;

/// How to write.
#[derive(Clone, Copy)]
pub struct Pen {
    /// Whether the vocabulary hint goes before.
    pub hint: bool,
    /// 0 takes the likeliest token each time.
    pub temperature: f32,
}

/// One attempt at the words.
pub struct Draft {
    text: String,
    /// Mean natural logarithm of the probabilities of its tokens and its end.
    mean_log_probability: f32,
    /// It had come to an end by itself.
    finished: bool,
}

impl Draft {
    /// Likely, finished, and not going round in circles.
    pub fn convinces(&self) -> bool {
        self.is_likely() && self.finished && !self.goes_round()
    }

    pub fn mean_log_probability(&self) -> f32 {
        self.mean_log_probability
    }

    pub fn is_likely(&self) -> bool {
        self.mean_log_probability >= LIKELY
    }

    pub fn goes_round(&self) -> bool {
        loops(&self.text)
    }

    /// Words that go nowhere are worse than unlikely ones.
    pub fn better_than(&self, other: &Self) -> bool {
        let sound = |draft: &Self| draft.finished && !draft.goes_round();
        match (sound(self), sound(other)) {
            (true, false) => true,
            (false, true) => false,
            _ => self.mean_log_probability > other.mean_log_probability,
        }
    }

    /// The text, its circles cut short.
    pub fn words(self) -> String {
        if self.goes_round() { straightened(&self.text) } else { self.text }
    }
}

/// Writes until the end of the text, or until there are more tokens than can be said in `seconds`.
///
/// `step` takes tokens and gives the logits of the next; `allow` takes away what may not come (first: as the first token).
pub fn write(
    prompt: &[Token],
    seconds: f32,
    temperature: f32,
    mut step: impl FnMut(&[Token], &mut Vec<f32>) -> Result<(), AsrError>,
    allow: impl Fn(&mut [f32], bool),
    text: impl Fn(&[Token]) -> String,
) -> Result<Draft, AsrError> {
    let most = ((seconds * TOKENS_PER_SECOND + TOKENS_MARGIN) as usize).min(LONGEST);
    let mut chance = fastrand::Rng::with_seed(SEED);
    let mut tokens = Vec::new();
    let mut log_probability = 0.0;
    let mut logits = Vec::new();
    step(prompt, &mut logits)?;
    let finished = loop {
        allow(&mut logits, tokens.is_empty());
        let token = choose(&logits, temperature, &mut chance);
        log_probability += probability(&logits, token).max(f32::MIN_POSITIVE).ln();
        if token == END_OF_TEXT {
            break true;
        }
        tokens.push(token);
        if tokens.len() >= most {
            break false;
        }
        step(&[token], &mut logits)?;
    };
    let counted = tokens.len() + usize::from(finished);
    Ok(Draft { text: text(&tokens), mean_log_probability: log_probability / counted as f32, finished })
}

/// Softmax of `logits` at `token`.
pub fn probability(logits: &[f32], token: Token) -> f32 {
    let most = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let sum: f32 = logits.iter().map(|logit| (logit - most).exp()).sum();
    logits.get(token as usize).map_or(0.0, |logit| (logit - most).exp() / sum)
}

fn choose(logits: &[f32], temperature: f32, chance: &mut fastrand::Rng) -> Token {
    let likeliest = (0..).zip(logits).max_by(|a, b| a.1.total_cmp(b.1)).map_or(END_OF_TEXT, |(token, _)| token);
    if temperature <= 0.0 {
        return likeliest;
    }
    let most = logits[likeliest as usize];
    let weight = |logit: &f32| ((logit - most) / temperature).exp();
    let mut left = chance.f32() * logits.iter().map(weight).sum::<f32>();
    for (token, logit) in (0..).zip(logits) {
        left -= weight(logit);
        if left < 0.0 {
            return token;
        }
    }
    likeliest
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALPHABET: usize = END_OF_TEXT as usize + 1;

    /// A decoder that says `tokens` and then ends, `sure` above everything else.
    fn said(tokens: &[Token], sure: f32, temperature: f32, seconds: f32) -> Draft {
        let mut at = 0;
        let step = |_: &[Token], next: &mut Vec<f32>| {
            next.clear();
            next.resize(ALPHABET, 0.0);
            next[tokens.get(at).copied().unwrap_or(END_OF_TEXT) as usize] = sure;
            at += 1;
            Ok(())
        };
        let text = |tokens: &[Token]| tokens.iter().map(|t| format!("слово{t}")).collect::<Vec<_>>().join(" ");
        write(&[1], seconds, temperature, step, |_, _| {}, text).expect("written")
    }

    #[test]
    fn what_is_sure_and_ends_convinces() {
        let draft = said(&[1, 2, 3], 20.0, 0.0, 3.0);
        assert!(draft.convinces());
        assert_eq!(draft.words(), "слово1 слово2 слово3");
    }

    #[test]
    fn a_guess_does_not() {
        let draft = said(&[1, 2, 3], 9.0, 0.0, 3.0);
        assert!(!draft.is_likely() && !draft.convinces());
        assert!(said(&[1, 2, 3], 20.0, 0.0, 3.0).better_than(&draft));
    }

    #[test]
    fn circles_end_after_three_rounds() {
        let draft = said(&[5; 500], 20.0, 0.0, 2.0);
        assert!(draft.is_likely() && !draft.convinces());
        assert!(said(&[1, 2], 9.0, 0.0, 2.0).better_than(&draft), "a guess is better than a circle");
        assert_eq!(draft.words(), "слово5 слово5 слово5");
    }

    #[test]
    fn chance_is_the_same_each_time() {
        let [one, two] = [(), ()].map(|()| said(&[1, 2, 3, 4, 5], 8.0, 0.8, 3.0).words());
        assert_eq!(one, two);
        assert_ne!(one, said(&[1, 2, 3, 4, 5], 8.0, 0.0, 3.0).words(), "and chance it is");
    }

    #[test]
    fn probabilities_add_up() {
        let logits = [1.0, 2.0, f32::NEG_INFINITY, -3.0];
        let sum: f32 = (0..4).map(|token| probability(&logits, token)).sum();
        assert!((sum - 1.0).abs() < 1e-6);
        assert_eq!(probability(&logits, 2), 0.0);
    }
}
