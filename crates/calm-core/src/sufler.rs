//! Sufler: a score for a reply that has been shown, with reasons (SPEC C6).
//!
//! Rules only; neither the length of a session nor a return visit may count (SPEC H9).

use std::collections::HashSet;

use serde::Serialize;

use crate::guard;
use crate::lang::Lang;
use crate::understand::normal;

/// Calm is short: this many words read aloud take about half a minute.
const LONG: usize = 70;
/// Somebody said something, and got three words back.
const CURT: usize = 2;
/// From this share of the user's words on, a reply is an echo.
const ECHO: f32 = 0.8;

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SuflerScore {
    /// 1–5.
    pub score: u8,
    /// Empty for a reply without fault.
    pub reasons: Vec<Reason>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// The guard has something against it.
    Boundary,
    WrongLanguage,
    Empty,
    TooLong,
    TooCurt,
    TooManyQuestions,
    Echo,
    Lecture,
    /// An exclamation mark after heavy words.
    Cheerful,
}

impl Reason {
    /// Points taken off.
    fn weight(self) -> u8 {
        match self {
            Reason::Boundary | Reason::Empty => 4,
            Reason::WrongLanguage => 3,
            Reason::Lecture | Reason::Echo | Reason::TooManyQuestions => 2,
            Reason::TooLong | Reason::TooCurt | Reason::Cheerful => 1,
        }
    }
}

/// Scores `reply` as an answer to `user`, in the session's language.
pub fn score(user: &str, reply: &str, lang: Lang) -> SuflerScore {
    let words: Vec<String> = reply.split_whitespace().map(normal).collect();
    let mut reasons = Vec::new();
    let mut note = |reason: Reason, applies: bool| {
        if applies {
            reasons.push(reason);
        }
    };
    note(Reason::Empty, words.is_empty());
    note(Reason::Boundary, !guard::check(&guard::without_quotations(reply), lang).is_empty());
    note(Reason::WrongLanguage, in_wrong_language(reply, lang));
    note(Reason::TooManyQuestions, reply.matches('?').count() > 1);
    note(Reason::Lecture, guard::lectures(reply, lang));
    note(Reason::Echo, is_echo(user, &words));
    note(Reason::TooLong, words.len() > LONG);
    note(Reason::TooCurt, !words.is_empty() && words.len() <= CURT && user.split_whitespace().count() > 5);
    note(Reason::Cheerful, reply.contains('!') && is_heavy(user, lang));
    let lost: u8 = reasons.iter().map(|r| r.weight()).fold(0, u8::saturating_add);
    SuflerScore { score: 5_u8.saturating_sub(lost).max(1), reasons }
}

fn in_wrong_language(reply: &str, lang: Lang) -> bool {
    let cyrillic = reply.chars().filter(|c| ('\u{400}'..='\u{4ff}').contains(c)).count();
    let latin = reply.chars().filter(char::is_ascii_alphabetic).count();
    match lang {
        Lang::Ru => latin > cyrillic,
        Lang::En => cyrillic > latin,
    }
}

/// A reply made of the user's own words gives nothing back.
fn is_echo(user: &str, reply: &[String]) -> bool {
    let strip = |word: &str| normal(word.trim_matches(|c: char| !c.is_alphanumeric()));
    let said: HashSet<String> = user.split_whitespace().map(strip).collect();
    let theirs = reply.iter().filter(|w| said.contains(&strip(w))).count();
    reply.len() >= 4 && theirs as f32 / reply.len() as f32 >= ECHO
}

fn is_heavy(user: &str, lang: Lang) -> bool {
    let said = crate::understand::read(user, lang, None);
    said.distress.is_some() || said.feelings.iter().any(|f| f.value.feeling.is_heavy())
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case::good("Немного волнуюсь.", "Волнение — понятная вещь. Как оценишь готовность, от 1 до 10?", Lang::Ru, 5, &[])]
    #[case::advice("Что делать?", "Покупай на откате.", Lang::Ru, 1, &[Reason::Boundary])]
    #[case::two_questions("Нормально.", "Как спалось? А какой план?", Lang::Ru, 3, &[Reason::TooManyQuestions])]
    #[case::wrong_language("Злюсь на себя.", "That makes sense, take your time.", Lang::Ru, 2, &[Reason::WrongLanguage])]
    #[case::echo("Закрыл день в минус двести", "Закрыл день в минус двести.", Lang::Ru, 3, &[Reason::Echo])]
    #[case::lecture("I broke my plan", "You must always respect your stops, that much is clear.", Lang::En, 3, &[Reason::Lecture])]
    #[case::cheerful("I'm really angry", "Anger makes sense here! Take your time.", Lang::En, 4, &[Reason::Cheerful])]
    #[case::empty("Привет", "", Lang::Ru, 1, &[Reason::Empty])]
    fn scores(
        #[case] user: &str,
        #[case] reply: &str,
        #[case] lang: Lang,
        #[case] expected: u8,
        #[case] reasons: &[Reason],
    ) {
        let scored = score(user, reply, lang);
        assert_eq!((scored.score, scored.reasons.as_slice()), (expected, reasons));
    }
}
