//! From hits to readings: feelings, sleep, adherence, signs, intents, distress.

use super::lexicon::Hit;
use super::scope::Scene;
use super::{Answer, Distress, Feeling, Felt, Intent, Reading, Said, Sign};
use super::{amounts, plan, scales};
use crate::end_session::{PlanAdherence, RiskAppetite, SleepQuality};
use crate::lang::Lang;
use crate::question::Question;

/// A goodbye or a refusal in one word counts only when little else is said.
const FEW_WORDS: usize = 5;
/// Longer answers to "what weighs on you" are cut at this many words.
const STRESSOR_WORDS: usize = 12;

pub fn read(text: &str, lang: Lang, asked: Option<Question>) -> Said {
    let scene = Scene::of(text, lang);
    let mut said = Said { answer: answer(&scene), ..Said::default() };
    scales::read(&scene, asked, &mut said);
    amounts::read(&scene, asked, &mut said);
    plan::read(&scene, asked, &mut said);
    said.ready = ready(&scene);
    said.feelings = feelings(&scene, asked);
    if let Some(sleep) = sleep(&scene, asked) {
        said.sleep = Some(sleep);
    }
    said.stressors = stressors(&scene, asked, &said);
    said.risk_appetite = risk_appetite(&scene, asked);
    said.plan_adherence = adherence(&scene, asked, &said);
    said.signs = signs(&scene);
    said.intents = intents(&scene);
    said.distress = distress(&scene);
    said
}

pub fn distress_in_any_language(text: &str) -> Option<Reading<Distress>> {
    Lang::ALL.into_iter().find_map(|lang| distress(&Scene::of(text, lang)))
}

/// Each sign once, with the first words that show it.
fn signs(scene: &Scene<'_>) -> Vec<Reading<Sign>> {
    let mut found: Vec<Reading<Sign>> = Vec::new();
    for hit in scene.stated("signs") {
        let Some(value) = Sign::named(hit.name) else { continue };
        if !found.iter().any(|s| s.value == value) {
            found.push(Reading { value, words: scene.words(&hit.at) });
        }
    }
    found
}

