//! What people decide for themselves: a break, and a practice that nobody had offered.

use super::lexicon::Hit;
use super::scope::Scene;
use super::{Intent, Reading};

/// A practice and the word that agrees to it stand at most this many words apart.
const NEAR: usize = 4;

/// "Возьму паузу на неделю" is a break, "no, I don't want a break" is none; the last word counts.
pub fn own_break(scene: &Scene<'_>) -> Option<Reading<bool>> {
    let own = |h: &&Hit<'_>| !scene.of_another(&h.at) && !scene.supposed(&h.at) && !scene.is_long_ago(&h.at);
    let hit = scene.hits("pause").rfind(own)?;
    let value = hit.name == "takes" && !scene.negated(hit);
    Some(Reading { value, words: scene.words(&hit.at) })
}

/// "Упражнение? Ну давай", "breathing, yeah, go ahead": named and agreed to in one breath.
pub fn practice(scene: &Scene<'_>) -> Option<Reading<Intent>> {
    let meant = |h: &&Hit<'_>| {
        !scene.negated(h) && !scene.of_another(&h.at) && !scene.supposed(&h.at) && !scene.is_long_ago(&h.at)
    };
    let agreed: Vec<&Hit<'_>> = scene.hits("practice_wish").filter(|h| h.name == "agreed" && meant(h)).collect();
    let refused = |from: usize, to: usize| (from..to).any(|i| scene.is("negation", i));
    let pair = |named: &Hit<'_>| {
        agreed.iter().find_map(|a| {
            let (from, to) = if a.at.start >= named.at.end {
                (named.at.end, a.at.start)
            } else if a.at.end <= named.at.start {
                (a.at.end, named.at.start)
            } else {
                return None;
            };
            (to - from <= NEAR && !refused(from, to))
                .then_some(named.at.start.min(a.at.start)..named.at.end.max(a.at.end))
        })
    };
    let at = scene.hits("practice_wish").filter(|h| h.name == "named" && meant(h)).find_map(pair)?;
    Some(Reading { value: Intent::WantsPractice, words: scene.words(&at) })
}
