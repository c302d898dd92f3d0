//! What the speaker feels, and what they no longer feel.

use std::ops::Range;

use super::lexicon::Hit;
use super::scope::{Scene, is_past_verb};
use super::{Feeling, Felt, Reading};
use crate::question::Question;

/// A verdict like "нормально" is a state only where little else stands beside it.
const FEW: usize = 4;

pub fn read(scene: &Scene<'_>, asked: Option<Question>) -> Vec<Reading<Felt>> {
    let named =
        scene.stated("feelings").filter(|h| !is_over(scene, h) && !is_about_sleep(scene, h) && !is_counted(scene, h));
    let verdicts = scene.stated("bare_feelings").filter(|h| is_verdict(scene, h, asked));
    let mut hits: Vec<&Hit<'_>> = named.chain(verdicts).collect();
    hits.sort_by_key(|h| (h.at.start, std::cmp::Reverse(h.at.end)));
    let settled =
        hits.iter().filter(|h| Feeling::named(h.name).is_some_and(|f| !f.is_heavy())).map(|h| h.at.start).max();
    let mut found: Vec<Reading<Felt>> = Vec::new();
    for hit in &hits {
        let Some(feeling) = Feeling::named(hit.name) else { continue };
        let settled = feeling.is_heavy() && settled.is_some_and(|at| at > hit.at.start) && was(scene, hit);
        let again = hits.iter().any(|h| h.name != hit.name && scene.takes_back(&hit.at, &h.at));
        if settled || again || is_courtesy(feeling, asked) {
            continue;
        }
        match found.iter_mut().find(|f| f.value.feeling == feeling) {
            Some(known) => known.value.strength = known.value.strength.max(scene.strength(&hit.at)),
            None => {
                let felt = Felt { feeling, strength: scene.strength(&hit.at) };
                found.push(Reading { value: felt, words: scene.words(&hit.at) });
            }
        }
    }
    found
}

/// "Устал. Точнее, спокоен": what shows in the first word is of no feeling that lasts.
pub fn taken_back(scene: &Scene<'_>, at: &Range<usize>) -> bool {
    let felt = |h: &&Hit<'_>| h.at.start < at.end && at.start < h.at.end;
    let again =
        |first: &Hit<'_>| scene.stated("feelings").any(|h| h.name != first.name && scene.takes_back(&first.at, &h.at));
    scene.hits("feelings").filter(felt).any(again)
}

/// "Спал хорошо" and "didn't sleep great" say nothing of the mood.
fn is_about_sleep(scene: &Scene<'_>, hit: &Hit<'_>) -> bool {
    let bed = |at: usize| scene.lexicon.has_word("scales", "sleep", scene.tokens.norm(at));
    let inside = scene.hits("sleep").any(|s| s.at.start < hit.at.end && hit.at.start < s.at.end);
    inside || hit.at.start.checked_sub(1).is_some_and(bed)
}

/// "Нервы пять" is a level, not a feeling beside it.
fn is_counted(scene: &Scene<'_>, hit: &Hit<'_>) -> bool {
    let on_scale = scene.hits("scales").any(|s| s.at.start < hit.at.end && hit.at.start < s.at.end);
    on_scale && scene.numbers.iter().any(|n| scene.tokens.same_clause(hit.at.start, n.at.start) && n.level().is_some())
}

/// "Да нормально", not "нормально заработал".
fn is_verdict(scene: &Scene<'_>, hit: &Hit<'_>, asked: Option<Question>) -> bool {
    let clause = scene.tokens.clause_range(hit.at.start);
    let personal = matches!(
        asked,
        None | Some(Question::HowAreYou | Question::HowWasIt | Question::Feelings | Question::AfterPractice)
    );
    let of_else = ["result", "bare_result", "adherence", "plan", "sleep", "scales", "exits", "stressors"]
        .iter()
        .flat_map(|section| scene.hits(section))
        // "Ровно" is a day as well as a state, and the state was asked for.
        .filter(|h| h.at != hit.at || !matches!(asked, Some(Question::HowAreYou | Question::Feelings)))
        .any(|h| h.at.start < clause.end && clause.start < h.at.end);
    personal && clause.len() <= FEW && !of_else && !is_about_sleep(scene, hit)
}

/// "Хорошо, давай" accepts; it does not tell how one is.
fn is_courtesy(feeling: Feeling, asked: Option<Question>) -> bool {
    let about_something_else = matches!(
        asked,
        Some(
            Question::Readiness
                | Question::Sleep
                | Question::Stressors
                | Question::Plan
                | Question::RiskAppetite
                | Question::Practice
                | Question::Safety
                | Question::Probe
                | Question::More
        )
    );
    let of_the_day = feeling == Feeling::Joy && asked == Some(Question::Satisfaction)
        // "Everything is calm here": at home, that is.
        || feeling == Feeling::Calm && asked == Some(Question::Stressors);
    of_the_day || feeling == Feeling::Neutral && about_something_else
}

/// "Вчера злился" is over; "вчера слил и злюсь" and "волнуюсь после вчерашнего" are not.
fn is_over(scene: &Scene<'_>, hit: &Hit<'_>) -> bool {
    let present = hit.at.clone().any(|i| scene.tokens.norm(i).ends_with("юсь"));
    // "Just a normal tuesday, feeling neutral".
    let now = hit.at.start.checked_sub(1).is_some_and(|i| scene.is("feels_now", i));
    !present && !now && scene.is_long_ago(&hit.at)
}

/// "Злость была, к обеду прошла", "так переживала": it is told as something that was.
fn was(scene: &Scene<'_>, hit: &Hit<'_>) -> bool {
    let clause = scene.tokens.clause_range(hit.at.start);
    let verb = hit.at.clone().any(|i| is_past_verb(scene.tokens.norm(i)));
    verb || clause.into_iter().any(|i| scene.is("was", i))
}
