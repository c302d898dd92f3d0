//! Words that a prompt forbids by name, and the places where it uses them all the same.
//!
//! "Не говори «конечно»" forbids a word. "Не обсуждай конкурентов" forbids a deed and is none of our business.

use std::collections::BTreeSet;
use std::ops::Range;

use crate::Both;
use crate::both::both;

use super::context::{self, Governor, governor, is_used};
use super::finding::{Finding, Rule};
use super::grammar::{Frame, Grammar};
use super::source::Page;
use super::terms::{Term, Terms};
use super::tokens::Gap;
use crate::stems::{Lang, normal};

/// A longer quotation is a sentence that is discussed, not a term.
const LONGEST_TERM: usize = 8;
/// An item of a list without quotation marks is a term up to this many words.
const LONGEST_BARE: usize = 5;
/// How far after a quotation its ban may stand ("«конечно» и «просто» не используй"), in words.
const AFTER: usize = 8;

/// A prompt that forbids more words than this is not read by anybody.
const MOST_TERMS: usize = 500;

/// A term that the prompt forbids, and where it does so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prohibited {
    /// As the prompt writes it.
    pub term: String,
    pub stems: Vec<String>,
    pub file: String,
    /// From 1.
    pub line: u32,
    /// From 1, in characters.
    pub column: u32,
    pub lang: Lang,
}

/// The terms of one page, with their tokens.
pub fn terms_of(page: &Page<'_>) -> Vec<(Term, Range<usize>)> {
    let mut found: Vec<Range<usize>> = quoted(page);
    found.extend(after_the_noun(page));
    found.extend(bare_items(page));
    found.sort_by_key(|range| (range.start, range.end));
    found.dedup_by(|b, a| b.start < a.end);
    let text_of = |range: &Range<usize>| {
        let bytes = page.tokens.bytes(range);
        let percent = page.source.text.get(bytes.end..).is_some_and(|rest| rest.starts_with('%'));
        page.source.text.get(bytes.start..bytes.end + usize::from(percent)).unwrap_or("").to_owned()
    };
    found.into_iter().filter_map(|range| Some((Term::of(&text_of(&range))?, range))).collect()
}

pub fn describe(page: &Page<'_>, term: &Term, at: &Range<usize>) -> Prohibited {
    let place = page.source.finding(Rule::LintParadox, page.tokens.bytes(at), Both::same(""), Both::same(""));
    Prohibited {
        term: term.written.clone(),
        stems: term.stems(),
        file: place.file,
        line: place.line,
        column: place.column,
        lang: page.lang,
    }
}

