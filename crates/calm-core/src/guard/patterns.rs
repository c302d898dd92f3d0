//! The guard's patterns: data in `lexicon/LANG/guard.toml`, compiled once.
//!
//! A pattern is a row of words. `слово` is itself, `слов*` any ending, `a|b_c` either (the second is two
//! words), `<name>` any of a list in `[words]`, `word?` may be missing, `..` up to three other words of the
//! same clause, `...` up to eight of the sentence, `^` the start of a clause (words of `filler` may stand
//! before), `^^` the start of the sentence, `$` and `$$` the ends of both. `<number>` and `<instrument>` know
//! figures and tickers besides what their lists say.

use std::collections::{BTreeMap, HashMap};

use super::words::Word;

/// `section → list → patterns`, as in the file.
pub type File = BTreeMap<String, BTreeMap<String, Vec<String>>>;

const NEAR: usize = 3;
const FAR: usize = 8;
/// More words than this may not stand before a word that opens a clause.
const FILLERS: usize = 3;

type SetId = usize;

pub struct Pattern {
    pub section: usize,
    pub list: usize,
    steps: Vec<Step>,
}

enum Step {
    /// Any of these rows of words.
    Words(Vec<Vec<SetId>>),
    Optional(Vec<Vec<SetId>>),
    Near,
    Far,
    ClauseStart,
    SentenceStart,
    ClauseEnd,
    SentenceEnd,
}

/// The patterns of one language.
pub struct Patterns {
    exact: HashMap<String, Vec<SetId>>,
    stems: HashMap<String, Vec<SetId>>,
    longest_stem: usize,
    sets: usize,
    named: HashMap<String, (SetId, Vec<Vec<SetId>>)>,
    patterns: Vec<Pattern>,
    by_first: Vec<Vec<usize>>,
}

/// A sentence with the sets that each of its words belongs to.
pub struct Read<'p> {
    patterns: &'p Patterns,
    clauses: Vec<usize>,
    bits: Vec<u64>,
    row: usize,
}

pub struct Match<'p> {
    pub pattern: &'p Pattern,
    pub start: usize,
    /// One past the last word.
    pub end: usize,
    /// Words inside that no step stands for.
    pub skipped: Vec<usize>,
}

impl Patterns {
    /// `sections` and `lists` are the names that count; others in the file are an error in the data and ignored
    /// here (a test finds them).
    pub fn compile(file: &File, sections: &[&str], lists: &[&str]) -> Patterns {
        let mut made = Patterns {
            exact: HashMap::new(),
            stems: HashMap::new(),
            longest_stem: 0,
            sets: 0,
            named: HashMap::new(),
            patterns: Vec::new(),
            by_first: Vec::new(),
        };
        if let Some(words) = file.get("words") {
            // Lists may name each other once: plain ones come first.
            let nested = |list: &Vec<String>| list.iter().any(|w| w.contains('<'));
            for pass in [false, true] {
                for (name, list) in words.iter().filter(|(_, list)| nested(list) == pass) {
                    let whole = made.alternatives(list.iter().map(String::as_str));
                    made.named.insert(name.clone(), whole);
                }
            }
        }
        for (section, name) in sections.iter().enumerate() {
            let Some(found) = file.get(*name) else { continue };
            for (list, name) in lists.iter().enumerate() {
                for line in found.get(*name).into_iter().flatten() {
                    let steps = line.split_whitespace().map(|piece| made.step(piece)).collect();
                    made.patterns.push(Pattern { section, list, steps });
                }
            }
        }
        made.by_first = vec![Vec::new(); made.sets];
        for (at, pattern) in made.patterns.iter().enumerate() {
            let first = pattern.steps.iter().find_map(|step| match step {
                Step::Words(rows) => Some(rows),
                _ => None,
            });
            for set in first.into_iter().flatten().filter_map(|row| row.first()) {
                if let Some(list) = made.by_first.get_mut(*set) {
                    list.push(at);
                }
            }
        }
        made
    }

    fn step(&mut self, piece: &str) -> Step {
        match piece {
            ".." => Step::Near,
            "..." => Step::Far,
            "^" => Step::ClauseStart,
            "^^" => Step::SentenceStart,
            "$" => Step::ClauseEnd,
            "$$" => Step::SentenceEnd,
            _ => {
                let (words, optional) = piece.strip_suffix('?').map_or((piece, false), |p| (p, true));
                let (single, mut rows) = self.alternatives(words.split('|'));
                rows.push(vec![single]);
                if optional { Step::Optional(rows) } else { Step::Words(rows) }
            }
        }
    }

