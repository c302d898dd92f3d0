//! Who says that they are not of age: "мне 15 лет", "im fifteen", "I'm under 18" (SPEC H2).

use super::numbers::{Number, NumberKind};
use super::scope::Scene;
use super::{Intent, Reading};

/// Of age from here on, in years.
const ADULT: u64 = 18;
/// Below this nobody types or says it of themselves.
const YOUNGEST: u64 = 7;
/// A bare number up to here may as well be a level of readiness or stress.
const LEVELS: u64 = 10;

pub fn minor(scene: &Scene<'_>) -> Option<Reading<Intent>> {
    let own = |n: &&Number| !scene.of_another(&n.at) && !scene.supposed(&n.at) && !scene.past(&n.at);
    let number = scene.numbers.iter().filter(own).find(|n| is_age(scene, n))?;
    Some(Reading { value: Intent::Minor, words: scene.words(&(number.figure.start.saturating_sub(1)..number.at.end)) })
}

/// Led by "im" or "мне", and followed by years that are an age, or by little else.
fn is_age(scene: &Scene<'_>, number: &Number) -> bool {
    let (start, end) = (number.figure.start, number.figure.end);
    if !(YOUNGEST..ADULT).contains(&number.value) || number.sign.is_some() || !number.hundredths.is_multiple_of(100) {
        return false;
    }
    let lead = scene.before(start).find(|i| !scene.is("on", *i) && !scene.is("filler", *i));
    let led = lead.is_some_and(|i| scene.is("age_lead", i));
    let follows = |at: usize, name: &str| scene.tokens.same_clause(start, at) && scene.is(name, at);
    let years = follows(end, "years");
    let (after, ends) = if years { (end + 1, "no_age_after") } else { (end, "age_after") };
    let more = scene.tokens.same_clause(start, after);
    // "Мне 15 лет назад говорили", "I'm 15 years in".
    let aged = years && !(more && scene.is(ends, after));
    let goes_on = ["age_after", "and", "filler"].iter().any(|name| scene.is(name, after));
    let bare = !years && number.value > LEVELS && number.kind == NumberKind::Plain && (!more || goes_on);
    led && (aged || bare)
}
