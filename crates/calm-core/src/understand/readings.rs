//! From hits to readings: sleep, burdens, adherence, signs, intents, distress.

use super::lexicon::Hit;
use super::numbers::{Number, NumberKind};
use super::scope::{Scene, is_past_verb};
use super::{Answer, Distress, Intent, Mentions, Reading, Said, Sign};
use super::{age, amounts, answer, feelings, night, plan, scales, setup, stressors, wishes};
use crate::end_session::{PlanAdherence, RiskAppetite};
use crate::lang::Lang;
use crate::question::Question;

/// A goodbye or a refusal in one word counts only when little else is said.
const FEW_WORDS: usize = 5;

pub fn read(text: &str, lang: Lang, asked: Option<Question>) -> Said {
    let scene = Scene::of(text, lang);
    let mut said = Said {
        answer: answer::read(&scene, asked),
        intents: intents(&scene),
        own_break: wishes::own_break(&scene),
        unsure: leads(&scene, "unsure"),
        thanks: scene.hits("thanks").next().is_some(),
        denies_distress: scene.hits("denies_distress").any(|h| !scene.of_another(&h.at)),
        mentions: Mentions {
            topics: scene.hits("topics").map(|hit| hit.name).collect(),
            critical: scene.stated("critical").count(),
        },
        ..Said::default()
    };
    if let Some(wish) = wishes::practice(&scene) {
        // "No break, but I could do with some breathing" is a yes to the breathing.
        if asked == Some(Question::Practice) {
            said.answer = Some(Reading { value: Answer::Yes, words: wish.words.clone() });
        } else if said.answers(Answer::No) {
            said.answer = None;
        }
        if !said.intends(wish.value) {
            said.intents.push(wish);
        }
    }
    if let Some(minor) = age::minor(&scene)
        && !said.intends(Intent::Minor)
    {
        said.intents.push(minor);
    }
    scales::read(&scene, asked, &mut said);
    amounts::read(&scene, asked, &mut said);
    plan::read(&scene, asked, &mut said);
    let first = scene.after_fillers();
    let announced = scene.hits("plan").any(|h| h.name == "leads" && h.at.start == first);
    // «Все тихо, шортим юань от сопротивления»: what is traded and how is a plan wherever it is said.
    let told = scene.stated("plan_told").any(|h| !scene.past(&h.at));
    let told_instead = told && matches!(asked, Some(Question::Stressors | Question::Sleep))
        || asked == Some(Question::Stressors) && plan::is_counted(&scene);
    if !(may_plan(asked) || told_instead || announced && !looks_back(asked)) {
        said.plan = None;
    }
    if said.plan.as_ref().is_some_and(|plan| is_asked(text, &plan.words)) {
        said.plan = None;
    }
    if said.plan.is_none() && !looks_back(asked) {
        said.setup = setup::read(&scene, asked, &said).filter(|setup| !is_asked(text, &setup.words));
    }
    said.ready = ready(&scene, asked, &said).filter(|_| !looks_back(asked));
    said.feelings = feelings::read(&scene, asked);
    if let Some(sleep) = night::read(&scene, asked, said.sleep.as_ref().map(|r| r.value)) {
        said.sleep = Some(sleep);
    }
    let appetite = risk_as_usual(&scene, asked)
        .or_else(|| risk_by_name(&scene, asked))
        .or_else(|| percent_at_risk(&scene, asked))
        .or_else(|| risk_appetite(&scene, asked));
    said.risk_appetite = appetite.filter(|_| !looks_back(asked) && !said.intends(Intent::AsksCalculation));
    said.stressors = stressors::read(&scene, asked, &said);
    said.plan_adherence = adherence(&scene, asked, &said);
    let opens = |h: &Hit<'_>| h.at.start == scene.after_fillers() && !answer::is_mere_negation(&scene, h);
    let answers_else = scene.hits("answer").any(|h| opens(h) && scene.is("first_person", h.at.end));
    if asked == Some(Question::Learnings) && answers_else {
        // "No i was all over the place" answers something else.
        said.learnings = None;
    }
    let opens_with_answer = || scene.hits("answer").any(opens);
    let mostly = |h: &Hit<'_>| h.at.len() * 2 >= scene.tokens.len();
    // "Stuck to the plan, two attempts and done" tells how it went, where no word for a lesson stands.
    let first = scene.after_fillers();
    let told_first = |h: &Hit<'_>| h.at.start == first && scene.hits("learning").next().is_none();
    let only_adherence = || opens_with_answer() || scene.hits("adherence").any(|h| mostly(h) || told_first(h));
    if asked == Some(Question::Learnings) && said.plan_adherence.is_some() && only_adherence() {
        // "Yeah followed the plan", "план порвал в клочья": that is no lesson.
        said.learnings = None;
    }
    let looks_back = |i: usize| scene.is("was", i);
    if asked == Some(Question::Learnings)
        && said.plan_adherence.is_some()
        && scene.hits("learning").next().is_none()
        && (0..scene.tokens.len()).any(looks_back)
    {
        // "One trade was off plan" tells how it went.
        said.learnings = None;
    }
    said.signs = signs(&scene);
    if said.risk_appetite.as_ref().is_some_and(|r| r.value == RiskAppetite::High) && opens_a_day(asked) {
        // "Full size today" is how much to risk; there is nothing yet to want more of.
        said.signs.retain(|s| s.value != Sign::WantsMore);
    }
    said.distress = distress(&scene, text);
    if said.distress.as_ref().is_some_and(|d| d.value == Distress::SelfHarm) {
        // "Say goodbye to everyone, that's the plan" is none.
        (said.plan, said.setup, said.learnings) = (None, None, None);
    }
    said
}

