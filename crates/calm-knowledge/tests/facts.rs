//! Active facts: which section it is, when it is too long, and what could move.
#![allow(clippy::unwrap_used)]

use calm_knowledge::{FACTS_SOFT_LIMIT, FactsWarning, active_facts, facts_to_answers};
use rstest::rstest;

fn text(markdown: &str) -> Option<String> {
    active_facts(markdown).map(|facts| facts.text)
}

#[rstest]
#[case::until_the_next_heading("# F\n\n## Active facts\n\n- a\n- b\n\n## Old\n- c", "- a\n- b")]
#[case::until_a_heading_above("## Active facts\na\n# Other\nb", "a")]
#[case::until_the_end("## Active facts\na", "a")]
#[case::any_case("## ACTIVE Facts\na", "a")]
#[case::closed_heading("##  Active facts ##\na", "a")]
#[case::russian("## Активные факты\nа", "а")]
#[case::deeper_headings_stay(
    "## Active facts\n### Broker\n- a\n#### More\n- b\n## End",
    "### Broker\n- a\n#### More\n- b"
)]
#[case::code_stays("## Active facts\n```\n## no heading\n```\nb\n## End", "```\n## no heading\n```\nb")]
#[case::tilde_code("## Active facts\n~~~\n```\n## no\n~~~\nb\n## End", "~~~\n```\n## no\n~~~\nb")]
#[case::heading_in_code_is_none("```\n## Active facts\n```\n## Active facts\nreal", "real")]
#[case::windows("\u{FEFF}## Active facts\r\n\r\n- a\r\n- b\r\n\r\n## End\r\n", "- a\n- b")]
#[case::first_of_two("## Active facts\na\n## Active facts\nb", "a")]
#[case::no_space_is_no_heading("## Active facts\na\n##b\nc", "a\n##b\nc")]
#[case::tags_are_text("## Active facts\n{{user.name}} {currentTime}", "{{user.name}} {currentTime}")]
fn sections(#[case] markdown: &str, #[case] section: &str) {
    assert_eq!(text(markdown).as_deref(), Some(section));
}

#[rstest]
#[case::nothing("")]
#[case::no_section("# Active facts\na\n### Active facts\nb")]
#[case::empty_section("## Active facts\n\n \n## Next\na")]
#[case::longer_name("## Active facts of last year\na")]
fn no_facts(#[case] markdown: &str) {
    assert_eq!(active_facts(markdown), None);
    assert!(facts_to_answers(markdown).is_empty());
}

#[rstest]
#[case(FACTS_SOFT_LIMIT, &[])]
#[case(FACTS_SOFT_LIMIT + 1, &[FactsWarning::SoftLimitExceeded])]
fn the_limit_is_in_characters(#[case] characters: usize, #[case] warnings: &[FactsWarning]) {
    let facts = active_facts(&format!("## Active facts\n\n{}\n", "ё".repeat(characters))).unwrap();
    assert_eq!((facts.characters, &facts.warnings[..]), (characters, warnings));
}

#[test]
fn the_warning_has_its_name() {
    assert_eq!(serde_json::to_string(&FactsWarning::SoftLimitExceeded).unwrap(), "\"soft_limit_exceeded\"");
}

#[test]
fn within_the_limit_nothing_moves() {
    assert!(facts_to_answers("## Active facts\n- a\n- b").is_empty());
}

#[test]
fn the_longest_facts_move_until_the_rest_fits() {
    let long = |name: &str, length: usize| format!("- {name}: {}\n", "x".repeat(length));
    let short: String = (0..10).map(|n| format!("- short {n}\n")).collect();
    let markdown = format!(
        "## Active facts\n\n### Брокер\n{}{short}### Рынок\n{}  и ещё одна строка\n\n{}\n## End\n- outside: {}",
        long("**Комиссия**", 3000),
        long("Часы", 3500),
        long("Размер", 2500),
        "y".repeat(9000),
    );
    let moved = facts_to_answers(&markdown);
    let found: Vec<_> = moved.iter().map(|p| (p.place.as_deref().unwrap(), p.question.as_deref().unwrap())).collect();
    assert_eq!(found, [("Рынок", "Часы")]);
    assert!(moved[0].text.starts_with("Часы: xxx") && moved[0].text.ends_with("x\nи ещё одна строка"));
    let rest = active_facts(&markdown).unwrap().characters - moved[0].text.chars().count();
    assert!(rest <= FACTS_SOFT_LIMIT);
}

#[test]
fn a_fact_without_a_label_is_asked_by_its_first_words() {
    let fact = "Не торгую в день выхода новостей, потому что спред расширяется и стоп срабатывает не там. ".repeat(100);
    let moved = facts_to_answers(&format!("## Active facts\n1. {fact}\n2. short\n"));
    assert_eq!(moved.len(), 1);
    let question = moved[0].question.as_deref().unwrap();
    assert!(question.starts_with("Не торгую в день выхода новостей") && question.ends_with('…'));
    assert!(question.chars().count() <= 80);
    assert_eq!(moved[0].text, fact.trim());
}

#[test]
fn text_between_the_facts_stays() {
    let markdown = format!("## Active facts\n\n{}\n\n- a: {}\n\nafter\n", "x".repeat(7900), "y".repeat(200));
    let moved = facts_to_answers(&markdown);
    assert_eq!(moved.iter().map(|part| part.text.len()).collect::<Vec<_>>(), [203]);
}
