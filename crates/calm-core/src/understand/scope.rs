//! Whose it is, whether it is denied, when it was and how strong: what turns a hit into a statement.

use std::ops::Range;

use super::Strength;
use super::lexicon::{Hit, Lexicon};
use super::numbers::{Number, numbers};
use super::tokens::Tokens;
use crate::lang::Lang;

/// How far back a subject or a time word still counts when nobody paused.
const REACH: usize = 12;

/// One utterance with everything that the lexicon found in it.
pub struct Scene<'t> {
    pub tokens: Tokens<'t>,
    pub lexicon: &'static Lexicon,
    pub hits: Vec<Hit<'static>>,
    pub numbers: Vec<Number>,
}

impl<'t> Scene<'t> {
    pub fn of(text: &'t str, lang: Lang) -> Scene<'t> {
        let lexicon = Lexicon::of(lang);
        let mut tokens = Tokens::of(text);
        tokens.open_clauses(|word| lexicon.has_word("grammar", "clause", word));
        let hits = lexicon.scan(&tokens);
        let numbers = numbers(&tokens, lexicon);
        Scene { tokens, lexicon, hits, numbers }
    }

    pub fn hits<'s>(&'s self, section: &'s str) -> impl DoubleEndedIterator<Item = &'s Hit<'static>> {
        self.hits.iter().filter(move |h| h.section == section)
    }

    /// Hits that the speaker states about themselves, here and in earnest.
    pub fn stated<'s>(&'s self, section: &'s str) -> impl DoubleEndedIterator<Item = &'s Hit<'static>> {
        self.hits(section).filter(|h| self.is_stated(h))
    }

    pub fn is_stated(&self, hit: &Hit<'_>) -> bool {
        !self.negated(hit) && !self.of_another(&hit.at) && !self.supposed(&hit.at)
    }

    pub fn words(&self, at: &Range<usize>) -> String {
        self.tokens.words(at.clone()).to_owned()
    }

    fn is(&self, name: &str, at: usize) -> bool {
        self.lexicon.has_word("grammar", name, self.tokens.norm(at))
    }

    /// Positions before `at` in its clause, nearest first.
    fn before(&self, at: usize) -> impl Iterator<Item = usize> {
        (0..at).rev().take(REACH).take_while(move |i| self.tokens.same_clause(*i, at))
    }

    /// "Не злюсь", "не то чтобы злюсь", "тревоги нет", "without fear", "план совсем не соблюдал".
    pub fn negated(&self, hit: &Hit<'_>) -> bool {
        let at = &hit.at;
        let bridged = self
            .before(at.start)
            .take(4)
            .find(|i| !self.is("negation_bridge", *i))
            .is_some_and(|i| self.is("negation", i));
        let next = at.end;
        let after = self.tokens.same_clause(at.start, next) && self.is("negation_after", next);
        bridged || after || hit.skipped.iter().any(|i| self.is("negation", *i))
    }

    /// "Друг слил депозит": somebody else is the nearest subject before it.
    pub fn of_another(&self, at: &Range<usize>) -> bool {
        let own_verb = at.clone().any(|i| {
            let word = self.tokens.norm(i);
            word.ends_with("юсь") || word.ends_with("усь") || self.is("own", i)
        });
        if own_verb || at.clone().any(|i| self.is("first_person", i)) {
            return false;
        }
        for i in self.before(at.start) {
            if self.is("first_person", i) {
                return false;
            }
            if self.is("other_people", i) {
                return true;
            }
        }
        self.hits("others").any(|h| h.at.end <= at.start && self.tokens.same_clause(h.at.start, at.start))
    }

    /// "Если солью", "боюсь потерять".
    pub fn supposed(&self, at: &Range<usize>) -> bool {
        self.before(at.start).any(|i| self.is("supposing", i))
    }

    /// Yesterday or earlier, by the nearest word of time in the clause.
    pub fn past(&self, at: &Range<usize>) -> bool {
        self.past_word(at).is_some()
    }

    /// The word that puts it into the past.
    pub fn past_word(&self, at: &Range<usize>) -> Option<usize> {
        let time_of = |i: usize| {
            if self.is("past", i) { Some(Some(i)) } else { self.is("today", i).then_some(None) }
        };
        let inside = at.clone().find_map(time_of);
        let back = || self.before(at.start).find_map(time_of);
        let clause = self.tokens.clause_range(at.start);
        let ahead = || (at.end..clause.end).take(REACH).find_map(time_of);
        inside.or_else(back).or_else(ahead).flatten()
    }

    pub fn strength(&self, at: &Range<usize>) -> Strength {
        let near = |name: &str| self.before(at.start).take(3).any(|i| self.is(name, i));
        if near("mild") {
            Strength::Mild
        } else if near("strong") {
            Strength::Strong
        } else {
            Strength::Plain
        }
    }

    /// Whether a word of a grammar entry stands in the clause before `at`.
    pub fn preceded_by(&self, name: &str, at: usize) -> bool {
        self.before(at).any(|i| self.is(name, i))
    }
}
