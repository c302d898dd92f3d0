//! One utterance: what it adds to the session, and who answers it.

use super::asides::{Aside, Asides};
use super::gathered::Gathered;
use super::manner::Manner;
use super::requests::OpenReminder;
use super::{Effect, Move, State, acknowledge, advice, close, correction, crisis, flow, opening, practice};
use super::{requests, risk, spoken_in};
use crate::context::SessionResult;
use crate::contour::{self, Topic};
use crate::question::Question;
use crate::session::Kind;
use crate::understand::{self, Answer, Intent, Reading, Said, Scene, Sign};
use crate::voice::VoiceAnalysis;

/// So many turns are a long talk; it is closed then, whoever speaks.
pub const TURNS: usize = 40;

/// Fewer words than these name no worry, plan or lesson in answer to another question.
const FEW_WORDS: usize = 3;

const NO_LETTER: fn(char) -> bool = |c| !c.is_alphanumeric();

/// An utterance as it was read.
#[derive(Debug, Clone, PartialEq)]
pub struct Turn {
    /// The question that it may answer.
    pub asked: Option<Question>,
    pub text: String,
    /// It names the time that this one waited for.
    pub reminder: Option<OpenReminder>,
    pub said: Said,
    pub manner: Manner,
    pub asides: Asides,
    /// It said something that was not known yet.
    pub news: bool,
    /// What was known before it.
    pub before: Box<Gathered>,
    /// It puts right what Calm made of the words before.
    pub corrects: bool,
    circling: bool,
    pub nothing_heard: bool,
}

/// What was said before, to notice going in circles.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Heard {
    /// As [`understand::normal`] writes it, without punctuation.
    pub words: Vec<String>,
    asked: Option<Question>,
}

pub fn guide_answers(state: &mut State, text: &str, voice: Option<VoiceAnalysis>) -> Vec<Effect> {
    let turn = take_in(state, text, voice);
    code_speaks(state, &turn).unwrap_or_else(|| guide_speaks(state, &turn))
}

pub fn take_in(state: &mut State, text: &str, voice: Option<VoiceAnalysis>) -> Turn {
    state.opened = true;
    state.awaiting = None;
    let reminder = requests::take_reminder(state, text);
    let pending = state.pending.take();
    let asked = reminder.as_ref().map_or(pending, |open| open.back_to);
    let asked = asked.or_else(|| state.asked.is_empty().then(|| opening::question(state.kind)));
    if state.asked.is_empty() {
        state.asked.extend(asked);
    }
    // "Через пять минут" is no five out of ten.
    let in_the_light_of = asked.filter(|_| reminder.is_none());
    let known = state.reading.take().filter(|known| known.asked == in_the_light_of && known.text == text);
    let mut said = known.map_or_else(|| understand::read(text, state.lang, in_the_light_of), |known| known.said);
    let scene = Scene::of(text, spoken_in(text, state.lang));
    if let Some((question, late)) = belated(state, asked, &scene, text, &said) {
        state.missed.retain(|missed| *missed != question);
        said = late;
    }
    let manner = Manner::of(&scene, &said);
    let asides = Asides::of(&scene);
    manner.undo(asked, &mut said);
    advice::leave_out_of_plan(&mut said);
    let corrects = state.crisis.is_none() && correction::of_calm(text, &asides, asked, &mut said);
    correction::apply(&scene, &state.known, corrects, &mut said);
    keep_the_day(state, &scene, asked, &mut said);
    leave_out(text, &asides, asked, &mut said);
    notice_the_day(state, &asides, &mut said);
    let topic = Topic::of(&said).or_else(|| topic_of_answer(asked, &said));
    state.short_term.hear(topic, &said, contour::mood(&said, voice.as_ref()).is_negative());
    let before = Box::new(state.known.clone());
    let news = state.known.absorb(state.kind, &said, voice);
    if let Some(question) = asked.filter(|question| flow::passed_by(*question, &said, manner)) {
        state.missed.push(question);
    }
    // "That's the anger talking", "not till it's back": still the same wish, not another one.
    let same = state.chased > 0 && (manner.sees_through || manner.insists);
    state.chased += u32::from(said.shows(Sign::Revenge) && !same);
    let circling = notice_circling(state, text, news, asked, &said);
    // "Давай паузу сделаю" takes up the offer, and is no other break.
    let takes_offer = asked == Some(Question::Practice) && said.answers(Answer::Yes);
    if let Some(own) = said.own_break.as_ref().filter(|_| !takes_offer) {
        // "Ready at an eight, a break at noon" is part of a plan.
        let day_off = said.mentions.topics.contains(&"day_off");
        let planned = state.kind == Kind::CheckIn && !day_off && (said.plan.is_some() || said.ready_to_trade());
        state.break_on = (own.value && !planned).then_some(state.heard.len());
    }
    let nothing_heard = text.trim().is_empty();
    Turn {
        asked,
        text: text.to_owned(),
        reminder,
        said,
        manner,
        asides,
        news,
        before,
        corrects,
        circling,
        nothing_heard,
    }
}

