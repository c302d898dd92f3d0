//! The pattern language of the rule files, explained at the top of `lint/ru/grammar.toml`.
//!
//! It works on words, not letters: a few hundred patterns are ready in a millisecond, where as many regular
//! expressions over Unicode take a second to build.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::Arc;

use super::tokens::{Gap, Token, Tokens};
use crate::stems::{normal, words};

/// How many words `..` may stand for, without leaving the clause.
const NEAR: usize = 3;
/// How many words `...` may stand for, without leaving the sentence.
const FAR: usize = 8;
/// How many words `~` may stand for, all of them fillers.
const FILLERS: usize = 5;
/// A list may name lists; deeper than this it names itself.
const DEEPEST: usize = 4;

/// Named lists of words that patterns refer to as `<name>`.
pub type Lists = BTreeMap<String, Vec<String>>;

/// Lists, each compiled once however many patterns name it.
#[derive(Default)]
pub struct Vocabulary {
    lists: Lists,
    compiled: RefCell<HashMap<String, Arc<Choices>>>,
}

/// Runs of words of which any may stand at a place.
#[derive(Debug, Default)]
pub struct Choices {
    runs: Vec<Vec<Piece>>,
    /// Runs by the first letters of their first word, and those that may begin with anything.
    by_key: ByKey<Vec<usize>>,
    keys: Keys,
    open: Vec<usize>,
}

#[derive(Debug)]
pub struct Pattern {
    steps: Vec<Step>,
    opens: bool,
}

#[derive(Debug)]
struct Step {
    any_of: Vec<Arc<Choices>>,
    before: Room,
    optional: bool,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Room {
    None,
    Near,
    Far,
    Fillers,
}

#[derive(Debug, Clone)]
pub enum Piece {
    Exact(String),
    Prefix(String),
    /// A word that begins with a capital letter.
    Name,
    Number,
    /// Any word.
    Any,
    /// A value that is not known yet.
    Value,
    /// Any word, after a dash or a colon.
    Dashed,
    /// A name, after a dash or a colon.
    Label,
}

#[derive(Debug, thiserror::Error)]
pub enum PatternError {
    #[error("no list is called <{0}>")]
    NoList(String),
    #[error("the list <{0}> names itself")]
    Circular(String),
    #[error("the pattern “{0}” has no word that must be there")]
    Empty(String),
    #[error("the pattern “{0}” begins with a word that may be anything")]
    Unanchored(String),
}

pub enum Beginning<'p> {
    Word(&'p str),
    /// A stem with these first letters.
    Letters(Key),
}

/// Where a pattern matched: every position it named, in order.
pub type Match = Vec<usize>;

impl Pattern {
    /// # Errors
    /// A list is missing, or nothing in the pattern is bound to a word.
    pub fn parse(line: &str, vocabulary: &Vocabulary) -> Result<Pattern, PatternError> {
        let mut steps = Vec::new();
        let (mut before, mut opens) = (Room::None, false);
        let line = in_one_line(line);
        for piece in line.split(' ') {
            match piece {
                "^" => opens = true,
                ".." => before = Room::Near,
                "..." => before = Room::Far,
                "~" => before = Room::Fillers,
                _ => {
                    let (choices, optional) = match piece.strip_suffix('?') {
                        Some(choices) => (choices, true),
                        None => (piece, false),
                    };
                    let any_of = vocabulary.choices(choices)?;
                    steps.push(Step { any_of, before, optional });
                    before = Room::None;
                }
            }
        }
        match steps.first() {
            None => Err(PatternError::Empty(line)),
            Some(first) if first.optional || first.any_of.iter().any(|choices| !choices.open.is_empty()) => {
                Err(PatternError::Unanchored(line))
            }
            Some(_) => Ok(Pattern { steps, opens }),
        }
    }

    /// What the pattern may begin with.
    pub fn beginnings(&self) -> impl Iterator<Item = Beginning<'_>> {
        let first = self.steps.first().map_or(&[][..], |step| step.any_of.as_slice());
        first.iter().flat_map(|choices| &choices.runs).filter_map(|run| match run.first()? {
            Piece::Exact(word) => Some(Beginning::Word(word)),
            Piece::Prefix(stem) => key_of(stem).map(Beginning::Letters),
            _ => None,
        })
    }

