//! A model's `end_session` beside the code's own: the code's is the record, and what the model adds
//! has to be something that the user said (SPEC T2, T3).

use serde::Serialize;
use serde_json::Value;

use super::hearing::Heard;
use super::{State, ending, spoken_in};
use crate::end_session::{Attributes, EndSession};
use crate::guard;
use crate::lang::Lang;
use crate::session::Kind;
use crate::understand::{self, Scene, normal};

/// Something that a model put down and the record does not take over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Dropped {
    /// The path inside the arguments, such as `risk_flags.tilt_risk`.
    pub field: &'static str,
    pub given: String,
    /// `never_said`, `no_evidence`, `contradicts`, `unsafe_words`, `wrong_language` or `too_long`.
    pub why: &'static str,
}

const NEVER_SAID: &str = "never_said";
const NO_EVIDENCE: &str = "no_evidence";
const CONTRADICTS: &str = "contradicts";

/// A summary is one or two sentences; characters.
const LONGEST_SUMMARY: usize = 320;
/// What the user said is kept in a line; characters.
const LONGEST_WORDS: usize = 180;

/// The ending that is kept, and what was given beyond it, with the reason why it is not.
pub fn checked(state: &State, given: EndSession) -> (EndSession, Vec<Dropped>) {
    let mut own = ending::of(state);
    let mut dropped = Vec::new();
    let mut drop = |field, given: String, why| dropped.push(Dropped { field, given, why });
    // Whoever is in distress or would rather not talk leaves what code found, and no more.
    let reserved = state.in_crisis() || state.refused;

    let EndSession {
        session_type,
        extracted_attributes: attributes,
        risk_flags,
        recommended_actions: actions,
        session_summary,
        recommended_next_action: next,
    } = given;
    if session_type != own.session_type {
        drop("session_type", session_type.name().to_owned(), CONTRADICTS);
    }
    for (field, given, kept) in plain_values(&attributes, &own.extracted_attributes) {
        match (given, kept) {
            (Value::Null, _) => {}
            (given, Value::Null) => drop(field, shown(&given), NEVER_SAID),
            (given, kept) if given != kept => drop(field, shown(&given), CONTRADICTS),
            _ => {}
        }
    }
    words(state, reserved, &mut own.extracted_attributes, attributes, &mut drop);

    let flags = &own.risk_flags;
    for (field, given, kept) in [
        ("risk_flags.high_stress", risk_flags.high_stress, flags.high_stress),
        ("risk_flags.tilt_risk", risk_flags.tilt_risk, flags.tilt_risk),
        ("risk_flags.overconfidence", risk_flags.overconfidence, flags.overconfidence),
        ("risk_flags.fatigue", risk_flags.fatigue, flags.fatigue),
        ("risk_flags.revenge_trading_risk", risk_flags.revenge_trading_risk, flags.revenge_trading_risk),
        ("risk_flags.needs_attention", risk_flags.needs_attention, flags.needs_attention),
        ("recommended_actions.suggest_pause", actions.suggest_pause, own.recommended_actions.suggest_pause),
        (
            "recommended_actions.offer_extended_talk",
            actions.offer_extended_talk,
            own.recommended_actions.offer_extended_talk,
        ),
    ] {
        if given && !kept {
            drop(field, "true".to_owned(), NO_EVIDENCE);
        }
    }
    if actions.practice_type.is_some() && actions.practice_type != own.recommended_actions.practice_type {
        drop("recommended_actions.practice_type", shown(&serde_json::json!(actions.practice_type)), NO_EVIDENCE);
    }
    if next != crate::end_session::NextAction::None && next != own.recommended_next_action {
        drop("recommended_next_action", shown(&serde_json::json!(next)), CONTRADICTS);
    }

    let summary = session_summary.trim();
    if !summary.is_empty() {
        match if reserved { Some(NO_EVIDENCE) } else { against_summary(state, summary, &own) } {
            None => own.session_summary = summary.to_owned(),
            Some(why) => drop("session_summary", summary.to_owned(), why),
        }
    }
    (own, dropped)
}

/// Levels and names, which only code reads out of the user's words.
fn plain_values(given: &Attributes, kept: &Attributes) -> Vec<(&'static str, Value, Value)> {
    macro_rules! pairs {
        ($($field:ident),+ $(,)?) => {
            vec![$((
                concat!("extracted_attributes.", stringify!($field)),
                serde_json::json!(given.$field),
                serde_json::json!(kept.$field),
            )),+]
        };
    }
    pairs![
        stress_level,
        energy_level,
        trading_readiness,
        primary_emotion,
        sleep_quality,
        risk_appetite,
        session_result,
        result_category,
        plan_adherence,
        regret_level,
        satisfaction,
    ]
}

