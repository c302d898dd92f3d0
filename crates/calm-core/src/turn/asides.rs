//! What is said beside the question: about Calm, about the last talk, in a hurry; and what kind of worry a worry is.
//!
//! It decides how Calm answers, never what the record says of the user: that is `understand`'s. The words are
//! data (`asides/{ru,en}.toml`).

use std::collections::BTreeMap;
use std::sync::LazyLock;

use super::spoken_in;
use crate::lang::Lang;
use crate::understand::normal;

/// Words that ".." may pass over.
const GAP: usize = 3;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Aside {
    /// Who hears this, and where does it go.
    Recording,
    Abilities,
    /// How to get rid of a habit.
    Habit,
    LastTime,
    /// "I said six."
    Corrects,
    /// Between two numbers: the second is meant.
    Instead,
    Hurry,
    Leaving,
    NoTrades,
    /// Talking rather than a practice.
    WouldTalk,
    /// Whether to give it up altogether.
    Quit,
    /// "That's it."
    ThatsAll,
    /// "Okay, got it", and no more.
    Accepts,
    Better,
    Same,
    Grief,
    Illness,
    Family,
    Work,
    Money,
}

impl Aside {
    fn name(self) -> &'static str {
        match self {
            Aside::Recording => "recording",
            Aside::Abilities => "abilities",
            Aside::Habit => "habit",
            Aside::LastTime => "last_time",
            Aside::Corrects => "corrects",
            Aside::Instead => "instead",
            Aside::Hurry => "hurry",
            Aside::Leaving => "leaving",
            Aside::NoTrades => "no_trades",
            Aside::WouldTalk => "would_talk",
            Aside::Quit => "quit",
            Aside::ThatsAll => "thats_all",
            Aside::Accepts => "accepts",
            Aside::Better => "better",
            Aside::Same => "same",
            Aside::Grief => "grief",
            Aside::Illness => "illness",
            Aside::Family => "family",
            Aside::Work => "work",
            Aside::Money => "money",
        }
    }

    /// Said anywhere in the text, in the language that the text is in.
    pub fn is_in(self, text: &str, session: Lang) -> bool {
        let words = words(text);
        patterns(spoken_in(text, session), self)
            .iter()
            .any(|p| (0..words.len()).any(|at| fits(p, &words, at).is_some()))
    }

    /// The text is this, and nothing else.
    pub fn is_all_of(self, text: &str, session: Lang) -> bool {
        let words = words(text);
        patterns(spoken_in(text, session), self).iter().any(|p| fits(p, &words, 0) == Some(words.len()))
    }
}

enum Piece {
    Gap,
    /// Any of these: a word, and whether its ending is open.
    Word(Vec<(String, bool)>),
}

type Patterns = BTreeMap<String, Vec<Vec<Piece>>>;

static RU: LazyLock<Patterns> = LazyLock::new(|| parsed(include_str!("../../asides/ru.toml")));
static EN: LazyLock<Patterns> = LazyLock::new(|| parsed(include_str!("../../asides/en.toml")));

fn patterns(lang: Lang, aside: Aside) -> &'static [Vec<Piece>] {
    let all = match lang {
        Lang::Ru => &*RU,
        Lang::En => &*EN,
    };
    all.get(aside.name()).map(Vec::as_slice).unwrap_or_default()
}

/// Compiled in, so a mistake in a file is the test's to find.
fn parsed(file: &str) -> Patterns {
    let written: BTreeMap<String, Vec<String>> = toml::from_str(file).unwrap_or_default();
    written.into_iter().map(|(name, lines)| (name, lines.iter().map(|line| pieces(line)).collect())).collect()
}

fn pieces(line: &str) -> Vec<Piece> {
    let word = |one: &str| (normal(one.trim_end_matches('*')), one.ends_with('*'));
    let piece = |part: &str| if part == ".." { Piece::Gap } else { Piece::Word(part.split('|').map(word).collect()) };
    line.split_whitespace().map(piece).collect()
}

fn words(text: &str) -> Vec<String> {
    let spoken = text.split(|c: char| !c.is_alphanumeric() && !matches!(c, '\'' | '’'));
    spoken.map(normal).filter(|word| !word.is_empty()).collect()
}

/// Where the pattern ends that begins at `at`.
fn fits(pattern: &[Piece], words: &[String], at: usize) -> Option<usize> {
    match pattern {
        [] => Some(at),
        [Piece::Gap, rest @ ..] => (at..=at + GAP).find_map(|next| fits(rest, words, next)),
        [Piece::Word(any), rest @ ..] => {
            let word = words.get(at)?;
            let hit = any.iter().any(|(stem, open)| if *open { word.starts_with(stem) } else { word == stem });
            if hit { fits(rest, words, at + 1) } else { None }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[test]
    fn every_aside_has_words_in_both_languages() {
        use Aside::*;
        let all = [
            Recording, Abilities, Habit, LastTime, Corrects, Instead, Hurry, Leaving, NoTrades, WouldTalk, Quit,
            ThatsAll, Accepts, Better, Same, Grief, Illness, Family, Work, Money,
        ];
        for lang in Lang::ALL {
            assert!(all.iter().all(|aside| !patterns(lang, *aside).is_empty()), "{lang}");
        }
        assert_eq!((RU.len(), EN.len()), (all.len(), all.len()));
    }

    #[rstest]
    #[case("а ты меня записываешь?", Lang::Ru, Aside::Recording, true)]
    #[case("а кто это слушает, куда уходят данные?", Lang::Ru, Aside::Recording, true)]
    #[case("я записываю сделки в журнал", Lang::Ru, Aside::Recording, false)]
    #[case("are you recording me?", Lang::En, Aside::Recording, true)]
    #[case("a record day", Lang::En, Aside::Recording, false)]
    #[case("а что ты умеешь?", Lang::Ru, Aside::Abilities, true)]
    #[case("а как мне перестать овертрейдить?", Lang::Ru, Aside::Habit, true)]
    #[case("how do I stop overtrading?", Lang::En, Aside::Habit, true)]
    #[case("my stop was hit", Lang::En, Aside::Habit, false)]
    #[case("что я вчера говорил?", Lang::Ru, Aside::LastTime, true)]
    #[case("вчера слил, что тут говорить", Lang::Ru, Aside::LastTime, false)]
    #[case("what did I say yesterday?", Lang::En, Aside::LastTime, true)]
    #[case("нет, я сказал шесть", Lang::Ru, Aside::Corrects, true)]
    #[case("no, I said six", Lang::En, Aside::Corrects, true)]
    #[case("слушай давай быстро", Lang::Ru, Aside::Hurry, true)]
    #[case("на рынке всё шло быстро", Lang::Ru, Aside::Hurry, false)]
    #[case("gotta run, market's open", Lang::En, Aside::Leaving, true)]
    #[case("сегодня не торговал, решил отдохнуть", Lang::Ru, Aside::NoTrades, true)]
    #[case("не было сделок, сетапа не дождался", Lang::Ru, Aside::NoTrades, true)]
    #[case("didn't trade today, no setup", Lang::En, Aside::NoTrades, true)]
    #[case("не торопился, торговал по плану", Lang::Ru, Aside::NoTrades, false)]
    #[case("бабушка умерла на той неделе", Lang::Ru, Aside::Grief, true)]
    #[case("жена болеет, дома дурдом", Lang::Ru, Aside::Illness, true)]
    #[case("wife's sick", Lang::En, Aside::Illness, true)]
    fn heard(#[case] text: &str, #[case] lang: Lang, #[case] aside: Aside, #[case] expected: bool) {
        assert_eq!(aside.is_in(text, lang), expected);
    }
}
