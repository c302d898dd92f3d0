//! The night in words: how it was, whose and which one.

use std::ops::Range;

use super::lexicon::Hit;
use super::numbers::{Number, NumberKind};
use super::readings::looks_back;
use super::scope::Scene;
use super::{Reading, scales};
use crate::end_session::SleepQuality;
use crate::question::Question;

/// In words; `counted` is what hours or a level made of it, which outweighs all but a plain verdict.
pub fn read(
    scene: &Scene<'_>,
    asked: Option<Question>,
    counted: Option<SleepQuality>,
) -> Option<Reading<SleepQuality>> {
    if let Some(better) = second_thought(scene, asked) {
        return Some(better);
    }
    let clock = by_the_clock(scene);
    let is_hour = |h: &Hit<'_>| clock.iter().flat_map(|c| &c.at).any(|at| at.start < h.at.end && h.at.start < at.end);
    // "Sleep was ok, five hours": the verdict on the night comes first, and its figures behind it.
    let is_verdict = |h: &Hit<'_>| h.at.len() > 1 && names_sleep(scene, h) && h.at.start <= scene.after_fillers() + 1;
    let verdict = scene.hits("sleep").find(|h| is_verdict(h) && scene.numbers.iter().all(|n| n.at.start >= h.at.end));
    let mut told: Vec<Reading<SleepQuality>> = scene
        .hits("sleep")
        .filter(|h| !scene.of_another(&h.at) && !scene.supposed(&h.at) && !is_of_another_night(scene, h))
        .filter(|h| !scene.echoed(&h.at) && !is_hour(h))
        .filter_map(|h| {
            let value = match (quality(h.name)?, scene.negated(h)) {
                (good, false) => good,
                (SleepQuality::Poor, true) => SleepQuality::Fair,
                (_, true) => SleepQuality::Poor,
            };
            Some(Reading { value, words: scene.words(&h.at) })
        })
        .collect();
    if let Some(counted) = counted {
        let better = |r: &Reading<SleepQuality>| verdict.is_some() && r.value as u8 > counted as u8;
        told.retain(|r| matches!(r.value, SleepQuality::Poor | SleepQuality::Excellent) || better(r));
    }
    // "Slept ok, not amazing": what is only not great is no poor night.
    let fair = told.iter().find(|r| r.value == SleepQuality::Fair);
    let is_so_so = verdict.is_some_and(|h| h.name == "fair");
    let poor = |h: &Hit<'_>| h.name == "poor" && (names_sleep(scene, h) || !is_so_so);
    if let Some(fair) = fair.filter(|_| !scene.hits("sleep").any(poor)) {
        return Some(fair.clone());
    }
    // A poor night in a few words is poor, whatever else is said of it.
    if let Some(poor) = told.iter().find(|r| r.value == SleepQuality::Poor) {
        return Some(poor.clone());
    }
    let best = told.into_iter().max_by_key(|r| r.value as u8);
    let bare = |hit: &Hit<'_>| Some(Reading { value: quality(hit.name)?, words: scene.words(&hit.at) });
    let mut marks = scene.hits("bare_quality").filter(|h| !scene.negated(h) && !scene.of_another(&h.at));
    match best {
        None if counted.is_some() => None,
        None if clock.is_some() => clock.map(|clock| clock.night),
        None if asked == Some(Question::Sleep) => bare(marks.next()?),
        // "Sleep, well, I lie there most of the night, poor": the night is what all of it is about.
        None if !looks_back(asked) && is_of_the_night(scene) => bare(marks.next_back()?),
        best => best,
    }
}

struct Clock {
    /// The words for going to bed and for getting up, with their hours.
    at: [Range<usize>; 2],
    night: Reading<SleepQuality>,
}

/// "Лёг в три, встал в десять": seven hours, however late it was.
fn by_the_clock(scene: &Scene<'_>) -> Option<Clock> {
    const NEAR: usize = 2;
    let hour = |number: &&Number| match number.kind {
        NumberKind::Time | NumberKind::PerhapsTime | NumberKind::Plain => (1..=24).contains(&number.value),
        _ => false,
    };
    let told = |name: &str| {
        let told = |h: &&Hit<'_>| h.name == name && !scene.of_another(&h.at) && !scene.negated(h);
        scene.hits("clock").filter(told).find_map(|h| {
            let near = |n: &&Number| (h.at.end..=h.at.end + NEAR).contains(&n.figure.start);
            let same = |n: &&Number| scene.tokens.same_clause(h.at.start, n.figure.start);
            let number = scene.numbers.iter().find(|n| near(n) && same(n) && hour(n))?;
            Some((h.at.start..number.at.end, number.value))
        })
    };
    let ((bed, from), (up, to)) = (told("bed")?, told("up")?);
    let value = scales::by_clock(from, to)?;
    let words = scene.words(&(bed.start.min(up.start)..bed.end.max(up.end)));
    Some(Clock { at: [bed, up], night: Reading { value, words } })
}

fn names_sleep(scene: &Scene<'_>, hit: &Hit<'_>) -> bool {
    hit.at.clone().any(|i| scene.lexicon.has_word("scales", "sleep", scene.tokens.norm(i)))
}

/// It begins with the word for sleep and says nothing of a plan.
fn is_of_the_night(scene: &Scene<'_>) -> bool {
    let first = scene.after_fillers();
    scene.hits("scales").any(|h| h.name == "sleep" && (first..=first + 1).contains(&h.at.start))
        && scene.hits("plan").next().is_none()
}

/// "Yesterday I slept badly"; the last night is the one that is asked about.
fn is_of_another_night(scene: &Scene<'_>, hit: &Hit<'_>) -> bool {
    let last_night = |i: usize| (i..i + 2).any(|i| scene.lexicon.has_word("grammar", "night", scene.tokens.norm(i)));
    scene.is_long_ago(&hit.at) && !scene.past_word(&hit.at).is_some_and(last_night)
}

/// "Плохо спал. Точнее, нормально": the night is what the second word makes of it.
fn second_thought(scene: &Scene<'_>, asked: Option<Question>) -> Option<Reading<SleepQuality>> {
    let told = |section: &'static str| {
        scene.hits(section).filter(|h| !scene.of_another(&h.at) && !scene.supposed(&h.at) && !scene.negated(h))
    };
    let nights = || told("sleep").chain(told("bare_quality"));
    let of_the_night = |h: &Hit<'_>| h.section == "sleep" || asked == Some(Question::Sleep);
    let later = nights().filter(|later| {
        let mut earlier = nights().filter(|h| of_the_night(h) && h.name != later.name);
        earlier.any(|h| scene.takes_back(&h.at, &later.at))
    });
    let last = later.max_by_key(|h| h.at.start)?;
    Some(Reading { value: quality(last.name)?, words: scene.words(&last.at) })
}

fn quality(name: &str) -> Option<SleepQuality> {
    match name {
        "poor" => Some(SleepQuality::Poor),
        "fair" => Some(SleepQuality::Fair),
        "good" => Some(SleepQuality::Good),
        "excellent" => Some(SleepQuality::Excellent),
        _ => None,
    }
}
