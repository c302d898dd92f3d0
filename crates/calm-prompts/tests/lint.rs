//! The linter against its corpus (`tests/lint/<language>/<rule>.toml`) and against anything at all.

#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use calm_prompts::Both;
use calm_prompts::lint::{Document, Finding, LONGEST, Lang, Linter, Options, Rule, Severity, Surface, for_people};
use proptest::prelude::*;
use rstest::rstest;
use serde::Deserialize;

/// Examples of either kind, for every rule and language.
const FEWEST: usize = 25;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Corpus {
    hit: Vec<Example>,
    miss: Vec<Example>,
}

/// A text, or a text with what it needs around it.
#[derive(Deserialize, Clone)]
#[serde(untagged)]
enum Example {
    Text(String),
    #[serde(rename_all = "snake_case")]
    Placed {
        text: String,
        path: Option<String>,
        #[serde(default)]
        banned: Vec<String>,
        #[serde(default)]
        prohibited: Vec<String>,
    },
}

impl Example {
    fn text(&self) -> &str {
        match self {
            Example::Text(text) | Example::Placed { text, .. } => text,
        }
    }

    fn parts(&self) -> (String, Vec<String>, Vec<String>) {
        let default = "prompt.md".to_owned();
        match self {
            Example::Text(_) => (default, Vec::new(), Vec::new()),
            Example::Placed { path, banned, prohibited, .. } => {
                (path.clone().unwrap_or(default), banned.clone(), prohibited.clone())
            }
        }
    }

    /// What the rule finds; rules that look at prompts and replies must agree on both.
    fn findings(&self, rule: Rule, lang: Lang) -> Vec<Vec<Finding>> {
        let (path, banned, prohibited) = self.parts();
        let surface = if rule == Rule::MarkdownMessenger { Surface::Tray } else { Surface::Window };
        let linter = Linter::new(&Options { surface, banned });
        let document = Document { path: &path, text: self.text() };
        let prompt = || linter.prompt(&document);
        let reply = || linter.reply(self.text(), lang, &prohibited);
        let mut runs = match rule {
            Rule::RuntimeBannedTerm => vec![reply()],
            Rule::AntiAi | Rule::Officialese | Rule::MarkdownMessenger | Rule::WellnessWording => {
                vec![prompt(), reply()]
            }
            _ => vec![prompt()],
        };
        runs.iter_mut().for_each(|run| run.retain(|finding| finding.rule == rule));
        runs
    }
}

fn rule_named(name: &str) -> Rule {
    Rule::ALL.into_iter().find(|rule| rule.name() == name).unwrap_or_else(|| panic!("no rule is called {name}"))
}

/// Precision and recall of every rule in both languages; the development corpus allows no mistake. `LINT_CORPUS`
/// names another folder of the same form.
#[test]
fn the_corpus_is_judged_right() {
    let elsewhere = std::env::var("LINT_CORPUS").ok();
    let foreign = elsewhere.is_some();
    let root = elsewhere.unwrap_or_else(|| format!("{}/tests/lint", env!("CARGO_MANIFEST_DIR")));
    let mut mistakes = Vec::new();
    let mut table = BTreeMap::new();
    for lang in [Lang::Ru, Lang::En] {
        let folder = Path::new(&root).join(lang.code());
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
            let rule = rule_named(&name);
            let corpus: Corpus = toml::from_str(&fs::read_to_string(&path).unwrap())
                .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            let enough = corpus.hit.len() >= FEWEST && corpus.miss.len() >= FEWEST;
            assert!(enough || foreign, "{lang:?} {name} has too few examples");
            let (mut found, mut lost, mut wrong) = (0usize, 0usize, 0usize);
            for example in &corpus.hit {
                if example.findings(rule, lang).iter().all(|run| !run.is_empty()) {
                    found += 1;
                } else {
                    lost += 1;
                    mistakes.push(format!("{} {name} LOST {:?}", lang.code(), example.text()));
                }
            }
            for example in &corpus.miss {
                if let Some(finding) = example.findings(rule, lang).concat().first() {
                    wrong += 1;
                    let message = &finding.message;
                    mistakes.push(format!("{} {name} FALSE {:?}: {message}", lang.code(), example.text()));
                }
            }
            let share = |part: usize, whole: usize| if whole == 0 { 1.0 } else { part as f64 / whole as f64 };
            let row = format!("precision {:.3} recall {:.3}", share(found, found + wrong), share(found, found + lost));
            table.insert(
                (name, lang.code()),
                format!("{row} ({} hits, {} misses)", corpus.hit.len(), corpus.miss.len()),
            );
        }
    }
    for ((rule, lang), row) in &table {
        println!("{rule:20} {lang} {row}");
    }
    assert!(mistakes.is_empty(), "{}\n{} mistakes", mistakes.join("\n"), mistakes.len());
}

