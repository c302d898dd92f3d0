//! Everything that was said, by the user and by Calm, found again by its words (SPEC D3).
//!
//! Words are compared by their stems, so that an ending or a ё hides nothing. A crisis is found too: it is part of the
//! user's own record.

use std::ops::Range;
use std::time::Duration;

use calm_core::Kind;
use calm_prompts::stems;
use calm_store::{SessionId, TurnHit};
use jiff::Timestamp;
use serde::Serialize;

use crate::conductor::Conductor;
use crate::error::AppError;
use crate::knowledge::{telling_stem, telling_stems};

/// Of one search; the rest of a pasted page is not looked for.
const MOST_WORDS: usize = 32;
/// Characters of a snippet.
const LONGEST: usize = 160;
/// Of them before the first word that was looked for.
const BEFORE: usize = 40;
/// How long a search waits for what was said a moment ago. What takes longer is found by a later one.
const PATIENCE: Duration = Duration::from_millis(300);

/// A turn in which every word that was looked for was said.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Hit {
    pub session_id: SessionId,
    /// Of the turn; 1 is the first of the session.
    pub seq: u32,
    pub session_type: Kind,
    pub at: Timestamp,
    /// Who said what the snippet shows: whoever said more of the words.
    pub who: Who,
    /// One line of whole words around the first that was looked for; "…" where something is left out.
    pub snippet: String,
    /// Where the words stand in the snippet, in characters.
    pub marks: Vec<Range<usize>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Who {
    User,
    Calm,
}

impl Conductor {
    /// The best first, the newest first among equals; nothing where no word says anything ([`can_be_found`]).
    ///
    /// All words must be there, in any form; the last may be the beginning of one.
    pub fn search_history(&self, words: &str, limit: u32) -> Result<Vec<Hit>, AppError> {
        let wanted = wanted(words);
        if wanted.is_empty() {
            return Ok(Vec::new());
        }
        self.memory.learn(self.now());
        self.memory.settle(PATIENCE);
        let hits = self.store.search_turns(&wanted, limit, None)?;
        let wanted = Wanted::of(&wanted);
        Ok(hits.into_iter().map(|hit| shown(hit, &wanted)).collect())
    }
}

/// Whether any of the words says enough to be looked for.
pub fn can_be_found(words: &str) -> bool {
    telling_stems(words).next().is_some()
}

/// What a turn is found by.
pub(crate) fn stems_of(user: &str, reply: &str) -> String {
    telling_stems(user).chain(telling_stems(reply)).collect::<Vec<_>>().join(" ")
}

/// Each stem once, the last word's last.
fn wanted(words: &str) -> Vec<String> {
    let mut wanted: Vec<String> = Vec::new();
    for stem in telling_stems(words).take(MOST_WORDS) {
        wanted.retain(|other| *other != stem);
        wanted.push(stem);
    }
    wanted
}

fn shown(hit: TurnHit, wanted: &Wanted) -> Hit {
    let [user, reply] = [hit.user_text, hit.reply_text].map(|text| Said::of(&text, wanted));
    let (who, said) = if reply.different > user.different { (Who::Calm, reply) } else { (Who::User, user) };
    let (snippet, marks) = said.snippet();
    Hit { session_id: hit.session, seq: hit.seq, session_type: hit.kind, at: hit.at, who, snippet, marks }
}

/// The stems that are looked for, each cut where the index cuts it: "7,5" is a 7 and a 5 after it.
struct Wanted(Vec<Vec<String>>);

impl Wanted {
    fn of(stems: &[String]) -> Wanted {
        Wanted(stems.iter().map(|stem| pieces(stem).map(str::to_owned).collect()).collect())
    }

    /// Which of the stems a word with this one is.
    fn find(&self, stem: &str) -> Option<usize> {
        let there: Vec<&str> = pieces(stem).collect();
        let is = |at: usize, wanted: &[String]| {
            let prefix = at + 1 == self.0.len();
            there.windows(wanted.len()).any(|there| {
                let mut pairs = there.iter().zip(wanted).rev();
                let last = pairs.next().is_some_and(|(there, last)| there == last || prefix && there.starts_with(last));
                last && pairs.all(|(there, wanted)| there == wanted)
            })
        };
        self.0.iter().enumerate().position(|(at, wanted)| !wanted.is_empty() && is(at, wanted))
    }
}

fn pieces(stem: &str) -> impl Iterator<Item = &str> {
    stem.split(|c: char| !c.is_alphanumeric()).filter(|piece| !piece.is_empty())
}

/// A text on one line, its words, and which of them were looked for; places are in characters.
struct Said {
    text: Vec<char>,
    words: Vec<Range<usize>>,
    hits: Vec<Range<usize>>,
    /// How many different words of those looked for.
    different: usize,
}

