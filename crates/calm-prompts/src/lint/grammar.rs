//! The small words that decide whether a sentence asks for something, forbids it, or only mentions it
//! (`lint/*/grammar.toml`), in both languages at once: Russian prompts quote English and the other way round.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::LazyLock;

use super::context::{Governor, governor_of_end};
use super::pattern::{ByKey, Keys, Lists, Pattern, Vocabulary, key_of};
use super::tokens::Tokens;
use crate::stems::normal;

/// What a heading or a lead-in makes of the lines below it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Frame {
    Open,
    Forbids,
    /// Forbids words, not deeds.
    ForbidsWords,
    /// Gives words to say.
    Says,
}

impl Frame {
    pub fn forbids(self) -> bool {
        matches!(self, Frame::Forbids | Frame::ForbidsWords)
    }
}

pub struct Grammar {
    pub lists: Lists,
    pub negation: Words,
    /// Negations that reach no further than the words right after them ("без", "no").
    pub near_negation: Words,
    /// Verbs that forbid as orders and say nothing elsewhere ("stop explaining", "you will stop").
    pub banning_order: Words,
    /// Negations that only strengthen: "не только", "don't forget to".
    void: Vec<Pattern>,
    /// Verbs whose negation says nothing about what follows: "не спеши", "don't worry".
    pub elsewhere: Words,
    imperative: Words,
    not_imperative: Words,
    not_finite: Words,
    pub latin_imperative: Words,
    pub say: Words,
    pub use_word: Words,
    /// Verbs that forbid a word only where the word is quoted: "не используй «конечно»".
    pub use_thing: Words,
    pub word_noun: Words,
    pub plural_noun: Words,
    pub such_as: Words,
    /// Words with which no forbidden term begins ("о", "that").
    pub not_a_term: Words,
    pub markdown: Words,
    pub contrast: Words,
    pub conditional: Words,
    /// "что", "that": the clause belongs to the verb before it.
    pub subordinate: Words,
    pub subject: Words,
    pub first_person: Words,
    pub third_party: Words,
    pub asking: Words,
    pub joining: Words,
    pub alternative: Words,
    filler: Words,
    not_filler: Words,
    /// "… запрещено", "… is off limits".
    after: Vec<Pattern>,
    /// "… не говори": bans of the words quoted before.
    pub bans_before: Vec<Pattern>,
    allowing: Vec<Pattern>,
    saying: Vec<Pattern>,
    forbidding: Vec<Pattern>,
}

static SHARED: LazyLock<Grammar> = LazyLock::new(|| {
    let mut lists = Lists::new();
    for source in [include_str!("../../lint/ru/grammar.toml"), include_str!("../../lint/en/grammar.toml")] {
        // Part of the program, and a test reads it.
        let one: Lists = toml::from_str(source).expect("the embedded grammar is valid");
        for (name, words) in one {
            lists.entry(name).or_default().extend(words);
        }
    }
    Grammar::of(lists)
});

