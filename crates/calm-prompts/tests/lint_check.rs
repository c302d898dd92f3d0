//! The linter against examples and whole prompts by somebody who had not seen it: precision and recall per rule.
//!
//! Run with `--nocapture` for the table. A figure below its floor fails; single mistakes are printed, not hidden.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use calm_prompts::lint::{Document, Finding, Lang, Linter, Options, Rule, Severity, Surface};
use rstest::rstest;
use serde::Deserialize;

/// What every rule must reach in each language, of examples and of findings in whole prompts.
const FLOOR: f64 = 0.85;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Corpus {
    hit: Vec<Example>,
    miss: Vec<Example>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Example {
    Text(String),
    Placed { path: String, text: String },
    Reply { prohibited: Prohibitions, reply: String },
    Banned { banned: Vec<String>, text: String },
}

/// Terms, or the lines of a prompt that prohibit some.
#[derive(Deserialize, Debug)]
#[serde(untagged)]
enum Prohibitions {
    Terms(Vec<String>),
    Lines(String),
}

impl Prohibitions {
    fn terms(&self) -> Vec<String> {
        match self {
            Prohibitions::Terms(terms) => terms.clone(),
            Prohibitions::Lines(text) => {
                let found = Linter::prohibited_terms(&[Document { path: "prompt.md", text }]);
                found.into_iter().map(|it| it.term).collect()
            }
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Prompts {
    prompt: Vec<Prompt>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Prompt {
    file: String,
    scope: String,
    surface: String,
    path: Option<String>,
    #[serde(default)]
    banned: Vec<String>,
    findings: Vec<Expected>,
}

#[derive(Deserialize, Clone)]
#[serde(deny_unknown_fields)]
struct Expected {
    rule: String,
    line: Option<u32>,
    to: Option<u32>,
    part: Option<String>,
}

#[derive(Default, Clone, Copy)]
struct Tally {
    hit: usize,
    missed: usize,
    wrong: usize,
}

impl Tally {
    fn precision(self) -> f64 {
        self.hit as f64 / (self.hit + self.wrong).max(1) as f64
    }

    fn recall(self) -> f64 {
        self.hit as f64 / (self.hit + self.missed).max(1) as f64
    }
}

type Tallies = BTreeMap<(String, &'static str), Tally>;

fn folder(part: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/lint_check").join(part)
}

fn rule_named(name: &str) -> Rule {
    Rule::ALL.into_iter().find(|rule| rule.name() == name).unwrap_or_else(|| panic!("no rule {name}"))
}

fn fires(rule: Rule, lang: Lang, example: &Example) -> bool {
    let surface = if rule == Rule::MarkdownMessenger { Surface::Tray } else { Surface::Window };
    let linter = |banned: &[String]| Linter::new(&Options { surface, banned: banned.to_vec() });
    let findings = match example {
        Example::Text(text) => linter(&[]).prompt(&Document { path: "prompt.md", text }),
        Example::Placed { path, text } => linter(&[]).prompt(&Document { path, text }),
        Example::Reply { prohibited, reply } => linter(&[]).reply(reply, lang, &prohibited.terms()),
        Example::Banned { banned, text } => linter(banned).prompt(&Document { path: "prompt.md", text }),
    };
    findings.iter().any(|finding| finding.rule == rule)
}

fn examples(part: &str, tallies: &mut Tallies, mistakes: &mut Vec<String>) {
    for (code, lang) in [("ru", Lang::Ru), ("en", Lang::En)] {
        let mut files: Vec<PathBuf> =
            fs::read_dir(folder(part).join(code)).unwrap().map(|it| it.unwrap().path()).collect();
        files.sort();
        for file in files {
            let name = file.file_stem().unwrap().to_str().unwrap().to_owned();
            let rule = rule_named(&name);
            let corpus: Corpus = toml::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
            let tally = tallies.entry((name.clone(), code)).or_default();
            for (wanted, list) in [(true, &corpus.hit), (false, &corpus.miss)] {
                for (number, example) in list.iter().enumerate() {
                    match (wanted, fires(rule, lang, example)) {
                        (true, true) => tally.hit += 1,
                        (true, false) => tally.missed += 1,
                        (false, true) => tally.wrong += 1,
                        (false, false) => continue,
                    }
                    if wanted != fires(rule, lang, example) {
                        let kind = if wanted { "missed" } else { "wrong" };
                        mistakes.push(format!("{kind} {code}/{name} {}: {}", number + 1, shown(example)));
                    }
                }
            }
        }
    }
}

fn shown(example: &Example) -> String {
    let text = match example {
        Example::Text(text) | Example::Placed { text, .. } => text.clone(),
        Example::Reply { prohibited, reply } => format!("{prohibited:?} {reply}"),
        Example::Banned { banned, text } => format!("{banned:?} {text}"),
    };
    text.replace('\n', " ⏎ ")
}

fn prompts(part: &str, tallies: &mut Tallies, mistakes: &mut Vec<String>) {
    let prompts: Prompts =
        toml::from_str(&fs::read_to_string(folder(part).join("prompts/expected.toml")).unwrap()).unwrap();
    for prompt in prompts.prompt {
        let text = fs::read_to_string(folder(part).join("prompts").join(&prompt.file)).unwrap();
        let surface = if prompt.surface == "window" { Surface::Window } else { Surface::Tray };
        let linter = Linter::new(&Options { surface, banned: prompt.banned.clone() });
        let path = prompt.path.as_deref().unwrap_or(&prompt.file);
        let mut found = linter.prompt(&Document { path, text: &text });
        found.retain(|finding| prompt.scope == "calm" || finding.rule != Rule::ScopeConsistency);
        let code = if prompt.file.starts_with("ru") { "ru" } else { "en" };
        for expected in &prompt.findings {
            let is_it = |finding: &Finding| {
                let in_place = match (expected.line, expected.part.as_deref()) {
                    (Some(line), _) => (line..=expected.to.unwrap_or(line)).contains(&finding.line),
                    (None, Some(part)) => finding.message.en.contains(part),
                    (None, None) => true,
                };
                finding.rule.name() == expected.rule && in_place
            };
            let before = found.len();
            found.retain(|finding| !is_it(finding));
            let tally = tallies.entry((format!("{} (prompts)", expected.rule), code)).or_default();
            if found.len() < before {
                tally.hit += 1;
            } else {
                tally.missed += 1;
                let place =
                    expected.line.map_or_else(|| expected.part.clone().unwrap_or_default(), |line| line.to_string());
                mistakes.push(format!("missed {} in {}: {place}", expected.rule, prompt.file));
            }
        }
        for finding in found {
            tallies.entry((format!("{} (prompts)", finding.rule.name()), code)).or_default().wrong += 1;
            let Finding { rule, line, message, .. } = finding;
            mistakes.push(format!("wrong {} in {}:{line}: {message}", rule.name(), prompt.file));
        }
    }
}

#[rstest]
fn precision_and_recall_on_what_the_linter_was_not_written_for(#[values("first", "second")] part: &str) {
    let mut tallies = Tallies::new();
    let mut mistakes = Vec::new();
    examples(part, &mut tallies, &mut mistakes);
    prompts(part, &mut tallies, &mut mistakes);
    println!("{:<32} {:<4} {:>9} {:>7} {:>5}", "rule", "", "precision", "recall", "n");
    let mut low = Vec::new();
    for ((rule, code), tally) in &tallies {
        let (precision, recall) = (tally.precision(), tally.recall());
        println!("{rule:<32} {code:<4} {precision:>9.3} {recall:>7.3} {:>5}", tally.hit + tally.missed);
        // Whole prompts hold too few findings of one rule for a floor of their own.
        if !rule.ends_with("(prompts)") && (precision < FLOOR || recall < FLOOR) {
            low.push(format!("{rule} {code}: precision {precision:.3}, recall {recall:.3}"));
        }
    }
    let whole = tallies.iter().filter(|((rule, _), _)| rule.ends_with("(prompts)"));
    let whole = whole.fold(Tally::default(), |sum, (_, it)| Tally {
        hit: sum.hit + it.hit,
        missed: sum.missed + it.missed,
        wrong: sum.wrong + it.wrong,
    });
    println!("whole prompts: precision {:.3}, recall {:.3}", whole.precision(), whole.recall());
    println!("{}", mistakes.join("\n"));
    assert!(low.is_empty(), "below {FLOOR}: {low:#?}");
    assert!(whole.precision() >= FLOOR && whole.recall() >= FLOOR, "whole prompts");
}

/// A clean prompt stays clean of hard fails.
#[test]
fn the_shipped_set_has_no_hard_fail_and_no_warning() {
    let set = calm_prompts::PromptSet::shipped();
    let documents: Vec<Document<'_>> = set.documents().map(|(path, text)| Document { path, text }).collect();
    let findings = Linter::new(&Options::default()).set(&documents);
    let serious: Vec<String> = findings
        .iter()
        .filter(|finding| finding.severity != Severity::Info)
        .map(|it| format!("{}:{}:{} {} {}", it.file, it.line, it.column, it.rule.name(), it.message))
        .collect();
    assert!(serious.is_empty(), "{serious:#?}");
}