/// "Give me advice, buy bitcoin?" is no plan: the sentence with these words ends in a question mark.
fn is_asked(text: &str, words: &str) -> bool {
    let after = text.find(words).and_then(|at| text.get(at + words.len()..)).unwrap_or_default();
    after.find(['.', '!', '?', '…']).is_some_and(|end| after[end..].starts_with('?'))
}

/// Asked before trading; the others look back on it.
fn opens_a_day(asked: Option<Question>) -> bool {
    use Question::{HowAreYou, Plan, Readiness, RiskAppetite, Sleep, Stressors};
    matches!(asked, Some(HowAreYou | Readiness | Sleep | Stressors | Plan | RiskAppetite))
}

/// "Out by ten and up at six" is an answer about the night.
fn may_plan(asked: Option<Question>) -> bool {
    use Question::{AfterPractice, Practice, Safety, Sleep, Stressors};
    !looks_back(asked) && !matches!(asked, Some(Sleep | Stressors | Practice | AfterPractice | Safety))
}

pub(super) fn looks_back(asked: Option<Question>) -> bool {
    use Question::{Feelings, GoOn, HowWasIt, Learnings, PlanComparison, Result, Satisfaction};
    matches!(asked, Some(HowWasIt | Result | Feelings | PlanComparison | Learnings | Satisfaction | GoOn))
}

/// Said in the first clause, or as good as all that is said.
fn leads(scene: &Scene<'_>, section: &str) -> bool {
    let first = scene.after_fillers();
    scene.hits(section).any(|h| scene.tokens.same_clause(first, h.at.start) || h.at.len() * 2 >= scene.tokens.len())
}

pub fn distress_in(text: &str, langs: impl IntoIterator<Item = Lang>) -> Option<Reading<Distress>> {
    langs.into_iter().find_map(|lang| distress(&Scene::of(text, lang), text))
}

/// Each sign once, with the first words that show it.
fn signs(scene: &Scene<'_>) -> Vec<Reading<Sign>> {
    let mut found: Vec<Reading<Sign>> = Vec::new();
    for hit in scene.stated("signs").filter(|h| !scene.is_long_ago(&h.at)) {
        let Some(value) = Sign::named(hit.name) else { continue };
        if !found.iter().any(|s| s.value == value) && !feelings::taken_back(scene, &hit.at) {
            found.push(Reading { value, words: scene.words(&hit.at) });
        }
    }
    found
}

impl Scene<'_> {
    /// "Вчера отыгрывался", "когда-то думал, что непобедим"; "хочу отбить вчерашнее" is of today.
    pub fn is_long_ago(&self, at: &std::ops::Range<usize>) -> bool {
        // "They took it yesterday and I'm getting it back today" is of today.
        // "Вчера тильтанул, сегодня ровно" is of yesterday.
        let told = at.end.checked_sub(1).is_some_and(|i| is_past_verb(self.tokens.norm(i)));
        let back_to_today = !told && self.after(at.start, at.end).take(2).any(|i| self.is("today", i));
        let past = self.past(at) && self.preceded_by("past_adverb", at.start);
        // "Was tired yesterday".
        let was = at.start.checked_sub(1).is_some_and(|i| self.is("was", i)) && self.is("past", at.end);
        // "It took six hundred on monday and I've been waiting to take it back".
        let turned = self.past_word(at).is_some_and(|then| (then..at.start).any(|i| self.is("from_now", i)));
        (past && !turned || was && self.past(at)) && !back_to_today && !self.preceded_by("after", at.start)
    }
}

