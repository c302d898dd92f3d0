//! Words with their places: the text cut up so that every reading can quote what it rests on.
//!
//! Speech-to-text is forgiving about punctuation, so are we: a clause ends at a comma or at a
//! conjunction, a sentence at a full stop, and neither is ever required.

use std::ops::Range;

/// Signs of money that stand beside a figure.
pub const CURRENCIES: [char; 4] = ['$', '€', '₽', '£'];

pub struct Token {
    /// Lower case, ё as е, apostrophes gone, look-alike letters of the other alphabet put right.
    pub norm: String,
    /// Bytes in the original text.
    pub span: Range<usize>,
    pub sentence: usize,
    pub clause: usize,
}

impl Token {
    pub fn is_digits(&self) -> bool {
        self.norm.starts_with(|c: char| c.is_ascii_digit())
    }
}

pub struct Tokens<'t> {
    text: &'t str,
    list: Vec<Token>,
}

impl<'t> Tokens<'t> {
    pub fn of(text: &'t str) -> Tokens<'t> {
        let mut list: Vec<Token> = Vec::new();
        let (mut sentence, mut clause, mut gap_from) = (0, 0, 0);
        let mut at = 0;
        while let Some(first) = text[at..].chars().next() {
            if !first.is_alphanumeric() {
                at += first.len_utf8();
                continue;
            }
            let end = if first.is_ascii_digit() { end_of_figure(text, at) } else { end_of_word(text, at) };
            let gap = &text[gap_from..at];
            if !list.is_empty() && ends_sentence(gap, first) {
                sentence += 1;
                clause += 1;
            } else if !list.is_empty() && ends_clause(gap) {
                clause += 1;
            }
            list.push(Token { norm: normal(&text[at..end]), span: at..end, sentence, clause });
            at = end;
            gap_from = end;
        }
        Tokens { text, list }
    }

    /// Starts a new clause at every word for which `opens` says so ("но", "but").
    pub fn open_clauses(&mut self, opens: impl Fn(&str) -> bool) {
        let mut added = 0;
        for token in &mut self.list {
            if opens(&token.norm) {
                added += 1;
            }
            token.clause += added;
        }
    }

    /// Puts words together that were spelt with a space between the letters ("ж и т ь").
    ///
    /// Wider gaps part the words; where all are alike, `cut` tells the words' lengths.
    pub fn join_spelled(&mut self, cut: impl Fn(&str) -> Option<Vec<usize>>) {
        const LETTERS: usize = 5;
        let single = |t: &Token| t.norm.chars().count() == 1 && t.norm.chars().all(char::is_alphabetic);
        let mut start = 0;
        while start < self.list.len() {
            let run = self.list[start..].iter().take_while(|t| single(t)).count();
            if run < LETTERS {
                start += run.max(1);
                continue;
            }
            let gaps: Vec<usize> = (start + 1..start + run).map(|i| self.gap_before(i).chars().count()).collect();
            let narrow = gaps.iter().copied().min().unwrap_or(1);
            let mut lengths: Vec<usize> = vec![1];
            for gap in &gaps {
                match lengths.last_mut().filter(|_| *gap == narrow) {
                    Some(length) => *length += 1,
                    None => lengths.push(1),
                }
            }
            let letters: String = self.list[start..start + run].iter().map(|t| t.norm.as_str()).collect();
            if lengths.len() == 1 {
                lengths = cut(&letters).unwrap_or(lengths);
            }
            let words = lengths.len();
            let mut from = start;
            let joined: Vec<Token> = lengths
                .iter()
                .filter_map(|length| {
                    let part = self.list.get(from..from + length)?;
                    from += length;
                    Some(joined(part))
                })
                .flatten()
                .collect();
            self.list.splice(start..start + run, joined);
            start += words;
        }
    }

    /// Replaces the words that `correct` knows better.
    pub fn correct(&mut self, correct: impl Fn(&str) -> Option<String>) {
        for token in self.list.iter_mut().filter(|t| !t.is_digits()) {
            if let Some(better) = correct(&token.norm) {
                token.norm = better;
            }
        }
    }

    pub fn len(&self) -> usize {
        self.list.len()
    }

    pub fn get(&self, at: usize) -> Option<&Token> {
        self.list.get(at)
    }

    pub fn norm(&self, at: usize) -> &str {
        self.list.get(at).map_or("", |t| t.norm.as_str())
    }

    pub fn iter(&self) -> impl Iterator<Item = &Token> {
        self.list.iter()
    }

    /// What stands between the word before `at` and the word at `at`; the tail for `at == len`.
    pub fn gap_before(&self, at: usize) -> &'t str {
        let from = at.checked_sub(1).and_then(|i| self.list.get(i)).map_or(0, |t| t.span.end);
        let to = self.list.get(at).map_or(self.text.len(), |t| t.span.start);
        self.text.get(from..to).unwrap_or("")
    }

