//! One language inside the other: «ну такое, slept like 4 hours».

use super::tokens::is_cyrillic;
use super::{Said, readings};
use crate::lang::Lang;
use crate::question::Question;

/// Fewer words in a row are names and jargon.
const FEWEST: usize = 3;

/// Levels and the night, where only the words in the other letters tell them.
pub fn complete(said: &mut Said, text: &str, spoken: Lang, asked: Option<Question>) {
    let Some(part) = in_other_letters(text, spoken) else { return };
    let other = match spoken {
        Lang::Ru => Lang::En,
        Lang::En => Lang::Ru,
    };
    let told = readings::read(part, other, asked);
    said.sleep = said.sleep.take().or(told.sleep);
    said.readiness = said.readiness.take().or(told.readiness);
    said.stress = said.stress.take().or(told.stress);
    said.energy = said.energy.take().or(told.energy);
}

/// The longest stretch without a letter of the language that is spoken.
fn in_other_letters(text: &str, spoken: Lang) -> Option<&str> {
    let own = |c: char| match spoken {
        Lang::Ru => is_cyrillic(c),
        Lang::En => c.is_ascii_alphabetic(),
    };
    let words = |part: &&str| part.split_whitespace().filter(|word| word.contains(char::is_alphabetic)).count();
    // A title or somebody's words are quoted.
    let quoted = |part: &&str| part.contains(['«', '»', '"', '“', '”']);
    text.split(own).max_by_key(words).filter(|part| words(part) >= FEWEST && !quoted(part))
}
