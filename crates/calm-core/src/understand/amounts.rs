//! How the day ended: plus, minus or flat, the sum in the user's own words, and how many trades.

use std::ops::Range;

use super::gains;
use super::lexicon::Hit;
use super::numbers::{Number, NumberKind, Sign};
use super::scope::Scene;
use super::sums;
use super::{Reading, Said};
use crate::context::SessionResult;
use crate::end_session::ResultCategory;
use crate::question::Question;

/// How far a word that rates a result may stand from it.
const BESIDE: usize = 3;

struct Outcome {
    at: Range<usize>,
    result: SessionResult,
    past: bool,
    /// "Итого", "закрыл день": said about the whole day.
    of_the_day: bool,
    /// Some of the trades, or an earlier hour of the day.
    of_a_part: bool,
    /// The position in `Scene::numbers` where the sum itself is the outcome ("минус двести").
    number: Option<usize>,
}

pub fn read(scene: &Scene<'_>, asked: Option<Question>, said: &mut Said) {
    let outcomes = outcomes(scene, asked);
    let of_today = || outcomes.iter().filter(|o| !o.past);
    // "Plus 210, two losers and a runner", "flat after being down": how it ended outranks what it was made of.
    let ends = |o: &&Outcome| !o.of_a_part;
    let meant = of_today()
        .rfind(|o| o.of_the_day && ends(o))
        .or_else(|| of_today().rfind(ends))
        .or_else(|| of_today().next_back());
    let meant = meant.map(|o| called_even(scene, &outcomes, o).unwrap_or(o));
    said.result = meant.map(|o| Reading { value: o.result, words: scene.words(&o.at) });
    said.past_result = outcomes.iter().rfind(|o| o.past).map(|o| {
        // With the word of time: "вчерашнего убытка".
        let when = scene.past_word(&o.at).unwrap_or(o.at.start);
        let at = when.min(o.at.start)..o.at.end.max(when + 1);
        Reading { value: o.result, words: scene.words(&at) }
    });
    if said.result.is_none() && said.past_result.is_none() {
        said.result = by_exits(scene, asked);
    }
    if meant.is_some_and(|o| o.of_a_part && o.result == SessionResult::Breakeven) {
        // «Один стоп, вторая в безубыток»: the other trade decides.
        said.result = by_exits(scene, asked).or_else(|| said.result.take());
    }
    let answers = || scene.hits("answer").any(|h| h.at.start == scene.after_fillers());
    let told = || answers() || scene.hits("tells_day").next().is_some();
    if asked == Some(Question::Learnings) && meant.is_some_and(|o| o.number.is_none()) && !told() {
        // "To stop after I hit my target" is a rule, not a day.
        said.result = None;
    }
    let opens = matches!(asked, Some(Question::HowWasIt | Question::Result));
    if !opens && meant.is_some_and(|o| is_midway(scene, &o.at)) {
        // "Till one I was down nine thousand", once the day was told.
        said.result = None;
    }
    let sum = meant.filter(|_| said.result.is_some()).and_then(|o| sum_of(scene, o));
    said.amount = sum.map(|n| in_words(scene, n));
    said.sum = sum.and_then(|n| sums::of(scene, n));
    said.result_category = size(scene, &outcomes, said.result.as_ref().map(|r| r.value));
    said.trades = trades(scene, asked);
}

