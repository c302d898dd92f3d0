//! Which number belongs to which scale: readiness, stress, energy, regret, satisfaction, sleep.

use super::lexicon::Hit;
use super::numbers::{Number, NumberKind};
use super::scope::Scene;
use super::{Reading, Said};
use crate::end_session::SleepQuality;
use crate::question::Question;

/// A scale's name may stand this many words away from its number.
const FAR: usize = 8;
/// Up to here a level says that there is hardly any of it.
const LITTLE: u8 = 2;
/// "Ready" is also an ordinary word, so its number must be close.
const CLOSE: usize = 3;
/// Per cent that make one point of ten.
const TENTH: u64 = 10;

pub fn read(scene: &Scene<'_>, asked: Option<Question>, said: &mut Said) {
    let mut taken: Vec<usize> = Vec::new();
    let mut unclaimed: Vec<&Number> = Vec::new();
    let mut last: Option<(String, usize)> = None;
    for number in scene.numbers.iter().filter(|n| n.sign.is_none() && !scene.is_denied(n) && !scene.of_another(&n.at)) {
        if let Some(topic) = topic_of(scene, number, &taken) {
            let hit = &scene.hits[topic];
            let start = hit.at.start.min(number.at.start);
            let end = hit.at.end.max(number.at.end);
            if put(hit.name, number, scene.words(&(start..end)), said) {
                taken.push(topic);
                last = Some((hit.name.to_owned(), number.at.start));
                continue;
            }
        }
        // "Стресс был девять, сейчас пятёрка": the newer number is on the same scale.
        // "Готовность восемь... нет, пусть семь": the corrected one is meant.
        if let Some((scale, at)) = &last
            && !scene.was_behind(number)
            && (scene.tokens.same_sentence(*at, number.at.start) && scene.turns_to_now(*at, number.at.start)
                || scene.corrects(*at, number) && !scene.was(number))
            && put(scale, number, scene.words(&number.at), said)
        {
            continue;
        }
        // "A bit of regret because it ran on to ninety six, but only a two."
        if let Some(topic) = trailing_topic(scene, number, &taken)
            && put(scene.hits[topic].name, number, scene.words(&number.at), said)
        {
            taken.push(topic);
            continue;
        }
        if number.level().is_some() && !scene.was(number) {
            // What corrects this one is not of the scale before it.
            last = None;
        }
        unclaimed.push(number);
    }
    // "Я сегодня на семёрку" before trading rates no day.
    if said.satisfaction.is_none() && asked != Some(Question::HowAreYou) {
        said.satisfaction = rated(scene, &unclaimed);
    }
    if said.readiness.is_none()
        && let Some(number) = beside_verdict(scene, &unclaimed)
    {
        said.readiness = number.level().map(|value| Reading { value, words: scene.words(&number.at) });
        unclaimed.retain(|n| n.at != number.at);
    }
    answer(scene, asked, &unclaimed, said);
}

/// "Nine out of ten day", «день на восьмёрку»: a mark right beside the day.
fn rated(scene: &Scene<'_>, unclaimed: &[&Number]) -> Option<Reading<u8>> {
    let day = |n: &Number| {
        scene.hits("rated").any(|h| {
            let gap = if h.at.start >= n.at.end { h.at.start - n.at.end } else { n.at.start.saturating_sub(h.at.end) };
            scene.tokens.same_clause(h.at.start, n.at.start) && gap <= 1
        })
    };
    // "A solid eight of a day."
    const FEW: usize = 6;
    let marked = |n: &Number| {
        let behind = scene.hits("rated").any(|h| h.name == "marked" && h.at.start == n.at.end);
        behind && scene.tokens.clause_range(n.at.start).len() <= FEW
    };
    let number = unclaimed.iter().find(|n| match n.kind {
        NumberKind::OutOfTen => day(n),
        NumberKind::Plain => marked(n) && n.level().is_some(),
        _ => false,
    })?;
    Some(Reading { value: number.level()?, words: scene.words(&number.at) })
}

