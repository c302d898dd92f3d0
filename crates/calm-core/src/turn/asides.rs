//! What is said beside the question: about Calm, about the last talk, in a hurry; and what kind of worry a worry is.
//!
//! It decides how Calm answers, never what the record says of the user: that is `understand`'s. The words are the
//! lexicon's (`lexicon/LANG/asides.toml`).

use crate::understand::Scene;

const SECTION: &str = "asides";

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
}

/// The asides of one utterance.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Asides {
    /// Names, in the order they were said.
    touched: Vec<&'static str>,
    /// Names that fit the whole of it.
    whole: Vec<&'static str>,
}

impl Asides {
    pub fn of(scene: &Scene<'_>) -> Asides {
        let all = 0..scene.tokens.len();
        let touched = scene.hits(SECTION).map(|hit| hit.name).collect();
        let whole = scene.hits(SECTION).filter(|hit| hit.at == all).map(|hit| hit.name).collect();
        Asides { touched, whole }
    }

    /// Said anywhere in it.
    pub fn touch(&self, aside: Aside) -> bool {
        self.touched.contains(&aside.name())
    }

    /// It is this, and nothing else.
    pub fn are_only(&self, aside: Aside) -> bool {
        self.whole.contains(&aside.name())
    }
}

/// The words between two numbers say that the second is meant: "семь, ой нет, шесть".
pub fn takes_back(scene: &Scene<'_>, first: usize, second: usize) -> bool {
    scene.hits(SECTION).any(|hit| hit.name == Aside::Instead.name() && hit.at == (first..second))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lang::Lang;
    use crate::understand::lexicon::Lexicon;
    use rstest::rstest;

    #[test]
    fn every_aside_has_words_in_both_languages() {
        use Aside::*;
        let all = [
            Recording, Abilities, Habit, LastTime, Corrects, Instead, Hurry, Leaving, NoTrades, WouldTalk, Quit,
            ThatsAll, Accepts, Better, Same, Grief, Illness, Family, Work, Money,
        ];
        for lang in Lang::ALL {
            let mut written: Vec<&str> = Lexicon::of(lang).names(SECTION).collect();
            let mut known: Vec<&str> = all.iter().map(|aside| aside.name()).collect();
            written.sort_unstable();
            known.sort_unstable();
            assert_eq!(written, known, "{lang}");
        }
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
        assert_eq!(Asides::of(&Scene::of(text, lang)).touch(aside), expected);
    }

    #[rstest]
    #[case("Okay. Got it.", Lang::En, Aside::Accepts, true)]
    #[case("okay, got it but I am angry", Lang::En, Aside::Accepts, false)]
    #[case("нет, вроде всё", Lang::Ru, Aside::ThatsAll, true)]
    #[case("всё плохо", Lang::Ru, Aside::ThatsAll, false)]
    fn nothing_else(#[case] text: &str, #[case] lang: Lang, #[case] aside: Aside, #[case] expected: bool) {
        assert_eq!(Asides::of(&Scene::of(text, lang)).are_only(aside), expected);
    }
}
