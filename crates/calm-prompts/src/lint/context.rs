//! Whether a place in a text asks for something, forbids it, or tells what somebody else wants.
//!
//! We walk from the place to the left, through the words that may belong to the same order, until something
//! decides. There is no parser here: a missed prohibition costs a false alarm, a missed fault costs more, so
//! doubt is decided for the finding.

use std::ops::Range;

use super::grammar::{Frame, Grammar};
use super::source::Page;
use super::tokens::{Gap, Tokens};

/// What a place stands under.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Governor {
    Nobody,
    /// A prohibition or a negation.
    Forbidden,
    /// What a user asks for or is said to do.
    Reported,
}

/// How far to the left a prohibition may stand, in words.
const REACH: usize = 40;
/// How far "без" and "no" reach, in words.
const NEAR: usize = 6;
/// How far before a quotation the verb may stand that asks to say it, in words.
const SAY_REACH: usize = 9;

/// How a rule reads what stands around a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Reading {
    /// The pattern is itself a prohibition ("не обсуждай чувства"): no other one excuses it.
    pub in_prohibition: bool,
    /// A quotation is as good as the bare word.
    pub in_quotation: bool,
    /// "I can't …, as a language model": what the speaker denies about himself is no prohibition.
    pub first_person: bool,
    /// The pattern is a way of speaking; a negation behind it forbids nothing.
    pub in_passing: bool,
}

/// Whether the words at `hit` are meant, and not only mentioned.
pub fn is_meant(page: &Page<'_>, hit: &Range<usize>, reading: Reading) -> bool {
    let grammar = Grammar::shared();
    let tokens = &page.tokens;
    if !reading.in_quotation
        && let Some(quote) = quote_around(tokens, hit)
    {
        return is_to_be_said(page, quote);
    }
    if reading.in_prohibition {
        return governor(grammar, tokens, hit.clone(), false) != Governor::Reported;
    }
    if frame_at(page, hit.start).forbids() {
        return false;
    }
    let negated = |at: usize| at > 0 && is_plain_negation(tokens.norm(at - 1)) && tokens.same_sentence(at - 1, at);
    let orders = hit.clone().any(|at| grammar.is_imperative(tokens.norm(at)) && !negated(at));
    let may_be_banned = !reading.in_passing && !reading.first_person;
    let forbidden_after = may_be_banned && grammar.is_forbidden_after(tokens, hit.end);
    if orders {
        return !forbidden_after;
    }
    if governor(grammar, tokens, hit.clone(), reading.first_person) != Governor::Nobody {
        return false;
    }
    !is_supposed_of_others(grammar, tokens, hit.start) && !forbidden_after
}

/// Like `is_meant`, for a word that counts wherever it is not forbidden or quoted.
pub fn is_used(page: &Page<'_>, hit: &Range<usize>) -> bool {
    if let Some(quote) = quote_around(&page.tokens, hit) {
        return is_to_be_said(page, quote);
    }
    let forbidden = governor(Grammar::shared(), &page.tokens, hit.clone(), false) == Governor::Forbidden;
    !frame_at(page, hit.start).forbids() && !forbidden
}

pub fn frame_at(page: &Page<'_>, at: usize) -> Frame {
    let Some(token) = page.tokens.list.get(at) else { return Frame::Open };
    page.layout.frame_at(&page.source, token.line, token.start)
}

/// The quotation in which all of `hit` stands.
pub fn quote_around(tokens: &Tokens, hit: &Range<usize>) -> Option<u32> {
    let first = tokens.list.get(hit.start)?.quote?;
    hit.clone().all(|at| tokens.list.get(at).and_then(|t| t.quote) == Some(first)).then_some(first)
}