fn outcomes(scene: &Scene<'_>, asked: Option<Question>) -> Vec<Outcome> {
    let outcome = |at: Range<usize>, result: SessionResult, number: Option<usize>| Outcome {
        past: scene.past(&at),
        of_the_day: scene.hits("whole_day").any(|h| scene.tokens.same_clause(h.at.start, at.start)),
        of_a_part: is_part(scene, &at),
        at,
        result,
        number,
    };
    // "Стоп на день минус процент" is a limit.
    let signed_limit = |h: &&Hit<'_>| {
        (scene.is("minus", h.at.start) || scene.is("plus", h.at.start)) && is_limit(scene, h.at.start, asked)
    };
    // "Win it all back" is a wish.
    let wished = |h: &&Hit<'_>| {
        h.name == "win"
            && scene.hits("signs").any(|s| s.name == "revenge" && s.at.start < h.at.end && h.at.start < s.at.end)
    };
    let said = scene
        .stated("result")
        .filter(|h| !signed_limit(h) && !wished(h))
        .filter_map(|h| Some(outcome(h.at.clone(), result_named(h.name)?, None)));
    let bare = scene
        .hits("bare_result")
        .filter(|h| {
            let answered = asked == Some(Question::Result) && (!scene.negated(h) || h.name == "breakeven");
            (answered && !scene.of_another(&h.at))
                || h.name != "breakeven" && scene.is_stated(h) && stands_alone(scene, h.at.end)
        })
        .chain(scene.hits("result_answer").filter(|h| {
            asked == Some(Question::Result) && !scene.negated(h) && !scene.of_another(&h.at) && !scene.supposed(&h.at)
        }))
        .filter(|h| !is_limit(scene, h.at.start, asked))
        .filter_map(|h| Some(outcome(h.at.clone(), result_named(h.name)?, None)));
    let level_asked = matches!(asked, Some(Question::Readiness | Question::AfterPractice | Question::Satisfaction));
    let sums = scene.numbers.iter().enumerate().filter_map(|(i, n)| {
        let joke = level_asked && n.value <= 10 && matches!(n.kind, NumberKind::Plain | NumberKind::Weak);
        let result = signed(scene, n, asked).filter(|_| !joke)?;
        Some(outcome(n.at.clone(), result, Some(i)))
    });
    let mut all: Vec<Outcome> = said.chain(sums).collect();
    let taken = |at: &Range<usize>| all.iter().any(|o| o.at.start < at.end && at.start < o.at.end);
    let bare: Vec<Outcome> = bare.filter(|o| !taken(&o.at)).collect();
    all.extend(bare);
    let sums = gains::read(scene, asked);
    let taken = |at: &Range<usize>| all.iter().any(|o| o.at.start < at.end && at.start < o.at.end);
    let gained: Vec<Outcome> =
        sums.into_iter().filter(|(at, ..)| !taken(at)).map(|(at, result, i)| outcome(at, result, Some(i))).collect();
    all.extend(gained);
    all.sort_by_key(|o| o.at.start);
    all
}

/// "Breakeven, well, minus two bucks": who calls the day even means it, whatever the fees were.
fn called_even<'o>(scene: &Scene<'_>, outcomes: &'o [Outcome], meant: &Outcome) -> Option<&'o Outcome> {
    /// Hundredths of a unit of money.
    const TINY: u64 = 1_000;
    let tiny = |n: &Number| n.kind == NumberKind::Money && n.hundredths <= TINY;
    let beside = meant.at.start..scene.tokens.clause_range(meant.at.start).end;
    let of_fees = scene.hits("fees").any(|h| beside.contains(&h.at.start));
    let change = of_fees || scene.numbers.iter().any(|n| beside.contains(&n.at.start) && tiny(n));
    let even = |o: &&Outcome| {
        o.result == SessionResult::Breakeven
            && !o.past
            && !o.of_a_part
            && o.at.end <= meant.at.start
            && meant.at.start - o.at.end <= BESIDE
    };
    outcomes.iter().rfind(even).filter(|_| change && meant.result != SessionResult::Breakeven)
}

/// "Two losers", "after being down".
fn is_part(scene: &Scene<'_>, at: &Range<usize>) -> bool {
    const NEAR: usize = 2;
    let counted = scene.numbers.iter().any(|n| {
        n.kind == NumberKind::Count
            && n.sign.is_none()
            && n.at.start <= at.start
            && at.start < n.at.end
            && n.at.end >= at.end
    });
    // «Вторую закрыл в безубыток»: one of the trades.
    let one_trade = || scene.before(at.start).any(|i| scene.is("one_trade", i));
    let earlier = || scene.before(at.start).take(NEAR).any(|i| scene.is("earlier", i));
    counted || one_trade() || earlier() || is_midway(scene, at)
}

/// "At one point I was down two grand", "till one thirty I was down".
fn is_midway(scene: &Scene<'_>, at: &Range<usize>) -> bool {
    scene.hits("midway").any(|h| h.at.end <= at.start && scene.tokens.same_clause(h.at.start, at.start))
}

