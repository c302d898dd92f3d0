//! Yes or no, where the utterance is one or opens with one.

use super::lexicon::Hit;
use super::scope::Scene;
use super::{Answer, Reading};
use crate::question::Question;

/// To a question about "how" or "what", only an utterance this short can be a plain yes or no.
const CURT: usize = 2;

pub fn read(scene: &Scene<'_>, asked: Option<Question>) -> Option<Reading<Answer>> {
    let reading = |value: Answer, at: &std::ops::Range<usize>| Some(Reading { value, words: scene.words(at) });
    let first = scene.after_fillers();
    let consent = matches!(asked, None | Some(Question::Practice));
    if !takes_yes_or_no(asked) && scene.tokens.len() > first + CURT && !opens_and_stops(scene, first) {
        return None;
    }
    // "Да нет, всё нормально": that all is well is what was asked.
    if matches!(asked, Some(Question::Probe | Question::Safety))
        && let Some(well) = scene.stated("all_well").next()
    {
        return reading(Answer::Yes, &well.at);
    }
    // Consent has to be whole: "да, но не сейчас" is a no, and so is "да ладно тебе не надо".
    let ends = |h: &Hit<'_>| asked == Some(Question::Practice) && h.at.end == scene.tokens.len();
    if consent
        && let Some(refusal) = scene
            .hits("consent")
            .find(|h| h.name == Answer::No.name() && (scene.leads_its_clause(h.at.start) || ends(h)))
    {
        return reading(Answer::No, &refusal.at);
    }
    let opening =
        scene.hits("answer").filter(|h| h.at.start <= first && !is_mere_negation(scene, h)).max_by_key(|h| h.at.end);
    let agreed = || scene.hits("consent").find(|h| consent && h.at.start <= first + 1 && h.name == Answer::Yes.name());
    // "Так что нет" at the end.
    let concluding = || scene.hits("answer").rfind(|h| h.at.end == scene.tokens.len() && concludes(scene, h.at.start));
    let Some(hit) = opening.or_else(agreed).or_else(concluding) else {
        let last = agreed_at_last(scene).filter(|_| asked == Some(Question::Practice))?;
        return reading(Answer::Yes, &last.at);
    };
    let named = Answer::named(hit.name)?;
    if named == Answer::Yes && scene.is("hedge", hit.at.end) && scene.tokens.same_clause(hit.at.start, hit.at.end) {
        // "Да никак", "да ничего": a particle, no answer.
        return None;
    }
    // "I am five today."
    let is_ready = scene.hits("ready").any(|h| h.at.start < hit.at.end && hit.at.start < h.at.end);
    let counted = scene.numbers.iter().any(|n| n.figure.start == hit.at.end)
        && scene.tokens.same_clause(hit.at.start, hit.at.end)
        && hit.at.clone().any(|i| scene.is("first_person", i));
    if counted && !is_ready {
        return None;
    }
    let denied = named == Answer::Yes && scene.negated(hit);
    reading(if denied { Answer::No } else { named }, &hit.at)
}

fn takes_yes_or_no(asked: Option<Question>) -> bool {
    matches!(
        asked,
        None | Some(
            Question::Readiness
                | Question::Stressors
                | Question::PlanComparison
                | Question::Probe
                | Question::GoOn
                | Question::Practice
                | Question::AfterPractice
                | Question::Safety
                | Question::More
        )
    )
}

/// "Не моё сегодня" denies; only "не, …" refuses.
pub fn is_mere_negation(scene: &Scene<'_>, hit: &Hit<'_>) -> bool {
    hit.at.len() == 1 && scene.is("negation_bare", hit.at.start) && scene.tokens.same_clause(hit.at.start, hit.at.end)
}

/// A clause of its own: "нет. …", "да, …".
fn opens_and_stops(scene: &Scene<'_>, first: usize) -> bool {
    let hit = scene.hits("answer").find(|h| h.at.start <= first && h.at.end > first);
    hit.is_some_and(|h| h.name == Answer::No.name() && !scene.tokens.same_sentence(h.at.start, h.at.end))
}

/// "Минут на пять, не больше, давай".
fn agreed_at_last<'s>(scene: &'s Scene<'_>) -> Option<&'s Hit<'static>> {
    let denied = |h: &Hit<'_>| h.at.start.checked_sub(1).is_some_and(|i| scene.is("negation", i));
    scene.hits("consent").find(|h| h.at.end == scene.tokens.len() && h.name == Answer::Yes.name() && !denied(h))
}

/// "Так что нет", "в общем да".
fn concludes(scene: &Scene<'_>, at: usize) -> bool {
    scene.hits("concluding").any(|h| h.at.end == at)
}

impl Scene<'_> {
    /// The first word that says something: not "ну", "вот", "слушай".
    pub fn after_fillers(&self) -> usize {
        (0..self.tokens.len()).find(|i| !self.is("filler", *i)).unwrap_or(0)
    }

    fn leads_its_clause(&self, at: usize) -> bool {
        let clause = self.tokens.clause_range(at);
        (clause.start..at).all(|i| self.is("filler", i) || self.is("clause", i))
    }
}
