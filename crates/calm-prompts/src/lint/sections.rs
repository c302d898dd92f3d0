//! The parts every prompt needs: role, task, tone, rules, prohibitions, steps.
//!
//! A part is there when a heading names it and something stands below, or when a sentence does its work.

use std::sync::LazyLock;

use serde::Deserialize;

use crate::Both;
use crate::both::both;

use super::context::is_used;
use super::finding::{Finding, Rule};
use super::grammar::{Frame, Grammar};
use super::layout::Kind;
use super::pattern::{Lists, Pattern, Vocabulary};
use super::source::{Page, WALL};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SectionsFile {
    #[serde(default)]
    lists: Lists,
    role: PartFile,
    task: PartFile,
    tone: PartFile,
    rules: PartFile,
    prohibitions: PartFile,
    steps: PartFile,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PartFile {
    /// Looked for in headings, lead-ins and the names of tags.
    heading: Vec<String>,
    /// Looked for in sentences.
    text: Vec<String>,
    /// Looked for after one of `text`, anywhere; without them `text` is enough.
    #[serde(default)]
    then: Vec<String>,
    hint: Both,
}

struct Part {
    name: Both,
    heading: Vec<Pattern>,
    text: Vec<Pattern>,
    then: Vec<Pattern>,
    hint: Both,
}

static RU: LazyLock<Vec<Part>> = LazyLock::new(|| parts(include_str!("../../lint/ru/missing_section.toml")));
static EN: LazyLock<Vec<Part>> = LazyLock::new(|| parts(include_str!("../../lint/en/missing_section.toml")));

/// Two numbered lines are a sequence.
const FEWEST_STEPS: usize = 2;

fn parts(source: &str) -> Vec<Part> {
    // Part of the program, and a test reads it.
    let file: SectionsFile = toml::from_str(source).expect("the embedded sections are valid");
    let vocabulary = Vocabulary::of(file.lists);
    let named = [
        (both!("роль", "role"), file.role),
        (both!("задача", "task"), file.task),
        (both!("тон", "tone"), file.tone),
        (both!("правила", "rules"), file.rules),
        (both!("запреты", "prohibitions"), file.prohibitions),
        (both!("шаги", "steps"), file.steps),
    ];
    let patterns = |lines: &[String]| -> Vec<Pattern> {
        lines.iter().map(|line| Pattern::parse(line, &vocabulary).expect("the embedded sections are valid")).collect()
    };
    named
        .into_iter()
        .map(|(name, part)| Part {
            name,
            heading: patterns(&part.heading),
            text: patterns(&part.text),
            then: patterns(&part.then),
            hint: part.hint,
        })
        .collect()
}

/// The parts that none of `pages` has; they are one prompt together.
///
/// Patterns of both languages count: a Russian prompt may well have English headings.
pub fn findings(pages: &[&Page<'_>], lang: crate::stems::Lang) -> Vec<Finding> {
    let root = pages.iter().find(|page| page.inner_path() == "root.md").or_else(|| pages.first());
    let Some(root) = root else { return Vec::new() };
    let (own, other) = match lang {
        crate::stems::Lang::Ru => (&*RU, &*EN),
        crate::stems::Lang::En => (&*EN, &*RU),
    };
    own.iter()
        .zip(other)
        .filter(|(own, other)| !pages.iter().any(|page| has(page, own) || has(page, other)))
        .map(|(part, _)| {
            let Both { ru, en } = &part.name;
            let message = both!("в промпте не хватает части «{ru}»", "the prompt has no {en}");
            root.source.finding(Rule::MissingSection, 0..0, message, part.hint.clone())
        })
        .collect()
}

fn has(page: &Page<'_>, part: &Part) -> bool {
    let by_shape = match part.name.en.as_str() {
        "steps" => numbered_lines(page) >= FEWEST_STEPS,
        "prohibitions" => page.layout.frames.iter().any(|frame| frame.forbids()),
        _ => false,
    };
    by_shape || has_heading(page, part) || has_sentence(page, part)
}

fn numbered_lines(page: &Page<'_>) -> usize {
    let numbered = |number: &usize| page.layout.shapes.get(*number).is_some_and(|shape| shape.numbered);
    (0..page.layout.shapes.len()).filter(numbered).filter(|n| page.layout.frames.get(*n) == Some(&Frame::Open)).count()
}

fn has_heading(page: &Page<'_>, part: &Part) -> bool {
    let grammar = Grammar::shared();
    let matches = |number: usize| {
        let line = page.tokens.of_line(number);
        part.heading.iter().any(|pattern| pattern.is_in(&page.tokens, line.clone(), |norm| grammar.is_filler(norm)))
    };
    (0..page.layout.shapes.len()).any(|number| match page.layout.shapes[number].kind {
        Kind::Heading(level) => matches(number) && holds_something(page, number, level),
        Kind::Tag { closes: false } => tag_matches(page, number, part) && holds_something(page, number, 0),
        Kind::Plain | Kind::Bullet => lead_in_matches(page, number, part),
        _ => false,
    })
}

/// Something stands below the heading, before the next of its rank.
fn holds_something(page: &Page<'_>, number: usize, level: u8) -> bool {
    let below = page.layout.shapes.iter().enumerate().skip(number + 1);
    below
        .take_while(|(_, shape)| {
            !matches!(shape.kind, Kind::Heading(other) if other <= level) && !matches!(shape.kind, Kind::Tag { .. })
        })
        .any(|(line, shape)| match shape.kind {
            Kind::Plain | Kind::Bullet | Kind::Row | Kind::Masked => true,
            Kind::Clear => page.source.line(line).contains("include"),
            _ => false,
        })
}

fn tag_matches(page: &Page<'_>, number: usize, part: &Part) -> bool {
    let name = page.source.line(number).trim().trim_matches(['<', '>', '/']).replace(['_', '-'], " ");
    let tag = Page::of("", &name);
    let all = 0..tag.tokens.list.len();
    part.heading.iter().any(|pattern| pattern.is_in(&tag.tokens, all.clone(), |norm| Grammar::shared().is_filler(norm)))
}

/// "Тон: тёплый" and "Тон:" with lines below.
fn lead_in_matches(page: &Page<'_>, number: usize, part: &Part) -> bool {
    let line = page.source.masked_line(number);
    let Some((head, rest)) = line.split_once(':') else { return false };
    let from = page.tokens.of_line(number).start;
    let end = page.source.lines.get(number).map_or(0, |range| range.start) + head.len();
    let words = from..page.tokens.list.partition_point(|t| t.start < end).max(from);
    let grammar = Grammar::shared();
    let short = words.len() <= 6;
    let named =
        short && part.heading.iter().any(|p| p.is_in(&page.tokens, words.clone(), |norm| grammar.is_filler(norm)));
    let filled = rest.chars().any(|c| c.is_alphanumeric() || c == super::source::HOLE || c == WALL);
    let below = page.layout.shapes.get(number + 1).map(|shape| shape.kind);
    named && (filled || matches!(below, Some(Kind::Plain | Kind::Bullet | Kind::Row)))
}

fn has_sentence(page: &Page<'_>, part: &Part) -> bool {
    let grammar = Grammar::shared();
    let filler = |norm: &str| grammar.is_filler(norm);
    let forbids = part.name.en == "prohibitions";
    let first = (0..page.tokens.list.len()).find(|at| {
        part.text.iter().any(|pattern| {
            pattern.find_at(&page.tokens, *at, filler).is_some_and(|found| {
                let end = found.last().map_or(at + 1, |last| last + 1);
                let hit = *at..end;
                let negated = hit.clone().any(|i| !found.contains(&i) && grammar.negation.has(page.tokens.norm(i)));
                // "Если стресс высокий, говори медленнее" is a rule and not yet a tone.
                let sentence = page.tokens.sentence(*at, 40);
                let depends =
                    part.name.en == "tone" && sentence.clone().any(|i| grammar.conditional.has(page.tokens.norm(i)));
                forbids || !negated && !depends && is_used(page, &hit)
            })
        })
    });
    let Some(first) = first else { return false };
    part.then.is_empty()
        || part.then.iter().any(|pattern| pattern.is_in(&page.tokens, first + 1..page.tokens.list.len(), filler))
}