fn ready(scene: &Scene<'_>, asked: Option<Question>, said: &Said) -> Option<Reading<bool>> {
    let own =
        |h: &&Hit<'_>| !scene.of_another(&h.at) && !scene.supposed(&h.at) && !scene.echoed(&h.at) && !scene.past(&h.at);
    // "Ready like a seven" is a level and no verdict.
    let verdict = |h: &&Hit<'_>| h.name == "no" || said.readiness.is_none();
    if let Some(hit) = scene.hits("ready").filter(verdict).rfind(own) {
        let value = hit.name == "yes" && !scene.negated(hit);
        return Some(Reading { value, words: scene.words(&hit.at) });
    }
    let answer = said.answer.as_ref().filter(|_| asked == Some(Question::Readiness) && said.readiness.is_none())?;
    Some(Reading { value: answer.value == Answer::Yes, words: answer.words.clone() })
}

fn appetite(name: &str) -> Option<RiskAppetite> {
    match name {
        "low" => Some(RiskAppetite::Low),
        "medium" => Some(RiskAppetite::Medium),
        "high" => Some(RiskAppetite::High),
        _ => None,
    }
}

/// "Risk is small, one percent": the word beside "risk" says more than the figure.
fn risk_by_name(scene: &Scene<'_>, asked: Option<Question>) -> Option<Reading<RiskAppetite>> {
    let named = |h: &&Hit<'_>| h.at.clone().any(|i| scene.is("risk_word", i));
    let figure = |h: &&Hit<'_>| scene.numbers.iter().any(|n| n.at.start < h.at.end && h.at.start < n.at.end);
    let hit = scene.stated("risk").filter(named).find(|h| !figure(h)).filter(|_| !is_after_trading(asked))?;
    Some(Reading { value: appetite(hit.name)?, words: scene.words(&hit.at) })
}

/// "Half a percent, same as always": what is little for others is usual for this one.
fn risk_as_usual(scene: &Scene<'_>, asked: Option<Question>) -> Option<Reading<RiskAppetite>> {
    let percent = |i: usize| scene.lexicon.has_word("units", "percent", scene.tokens.norm(i));
    let figure = scene.hits("risk").find(|h| h.at.clone().any(percent))?;
    let beside = |h: &&Hit<'_>| (h.at.end <= figure.at.start || figure.at.end <= h.at.start) && !scene.negated(h);
    let mut words = scene.hits("bare_risk").chain(scene.hits("risk")).filter(beside);
    let usual = words.next().filter(|h| asked == Some(Question::RiskAppetite) && h.name == "medium")?;
    words.all(|h| h.name == usual.name).then(|| Reading { value: RiskAppetite::Medium, words: scene.words(&usual.at) })
}

fn risk_appetite(scene: &Scene<'_>, asked: Option<Question>) -> Option<Reading<RiskAppetite>> {
    if is_after_trading(asked) {
        return None;
    }
    // "Максимум две сделки" is a plan.
    let planned =
        |h: &&Hit<'_>| scene.hits("plan").any(|p| p.name != "items" && p.at.start < h.at.end && h.at.start < p.at.end);
    let bare = || {
        let mut hits = scene.hits("bare_risk").filter(|h| !planned(h));
        hits.find_map(|h| Some(Reading { value: appetite(h.name)?, words: scene.words(&h.at) }))
    };
    // "Buy if the trend is up, low risk": the condition is far from the risk.
    const FAR: usize = 4;
    let near =
        |h: &Hit<'_>| scene.before(h.at.start).take(FAR).any(|i| scene.is("supposing", i) || scene.is("would", i));
    let meant = |h: &&Hit<'_>| {
        scene.is_stated(h)
            || !near(h)
                && !scene.negated(h)
                && !scene.of_another(&h.at)
                && h.at.clone().any(|i| scene.is("risk_word", i))
    };
    scene
        .hits("risk")
        .filter(meant)
        .find_map(|h| Some(Reading { value: appetite(h.name)?, words: scene.words(&h.at) }))
        .or_else(|| if asked == Some(Question::RiskAppetite) { bare() } else { None })
}

