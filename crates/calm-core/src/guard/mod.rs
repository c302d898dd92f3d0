//! The guard: what a reply of Calm must not contain, whoever wrote it (SPEC A3, E7, H1, H3, H8, H9, K2).
//!
//! It finds and quotes; replacing the sentence is the caller's business. Each rule is a family of wordings
//! in `lexicon/LANG/guard.toml`, and both languages are always looked for, because a model may answer in the
//! wrong one. Sentences are judged one at a time, as they stream.

pub mod learned;
mod markup;
mod own;
mod patterns;
mod words;

use std::cell::LazyCell;
use std::ops::Range;
use std::sync::LazyLock;

use serde::Serialize;

use crate::lang::Lang;
use crate::sentences;
use patterns::{File, Match, Patterns, Read};
use words::Word;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Rule {
    /// What to trade, which way, how much, when, where the stop goes, hold or close, a forecast, a verdict on
    /// the setup, a way to win it back. Not: asking, naming what the user did, a pause, the user's own rule.
    Advice,
    /// That things, feelings or money will turn out well. Not: what often helps, or that help exists.
    Promise,
    /// A disorder or a medicine for the user. Not: naming a feeling, sending to a doctor.
    Diagnosis,
    /// "It's only money", "calm down". Not: that something is understandable or common.
    Minimising,
    /// That something was heard in the voice or measured. Not: "I hear you", the user's words.
    Voice,
    /// A body, a past, a family, trades or feelings of a person. Not: "I'm an AI, not a person".
    HumanClaim,
    /// Guilt, fear of missing out, holding somebody back. Not: an open invitation.
    Pressure,
    /// Instructions, tools, labels, JSON, vendors and models. Not: "I'm an AI, not a therapist".
    Leak,
    /// Blame and insult. Not: quoting the user's blame in order to doubt it.
    Shame,
    /// Celebrating money or pushing to go on. Not: being glad with somebody, praise for stopping.
    Cheer,
    /// Means of self-harm, or a crisis waved aside. Not: asking about it, helplines.
    SelfHarm,
    /// That Calm treats, or is a therapist. Not: denying it, sending to one.
    TherapyClaim,
}

impl Rule {
    pub const ALL: [Rule; 12] = [
        Rule::Advice,
        Rule::Promise,
        Rule::Diagnosis,
        Rule::Minimising,
        Rule::Voice,
        Rule::HumanClaim,
        Rule::Pressure,
        Rule::Leak,
        Rule::Shame,
        Rule::Cheer,
        Rule::SelfHarm,
        Rule::TherapyClaim,
    ];

    /// As in the records and in the data.
    pub fn name(self) -> &'static str {
        match self {
            Rule::Advice => "advice",
            Rule::Promise => "promise",
            Rule::Diagnosis => "diagnosis",
            Rule::Minimising => "minimising",
            Rule::Voice => "voice",
            Rule::HumanClaim => "human_claim",
            Rule::Pressure => "pressure",
            Rule::Leak => "leak",
            Rule::Shame => "shame",
            Rule::Cheer => "cheer",
            Rule::SelfHarm => "self_harm",
            Rule::TherapyClaim => "therapy_claim",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct GuardHit {
    pub rule: Rule,
    /// The words of the reply that the rule is about.
    pub words: String,
}

/// When a pattern of a list counts. The order is that of `LISTS`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum When {
    /// Wherever it stands.
    Always,
    /// Not in a question, not as somebody's wish or thought, not where Calm declines to say it.
    Told,
    /// As `Told`, and not under "if" or "when".
    Foretold,
    /// As `Told`, and not denied.
    Claimed,
    /// The whole answer to a question about a trade.
    Answer,
    /// After a sentence about the market.
    After,
    /// Takes back what overlaps with it.
    Pass,
}

const LISTS: [&str; 7] = ["always", "told", "foretold", "claimed", "answer", "after", "pass"];
const WHENS: [When; 7] =
    [When::Always, When::Told, When::Foretold, When::Claimed, When::Answer, When::After, When::Pass];

/// One for every rule, in their order; the last is no rule: Sufler minds it.
const SECTIONS: [&str; 13] = [
    "advice",
    "promise",
    "diagnosis",
    "minimising",
    "voice",
    "human_claim",
    "pressure",
    "leak",
    "shame",
    "cheer",
    "self_harm",
    "therapy_claim",
    "lecture",
];
const LECTURE: usize = 12;

/// How far before a hit the words that make it somebody's thought may stand.
const REACH: usize = 8;

static RU: LazyLock<Patterns> = LazyLock::new(|| embedded(include_str!("../../lexicon/ru/guard.toml")));
static EN: LazyLock<Patterns> = LazyLock::new(|| embedded(include_str!("../../lexicon/en/guard.toml")));

fn embedded(file: &str) -> Patterns {
    // The data is part of the program, and a test reads it.
    let file: File = toml::from_str(file).expect("the embedded guard data is valid");
    Patterns::compile(&file, &SECTIONS, &LISTS)
}

fn patterns(lang: Lang) -> &'static Patterns {
    match lang {
        Lang::Ru => &RU,
        Lang::En => &EN,
    }
}

