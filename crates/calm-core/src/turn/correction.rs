//! "Нет, не семь, а пять": a number that takes the place of one said before.

use super::Gathered;
use super::asides::{self, Aside, Asides};
use crate::question::Question;
use crate::understand::{Reading, Said, Scene};

type Level = Option<Reading<u8>>;
type Scale = (fn(&Gathered) -> &Level, fn(&mut Said) -> &mut Level);

/// Longer than this is a story in which somebody said something.
const FEW_WORDS: usize = 12;

const SCALES: [Scale; 5] = [
    (|known| &known.readiness, |said| &mut said.readiness),
    (|known| &known.stress, |said| &mut said.stress),
    (|known| &known.energy, |said| &mut said.energy),
    (|known| &known.satisfaction, |said| &mut said.satisfaction),
    (|known| &known.regret, |said| &mut said.regret),
];

/// Puts the corrected level into `said`, and takes it off whatever scale it was read on.
pub fn apply(scene: &Scene<'_>, known: &Gathered, corrects_calm: bool, said: &mut Said) {
    if said_in_one_breath(scene, said) {
        return;
    }
    let found = denied_and_meant(scene).or_else(|| meant_alone(scene, known, corrects_calm));
    let Some((denied, meant)) = found else { return };
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

/// "Нет, я сказал шесть", "ты не так понял": about what Calm made of it, so its "no" answers nothing else.
pub fn of_calm(text: &str, asides: &Asides, asked: Option<Question>, said: &mut Said) -> bool {
    let words = text.split_whitespace().count();
    let to_oneself = ["себе", "myself"].iter().any(|word| text.to_lowercase().contains(word));
    if said.distress.is_some() || words > FEW_WORDS || to_oneself || !asides.touch(Aside::Corrects) {
        return false;
    }
    if asked == Some(Question::Readiness) && said.readiness.is_none() {
        said.ready = None;
    }
    let by_answer = said.answer.take().map(|answer| answer.words);
    if asked == Some(Question::PlanComparison) && said.plan_adherence.as_ref().map(|p| &p.words) == by_answer.as_ref() {
        said.plan_adherence = None;
    }
    true
}

/// "Семь, ой нет, шесть": the second takes the place of the first on its scale, and is on no other.
fn said_in_one_breath(scene: &Scene<'_>, said: &mut Said) -> bool {
    let [.., first, second] = scene.numbers.as_slice() else { return false };
    let (Some(taken_back), Some(level)) = (first.level(), second.level()) else { return false };
    if !asides::takes_back(scene, first.at.end, second.at.start) {
        return false;
    }
    let words = scene.words(&second.at);
    let on = |(_, slot): &&Scale| slot(&mut said.clone()).as_ref().is_some_and(|r| r.value == taken_back);
    let Some((_, slot)) = SCALES.iter().find(on) else { return false };
    for (_, other) in &SCALES {
        if other(said).as_ref().is_some_and(|r| r.value == level) {
            *other(said) = None;
        }
    }
    *slot(said) = Some(Reading { value: level, words });
    true
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
fn meant_alone(scene: &Scene<'_>, known: &Gathered, corrects_calm: bool) -> Option<(u8, Reading<u8>)> {
    let [number] = scene.numbers.as_slice() else { return None };
    let corrects =
        corrects_calm || scene.hits("manner").any(|hit| hit.name == "corrects" && hit.at.end <= number.at.start);
    let mut levels = SCALES.iter().filter_map(|(of, _)| of(known).as_ref().map(|r| r.value));
    let (only, more) = (levels.next()?, levels.next());
    let named = scene.hits("scales").next().is_some();
    if !corrects || more.is_some() || named {
        return None;
    }
    Some((only, Reading { value: number.level()?, words: scene.words(&number.at) }))
}