    /// The user's own words for a range of tokens, with the marks that belong to a figure: "0.5%", "$200".
    pub fn words(&self, range: Range<usize>) -> &'t str {
        let last = range.end.checked_sub(1).and_then(|i| self.list.get(i));
        let (Some(first), Some(last)) = (self.list.get(range.start), last) else { return "" };
        let (mut from, mut to) = (first.span.start, last.span.end);
        if first.is_digits() {
            let before = self.gap_before(range.start).chars().next_back();
            from -= before.filter(|c| CURRENCIES.contains(c)).map_or(0, char::len_utf8);
        }
        if last.is_digits() {
            let after = self.gap_before(range.end);
            let mark = after.trim_start_matches(' ').chars().next();
            let mark = mark.filter(|c| *c == '%' || CURRENCIES.contains(c) && !after.starts_with(' '));
            to += mark.map_or(0, |c| after.find(c).unwrap_or(0) + c.len_utf8());
        }
        self.text.get(from..to).unwrap_or("")
    }

    pub fn same_sentence(&self, a: usize, b: usize) -> bool {
        matches!((self.get(a), self.get(b)), (Some(a), Some(b)) if a.sentence == b.sentence)
    }

    pub fn same_clause(&self, a: usize, b: usize) -> bool {
        matches!((self.get(a), self.get(b)), (Some(a), Some(b)) if a.clause == b.clause)
    }

    /// One past the last token of the sentence that `at` belongs to.
    pub fn sentence_end(&self, at: usize) -> usize {
        (at..self.len()).find(|i| !self.same_sentence(at, *i)).unwrap_or(self.len())
    }

    pub fn clause_range(&self, at: usize) -> Range<usize> {
        let start = (0..at).rev().take_while(|i| self.same_clause(*i, at)).last().unwrap_or(at);
        let end = (at..self.len()).find(|i| !self.same_clause(at, *i)).unwrap_or(self.len());
        start..end
    }
}

fn joined(letters: &[Token]) -> Option<Token> {
    let (first, last) = (letters.first()?, letters.last()?);
    Some(Token {
        norm: normal(&letters.iter().map(|t| t.norm.as_str()).collect::<String>()),
        span: first.span.start..last.span.end,
        sentence: first.sentence,
        clause: first.clause,
    })
}

fn end_of_word(text: &str, at: usize) -> usize {
    let mut end = at;
    let mut chars = text[at..].chars().peekable();
    while let Some(c) = chars.next() {
        let inside = c.is_alphabetic()
            || is_combining(c)
            || (is_apostrophe(c) || is_invisible(c)) && chars.peek().is_some_and(|next| next.is_alphabetic())
            || c.is_ascii_digit();
        if !inside {
            break;
        }
        end += c.len_utf8();
    }
    end.max(at + text[at..].chars().next().map_or(0, char::len_utf8))
}

/// "7,5", "9:30" and "1,000" stay whole; "8ка" is a figure and a word.
fn end_of_figure(text: &str, at: usize) -> usize {
    let bytes = text.as_bytes();
    let digit = |i: usize| bytes.get(i).is_some_and(u8::is_ascii_digit);
    let mut end = at;
    while digit(end) || matches!(bytes.get(end), Some(b'.' | b',' | b':')) && digit(end + 1) {
        end += 1;
    }
    end
}

/// A lone full stop before a small letter is as likely a slip or a disguise ("не.хочу.жить").
fn ends_sentence(gap: &str, next: char) -> bool {
    gap.contains(['.', '!', '?', '…', '\n']) && !(gap == "." && next.is_lowercase())
}

fn ends_clause(gap: &str) -> bool {
    gap.contains([',', ';', ':', '—', '(', ')', '«', '»']) || gap.contains(" – ") || gap.contains(" - ")
}

fn is_apostrophe(c: char) -> bool {
    matches!(c, '\'' | '’' | '‘' | 'ʼ' | '`' | '´' | '′')
}

/// Zero-width spaces and joiners, which part a word only for a machine.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{200b}'..='\u{200d}' | '\u{2060}' | '\u{feff}')
}