/// Every hit in a whole reply, in the order of the text; empty when it may be shown.
pub fn check(reply: &str, lang: Lang) -> Vec<GuardHit> {
    by_sentence(reply, |before, sentence| check_sentence(before, sentence, lang, &[]))
}

/// What the word lists alone find. For records, which tell of the user in the user's words: a hint is looked
/// for only in what is said to somebody.
pub fn check_record(text: &str, lang: Lang) -> Vec<GuardHit> {
    by_sentence(text, |before, sentence| listed(before, sentence, &words::of(sentence), lang, &[]))
}

fn by_sentence(text: &str, check: impl Fn(&str, &str) -> Vec<GuardHit>) -> Vec<GuardHit> {
    let sentences = sentences::of(text);
    let before = std::iter::once("").chain(sentences.iter().map(String::as_str));
    sentences.iter().zip(before).flat_map(|(sentence, before)| check(before, sentence)).collect()
}

/// Every hit in one sentence; empty when it may be shown.
///
/// `before` is what it follows and decides what "yes" or "take it" is about: the sentence before it, or what
/// the user said when it is the first. `own_words` are texts by the user; a rule of theirs may be said back
/// to them, and nothing else is allowed by it.
pub fn check_sentence(before: &str, sentence: &str, lang: Lang, own_words: &[&str]) -> Vec<GuardHit> {
    let words = words::of(sentence);
    let mut hits = listed(before, sentence, &words, lang, own_words);
    if hits.is_empty() {
        let hint = learned::rule(sentence, &words).filter(|_| !taken_back(&words, own_words));
        hits.extend(hint.map(|rule| GuardHit { rule, words: quoted(sentence, &words, &(0..words.len())) }));
    }
    hits
}

/// What the word lists find.
fn listed(before: &str, sentence: &str, words: &[Word], lang: Lang, own_words: &[&str]) -> Vec<GuardHit> {
    let mut hits = markup::hits(sentence);
    let others = Lang::ALL.into_iter().filter(|other| *other != lang);
    for lang in std::iter::once(lang).chain(others) {
        let found = hits_in(before, sentence, words, lang);
        let allowed = !own_words.is_empty()
            && found.iter().any(|(rule, _)| *rule == Rule::Advice)
            && own::quotes(words, &patterns(lang).read(words), own_words);
        for (rule, at) in found.into_iter().filter(|(rule, _)| !(allowed && *rule == Rule::Advice)) {
            hits.push(GuardHit { rule, words: quoted(sentence, words, &at) });
        }
    }
    hits
}

/// What makes a hint none: the user's own rule, somebody's thought, what Calm declines to say, unless a "but"
/// comes after.
fn taken_back(words: &[Word], own_words: &[&str]) -> bool {
    Lang::ALL.into_iter().any(|lang| {
        let read = patterns(lang).read(words);
        let named = |list: &str, at: usize| read.named(list, at).is_some();
        let mut last = (0..words.len()).rev().take_while(|at| !named("turning", *at));
        last.any(|at| named("thought", at) || named("declining", at)) || own::quotes(words, &read, own_words)
    })
}

/// Whether a reply tells people what they must do; Sufler minds that, the guard does not.
pub(crate) fn lectures(reply: &str, lang: Lang) -> bool {
    says(reply, lang, LECTURE)
}

fn says(reply: &str, lang: Lang, section: usize) -> bool {
    let words = words::of(reply);
    patterns(lang).read(&words).matches().iter().any(|m| m.pattern.section == section)
}

fn quoted(sentence: &str, words: &[Word], at: &Range<usize>) -> String {
    let last = at.end.checked_sub(1).and_then(|i| words.get(i));
    match (words.get(at.start), last) {
        (Some(first), Some(last)) => sentence.get(first.span.start..last.span.end).unwrap_or("").to_owned(),
        _ => String::new(),
    }
}

/// Hits of one language; those of one rule that touch are one.
fn hits_in(before: &str, sentence: &str, words: &[Word], lang: Lang) -> Vec<(Rule, Range<usize>)> {
    let read = patterns(lang).read(words);
    let matches = read.matches();
    if matches.is_empty() {
        return Vec::new();
    }
    let asked = sentence.contains('?');
    let passes: Vec<&Match<'_>> = matches.iter().filter(|m| when(m) == When::Pass).collect();
    let spared = |hit: &Match<'_>| {
        passes
            .iter()
            .any(|pass| pass.pattern.section == hit.pattern.section && pass.start < hit.end && hit.start < pass.end)
    };
    let context = LazyCell::new(|| Before::of(before, lang));
    let counts = |hit: &Match<'_>| match when(hit) {
        When::Always => true,
        When::Told => !asked && !thought(&read, hit),
        When::Foretold => !asked && !thought(&read, hit) && !stands_before(&read, "supposing", hit),
        When::Claimed => !asked && !thought(&read, hit) && !denied(&read, hit),
        When::Answer => context.asks_about_a_trade,
        When::After => context.about_the_market,
        When::Pass => false,
    };
    let mut hits: Vec<(Rule, Range<usize>)> = Vec::new();
    for hit in matches.iter().filter(|m| counts(m) && !spared(m)) {
        let Some(rule) = Rule::ALL.get(hit.pattern.section).copied() else { continue };
        match hits.iter_mut().find(|(r, at)| *r == rule && at.start <= hit.end && hit.start <= at.end) {
            Some((_, at)) => *at = at.start.min(hit.start)..at.end.max(hit.end),
            None => hits.push((rule, hit.start..hit.end)),
        }
    }
    hits
}