/// "Three. Not ready.": the verdict behind it says what the number is of.
fn beside_verdict<'n>(scene: &Scene<'_>, unclaimed: &[&'n Number]) -> Option<&'n Number> {
    let leads = |n: &Number| scene.tokens.clause_range(n.at.start).start == n.at.start;
    let verdict = |n: &Number| scene.hits("ready").any(|h| h.at.start == n.at.end && !scene.of_another(&h.at));
    unclaimed.iter().copied().find(|n| {
        matches!(n.kind, NumberKind::Plain | NumberKind::OutOfTen)
            && n.value > 0
            && n.level().is_some()
            && leads(n)
            && verdict(n)
    })
}

/// The position in `scene.hits` of the scale that the number is on.
fn topic_of(scene: &Scene<'_>, number: &Number, taken: &[usize]) -> Option<usize> {
    let at = number.at.start;
    // "Ни о чём не жалею, девять": nine is not how much is regretted.
    // "No regret, one" is how little it is.
    let denied = |h: &Hit<'_>| h.name == "regret" && scene.negated(h) && number.level().is_none_or(|l| l > LITTLE);
    let topics =
        || scene.hits.iter().enumerate().filter(|(i, h)| h.section == "scales" && !taken.contains(i) && !denied(h));
    // "Один сплошной стресс", "досада одна досада": an article, whatever stands before it.
    let is_article = number.kind == NumberKind::Weak
        && topics().any(|(_, h)| h.at.start == number.at.end && scene.tokens.same_clause(at, h.at.start));
    if is_article {
        return None;
    }
    // "Stress is a one".
    let is_said = |from: usize, to: usize| (from..to).all(|i| scene.is("copula", i) || scene.is("on", i));
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
            let near = scene.tokens.same_sentence(h.at.start, at) && distance <= FAR
                || distance == 0
                || scene.echoed(&h.at) && distance <= CLOSE + 1;
            // "Ready, hmm, nine": the pauses part nothing.
            let pause = |i: usize| scene.is("filler", i) || scene.is("on", i);
            let same = scene.tokens.same_clause(h.at.start, at)
                || scene.echoed(&h.at) && distance == 0
                || distance > 0 && scene.tokens.same_sentence(h.at.start, at) && (h.at.end..at).all(pause);
            let one = number.kind == NumberKind::Weak && same && h.name != "ready" && is_said(h.at.end, at);
            near && (one || suits(h.name, distance, same))
        })
        .max_by_key(|(_, h)| h.at.end);
    let ahead = topics()
        .filter(|(_, h)| h.at.start >= number.at.end && scene.tokens.same_clause(at, h.at.start))
        .filter(|(_, h)| suits(h.name, h.at.start - number.at.end, true))
        // "Up since three with no energy": an hour, unless the scale is named at once.
        .filter(|(_, h)| number.kind != NumberKind::PerhapsTime || h.at.start <= number.at.end + 1)
        // "Eight, stress is a one": what follows the name is its number.
        .filter(|(_, h)| {
            let next = scene.numbers.iter().find(|n| n.at.start >= h.at.end);
            !next.is_some_and(|n| scene.tokens.same_clause(at, n.at.start) && is_said(h.at.end, n.at.start))
        })
        .filter(|(_, h)| {
            let between = number.at.end..h.at.start;
            !scene.numbers.iter().any(|n| between.contains(&n.at.start))
        })
        .filter(|(_, h)| !scene.leads_number(h))
        .min_by_key(|(_, h)| h.at.start);
    // "I'm a four on stress": named right behind, whatever led up to it.
    let named = |h: &Hit<'_>| h.at.start == number.at.end + 1 && scene.is("preposition", number.at.end);
    match (behind, ahead) {
        (Some((_, lead)), Some((i, h))) if lead.name == "ready" && named(h) => Some(i),
        (Some((i, h)), _) if scene.tokens.same_clause(h.at.start, at) => Some(i),
        (_, Some((i, _))) => Some(i),
        (behind, None) => behind.map(|(i, _)| i),
    }
}

/// The scale of feeling that was named before, where the last words of the sentence are a bare mark.
fn trailing_topic(scene: &Scene<'_>, number: &Number, taken: &[usize]) -> Option<usize> {
    let end = scene.tokens.sentence_end(number.at.start);
    let last = (number.at.end..end).all(|i| scene.is("filler", i) || scene.is("on", i));
    let marked = number.at.start.checked_sub(1).is_some_and(|i| scene.is("on", i));
    // "Zero regrets, give it a nine": what is denied has no mark.
    let measured = |h: &Hit<'_>| h.section == "scales" && !matches!(h.name, "sleep" | "ready") && !scene.negated(h);
    let same = |h: &Hit<'_>| scene.tokens.same_sentence(h.at.start, number.at.start);
    let mut scales = scene.hits.iter().enumerate().filter(|(i, h)| measured(h) && !taken.contains(i) && same(h));
    let topic = scales.rfind(|(_, h)| h.at.end <= number.at.start)?.0;
    (last && marked && number.kind == NumberKind::Plain).then_some(topic)
}