/// "Лимит минус двести"; asked how it was, "стоп по плану, минус процент" is what happened.
fn is_limit(scene: &Scene<'_>, at: usize, asked: Option<Question>) -> bool {
    let looks_back = matches!(asked, Some(Question::HowWasIt | Question::Result));
    scene.before(at).any(|i| scene.is("limit", i) && !(looks_back && scene.is("stop_word", i)))
}

/// "Плюс" as a result, not as "and": nothing that it could be added to follows.
fn stands_alone(scene: &Scene<'_>, end: usize) -> bool {
    let last = end.saturating_sub(1);
    !scene.tokens.same_clause(last, end) || scene.is("after_result", end)
}

fn result_named(name: &str) -> Option<SessionResult> {
    match name {
        "win" => Some(SessionResult::Win),
        "loss" => Some(SessionResult::Loss),
        "breakeven" => Some(SessionResult::Breakeven),
        _ => None,
    }
}

/// "Минус двести", "-200", "+2R"; not a limit ("стоп на день минус 200") and not a supposition.
fn signed(scene: &Scene<'_>, number: &Number, asked: Option<Question>) -> Option<SessionResult> {
    let sign = number.sign?;
    // "Up three times in the night" is no gain.
    let is_sum = number.kind != NumberKind::Count || sums::of(scene, number).is_some();
    let meant = !matches!(number.kind, NumberKind::Time | NumberKind::Hours)
        && is_sum
        && !scene.of_another(&number.at)
        && !scene.supposed(&number.at)
        && !is_limit(scene, number.at.start, asked);
    // "Плюс-минус ноль".
    if meant && number.value == 0 && number.hundredths == 0 {
        return Some(SessionResult::Breakeven);
    }
    meant.then_some(match sign {
        Sign::Plus if gains::is_given_up(scene, number) => SessionResult::Loss,
        Sign::Minus => SessionResult::Loss,
        Sign::Plus => SessionResult::Win,
    })
}

/// Exits alone tell a day too: "тейк, тейк, стоп, тейк", "один стоп и домой".
fn by_exits(scene: &Scene<'_>, asked: Option<Question>) -> Option<Reading<SessionResult>> {
    if !matches!(asked, Some(Question::HowWasIt | Question::Result)) {
        return None;
    }
    let mut at: Option<Range<usize>> = None;
    let mut count = |name: &str| {
        let hits = scene.hits("exits").filter(|h| h.name == name && scene.is_stated(h) && !scene.past(&h.at));
        let counted = hits.map(|h| {
            at = Some(at.as_ref().map_or(h.at.start, |a| a.start).min(h.at.start)..h.at.end);
            scene.numbers.iter().find(|n| n.at.start < h.at.end && h.at.start < n.at.end).map_or(1, |n| n.value.min(50))
        });
        counted.sum::<u64>()
    };
    let (takes, stops) = (count("takes"), count("stops"));
    let value = match takes.cmp(&stops) {
        std::cmp::Ordering::Greater => SessionResult::Win,
        std::cmp::Ordering::Less => SessionResult::Loss,
        std::cmp::Ordering::Equal => return None,
    };
    Some(Reading { value, words: scene.words(&at?) })
}

/// The sum that goes with an outcome: the outcome itself, or the nearest one beside it.
fn sum_of<'s>(scene: &'s Scene<'_>, outcome: &Outcome) -> Option<&'s Number> {
    const FAR: usize = 5;
    if outcome.result == SessionResult::Breakeven {
        return None;
    }
    let sum = |n: &&Number| match n.kind {
        NumberKind::Money => true,
        NumberKind::Plain | NumberKind::PerhapsTime => n.value > 10 && !scene.is_price(n),
        _ => false,
    };
    if let Some(own) = outcome.number.and_then(|i| scene.numbers.get(i)) {
        let bare = sum(&own) || own.kind == NumberKind::Plain && own.value > 0;
        return bare.then_some(own);
    }
    let distance = |n: &Number| {
        if n.at.start >= outcome.at.end { n.at.start - outcome.at.end } else { outcome.at.start.abs_diff(n.at.end) + 1 }
    };
    let near = |n: &&Number| scene.tokens.same_sentence(outcome.at.start, n.at.start) && distance(n) <= FAR;
    scene.numbers.iter().filter(sum).filter(near).min_by_key(|n| distance(n))
}

