//! Words and phrases that somebody does not want to hear, found by stem in any of their forms.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use super::tokens::Tokens;
use crate::stems::{self, Lang, normal, stem};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Term {
    /// As its owner wrote it.
    pub written: String,
    words: Vec<TermWord>,
    /// "100%": the sign belongs to the term.
    percent: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct TermWord {
    norm: String,
    stem: String,
    form: Form,
}

/// What a stem hides although it makes another word: "конечно", "конечный" and "конечность", "honestly" and "honest".
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Adverb,
    Adjective,
    /// A noun in "-ость".
    Quality,
    Other,
}

impl Term {
    /// `None` when there is no word in it.
    pub fn of(written: &str) -> Option<Term> {
        let words: Vec<TermWord> = stems::words(written).map(|word| TermWord::of(&normal(word.text))).collect();
        let percent = written.trim_end().ends_with('%');
        (!words.is_empty()).then(|| Term { written: written.trim().to_owned(), words, percent })
    }

    pub fn stems(&self) -> Vec<String> {
        self.words.iter().map(|word| word.stem.clone()).collect()
    }
}

impl TermWord {
    fn of(norm: &str) -> TermWord {
        TermWord { norm: norm.to_owned(), stem: stem(norm, lang_of(norm)), form: Form::of(norm) }
    }

    /// A short stem may be what is left of another word: "брось" is no form of "бро".
    fn is_ending_known(&self) -> bool {
        let ending = self.norm.strip_prefix(self.stem.as_str());
        self.stem.chars().count() > 3 || ending.is_none_or(|ending| ENDINGS.contains(&ending))
    }

    fn is_form_of(&self, other: &TermWord) -> bool {
        let forms = (self.form, other.form);
        let english = self.norm.is_ascii();
        let adverb = self.form == Form::Adverb || other.form == Form::Adverb;
        let apart = match forms {
            (Form::Adverb, Form::Adjective) | (Form::Adjective, Form::Adverb) => true,
            (Form::Quality, Form::Quality) => false,
            (Form::Adverb | Form::Adjective, Form::Quality) | (Form::Quality, Form::Adverb | Form::Adjective) => true,
            (Form::Adverb, Form::Other) | (Form::Other, Form::Adverb) => english,
            _ => false,
        };
        !apart
            && (self.stem == other.stem && (english || self.is_ending_known() && other.is_ending_known())
                || !english
                    && (is_inflected(&self.norm, &other.norm)
                        || !adverb && has_fleeting_vowel(&self.stem, &other.stem)))
    }
}

/// "прибыль" and "прибыли", "гарантирую" and "гарантируем": Snowball gives them stems of their own.
fn is_inflected(a: &str, b: &str) -> bool {
    let shared: usize = a.chars().zip(b.chars()).take_while(|(x, y)| x == y).map(|(x, _)| x.len_utf8()).sum();
    let letters = shared / 'я'.len_utf8();
    let longest = a.chars().count().max(b.chars().count());
    let ending = |word: &str| {
        let rest = word.get(shared..).unwrap_or("").to_owned();
        let plain = rest.strip_suffix("ся").or_else(|| rest.strip_suffix("сь")).map(str::to_owned);
        plain.unwrap_or(rest)
    };
    let reflexive = |word: &str| word.ends_with("ся") || word.ends_with("сь");
    let both_reflexive = reflexive(a) && reflexive(b);
    let (a, b) = (ending(a), ending(b));
    // "слить" and "слил", "учиться" and "учимся": a short verb has no four letters to share.
    let verb = |rest: &str| {
        matches!(rest, "ть" | "л" | "ла" | "ло" | "ли") || both_reflexive && matches!(rest, "м" | "т" | "шь" | "те")
    };
    let short_verb = letters == 3 && longest <= 7 && verb(&a) && verb(&b);
    let short_adjective = |x: &str, y: &str| x == "ен" && matches!(y, "на" | "но" | "ны");
    let known = |rest: &str| ENDINGS.contains(&rest);
    short_verb
        || letters >= 4
            && letters * 2 >= longest
            && (known(&a) && known(&b) || short_adjective(&a, &b) || short_adjective(&b, &a))
}

/// "сделок" and "сделк(а)", "денег" and "деньг(и)".
fn has_fleeting_vowel(a: &str, b: &str) -> bool {
    let without = |stem: &str| {
        let mut letters: Vec<char> = stem.chars().collect();
        let place = letters.len().saturating_sub(2);
        let fleeting = letters.len() >= 4 && matches!(letters.get(place), Some('е' | 'о' | 'ь'));
        fleeting.then(|| {
            letters.remove(place);
            letters.into_iter().collect::<String>()
        })
    };
    let (short_a, short_b) = (without(a), without(b));
    let soft = a.contains('ь') || b.contains('ь');
    short_a.as_deref() == Some(b) || short_b.as_deref() == Some(a) || soft && short_a.is_some() && short_a == short_b
}

const ENDINGS: [&str; 67] = [
    "", "а", "я", "о", "е", "у", "ю", "ы", "и", "ь", "й", "ой", "ей", "ем", "ом", "ам", "ям", "ами", "ями", "ах", "ях",
    "ов", "ев", "ий", "ия", "ии", "ию", "ие", "ией", "иям", "иях", "ый", "ая", "ое", "ые", "ого", "ому", "ым", "ыми",
    "ых", "ую", "его", "ему", "им", "ими", "их", "яя", "ее", "ью", "ть", "ти", "л", "ла", "ло", "ли", "ешь", "ишь",
    "ет", "ит", "ете", "ите", "ут", "ют", "ат", "ят", "йте", "ьте",
];