fn rules(findings: &[Finding]) -> Vec<Rule> {
    findings.iter().map(|finding| finding.rule).collect()
}

fn only(findings: Vec<Finding>, rule: Rule) -> Vec<Finding> {
    findings.into_iter().filter(|finding| finding.rule == rule).collect()
}

fn linter() -> Linter {
    Linter::new(&Options::default())
}

/// A file of a set that has nothing to be said about it but what `body` brings.
fn file(id: &str, language: &str, body: &str) -> String {
    format!("---\nid: {id}\nversion: 1\nlanguage: {language}\ndescription: a test\n---\n{body}\n")
}

#[rstest]
#[case::at_the_soft_limit(25_000, None)]
#[case::one_more(25_001, Some(Severity::Warn))]
#[case::at_the_hard_limit(60_000, Some(Severity::Warn))]
#[case::over_it(60_001, Some(Severity::HardFail))]
fn length_is_counted_in_characters(
    #[case] characters: usize,
    #[case] expected: Option<Severity>,
    #[values("я", "a", "🙂")] letter: &str,
) {
    let text = letter.repeat(characters);
    let found = only(linter().prompt(&Document { path: "root.md", text: &text }), Rule::PromptLength);
    assert_eq!(found.first().map(|finding| finding.severity), expected);
}

#[rstest]
#[case::whole("---\nid: base/tone\nversion: 1\nlanguage: ru\ndescription: How Calm speaks\n---\nТон", &[])]
#[case::windows("\u{feff}---\r\nid: base/tone\r\nversion: 1\r\nlanguage: ru\r\ndescription: x\r\n---\r\nТон", &[])]
#[case::none("Тон", &["the file has no front matter"])]
#[case::never_closed("---\nid: base/tone\n", &["the file has no front matter"])]
#[case::empty_field("---\nid: base/tone\nversion:\nlanguage: ru\ndescription: x\n---\n", &["version is empty"])]
#[case::two_missing("---\nid: base/tone\nlanguage: ru\n---\n", &["the front matter has no description", "the front matter has no version"])]
#[case::another_id("---\nid: tone\nversion: 1\nlanguage: ru\ndescription: x\n---\n", &["the id is tone, the file is base/tone.md"])]
fn front_matter_of_a_set(#[case] text: &str, #[case] expected: &[&str]) {
    let document = Document { path: "prompts/ru/base/tone.md", text };
    let found = only(linter().set(&[document]), Rule::FrontMatter);
    found.iter().flat_map(|finding| [&finding.message, &finding.hint]).for_each(in_both_languages);
    let mut messages: Vec<&str> = found.iter().map(|finding| finding.message.en.as_str()).collect();
    messages.sort_unstable();
    assert_eq!(messages, expected);
    assert!(!rules(&linter().prompt(&document)).contains(&Rule::FrontMatter), "a prompt by itself needs none");
}

#[test]
fn an_envelope_may_carry_its_kind_in_the_id() {
    let text = file("envelope/regular", "ru", "{baseSystemPrompt}\nВсегда вызывай инструменты через API.");
    let found = linter().set(&[Document { path: "prompts/envelope/ru/regular.md", text: &text }]);
    assert_eq!(rules(&found), [], "the envelope says what only it may say");
}

