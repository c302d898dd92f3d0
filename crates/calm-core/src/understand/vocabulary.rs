//! All words of a lexicon, for undoing slips: one letter wrong, missing, doubled or swapped, and
//! words spelt out with a space between the letters.
//!
//! A word that the lexicon knows is never touched, and short ones are too alike to be guessed at.

use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Letters a misspelt word and its model must have at least.
const LONG: usize = 7;
/// Endings that a stem may carry in a word spelt out letter by letter.
const ENDING: usize = 3;

#[derive(Default)]
pub struct Vocabulary {
    exact: BTreeSet<String>,
    stems: BTreeSet<String>,
    /// Neither corrected nor corrected to.
    left_exact: BTreeSet<String>,
    left_stems: BTreeSet<String>,
    /// Long words by their first letter, `true` for stems.
    long: HashMap<char, Vec<(Vec<char>, bool)>>,
}

impl Vocabulary {
    pub fn add(&mut self, word: &str, is_stem: bool) {
        let list = if is_stem { &mut self.stems } else { &mut self.exact };
        list.insert(word.to_owned());
    }

    /// A word that is to stay as it is.
    pub fn leave(&mut self, word: &str, is_stem: bool) {
        let list = if is_stem { &mut self.left_stems } else { &mut self.left_exact };
        list.insert(word.to_owned());
    }

    /// To be called once, when all words are in.
    pub fn sort(&mut self) {
        let all = self.exact.iter().map(|w| (w, false)).chain(self.stems.iter().map(|w| (w, true)));
        for (word, is_stem) in all {
            let letters: Vec<char> = word.chars().collect();
            if let Some(first) = letters.first().filter(|_| letters.len() >= LONG) {
                self.long.entry(*first).or_default().push((letters, is_stem));
            }
        }
    }

    fn knows(&self, word: &str) -> bool {
        self.exact.contains(word)
            || self.left_exact.contains(word)
            || prefixes(word).any(|p| self.stems.contains(p) || self.left_stems.contains(p))
    }

    /// The known word one slip away; `None` when it is known itself or nothing is that close.
    pub fn corrected(&self, word: &str) -> Option<String> {
        // Most words are short or known, and cost nothing more.
        if word.chars().nth(LONG - 2).is_none() || self.knows(word) {
            return None;
        }
        let letters: Vec<char> = word.chars().collect();
        let models = self.long.get(letters.first()?)?;
        models.iter().find_map(|(model, is_stem)| slip(&letters, model, *is_stem))
    }

    /// Word lengths that make known words of all the letters, the fewest words first.
    pub fn cut(&self, letters: &str) -> Option<Vec<usize>> {
        const LONGEST: usize = 80;
        let letters: Vec<char> = letters.chars().collect();
        if letters.len() > LONGEST {
            return None;
        }
        let mut best: BTreeMap<usize, Vec<usize>> = BTreeMap::from([(0, Vec::new())]);
        for end in 1..=letters.len() {
            let ways = (0..end).filter_map(|start| {
                let so_far = best.get(&start)?;
                let word: String = letters.get(start..end)?.iter().collect();
                self.is_word(&word).then(|| so_far.iter().copied().chain([end - start]).collect::<Vec<_>>())
            });
            if let Some(way) = ways.min_by_key(Vec::len) {
                best.insert(end, way);
            }
        }
        best.remove(&letters.len())
    }

    fn is_word(&self, word: &str) -> bool {
        let stem_of = |stem: &str| {
            stem.chars().count() >= 3
                && word.chars().count() <= stem.chars().count() + ENDING
                && self.stems.contains(stem)
        };
        self.exact.contains(word) || prefixes(word).any(stem_of)
    }
}

fn prefixes(word: &str) -> impl Iterator<Item = &str> {
    word.char_indices().map(|(at, c)| &word[..at + c.len_utf8()])
}

/// The model with the word's own ending, if one slip inside the model explains the word.
fn slip(word: &[char], model: &[char], is_stem: bool) -> Option<String> {
    let from = word.iter().zip(model).take_while(|(a, b)| a == b).count();
    // The end of an exact word is its inflection: another one is another word.
    let last = if is_stem { model.len() } else { model.len().saturating_sub(2) };
    // Prefixes differ by a letter and make other words: "пробежал" is no slip for "побежал".
    if from < 3 || from >= last {
        return None;
    }
    let rest = model.get(from..)?;
    let after = |skip: usize| word.get(from + skip..).unwrap_or(&[]);
    let ending = |tail: &[char], wanted: &[char]| -> Option<Vec<char>> {
        let fits = if is_stem { tail.starts_with(wanted) } else { tail == wanted };
        fits.then(|| tail.get(wanted.len()..).unwrap_or(&[]).to_vec())
    };
    let missing = || ending(after(0), rest.get(1..)?);
    let doubled = || ending(after(1), rest);
    let swapped = || {
        let turned = word.get(from) == rest.get(1) && word.get(from + 1) == rest.first();
        if turned { ending(after(2), rest.get(2..)?) } else { None }
    };
    let wrong = || ending(after(1), rest.get(1..)?);
    let tail = swapped().or_else(missing).or_else(doubled).or_else(wrong)?;
    Some(model.iter().chain(&tail).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    fn vocabulary() -> Vocabulary {
        let mut vocabulary = Vocabulary::default();
        vocabulary.add("спокойн", true);
        vocabulary.add("тревожн", true);
        vocabulary.add("готовность", false);
        for word in ["не", "хочу", "жить"] {
            vocabulary.add(word, false);
        }
        vocabulary.sort();
        vocabulary
    }

    #[rstest]
    #[case::missing("спокйно", Some("спокойно"))]
    #[case::doubled("спокоойно", Some("спокойно"))]
    #[case::swapped("спокйоно", Some("спокойно"))]
    #[case::wrong("спокуйная", Some("спокойная"))]
    #[case::prefixes_make_other_words("спакойная", None)]
    #[case::inside_an_exact_word("готовнсть", Some("готовность"))]
    #[case::the_ending_is_not_a_slip("готовностью", None)]
    #[case::known("спокойна", None)]
    #[case::two_slips("спакойяая", None)]
    #[case::another_first_letter("упокойно", None)]
    #[case::short("хчу", None)]
    fn one_slip_is_undone(#[case] word: &str, #[case] expected: Option<&str>) {
        assert_eq!(vocabulary().corrected(word).as_deref(), expected);
    }

    #[test]
    fn letters_are_cut_into_words() {
        assert_eq!(vocabulary().cut("нехочужить"), Some(vec![2, 4, 4]));
        assert_eq!(vocabulary().cut("нехочуыыы"), None);
    }
}