/// The free words: taken over where code found none and the user did say them.
fn words(
    state: &State,
    reserved: bool,
    own: &mut Attributes,
    given: Attributes,
    drop: &mut impl FnMut(&'static str, String, &'static str),
) {
    let against = |text: &str| if reserved { Some(NO_EVIDENCE) } else { against_words(state, text) };
    let mut line = |field, own: &mut Option<String>, given: Option<String>, may_add: bool| {
        let Some(given) = given.map(|g| g.trim().to_owned()).filter(|g| !g.is_empty()) else { return };
        match own {
            Some(kept) if tells_the_same(&given, kept) => {}
            Some(_) => drop(field, given, CONTRADICTS),
            None => match against(&given).or((!may_add).then_some(NO_EVIDENCE)) {
                None => *own = Some(given),
                Some(why) => drop(field, given, why),
            },
        }
    };
    let plans = state.kind == Kind::CheckIn;
    line("extracted_attributes.planned_approach", &mut own.planned_approach, given.planned_approach, plans);
    line("extracted_attributes.key_learnings", &mut own.key_learnings, given.key_learnings, true);
    let mut added = Vec::new();
    for stressor in given.external_stressors.unwrap_or_default() {
        let stressor = stressor.trim().to_owned();
        let known = own.external_stressors.iter().flatten().any(|k| tells_the_same(&stressor, k));
        if stressor.is_empty() || known {
            continue;
        }
        let why = if own.external_stressors.is_some() { Some(NO_EVIDENCE) } else { against(&stressor) };
        match why {
            None => added.push(stressor),
            Some(why) => drop("extracted_attributes.external_stressors", stressor, why),
        }
    }
    if !added.is_empty() {
        own.external_stressors = Some(added);
    }
}

fn against_words(state: &State, text: &str) -> Option<&'static str> {
    if text.chars().count() > LONGEST_WORDS {
        return Some("too_long");
    }
    if !guard::check_record(text, state.lang).is_empty() {
        return Some("unsafe_words");
    }
    let said = state.heard.iter().any(|heard| says(heard, text));
    (!said).then_some(NEVER_SAID)
}

fn against_summary(state: &State, summary: &str, own: &EndSession) -> Option<&'static str> {
    if spoken_in(summary, state.lang) != state.lang {
        return Some("wrong_language");
    }
    if summary.chars().count() > LONGEST_SUMMARY || sentences(summary) > 2 {
        return Some("too_long");
    }
    if !guard::check_record(summary, state.lang).is_empty() {
        return Some("unsafe_words");
    }
    if !said_numbers(state, own, summary) {
        return Some(NEVER_SAID);
    }
    let told = understand::read(summary, state.lang, None);
    let known = &state.known;
    let results = [&known.result, &known.past_result];
    match told.result.or(told.past_result).map(|r| r.value) {
        Some(_) if results.iter().all(|r| r.is_none()) => Some(NEVER_SAID),
        Some(told) if !results.iter().any(|r| r.as_ref().is_some_and(|r| r.value == told)) => Some(CONTRADICTS),
        _ => None,
    }
}

/// Every number of the summary is one that the user said or that the record holds.
fn said_numbers(state: &State, own: &EndSession, summary: &str) -> bool {
    let attributes = &own.extracted_attributes;
    let levels = [
        attributes.stress_level,
        attributes.energy_level,
        attributes.trading_readiness,
        attributes.regret_level,
        attributes.satisfaction,
    ];
    let mut known: Vec<u64> = levels.into_iter().flatten().map(u64::from).collect();
    for heard in &state.heard {
        known.extend(numbers(&heard.words.join(" "), state.lang));
        known.extend(heard.words.iter().filter_map(|w| w.parse::<u64>().ok()));
    }
    numbers(summary, state.lang).iter().all(|n| known.contains(n))
}

fn numbers(text: &str, lang: Lang) -> Vec<u64> {
    use understand::lexicon::Lexicon;
    let article =
        |words: &str| words.split_whitespace().all(|w| Lexicon::of(lang).entry_of("numbers", &normal(w)) == Some("1"));
    let scene = Scene::of(text, lang);
    scene.numbers.iter().filter(|n| !article(&scene.words(&n.figure))).map(|n| n.value).collect()
}

/// One utterance holds all the words of `text` that carry meaning, endings aside.
fn says(heard: &Heard, text: &str) -> bool {
    let wanted = content(text);
    let enough = wanted.len() >= 2 || wanted.iter().any(|w| w.chars().count() >= 5);
    enough && wanted.iter().all(|w| heard.words.iter().any(|h| same_stem(w, h)))
}

/// Half of the words are shared: a paraphrase of what is kept anyway.
fn tells_the_same(given: &str, kept: &str) -> bool {
    let (given, kept) = (content(given), content(kept));
    let shared = given.iter().filter(|g| kept.iter().any(|k| same_stem(g, k))).count();
    shared * 2 >= given.len().min(kept.len()).max(1)
}

fn content(text: &str) -> Vec<String> {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|w| w.chars().count() > 2 || w.starts_with(|c: char| c.is_ascii_digit()))
        .map(normal)
        .collect()
}

/// "Стопа" and "стоп", "trades" and "trade"; figures only when they are equal.
fn same_stem(a: &str, b: &str) -> bool {
    if a.starts_with(|c: char| c.is_ascii_digit()) || b.starts_with(|c: char| c.is_ascii_digit()) {
        return a == b;
    }
    let shared = a.chars().zip(b.chars()).take_while(|(a, b)| a == b).count();
    let shorter = a.chars().count().min(b.chars().count());
    shared >= 3 && shared + 2 >= shorter && shared * 3 >= a.chars().count().max(b.chars().count()) * 2
}

fn sentences(text: &str) -> usize {
    let ends = |c: char| matches!(c, '.' | '!' | '?' | '…');
    // A point inside a figure ends nothing.
    text.split_inclusive(|c: char| c.is_whitespace()).filter(|word| word.trim_end().ends_with(ends)).count().max(1)
}

fn shown(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