    /// A match that begins with the word at `at`.
    pub fn find_at(&self, tokens: &Tokens, at: usize, filler: impl Fn(&str) -> bool) -> Option<Match> {
        if self.opens && !tokens.opens(at) {
            return None;
        }
        let mut search = Search { tokens, filler, named: Vec::new() };
        search.step(&self.steps, at, true).then_some(search.named)
    }

    /// Whether the words of `range` hold a match.
    pub fn is_in(&self, tokens: &Tokens, range: std::ops::Range<usize>, filler: impl Fn(&str) -> bool) -> bool {
        range.into_iter().any(|at| self.find_at(tokens, at, &filler).is_some())
    }
}

impl Piece {
    fn matches(&self, tokens: &Tokens, at: usize) -> bool {
        let Some(token) = tokens.list.get(at) else { return false };
        match self {
            Piece::Exact(word) => token.norm == *word,
            Piece::Prefix(word) => token.norm.starts_with(word.as_str()),
            Piece::Name => is_name(token),
            Piece::Number => token.norm.starts_with(|c: char| c.is_ascii_digit()),
            Piece::Any => {
                let before = at.checked_sub(1).and_then(|i| tokens.list.get(i));
                !token.norm.is_empty() && before.is_none_or(|before| before.quote == token.quote)
            }
            Piece::Value => token.norm.is_empty(),
            Piece::Label => is_name(token) && (token.gap.has(Gap::DASH) || token.gap.has(Gap::COLON)),
            Piece::Dashed => !token.norm.is_empty() && (token.gap.has(Gap::DASH) || token.gap.has(Gap::COLON)),
        }
    }
}

/// Capital, and not the English "I".
fn is_name(token: &Token) -> bool {
    token.capital && !matches!(token.norm.split('\'').next(), Some("i"))
}

struct Search<'t, F> {
    tokens: &'t Tokens,
    filler: F,
    named: Match,
}

impl<F: Fn(&str) -> bool> Search<'_, F> {
    /// Depth is the number of steps, which the rule files bound.
    fn step(&mut self, steps: &[Step], at: usize, first: bool) -> bool {
        let Some((step, rest)) = steps.split_first() else { return true };
        let most = match step.before {
            _ if first => 0,
            Room::None => 0,
            Room::Near => NEAR,
            Room::Far => FAR,
            Room::Fillers => FILLERS,
        };
        for skipped in 0..=most {
            let here = at + skipped;
            if !first && !self.may_stand(step.before, at, here) {
                break;
            }
            let key = self.tokens.key(here);
            for choices in &step.any_of {
                if choices.may_begin_with(key) && self.any_run(choices, key, here, rest) {
                    return true;
                }
            }
        }
        step.optional && self.step(rest, at, first)
    }

    /// One of the runs stands at `here`, and the rest of the pattern after it.
    fn any_run(&mut self, choices: &Choices, key: Option<Key>, here: usize, rest: &[Step]) -> bool {
        for run in choices.beginning_with(key) {
            let whole = run.iter().enumerate().all(|(i, piece)| {
                (i == 0 || self.tokens.same_sentence(here, here + i)) && piece.matches(self.tokens, here + i)
            });
            if !whole {
                continue;
            }
            let kept = self.named.len();
            self.named.extend(here..here + run.len());
            if self.step(rest, here + run.len(), false) {
                return true;
            }
            self.named.truncate(kept);
        }
        false
    }

    /// Whether the step may stand at `here`, with the words from `from` on skipped.
    fn may_stand(&self, room: Room, from: usize, here: usize) -> bool {
        let Some(before) = from.checked_sub(1) else { return true };
        if !self.tokens.same_sentence(before, here) {
            return false;
        }
        match room {
            Room::None => !self.tokens.gap(here).has(Gap::SEMICOLON),
            Room::Near => !self.tokens.gap(here).is_pause(),
            Room::Far => true,
            Room::Fillers => {
                here.checked_sub(1).is_none_or(|last| last < from || (self.filler)(self.tokens.norm(last)))
            }
        }
    }
}

