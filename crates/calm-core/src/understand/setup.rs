//! A plan that nobody calls one: "short kiwi dollar if it fails at sixty one".
//!
//! What is traded, what is done with it and where: two of the three make a setup, and a line about
//! the night, a feeling or another person makes none.

use super::lexicon::Hit;
use super::scope::Scene;
use super::{Intent, Reading, Said, plan};
use crate::question::Question;

pub fn read(scene: &Scene<'_>, asked: Option<Question>, said: &Said) -> Option<Reading<String>> {
    use Intent::{AsksAdvice, AsksCalculation, AsksCalendar, AsksHistory, WantsReminder};
    let asks = [AsksAdvice, AsksCalculation, AsksCalendar, AsksHistory, WantsReminder];
    if asked == Some(Question::Safety) || asks.iter().any(|i| said.intends(*i)) {
        return None;
    }
    let own = |h: &&Hit<'_>| !scene.past(&h.at) && !scene.negated(h) && !by_another(scene, h);
    let hits: Vec<&Hit<'_>> = scene.hits("setup").filter(own).collect();
    let first = hits.first()?.at.start;
    let last = hits.iter().map(|h| h.at.end).max()?;
    let told = |name: &str| hits.iter().any(|h| h.name == name);
    let (acts, places, traded) = (told("acts"), told("places"), told("instruments"));
    // "Gold is at the high" says where it is and nothing of what is done with it.
    let stands = (first..last).any(|i| scene.is("stands", i));
    let whole = acts && (places || traded) || places && traded && !stands;
    let (start, end) = plan::bounds(scene, first, last);
    let done = (scene.tokens.clause_range(first).start..last).any(|i| scene.is("done", i));
    (whole && !done && end > start).then(|| plan::kept(&scene.words(&(start..end)))).flatten()
}

/// "Gold" and "bitcoin" are whom a loss may be of, and what one trades as well.
fn by_another(scene: &Scene<'_>, hit: &Hit<'_>) -> bool {
    let person = |i: usize| scene.is("other_people", i) && !scene.hits("setup").any(|h| h.at.contains(&i));
    scene.of_another(&hit.at) && scene.before(hit.at.start).any(person)
}