/// The parts of a prompt may be spread over its files, and so may a prohibition and its breach.
#[test]
fn the_files_of_a_language_are_one_prompt() {
    let identity = file("base/identity", "ru", "Ты — Calm, спутник трейдера.\nТвоя задача — выслушать.");
    let tone = file("base/tone", "ru", "Говори тепло.\n\nЗапреты:\n- Не говори «конечно».");
    let flow =
        file("check-in/short", "ru", "1. Поздоровайся.\n2. Конечно, спроси о дне.\n\nЕсли устал, говори короче.");
    let english = file("base/tone", "en", "Never say \"sure\". Спроси: конечно ли это?");
    let documents = [
        Document { path: "ru/base/identity.md", text: &identity },
        Document { path: "ru/base/tone.md", text: &tone },
        Document { path: "ru/check-in/short.md", text: &flow },
        Document { path: "en/base/tone.md", text: &english },
    ];
    let found = linter().set(&documents);
    let paradox = only(found.clone(), Rule::LintParadox);
    let places: Vec<(&str, u32, u32)> = paradox.iter().map(|f| (f.file.as_str(), f.line, f.column)).collect();
    assert_eq!(places, [("ru/check-in/short.md", 8, 4)]);
    assert!(paradox[0].message.en.contains("ru/base/tone.md:10"), "{}", paradox[0].message);
    let missing = only(found, Rule::MissingSection);
    assert!(missing.iter().all(|finding| finding.file == "en/base/tone.md" && finding.line == 1));
    assert_eq!(missing.len(), 5, "it has prohibitions and nothing else: {missing:?}");
}

#[rstest]
#[case::plain("Спроси о дне.\nТы — чат-бот, и всё.", "Ты — чат-бот")]
#[case::behind_tags("{{#if a}}{{user.name}}, 🙂 ты — чат-бот.{{/if}}", "ты — чат-бот")]
#[case::behind_front_matter("---\nid: x\n---\r\nпривет\r\nЁ: ты — чат-бот\r\n", "ты — чат-бот")]
#[case::in_bold("Помни: **ты — чат-бот**.", "ты — чат-бот")]
fn a_finding_points_at_the_words(#[case] text: &str, #[case] words: &str) {
    let found = only(linter().prompt(&Document { path: "p.md", text }), Rule::AntiAi);
    let finding = &found[0];
    let line = text.lines().nth(finding.line as usize - 1).unwrap();
    let shown: String = line.chars().skip(finding.column as usize - 1).take(finding.length as usize).collect();
    assert_eq!(shown, words);
}

#[test]
fn a_finding_as_json_has_the_fields_of_the_command_line() {
    let found = only(linter().prompt(&Document { path: "p.md", text: "I am ChatGPT." }), Rule::AntiAi);
    let json = toml::Value::try_from(found[0].told(Lang::Ru)).unwrap();
    assert_eq!(json["message"].as_str(), Some("выпадает из роли: «I am ChatGPT»"));
    let json = toml::Value::try_from(found[0].told(Lang::En)).unwrap();
    assert_eq!(json["message"].as_str(), Some("breaks the character: “I am ChatGPT”"));
    let table = json.as_table().unwrap();
    let keys: Vec<&str> = table.keys().map(String::as_str).collect();
    assert_eq!(keys, ["column", "file", "hint", "line", "message", "rule", "severity"]);
    assert_eq!((table["rule"].as_str(), table["severity"].as_str()), (Some("anti_ai"), Some("hard_fail")));
}

/// Whatever is found in the examples, of both languages.
#[test]
fn every_finding_is_told_in_russian_and_in_english() {
    for lang in [Lang::Ru, Lang::En] {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/lint").join(lang.code());
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            let rule = rule_named(path.file_stem().unwrap().to_str().unwrap());
            let corpus: Corpus = toml::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
            let found: Vec<Finding> = corpus.hit.iter().flat_map(|it| it.findings(rule, lang).concat()).collect();
            assert!(!found.is_empty());
            found.iter().flat_map(|finding| [&finding.message, &finding.hint]).for_each(in_both_languages);
        }
    }
}

fn in_both_languages(words: &Both) {
    // What is quoted is the author's, in whatever language.
    let own = |text: &str| text.split(['«', '“']).next().unwrap_or_default().to_owned();
    assert!(own(&words.ru).chars().any(is_cyrillic), "{words:?}");
    assert!(!own(&words.en).chars().any(is_cyrillic), "{words:?}");
    assert!(!words.ru.contains("{}") && !words.en.contains("{}"), "{words:?}");
}

fn is_cyrillic(c: char) -> bool {
    matches!(c, 'а'..='я' | 'А'..='Я' | 'ё' | 'Ё')
}