impl Said {
    fn of(text: &str, wanted: &Wanted) -> Said {
        let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let places: Vec<usize> = line.char_indices().map(|(at, _)| at).collect();
        let place = |byte: usize| places.partition_point(|at| *at < byte);
        let mut said = Said { text: line.chars().collect(), words: Vec::new(), hits: Vec::new(), different: 0 };
        let mut seen = vec![false; wanted.0.len()];
        for word in stems::words(&line) {
            let at = place(word.start)..place(word.end);
            if let Some(which) = telling_stem(word.text).and_then(|stem| wanted.find(&stem)) {
                seen[which] = true;
                said.hits.push(at.clone());
            }
            said.words.push(at);
        }
        said.different = seen.iter().filter(|seen| **seen).count();
        said
    }

    fn snippet(&self) -> (String, Vec<Range<usize>>) {
        let all = self.text.len();
        let first = self.hits.first().cloned().unwrap_or(0..0);
        let from = match first.start.checked_sub(BEFORE) {
            None | Some(0) => 0,
            Some(earliest) => {
                self.words.iter().map(|word| word.start).find(|at| *at >= earliest).unwrap_or(first.start)
            }
        };
        let latest = from + LONGEST;
        let last = self.words.iter().map(|word| word.end).take_while(|end| *end <= latest).last();
        let to = match last {
            _ if all <= latest => all,
            Some(end) if end > first.start => end,
            // One word that fills it all.
            _ => latest,
        };
        let (left, right) = (from > 0, to < all);
        let mut snippet: String = self.text[from..to].iter().collect();
        if left {
            snippet.insert(0, '…');
        }
        if right {
            snippet.push('…');
        }
        let shifted = |at: usize| at.min(to) - from + usize::from(left);
        let inside = self.hits.iter().filter(|hit| hit.start < to);
        (snippet, inside.map(|hit| shifted(hit.start)..shifted(hit.end)).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    fn snippet(text: &str, words: &str) -> (String, Vec<String>) {
        let (snippet, marks) = Said::of(text, &Wanted::of(&wanted(words))).snippet();
        let chars: Vec<char> = snippet.chars().collect();
        let marked = marks.into_iter().map(|at| chars[at].iter().collect()).collect();
        (snippet, marked)
    }

    #[rstest]
    #[case("Двигал стоп, а потом Стопом же и закрыло", "стоп", &["стоп", "Стопом"])]
    #[case("ёлка, елки, ЁЛКОЙ", "ёлки", &["ёлка", "елки", "ЁЛКОЙ"])]
    #[case("I moved my stop — двигал стоп", "stops двигать", &["stop", "двигал"])]
    #[case("просадка была просто большая, проспал", "прос", &["просадка", "проспал"])]
    #[case("прострация и план", "прос план", &["план"])]
    #[case("спал 7,5 часов, готов на 75", "7,5", &["7,5"])]
    #[case("at nine o'clock", "clock", &["o'clock"])]
    #[case("🙂 стоп 🙂", "стоп", &["стоп"])]
    #[case("ничего такого", "стоп", &[])]
    #[case("", "стоп", &[])]
    fn marks_are_the_words_that_were_looked_for(#[case] text: &str, #[case] words: &str, #[case] expected: &[&str]) {
        let (snippet, marked) = snippet(text, words);
        assert_eq!(snippet, text);
        assert_eq!(marked, expected);
    }

    #[test]
    fn a_long_text_is_cut_between_words() {
        let text = format!("{}двигал\n\nстоп, {}", "раз два три ".repeat(40), "четыре пять ".repeat(40));
        let (snippet, marked) = snippet(&text, "стоп двигать");
        assert_eq!(marked, ["двигал", "стоп"]);
        let before = "…три раз два три раз два три раз два три двигал стоп, четыре";
        assert!(snippet.starts_with(before) && snippet.ends_with(" пять…"), "{snippet}");
        assert!((LONGEST - 10..=LONGEST + 2).contains(&snippet.chars().count()), "{snippet}");
    }

    #[test]
    fn a_word_without_end_is_cut() {
        let (snippet, marked) = snippet(&format!("{} стоп", "а".repeat(5000)), "аааа");
        assert_eq!((snippet.chars().count(), marked.len()), (LONGEST + 1, 1));
    }

    #[rstest]
    #[case("и не на что", false)]
    #[case("the and of", false)]
    #[case("  «—»*\" ", false)]
    #[case("", false)]
    #[case("боюсь", true)]
    #[case("и стоп", true)]
    #[case("ES", true)]
    fn words_that_can_be_found(#[case] words: &str, #[case] expected: bool) {
        assert_eq!(can_be_found(words), expected);
    }

    #[test]
    fn each_word_is_looked_for_once_and_the_last_stays_the_last() {
        assert_eq!(wanted("стоп план СТОПОМ"), ["план", "стоп"]);
        assert_eq!(wanted(&"слово ".repeat(1000)).len(), 1);
        let many: Vec<String> = (0..1000).map(|n| format!("w{n}")).collect();
        assert_eq!(wanted(&many.join(" ")).len(), MOST_WORDS);
    }
}