/// «…» after "скажи": the quotation is an order like any other.
fn is_to_be_said(page: &Page<'_>, quote: u32) -> bool {
    let grammar = Grammar::shared();
    let tokens = &page.tokens;
    let Some(first) = first_of_quote(tokens, quote) else { return false };
    match frame_at(page, first) {
        Frame::Forbids | Frame::ForbidsWords => return false,
        Frame::Says if tokens.opens(first) => return true,
        Frame::Says | Frame::Open => {}
    }
    if governor(grammar, tokens, first..first, false) != Governor::Nobody {
        return false;
    }
    if is_supposed_of_others(grammar, tokens, first) {
        return false;
    }
    let mut right = first;
    for at in outside_quotes(tokens, first, SAY_REACH) {
        if grammar.say.has(tokens.norm(at)) {
            // "Скажи: «…»" asks for it, "он может сказать «…»" does not.
            let clause = clause_start(tokens, at).max(at.saturating_sub(3))..at;
            // "You write, «…»" is what the reader has written.
            let told = tokens.norm(at) == "write" && at.checked_sub(1).is_some_and(|b| tokens.norm(b) == "you");
            return !told && !clause.into_iter().any(|i| grammar.third_party.has(tokens.norm(i)));
        }
        if tokens.gap(right).has(Gap::SEMICOLON) {
            return false;
        }
        right = at;
    }
    false
}

fn first_of_quote(tokens: &Tokens, quote: u32) -> Option<usize> {
    let inner = &tokens.quotes.get(usize::try_from(quote).ok()?)?.inner;
    let at = tokens.list.partition_point(|t| t.start < inner.start);
    (at < tokens.list.len()).then_some(at)
}

/// Words of the sentence before `at`, nearest first, without those that stand in quotations.
pub fn outside_quotes(tokens: &Tokens, at: usize, reach: usize) -> impl Iterator<Item = usize> {
    let own = tokens.list.get(at).and_then(|t| t.quote);
    let anchor = at;
    let mut last = at;
    (0..at)
        .rev()
        .take_while(move |i| {
            // A quotation may hold sentences of its own; they do not end the one around it.
            let inner = tokens.list.get(*i).is_some_and(|t| t.quote.is_some() && t.quote != own);
            let ends = !inner && !tokens.same_sentence(*i, last) && !is_after_quote(tokens, last, anchor);
            if !inner {
                last = *i;
            }
            !ends
        })
        .filter(move |i| tokens.list.get(*i).is_some_and(|t| t.quote.is_none() || t.quote == own))
        .take(reach)
}

/// The word at `at` follows directly on a quotation that ended its own sentence.
fn is_after_quote(tokens: &Tokens, at: usize, anchor: usize) -> bool {
    at != anchor
        && at.checked_sub(1).and_then(|i| tokens.list.get(i)).is_some_and(|t| t.quote.is_some())
        && !tokens.list.get(at).is_some_and(|t| t.capital)
}

/// Who governs what follows after these words, such as the list after a lead-in.
pub fn governor_of_end(grammar: &Grammar, tokens: &Tokens, words: Range<usize>) -> Governor {
    let Some(last) = words.end.checked_sub(1).filter(|last| words.contains(last)) else { return Governor::Nobody };
    let path = std::iter::once(last).chain(outside_quotes(tokens, last, REACH)).collect();
    let walk = Walk { grammar, tokens, hit: words.end..words.end, crossed: true, ordered: false, first_person: false };
    walk.along(path, None)
}

/// Who governs the words at `hit`.
pub fn governor(grammar: &Grammar, tokens: &Tokens, hit: Range<usize>, first_person: bool) -> Governor {
    let path = outside_quotes(tokens, hit.start, REACH).collect();
    let start = hit.start;
    Walk { grammar, tokens, hit, crossed: false, ordered: false, first_person }.along(path, Some(start))
}
enum Step {
    On,
    /// The clause to the left is a condition; the walk goes on before it.
    Over(usize),
    Stop(Governor),
}

struct Walk<'a> {
    grammar: &'a Grammar,
    tokens: &'a Tokens,
    hit: Range<usize>,
    /// A pause or an "и" lies between the place and the walker.
    crossed: bool,
    /// An English order of its own began there.
    ordered: bool,
    first_person: bool,
}

impl<'a> Walk<'a> {
    /// Visits the words of `path`, nearest first; `right` is the word that was there before.
    fn along(mut self, path: Vec<usize>, mut right: Option<usize>) -> Governor {
        let mut over = usize::MAX;
        for (stepped, at) in path.into_iter().enumerate() {
            if at < over {
                match right.map_or(Step::On, |right| self.cross(at, right)) {
                    Step::On => {}
                    Step::Over(to) => over = to,
                    Step::Stop(found) => return found,
                }
            }
            if at < over
                && let Some(found) = self.word(at, stepped)
            {
                return found;
            }
            right = Some(at);
        }
        Governor::Nobody
    }