    /// One set for all the single words, and a row of sets for every phrase.
    fn alternatives<'w>(&mut self, words: impl Iterator<Item = &'w str>) -> (SetId, Vec<Vec<SetId>>) {
        let single = self.new_set();
        let mut rows = Vec::new();
        for word in words {
            if let Some(name) = list_name(word) {
                match self.named.get(name) {
                    Some((set, phrases)) => {
                        rows.push(vec![*set]);
                        rows.extend(phrases.iter().cloned());
                    }
                    None => rows.push(vec![self.missing(name)]),
                }
            } else if word.contains('_') {
                let row: Vec<&str> = word.split('_').collect();
                let row = row.into_iter().map(|w| self.one(w)).collect();
                rows.push(row);
            } else {
                self.add(word, single);
            }
        }
        (single, rows)
    }

    /// A list that the code fills, such as `<number>` without a list of words.
    fn missing(&mut self, name: &str) -> SetId {
        let set = self.new_set();
        self.named.insert(name.to_owned(), (set, Vec::new()));
        set
    }

    fn one(&mut self, word: &str) -> SetId {
        if let Some(name) = list_name(word) {
            return self.named.get(name).map(|(set, _)| *set).unwrap_or_else(|| self.missing(name));
        }
        let set = self.new_set();
        self.add(word, set);
        set
    }

    fn new_set(&mut self) -> SetId {
        self.sets += 1;
        self.sets - 1
    }

    fn add(&mut self, word: &str, set: SetId) {
        let plain = |w: &str| if w == "%" || w == "$" { w.to_owned() } else { crate::understand::normal(w) };
        if let Some(stem) = word.strip_suffix('*') {
            let stem = plain(stem);
            self.longest_stem = self.longest_stem.max(stem.len());
            self.stems.entry(stem).or_default().push(set);
        } else {
            self.exact.entry(plain(word)).or_default().push(set);
        }
    }

    pub fn read(&self, words: &[Word]) -> Read<'_> {
        let row = self.sets.div_ceil(64);
        let mut bits = vec![0_u64; row * words.len()];
        let special = |name: &str| self.named.get(name).map(|(set, _)| *set);
        let (number, instrument) = (special("number"), special("instrument"));
        for (at, word) in words.iter().enumerate() {
            let Some(mine) = bits.get_mut(at * row..(at + 1) * row) else { continue };
            let mut put = |set: SetId| {
                if let Some(cell) = mine.get_mut(set / 64) {
                    *cell |= 1 << (set % 64);
                }
            };
            self.exact.get(&word.norm).into_iter().flatten().for_each(|set| put(*set));
            let ends = word.norm.char_indices().map(|(i, c)| i + c.len_utf8());
            for end in ends.take_while(|end| *end <= self.longest_stem) {
                let stem = word.norm.get(..end).unwrap_or("");
                self.stems.get(stem).into_iter().flatten().for_each(|set| put(*set));
            }
            if word.number {
                number.into_iter().for_each(&mut put);
            }
            if word.ticker {
                instrument.into_iter().for_each(&mut put);
            }
        }
        Read { patterns: self, clauses: words.iter().map(|w| w.clause).collect(), bits, row }
    }
}

impl<'p> Read<'p> {
    fn len(&self) -> usize {
        self.clauses.len()
    }

    fn has(&self, at: usize, set: SetId) -> bool {
        at < self.len() && self.bits.get(at * self.row + set / 64).is_some_and(|cell| cell >> (set % 64) & 1 == 1)
    }

    /// Whether a phrase of a list in `[words]` begins at `at`; gives one past its end.
    pub fn named(&self, name: &str, at: usize) -> Option<usize> {
        let (set, phrases) = self.patterns.named.get(name)?;
        let phrase = phrases.iter().filter_map(|row| self.row_at(row, at)).max();
        phrase.or_else(|| self.has(at, *set).then_some(at + 1))
    }

    pub fn any(&self, name: &str) -> bool {
        (0..self.len()).any(|at| self.named(name, at).is_some())
    }

    fn row_at(&self, row: &[SetId], at: usize) -> Option<usize> {
        row.iter().enumerate().all(|(i, set)| self.has(at + i, *set)).then_some(at + row.len())
    }

    pub fn same_clause(&self, a: usize, b: usize) -> bool {
        matches!((self.clauses.get(a), self.clauses.get(b)), (Some(a), Some(b)) if a == b)
    }

    fn opens_clause(&self, at: usize) -> bool {
        let opens = |at: usize| at == 0 || !self.same_clause(at - 1, at) || self.named("joining", at - 1).is_some();
        let mut from = at;
        for _ in 0..=FILLERS {
            if opens(from) {
                return true;
            }
            if self.named("filler", from - 1).is_none() {
                return false;
            }
            from -= 1;
        }
        false
    }

