//! The words Calm knows, per language, as data (`lexicon/LANG/*.toml`).
//!
//! A pattern is a few words: `слово` matches itself, `слов*` any ending, `a|b` either,
//! `a|b_c` either of two where the second is two words, `@name` any word of a group
//! (`[groups]`), and `a & b` wants both near each other
//! in whichever order, and `..` lets up to three other words stand in between. Matching never leaves a sentence, and `..` stays inside its clause, except
//! in `[distress]` and `[asides]`, where a comma or a full stop more or less must not matter.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::sync::LazyLock;

use super::tokens::{Tokens, normal};
use super::vocabulary::Vocabulary;
use crate::lang::Lang;

/// The files of one language, by what they are about.
macro_rules! files {
    ($language:literal) => {
        files!(
            $language: "grammar", "numbers", "feelings", "sleep", "stressors", "plan", "results", "adherence", "signs",
            "intents", "answers", "topics", "spoken", "distress", "asking", "asides"
        )
    };
    ($language:literal: $($theme:literal),+ $(,)?) => {
        [$(include_str!(concat!("../../lexicon/", $language, "/", $theme, ".toml"))),+]
    };
}

static RU: LazyLock<Lexicon> = LazyLock::new(|| embedded(&files!("ru")));
static EN: LazyLock<Lexicon> = LazyLock::new(|| embedded(&files!("en")));

/// How many words `..` may stand for.
const GAP: usize = 3;

type Sections = BTreeMap<String, BTreeMap<String, Vec<String>>>;

pub struct Lexicon {
    entries: Vec<Entry>,
    patterns: Vec<Pattern>,
    /// Patterns by the first letters of their first word.
    by_prefix: HashMap<String, Vec<usize>>,
    /// The entries that are single words, by section.
    words: HashMap<String, SingleWords>,
    vocabulary: Vocabulary,
}

/// The single words of one section: exact ones by themselves, stems by length.
#[derive(Default)]
struct SingleWords {
    exact: HashMap<String, Vec<String>>,
    stems: Vec<(String, String)>,
}

struct Entry {
    section: String,
    name: String,
    /// As written in the file, for entries that hold words to say.
    written: Vec<String>,
}

struct Pattern {
    entry: usize,
    words: Vec<PatternWord>,
    /// What has to stand nearby as well, before or behind.
    with: Vec<PatternWord>,
}

struct PatternWord {
    any_of: Vec<(String, Ending)>,
    gap_before: bool,
}

#[derive(Clone, Copy, PartialEq)]
enum Ending {
    Exact,
    Any,
}

/// A place where the text says something that the lexicon knows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hit<'l> {
    pub section: &'l str,
    pub name: &'l str,
    /// Token positions.
    pub at: Range<usize>,
    /// Positions inside that `..` stands for.
    pub skipped: Vec<usize>,
}

fn embedded(files: &[&str]) -> Lexicon {
    // The data is part of the program, and a test reads it.
    Lexicon::parse(files).expect("the embedded lexicon is valid")
}

