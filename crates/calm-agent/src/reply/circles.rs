//! Notices that a model goes in circles.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

/// The same sentence this often is a circle.
const SAME_SENTENCE: u8 = 3;
/// Shorter ones ("Yes.", "Breathe in.") may well come again.
const SHORTEST_SENTENCE: usize = 16;
const MOST_SENTENCES: usize = 4096;
/// A tail of this many letters that repeats one period at least four times.
const TAIL: usize = 240;
const WINDOW: usize = 480;
const EVERY: usize = 60;

/// Reads text letter by letter and keeps a few hundred bytes, and a number for each sentence.
#[derive(Debug, Default)]
pub struct Circles {
    sentences: HashMap<u64, u8>,
    sentence: DefaultHasher,
    /// Letters and digits of the sentence; case and punctuation do not count.
    letters: usize,
    window: Vec<char>,
    since_look: usize,
}

impl Circles {
    /// The byte of `text` behind which it has turned into a circle.
    pub fn read(&mut self, text: &str) -> Option<usize> {
        for (at, letter) in text.char_indices() {
            if self.sentence_ends(letter) || self.tail_turns(letter) {
                return Some(at + letter.len_utf8());
            }
        }
        None
    }

    fn sentence_ends(&mut self, letter: char) -> bool {
        if letter.is_alphanumeric() {
            letter.to_lowercase().for_each(|letter| letter.hash(&mut self.sentence));
            self.letters += 1;
            return false;
        }
        if !matches!(letter, '.' | '!' | '?' | '…' | '\n') {
            return false;
        }
        let sentence = std::mem::take(&mut self.sentence).finish();
        if std::mem::take(&mut self.letters) < SHORTEST_SENTENCE {
            return false;
        }
        if self.sentences.len() >= MOST_SENTENCES {
            self.sentences.clear();
        }
        let times = self.sentences.entry(sentence).or_default();
        *times += 1;
        *times >= SAME_SENTENCE
    }

    fn tail_turns(&mut self, letter: char) -> bool {
        self.window.push(letter);
        self.since_look += 1;
        if self.since_look < EVERY || self.window.len() < TAIL {
            return false;
        }
        self.since_look = 0;
        let from = self.window.len().saturating_sub(WINDOW);
        self.window.drain(..from);
        repeats(&self.window[self.window.len() - TAIL..])
    }
}

/// Whether all of `tail` is one period, at least four times.
fn repeats(tail: &[char]) -> bool {
    // The longest border of every prefix, as in Knuth, Morris and Pratt.
    let mut borders = vec![0; tail.len()];
    for at in 1..tail.len() {
        let mut border: usize = borders[at - 1];
        while border > 0 && tail[at] != tail[border] {
            border = borders[border - 1];
        }
        borders[at] = border + usize::from(tail[at] == tail[border]);
    }
    let period = tail.len() - borders.last().copied().unwrap_or(0);
    period * 4 <= tail.len()
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::sentence("Давай подышим вместе. ", 10)]
    #[case::words("да ну ", 200)]
    #[case::letters("а", 1000)]
    #[case::shouting("DON'T trade when tired! don’t trade when tired. ", 10)]
    fn a_circle_is_noticed_early(#[case] turn: &str, #[case] times: usize) {
        let text = turn.repeat(times);
        let end = Circles::default().read(&text).expect("it goes in circles");
        assert!(end < text.len() / 2 + 1, "{end} of {}", text.len());
        let mut by_letters = Circles::default();
        let letters = text
            .char_indices()
            .find_map(|(at, letter)| by_letters.read(letter.encode_utf8(&mut [0; 4])).map(|end| at + end));
        assert_eq!(letters, Some(end), "however it is cut");
    }

    #[test]
    fn a_refrain_is_no_circle() {
        let text = "Вдох. Выдох. Вдох. Выдох. Вдох. Выдох. Вдох. Выдох. Ещё раз вдох, медленно. И ещё раз.";
        assert_eq!(Circles::default().read(text), None);
        let twice = "Как ты сейчас себя чувствуешь? Понимаю. Как ты сейчас себя чувствуешь?";
        assert_eq!(Circles::default().read(twice), None);
    }
}
