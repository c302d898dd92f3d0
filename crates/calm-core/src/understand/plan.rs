//! The plan and the lesson, kept as the user's own words.

use super::lexicon::Hit;
use super::scope::Scene;
use super::{Answer, Intent, Reading, Said};
use crate::question::Question;

/// Longer than this is a story, not a plan.
const LONGEST: usize = 500;

pub fn read(scene: &Scene<'_>, asked: Option<Question>, said: &mut Said) {
    let asks_something = [Intent::WantsReminder, Intent::AsksCalculation, Intent::AsksCalendar, Intent::AsksHistory];
    said.plan = plan(scene).filter(|_| !asks_something.iter().any(|i| said.intends(*i)));
    said.learnings = learning(scene, asked);
    let refuses = said.answer.as_ref().is_some_and(|a| a.value == Answer::No)
        || said.unsure
        || scene.hits("nothing").any(|h| !scene.is_rule(&h.at))
        || !said.intents.is_empty()
        // "Eight for satisfaction, regret one": marks, and no lesson.
        || said.regret.is_some() && said.satisfaction.is_some()
        // "Two means two" is more than a number.
        || scene.is_bare() && scene.numbers.len() < 2;
    let has_words = scene.tokens.len() >= 2;
    let whole = || scene.words(&(0..scene.tokens.len()));
    match asked {
        // "The flu mostly", "slept ok" and "nothing bothers me" are no plan.
        Some(Question::Plan) if tells_of_else(scene) && !has_items(scene, 0, scene.tokens.len()) => {}
        Some(Question::Plan) if said.plan.is_none() && said.readiness.is_none() && !refuses && has_words => {
            said.plan = kept(&whole());
        }
        Some(Question::Plan) if said.plan.is_some() && scene.hits("nothing").next().is_none() => {
            // All of an answer to this question is the plan.
            said.plan = kept(&whole());
        }
        // «По деньгам минус процент» tells the day.
        Some(Question::Learnings) if scene.hits("tells_day").next().is_some() && said.result.is_some() => {}
        Some(Question::Learnings)
            if said.learnings.is_none() && !refuses && (has_words || whole().chars().count() > 4) =>
        {
            said.learnings = kept(&whole());
        }
        _ => {}
    }
}

/// "Two setups, that's all": a count of what is meant to be traded, and little else.
pub fn is_counted(scene: &Scene<'_>) -> bool {
    let counted = |h: &Hit<'_>| scene.numbers.iter().any(|n| h.at.start <= n.at.start && n.at.end <= h.at.end);
    scene
        .stated("plan")
        .any(|h| h.name == "wholes" && counted(h) && h.at.len() * 2 >= scene.tokens.len() && !scene.past(&h.at))
}

fn tells_of_else(scene: &Scene<'_>) -> bool {
    ["stressors", "not_bothered"].iter().any(|section| scene.hits(section).next().is_some())
        || scene.hits("sleep").next().is_some() && scene.hits("plan").next().is_none()
}

/// The setup from `first` to `last` with all that was said of it in the same breath.
pub fn bounds(scene: &Scene<'_>, first: usize, last: usize) -> (usize, usize) {
    let sentence = (0..=first).rev().take_while(|i| scene.tokens.same_sentence(*i, first)).last().unwrap_or(first);
    let of_else = ["scales", "feelings", "sleep", "stressors", "answer"].iter().flat_map(|section| scene.hits(section));
    let from = of_else.filter(|h| h.at.end <= first).map(|h| h.at.end).max().unwrap_or(sentence).max(sentence);
    let empty = |i: &usize| scene.is("filler", *i) || scene.is("clause", *i) || scene.is("today", *i);
    let start = (from..first).find(|i| !empty(i)).unwrap_or(first);
    (start, plan_end(scene, last, scene.tokens.sentence_end(first)))
}

fn plan(scene: &Scene<'_>) -> Option<Reading<String>> {
    let led =
        scene.hits("plan").filter(|h| h.name == "leads" && scene.is_stated(h) && !scene.past(&h.at)).find_map(|lead| {
            let end = plan_end(scene, lead.at.end, scene.tokens.sentence_end(lead.at.start));
            if end > lead.at.end && has_substance(scene, lead.at.end, end) {
                return kept(&scene.words(&(lead.at.end..end)));
            }
            // "План есть. Две сделки, стоп." The plan itself is the next sentence.
            let next = scene.tokens.sentence_end(lead.at.start);
            let end =
                plan_end(scene, next, if next < scene.tokens.len() { scene.tokens.sentence_end(next) } else { next });
            if has_items(scene, next, end) { kept(&scene.words(&(next..end))) } else { None }
        });
    led.or_else(|| {
        let meant = |h: &&Hit<'static>| {
            let planless = || scene.hits("planless").any(|p| p.at.start >= h.at.start);
            h.name == "wholes" && !scene.undone(h) && !scene.of_another(&h.at) && !scene.past(&h.at) && !planless()
        };
        let mut wholes = scene.hits("plan").filter(meant).filter(|h| !scene.preceded_by("supposing", h.at.start));
        let whole = wholes.next()?;
        // The last thing planned in the same breath belongs to it, whatever was said in between.
        let same = |h: &&Hit<'static>| scene.tokens.same_sentence(whole.at.start, h.at.start);
        let last = wholes.filter(same).map(|h| h.at.end).max().unwrap_or(whole.at.end).max(whole.at.end);
        let end = plan_end(scene, last, scene.tokens.sentence_end(whole.at.start));
        // "Only the order block on gold, and I stop after two": the setup comes before the limit.
        let setup = scene.hits("setup").find(|h| h.at.start < whole.at.start && same(h) && scene.is_stated(h));
        let start = setup.map_or(whole.at.start, |h| bounds(scene, h.at.start, last).0.min(whole.at.start));
        kept(&scene.words(&(start..end.max(whole.at.end))))
    })
}

