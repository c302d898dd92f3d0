//! The linter: what a prompt or a reply should not say, with the place and a hint.
//!
//! It judges words, in Russian and English, and knows a prohibition or a quotation from an order. It renders
//! nothing and reads no files; whether a finding blocks anything is for the caller to decide.

mod banned;
mod context;
mod finding;
mod front;
mod grammar;
mod layout;
mod markdown;
mod pattern;
mod prohibited;
mod quotes;
mod report;
mod rulebook;
mod sections;
mod source;
mod terms;
mod tokens;
mod tool_names;

use std::collections::BTreeMap;

pub use self::banned::{SheetError, banned_from_csv};
pub use self::finding::{Finding, Rule, Severity, Surface, Told, UnknownSurface};
pub use self::prohibited::Prohibited;
pub use self::report::for_people;
pub use crate::stems::Lang;

use crate::Both;
use crate::both::both;
use crate::envelope::{HARD_LIMIT, SOFT_LIMIT};

use self::finding::in_order;
use self::rulebook::Rulebook;
use self::source::{Page, Source};
use self::terms::{Term, Terms};

/// A prompt longer than this is worth a word, in characters.
pub const SOFT_LENGTH: usize = SOFT_LIMIT;
/// A prompt longer than this is refused, in characters.
pub const LONGEST: usize = HARD_LIMIT;

/// More findings of one rule in one file help nobody.
const MOST_PER_RULE: usize = 100;

/// A prompt file: front matter and template tags included.
#[derive(Debug, Clone, Copy)]
pub struct Document<'a> {
    /// With forward slashes; the folder of the language decides what the file is ("ru/check-in/short.md").
    pub path: &'a str,
    pub text: &'a str,
}

#[derive(Debug, Clone, Default)]
pub struct Options {
    pub surface: Surface,
    /// Words nobody wants to hear: the user's "never say this again" and imported sheets.
    pub banned: Vec<String>,
}

pub struct Linter {
    surface: Surface,
    banned: Terms,
}

impl Linter {
    pub fn new(options: &Options) -> Linter {
        let Options { surface, banned } = options;
        let banned = banned.iter().filter_map(|term| Term::of(term)).collect();
        Linter { surface: *surface, banned: Terms::of(banned) }
    }

