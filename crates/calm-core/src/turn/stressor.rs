//! A worry outside the market, answered as what it is: a death is no errand.

use super::asides::{Aside, Asides};
use super::{Move, State, spoken_in};
use crate::understand::Scene;

/// Longer than this is given back in Calm's words, not the user's; words.
const QUOTABLE: usize = 5;

const KINDS: [(Aside, &str); 5] = [
    (Aside::Grief, "ack_grief"),
    (Aside::Illness, "ack_illness"),
    (Aside::Family, "ack_family"),
    (Aside::Money, "ack_money"),
    (Aside::Work, "ack_work"),
];

/// What a worry is about, if it is one of the common ones.
fn kind(state: &State, stressor: &str) -> Option<&'static str> {
    let asides = Asides::of(&Scene::of(stressor, spoken_in(stressor, state.lang)));
    KINDS.into_iter().find(|(aside, _)| asides.touch(*aside)).map(|(_, key)| key)
}

pub fn acknowledged(state: &State, stressors: &[String], text: &str) -> Option<Move> {
    let kinds: Vec<&str> = stressors.iter().filter_map(|stressor| kind(state, stressor)).collect();
    // What weighs most is answered first, wherever it stood.
    if let Some((_, key)) = KINDS.into_iter().find(|(_, key)| kinds.contains(key)) {
        // Condolences are said once.
        let again = state.named.contains(&key);
        return Some(Move::new(if again { "ack_stressor" } else { key }));
    }
    let stressor = stressors.first()?;
    let words = stressor.split_whitespace().count();
    // The whole answer repeated would be an echo.
    let echo = words > 2 && words * 4 > text.split_whitespace().count() * 3;
    let quoted = (words <= QUOTABLE && !echo).then(|| stressor.clone());
    Some(Move::new("ack_stressor").with_if("stressor", quoted))
}

/// Nothing that should be left alone, such as a death.
pub fn is_light(stressor: &str, state: &State) -> bool {
    kind(state, stressor) != Some("ack_grief")
}