    fn norm(&self, at: usize) -> &'a str {
        self.tokens.norm(at)
    }

    /// What lies between the words at `left` and `right`.
    fn cross(&mut self, left: usize, right: usize) -> Step {
        let grammar = self.grammar;
        // Quotations in between are skipped; what stands before them still counts.
        let gap = self.tokens.gap(right).and(self.tokens.gap(left + 1));
        if gap.has(Gap::SEMICOLON) {
            return Step::Stop(Governor::Nobody);
        }
        let joined = grammar.joining.has(self.norm(left));
        if !gap.is_pause() && !joined {
            return Step::On;
        }
        self.crossed |= !grammar.subordinate.has(self.norm(right));
        let opener = self.norm(right);
        let after_say = grammar.say.has(self.norm(left)) || grammar.use_word.has(self.norm(left));
        let next = if grammar.joining.has(opener)
            || matches!(opener, "as" | "since" | "то" | "then" | "just" | "просто")
        {
            right + 1
        } else {
            right
        };
        if self.contrasts(right) {
            return Step::Stop(Governor::Nobody);
        }
        let new_subject = grammar.subject.has(opener) || grammar.subject.has(self.norm(next));
        self.ordered |= grammar.latin_imperative.has(self.norm(next));
        if gap.has(Gap::COLON) && self.is_heading_of_bans(left) {
            return Step::Stop(Governor::Forbidden);
        }
        let order = grammar.latin_imperative.has(self.norm(next)) && joined_order(grammar, self, left, next);
        // What a quotation begins with says nothing about the sentence around it.
        let quotation = self.hit.is_empty() && right == self.hit.start;
        if !quotation && (order || !after_say && (new_subject || self.is_own_statement(next))) {
            return Step::Stop(Governor::Nobody);
        }
        if gap.is_pause()
            && !grammar.subordinate.has(opener)
            && let Some(start) = self.condition_before(left)
        {
            return Step::Over(start);
        }
        Step::On
    }

    fn contrasts(&self, at: usize) -> bool {
        self.grammar.contrast.has(self.norm(at)) && !self.is_replaced(at)
    }

    /// "instead of …" and "rather than …".
    fn is_replaced(&self, at: usize) -> bool {
        matches!((self.norm(at), self.norm(at + 1)), ("instead", "of") | ("rather", "than"))
    }

    /// "Off limits: …", "Under a ban: …".
    fn is_heading_of_bans(&self, end: usize) -> bool {
        let start = clause_start(self.tokens, end);
        end - start < NEAR && self.grammar.is_heading_of_bans(self.tokens, start..end + 1)
    }

    /// "…, лечит": a Russian verb that needs a negation of its own.
    fn is_own_statement(&self, at: usize) -> bool {
        self.grammar.is_finite(self.norm(at))
    }

    /// Where the clause that ends at `end` begins, if it begins with "если".
    fn condition_before(&self, end: usize) -> Option<usize> {
        let start = clause_start(self.tokens, end);
        // "даже если", "но когда": the condition may be the second word.
        (start..start + 2).any(|at| self.grammar.conditional.has(self.norm(at))).then_some(start)
    }

    fn word(&mut self, at: usize, stepped: usize) -> Option<Governor> {
        let grammar = self.grammar;
        let norm = self.norm(at);
        if self.is_replaced(at) {
            return (stepped <= NEAR).then_some(Governor::Forbidden);
        }
        if grammar.contrast.has(norm) {
            return Some(Governor::Nobody);
        }
        if grammar.is_imperative(norm) {
            let before = at.checked_sub(1).filter(|before| self.tokens.same_sentence(*before, at));
            let negated = before.is_some_and(|before| is_plain_negation(self.norm(before)));
            let forbids = grammar.negation.has(norm);
            if !negated && !forbids {
                return Some(Governor::Nobody);
            }
        }
        let after_quote = at.checked_sub(1).and_then(|i| self.tokens.list.get(i)).is_some_and(|t| t.quote.is_some());
        if after_quote && stepped < NEAR && grammar.latin_imperative.has(norm) {
            return Some(Governor::Nobody);
        }
        if grammar.negation.has(norm) {
            return self.negation(at, stepped);
        }
        let reports = grammar.asking.has(norm) && !self.hit.contains(&at);
        reports.then_some(Governor::Reported)
    }

    fn negation(&self, at: usize, stepped: usize) -> Option<Governor> {
        let grammar = self.grammar;
        if grammar.is_void(self.tokens, at) {
            // "не отказывайся" takes back "отказывайся" itself, and nothing after it.
            let takes_back = self.hit.start == at + 1 && !self.hit.is_empty();
            return Some(if takes_back { Governor::Forbidden } else { Governor::Nobody });
        }
        let norm = self.norm(at);
        let before = at.checked_sub(1).filter(|before| self.tokens.same_sentence(*before, at));
        if before.is_some_and(|before| is_plain_negation(self.norm(before)) && grammar.is_void(self.tokens, before)) {
            return Some(Governor::Nobody);
        }
        if self.ordered && before.is_some_and(|before| self.is_statement(before)) {
            return Some(Governor::Nobody);
        }
        if grammar.banning_order.has(norm) && !self.begins_order(at) {
            return None;
        }
        let after = self.tokens.gap(at + 1);
        if matches!(norm, "нет" | "no") && (after.is_pause() && !after.has(Gap::COLON)) {
            return None;
        }
        if grammar.near_negation.has(norm) {
            let governs = stepped <= NEAR;
            return governs.then_some(Governor::Forbidden);
        }
        let verb_elsewhere = (at + 1..at + 3).any(|i| grammar.elsewhere.has(self.norm(i)));
        if self.crossed && verb_elsewhere {
            return Some(Governor::Nobody);
        }
        if self.hit.is_empty() && self.condition_before(at).is_some() {
            return Some(Governor::Nobody);
        }
        if self.first_person && stepped > 0 && self.denies_himself(at) {
            return None;
        }
        Some(Governor::Forbidden)
    }

    fn begins_order(&self, at: usize) -> bool {
        let before = at.checked_sub(1).map_or("", |before| self.norm(before));
        self.tokens.opens(at)
            || self.tokens.gap(at).is_pause()
            || self.grammar.joining.has(before)
            || before == "please"
    }

    /// "money does not", "he isn't": a negation that orders nothing, seen from the word before it.
    fn is_statement(&self, before: usize) -> bool {
        let helps = matches!(
            self.norm(before),
            "is" | "are" | "was" | "were" | "does" | "did" | "has" | "have" | "will" | "can"
        );
        helps || self.grammar.third_party.has(self.norm(before))
    }

    fn denies_himself(&self, at: usize) -> bool {
        let grammar = self.grammar;
        let me = (at.saturating_sub(2)..at).any(|i| grammar.first_person.has(self.norm(i)));
        let says = (at + 1..at + 4).any(|i| grammar.say.has(self.norm(i)) || grammar.use_word.has(self.norm(i)));
        me && !says
    }
}