/// A plan ends where the speaker turns to how they are.
fn plan_end(scene: &Scene<'_>, from: usize, to: usize) -> usize {
    let turns = |section: &str| {
        scene
            .hits(section)
            .filter(|h| (from..to).contains(&h.at.start))
            .map(|h| scene.tokens.clause_range(h.at.start).start.max(from))
            .min()
    };
    let other = ["scales", "feelings", "sleep"].into_iter().filter_map(turns).min();
    let mut end = other.unwrap_or(to);
    while end > from && scene.lexicon.has_word("grammar", "clause", scene.tokens.norm(end - 1)) {
        end -= 1;
    }
    end
}

fn has_substance(scene: &Scene<'_>, from: usize, to: usize) -> bool {
    let denied = scene.hits("denial").any(|h| h.at.start == from);
    !denied && (to - from >= 2 || has_items(scene, from, to))
}

fn has_items(scene: &Scene<'_>, from: usize, to: usize) -> bool {
    scene.hits("plan").any(|h| h.name == "items" && h.at.start >= from && h.at.end <= to)
}

fn learning(scene: &Scene<'_>, asked: Option<Question>) -> Option<Reading<String>> {
    // "I learned that Mondays are slow": the day is part of the lesson.
    let past = |h: &Hit<'_>| scene.past_word(&h.at).is_some_and(|then| then < h.at.end);
    // «Больше без плана не сажусь» denies nothing.
    let denied = |h: &Hit<'_>| if h.name == "wholes" { scene.undone(h) } else { scene.negated(h) };
    let lead = scene.hits("learning").find(|h| !denied(h) && !scene.of_another(&h.at) && !past(h))?;
    let end = scene.tokens.sentence_end(lead.at.start);
    if lead.name == "closes" {
        // "So I got lucky is the lesson", «лимитки спасают. Вот что поняла»: it is what comes before.
        let last = lead.at.start.checked_sub(1)?;
        let start = (0..=last).rev().take_while(|i| scene.tokens.same_sentence(*i, last)).last()?;
        let start = (start..lead.at.start).find(|i| !scene.is("filler", *i))?;
        let closed = (lead.at.end..end).all(|i| scene.is("filler", i));
        return kept(&scene.words(&(start..if closed { lead.at.start } else { end })));
    }
    if lead.name == "wholes" {
        // «Больше без плана не сажусь»: these words are the lesson; asked for, all of the answer is.
        let start = if asked == Some(Question::Learnings) { 0 } else { lead.at.start };
        return kept(&scene.words(&(start..end)));
    }
    if end > lead.at.end {
        // «Научился не лезть», "taught me not to chase": what is denied is the lesson.
        let denies = scene.is("negation", lead.at.end - 1);
        return kept(&scene.words(&(lead.at.end - usize::from(denies)..end)));
    }
    // "Вывод. Не лезть на открытии."
    let next = scene.tokens.sentence_end(lead.at.start);
    // "Nothing new learned. Regret two." A mark is no lesson.
    let of_scale = scene.hits("scales").any(|h| h.at.start == next);
    (next < scene.tokens.len() && !of_scale)
        .then(|| scene.words(&(next..scene.tokens.sentence_end(next))))
        .and_then(|words| kept(&words))
}

/// As said, without a leading connective, cut at a word.
pub fn kept(words: &str) -> Option<Reading<String>> {
    let mut kept = words.trim_matches(|c: char| c.is_whitespace() || ".,;:—–-!?…".contains(c));
    if kept.len() > LONGEST {
        let cut = (0..=LONGEST).rev().find(|i| kept.is_char_boundary(*i)).unwrap_or(0);
        kept = kept[..cut].rsplit_once(' ').map_or(&kept[..cut], |(head, _)| head);
    }
    if kept.is_empty() {
        return None;
    }
    Some(Reading { value: kept.to_owned(), words: kept.to_owned() })
}
