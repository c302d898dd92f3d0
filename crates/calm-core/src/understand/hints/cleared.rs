//! What takes a hint back: the same that takes back a pattern's hit.
//!
//! A hint has no words of its own to look around, so it is judged once more without the words
//! that are of somebody else, of long ago or a figure of speech, and has to stand without them.

use std::collections::BTreeSet;
use std::ops::Range;

use super::super::scope::Scene;
use super::super::{Distress, readings};

/// The tokens that say nothing of the speaker's own distress.
pub fn tokens(scene: &Scene<'_>, text: &str) -> BTreeSet<usize> {
    let all = 0..scene.tokens.len();
    if readings::is_joke(scene, text) || scene.hits("denies_distress").any(|h| !scene.of_another(&h.at)) {
        return all.collect();
    }
    let figures = ["figures_of_speech", "not_distress"].into_iter().flat_map(|section| scene.hits(section));
    let mut taken: BTreeSet<usize> = figures.flat_map(|hit| hit.at.clone()).collect();
    // A pattern heard it, and its hit did not stand: so the whole clause does not.
    let refuted = scene.hits("distress").filter(|h| Distress::named(h.name).is_some());
    for hit in refuted.chain(scene.hits("long_ago")) {
        taken.extend(scene.tokens.clause_range(hit.at.start));
    }
    let mut start = all.start;
    while start < all.end {
        let clause = scene.tokens.clause_range(start);
        start = clause.end.max(start + 1);
        if is_of_another(scene, &clause) {
            taken.extend(clause);
        }
    }
    taken
}

/// "Друг продал квартиру", "he said he was done": the clause has a subject, and it is not the speaker.
fn is_of_another(scene: &Scene<'_>, clause: &Range<usize>) -> bool {
    let subject = clause.clone().find(|i| scene.is("other_people", *i));
    let owner = scene.hits("others").find(|h| clause.contains(&h.at.start)).map(|h| h.at.end - 1);
    let predicate = subject.into_iter().chain(owner).min().map_or(clause.start, |i| i + 1);
    predicate < clause.end && scene.of_another(&(predicate..clause.end))
}