impl Scene<'_> {
    /// "От 2650", "по сто двенадцать": where something was bought, not what it brought.
    pub fn is_price(&self, number: &Number) -> bool {
        number.at.start.checked_sub(1).is_some_and(|before| self.is("price", before))
    }
}

fn in_words(scene: &Scene<'_>, number: &Number) -> String {
    let end = number.at.end.max(number.figure.end);
    scene.words(&(number.figure.start..end))
}

/// What the user's words make of the result: by themselves, or standing beside it.
fn size(scene: &Scene<'_>, outcomes: &[Outcome], meant: Option<SessionResult>) -> Option<Reading<ResultCategory>> {
    // "Up a bit, then gave it all back": what was a bit is not how the day ended.
    let today: Vec<&Outcome> = outcomes.iter().filter(|o| !o.past && meant.is_none_or(|m| m == o.result)).collect();
    let inside_another = |at: &Range<usize>| {
        outcomes.iter().any(|o| meant.is_some_and(|m| m != o.result) && o.at.start <= at.start && at.end <= o.at.end)
    };
    let gap = |at: &Range<usize>, o: &Outcome| {
        let (first, second) = if at.start < o.at.start { (at, &o.at) } else { (&o.at, at) };
        second.start.saturating_sub(first.end)
    };
    // "Yesterday a big loss and today a win": big is what it stands nearest to.
    let of_past = |at: &Range<usize>| outcomes.iter().filter(|o| o.past).map(|o| gap(at, o)).min();
    let beside = |at: &Range<usize>| {
        !inside_another(at)
            && today.iter().filter(|o| of_past(at).is_none_or(|past| gap(at, o) <= past)).any(|o| {
                let (first, second) = if at.start < o.at.start { (at, &o.at) } else { (&o.at, at) };
                let gap = second.start.saturating_sub(first.end);
                // Inside the outcome: "маленький плюсик" may be one pattern.
                let apart = scene.numbers.iter().any(|n| first.end <= n.at.start && n.at.end <= second.start);
                scene.tokens.same_sentence(at.start, o.at.start) && gap <= BESIDE && !apart
            })
    };
    let of_itself = scene.stated("result_size").filter(|h| !scene.past(&h.at));
    let by_result = scene.hits("size_near").filter(|h| !scene.negated(h) && beside(&h.at));
    let mut hits: Vec<_> = of_itself.chain(by_result).collect();
    hits.sort_by_key(|h| h.at.start);
    hits.last().map(|h| {
        let value = match h.name {
            "small" => ResultCategory::Small,
            "medium" => ResultCategory::Medium,
            _ => ResultCategory::Large,
        };
        Reading { value, words: scene.words(&h.at) }
    })
}

/// How many trades were made; a plan or a limit is no count of what was done.
fn trades(scene: &Scene<'_>, asked: Option<Question>) -> Option<Reading<u32>> {
    if matches!(asked, Some(Question::HowAreYou | Question::Plan | Question::RiskAppetite | Question::Readiness)) {
        return None;
    }
    let of_trades = |n: &&Number| {
        n.kind == NumberKind::Count
            && n.at
                .clone()
                .chain(n.at.start.checked_sub(1))
                .any(|i| scene.lexicon.has_word("trades", "trades", scene.tokens.norm(i)))
    };
    let made = |n: &&Number| {
        !scene.supposed(&n.at)
            && !scene.of_another(&n.at)
            && !scene.past(&n.at)
            && !scene.preceded_by("limit", n.at.start)
            && !scene.preceded_by("planned", n.at.start)
            && !scene.preceded_by("negation", n.at.start)
    };
    let number = scene.numbers.iter().filter(of_trades).find(made)?;
    let value = u32::try_from(number.value).ok().filter(|v| (1..=10_000).contains(v))?;
    Some(Reading { value, words: scene.words(&number.at) })
}
