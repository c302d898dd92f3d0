//! Words of a text with their places, and the Snowball stem of a word.
//!
//! Everything that compares words by meaning rather than by letters (the linter, the search of notes) goes
//! through here, so that "Ёлка" and "елки" are one word everywhere.

use rust_stemmers::{Algorithm, Stemmer};

/// A language whose words we can stem.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Lang {
    Ru,
    En,
}

impl Lang {
    /// "ru", "en", also with a region ("en-GB"), in any case.
    pub fn from_code(code: &str) -> Option<Lang> {
        let primary = code.split(['-', '_']).next().unwrap_or("");
        match primary.trim().to_ascii_lowercase().as_str() {
            "ru" => Some(Lang::Ru),
            "en" => Some(Lang::En),
            _ => None,
        }
    }

    pub fn code(self) -> &'static str {
        match self {
            Lang::Ru => "ru",
            Lang::En => "en",
        }
    }

    /// Russian when at least two letters of five are Cyrillic: Russian prompts are full of English terms, English
    /// ones hardly ever hold Russian.
    pub fn detect(text: &str) -> Lang {
        let (mut cyrillic, mut letters) = (0usize, 0usize);
        for c in text.chars().filter(|c| c.is_alphabetic()) {
            letters += 1;
            cyrillic += usize::from(is_cyrillic(c));
        }
        if cyrillic > 0 && cyrillic * 5 >= letters * 2 { Lang::Ru } else { Lang::En }
    }
}

/// A word and where it stands, in bytes of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Word<'t> {
    pub start: usize,
    pub end: usize,
    /// As written.
    pub text: &'t str,
}

/// The words of a text, in order.
///
/// "don't", "7,5", "9:30" and "end_session" are one word each; "чат-бот" is two, "8ка" is a figure and a word.
pub fn words(text: &str) -> impl Iterator<Item = Word<'_>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let rest = text.get(at..)?;
        let start = at + rest.char_indices().find(|(_, c)| c.is_alphanumeric()).map(|(i, _)| i)?;
        let first = text[start..].chars().next()?;
        let end = if first.is_ascii_digit() { end_of_figure(text, start) } else { end_of_word(text, start) };
        at = end;
        Some(Word { start, end, text: &text[start..end] })
    })
}

/// The Snowball stem of one word, lower case, ё as е.
pub fn stem(word: &str, lang: Lang) -> String {
    let algorithm = match lang {
        Lang::Ru => Algorithm::Russian,
        Lang::En => Algorithm::English,
    };
    Stemmer::create(algorithm).stem(&normal(word)).into_owned()
}

/// The one form in which words are compared: lower case, ё as е, every apostrophe the plain one, no stress marks,
/// and look-alike letters of the other alphabet put right.
pub fn normal(word: &str) -> String {
    let mut out = String::with_capacity(word.len());
    for c in word.chars().flat_map(char::to_lowercase) {
        match c {
            'ё' => out.push('е'),
            '\u{306}' if out.ends_with('и') => {
                out.pop();
                out.push('й');
            }
            c if is_combining(c) => {}
            c if is_apostrophe(c) => out.push('\''),
            c => out.push(c),
        }
    }
    if !out.is_ascii() && out.bytes().any(|b| b.is_ascii_alphabetic()) {
        out = one_alphabet(out);
    }
    out
}

fn one_alphabet(word: String) -> String {
    let cyrillic = word.chars().filter(|c| is_cyrillic(*c)).count();
    let latin = word.chars().filter(char::is_ascii_alphabetic).count();
    if cyrillic == 0 || latin == 0 {
        return word;
    }
    let swap = |c: char| {
        let pair = LOOK_ALIKES.iter().find(|(l, k)| *l == c || *k == c);
        pair.map_or(c, |(l, k)| if cyrillic >= latin { *k } else { *l })
    };
    word.chars().map(swap).collect()
}

const LOOK_ALIKES: [(char, char); 11] = [
    ('a', 'а'),
    ('b', 'в'),
    ('c', 'с'),
    ('e', 'е'),
    ('k', 'к'),
    ('m', 'м'),
    ('o', 'о'),
    ('p', 'р'),
    ('t', 'т'),
    ('x', 'х'),
    ('y', 'у'),
];

fn end_of_word(text: &str, start: usize) -> usize {
    let mut end = start;
    let mut chars = text[start..].chars().peekable();
    while let Some(c) = chars.next() {
        let joins = (is_apostrophe(c) || c == '_') && chars.peek().is_some_and(|next| next.is_alphanumeric());
        if !(c.is_alphanumeric() || is_combining(c) || joins) {
            break;
        }
        end += c.len_utf8();
    }
    end
}

fn end_of_figure(text: &str, start: usize) -> usize {
    let bytes = text.as_bytes();
    let digit = |i: usize| bytes.get(i).is_some_and(u8::is_ascii_digit);
    let mut end = start;
    while digit(end) || matches!(bytes.get(end), Some(b'.' | b',' | b':')) && digit(end + 1) {
        end += 1;
    }
    end
}

fn is_cyrillic(c: char) -> bool {
    ('\u{400}'..='\u{4ff}').contains(&c)
}

fn is_apostrophe(c: char) -> bool {
    matches!(c, '\'' | '’' | '‘' | 'ʼ' | '`' | '´' | '′')
}

fn is_combining(c: char) -> bool {
    ('\u{300}'..='\u{36f}').contains(&c)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("Спал плохо, но 7,5 из 10.", &["Спал", "плохо", "но", "7,5", "из", "10"])]
    #[case("I’m up $200 — 8/10", &["I’m", "up", "200", "8", "10"])]
    #[case("call end_session now_", &["call", "end_session", "now"])]
    #[case("'quoted' traders' чат-бот", &["quoted", "traders", "чат", "бот"])]
    #[case("8ка в 9:30", &["8", "ка", "в", "9:30"])]
    #[case("…!", &[])]
    fn words_of(#[case] text: &str, #[case] expected: &[&str]) {
        assert_eq!(words(text).map(|w| w.text).collect::<Vec<_>>(), expected);
    }

    #[rstest]
    #[case(Lang::Ru, &["гарантия", "гарантии", "Гарантией", "гарантий"])]
    #[case(Lang::Ru, &["ёлка", "елки", "ёлкой"])]
    #[case(Lang::En, &["promise", "promises", "Promised", "promising"])]
    fn forms_of_one_word_share_a_stem(#[case] lang: Lang, #[case] forms: &[&str]) {
        let stems: Vec<String> = forms.iter().map(|w| stem(w, lang)).collect();
        assert!(stems.iter().all(|s| *s == stems[0]), "{stems:?}");
    }

    #[rstest]
    #[case("и\u{306}од", "йод")]
    #[case("cпокoен", "спокоен")]
    #[case("Don’t", "don't")]
    #[case("Chаt", "chat")]
    fn normal_form(#[case] written: &str, #[case] expected: &str) {
        assert_eq!(normal(written), expected);
    }

    #[rstest]
    #[case("Спроси про stop loss", Lang::Ru)]
    #[case("Ask how he feels: «страшно»", Lang::En)]
    #[case("", Lang::En)]
    #[case("{{include base/tone.md}}", Lang::En)]
    fn language_of(#[case] text: &str, #[case] expected: Lang) {
        assert_eq!(Lang::detect(text), expected);
    }

    #[test]
    fn codes() {
        assert_eq!(Lang::from_code("ru-RU"), Some(Lang::Ru));
        assert_eq!(Lang::from_code("EN"), Some(Lang::En));
        assert_eq!(Lang::from_code("es"), None);
    }
}