fn feelings(scene: &Scene<'_>, asked: Option<Question>) -> Vec<Reading<Felt>> {
    let mut found: Vec<Reading<Felt>> = Vec::new();
    for hit in scene.stated("feelings").filter(|h| !is_over(scene, h) && !is_about_sleep(scene, h)) {
        let Some(feeling) = Feeling::named(hit.name) else { continue };
        if is_courtesy(feeling, asked) {
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

/// "Спал хорошо" and "didn't sleep great" say nothing of the mood.
fn is_about_sleep(scene: &Scene<'_>, hit: &Hit<'_>) -> bool {
    let bed = |at: usize| scene.lexicon.has_word("scales", "sleep", scene.tokens.norm(at));
    let inside = scene.hits("sleep").any(|s| s.at.start < hit.at.end && hit.at.start < s.at.end);
    inside || hit.at.start.checked_sub(1).is_some_and(bed)
}

/// "Хорошо, давай" accepts; it does not tell how one is.
fn is_courtesy(feeling: Feeling, asked: Option<Question>) -> bool {
    let about_the_person = matches!(
        asked,
        None | Some(
            Question::HowAreYou
                | Question::HowWasIt
                | Question::Feelings
                | Question::Probe
                | Question::AfterPractice
                | Question::More
        )
    );
    let courteous = matches!(feeling, Feeling::Neutral | Feeling::Joy);
    courteous && !about_the_person
}

/// "Вчера злился" is over; "вчера слил и злюсь" and "волнуюсь после вчерашнего" are not.
fn is_over(scene: &Scene<'_>, hit: &Hit<'_>) -> bool {
    let present = hit.at.clone().any(|i| scene.tokens.norm(i).ends_with("юсь"));
    !present
        && scene.past(&hit.at)
        && scene.preceded_by("past_adverb", hit.at.start)
        && !scene.preceded_by("after", hit.at.start)
}

fn ready(scene: &Scene<'_>) -> Option<Reading<bool>> {
    let hit = scene.hits("ready").rfind(|h| !scene.of_another(&h.at) && !scene.supposed(&h.at))?;
    let denied = scene.negated(hit);
    let value = match hit.name {
        "yes" => !denied,
        _ => false,
    };
    Some(Reading { value, words: scene.words(&hit.at) })
}

fn sleep(scene: &Scene<'_>, asked: Option<Question>) -> Option<Reading<SleepQuality>> {
    let quality = |name: &str| match name {
        "poor" => Some(SleepQuality::Poor),
        "fair" => Some(SleepQuality::Fair),
        "good" => Some(SleepQuality::Good),
        "excellent" => Some(SleepQuality::Excellent),
        _ => None,
    };
    let told = scene.hits("sleep").filter(|h| !scene.of_another(&h.at)).find_map(|h| {
        let value = match (quality(h.name)?, scene.negated(h)) {
            (good, false) => good,
            (SleepQuality::Poor, true) => SleepQuality::Fair,
            (_, true) => SleepQuality::Poor,
        };
        Some(Reading { value, words: scene.words(&h.at) })
    });
    let bare = || {
        scene.hits("bare_quality").find_map(|h| Some(Reading { value: quality(h.name)?, words: scene.words(&h.at) }))
    };
    told.or_else(|| if asked == Some(Question::Sleep) { bare() } else { None })
}

fn stressors(scene: &Scene<'_>, asked: Option<Question>, said: &Said) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for hit in scene.hits("stressors").filter(|h| !scene.negated(h) && !scene.supposed(&h.at)) {
        let words = scene.words(&hit.at);
        if !found.contains(&words) {
            found.push(words);
        }
    }
    let nothing = said.answers(Answer::No) || scene.hits("nothing").next().is_some();
    // An answer to something else is no stressor.
    let about_else = said.readiness.is_some() || said.plan.is_some() || said.result.is_some() || said.sleep.is_some();
    if found.is_empty() && asked == Some(Question::Stressors) && !nothing && !about_else && scene.tokens.len() >= 1 {
        let end = scene.tokens.len().min(STRESSOR_WORDS);
        let only_yes = said.answers(Answer::Yes) && scene.tokens.len() <= 2;
        if !only_yes {
            found.push(scene.words(&(0..end)));
        }
    }
    found
}

fn risk_appetite(scene: &Scene<'_>, asked: Option<Question>) -> Option<Reading<RiskAppetite>> {
    let appetite = |name: &str| match name {
        "low" => Some(RiskAppetite::Low),
        "medium" => Some(RiskAppetite::Medium),
        "high" => Some(RiskAppetite::High),
        _ => None,
    };
    let bare =
        || scene.hits("bare_risk").find_map(|h| Some(Reading { value: appetite(h.name)?, words: scene.words(&h.at) }));
    scene
        .stated("risk")
        .find_map(|h| Some(Reading { value: appetite(h.name)?, words: scene.words(&h.at) }))
        .or_else(|| if asked == Some(Question::RiskAppetite) { bare() } else { None })
}

fn adherence(scene: &Scene<'_>, asked: Option<Question>, said: &Said) -> Option<Reading<PlanAdherence>> {
    let mut kept: Option<Reading<PlanAdherence>> = None;
    let mut broken: Option<Reading<PlanAdherence>> = None;
    for hit in scene.hits("adherence") {
        if scene.of_another(&hit.at) || scene.supposed(&hit.at) || scene.past(&hit.at) {
            continue;
        }
        let denied = scene.negated(hit);
        let words = scene.words(&hit.at);
        match (hit.name, denied) {
            ("partially", false) => return Some(Reading { value: PlanAdherence::Partially, words }),
            ("no_plan", false) => return Some(Reading { value: PlanAdherence::NoPlan, words }),
            ("followed", false) | ("deviated", true) => {
                kept.get_or_insert(Reading { value: PlanAdherence::Followed, words });
            }
            ("deviated", false) | ("followed", true) => {
                broken.get_or_insert(Reading { value: PlanAdherence::Deviated, words });
            }
            _ => {}
        }
    }
    match (kept, broken) {
        (Some(kept), Some(broken)) => {
            Some(Reading { value: PlanAdherence::Partially, words: format!("{}; {}", kept.words, broken.words) })
        }
        (kept, broken) => kept.or(broken).or_else(|| {
            let answer = said.answer.as_ref().filter(|_| asked == Some(Question::PlanComparison))?;
            let value = match answer.value {
                Answer::Yes => PlanAdherence::Followed,
                Answer::No => PlanAdherence::Deviated,
            };
            Some(Reading { value, words: answer.words.clone() })
        }),
    }
}

fn answer(scene: &Scene<'_>) -> Option<Reading<Answer>> {
    // Consent has to be whole: "да, но не сейчас" is a no.
    let refusal = scene.hits("answer").find(|h| h.name == Answer::No.name());
    let hit = refusal.or_else(|| scene.hits("answer").next())?;
    let named = Answer::named(hit.name)?;
    let value = if scene.negated(hit) && named == Answer::Yes { Answer::No } else { named };
    Some(Reading { value, words: scene.words(&hit.at) })
}

fn intents(scene: &Scene<'_>) -> Vec<Reading<Intent>> {
    let mut found: Vec<Reading<Intent>> = scene
        .hits("intents")
        .filter(|h| !scene.of_another(&h.at))
        .filter_map(|h| Some(Reading { value: Intent::named(h.name)?, words: scene.words(&h.at) }))
        .collect();
    let words = scene.tokens.len();
    if words <= FEW_WORDS {
        let most = |h: &&Hit<'_>| h.at.len() * 2 >= words;
        found.extend(
            scene.hits("goodbye").filter(most).map(|h| Reading { value: Intent::Stop, words: scene.words(&h.at) }),
        );
    }
    found
}

/// Self-harm outweighs ruin, ruin outweighs panic.
fn distress(scene: &Scene<'_>) -> Option<Reading<Distress>> {
    let figurative = |at: usize| scene.hits("figures_of_speech").any(|f| f.at.contains(&at));
    scene
        .hits("distress")
        .filter(|h| !scene.negated(h) && !scene.of_another(&h.at) && !figurative(h.at.start))
        .filter_map(|h| Some(Reading { value: Distress::named(h.name)?, words: scene.words(&h.at) }))
        .min_by_key(|r| r.value)
}
