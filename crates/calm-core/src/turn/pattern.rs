//! A known pattern of the user, as a guess and only where it fits what was just said (SPEC M2, H10).

use super::{Move, State, spoken_in};
use crate::guard;
use crate::understand::{Said, normal, read};

const KEY: &str = "known_pattern";
/// Longer than this is a story, not a guess; characters.
const LONGEST: usize = 120;

/// At most one in a session.
pub fn guess(state: &mut State, said: &Said, text: &str) -> Option<Move> {
    if state.named.contains(&KEY) {
        return None;
    }
    let pattern = state.context.user.known_patterns.iter().find(|p| fits(state, said, text, p))?.trim().to_owned();
    state.named.push(KEY);
    Some(Move::new(KEY).with("pattern", pattern))
}

fn fits(state: &State, said: &Said, text: &str, pattern: &str) -> bool {
    let speakable = !pattern.trim().is_empty()
        && pattern.chars().count() <= LONGEST
        && spoken_in(pattern, state.lang) == state.lang
        && guard::check_record(pattern, state.lang).is_empty();
    if !speakable {
        return false;
    }
    let told = read(pattern, state.lang, None);
    let sign = told.signs.iter().any(|s| said.shows(s.value));
    let heavy = |f: &&crate::understand::Reading<crate::understand::Felt>| f.value.feeling.is_heavy();
    let feeling =
        told.feelings.iter().filter(heavy).any(|f| said.feelings.iter().any(|s| s.value.feeling == f.value.feeling));
    let sleep = told.sleep.is_some() && told.sleep.as_ref().map(|s| s.value) == said.sleep.as_ref().map(|s| s.value);
    sign || feeling || sleep || shares_words(text, pattern)
}

/// Two longer words in common, endings aside.
fn shares_words(text: &str, pattern: &str) -> bool {
    let stems = |text: &str| -> Vec<String> {
        text.split(|c: char| !c.is_alphanumeric())
            .map(normal)
            .filter(|w| w.chars().count() >= 5)
            .map(|w| w.chars().take(5).collect())
            .collect()
    };
    let said = stems(text);
    let mut shared: Vec<String> = stems(pattern).into_iter().filter(|w| said.contains(w)).collect();
    shared.sort();
    shared.dedup();
    shared.len() >= 2
}
