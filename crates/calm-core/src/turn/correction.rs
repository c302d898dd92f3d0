//! "Нет, не семь, а пять": a number that takes the place of one said before.

use super::Gathered;
use crate::understand::{Reading, Said, Scene};

type Level = Option<Reading<u8>>;
type Scale = (fn(&Gathered) -> &Level, fn(&mut Said) -> &mut Level);

const SCALES: [Scale; 5] = [
    (|known| &known.readiness, |said| &mut said.readiness),
    (|known| &known.stress, |said| &mut said.stress),
    (|known| &known.energy, |said| &mut said.energy),
    (|known| &known.satisfaction, |said| &mut said.satisfaction),
    (|known| &known.regret, |said| &mut said.regret),
];

/// Puts the corrected level into `said`, and takes it off whatever scale it was read on.
pub fn apply(scene: &Scene<'_>, known: &Gathered, said: &mut Said) {
    let Some((denied, meant)) = denied_and_meant(scene).or_else(|| meant_alone(scene, known)) else { return };
    let Some((_, slot)) = SCALES.iter().find(|(of, _)| of(known).as_ref().is_some_and(|r| r.value == denied)) else {
        return;
    };
    for (_, other) in &SCALES {
        let level = other(said);
        if level.as_ref().is_some_and(|r| r.value == denied || r.value == meant.value) {
            *level = None;
        }
    }
    *slot(said) = Some(meant);
}

/// "Не семь, а пять"; "пять, а не семь".
fn denied_and_meant(scene: &Scene<'_>) -> Option<(u8, Reading<u8>)> {
    let mut denied = None;
    let mut meant = None;
    for number in &scene.numbers {
        let level = number.level()?;
        let before = number.figure.start.checked_sub(1).map_or("", |at| scene.tokens.norm(at));
        if scene.lexicon.has_word("grammar", "negation", before) && before != "нет" && before != "no" {
            denied = Some(level);
        } else {
            meant = Some(Reading { value: level, words: scene.words(&number.at) });
        }
    }
    denied.zip(meant)
}

/// "Точнее, пять", where only one level is known that it could be about.
fn meant_alone(scene: &Scene<'_>, known: &Gathered) -> Option<(u8, Reading<u8>)> {
    let [number] = scene.numbers.as_slice() else { return None };
    let corrects = scene.hits("manner").any(|hit| hit.name == "corrects" && hit.at.end <= number.at.start);
    let mut levels = SCALES.iter().filter_map(|(of, _)| of(known).as_ref().map(|r| r.value));
    let (only, more) = (levels.next()?, levels.next());
    let named = scene.hits("scales").next().is_some();
    if !corrects || more.is_some() || named {
        return None;
    }
    Some((only, Reading { value: number.level()?, words: scene.words(&number.at) }))
}