/// The prompt's own forbidden words, used in one of `pages`, which are of one language.
pub fn paradoxes(pages: &[&Page<'_>]) -> Vec<Finding> {
    let mut terms: Vec<Term> = Vec::new();
    let mut origins = Vec::new();
    let mut known: BTreeSet<String> = BTreeSet::new();
    let mut spans: Vec<Vec<Range<usize>>> = Vec::with_capacity(pages.len());
    for page in pages {
        let of_page = terms_of(page);
        spans.push(of_page.iter().map(|(_, at)| at.clone()).collect());
        for (term, at) in of_page {
            if terms.len() < MOST_TERMS && known.insert(normal(&term.written)) {
                let origin = describe(page, &term, &at);
                origins.push(format!("{}:{}", origin.file, origin.line));
                terms.push(term);
            }
        }
    }
    let terms = Terms::of(terms);
    let mut findings = Vec::new();
    for (page, spans) in pages.iter().zip(&spans) {
        let mut last_end = 0;
        for (index, at) in terms.find(&page.tokens, page.source.text) {
            // The spans of a page are in order and do not overlap.
            let next = spans.partition_point(|span| span.end <= at.start);
            let named_here = spans.get(next).is_some_and(|span| span.start < at.end);
            let (Some(term), Some(origin)) = (terms.get(index), origins.get(index)) else { continue };
            if named_here || at.start < last_end || !is_used(page, &at) {
                continue;
            }
            last_end = at.end;
            let message = both!("здесь «{{}}», а {origin} это запрещает", "uses “{{}}”, which {origin} forbids");
            let message = message.about(&term.written);
            let hint = both!(
                "скажи здесь другими словами или убери запрет",
                "say it in other words here, or drop the prohibition"
            );
            findings.push(page.source.finding(Rule::LintParadox, page.tokens.bytes(&at), message, hint));
        }
    }
    findings
}

/// Quotations that a ban of words governs.
fn quoted(page: &Page<'_>) -> Vec<Range<usize>> {
    let tokens = &page.tokens;
    let mut found = Vec::new();
    let mut at = 0;
    while at < tokens.list.len() {
        let Some(quote) = tokens.list[at].quote else {
            at += 1;
            continue;
        };
        let end = at + tokens.list[at..].iter().take_while(|t| t.quote == Some(quote)).count();
        if end - at <= LONGEST_TERM && is_banned_quote(page, at, end) {
            found.extend(split(page, at..end, |gap| gap.has(Gap::SLASH)));
        }
        at = end;
    }
    found
}

fn is_banned_quote(page: &Page<'_>, first: usize, end: usize) -> bool {
    let grammar = Grammar::shared();
    let tokens = &page.tokens;
    let before: Vec<usize> = context::outside_quotes(tokens, first, AFTER).collect();
    let stands_alone =
        before.iter().all(|i| grammar.alternative.has(tokens.norm(*i)) || is_joining(grammar, tokens.norm(*i)));
    let contrasted = before.iter().any(|i| grammar.contrast.has(tokens.norm(*i)));
    let names_words = before.iter().any(|i| names_a_word(grammar, tokens.norm(*i)));
    match context::frame_at(page, first) {
        Frame::ForbidsWords => return !contrasted && !has_order_to_say(page, &before),
        Frame::Forbids if stands_alone || names_words && !contrasted => return true,
        _ => {}
    }
    if governor(grammar, tokens, first..first, false) == Governor::Forbidden {
        let bans = |i: &usize| grammar.negation.has(tokens.norm(*i)) || matches!(tokens.norm(*i), "instead" | "rather");
        let ban = before.iter().position(bans);
        let between = before.get(..ban.unwrap_or(before.len())).unwrap_or(&[]);
        let listed = |i: &usize| {
            let norm = tokens.norm(*i);
            grammar.alternative.has(norm) || is_joining(grammar, norm) || matches!(norm, "to" | "of" | "than")
        };
        // "не «всё плохо», а …" is a contrast; "без «всё плохо»" is a ban.
        let bare =
            ban.and_then(|ban| before.get(ban)).is_some_and(|i| matches!(tokens.norm(*i), "не" | "not" | "don't"));
        let heads_a_list = ban.is_none() && !names_words;
        return heads_a_list
            || !bare && between.iter().all(listed)
            || between.iter().any(|i| names_a_word(grammar, tokens.norm(*i)));
    }
    is_banned_after(page, end)
}

fn is_joining(grammar: &Grammar, norm: &str) -> bool {
    grammar.joining.has(norm)
}

fn names_a_word(grammar: &Grammar, norm: &str) -> bool {
    grammar.word_noun.has(norm) || grammar.use_word.has(norm) || grammar.use_thing.has(norm) || grammar.say.has(norm)
}

/// In a list of forbidden words, "лучше скажи «…»" gives the word to use.
fn has_order_to_say(page: &Page<'_>, before: &[usize]) -> bool {
    let grammar = Grammar::shared();
    let tokens = &page.tokens;
    before.iter().any(|i| {
        let negated = i.checked_sub(1).is_some_and(|b| grammar.negation.has(tokens.norm(b)));
        grammar.say.has(tokens.norm(*i)) && !negated
    })
}

/// "«конечно» и «просто» не говори", "«just» is banned".
fn is_banned_after(page: &Page<'_>, end: usize) -> bool {
    let grammar = Grammar::shared();
    let tokens = &page.tokens;
    let Some(last) = end.checked_sub(1) else { return false };
    let after: Vec<usize> = (end..(end + 4 * AFTER).min(tokens.list.len()))
        .filter(|i| tokens.list[*i].quote.is_none())
        .take_while(|i| {
            tokens.same_sentence(last, *i)
                && !grammar.contrast.has(tokens.norm(*i))
                && !tokens.gap(*i).has(Gap::SEMICOLON)
        })
        .take(AFTER)
        .collect();
    after.iter().any(|i| {
        grammar.bans_before.iter().any(|pattern| pattern.find_at(tokens, *i, |n| grammar.is_filler(n)).is_some())
    })
}

/// "слово конечно", "слов: надо, должен": terms without quotation marks after the noun.
fn after_the_noun(page: &Page<'_>) -> Vec<Range<usize>> {
    let grammar = Grammar::shared();
    let tokens = &page.tokens;
    let mut found = Vec::new();
    for noun in 0..tokens.list.len() {
        if !grammar.word_noun.has(tokens.norm(noun)) || tokens.list[noun].quote.is_some() {
            continue;
        }
        let mut first = colon_after(page, noun).unwrap_or(noun + 1);
        while grammar.such_as.has(tokens.norm(first)) && tokens.same_sentence(noun, first) {
            first += 1;
        }
        let in_brackets = tokens.gap(first).has(Gap::BRACKET) && first == noun + 1;
        let bare = tokens.list.get(first).is_some_and(|t| t.quote.is_none() && !t.norm.is_empty());
        if !bare || !tokens.same_sentence(noun, first) {
            continue;
        }
        let colon = tokens.gap(first).has(Gap::COLON);
        if !colon && grammar.not_a_term.has(tokens.norm(first)) {
            continue;
        }
        if tokens.gap(noun + 1).is_pause() && !colon && !in_brackets && first == noun + 1 {
            continue;
        }
        let frame = context::frame_at(page, noun);
        let forbidden = frame == Frame::ForbidsWords
            || is_banned_noun(page, noun)
            || (noun + 1..first).any(|i| grammar.negation.has(tokens.norm(i)))
            || is_banned_after(page, if in_brackets { closing(page, first) } else { first + 1 });
        if !forbidden {
            continue;
        }
        let end = (first..tokens.list.len())
            .find(|i| {
                *i > first
                    && (!tokens.same_sentence(first, *i)
                        || tokens.gap(*i).has(Gap::SEMICOLON)
                        || tokens.gap(*i).has(Gap::DASH)
                        || tokens.gap(*i).has(Gap::BRACKET)
                        || tokens.list[*i].quote.is_some()
                        || grammar.contrast.has(tokens.norm(*i)))
            })
            .unwrap_or(tokens.list.len());
        let plural = colon || in_brackets || first > noun + 1 || grammar.plural_noun.has(tokens.norm(noun));
        if !plural {
            found.push(first..first + 1);
            continue;
        }
        let items = split(page, first..end, is_listed);
        let longest = if colon || in_brackets { LONGEST_BARE } else { 1 };
        for item in items {
            // Without a colon nothing says where the last word ends and the sentence goes on.
            let end = if item.len() > longest { item.start + 1 } else { item.end };
            if colon && item.len() > longest || !colon && grammar.not_a_term.has(tokens.norm(item.start)) {
                break;
            }
            found.push(item.start..end);
            if end < item.end {
                break;
            }
        }
    }
    found
}

/// "не используй слово", "без слов", "запрещённые слова": the ban is about the noun itself.
fn is_banned_noun(page: &Page<'_>, noun: usize) -> bool {
    const NEAR: usize = 4;
    let grammar = Grammar::shared();
    let tokens = &page.tokens;
    let before: Vec<usize> = context::outside_quotes(tokens, noun, NEAR).collect();
    let Some(ban) = before.iter().position(|i| grammar.negation.has(tokens.norm(*i))) else { return false };
    let between = before.get(..ban).unwrap_or(&[]);
    let about_words = between.iter().any(|i| names_a_word(grammar, tokens.norm(*i))) || between.is_empty();
    let determined =
        between.iter().all(|i| grammar.is_filler(tokens.norm(*i)) || names_a_word(grammar, tokens.norm(*i)));
    governor(grammar, tokens, noun..noun + 1, false) == Governor::Forbidden && (about_words || determined)
}

/// One past the words in brackets that begin at `first`.
fn closing(page: &Page<'_>, first: usize) -> usize {
    let tokens = &page.tokens;
    (first + 1..first + 1 + AFTER).find(|i| tokens.gap(*i).has(Gap::BRACKET)).unwrap_or(first + 1)
}

fn is_listed(gap: Gap) -> bool {
    gap.has(Gap::COMMA) || gap.has(Gap::SLASH)
}

/// "Слова, которых мы избегаем: …": where the list begins.
fn colon_after(page: &Page<'_>, noun: usize) -> Option<usize> {
    let tokens = &page.tokens;
    (noun + 1..noun + 1 + AFTER).take_while(|i| tokens.same_sentence(noun, *i)).find(|i| tokens.gap(*i).has(Gap::COLON))
}

/// The items of a list of forbidden words that are written without quotation marks.
fn bare_items(page: &Page<'_>) -> Vec<Range<usize>> {
    let grammar = Grammar::shared();
    let tokens = &page.tokens;
    let mut found = Vec::new();
    let mut at = 0;
    while at < tokens.list.len() {
        let end = at + tokens.list[at..].iter().take_while(|t| t.sentence == tokens.list[at].sentence).count();
        let quoted = (at..end).any(|i| tokens.list[i].quote.is_some());
        if context::frame_at(page, at) == Frame::ForbidsWords && !quoted {
            let stop = (at + 1..end)
                .find(|i| {
                    let gap = tokens.gap(*i);
                    gap.has(Gap::DASH) || gap.has(Gap::BRACKET) || gap.has(Gap::COLON) || gap.has(Gap::SEMICOLON)
                })
                .unwrap_or(end);
            for item in split(page, at..stop, is_listed) {
                let first = tokens.norm(item.start);
                let deed = grammar.negation.has(first) || grammar.not_a_term.has(first) || grammar.is_imperative(first);
                if item.len() <= LONGEST_TERM && !deed {
                    found.push(item);
                }
            }
        }
        at = end;
    }
    found
}

/// Cuts a run of words at commas and at "и", "или" that stand between items of one word.
fn split(page: &Page<'_>, words: Range<usize>, cuts: impl Fn(Gap) -> bool) -> Vec<Range<usize>> {
    let grammar = Grammar::shared();
    let tokens = &page.tokens;
    let listed = words.clone().skip(1).any(|i| cuts(tokens.gap(i)));
    let mut items = Vec::new();
    let mut start = words.start;
    for at in words.clone() {
        let joins = grammar.alternative.has(tokens.norm(at)) || is_joining(grammar, tokens.norm(at));
        let between = joins && at > words.start && at + 1 < words.end && (listed || words.len() == 3);
        if start < at && cuts(tokens.gap(at)) {
            items.push(start..at);
            start = at;
        }
        if between {
            if start < at {
                items.push(start..at);
            }
            start = at + 1;
        }
    }
    if start < words.end {
        items.push(start..words.end);
    }
    items
}
