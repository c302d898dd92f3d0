//! Active facts: the one section of the user's facts that goes into every prompt.
//!
//! The user keeps a markdown file; the section under `## Active facts` is taken as it is. When it outgrows the prompt,
//! the longest facts are offered a place among the knowledge instead.

use crate::markdown::{Line, lines};
use crate::{LONGEST_QUESTION, Part, clean};
use serde::{Deserialize, Serialize};
use std::rc::Rc;

/// Characters of the section; a longer one is used all the same, with a warning.
pub const FACTS_SOFT_LIMIT: usize = 8_000;

const HEADINGS: [&str; 2] = ["active facts", "активные факты"];
/// Characters of a question made from the first words of a fact.
const LONGEST_MADE_QUESTION: usize = 80;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ActiveFacts {
    /// The section without its heading and without blank lines around it.
    pub text: String,
    /// Of the text; characters, not bytes.
    pub characters: usize,
    pub warnings: Vec<FactsWarning>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FactsWarning {
    /// More than [`FACTS_SOFT_LIMIT`] characters: the time to offer [`facts_to_answers`].
    SoftLimitExceeded,
}

/// The section under the first heading `## Active facts` (or `## Активные факты`, in any case), up to the next heading
/// of the first or second level that does not stand in a block of code.
///
/// `None` where there is no such section or nothing in it.
pub fn active_facts(markdown: &str) -> Option<ActiveFacts> {
    let clean = clean::text(markdown);
    let section: Vec<&str> = section(&clean).iter().map(|line| line.raw).collect();
    let text = section.join("\n").trim().to_owned();
    if text.is_empty() {
        return None;
    }
    let characters = text.chars().count();
    let warnings = if characters > FACTS_SOFT_LIMIT { vec![FactsWarning::SoftLimitExceeded] } else { Vec::new() };
    Some(ActiveFacts { text, characters, warnings })
}

/// The facts that could move to the knowledge, as questions with their answers, in the order of the file.
///
/// A fact is an item of a list at the left margin with everything indented under it. The longest are taken first, as
/// many as bring the section back under [`FACTS_SOFT_LIMIT`]: short facts are what a prompt is for, and long ones read
/// well as answers. Of two equally long ones the later moves. The question is what stands before the fact's first colon
/// (`Broker: …`), or else the fact's first words; the place is the `###` heading above it.
///
/// Empty where the section is within the limit.
pub fn facts_to_answers(markdown: &str) -> Vec<Part> {
    let Some(facts) = active_facts(markdown) else { return Vec::new() };
    let clean = clean::text(markdown);
    let mut items = items(&section(&clean));
    let mut order: Vec<usize> = (0..items.len()).collect();
    order.sort_by_key(|&index| std::cmp::Reverse((items[index].characters, index)));
    let mut left = facts.characters;
    for index in order {
        if left <= FACTS_SOFT_LIMIT {
            break;
        }
        left -= items[index].characters.min(left);
        items[index].moves = true;
    }
    items.into_iter().filter(|item| item.moves).map(Item::into_answer).collect()
}

fn section(markdown: &str) -> Vec<Line<'_>> {
    let is_start = |line: &Line<'_>| {
        line.heading.is_some_and(|(level, words)| {
            let words = words.trim_end_matches(':').to_lowercase();
            level == 2 && HEADINGS.iter().any(|heading| words.split_whitespace().eq(heading.split(' ')))
        })
    };
    let from = lines(markdown).skip_while(|line| !is_start(line)).skip(1);
    from.take_while(|line| line.heading.is_none_or(|(level, _)| level > 2)).collect()
}

struct Item {
    heading: Option<Rc<str>>,
    text: String,
    /// Of the lines that would leave the file, line ends included.
    characters: usize,
    /// Columns that the marker of the list takes.
    margin: usize,
    moves: bool,
}

fn items(section: &[Line<'_>]) -> Vec<Item> {
    let mut items: Vec<Item> = Vec::new();
    let (mut heading, mut open) = (None, false);
    for line in section {
        if let Some((_, words)) = line.heading {
            heading = Some(Rc::from(clean::line(words, LONGEST_QUESTION)));
            open = false;
        } else if let Some(fact) = bullet(line.raw).filter(|_| !line.code) {
            let (characters, margin) = (line.raw.chars().count() + 1, line.raw.trim_end().len() - fact.len());
            items.push(Item { heading: heading.clone(), text: fact.to_owned(), characters, margin, moves: false });
            open = true;
        } else if let Some(item) = items.last_mut().filter(|_| open) {
            // Under the item: indented, blank, or the rest of its paragraph.
            open = line.code || line.raw.is_empty() || line.raw.starts_with([' ', '\t']) || !item.text.ends_with('\n');
            if open {
                item.text.push('\n');
                let indent = line.raw.bytes().take_while(|&byte| byte == b' ').count();
                item.text.push_str(line.raw[indent.min(item.margin)..].trim_end());
                item.characters += line.raw.chars().count() + 1;
            }
        }
    }
    items
}

/// The words of a list item at the left margin.
fn bullet(line: &str) -> Option<&str> {
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let rest = match digits {
        0 => line.strip_prefix(['-', '*', '+'])?,
        1..=9 => line[digits..].strip_prefix(['.', ')'])?,
        _ => return None,
    };
    let words = rest.strip_prefix([' ', '\t'])?.trim();
    (!words.is_empty()).then_some(words)
}

impl Item {
    fn into_answer(self) -> Part {
        let first = self.text.lines().next().unwrap_or_default();
        let label = first.split_once(':').filter(|(label, rest)| {
            !rest.starts_with("//") && !label.ends_with(|c: char| c.is_ascii_digit()) && label.chars().count() <= 60
        });
        let question = match label {
            Some((label, _)) => clean::line(label.trim_matches(['*', '_', '`', ' ']), LONGEST_MADE_QUESTION),
            None => clean::line(first, LONGEST_MADE_QUESTION),
        };
        Part {
            place: self.heading.map(|heading| heading.to_string()),
            question: Some(question),
            text: self.text.trim().to_owned(),
        }
    }
}