/// "Риск ноль пять процента", "one percent per trade": by what is usual, half a per cent is little and two are much.
fn percent_at_risk(scene: &Scene<'_>, asked: Option<Question>) -> Option<Reading<RiskAppetite>> {
    const NEAR: usize = 4;
    const LITTLE: u64 = 50;
    const MUCH: u64 = 200;
    if is_after_trading(asked) {
        return None;
    }
    let risked = |n: &&Number| {
        let clause = scene.tokens.clause_range(n.at.start);
        let beside = n.at.start.saturating_sub(NEAR).max(clause.start)..(n.at.end + NEAR).min(clause.end);
        let named = beside.into_iter().any(|i| scene.is("risk_word", i));
        named || asked == Some(Question::RiskAppetite) && scene.tokens.len() <= NEAR
    };
    let own = |n: &&Number| n.sign.is_none() && !scene.of_another(&n.at) && !scene.supposed(&n.at);
    let number = scene
        .numbers
        .iter()
        .filter(|n| n.kind == NumberKind::Percent && n.hundredths > 0 && !scene.is("of_the_day", n.at.end))
        .filter(own)
        .find(risked)?;
    let value = match number.hundredths {
        ..=LITTLE => RiskAppetite::Low,
        MUCH.. => RiskAppetite::High,
        _ => RiskAppetite::Medium,
    };
    Some(Reading { value, words: scene.words(&number.at) })
}

/// Partly outweighs the rest, and so do both at once; a bare yes or no is read where it was asked.
fn adherence(scene: &Scene<'_>, asked: Option<Question>, said: &Said) -> Option<Reading<PlanAdherence>> {
    let mut kept: Option<Reading<PlanAdherence>> = None;
    let mut broken: Option<Reading<PlanAdherence>> = None;
    let mut none: Option<Reading<PlanAdherence>> = None;
    for hit in scene.hits("adherence") {
        let own = !scene.of_another(&hit.at) && !scene.supposed(&hit.at) && !is_of_then(scene, hit);
        if !own || scene.echoed(&hit.at) || scene.is_rule(&hit.at) {
            continue;
        }
        if hit.name == "deviated" && is_left_off(scene, hit) {
            continue;
        }
        let denied = if hit.name == "deviated" { scene.undone(hit) } else { scene.negated(hit) };
        let words = scene.words(&hit.at);
        match (hit.name, denied) {
            ("partially", false) => return Some(Reading { value: PlanAdherence::Partially, words }),
            ("no_plan", false) => {
                none.get_or_insert(Reading { value: PlanAdherence::NoPlan, words });
            }
            ("followed", false) | ("deviated", true) => {
                kept.get_or_insert(Reading { value: PlanAdherence::Followed, words });
            }
            ("deviated", false) | ("followed", true) => {
                broken.get_or_insert(Reading { value: PlanAdherence::Deviated, words });
            }
            _ => {}
        }
    }
    if let Some(trades) = over_norm(scene, said) {
        broken.get_or_insert(trades);
    }
    if none.is_some() && kept.is_none() {
        return none;
    }
    let split = asked == Some(Question::PlanComparison) && is_split(scene, kept.is_some());
    if split {
        let words = scene.words(&(0..scene.tokens.len()));
        return Some(Reading { value: PlanAdherence::Partially, words });
    }
    match (kept, broken) {
        (Some(kept), Some(broken)) => {
            Some(Reading { value: PlanAdherence::Partially, words: format!("{}; {}", kept.words, broken.words) })
        }
        (kept, broken) => kept.or(broken).or_else(|| {
            if asked != Some(Question::PlanComparison) {
                return None;
            }
            let bare = |h: &Hit<'_>| {
                let value = match h.name {
                    "partially" => PlanAdherence::Partially,
                    "no_plan" => PlanAdherence::NoPlan,
                    "followed" => PlanAdherence::Followed,
                    _ => PlanAdherence::Deviated,
                };
                Reading { value, words: scene.words(&h.at) }
            };
            if let Some(hit) = scene.stated("bare_adherence").next() {
                return Some(bare(hit));
            }
            let answer = said.answer.as_ref()?;
            let value = match answer.value {
                Answer::Yes => PlanAdherence::Followed,
                Answer::No => PlanAdherence::Deviated,
            };
            Some(Reading { value, words: answer.words.clone() })
        }),
    }
}

/// "Stop moving the stop" is what was learned; "couldn't stop moving it" was done.
fn is_left_off(scene: &Scene<'_>, hit: &Hit<'_>) -> bool {
    let before = |back: usize| hit.at.start.checked_sub(back).filter(|i| scene.tokens.same_clause(*i, hit.at.start));
    before(1).is_some_and(|i| scene.is("leaves_off", i)) && !before(2).is_some_and(|i| scene.is("negation", i))
}

