//! What weighs from outside, in the user's own words.

use std::ops::Range;

use super::lexicon::Hit;
use super::scope::Scene;
use super::{Answer, Feeling, Said};
use crate::question::Question;

/// Longer answers to "what weighs on you" are cut at this many words.
const STRESSOR_WORDS: usize = 12;
/// So many words behind what names a burden belong to it.
const AFTER: usize = 4;

pub fn read(scene: &Scene<'_>, asked: Option<Question>, said: &Said) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    // A family's troubles are the user's own, other people's debts are not.
    let own = |h: &&Hit<'_>| h.name == "family" || !scene.of_another(&h.at);
    let told = |h: &&Hit<'_>| !scene.negated(h) && !scene.preceded_by("supposing_only", h.at.start) && own(h);
    for hit in scene.hits("stressors").filter(told).filter(|h| asked != Some(Question::Sleep) || h.name != "family") {
        let at = if hit.name == "weighs" { what_weighs(scene, hit) } else { clause_around(scene, hit) };
        add(&mut found, scene.words(&at));
    }
    for at in causes(scene) {
        add(&mut found, scene.words(&at));
    }
    let nothing = said.answers(Answer::No) || said.unsure || scene.hits("nothing").next().is_some();
    // An answer to something else is no stressor.
    let about_else = said.readiness.is_some()
        || said.ready.is_some()
        || said.risk_appetite.is_some()
        || said.plan.is_some()
        || said.setup.is_some()
        || said.result.is_some()
        || said.sleep.is_some()
        || !said.intents.is_empty()
        // «Жене лучше» is no worry, «жене лучше не знать» may be one.
        || scene.hits("not_stressors").any(|h| !scene.is("negation", h.at.end))
        || scene.is_bare();
    if !found.is_empty() && asked == Some(Question::Stressors) && !nothing {
        // All of an answer to this question is the burden.
        return vec![scene.words(&(0..scene.tokens.len().min(2 * STRESSOR_WORDS)))];
    }
    if found.is_empty() && asked == Some(Question::Stressors) && !nothing && !about_else && scene.tokens.len() >= 1 {
        let end = scene.tokens.len().min(STRESSOR_WORDS);
        let only_yes = said.answers(Answer::Yes) && scene.tokens.len() <= 2;
        if !only_yes {
            found.push(scene.words(&(0..end)));
        }
    }
    found
}

/// The burden in its own clause, cut short where the clause runs on.
fn clause_around(scene: &Scene<'_>, hit: &Hit<'_>) -> Range<usize> {
    const BEFORE: usize = 3;
    let first = scene.tokens.clause_range(hit.at.start);
    let last = scene.tokens.clause_range(hit.at.end.saturating_sub(1));
    let start = first.start.max(hit.at.start.saturating_sub(BEFORE));
    let end = last.end.min(hit.at.end + AFTER);
    let skip = (start..hit.at.start).take_while(|i| scene.is("filler", *i) || scene.is("clause", *i)).count();
    start + skip..end
}

fn add(found: &mut Vec<String>, words: String) {
    if !words.is_empty() && !found.contains(&words) {
        found.push(words);
    }
}

/// "The agent is driving me nuts", "the conference is this week, so that's hanging over me": all that led up to it.
fn what_weighs(scene: &Scene<'_>, hit: &Hit<'_>) -> Range<usize> {
    let clause = scene.tokens.clause_range(hit.at.start);
    let refers = (clause.start..=hit.at.start).any(|i| scene.is("refers_back", i));
    let earlier = clause.start.checked_sub(1).filter(|i| refers && scene.tokens.same_sentence(*i, hit.at.start));
    let first = earlier.map_or(clause.start, |i| scene.tokens.clause_range(i).start);
    let from = first.max(hit.at.start.saturating_sub(STRESSOR_WORDS));
    let start =
        (from..hit.at.start).find(|i| !scene.is("filler", *i) && !scene.is("clause", *i)).unwrap_or(hit.at.start);
    start..(hit.at.end + AFTER).min(clause.end).max(hit.at.end)
}

/// "Stress four because of the audit": what stands behind the reason for strain or a bad night.
fn causes(scene: &Scene<'_>) -> Vec<Range<usize>> {
    const NEAR: usize = 10;
    let strain_before = |at: usize| {
        let near = |h: &&Hit<'_>| h.at.end <= at && at - h.at.end <= NEAR && scene.tokens.same_sentence(h.at.start, at);
        let scales = scene.hits("scales").filter(near).filter(|h| matches!(h.name, "stress" | "sleep"));
        let nights = scene.hits("sleep").filter(near).filter(|h| h.name == "poor" || scene.negated(h));
        let feelings = scene.hits("feelings").filter(near).filter(|h| scene.is_stated(h) && is_heavy(h.name));
        scales.chain(nights).chain(feelings).map(|h| h.at.end).max()
    };
    let of_trading = |at: &Range<usize>| {
        let inside = |h: &Hit<'_>| at.start <= h.at.start && h.at.start < at.end;
        ["setup", "result", "signs", "plan"].iter().any(|s| scene.hits(s).any(inside))
            || at.clone().any(|i| scene.is("market", i))
    };
    let behind = scene.hits("causes").filter_map(|h| {
        let strain = strain_before(h.at.start)?;
        let end = scene.tokens.clause_range(h.at.end).end.min(h.at.end + STRESSOR_WORDS / 2);
        // "It hurts, I argued with my brother over money": what was told of it on the way belongs to it.
        let clause = scene.tokens.clause_range(h.at.start).start;
        let start = (clause..h.at.start).find(|i| !scene.is("filler", *i)).filter(|_| strain <= clause);
        Some(start.unwrap_or(h.at.end)..end)
    });
    behind.filter(|at| !at.is_empty() && !of_trading(at)).collect()
}

fn is_heavy(name: &str) -> bool {
    Feeling::named(name).is_some_and(Feeling::is_heavy)
}