impl Grammar {
    pub fn shared() -> &'static Grammar {
        &SHARED
    }

    fn of(lists: Lists) -> Grammar {
        let words = |name: &str| Words::of(lists.get(name).map_or(&[][..], Vec::as_slice));
        let vocabulary = Vocabulary::of(lists.clone());
        let patterns = |name: &str| -> Vec<Pattern> {
            let lines = lists.get(name).map_or(&[][..], Vec::as_slice);
            lines.iter().map(|line| Pattern::parse(line, &vocabulary).expect("the embedded grammar is valid")).collect()
        };
        Grammar {
            negation: words("negation"),
            near_negation: words("near_negation"),
            banning_order: words("banning_order"),
            void: patterns("void"),
            elsewhere: words("elsewhere"),
            imperative: words("imperative"),
            not_imperative: words("not_imperative"),
            not_finite: words("not_finite"),
            latin_imperative: words("latin_imperative"),
            say: words("say"),
            use_word: words("use_word"),
            use_thing: words("use_thing"),
            word_noun: words("word_noun"),
            plural_noun: words("plural_noun"),
            such_as: words("such_as"),
            not_a_term: words("not_a_term"),
            markdown: words("markdown"),
            contrast: words("contrast"),
            conditional: words("conditional"),
            subordinate: words("subordinate"),
            subject: words("subject"),
            first_person: words("first_person"),
            third_party: words("third_party"),
            asking: words("asking"),
            joining: words("joining"),
            alternative: words("alternative"),
            filler: words("filler"),
            not_filler: words("not_filler"),
            after: patterns("after"),
            bans_before: patterns("bans_before"),
            allowing: patterns("allowing"),
            saying: patterns("saying"),
            forbidding: patterns("forbidding"),
            lists,
        }
    }

    /// Words that may stand inside "ты — … бот" without changing what is said.
    pub fn is_filler(&self, norm: &str) -> bool {
        if norm.is_empty() || self.filler.has(norm) {
            return true;
        }
        if norm.is_ascii() {
            return !norm.ends_with("ing") && !self.not_filler.has(norm) && !self.negation.has(norm);
        }
        norm.chars().count() > 4 && ADJECTIVE.iter().any(|ending| norm.ends_with(ending))
    }

    /// "скажи", "обещай", "рекомендуй": Russian only, English verbs do not show it.
    pub fn is_imperative(&self, norm: &str) -> bool {
        let stem = norm.strip_suffix("те").unwrap_or(norm);
        let stem = stem.strip_suffix("ся").or_else(|| stem.strip_suffix("сь")).unwrap_or(stem);
        if self.imperative.has(norm) || self.imperative.has(stem) {
            return true;
        }
        let ending = ["ай", "яй", "уй", "юй"].iter().any(|ending| stem.ends_with(ending));
        ending && stem.chars().count() > 3 && !self.not_imperative.has(stem)
    }

    /// "лечит", "ставишь": Russian verbs that begin a statement of their own after "и".
    pub fn is_finite(&self, norm: &str) -> bool {
        let stem = norm.strip_suffix("ся").unwrap_or(norm);
        let ending = ["ешь", "ишь", "ет", "ит", "ют", "ут", "ят", "ат"].iter().any(|ending| stem.ends_with(ending));
        ending && stem.chars().count() > 3 && !self.not_finite.has(norm)
    }

    /// "ставь", "ставим", "ставишь".
    fn is_order_or_habit(&self, norm: &str) -> bool {
        self.is_imperative(norm) || ["ем", "им", "ешь", "ишь"].iter().any(|ending| norm.ends_with(ending))
    }

    pub fn is_void(&self, tokens: &Tokens, at: usize) -> bool {
        self.void.iter().any(|pattern| pattern.find_at(tokens, at, |norm| self.is_filler(norm)).is_some())
    }

    pub fn is_heading_of_bans(&self, tokens: &Tokens, words: Range<usize>) -> bool {
        self.forbidding.iter().any(|pattern| pattern.is_in(tokens, words.clone(), |norm| self.is_filler(norm)))
    }

    /// "… нельзя" right after `end`.
    pub fn is_forbidden_after(&self, tokens: &Tokens, end: usize) -> bool {
        let filler = |norm: &str| self.is_filler(norm);
        let goes_on = |at: &usize| {
            let opener = tokens.norm(*at);
            let new_clause = tokens.gap(*at).is_pause() && self.subject.has(opener);
            tokens.same_sentence(end - 1, *at) && !new_clause && !self.contrast.has(opener)
        };
        // "диагнозы не ставь": the verb behind the word is negated, with nothing else in between.
        let negated = |at: usize| {
            let joined = at == end && !tokens.gap(at).is_pause();
            joined && matches!(tokens.norm(at), "не" | "никогда") && self.is_order_or_habit(tokens.norm(at + 1))
        };
        end > 0
            && (end..end + 3)
                .take_while(goes_on)
                .any(|at| negated(at) || self.after.iter().any(|pattern| pattern.find_at(tokens, at, filler).is_some()))
    }

    pub fn frame_of_heading(&self, tokens: &Tokens, words: Range<usize>) -> Option<Frame> {
        self.frame_of(tokens, words, true)
    }

    pub fn frame_of_lead_in(&self, tokens: &Tokens, words: Range<usize>) -> Option<Frame> {
        self.frame_of(tokens, words, false)
    }

    fn frame_of(&self, tokens: &Tokens, words: Range<usize>, heading: bool) -> Option<Frame> {
        let start = words.clone().rev().take_while(|i| tokens.same_sentence(*i, words.end - 1)).last()?;
        let words = start..words.end;
        let any = |patterns: &[Pattern]| {
            patterns.iter().any(|pattern| pattern.is_in(tokens, words.clone(), |norm| self.is_filler(norm)))
        };
        let names_words =
            words.clone().any(|i| self.word_noun.has(tokens.norm(i)) || self.use_word.has(tokens.norm(i)));
        if any(&self.allowing) {
            return Some(Frame::Open);
        }
        let forbidden = governor_of_end(self, tokens, words.clone()) == Governor::Forbidden;
        if forbidden || any(&self.forbidding) {
            return Some(if names_words { Frame::ForbidsWords } else { Frame::Forbids });
        }
        let says = any(&self.saying) || !heading && words.clone().any(|i| self.say.has(tokens.norm(i)));
        says.then_some(Frame::Says)
    }

    pub fn frame_of_tag(&self, name: &str) -> Option<Frame> {
        let parts: Vec<&str> = name.split(['_', '-']).collect();
        let any = |list: &Words| parts.iter().any(|part| list.has(part));
        let forbids = any(&self.negation) || name.contains("boundar");
        forbids.then(|| if any(&self.word_noun) { Frame::ForbidsWords } else { Frame::Forbids })
    }
}

