//! What one turn leaves behind: an experience, a mark for its topic, a lesson where the reply missed (SPEC M2, C2).

use calm_core::contour::{MISSED, Method, StateVector, Topic, WENT_WELL, trust_after};
use calm_core::{Lang, read};
use calm_store::{Scored, TopicMark, UnrememberedTurn};
use serde_json::Value;

/// Fewer words than these are an answer and no experience.
const FEW: usize = 3;

/// A turn as memory sees it.
pub struct Lesson {
    pub topic: Option<Topic>,
    /// Worth recalling some other day.
    pub is_experience: bool,
    pub scored: Option<Scored>,
}

/// Reads the turn's own words. A crisis is not learned from and never comes back (SPEC H5).
pub fn of(turn: &UnrememberedTurn, trust: f32) -> Lesson {
    if is_crisis(turn) {
        return Lesson { topic: None, is_experience: false, scored: None };
    }
    let said = read(&turn.user_text, turn.language, None);
    let topic = Topic::of(&said);
    let words = turn.user_text.split_whitespace().count();
    Lesson { topic, is_experience: topic.is_some() && words >= FEW, scored: scored(turn, topic, trust) }
}

fn is_crisis(turn: &UnrememberedTurn) -> bool {
    let contour = turn.contour.as_ref().and_then(|kept| kept.get("state")).cloned();
    let state: Option<StateVector> = contour.and_then(|state| serde_json::from_value(state).ok());
    let in_words = |lang: Lang| read(&turn.user_text, lang, None).distress.is_some();
    state.is_some_and(|state| state.method == Method::Distress) || in_words(turn.language)
}

fn scored(turn: &UnrememberedTurn, topic: Option<Topic>, trust: f32) -> Option<Scored> {
    let sufler = turn.sufler.as_ref()?;
    let score = u8::try_from(sufler.get("score")?.as_u64()?).ok()?;
    let mark = match score {
        WENT_WELL.. => Some(TopicMark::Good),
        ..=MISSED => Some(TopicMark::Bad),
        _ => None,
    };
    let missed = topic.is_some() && score <= MISSED;
    let reasons = || -> Vec<String> {
        let codes = sufler.get("reasons").and_then(Value::as_array).cloned().unwrap_or_default();
        codes.iter().filter_map(Value::as_str).map(str::to_owned).collect()
    };
    Some(Scored { score, trust_after: f64::from(trust_after(trust, score)), mark, lesson: missed.then(reasons) })
}