fn put(scale: &str, number: &Number, words: String, said: &mut Said) -> bool {
    if scale == "sleep" {
        let quality = match number.kind {
            NumberKind::Hours => Some(by_hours(number.value)),
            NumberKind::OutOfTen | NumberKind::Percent => number.level().map(by_level),
            NumberKind::Plain => {
                u8::try_from(number.value).ok().filter(|v| (1..=12).contains(v)).map(|v| by_hours(v.into()))
            }
            _ => None,
        };
        return match quality {
            Some(value) => {
                said.sleep = Some(Reading { value, words });
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
    match asked {
        Some(Question::Readiness | Question::AfterPractice) if said.readiness.is_none() => {
            said.readiness = level(scene, asked, unclaimed);
        }
        // Who opens a check-in with a bare mark says how ready they are.
        Some(Question::HowAreYou) if said.readiness.is_none() => {
            let marks: Vec<&Number> = unclaimed.iter().copied().filter(|n| is_mark(scene, n)).collect();
            said.readiness = level(scene, Some(Question::Readiness), &marks);
        }
        Some(Question::Satisfaction) if said.satisfaction.is_none() => {
            said.satisfaction = level(scene, asked, unclaimed);
        }
        Some(Question::Sleep) if said.sleep.is_none() => said.sleep = slept(scene, unclaimed),
        _ => {}
    }
}

/// "Call it a seven", "…, eight", "somewhere between six and seven": nothing but a mark.
fn is_mark(scene: &Scene<'_>, number: &Number) -> bool {
    let clause = scene.tokens.clause_range(number.at.start);
    let trails = |i: usize| scene.is("today", i) || scene.is("filler", i) || scene.is("on", i);
    let ends = (number.at.end..clause.end).all(trails) || scene.is("correction", number.at.end);
    let leads = |i: usize| ["on", "filler", "correction", "first_person", "today"].iter().any(|name| scene.is(name, i));
    let alone = (clause.start..number.at.start).all(leads);
    let called = is_called(scene, number);
    // "7/10, план: …" and "7, план: …" open with the mark; a bare "seven" is all that was said, "honestly a three" is not.
    let opens = alone && number.figure.start > clause.start
        || clause.start > 0
        || number.kind == NumberKind::OutOfTen
        || clause.end < scene.tokens.len();
    // "8/10 спокоен".
    let heads = number.kind == NumberKind::OutOfTen && number.at.start == scene.after_fillers();
    // "Nine, nine and a half I'm flying".
    let twice = number.at.start == scene.after_fillers()
        && scene
            .numbers
            .iter()
            .any(|n| n.at.start == number.at.end && n.level().zip(number.level()).is_some_and(|(a, b)| a == b));
    heads
        || twice
        || is_last_word(scene, number)
        || called && scene.is("today", number.at.end)
        || ends && (alone && opens || called)
        || opens && scene.is_bare_in(&clause) && number.kind == NumberKind::Plain
}

/// "Bit of a slow start today six", "nothing can touch me ten out of ten": without a pause, the mark is what
/// an opening ends with. Behind any other word it may be a count, an hour or a price.
fn is_last_word(scene: &Scene<'_>, number: &Number) -> bool {
    let state = |i: usize| {
        ["today", "filler", "clause", "hedge"].iter().any(|name| scene.is(name, i))
            || ["feelings", "bare_feelings", "ready", "sleep", "risk", "signs", "answer"]
                .iter()
                .any(|section| scene.hits(section).any(|h| h.at.end == i + 1))
    };
    // "Feeling good about a seven and a half."
    let before = || (0..number.at.start).rev().take_while(|i| scene.is("on", *i) || state(*i));
    let behind_state = || before().any(state);
    let trails = (number.at.end..scene.tokens.len())
        .all(|i| scene.is("filler", i) || scene.is("today", i) || scene.is("mark_of", i));
    let leads = match number.kind {
        NumberKind::OutOfTen => trails || number.at.len() > 1 && behind_state(),
        NumberKind::Plain => trails && behind_state(),
        _ => false,
    };
    leads && number.sign.is_none() && number.level().is_some()
}

/// Nothing but a point on a scale: "семь", "maybe an eight".
pub fn is_bare_mark(scene: &Scene<'_>) -> bool {
    let marks = |n: &&Number| matches!(n.kind, NumberKind::Plain | NumberKind::OutOfTen) && n.level().is_some();
    scene.is_bare() && scene.numbers.iter().filter(marks).count() == scene.numbers.len() && !scene.numbers.is_empty()
}

/// "Часа четыре от силы", "maybe four hours if I'm lucky": a night, and little else.
pub fn is_hours(scene: &Scene<'_>) -> bool {
    const FEW: usize = 7;
    let night = |n: &Number| n.kind == NumberKind::Hours && (1..=12).contains(&n.value);
    scene.tokens.len() <= FEW && matches!(scene.numbers.as_slice(), [only] if night(only))
}

/// "I'd put it at six": the words before say that it is a mark.
fn is_called(scene: &Scene<'_>, number: &Number) -> bool {
    let (start, on) = (number.figure.start, |i: usize| scene.is("on", i) || scene.is("time_preposition", i));
    scene.hits("calls_it").any(|h| h.at.end <= start && (h.at.end..start).all(on))
}

/// The level that is meant: not an earlier one, and of several the corrected one.
fn level(scene: &Scene<'_>, asked: Option<Question>, unclaimed: &[&Number]) -> Option<Reading<u8>> {
    let short = scene.tokens.len() <= 4;
    let fits = |n: &Number| match n.kind {
        // "One percent per trade" is a risk.
        NumberKind::Percent if scene.is("risk_word", n.at.end) => false,
        // "Three and a half percent" is what the day cost, and no mark.
        NumberKind::Percent if n.value > 0 && n.value < TENTH => false,
        NumberKind::OutOfTen | NumberKind::Percent | NumberKind::Plain => n.level().is_some() && n.value > 0,
        NumberKind::Weak | NumberKind::PerhapsTime => {
            let alone = n.at.start <= 1 && scene.tokens.gap_before(n.at.end) != " ";
            // "К десяти буду готов" is a time.
            let by_then = n.kind == NumberKind::PerhapsTime
                && scene.hits("ready").any(|h| scene.tokens.same_clause(h.at.start, n.at.start));
            (short && !by_then || alone || is_called(scene, n)) && n.level().is_some() && n.value > 0
        }
        _ => false,
    };
    // "It was a four" is how a day is rated afterwards.
    let rated = asked == Some(Question::Satisfaction);
    let own: Vec<&Number> = unclaimed.iter().copied().filter(|n| fits(n) && !scene.of_another(&n.at)).collect();
    let meant = |n: &&Number| (rated || !scene.was(n)) && !scene.is_of_ten(n) && !scene.supposed(&n.at);
    let mut candidates: Vec<&Number> = own.iter().copied().filter(meant).collect();
    if candidates.is_empty() {
        // "Оценил бы на четыре", "восемь, если выпью кофе": nothing else is said.
        candidates = own.into_iter().filter(|n| !scene.is_of_ten(n) && (!scene.was(n) || scene.is_wished(n))).collect();
    }
    // "Two means two" is a rule.
    let repeats = |pair: &[&Number]| {
        pair[0].value == pair[1].value && (pair[0].at.end..pair[1].at.start).any(|i| scene.is("means", i))
    };
    if candidates.windows(2).any(repeats) {
        return None;
    }
    let corrected = candidates.windows(2).any(|pair| {
        (pair[0].at.end..pair[1].at.start).any(|i| scene.is("correction", i)) || scene.is("correction", pair[1].at.end)
    });
    let marked = |n: &&&Number| matches!(n.kind, NumberKind::OutOfTen | NumberKind::Percent);
    let opens = |n: &&&Number| n.at.start <= 2 && scene.tokens.gap_before(n.at.end) != " ";
    let chosen = if corrected {
        candidates.last()
    } else {
        candidates.iter().find(opens).or_else(|| candidates.iter().find(marked)).or_else(|| candidates.first())
    };
    if let Some(number) = chosen {
        return Some(Reading { value: number.level()?, words: scene.words(&number.at) });
    }
    // "На максимум": a level without a figure.
    let whole = |name: &str| scene.hits("level_words").find(|h| h.name == name && h.at.len() * 2 >= scene.tokens.len());
    let level = |name: &str, value: u8| {
        let hit = whole(name).filter(|h| asked.is_some() && scene.is_stated(h))?;
        Some(Reading { value, words: scene.words(&hit.at) })
    };
    level("top", 10).or_else(|| level("half", 5))
}

fn slept(scene: &Scene<'_>, unclaimed: &[&Number]) -> Option<Reading<SleepQuality>> {
    let own: Vec<&Number> = unclaimed.iter().copied().filter(|n| !scene.of_another(&n.at)).collect();
    let now: Vec<&Number> = own.iter().copied().filter(|n| !scene.was(n)).collect();
    // "It was seven hours last night" is of this night where nothing newer is said.
    let now = if now.is_empty() { own } else { now };
    let reading = |value: SleepQuality, n: &Number| Reading { value, words: scene.words(&n.at) };
    if let Some(hours) = now.iter().find(|n| n.kind == NumberKind::Hours) {
        return Some(reading(by_hours(hours.value), hours));
    }
    if let Some(points) = now.iter().find(|n| matches!(n.kind, NumberKind::OutOfTen | NumberKind::Percent)) {
        return Some(reading(by_level(points.level()?), points));
    }
    let plain = |n: &&&Number| n.kind == NumberKind::Plain && (1..=12).contains(&n.value);
    if let Some(hours) = now.iter().find(plain) {
        return Some(reading(by_hours(hours.value), hours));
    }
    // "Лёг в час, встал в восемь".
    let times: Vec<&Number> =
        now.iter().copied().filter(|n| matches!(n.kind, NumberKind::Time | NumberKind::PerhapsTime)).collect();
    let [bed, up] = times.as_slice() else { return None };
    by_clock(bed.value, up.value).map(|value| Reading { value, words: scene.words(&(bed.at.start..up.at.end)) })
}

impl Scene<'_> {
    /// "Не семь, шесть скорее"; "не больше шести" still says six.
    fn is_denied(&self, number: &Number) -> bool {
        // "I don't know, two maybe": what is not known is not the two.
        let unsure = |i: usize| self.hits("unsure").any(|h| h.at.contains(&i) && h.at.end <= number.figure.start);
        let mut before = self.before(number.figure.start).filter(|i| !self.is("on", *i) && !self.is("filler", *i));
        // "Six no seven" is a correction.
        let corrects =
            |i: usize| self.is("correction", i) && self.numbers.iter().any(|n| n.at.end == i || n.at.end + 1 == i);
        // "Стресса почти нет, единица": what is denied is the stress.
        let of_scale =
            |i: usize| self.is("negation_after", i) && self.hits("scales").any(|h| h.at.end <= i && i - h.at.end <= 1);
        before.next().is_some_and(|i| self.is("negation", i) && !corrects(i) && !of_scale(i) && !unsure(i))
    }

    /// "Вчера была девятка", "хотел сказать семь", "восемь утром".
    fn was(&self, number: &Number) -> bool {
        let then = |i: usize| self.is("was", i) || self.is("past", i);
        let now = |i: usize| self.is("today", i);
        let behind = self.before(number.figure.start).take(6).take_while(|i| !now(*i)).any(then);
        behind || self.was_behind(number)
    }

    /// "Восемь, стресс пять": the number behind a scale is its own, unless all scales stand behind theirs.
    fn leads_number(&self, scale: &Hit<'_>) -> bool {
        const NEAR: usize = 2;
        let own = |n: &&Number| (scale.at.end..=scale.at.end + NEAR).contains(&n.at.start) && n.level().is_some();
        let Some(own) = self.numbers.iter().find(own) else { return false };
        let same = |h: &Hit<'_>| self.tokens.same_clause(scale.at.start, h.at.start);
        self.tokens.same_clause(scale.at.start, own.at.start)
            && !self.hits("scales").any(|h| same(h) && h.at.start >= own.at.end)
    }

    /// "Из десяти ну шесть": the ten is the scale.
    fn is_of_ten(&self, number: &Number) -> bool {
        let of = number.figure.start.checked_sub(1).is_some_and(|i| self.is("out_of", i));
        number.value == 10 && of && self.numbers.iter().any(|n| n.at.start >= number.at.end)
    }

    /// "Поставил бы шесть": nothing is past about it.
    fn is_wished(&self, number: &Number) -> bool {
        self.before(number.figure.start).take(6).any(|i| self.is("would", i))
    }

    /// "The eight was before coffee", «семь было утром».
    fn was_behind(&self, number: &Number) -> bool {
        self.tokens.same_clause(number.figure.start, number.at.end) && self.is("was_after", number.at.end)
    }

    /// "Нет", "вернее", "пусть будет" between two numbers that stand close.
    fn corrects(&self, from: usize, number: &Number) -> bool {
        const NEAR: usize = 8;
        let to = number.at.start;
        number.kind != NumberKind::Count && to - from <= NEAR && (from..to).any(|i| self.is("correction", i))
    }

    /// "Сейчас", "стал", "теперь" between two numbers on one scale.
    fn turns_to_now(&self, from: usize, to: usize) -> bool {
        (from..to).any(|i| self.is("became", i))
    }
}

/// From the hour of going to bed to that of getting up; half a day at the most.
pub(super) fn by_clock(bed: u64, up: u64) -> Option<SleepQuality> {
    let hours = (up % 12 + 12 - bed % 12) % 12;
    (hours > 0).then(|| by_hours(hours))
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