/// "Don't ask, recommend": a new order; "never ask, push or recommend": still the old one.
fn joined_order(grammar: &Grammar, walk: &Walk<'_>, left: usize, order: usize) -> bool {
    if grammar.joining.has(walk.norm(left)) {
        return grammar.say.has(walk.norm(order));
    }
    let sentence = walk.tokens.sentence(order, REACH);
    !(order..sentence.end).any(|at| grammar.alternative.has(walk.norm(at)))
}

/// "не" and "никогда" before a verb.
fn is_plain_negation(norm: &str) -> bool {
    matches!(norm, "не" | "ни" | "никогда")
}

fn clause_start(tokens: &Tokens, at: usize) -> usize {
    let mut start = at;
    while start > 0 && tokens.same_sentence(start - 1, at) && !tokens.gap(start).is_pause() && at - start < REACH {
        start -= 1;
    }
    start
}

/// "Если пользователь …": what he may do is not what we ask for.
fn is_supposed_of_others(grammar: &Grammar, tokens: &Tokens, at: usize) -> bool {
    let start = clause_start(tokens, at);
    let first = if grammar.joining.has(tokens.norm(start)) || grammar.contrast.has(tokens.norm(start)) {
        start + 1
    } else {
        start
    };
    grammar.conditional.has(tokens.norm(first))
        && (first + 1..(first + 5).min(at)).any(|i| grammar.third_party.has(tokens.norm(i)))
}