const ADJECTIVE: [&str; 20] = [
    "ых", "ыми", "ими", "ою", "ый", "ий", "ой", "ая", "яя", "ое", "ее", "ые", "ие", "ого", "его", "ому", "ему", "ым",
    "им", "ую",
];

/// A set of words, some of them open at the end ("запрещ*").
#[derive(Debug, Default)]
pub struct Words {
    exact: HashSet<String>,
    prefixes: ByKey<Vec<String>>,
    keys: Keys,
}

impl Words {
    pub fn of(entries: &[String]) -> Words {
        let mut words = Words::default();
        for entry in entries {
            match entry.strip_suffix('*') {
                Some(stem) => {
                    let stem = normal(stem);
                    if let Some(key) = key_of(&stem) {
                        words.keys.add(key);
                        words.prefixes.entry(key).or_default().push(stem);
                    }
                }
                None => {
                    let word = normal(entry);
                    if let Some(key) = key_of(&word) {
                        words.keys.add(key);
                    }
                    words.exact.insert(word);
                }
            }
        }
        words
    }

    pub fn has(&self, norm: &str) -> bool {
        let Some(key) = key_of(norm).filter(|key| self.keys.may_hold(*key)) else { return false };
        self.exact.contains(norm)
            || self.prefixes.get(&key).is_some_and(|stems| stems.iter().any(|stem| norm.starts_with(stem.as_str())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("скажи", true)]
    #[case("рекомендуй", true)]
    #[case("обещайте", true)]
    #[case("случай", false)]
    #[case("лечит", false)]
    fn imperatives(#[case] word: &str, #[case] expected: bool) {
        assert_eq!(Grammar::shared().is_imperative(word), expected);
    }

    #[rstest]
    #[case("лечит", true)]
    #[case("ставишь", true)]
    #[case("совет", false)]
    #[case("лимит", false)]
    fn finite_verbs(#[case] word: &str, #[case] expected: bool) {
        assert_eq!(Grammar::shared().is_finite(word), expected);
    }
}