    /// The files of one prompt set. Sections and prohibitions are looked at per language over all of them.
    pub fn set(&self, documents: &[Document<'_>]) -> Vec<Finding> {
        let pages: Vec<Page<'_>> = documents.iter().map(|doc| Page::of(doc.path, doc.text)).collect();
        let mut findings: Vec<Finding> = pages.iter().flat_map(|page| self.page(page)).collect();
        findings.extend(pages.iter().flat_map(front::findings));
        findings.extend(together(&pages));
        in_order(capped(findings))
    }

    /// A file that is a whole prompt by itself; it needs no front matter.
    pub fn prompt(&self, document: &Document<'_>) -> Vec<Finding> {
        let pages = [Page::of(document.path, document.text)];
        let mut findings: Vec<Finding> = pages.iter().flat_map(|page| self.page(page)).collect();
        findings.extend(together(&pages));
        in_order(capped(findings))
    }

    /// A reply after the run, with the terms its prompt prohibits. `file` of the findings is empty.
    pub fn reply(&self, reply: &str, lang: Lang, prohibited: &[String]) -> Vec<Finding> {
        let page = Page::from_source(Source::reply(reply), lang);
        let rules = [Rule::AntiAi, Rule::Officialese, Rule::WellnessWording];
        let mut findings = Rulebook::shared().read(&page, |rule| rules.contains(&rule));
        let prohibited = Terms::of(prohibited.iter().filter_map(|term| Term::of(term)).collect());
        let forbidden = both!("говорит «{{}}», а промпт это запрещает", "says “{{}}”, which the prompt forbids");
        let unwanted = both!(
            "говорит «{{}}», а это в списке нежелательных слов",
            "says “{{}}”, which is on the list of unwanted words"
        );
        findings.extend(spoken(&page, &prohibited, Rule::RuntimeBannedTerm, &forbidden));
        findings.extend(spoken(&page, &self.banned, Rule::AgentBannedTerm, &unwanted));
        if self.surface != Surface::Window {
            findings.extend(markdown::findings(&page));
        }
        in_order(capped(findings))
    }

    /// The terms that prompts prohibit by name.
    pub fn prohibited_terms(documents: &[Document<'_>]) -> Vec<Prohibited> {
        let mut found: Vec<Prohibited> = Vec::new();
        for document in documents {
            let page = Page::of(document.path, document.text);
            let terms = prohibited::terms_of(&page);
            found.extend(terms.iter().map(|(term, at)| prohibited::describe(&page, term, at)));
        }
        found
    }

    /// What can be said about a page without the others.
    fn page(&self, page: &Page<'_>) -> Vec<Finding> {
        let base = is_base(page);
        let envelope_is_elsewhere = base && !explains_tools(page);
        let applies = |rule| match rule {
            Rule::DuplicatesEnvelope => envelope_is_elsewhere,
            // A note may tell what traders do; only a prompt tells Calm what to do.
            Rule::ScopeConsistency => base,
            _ => true,
        };
        let mut findings = Rulebook::shared().read(page, applies);
        if envelope_is_elsewhere {
            findings.extend(tool_names::findings(page));
        }
        if self.surface != Surface::Window {
            findings.extend(markdown::findings(page));
        }
        for (index, at) in self.banned.find(&page.tokens, page.source.text) {
            if let Some(term) = self.banned.get(index)
                && context::is_used(page, &at)
            {
                let message = both!(
                    "здесь «{{}}», а это в списке нежелательных слов",
                    "uses “{{}}”, which is on the list of unwanted words"
                );
                let at = page.tokens.bytes(&at);
                let message = message.about(&term.written);
                findings.push(page.source.finding(Rule::AgentBannedTerm, at, message, other_words()));
            }
        }
        findings.extend(length(page));
        findings
    }
}

/// Part of the prompt itself: neither its envelope nor a note of the knowledge base.
fn is_base(page: &Page<'_>) -> bool {
    !page.source.path.split('/').rev().skip(1).any(|folder| matches!(folder, "envelope" | "knowledge"))
}

fn explains_tools(page: &Page<'_>) -> bool {
    let inner = page.inner_path();
    let named = |path: &str| inner == path || page.source.path.ends_with(&format!("/{path}"));
    named("tools.md") || named("system/attribute_extraction.md")
}

/// What only shows when the files of a language are read together.
fn together(pages: &[Page<'_>]) -> Vec<Finding> {
    let mut by_language: BTreeMap<Lang, Vec<&Page<'_>>> = BTreeMap::new();
    for page in pages.iter().filter(|page| is_base(page)) {
        by_language.entry(page.lang).or_default().push(page);
    }
    let mut findings = Vec::new();
    for (lang, pages) in by_language {
        findings.extend(prohibited::paradoxes(&pages));
        findings.extend(sections::findings(&pages, lang));
    }
    findings
}

/// Terms in a reply: whoever quotes the user's word has not said it himself.
fn spoken(page: &Page<'_>, terms: &Terms, rule: Rule, message: &Both) -> Vec<Finding> {
    let found = terms.find(&page.tokens, page.source.text);
    found
        .into_iter()
        .filter(|(_, at)| context::quote_around(&page.tokens, at).is_none())
        .filter_map(|(index, at)| {
            let message = message.about(&terms.get(index)?.written);
            Some(page.source.finding(rule, page.tokens.bytes(&at), message, other_words()))
        })
        .collect()
}

fn other_words() -> Both {
    both!("скажи другими словами", "say it in other words")
}

fn length(page: &Page<'_>) -> Option<Finding> {
    let characters = page.source.text.chars().count();
    if characters <= SOFT_LENGTH {
        return None;
    }
    let limit = if characters > LONGEST { LONGEST } else { SOFT_LENGTH };
    let message = both!("знаков здесь {characters}, больше {limit}", "{characters} characters, more than {limit}");
    let hint = both!(
        "факты перенеси в знания, а в промпте оставь то, что нужно на каждом ходу",
        "move facts into knowledge and leave the prompt what it needs on every turn"
    );
    let finding = page.source.finding(Rule::PromptLength, 0..0, message, hint);
    Some(if limit == LONGEST { Finding { severity: Severity::HardFail, ..finding } } else { finding })
}

fn capped(findings: Vec<Finding>) -> Vec<Finding> {
    let mut counts: BTreeMap<(Rule, String), usize> = BTreeMap::new();
    in_order(findings)
        .into_iter()
        .filter(|finding| {
            let count = counts.entry((finding.rule, finding.file.clone())).or_default();
            *count += 1;
            *count <= MOST_PER_RULE
        })
        .collect()
}