impl Vocabulary {
    pub fn of(lists: Lists) -> Vocabulary {
        Vocabulary { lists, compiled: RefCell::default() }
    }

    /// What "a|b|<list>" stands for.
    fn choices(&self, written: &str) -> Result<Vec<Arc<Choices>>, PatternError> {
        let mut all = Vec::new();
        let mut inline = Vec::new();
        for choice in written.split('|') {
            match list_name(choice) {
                Some(name) => all.push(self.list(name)?),
                None => alternatives(choice, &mut inline),
            }
        }
        if !inline.is_empty() {
            all.push(Arc::new(Choices::of(inline)));
        }
        Ok(all)
    }

    fn list(&self, name: &str) -> Result<Arc<Choices>, PatternError> {
        if let Some(known) = self.compiled.borrow().get(name) {
            return Ok(Arc::clone(known));
        }
        let mut runs = Vec::new();
        self.spell_out(name, 0, &mut runs)?;
        let choices = Arc::new(Choices::of(runs));
        self.compiled.borrow_mut().insert(name.to_owned(), Arc::clone(&choices));
        Ok(choices)
    }

    fn spell_out(&self, name: &str, depth: usize, out: &mut Vec<Vec<Piece>>) -> Result<(), PatternError> {
        if depth == DEEPEST {
            return Err(PatternError::Circular(name.to_owned()));
        }
        for entry in self.lists.get(name).ok_or_else(|| PatternError::NoList(name.to_owned()))? {
            match list_name(entry) {
                Some(inner) => self.spell_out(inner, depth + 1, out)?,
                None => alternatives(entry, out),
            }
        }
        Ok(())
    }
}

impl Choices {
    fn of(runs: Vec<Vec<Piece>>) -> Choices {
        let mut choices = Choices { runs, ..Choices::default() };
        for (index, run) in choices.runs.iter().enumerate() {
            match run.first() {
                Some(Piece::Exact(word) | Piece::Prefix(word)) => {
                    let key = key_of(word).unwrap_or_default();
                    choices.keys.add(key);
                    choices.by_key.entry(key).or_default().push(index);
                }
                _ => choices.open.push(index),
            }
        }
        choices
    }

    fn may_begin_with(&self, key: Option<Key>) -> bool {
        !self.open.is_empty() || key.is_some_and(|key| self.keys.may_hold(key))
    }

    fn beginning_with(&self, key: Option<Key>) -> impl Iterator<Item = &Vec<Piece>> {
        let keyed = key.and_then(|key| self.by_key.get(&key)).map_or(&[][..], Vec::as_slice);
        keyed.iter().chain(&self.open).filter_map(|index| self.runs.get(*index))
    }
}

fn list_name(choice: &str) -> Option<&str> {
    choice.strip_prefix('<').and_then(|c| c.strip_suffix('>'))
}

/// A long choice may go on in the next line after a "|".
fn in_one_line(written: &str) -> String {
    written.split_whitespace().collect::<Vec<_>>().join(" ").replace("| ", "|")
}

fn alternatives(choice: &str, out: &mut Vec<Vec<Piece>>) {
    let choice = in_one_line(choice);
    if let Some(word) = choice.strip_prefix('=') {
        out.push(vec![Piece::Exact(normal(word))]);
        return;
    }
    // "размер* лота|сделки" in a list is two runs.
    let mut runs: Vec<Vec<Piece>> = vec![Vec::new()];
    for words in choice.split(' ') {
        let choices: Vec<Vec<Piece>> =
            words.split('|').map(|word| word.split(['_', '-']).flat_map(pieces).collect()).collect();
        runs = runs.iter().flat_map(|run| choices.iter().map(|choice| [run.as_slice(), choice].concat())).collect();
    }
    out.extend(runs.into_iter().filter(|run| !run.is_empty()));
}