    /// Every match, in the order of the text.
    pub fn matches(&self) -> Vec<Match<'p>> {
        let mut found: Vec<Match<'p>> = Vec::new();
        let mut tried: Vec<usize> = Vec::new();
        for start in 0..self.len() {
            tried.clear();
            let row = self.bits.get(start * self.row..(start + 1) * self.row).unwrap_or(&[]);
            for (cell, bits) in row.iter().enumerate() {
                let mut left = *bits;
                while left != 0 {
                    let set = cell * 64 + left.trailing_zeros() as usize;
                    left &= left - 1;
                    tried.extend(self.patterns.by_first.get(set).into_iter().flatten());
                }
            }
            tried.sort_unstable();
            tried.dedup();
            for pattern in tried.iter().filter_map(|at| self.patterns.patterns.get(*at)) {
                let mut skipped = Vec::new();
                if let Some(end) = self.follow(&pattern.steps, start, &mut skipped) {
                    found.push(Match { pattern, start, end, skipped });
                }
            }
        }
        found
    }

    /// Follows the steps from `at`; depth and width are bounded by the pattern and its gaps.
    fn follow(&self, steps: &[Step], at: usize, skipped: &mut Vec<usize>) -> Option<usize> {
        let Some((step, rest)) = steps.split_first() else { return Some(at) };
        let ends_clause = at > 0 && (at >= self.len() || !self.same_clause(at - 1, at));
        match step {
            Step::Words(rows) => {
                rows.iter().filter_map(|row| self.row_at(row, at)).find_map(|end| self.follow(rest, end, skipped))
            }
            Step::Optional(rows) => rows
                .iter()
                .filter_map(|row| self.row_at(row, at))
                .find_map(|end| self.follow(rest, end, skipped))
                .or_else(|| self.follow(rest, at, skipped)),
            Step::Near | Step::Far => {
                let (most, near) = if matches!(step, Step::Near) { (NEAR, true) } else { (FAR, false) };
                for gap in 0..=most {
                    let to = at + gap;
                    if to >= self.len() || near && at > 0 && !self.same_clause(at - 1, to) {
                        return None;
                    }
                    if let Some(end) = self.follow(rest, to, skipped) {
                        skipped.extend(at..to);
                        return Some(end);
                    }
                }
                None
            }
            Step::ClauseStart => self.opens_clause(at).then(|| self.follow(rest, at, skipped)).flatten(),
            Step::SentenceStart => (at == 0).then(|| self.follow(rest, at, skipped)).flatten(),
            Step::ClauseEnd => ends_clause.then(|| self.follow(rest, at, skipped)).flatten(),
            Step::SentenceEnd => (at >= self.len()).then(|| self.follow(rest, at, skipped)).flatten(),
        }
    }
}

fn list_name(word: &str) -> Option<&str> {
    word.strip_prefix('<')?.strip_suffix('>').filter(|name| !name.contains('>'))
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;
    use crate::guard::words;

    #[rstest]
    #[case::near("aa .. bb", "aa xx yy zz bb", true)]
    #[case::too_far("aa .. bb", "aa xx yy zz ww bb", false)]
    #[case::near_stays_in_its_clause("aa .. bb", "aa xx, bb", false)]
    #[case::far_leaves_it("aa ... bb", "aa xx, bb", true)]
    #[case::optional("aa xx? bb", "aa bb", true)]
    #[case::phrase("aa|cc_dd bb", "cc dd bb", true)]
    #[case::list("<buy> now", "get some now", true)]
    #[case::ticker("sell <instrument>", "sell NQ", true)]
    #[case::no_ticker("sell <instrument>", "sell it", false)]
    #[case::number("at <number>", "at 95,000", true)]
    #[case::clause_start("^ aa", "xx, now aa", true)]
    #[case::not_clause_start("^ aa", "xx aa", false)]
    #[case::clause_end("aa $", "aa, bb", true)]
    #[case::sentence_end("aa $$", "aa, bb", false)]
    #[case::both_gaps_try_again("aa .. bb cc", "aa bb xx bb cc", true)]
    fn a_pattern_matches(#[case] pattern: &str, #[case] text: &str, #[case] expected: bool) {
        let file = format!(
            "[words]\nbuy = [\"buy\", \"get_some\"]\nfiller = [\"now\"]\ninstrument = [\"gold\"]\n[s]\nhit = [{pattern:?}]"
        );
        let patterns = Patterns::compile(&toml::from_str(&file).expect("toml"), &["s"], &["hit"]);
        let words = words::of(text);
        assert_eq!(!patterns.read(&words).matches().is_empty(), expected);
    }
}