impl Form {
    fn of(norm: &str) -> Form {
        if norm.is_ascii() {
            return if norm.len() > 4 && norm.ends_with("ly") { Form::Adverb } else { Form::Other };
        }
        const ADJECTIVE: [&str; 19] = [
            "ый", "ий", "ой", "ая", "яя", "ое", "ее", "ые", "ие", "ого", "его", "ому", "ему", "ым", "им", "ую", "юю",
            "ых", "ыми",
        ];
        const QUALITY: [&str; 7] = ["ость", "ости", "остью", "остей", "остям", "остями", "остях"];
        if norm.chars().count() > 6 && QUALITY.iter().any(|ending| norm.ends_with(ending)) {
            Form::Quality
        } else if ADJECTIVE.iter().any(|ending| norm.ends_with(ending)) {
            Form::Adjective
        } else if norm.ends_with('о') {
            Form::Adverb
        } else {
            Form::Other
        }
    }
}

fn lang_of(norm: &str) -> Lang {
    if norm.is_ascii() { Lang::En } else { Lang::Ru }
}

/// Terms to look for.
pub struct Terms {
    list: Vec<Term>,
    by_key: HashMap<String, Vec<usize>>,
    /// What is known about words seen before.
    seen: Mutex<HashMap<String, TermWord>>,
}

impl Terms {
    pub fn of(list: Vec<Term>) -> Terms {
        let mut by_key: HashMap<String, Vec<usize>> = HashMap::new();
        for (index, term) in list.iter().enumerate() {
            if let Some(first) = term.words.first() {
                by_key.entry(key_of(&first.norm).to_owned()).or_default().push(index);
            }
        }
        Terms { list, by_key, seen: Mutex::default() }
    }

    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    pub fn get(&self, index: usize) -> Option<&Term> {
        self.list.get(index)
    }

    /// Every place where a term stands, with the number of the term; `text` is the file of `tokens`.
    pub fn find(&self, tokens: &Tokens, text: &str) -> Vec<(usize, Range<usize>)> {
        let mut found = Vec::new();
        if self.is_empty() {
            return found;
        }
        for at in 0..tokens.list.len() {
            for index in self.by_key.get(key_of(tokens.norm(at))).into_iter().flatten() {
                if let Some(term) = self.list.get(*index)
                    && let Some(end) = self.end_of(term, tokens, at, text)
                {
                    found.push((*index, at..end));
                }
            }
        }
        found
    }

    fn end_of(&self, term: &Term, tokens: &Tokens, at: usize, text: &str) -> Option<usize> {
        let whole = term
            .words
            .iter()
            .enumerate()
            .all(|(i, wanted)| tokens.same_sentence(at, at + i) && self.is_form_of(wanted, tokens.norm(at + i)));
        let end = at + term.words.len();
        let rest = tokens.list.get(end.checked_sub(1)?).and_then(|t| text.get(t.end..)).unwrap_or("");
        (whole && (!term.percent || rest.trim_start().starts_with('%'))).then_some(end)
    }

    fn is_form_of(&self, wanted: &TermWord, norm: &str) -> bool {
        if let Some(known) = self.seen.lock().unwrap_or_else(PoisonError::into_inner).get(norm) {
            return wanted.is_form_of(known);
        }
        let word = TermWord::of(norm);
        let same = wanted.is_form_of(&word);
        self.seen.lock().unwrap_or_else(PoisonError::into_inner).insert(norm.to_owned(), word);
        same
    }
}

/// The first letters, which every form of a word shares.
fn key_of(norm: &str) -> &str {
    let end = norm.char_indices().nth(3).map_or(norm.len(), |(i, _)| i);
    &norm[..end]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::source::Page;
    use rstest::rstest;

    #[rstest]
    #[case("гарантия", "никаких гарантий", true)]
    #[case("гарантия", "под гарантией", true)]
    #[case("конечно", "Конечно, да", true)]
    #[case("конечно", "конечный итог", false)]
    #[case("просто", "простой план", false)]
    #[case("честно", "честный разговор", false)]
    #[case("честный", "честного разговора", true)]
    #[case("окно", "откроем окна", true)]
    #[case("прибыль", "без прибыли", true)]
    #[case("гарантирую", "гарантируем", true)]
    #[case("сделка", "сделок", true)]
    #[case("деньги", "денег", true)]
    #[case("ладно", "ладонь", false)]
    #[case("бро", "брось", false)]
    #[case("должен", "ты должна", true)]
    #[case("честно", "честь", false)]
    #[case("просто", "просторно", false)]
    #[case("окно", "в окно", true)]
    #[case("just", "justice", false)]
    #[case("promise", "promised", true)]
    #[case("honestly", "be honest", false)]
    #[case("calm down", "Calm  down now", true)]
    #[case("calm down", "calm. Down", false)]
    #[case("взять себя в руки", "возьми себя в руки", false)]
    #[case("полная гарантия", "с полной гарантией", true)]
    #[case("100%", "на 100 % уверен", true)]
    #[case("100%", "100 раз", false)]
    #[case("ёлки", "елка", true)]
    fn a_term_is_found(#[case] term: &str, #[case] text: &str, #[case] expected: bool) {
        let terms = Terms::of(Term::of(term).into_iter().collect());
        let page = Page::of("x", text);
        assert_eq!(!terms.find(&page.tokens, text).is_empty(), expected);
    }
}