impl Lexicon {
    pub fn of(lang: Lang) -> &'static Lexicon {
        match lang {
            Lang::Ru => &RU,
            Lang::En => &EN,
        }
    }

    /// # Errors
    /// A file does not parse, or is not `section → entry → list of patterns`.
    pub fn parse(files: &[&str]) -> Result<Lexicon, toml::de::Error> {
        let mut sections = Sections::new();
        for file in files {
            for (section, names) in toml::from_str::<Sections>(file)? {
                let section = sections.entry(section).or_default();
                for (name, lines) in names {
                    section.entry(name).or_default().extend(lines);
                }
            }
        }
        let groups = sections.remove("groups").unwrap_or_default();
        let mut lexicon = Lexicon {
            entries: Vec::new(),
            patterns: Vec::new(),
            by_prefix: HashMap::new(),
            words: HashMap::new(),
            vocabulary: Vocabulary::default(),
        };
        for (section, names) in sections {
            for (name, written) in names {
                for line in written.iter().filter(|_| section != "words").flat_map(|line| spelled_out(line, &groups)) {
                    let (words, with) = line.split_once(" & ").unwrap_or((&line, ""));
                    lexicon.add(&section, &name, compile(words), compile(with));
                }
                lexicon.entries.push(Entry { section: section.clone(), name, written });
            }
        }
        lexicon.vocabulary.sort();
        Ok(lexicon)
    }

    /// A pattern of the entry that is about to be pushed.
    fn add(&mut self, section: &str, name: &str, words: Vec<PatternWord>, with: Vec<PatternWord>) {
        let Some(first) = words.first() else { return };
        for (stem, _) in &first.any_of {
            let list = self.by_prefix.entry(prefix(stem).to_owned()).or_default();
            if list.last() != Some(&self.patterns.len()) {
                list.push(self.patterns.len());
            }
        }
        if let [only] = words.as_slice()
            && with.is_empty()
        {
            let singles = self.words.entry(section.to_owned()).or_default();
            for (stem, ending) in &only.any_of {
                match ending {
                    Ending::Exact => singles.exact.entry(stem.clone()).or_default().push(name.to_owned()),
                    Ending::Any => singles.stems.push((stem.clone(), name.to_owned())),
                }
            }
        }
        // What Calm itself says or asks, and what is said of its manner, no slip is mended into; nor is it a slip.
        let left = matches!(section, "guard" | "asks" | "asides");
        for (stem, ending) in words.iter().chain(&with).flat_map(|w| &w.any_of) {
            let is_stem = *ending == Ending::Any;
            if left { self.vocabulary.leave(stem, is_stem) } else { self.vocabulary.add(stem, is_stem) }
        }
        self.patterns.push(Pattern { entry: self.entries.len(), words, with });
    }

    /// Every hit in the text, in the order of the text.
    ///
    /// Inside a section the longer match wins: "не совсем по плану" is not also "по плану".
    pub fn scan(&self, tokens: &Tokens<'_>) -> Vec<Hit<'_>> {
        let mut hits = Vec::new();
        for (at, token) in tokens.iter().enumerate() {
            let long = self.by_prefix.get(prefix(&token.norm));
            let short = self.by_prefix.get(letter(&token.norm)).filter(|_| letter(&token.norm) != prefix(&token.norm));
            let candidates = long.into_iter().chain(short).flatten();
            for pattern in candidates.filter_map(|i| self.patterns.get(*i)) {
                let Some(entry) = self.entries.get(pattern.entry) else { continue };
                let across = matches!(entry.section.as_str(), "distress" | "figures_of_speech" | "asides");
                let Some((end, skipped)) = end_of_match(&pattern.words, tokens, at, across) else { continue };
                if pattern.with.is_empty() {
                    hits.push(Hit { section: &entry.section, name: &entry.name, at: at..end, skipped });
                } else if let Some(with) = nearby(&pattern.with, tokens, &(at..end), across) {
                    let at = at.min(with.start)..end.max(with.end);
                    hits.push(Hit { section: &entry.section, name: &entry.name, at, skipped });
                }
            }
        }
        let steps_over_no =
            |hit: &Hit<'_>| hit.skipped.iter().any(|i| self.has_word("grammar", "negation", tokens.norm(*i)));
        without_contained(hits, steps_over_no)
    }

    /// Whether a single word stands in an entry.
    pub fn has_word(&self, section: &str, name: &str, norm: &str) -> bool {
        let Some(words) = self.words.get(section) else { return false };
        words.exact.get(norm).is_some_and(|names| names.iter().any(|n| n == name))
            || words.stems.iter().any(|(stem, n)| n == name && norm.starts_with(stem.as_str()))
    }

    /// The name of the entry of `section` in which a single word stands.
    pub fn entry_of(&self, section: &str, norm: &str) -> Option<&str> {
        let words = self.words.get(section)?;
        let exact = words.exact.get(norm).and_then(|names| names.first());
        let stem = || words.stems.iter().find(|(stem, _)| norm.starts_with(stem.as_str())).map(|(_, name)| name);
        exact.or_else(stem).map(String::as_str)
    }

    /// The word that a misspelt one stands for, if exactly that is plain.
    pub fn corrected(&self, norm: &str) -> Option<String> {
        self.vocabulary.corrected(norm)
    }

    /// The words of a run of letters without spaces, as their lengths in characters.
    pub fn cut(&self, letters: &str) -> Option<Vec<usize>> {
        self.vocabulary.cut(letters)
    }

    /// The first written form of an entry of `[words]`, the section that holds words to say.
    pub fn word(&self, name: &str) -> Option<&str> {
        let entry = self.entries.iter().find(|e| e.section == "words" && e.name == name)?;
        entry.written.first().map(String::as_str)
    }

    pub fn names(&self, section: &str) -> impl Iterator<Item = &str> {
        self.entries.iter().filter(move |e| e.section == section).map(|e| e.name.as_str())
    }
}