/// "ｋｉｌｌ" is "kill".
fn half_width(c: char) -> char {
    match c {
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(c) - 0xfee0).unwrap_or(c),
        c => c,
    }
}

fn is_combining(c: char) -> bool {
    ('\u{300}'..='\u{36f}').contains(&c)
}

/// The one form in which words and lexicon entries are compared.
pub fn normal(word: &str) -> String {
    let mut out = String::with_capacity(word.len());
    for c in word.chars().map(half_width).flat_map(char::to_lowercase) {
        match c {
            'ё' => out.push('е'),
            '\u{306}' if out.ends_with('и') => {
                out.pop();
                out.push('й');
            }
            c if is_combining(c) || is_apostrophe(c) || is_invisible(c) => {}
            c => out.push(c),
        }
    }
    let cyrillic = out.chars().filter(|c| is_cyrillic(*c)).count();
    let latin = out.chars().filter(char::is_ascii_alphabetic).count();
    let disguised = latin + cyrillic > 1 && out.chars().any(|c| c.is_ascii_digit());
    if cyrillic > 0 && latin > 0 || disguised && !out.starts_with(|c: char| c.is_ascii_digit()) {
        out = out.chars().map(if cyrillic >= latin { to_cyrillic } else { to_latin }).collect();
    }
    out
}

pub fn is_cyrillic(c: char) -> bool {
    ('\u{400}'..='\u{4ff}').contains(&c)
}

const LOOK_ALIKES: [(char, char); 15] = [
    ('a', 'а'),
    ('c', 'с'),
    ('e', 'е'),
    ('o', 'о'),
    ('p', 'р'),
    ('x', 'х'),
    ('y', 'у'),
    ('k', 'к'),
    ('m', 'м'),
    ('t', 'т'),
    ('b', 'в'),
    ('h', 'н'),
    ('i', 'і'),
    ('s', 'ѕ'),
    ('j', 'ј'),
];

/// Digits that stand for letters: "суиц1д", "k1ll".
const DIGITS: [(char, char, char); 6] =
    [('0', 'o', 'о'), ('1', 'i', 'и'), ('3', 'e', 'з'), ('4', 'a', 'ч'), ('5', 's', '5'), ('6', 'b', 'б')];

fn to_cyrillic(c: char) -> char {
    let digit = DIGITS.iter().find(|(digit, _, _)| *digit == c).map(|(_, _, cyrillic)| *cyrillic);
    let letter = || LOOK_ALIKES.iter().find(|(latin, _)| *latin == c).map(|(_, cyrillic)| *cyrillic);
    digit.or_else(letter).unwrap_or(c)
}

fn to_latin(c: char) -> char {
    let digit = DIGITS.iter().find(|(digit, _, _)| *digit == c).map(|(_, latin, _)| *latin);
    let letter = || LOOK_ALIKES.iter().find(|(_, cyrillic)| *cyrillic == c).map(|(latin, _)| *latin);
    digit.or_else(letter).unwrap_or(c)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("Спал плохо, но 7,5 из 10.", &["спал", "плохо", "но", "7,5", "из", "10"])]
    #[case("I’m up $200 — 8/10", &["im", "up", "200", "8", "10"])]
    #[case("семь-восемь", &["семь", "восемь"])]
    #[case("8ку в 9:30", &["8", "ку", "в", "9:30"])]
    #[case("Ёлка, моё", &["елка", "мое"])]
    #[case("cпокoен", &["спокоен"])]
    #[case("…!", &[])]
    fn words_of(#[case] text: &str, #[case] expected: &[&str]) {
        let norms: Vec<String> = Tokens::of(text).iter().map(|t| t.norm.clone()).collect();
        assert_eq!(norms, expected);
    }

    #[rstest]
    #[case("риск 0.5% и всё", 0..2, "риск 0.5%")]
    #[case("риск 1 % на сделку", 1..2, "1 %")]
    #[case("up $200, done", 1..2, "$200")]
    #[case("made 30€ today", 1..2, "30€")]
    #[case("up 200 $5 fee", 1..2, "200")]
    #[case("stop at 5, then rest", 2..3, "5")]
    fn a_figure_keeps_its_marks(#[case] text: &str, #[case] range: Range<usize>, #[case] words: &str) {
        assert_eq!(Tokens::of(text).words(range), words);
    }

    #[test]
    fn a_decomposed_letter_is_the_letter() {
        assert_eq!(normal("и\u{306}од"), "йод");
        assert_eq!(normal("е\u{308}ж"), "еж");
    }
}
