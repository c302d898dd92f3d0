//! How many trades: as planned before, as made after.

use super::spoken_in;
use crate::lang::Lang;
use crate::understand::Scene;

/// More trades were made than the plan allowed; the plan is in the user's words.
pub fn beyond_plan(plan: &str, lang: Lang, made: u32) -> bool {
    counted(plan, lang).is_some_and(|(planned, _)| made > planned)
}

/// The number of trades in a text, the upper end of a range, and the words for it.
pub fn counted(text: &str, lang: Lang) -> Option<(u32, String)> {
    let scene = Scene::of(text, spoken_in(text, lang));
    let names_trades = |at: usize| {
        let word = scene.tokens.norm(at);
        ["сдел", "трейд", "вход", "trade", "entry", "entries", "position"].iter().any(|stem| word.starts_with(stem))
    };
    scene.numbers.iter().filter(|n| n.sign.is_none()).find_map(|number| {
        let from = number.figure.start;
        let noun = (number.figure.end..number.figure.end + 2).find(|at| names_trades(*at))?;
        let figures = (from..number.figure.end).filter_map(|at| {
            let word = scene.tokens.norm(at);
            word.parse::<u64>().ok().or_else(|| scene.lexicon.entry_of("numbers", word)?.parse().ok())
        });
        let most = figures.max().unwrap_or(number.value).max(number.value);
        Some((u32::try_from(most).ok()?, scene.words(&(from..noun + 1))))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case::ten_against_two("две сделки и стоп по плану", Lang::Ru, 10, true)]
    #[case::as_planned("две сделки", Lang::Ru, 2, false)]
    #[case::up_to_three("2-3 сделки", Lang::Ru, 3, false)]
    #[case::at_most("max 3 trades, then done", Lang::En, 4, true)]
    #[case::no_number("торговать по тренду", Lang::Ru, 9, false)]
    #[case::another_number("стоп 200 долларов", Lang::Ru, 300, false)]
    fn against_a_plan(#[case] plan: &str, #[case] lang: Lang, #[case] made: u32, #[case] beyond: bool) {
        assert_eq!(beyond_plan(plan, lang, made), beyond);
    }
}