#[test]
fn prohibited_words_are_what_a_reply_is_held_to() {
    let text = "Не говори «конечно» и «всё будет хорошо».\nНе обсуждай рынок.\n\nСтоп-слова:\n- слив\n- надо, должен";
    let found = Linter::prohibited_terms(&[Document { path: "ru/base/tone.md", text }]);
    let terms: Vec<&str> = found.iter().map(|prohibited| prohibited.term.as_str()).collect();
    assert_eq!(terms, ["конечно", "всё будет хорошо", "слив", "надо", "должен"]);
    assert_eq!((found[2].line, found[2].column, found[2].lang), (5, 3, Lang::Ru));
    let terms: Vec<String> = found.iter().map(|prohibited| prohibited.term.clone()).collect();
    let said = linter().reply("Ты никому ничего не должна, рынок подождёт.", Lang::Ru, &terms);
    assert_eq!(rules(&said), [Rule::RuntimeBannedTerm]);
}

#[test]
fn markdown_is_welcome_in_the_window_only() {
    let reply = "**Пауза** помогает.";
    let on = |surface| Linter::new(&Options { surface, banned: Vec::new() }).reply(reply, Lang::Ru, &[]);
    assert_eq!(rules(&on(Surface::Window)), []);
    for name in ["tray", "voice", "notification"] {
        assert_eq!(rules(&on(name.parse().unwrap())), [Rule::MarkdownMessenger], "{name}");
    }
    assert!("Tray window".parse::<Surface>().is_err());
}

/// Pieces that mean something to some part of the linter, to be put together at random.
const PIECES: [&str; 40] = [
    "Не говори",
    "«",
    "»",
    "\"",
    "'",
    "`",
    "```",
    "\n",
    "\r\n",
    "\n\n",
    "- ",
    "1. ",
    "# ",
    "| a | b |",
    "|---|",
    "{{",
    "}}",
    "{{#if x}}",
    "{{user.name}}",
    "<tone>",
    "<!--",
    "Запреты:",
    "Never:",
    "слово",
    "конечно",
    "ты — бот",
    "I am ChatGPT",
    "**",
    "_",
    "---",
    "\u{feff}",
    "\u{0}",
    "🙂",
    "е\u{308}",
    "\u{202e}",
    "если ",
    "не ",
    "end_session",
    "\t",
    "100%",
];

fn anything() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => prop::sample::select(&PIECES[..]).prop_map(str::to_owned),
        1 => any::<String>(),
        1 => Just(" ".to_owned()),
    ];
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

fn every_finding(text: &str) -> Vec<Finding> {
    let linter =
        Linter::new(&Options { surface: Surface::Voice, banned: vec!["конечно".to_owned(), "100%".to_owned()] });
    let document = Document { path: "ru/check-in/short.md", text };
    let mut found = linter.set(&[document, Document { path: "en/root.md", text }]);
    found.extend(linter.prompt(&document));
    found.extend(linter.reply(text, Lang::En, &["слово".to_owned()]));
    found
}

proptest! {
    /// Whatever it reads, it points inside the text, says the same twice, and can show it.
    #[test]
    fn any_text_is_linted_in_peace(text in anything()) {
        let found = every_finding(&text);
        for finding in &found {
            let line = text.split('\n').nth(finding.line as usize - 1).unwrap();
            let end = finding.column as usize - 1 + finding.length as usize;
            prop_assert!(finding.column >= 1 && end <= line.chars().count(), "{finding:?} in {line:?}");
            prop_assert!(!for_people(finding, line, Lang::Ru).is_empty());
        }
        prop_assert_eq!(found, every_finding(&text));
    }
}

/// Long lines, deep quotations and endless repetition end, too, and never with thousands of findings. Every text is
/// longer than any prompt may be.
#[rstest]
#[case::roles("ты — бот ")]
#[case::quotation_marks("«")]
#[case::tags_that_never_close("{{")]
#[case::prohibitions("- не говори «конечно»\n")]
#[case::negations_in_one_sentence("не, ")]
#[case::elements("<a>")]
#[case::asterisks("**")]
#[case::orders_to_trade("купи сбер и не закрывай позицию, ")]
#[case::rows_of_a_table("| a | b |\n")]
fn repetition_is_bounded(#[case] piece: &str) {
    let text = piece.repeat(LONGEST / piece.chars().count() + 1);
    let found = linter().prompt(&Document { path: "p.md", text: &text });
    assert!(found.len() < 1_000, "{} findings", found.len());
}