impl PatternWord {
    fn matches(&self, norm: &str) -> bool {
        self.any_of.iter().any(|(stem, ending)| match ending {
            Ending::Exact => norm == stem,
            Ending::Any => norm.starts_with(stem.as_str()),
        })
    }
}

fn letter(word: &str) -> &str {
    word.chars().next().map_or("", |c| &word[..c.len_utf8()])
}

/// The first two letters, or the one there is.
fn prefix(word: &str) -> &str {
    let end = word.char_indices().nth(2).map_or(word.len(), |(at, _)| at);
    &word[..end]
}

/// A line for every alternative that is more than one word, and one for all the rest.
fn spelled_out(line: &str, groups: &BTreeMap<String, Vec<String>>) -> Vec<String> {
    let mut lines = vec![String::new()];
    for piece in line.split_whitespace() {
        let piece = with_groups(piece, groups, 0);
        let (phrases, words): (Vec<&str>, Vec<&str>) = piece.split('|').partition(|a| a.contains('_'));
        let mut choices: Vec<String> = phrases.iter().map(|p| p.replace('_', " ")).collect();
        if !words.is_empty() {
            choices.push(words.join("|"));
        }
        lines = lines.iter().flat_map(|line| choices.iter().map(move |choice| format!("{line} {choice}"))).collect();
    }
    lines
}

/// `@name` stands for the words of a group, and groups may name groups.
fn with_groups(piece: &str, groups: &BTreeMap<String, Vec<String>>, depth: usize) -> String {
    const DEEPEST: usize = 3;
    if depth >= DEEPEST || !piece.contains('@') {
        return piece.to_owned();
    }
    let alternatives = piece.split('|').map(|alternative| {
        let group = alternative.strip_prefix('@').and_then(|name| groups.get(name));
        group.map_or_else(
            || alternative.to_owned(),
            |words| with_groups(&words.join("|").replace(' ', "_"), groups, depth + 1),
        )
    });
    alternatives.collect::<Vec<_>>().join("|")
}

fn compile(line: &str) -> Vec<PatternWord> {
    let mut words = Vec::new();
    let mut gap_before = false;
    for piece in line.replace('-', " ").split_whitespace() {
        if piece == ".." {
            gap_before = true;
            continue;
        }
        let any_of = piece
            .split('|')
            .map(|word| match word.strip_suffix('*') {
                Some(stem) => (normal(stem), Ending::Any),
                None => (normal(word), Ending::Exact),
            })
            .filter(|(stem, _)| !stem.is_empty())
            .collect();
        words.push(PatternWord { any_of, gap_before });
        gap_before = false;
    }
    words
}