/// Takes back what was read because the whole answer was taken for it, and is none: a question, an "okay, got it", a curse.
fn leave_out(text: &str, asides: &Asides, asked: Option<Question>, said: &mut Said) {
    let asks = text.trim_end().ends_with('?');
    let whole = |value: &str| understand::normal(value.trim()) == understand::normal(text.trim_matches(NO_LETTER));
    if asks {
        said.stressors.retain(|stressor| !whole(stressor));
        if said.plan.as_ref().is_some_and(|plan| whole(&plan.value)) {
            said.plan = None;
        }
    }
    let felt = said.feelings.iter().any(|f| f.value.feeling.is_heavy());
    let settles = asides.are_only(Aside::Accepts);
    if asked == Some(Question::Learnings)
        && (asks || felt || settles)
        && said.learnings.as_ref().is_some_and(|l| whole(&l.value))
    {
        said.learnings = None;
    }
    if asides.touch(Aside::Habit) {
        // "How do I stop overtrading?" tells of a habit, not of this hour.
        said.signs.retain(|sign| !matches!(sign.value, Sign::Tilt | Sign::Revenge));
    }
}

/// A day without a trade, or a user without time.
fn notice_the_day(state: &mut State, asides: &Asides, said: &mut Said) {
    if state.kind == Kind::CheckOut && said.result.is_none() && asides.touch(Aside::NoTrades) {
        state.no_trades = true;
    }
    if state.no_trades && (said.result.is_some() || said.trades.as_ref().is_some_and(|t| t.value > 0)) {
        state.no_trades = false;
    }
    if state.no_trades {
        // Who made no trade broke no rule of trading.
        said.plan_adherence = None;
    }
    if state.hurried.is_none() && said.distress.is_none() && asides.touch(Aside::Hurry) {
        state.hurried = Some(state.asked.len());
    }
}

/// "Flat on the day", and later "the winners paid for the losers": what the day came to stands, unless it is told anew.
fn keep_the_day(state: &State, scene: &Scene<'_>, asked: Option<Question>, said: &mut Said) {
    let differs = |known: &Reading<SessionResult>| said.result.as_ref().is_some_and(|new| new.value != known.value);
    let of_the_day = matches!(asked, Some(Question::HowWasIt | Question::Result))
        || scene.hits("whole_day").next().is_some()
        || scene.hits("manner").any(|hit| hit.name == "corrects");
    if state.kind == Kind::CheckOut && state.known.result.as_ref().is_some_and(differs) && !of_the_day {
        (said.result, said.amount, said.sum, said.result_category) = (None, None, None, None);
    }
}

/// What answers a question before this one: a mark where words were asked for, or words in place of a mark.
fn belated(
    state: &State,
    asked: Option<Question>,
    scene: &Scene<'_>,
    text: &str,
    said: &Said,
) -> Option<(Question, Said)> {
    let asked = asked.filter(|_| said.distress.is_none() && said.intents.is_empty())?;
    let mark = match state.kind {
        Kind::CheckIn => Question::Readiness,
        Kind::CheckOut => Question::Satisfaction,
    };
    let candidates: Vec<Question> = if understand::is_bare_mark(scene) {
        let for_words = matches!(
            asked,
            Question::Stressors
                | Question::Plan
                | Question::RiskAppetite
                | Question::PlanComparison
                | Question::Learnings
                | Question::Practice
                | Question::More
        );
        Some(mark).filter(|_| for_words).into_iter().collect()
    } else if understand::is_hours(scene) && matches!(asked, Question::Stressors | Question::Plan) {
        vec![Question::Sleep]
    } else if asked == mark {
        // A word is more likely the risk than the worry or the plan, for which any words would do.
        let any_words_do = |q: &Question| matches!(q, Question::Stressors | Question::Plan | Question::Learnings);
        let (loose, strict): (Vec<Question>, Vec<Question>) = state.missed.iter().partition(|q| any_words_do(q));
        let tells = text.split_whitespace().count() >= FEW_WORDS;
        strict.into_iter().chain(loose.into_iter().filter(|_| tells)).collect()
    } else {
        Vec::new()
    };
    let open = |question: &Question| *question != asked && !flow::is_known(state, *question);
    let mut readings = candidates.into_iter().filter(open).map(|question| {
        let read = understand::read(text, state.lang, Some(question));
        (question, read)
    });
    readings.find(|(question, read)| flow::answers(*question, read) && !flow::answers(asked, said))
}

/// "Нормально" in answer to the night is about the night.
fn topic_of_answer(asked: Option<Question>, said: &Said) -> Option<Topic> {
    asked.filter(|_| said.answer.is_some() && said.distress.is_none()).and_then(Topic::asked_by)
}

