//! What the last talks left, in the user's own words: somebody who comes back is known.

use super::spoken_in;
use crate::guard;
use crate::lang::Lang;

/// Longer than this is a story, and no opening; characters.
const LONGEST: usize = 70;

const JOINTS: [&str; 3] = ["что ", "Что ", "that "];

/// Of the newest earlier day that a talk was had on.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Earlier {
    /// What the user took from that day.
    pub learning: Option<String>,
    /// What weighed on them, beside the market.
    pub stressor: Option<String>,
    /// That day was told of, and it was a good one.
    pub won: bool,
}

/// The words as they may be given back in an opening.
pub fn speakable(words: Option<&str>, lang: Lang) -> Option<String> {
    let words = words?.trim();
    // "Что терпение работает" answers a question that is not asked again.
    let words = JOINTS.iter().find_map(|joint| words.strip_prefix(joint)).unwrap_or(words);
    let fits = !words.is_empty()
        && words.chars().count() <= LONGEST
        && spoken_in(words, lang) == lang
        && guard::check_record(words, lang).is_empty();
    fits.then(|| words.to_owned())
}
