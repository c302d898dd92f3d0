//! The rules that are data (`lint/<language>/<rule>.toml`): patterns, what excuses them, what to say about it.
//!
//! Both languages are read over every text; a prompt in one of them often quotes or mixes in the other.

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;
use std::sync::LazyLock;

use serde::Deserialize;

use crate::Both;

use super::context::{Reading, is_meant, quote_around};
use super::finding::{Finding, Rule};
use super::grammar::{Grammar, Words};
use super::pattern::{Beginning, ByKey, Lists, Match, Pattern, PatternError, Vocabulary};
use super::source::Page;
use super::tokens::Tokens;

/// How far from a hit its companions (`with`, `unless`) are looked for, in words.
const AROUND: usize = 30;
/// How many places of a page a rule may weigh. No prompt has as many; endless repetition has more.
const MOST_WEIGHED: usize = 1_500;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RuleFile {
    message: Both,
    hint: Both,
    #[serde(default)]
    lists: Lists,
    entry: Vec<EntryFile>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct EntryFile {
    /// For the reader of the file.
    name: String,
    say: Vec<String>,
    /// One of these must stand in the same sentence.
    #[serde(default)]
    with: Vec<String>,
    /// … or in the next.
    #[serde(default)]
    with_next: bool,
    /// None of these may stand in the same sentence.
    #[serde(default)]
    unless: Vec<String>,
    #[serde(default)]
    in_prohibition: bool,
    #[serde(default)]
    in_quotation: bool,
    #[serde(default)]
    first_person: bool,
    /// The clause is not about what somebody else does ("врач ставит диагноз").
    #[serde(default)]
    our_own: bool,
    /// Only files of this folder.
    folder: Option<String>,
    message: Option<Both>,
    hint: Option<Both>,
}

struct Entry {
    rule: Rule,
    with: Vec<Pattern>,
    with_next: bool,
    unless: Vec<Pattern>,
    reading: Reading,
    our_own: bool,
    folder: Option<String>,
    message: Both,
    hint: Both,
}

pub struct Rulebook {
    entries: Vec<Entry>,
    patterns: Vec<(Pattern, usize)>,
    /// Patterns by the word they begin with, or by the first letters of its stem.
    by_word: HashMap<String, Vec<usize>>,
    by_key: ByKey<Vec<usize>>,
    others: Words,
    likeness: Words,
}

#[derive(Debug, thiserror::Error)]
pub enum RuleFileError {
    #[error(transparent)]
    Toml(#[from] toml::de::Error),
    #[error("entry {entry}: {source}")]
    Pattern { entry: String, source: PatternError },
}

const FILES: [(Rule, &str); 10] = [
    (Rule::AntiAi, include_str!("../../lint/ru/anti_ai.toml")),
    (Rule::AntiAi, include_str!("../../lint/en/anti_ai.toml")),
    (Rule::Officialese, include_str!("../../lint/ru/officialese.toml")),
    (Rule::Officialese, include_str!("../../lint/en/officialese.toml")),
    (Rule::ScopeConsistency, include_str!("../../lint/ru/scope_consistency.toml")),
    (Rule::ScopeConsistency, include_str!("../../lint/en/scope_consistency.toml")),
    (Rule::DuplicatesEnvelope, include_str!("../../lint/ru/duplicates_envelope.toml")),
    (Rule::DuplicatesEnvelope, include_str!("../../lint/en/duplicates_envelope.toml")),
    (Rule::WellnessWording, include_str!("../../lint/ru/wellness_wording.toml")),
    (Rule::WellnessWording, include_str!("../../lint/en/wellness_wording.toml")),
];

static SHARED: LazyLock<Rulebook> = LazyLock::new(|| {
    // Part of the program, and a test reads it.
    Rulebook::of(&FILES).expect("the embedded rules are valid")
});

struct Hit {
    entry: usize,
    at: Range<usize>,
}

impl Rulebook {
    pub fn shared() -> &'static Rulebook {
        &SHARED
    }

    /// # Errors
    /// A file is not a rule file, or one of its patterns says nothing.
    pub fn of(files: &[(Rule, &str)]) -> Result<Rulebook, RuleFileError> {
        let grammar = Grammar::shared();
        let words = |name: &str| Words::of(grammar.lists.get(name).map_or(&[][..], Vec::as_slice));
        let mut book = Rulebook {
            entries: Vec::new(),
            patterns: Vec::new(),
            by_word: HashMap::new(),
            by_key: ByKey::default(),
            others: words("others"),
            likeness: words("likeness"),
        };
        for (rule, source) in files {
            let file: RuleFile = toml::from_str(source)?;
            let vocabulary = Vocabulary::of(file.lists.clone());
            for entry in &file.entry {
                book.add(*rule, &file, entry, &vocabulary)
                    .map_err(|source| RuleFileError::Pattern { entry: entry.name.clone(), source })?;
            }
        }
        Ok(book)
    }

    fn add(&mut self, rule: Rule, file: &RuleFile, entry: &EntryFile, words: &Vocabulary) -> Result<(), PatternError> {
        let parse =
            |lines: &[String]| lines.iter().map(|line| Pattern::parse(line, words)).collect::<Result<Vec<_>, _>>();
        let index = self.entries.len();
        for pattern in parse(&entry.say)? {
            let number = self.patterns.len();
            for beginning in pattern.beginnings() {
                let list = match beginning {
                    Beginning::Word(word) => self.by_word.entry(word.to_owned()).or_default(),
                    Beginning::Letters(key) => self.by_key.entry(key).or_default(),
                };
                if list.last() != Some(&number) {
                    list.push(number);
                }
            }
            self.patterns.push((pattern, index));
        }
        self.entries.push(Entry {
            rule,
            with: parse(&entry.with)?,
            with_next: entry.with_next,
            unless: parse(&entry.unless)?,
            reading: Reading {
                in_prohibition: entry.in_prohibition,
                in_quotation: entry.in_quotation,
                first_person: entry.first_person,
                in_passing: rule == Rule::Officialese,
            },
            our_own: entry.our_own,
            folder: entry.folder.clone(),
            message: entry.message.as_ref().unwrap_or(&file.message).clone(),
            hint: entry.hint.as_ref().unwrap_or(&file.hint).clone(),
        });
        Ok(())
    }

    /// What the data rules find in a page; `applies` says which of them are wanted.
    pub fn read(&self, page: &Page<'_>, applies: impl Fn(Rule) -> bool) -> Vec<Finding> {
        let grammar = Grammar::shared();
        let filler = |norm: &str| grammar.is_filler(norm);
        let mut hits: Vec<Hit> = Vec::new();
        let mut counts: HashMap<Rule, usize> = HashMap::new();
        for at in 0..page.tokens.list.len() {
            let by_word = self.by_word.get(page.tokens.norm(at));
            let by_key = page.tokens.key(at).and_then(|key| self.by_key.get(&key));
            let candidates = [by_word, by_key].into_iter().flatten().flatten();
            for (pattern, index) in candidates.filter_map(|number| self.patterns.get(*number)) {
                let Some(entry) = self.entries.get(*index).filter(|entry| applies(entry.rule)) else { continue };
                let weighed = counts.entry(entry.rule).or_default();
                if *weighed == MOST_WEIGHED {
                    continue;
                }
                let Some(found) = pattern.find_at(&page.tokens, at, filler) else { continue };
                *weighed += 1;
                if self.counts(entry, page, &found) {
                    let end = found.last().map_or(at + 1, |last| last + 1);
                    hits.push(Hit { entry: *index, at: at..end });
                }
            }
        }
        self.without_overlaps(hits).into_iter().filter_map(|hit| self.finding(page, &hit)).collect()
    }

    fn counts(&self, entry: &Entry, page: &Page<'_>, found: &Match) -> bool {
        let (Some(first), Some(last)) = (found.first(), found.last()) else { return false };
        let hit = *first..last + 1;
        let grammar = Grammar::shared();
        let tokens = &page.tokens;
        let filler = |norm: &str| grammar.is_filler(norm);
        if entry.folder.as_ref().is_some_and(|folder| !page.is_in(folder)) {
            return false;
        }
        let negated = hit.clone().any(|at| !found.contains(&at) && grammar.negation.has(tokens.norm(at)));
        if negated && !entry.reading.in_prohibition {
            return false;
        }
        if !holds_whole_quotes(tokens, &hit) || is_told_of_others(grammar, tokens, *first) {
            return false;
        }
        let sentence = tokens.sentence(*first, AROUND);
        if entry.unless.iter().any(|pattern| pattern.is_in(tokens, sentence.clone(), filler)) {
            return false;
        }
        let next = tokens.sentence(sentence.end, AROUND);
        let reaches = entry.with_next && next.start == sentence.end;
        let wide = sentence.start..if reaches { next.end.min(tokens.list.len()) } else { sentence.end };
        if !entry.with.is_empty() && !entry.with.iter().any(|pattern| pattern.is_in(tokens, wide.clone(), filler)) {
            return false;
        }
        if entry.our_own && self.is_of_others(page, &hit) {
            return false;
        }
        is_meant(page, &hit, entry.reading)
    }

    /// Somebody else stands before the hit, in its clause: "врач ставит диагноз", not "как врач".
    fn is_of_others(&self, page: &Page<'_>, hit: &Range<usize>) -> bool {
        let tokens = &page.tokens;
        let near = |at: usize| tokens.same_sentence(at, hit.start);
        let own_clause = (hit.start.saturating_sub(AROUND)..hit.start)
            .rev()
            .take_while(|at| near(*at) && !tokens.gap(at + 1).is_pause());
        let before = |at: usize| at.checked_sub(1).map_or("", |before| tokens.norm(before));
        let mut before_hit = own_clause.filter(|at| !self.likeness.has(before(*at)));
        before_hit.any(|at| self.others.has(tokens.norm(at)))
            // Only in Russian does the subject stand behind its verb.
            || (hit.end - 1..hit.end + 2).take_while(|at| near(*at)).any(|at| {
                !tokens.norm(at).is_ascii() && self.others.has(tokens.norm(at)) && !self.likeness.has(before(at)) && !tokens.gap(at).is_pause()
            })
    }

    fn without_overlaps(&self, mut hits: Vec<Hit>) -> Vec<Hit> {
        let rule = |hit: &Hit| self.entries.get(hit.entry).map(|entry| entry.rule);
        hits.sort_by_key(|hit| (rule(hit), hit.at.start, std::cmp::Reverse(hit.at.end), hit.entry));
        let mut kept: Vec<Hit> = Vec::new();
        for hit in hits {
            let overlaps = kept.last().is_some_and(|last| rule(last) == rule(&hit) && hit.at.start < last.at.end);
            if !overlaps {
                kept.push(hit);
            }
        }
        kept
    }

    fn finding(&self, page: &Page<'_>, hit: &Hit) -> Option<Finding> {
        let entry = self.entries.get(hit.entry)?;
        let bytes = page.tokens.bytes(&hit.at);
        let words = page.source.text.get(bytes.clone()).unwrap_or("");
        let words = words.split_whitespace().collect::<Vec<_>>().join(" ");
        Some(page.source.finding(entry.rule, bytes, entry.message.about(&words), entry.hint.clone()))
    }
}

/// A hit lies in one quotation, or takes in every quotation it touches: «бот» in "ты — «бот»".
fn holds_whole_quotes(tokens: &Tokens, hit: &Range<usize>) -> bool {
    let quote = |at: usize| tokens.list.get(at).and_then(|t| t.quote);
    if quote_around(tokens, hit).is_some() {
        return true;
    }
    let cut = |inside: usize, outside: Option<usize>| {
        quote(inside).is_some() && outside.is_some_and(|outside| quote(outside) == quote(inside))
    };
    let quotes: BTreeSet<u32> = hit.clone().filter_map(quote).collect();
    quotes.len() <= 1 && !cut(hit.start, hit.start.checked_sub(1)) && !cut(hit.end - 1, Some(hit.end))
}

/// "he may say", "they recommend": an English verb that is no order because somebody else does it.
fn is_told_of_others(grammar: &Grammar, tokens: &Tokens, first: usize) -> bool {
    const MODAL: [&str; 8] = ["may", "might", "can", "could", "will", "would", "must", "should"];
    if !grammar.latin_imperative.has(tokens.norm(first)) {
        return false;
    }
    let before = |at: usize| at.checked_sub(1).filter(|before| tokens.same_sentence(*before, first));
    let subject = before(first).and_then(|at| if MODAL.contains(&tokens.norm(at)) { before(at) } else { Some(at) });
    let Some(subject) = subject.filter(|at| grammar.third_party.has(tokens.norm(*at))) else { return false };
    // "help the user pick", "let him win it back": an order after all.
    let made_to = (subject.saturating_sub(3)..subject)
        .any(|at| tokens.same_sentence(at, first) && grammar.latin_imperative.has(tokens.norm(at)));
    !made_to && !tokens.gap(subject + 1).is_pause()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_embedded_rules_are_valid_and_say_what_to_do() {
        let book = Rulebook::of(&FILES).unwrap();
        for entry in &book.entries {
            for words in [&entry.message, &entry.hint] {
                assert!(!words.en.is_empty() && words.ru != words.en, "{words}");
            }
            assert!(entry.message.ru.contains("{}") && entry.message.en.contains("{}"), "{}", entry.message);
        }
    }
}
