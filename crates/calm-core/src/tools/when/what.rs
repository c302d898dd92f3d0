//! What to remind of: the user's words without the asking and without the time.

use std::ops::Range;

use super::reading::read;
use crate::lang::Lang;
use crate::tools::words::Words;

/// Longest text of a reminder, in characters.
const LONGEST: usize = 200;

/// The words after "напомни" or "remind me to", or those before them; a plain phrase where there are none.
pub fn what(text: &str, lang: Lang) -> String {
    let words = Words::of(text, lang);
    let time = read(&words).map(|(_, at)| at).unwrap_or_default();
    let asked = (0..words.len()).find(|at| words.is("reminding", "word", *at));
    let own = match asked {
        Some(asked) => {
            let (from, to) = sentence(&words, asked);
            Some(kept(&words, asked + 1..to, &time))
                .filter(|own| !own.is_empty())
                .unwrap_or_else(|| kept(&words, from..asked, &time))
        }
        None => kept(&words, 0..words.len(), &time),
    };
    let short: String = own.chars().take(LONGEST).collect();
    if short.trim().is_empty() {
        let default = if lang == Lang::Ru {
            "Напоминание, о котором мы говорили"
        } else {
            "The reminder that we agreed on"
        };
        return default.to_owned();
    }
    short.trim().to_owned()
}

/// The sentence that the word at `at` stands in.
fn sentence(words: &Words<'_>, at: usize) -> (usize, usize) {
    let opens = |i: usize| words.gap_before(i).contains(['.', '!', '?', '…', '\n']);
    let from = (1..=at).rev().find(|i| opens(*i)).unwrap_or(0);
    let to = (at + 1..words.len()).find(|i| opens(*i)).unwrap_or(words.len());
    (from, to)
}

/// The words of a range without the time, the filling words at both ends, and what the time leaves hanging.
fn kept(words: &Words<'_>, range: Range<usize>, time: &[Range<usize>]) -> String {
    let of_time = |at: usize| time.iter().any(|said| said.contains(&at));
    let fills = |at: usize| of_time(at) || words.is("reminding", "filler", at);
    let mut range = range;
    while !range.is_empty() && fills(range.start) {
        range.start += 1;
    }
    while !range.is_empty() && fills(range.end - 1) {
        range.end -= 1;
    }
    let mut pieces: Vec<&str> = Vec::new();
    let mut start = range.start;
    for at in range.start..=range.end {
        if at == range.end || of_time(at) {
            if start < at {
                pieces.push(words.written(start..at));
            }
            start = at + 1;
        }
    }
    pieces.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("напомни мне через час выйти из терминала", Lang::Ru, "выйти из терминала")]
    #[case("Напомни, пожалуйста, закрыть терминал в 15:30.", Lang::Ru, "закрыть терминал")]
    #[case("Через полчаса напомни, что я не отыгрываюсь", Lang::Ru, "я не отыгрываюсь")]
    #[case("поставь напоминание на 15:30 выпить воды", Lang::Ru, "выпить воды")]
    #[case("Устал. Напомни завтра в 9 утра записать план. Спасибо.", Lang::Ru, "записать план")]
    #[case("выпить воды через час напомни", Lang::Ru, "выпить воды")]
    #[case("remind me to close the terminal at 3 pm", Lang::En, "close the terminal")]
    #[case("Remind me in half an hour to step away", Lang::En, "step away")]
    #[case("set a reminder for 3 pm to check my plan", Lang::En, "check my plan")]
    #[case("remind me tomorrow at nine about the journal", Lang::En, "the journal")]
    fn the_users_own_words(#[case] text: &str, #[case] lang: Lang, #[case] expected: &str) {
        assert_eq!(what(text, lang), expected);
    }

    #[rstest]
    fn nothing_said_is_a_plain_phrase(
        #[values("напомни через час", "remind me at nine", "", "…")] text: &str
    ) {
        for lang in Lang::ALL {
            assert!(!what(text, lang).is_empty());
        }
    }
}