/// One past the last token of a match that begins at `start`, and the tokens it stepped over.
fn end_of_match(
    words: &[PatternWord],
    tokens: &Tokens<'_>,
    start: usize,
    across_clauses: bool,
) -> Option<(usize, Vec<usize>)> {
    let (first, rest) = words.split_first()?;
    if !first.matches(tokens.norm(start)) {
        return None;
    }
    let mut skipped = Vec::new();
    let mut at = start;
    for word in rest {
        let reach = if word.gap_before { GAP } else { 0 };
        let next = (at + 1..=at + 1 + reach)
            .take_while(|next| across_clauses && *next < tokens.len() || tokens.same_sentence(start, *next))
            .take_while(|next| !word.gap_before || across_clauses || tokens.same_clause(at, *next))
            .find(|next| word.matches(tokens.norm(*next)))?;
        skipped.extend(at + 1..next);
        at = next;
    }
    Some((at + 1, skipped))
}

/// Where the second half of "a & b" matches, as near as it does: in the same clause, or, where
/// clauses do not matter, within a few words.
fn nearby(words: &[PatternWord], tokens: &Tokens<'_>, at: &Range<usize>, across_clauses: bool) -> Option<Range<usize>> {
    const FAR: usize = 7;
    let starts = at.start.saturating_sub(FAR)..(at.end + FAR).min(tokens.len());
    let near = |start: &usize| across_clauses || tokens.same_clause(at.start, *start);
    let found = starts.filter(near).filter_map(|start| {
        let (end, _) = end_of_match(words, tokens, start, across_clauses)?;
        (end <= at.start || at.end <= start).then_some(start..end)
    });
    found.min_by_key(|with| if with.start >= at.end { with.start - at.end } else { at.start - with.end })
}