fn pieces(written: &str) -> Vec<Piece> {
    match written {
        "@name" => return vec![Piece::Name],
        "@number" => return vec![Piece::Number],
        "@any" => return vec![Piece::Any],
        "@value" => return vec![Piece::Value],
        "@dashed" => return vec![Piece::Dashed],
        "@label" => return vec![Piece::Label],
        _ => {}
    }
    if let Some(stem) = written.strip_suffix('*') {
        return vec![Piece::Prefix(normal(stem))];
    }
    words(written).map(|word| Piece::Exact(normal(word.text))).collect()
}

/// Two first letters: what a word and the patterns that may begin with it have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Key(u64);

/// `None` for a value that is not known yet.
pub fn key_of(norm: &str) -> Option<Key> {
    let mut chars = norm.chars();
    let first = u64::from(chars.next()?);
    Some(Key(first << 32 | u64::from(chars.next().unwrap_or(' '))))
}

/// Which keys a set may hold: most words are in none of a hundred sets, and this says so without a look into them.
#[derive(Debug, Clone, Copy, Default)]
pub struct Keys(u128);

impl Keys {
    pub fn add(&mut self, key: Key) {
        self.0 |= Keys::bit(key);
    }

    pub fn may_hold(self, key: Key) -> bool {
        self.0 & Keys::bit(key) != 0
    }

    fn bit(key: Key) -> u128 {
        let Key(letters) = key;
        1 << (((letters >> 32) * 31 + (letters & 0xffff_ffff)) % 128)
    }
}

/// Keys are asked for at every word; two letters need no stronger hash than this.
#[derive(Debug, Clone, Copy, Default)]
pub struct KeyHasher(u64);

impl Hasher for KeyHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u64(u64::from(*byte));
        }
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = (self.0 ^ number ^ number >> 29).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 ^= self.0 >> 32;
    }
}

pub type ByKey<T> = HashMap<Key, T, BuildHasherDefault<KeyHasher>>;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::source::Page;
    use rstest::rstest;

    fn found(text: &str, pattern: &str) -> bool {
        let lists = Lists::from([("bot".to_owned(), vec!["бот".to_owned(), "чат-бот*".to_owned()])]);
        let pattern = Pattern::parse(pattern, &Vocabulary::of(lists)).unwrap();
        let page = Page::of("x", text);
        pattern.is_in(&page.tokens, 0..page.tokens.list.len(), |word| word == "просто")
    }

    #[rstest]
    #[case("а б", "а б", true)]
    #[case("а бв", "а б", false)]
    #[case("спокойствие", "спокой*", true)]
    #[case("все так себе", "все хорошо|так_себе", true)]
    #[case("а раз два три б", "а .. б", true)]
    #[case("а раз два три четыре б", "а .. б", false)]
    #[case("а раз, б", "а .. б", false)]
    #[case("а раз, два три четыре пять б", "а ... б", true)]
    #[case("а раз. Б", "а ... б", false)]
    #[case("я просто просто бот", "я ~ <bot>", true)]
    #[case("я видел бот", "я ~ <bot>", false)]
    #[case("Я — чат-ботом", "я <bot>", true)]
    #[case("а б", "а в? б", true)]
    #[case("а в б", "а в? б", true)]
    #[case("и вот бот", "^ бот", false)]
    #[case("и вот: бот", "^ бот", true)]
    #[case("имя Иван", "имя @name", true)]
    #[case("имя есть", "имя @name", false)]
    #[case("имя {{user.name}}", "имя @name", false)]
    #[case("имя {{user.name}}", "имя @value", true)]
    #[case("ты — друг", "ты @dashed", true)]
    fn a_pattern_matches(#[case] text: &str, #[case] pattern: &str, #[case] expected: bool) {
        assert_eq!(found(text, pattern), expected);
    }

    #[rstest]
    #[case("<none> а")]
    #[case("^ ..")]
    #[case("@any а")]
    fn a_pattern_that_says_nothing_is_refused(#[case] pattern: &str) {
        assert!(Pattern::parse(pattern, &Vocabulary::default()).is_err());
    }
}
