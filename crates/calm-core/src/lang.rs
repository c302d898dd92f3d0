//! The two languages that Calm speaks and understands.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Lang {
    Ru,
    En,
}

/// Letters from which on a language is certain.
const A_FEW_WORDS: usize = 12;

impl Lang {
    pub const ALL: [Lang; 2] = [Lang::Ru, Lang::En];

    /// The ISO 639-1 code.
    pub fn code(self) -> &'static str {
        match self {
            Lang::Ru => "ru",
            Lang::En => "en",
        }
    }

    /// Whether a text is plainly written in something else. A foreign word or a ticker is not enough, two letters
    /// of an alphabet that is neither of ours are.
    pub fn is_not_of(self, text: &str) -> bool {
        let (mut cyrillic, mut latin, mut others) = (0_usize, 0_usize, 0_usize);
        for c in text.chars().filter(|c| c.is_alphabetic()) {
            match c {
                '\u{400}'..='\u{52f}' => cyrillic += 1,
                '\0'..='\u{24f}' => latin += 1,
                _ => others += 1,
            }
        }
        let (own, foreign) = match self {
            Lang::Ru => (cyrillic, latin),
            Lang::En => (latin, cyrillic),
        };
        others >= 2 || foreign >= A_FEW_WORDS && foreign > own
    }

    /// From a POSIX or BCP 47 locale such as `ru_RU.UTF-8`; anything unknown is English.
    pub fn from_locale(locale: &str) -> Lang {
        match locale.get(..2) {
            Some(prefix) if prefix.eq_ignore_ascii_case("ru") => Lang::Ru,
            _ => Lang::En,
        }
    }
}

impl fmt::Display for Lang {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code())
    }
}

#[derive(Debug, thiserror::Error)]
#[error("language must be ru or en")]
pub struct UnknownLang;

impl FromStr for Lang {
    type Err = UnknownLang;

    fn from_str(code: &str) -> Result<Lang, UnknownLang> {
        match code {
            "ru" => Ok(Lang::Ru),
            "en" => Ok(Lang::En),
            _ => Err(UnknownLang),
        }
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::own("Слышу тебя, это тяжело.", Lang::Ru, false)]
    #[case::english("That sounds really hard.", Lang::Ru, true)]
    #[case::ticker("Про BTCUSDT я не советую.", Lang::Ru, false)]
    #[case::ok("OK, Let's.", Lang::Ru, false)]
    #[case::chinese("我明白 тебя.", Lang::Ru, true)]
    #[case::russian("Слышу тебя, это тяжело.", Lang::En, true)]
    #[case::accents("Déjà vu, naïve and all.", Lang::En, false)]
    fn a_text_is_in_another_language(#[case] text: &str, #[case] lang: Lang, #[case] expected: bool) {
        assert_eq!(lang.is_not_of(text), expected);
    }
}