/// A hit that steps over a "no" is likely to be denied, and takes no other's place: "лонг не зашёл, стопнуло".
fn without_contained<'l>(hits: Vec<Hit<'l>>, steps_over_no: impl Fn(&Hit<'_>) -> bool) -> Vec<Hit<'l>> {
    // A loan is a loan, whatever it is part of.
    let stands = |hit: &Hit<'_>| hit.section == "signs" && hit.name == "borrowing";
    let contained = |a: &Hit<'_>, b: &Hit<'_>| {
        (!stands(a) || stands(b))
            && a.section == b.section
            && b.at.start <= a.at.start
            && a.at.end <= b.at.end
            && b.at.len() > a.at.len()
            && !steps_over_no(b)
    };
    let keep: Vec<bool> = hits
        .iter()
        .enumerate()
        .map(|(i, hit)| {
            // Hits are in text order, so a longer one that contains this one starts close by.
            let from = i.saturating_sub(WINDOW);
            let to = (i + WINDOW).min(hits.len());
            let near = hits.get(from..to).unwrap_or(&[]);
            !near.iter().any(|other| contained(hit, other))
        })
        .collect();
    let mut seen: Vec<Hit<'_>> = Vec::with_capacity(hits.len());
    for (hit, keep) in hits.into_iter().zip(keep) {
        let repeated = seen.iter().rev().take(WINDOW).any(|earlier| *earlier == hit);
        if keep && !repeated {
            seen.push(hit);
        }
    }
    seen
}

const WINDOW: usize = 24;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::question::Question;
    use crate::understand::{Answer, Distress, Feeling, Intent, Sign};
    use rstest::rstest;

    /// A misspelt entry name would be a list of words that nobody reads.
    #[rstest]
    fn every_entry_has_a_name_that_the_code_knows(#[values(Lang::Ru, Lang::En)] lang: Lang) {
        let lexicon = Lexicon::of(lang);
        let names = |section: &str| lexicon.names(section).map(str::to_owned).collect::<Vec<_>>();
        let sorted = |mut names: Vec<String>| {
            names.sort();
            names
        };
        let all = |names: Vec<&str>| sorted(names.into_iter().map(str::to_owned).collect());
        assert_eq!(names("feelings"), all(Feeling::ALL.iter().map(|f| f.name()).collect()));
        assert_eq!(names("signs"), all(Sign::ALL.iter().map(|s| s.name()).collect()));
        assert_eq!(names("intents"), all(Intent::ALL.iter().map(|i| i.name()).collect()));
        assert!(names("asks").iter().all(|name| Question::named(name).is_some()));
        assert_eq!(names("answer"), all(Answer::ALL.iter().map(|a| a.name()).collect()));
        assert_eq!(names("distress"), all(Distress::ALL.iter().map(|d| d.name()).collect()));
        for section in ["sleep", "bare_quality"] {
            assert_eq!(names(section), ["excellent", "fair", "good", "poor"]);
        }
        for section in ["numbers", "marks"] {
            assert!(names(section).iter().all(|n| n.parse::<u64>().is_ok()));
        }
        for feeling in Feeling::ALL {
            assert!(lexicon.word(feeling.name()).is_some(), "no word to say for {}", feeling.name());
        }
    }

    #[test]
    fn both_languages_have_the_same_sections_and_entries() {
        let entries = |lang| {
            let lexicon = Lexicon::of(lang);
            let grouped = lexicon
                .entries
                .iter()
                .filter(|e| e.section != "numbers" && e.section != "marks" && !e.section.starts_with("not_"));
            grouped.map(|e| (e.section.clone(), e.name.clone())).collect::<Vec<_>>()
        };
        assert_eq!(entries(Lang::Ru), entries(Lang::En));
    }

    #[test]
    fn a_group_stands_for_its_words() {
        let lexicon = Lexicon::parse(&[
            "[groups]\nspal = [\"спал\", \"@more\"]\nmore = [\"поспал*\"]\n[s]\ne = [\"плохо @spal\"]",
        ])
        .expect("toml");
        assert!(!lexicon.scan(&Tokens::of("плохо поспала")).is_empty());
        assert!(lexicon.scan(&Tokens::of("плохо ела")).is_empty());
    }

    #[rstest]
    fn every_group_that_is_named_exists(#[values(Lang::Ru, Lang::En)] lang: Lang) {
        let words = Lexicon::of(lang).patterns.iter().flat_map(|p| &p.words).flat_map(|w| &w.any_of);
        let unknown: Vec<&str> = words.map(|(stem, _)| stem.as_str()).filter(|stem| stem.starts_with('@')).collect();
        assert_eq!(unknown, [""; 0]);
    }

    #[rstest]
    #[case::both("б раз два а", "а & б", true)]
    #[case::both_in_one_clause("б раз два, а", "а & б", false)]
    #[case::one_is_not_both("а раз", "а & б", false)]
    #[case::exact("а б", "а б", true)]
    #[case::exact_is_exact("а бв", "а б", false)]
    #[case::ending("спокойствие", "спокой*", true)]
    #[case::either("два", "раз|два", true)]
    #[case::phrase_as_alternative("все так себе", "все хорошо|так_себе", true)]
    #[case::three_between("а раз два три б", "а .. б", true)]
    #[case::four_between("а раз два три четыре б", "а .. б", false)]
    #[case::not_over_a_comma("а раз, б", "а .. б", false)]
    #[case::not_over_a_full_stop("а. б", "а б", false)]
    fn a_pattern_matches(#[case] text: &str, #[case] pattern: &str, #[case] expected: bool) {
        let lexicon = Lexicon::parse(&[&format!("[s]\ne = [\"{pattern}\"]")]).expect("toml");
        assert_eq!(!lexicon.scan(&Tokens::of(text)).is_empty(), expected);
    }

    #[test]
    fn the_longer_match_wins_inside_a_section() {
        let lexicon = Lexicon::parse(&["[s]\nkept = [\"по плану\"]\npartly = [\"не совсем по плану\"]"]).expect("toml");
        let tokens = Tokens::of("не совсем по плану");
        let names: Vec<&str> = lexicon.scan(&tokens).iter().map(|h| h.name).collect();
        assert_eq!(names, ["partly"]);
    }
}
