//! Which number belongs to which scale: readiness, stress, energy, regret, satisfaction, sleep.

use super::numbers::{Number, NumberKind};
use super::scope::Scene;
use super::{Reading, Said};
use crate::end_session::SleepQuality;
use crate::question::Question;

/// A scale's name may stand this many words away from its number.
const FAR: usize = 8;
/// "Ready" is also an ordinary word, so its number must be close.
const CLOSE: usize = 3;

pub fn read(scene: &Scene<'_>, asked: Option<Question>, said: &mut Said) {
    let mut taken: Vec<usize> = Vec::new();
    let mut unclaimed: Vec<&Number> = Vec::new();
    for number in scene.numbers.iter().filter(|n| n.sign.is_none()) {
        match topic_of(scene, number, &taken) {
            Some(topic) => {
                let hit = &scene.hits[topic];
                let start = hit.at.start.min(number.at.start);
                let end = hit.at.end.max(number.at.end);
                if put(hit.name, number, scene.words(&(start..end)), said) {
                    taken.push(topic);
                } else {
                    unclaimed.push(number);
                }
            }
            None => unclaimed.push(number),
        }
    }
    answer(scene, asked, &unclaimed, said);
}

/// The position in `scene.hits` of the scale that the number is on.
fn topic_of(scene: &Scene<'_>, number: &Number, taken: &[usize]) -> Option<usize> {
    let at = number.at.start;
    let topics = || scene.hits.iter().enumerate().filter(|(i, h)| h.section == "scales" && !taken.contains(i));
    let suits = |name: &str, distance: usize, same_clause: bool| {
        let adjective = name == "ready";
        match number.kind {
            NumberKind::Hours => name == "sleep",
            NumberKind::OutOfTen | NumberKind::Percent => true,
            NumberKind::Plain if adjective => same_clause && distance <= CLOSE,
            NumberKind::Weak => !adjective && distance == 0,
            NumberKind::PerhapsTime => !adjective && same_clause,
            NumberKind::Plain => true,
            _ => false,
        }
    };
    let behind = topics()
        .filter(|(_, h)| h.at.end <= at)
        .filter(|(_, h)| {
            let distance = at - h.at.end;
            let near = scene.tokens.same_sentence(h.at.start, at) && distance <= FAR || distance == 0;
            near && suits(h.name, distance, scene.tokens.same_clause(h.at.start, at))
        })
        .max_by_key(|(_, h)| h.at.end);
    let ahead = topics()
        .filter(|(_, h)| h.at.start >= number.at.end && scene.tokens.same_clause(at, h.at.start))
        .filter(|(_, h)| suits(h.name, h.at.start - number.at.end, true))
        .filter(|(_, h)| {
            let between = number.at.end..h.at.start;
            !scene.numbers.iter().any(|n| between.contains(&n.at.start))
        })
        .min_by_key(|(_, h)| h.at.start);
    match (behind, ahead) {
        (Some((i, h)), _) if scene.tokens.same_clause(h.at.start, at) => Some(i),
        (_, Some((i, _))) => Some(i),
        (behind, None) => behind.map(|(i, _)| i),
    }
}

fn put(scale: &str, number: &Number, words: String, said: &mut Said) -> bool {
    if scale == "sleep" {
        let quality = match number.kind {
            NumberKind::Hours => Some(by_hours(number.value)),
            _ => number.level().map(by_level),
        };
        return match quality {
            Some(value) => {
                said.sleep.get_or_insert(Reading { value, words });
                true
            }
            None => false,
        };
    }
    let slot = match scale {
        "readiness" | "ready" => &mut said.readiness,
        "stress" => &mut said.stress,
        "energy" => &mut said.energy,
        "regret" => &mut said.regret,
        _ => &mut said.satisfaction,
    };
    match number.level() {
        Some(value) => {
            *slot = Some(Reading { value, words });
            true
        }
        None => false,
    }
}

/// A number without a scale's name is an answer to what was asked, if that was a number.
fn answer(scene: &Scene<'_>, asked: Option<Question>, unclaimed: &[&Number], said: &mut Said) {
    let short = scene.tokens.len() <= 4;
    let fits = |n: &&&Number| match n.kind {
        NumberKind::OutOfTen | NumberKind::Percent | NumberKind::Plain => n.level().is_some(),
        NumberKind::Weak | NumberKind::PerhapsTime => short && n.level().is_some(),
        _ => false,
    };
    let marked = |n: &&&Number| matches!(n.kind, NumberKind::OutOfTen | NumberKind::Percent);
    let corrected = |n: &&&Number| scene.preceded_by_correction(n.at.start);
    let chosen = unclaimed
        .iter()
        .filter(fits)
        .rfind(corrected)
        .or_else(|| unclaimed.iter().filter(fits).find(marked))
        .or_else(|| unclaimed.iter().find(fits));
    match asked {
        Some(Question::Readiness | Question::AfterPractice) if said.readiness.is_none() => {
            if let Some((number, value)) = chosen.and_then(|n| Some((n, n.level()?))) {
                said.readiness = Some(Reading { value, words: scene.words(&number.at) });
            }
        }
        Some(Question::Satisfaction) if said.satisfaction.is_none() => {
            if let Some((number, value)) = chosen.and_then(|n| Some((n, n.level()?))) {
                said.satisfaction = Some(Reading { value, words: scene.words(&number.at) });
            }
        }
        Some(Question::Sleep) if said.sleep.is_none() => {
            let hours = unclaimed.iter().find(|n| n.kind == NumberKind::Hours);
            let reading = match (hours, chosen) {
                (Some(n), _) => Some((by_hours(n.value), n)),
                (None, Some(n)) => n.level().map(|level| (by_level(level), n)),
                (None, None) => None,
            };
            said.sleep = reading.map(|(value, number)| Reading { value, words: scene.words(&number.at) });
        }
        _ => {}
    }
}

impl Scene<'_> {
    /// "Семь, нет, восемь": the figure after the correction is meant.
    fn preceded_by_correction(&self, at: usize) -> bool {
        at.checked_sub(1).is_some_and(|before| self.lexicon.has_word("grammar", "correction", self.tokens.norm(before)))
    }
}

fn by_hours(hours: u64) -> SleepQuality {
    match hours {
        0..=5 => SleepQuality::Poor,
        6 => SleepQuality::Fair,
        _ => SleepQuality::Good,
    }
}

fn by_level(level: u8) -> SleepQuality {
    match level {
        0..=4 => SleepQuality::Poor,
        5..=6 => SleepQuality::Fair,
        7..=8 => SleepQuality::Good,
        _ => SleepQuality::Excellent,
    }
}