fn when(hit: &Match<'_>) -> When {
    WHENS.get(hit.pattern.list).copied().unwrap_or(When::Pass)
}

/// What stood before the sentence.
struct Before {
    asks_about_a_trade: bool,
    about_the_market: bool,
}

impl Before {
    fn of(before: &str, lang: Lang) -> Before {
        // Only its end matters, and a long text must not cost more than a sentence.
        let last = sentences::of(before).pop().unwrap_or_default();
        let words = words::of(&last);
        let read = patterns(lang).read(&words);
        let about_the_market = read.any("market") || read.any("trading");
        let asks_about_a_trade = read.any("trading") && (last.contains('?') || read.any("asking"));
        Before { asks_about_a_trade, about_the_market }
    }
}

/// "Ты хочешь войти", "I don't say whether to enter": nobody is told to.
fn thought(read: &Read<'_>, hit: &Match<'_>) -> bool {
    stands_before(read, "thought", hit) || stands_before(read, "declining", hit)
}

/// Whether a phrase of a list stands shortly before a hit, with no "but" in between.
fn stands_before(read: &Read<'_>, list: &str, hit: &Match<'_>) -> bool {
    for at in (hit.start.saturating_sub(REACH)..hit.start).rev() {
        if read.named("turning", at).is_some() {
            return false;
        }
        if read.named(list, at).is_some_and(|end| end <= hit.end) {
            return true;
        }
    }
    false
}

/// "Я не человек", "не обещаю", "I can't promise".
fn denied(read: &Read<'_>, hit: &Match<'_>) -> bool {
    let negation = |at: usize| read.named("negation", at).is_some();
    let before = (hit.start.saturating_sub(4)..hit.start).rev();
    before.take_while(|at| read.same_clause(*at, hit.start)).any(negation) || hit.skipped.iter().any(|at| negation(*at))
}

/// A reply without what it quotes between «…» or “…”, the marks included.
///
/// For replies that have passed [`check_sentence`]: what is left in quotation marks there is the user's own.
pub fn without_quotations(reply: &str) -> String {
    let mut kept = String::with_capacity(reply.len());
    let mut rest = reply;
    while let Some(from) = rest.find(['«', '“']) {
        let close = if rest[from..].starts_with('«') { '»' } else { '”' };
        let Some(to) = rest[from..].find(close) else { break };
        kept.push_str(&rest[..from]);
        kept.push('…');
        rest = &rest[from + to + close.len_utf8()..];
    }
    kept.push_str(rest);
    kept
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    /// A misspelt list or section would be words that nobody reads.
    #[rstest]
    fn the_data_has_only_names_that_the_code_knows(#[values(Lang::Ru, Lang::En)] lang: Lang) {
        let text = match lang {
            Lang::Ru => include_str!("../../lexicon/ru/guard.toml"),
            Lang::En => include_str!("../../lexicon/en/guard.toml"),
        };
        let file: File = toml::from_str(text).expect("toml");
        for (section, lists) in file.iter().filter(|(section, _)| *section != "words") {
            assert!(SECTIONS.contains(&section.as_str()), "[{section}]");
            for (list, lines) in lists {
                assert!(LISTS.contains(&list.as_str()), "[{section}] {list}");
                for name in lines.iter().flat_map(|line| line.split(['<', '>']).skip(1).step_by(2)) {
                    let known = file.get("words").is_some_and(|words| words.contains_key(name));
                    assert!(known, "[{section}] {list}: <{name}> is no list");
                }
            }
        }
        for rule in Rule::ALL {
            assert_eq!(SECTIONS.get(rule as usize), Some(&rule.name()));
            assert!(file.contains_key(rule.name()), "{rule:?} has no words");
        }
        for name in
            ["thought", "declining", "supposing", "turning", "negation", "filler", "joining", "market", "trading"]
        {
            assert!(file.get("words").is_some_and(|words| words.contains_key(name)), "{name}");
        }
    }

    #[test]
    fn a_hit_quotes_the_words_it_is_about() {
        let hits = check("Понимаю, тяжело. А потом **купи** ещё немного.", Lang::Ru);
        assert_eq!(hits.len(), 1);
        assert_eq!(hits[0].rule, Rule::Advice);
        assert!(hits[0].words.starts_with("купи"), "{hits:?}");
    }

    #[test]
    fn a_reply_in_the_other_language_is_guarded_too() {
        assert_eq!(check("You should buy the dip now.", Lang::Ru)[0].rule, Rule::Advice);
        assert_eq!(check("Купи на откате.", Lang::En)[0].rule, Rule::Advice);
    }
}
