//! What the linter and the readers of prompts say, in both languages of the program.
//!
//! Which of them is shown is decided by whoever shows it. What a library says stays in the language it comes in.

use std::fmt;

use serde::Deserialize;

use crate::stems::Lang;

/// The same words in Russian and in English. As an error they are English.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Both {
    pub ru: String,
    pub en: String,
}

impl Both {
    /// Words that are the same in every language: a name, a library's own message.
    pub fn same(text: impl Into<String>) -> Both {
        let en = text.into();
        Both { ru: en.clone(), en }
    }

    pub fn of(&self, lang: Lang) -> &str {
        match lang {
            Lang::Ru => &self.ru,
            Lang::En => &self.en,
        }
    }

    /// With `words` where `{}` stands.
    pub(crate) fn about(&self, words: &str) -> Both {
        Both { ru: self.ru.replace("{}", words), en: self.en.replace("{}", words) }
    }
}

impl fmt::Display for Both {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.en)
    }
}

/// First Russian, then English, both with the same values.
macro_rules! both {
    ($ru:literal, $en:literal $(,)?) => {
        $crate::Both { ru: format!($ru), en: format!($en) }
    };
}
pub(crate) use both;