/// What code answers itself, whoever else might: safety, a wish to stop, consent, honesty.
pub fn code_speaks(state: &mut State, turn: &Turn) -> Option<Vec<Effect>> {
    let Turn { asked, said, .. } = turn;
    if said.distress.is_some() || state.crisis.is_some() {
        return Some(crisis::reply(state, turn));
    }
    if said.intends(Intent::Minor) {
        // Calm is for adults (SPEC H2); a crisis was heard first.
        state.refused = true;
        return Some(close(state, vec![Move::new("adults_only")]));
    }
    if said.intends(Intent::Stop) && !passes_over(state, turn) {
        return Some(match asked {
            // "Хватит" answers these; it is no refusal to talk.
            Some(Question::GoOn | Question::More) => flow::close_now(state, Vec::new()),
            Some(Question::Practice) => practice::answered(state, turn),
            _ => {
                state.refused = true;
                let leaves = turn.asides.touch(Aside::Leaving);
                close(state, vec![Move::new(if leaves { "close_in_hurry" } else { "respect_silence" })])
            }
        });
    }
    if turn.circling {
        return Some(close(state, vec![Move::new("close_circling")]));
    }
    if turn.nothing_heard {
        return Some(vec![Effect::Reply(flow::ask_again(state, *asked, vec![Move::new("not_heard")]))]);
    }
    if said.intends(Intent::AsksHuman) && !turn.asides.touch(Aside::Recording) {
        return Some(flow::digress(state, turn, vec![Move::new("human_answer")]));
    }
    if said.intends(Intent::AsksInstructions) {
        return Some(flow::digress(state, turn, vec![Move::new("redirect")]));
    }
    if said.intends(Intent::OtherLanguage) {
        return Some(flow::digress(state, turn, vec![Move::new("other_language")]));
    }
    let consent = matches!(asked, Some(Question::Practice | Question::AfterPractice));
    (consent || risk::gambling_is_due(state)).then(|| guide_speaks(state, turn))
}

/// "Не хочу об этом" is about the question, not about the talk, unless it was the first one.
fn passes_over(state: &State, turn: &Turn) -> bool {
    let first = turn.asked.is_none_or(|q| q == opening::question(state.kind));
    turn.manner.skips && !first
}

/// The guide's answer to everything that is left.
pub fn guide_speaks(state: &mut State, turn: &Turn) -> Vec<Effect> {
    let Turn { asked, said, .. } = turn;
    if said.intends(Intent::AsksAdvice) {
        return advice::answer(state, turn);
    }
    if said.intends(Intent::WantsPractice) && !said.answers(Answer::No) {
        return practice::requested(state, turn);
    }
    if let Some(effects) = requests::answer(state, turn) {
        return effects;
    }
    if *asked == Some(Question::More) && practice::takes_up_offer(state, turn) {
        return practice::requested(state, turn);
    }
    if let Some(effects) = asked_of_calm(state, turn) {
        return effects;
    }
    match asked {
        Some(Question::Practice) => practice::answered(state, turn),
        Some(Question::AfterPractice) => {
            let mut moves = vec![practice::afterwards(turn)];
            moves.extend(acknowledge::readiness(state, said));
            // Whether there is anything else was asked before the practice.
            if state.asked.contains(&Question::More) { flow::close_now(state, moves) } else { flow::next(state, moves) }
        }
        _ => flow::go_on(state, turn),
    }
}

/// A question about Calm, or a word that puts it right; then back to the talk.
fn asked_of_calm(state: &mut State, turn: &Turn) -> Option<Vec<Effect>> {
    let said = &turn.said;
    let asks = turn.text.trim_end().ends_with('?');
    let key = if turn.corrects {
        "ack_corrected"
    } else if turn.asides.touch(Aside::Recording) {
        "recording_answer"
    } else if turn.asides.touch(Aside::Abilities) {
        "abilities_answer"
    } else if turn.asides.touch(Aside::Habit) {
        "habit_answer"
    } else if asks && turn.asides.touch(Aside::Quit) {
        "quit_answer"
    } else if asks && !turn.news && said.answer.is_none() && said.feelings.is_empty() {
        "cannot_answer"
    } else {
        return None;
    };
    let mut moves = vec![Move::new(key)];
    if turn.news {
        let told = acknowledge::moves(state, turn);
        moves.extend(told.into_iter().filter(|m| m.key != "ack_plain"));
    }
    Some(flow::digress(state, turn, moves))
}

/// The same words again and again, or several turns in a row with nothing new in them.
///
/// "Норм" to three different questions is not going in circles, and neither is a story that the lexicon cannot read.
fn notice_circling(state: &mut State, text: &str, news: bool, asked: Option<Question>, said: &Said) -> bool {
    const FRUITLESS: u32 = 3;
    let words: Vec<String> =
        text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(understand::normal).collect();
    let answers = said.answer.is_some() || !said.feelings.is_empty();
    let laconic = words.len() <= 2 && (words.len() == 1 || answers);
    let same = state.heard.iter().filter(|h| h.words == words && (!laconic || h.asked == asked)).count();
    let fresh = words.iter().filter(|w| !state.heard.iter().any(|h| h.words.contains(w))).count();
    let tells = fresh > 0 && fresh * 4 >= words.len() && !said.unsure;
    state.fruitless = if news || tells || said.answer.is_some() { 0 } else { state.fruitless + 1 };
    state.heard.push(Heard { words, asked });
    let repeated = same >= 2 && (!laconic || !news && said.answer.is_none());
    repeated || state.fruitless >= FRUITLESS || state.heard.len() >= TURNS
}