/// "Yesterday I followed the plan"; in "followed the plan, the target was set on Sunday" only the target is of then.
fn is_of_then(scene: &Scene<'_>, hit: &Hit<'_>) -> bool {
    const NEAR: usize = 3;
    scene.past_word(&hit.at).is_some_and(|then| then <= hit.at.end + NEAR)
}

/// "Входы да, выходы нет", "стопы держал, тейки нет": one clause says yes and another no.
fn is_split(scene: &Scene<'_>, kept: bool) -> bool {
    let ends_with = |name: &str| {
        scene.hits("answer").any(|h| {
            let clause = scene.tokens.clause_range(h.at.start);
            h.name == name && h.at.len() == 1 && h.at.start > clause.start && h.at.end == clause.end
        })
    };
    ends_with(Answer::No.name()) && (kept || ends_with(Answer::Yes.name()))
}

/// "Восемнадцать сделок при норме четыре".
fn over_norm(scene: &Scene<'_>, said: &Said) -> Option<Reading<PlanAdherence>> {
    const NEAR: usize = 3;
    let trades = said.trades.as_ref()?;
    let norm = scene.hits("norm").find_map(|h| {
        scene.numbers.iter().find(|n| n.at.start >= h.at.end && n.at.start <= h.at.end + NEAR && n.value > 0)
    })?;
    let more = u64::from(trades.value) > norm.value;
    more.then(|| Reading {
        value: PlanAdherence::Deviated,
        words: format!("{}; {}", trades.words, scene.words(&norm.at)),
    })
}

fn intents(scene: &Scene<'_>) -> Vec<Reading<Intent>> {
    let mut found: Vec<Reading<Intent>> = Vec::new();
    let words = scene.tokens.len();
    let most = |h: &&Hit<'_>| words <= FEW_WORDS && h.at.len() * 2 > words;
    let meant = scene.hits("intents").filter(|h| !scene.of_another(&h.at) && !scene.is_long_ago(&h.at));
    // "Не надо напоминать" wants nothing; to want to stop is a refusal by itself, and so is not being of age.
    let by_itself = |h: &&Hit<'_>| [Intent::Stop.name(), Intent::OtherLanguage.name()].contains(&h.name);
    let wanted = meant.filter(|h| by_itself(h) || !scene.negated(h));
    let named = wanted.filter_map(|h| Some(Reading { value: Intent::named(h.name)?, words: scene.words(&h.at) }));
    let goodbye = scene.hits("goodbye").filter(most);
    let stops = goodbye.map(|h| Reading { value: Intent::Stop, words: scene.words(&h.at) });
    for intent in named.chain(stops) {
        if !found.iter().any(|f| f.value == intent.value) {
            found.push(intent);
        }
    }
    found
}

/// Self-harm outweighs ruin, ruin outweighs panic.
fn distress(scene: &Scene<'_>, text: &str) -> Option<Reading<Distress>> {
    let figurative = |at: &std::ops::Range<usize>| {
        scene.hits("figures_of_speech").any(|f| f.at.start < at.end && at.start < f.at.end)
    };
    if is_joke(scene, text) {
        return None;
    }
    scene
        .hits("distress")
        .filter(|h| !scene.negated(h) && !scene.of_another(&h.at) && !figurative(&h.at) && !scene.is_over(&h.at))
        .filter_map(|h| Some(Reading { value: Distress::named(h.name)?, words: scene.words(&h.at) }))
        .min_by_key(|r| r.value)
}

/// A joke has to look like one in two ways: one word could as well be shame.
pub fn is_joke(scene: &Scene<'_>, text: &str) -> bool {
    let smiles = ["))", ":)", "хах", "haha", "lol", "😂", "😅", "🤣"].iter().any(|s| text.contains(s));
    smiles && scene.hits("joking").next().is_some()
}

/// Questions of a check-out: what was risked then is no appetite now.
fn is_after_trading(asked: Option<Question>) -> bool {
    matches!(
        asked,
        Some(
            Question::HowWasIt
                | Question::Result
                | Question::GoOn
                | Question::Feelings
                | Question::PlanComparison
                | Question::Learnings
                | Question::Satisfaction
        )
    )
}

impl Scene<'_> {
    /// "Пять лет назад были мысли": long past, and said so.
    fn is_over(&self, at: &std::ops::Range<usize>) -> bool {
        self.hits("long_ago").any(|h| self.tokens.same_clause(h.at.start, at.start))
    }
}
