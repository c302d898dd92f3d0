//! The user's own rule, said back to them, is no advice.
//!
//! Three things must hold: the sentence says whose rule it is, everything else in it stands in the user's
//! words, and the figures and the "not" are the same. A model that puts its own advice into the user's mouth
//! fails the second.

use std::collections::HashSet;

use super::patterns::Read;
use super::words::Word;

/// Letters by which two forms of a word are the same word: "сделок" and "сделки", "moves" and "moving".
const STEM: usize = 4;

pub fn quotes(words: &[Word], read: &Read<'_>, own_words: &[&str]) -> bool {
    let mut attributed = vec![false; words.len()];
    let mut any = false;
    for at in 0..words.len() {
        if let Some(end) = read.named("own_rule", at) {
            any = true;
            attributed.iter_mut().take(end).skip(at).for_each(|taken| *taken = true);
        }
    }
    if !any {
        return false;
    }
    let denial = |at: usize| words.get(at).is_some_and(|w| is_not(&w.norm));
    let filler = |at: usize| !denial(at) && (read.named("filler", at).is_some() || read.named("small", at).is_some());
    let said: Vec<&Word> = (0..words.len())
        .filter(|at| attributed.get(*at) == Some(&false) && !filler(*at))
        .filter_map(|at| words.get(at))
        .collect();
    own_words.iter().any(|own| {
        let own = super::words::of(own);
        let stems: HashSet<String> = own.iter().map(|w| stem(&w.norm)).collect();
        !said.is_empty() && said.iter().all(|word| stems.contains(&stem(&word.norm))) && same_sense(&said, &own)
    })
}

/// "Не больше двух" allows no "больше двух": a "not" of the sentence stands in the user's words before the same
/// word, and one of the user's is not dropped.
fn same_sense(said: &[&Word], own: &[Word]) -> bool {
    let denied = |words: &[&Word]| -> HashSet<String> {
        let pairs = words.windows(2).filter(|pair| is_not(&pair[0].norm));
        pairs.map(|pair| stem(&pair[1].norm)).collect()
    };
    let own: Vec<&Word> = own.iter().collect();
    let theirs = denied(&own);
    let mine = denied(said);
    let mentioned: HashSet<String> = said.iter().map(|w| stem(&w.norm)).collect();
    mine.is_subset(&theirs) && theirs.iter().filter(|word| mentioned.contains(*word)).all(|word| mine.contains(word))
}

fn is_not(norm: &str) -> bool {
    matches!(norm, "не" | "нельзя" | "no" | "not" | "dont" | "never" | "без")
}

fn stem(norm: &str) -> String {
    if norm.starts_with(|c: char| c.is_ascii_digit()) { norm.to_owned() } else { norm.chars().take(STEM).collect() }
}
