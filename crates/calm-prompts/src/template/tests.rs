//! Rendering as an author meets it, and properties over generated templates.
#![allow(clippy::unwrap_used)]

use proptest::prelude::*;
use rstest::rstest;
use serde_json::{Value, json};

use super::syntax::{Else, Expr, If, Include, Node, Operand, Operator, PathPart, Template, Variable};
use super::{Dialect, Library, TemplateError, Trace, parse};

fn library(files: &[(&str, &str)]) -> Library {
    let mut library = Library::default();
    for (path, source) in files {
        library.add(path, path, source, 0, Dialect::Prompt);
    }
    library.link();
    library
}

fn render(template: &str, context: &Value) -> Result<String, TemplateError> {
    library(&[("root.md", template)]).render("root.md", context, &[], None)
}

fn somebody() -> Value {
    json!({
        "session": {"type": "check-in", "format": "short", "has_matching_checkin": true},
        "user": {"name": "Сергей", "known_patterns": ["FOMO", "овертрейдинг"], "streak": {"type": "losing", "count": 3}},
        "voice_analysis": {"stress_level": 8, "confidence": 0.85},
    })
}

#[rstest]
#[case::value("Hi, {{user.name}}!", "Hi, Сергей!")]
#[case::alias("{{voice.stress_level}}/{{ voice_analysis.stress_level }}", "8/8")]
#[case::share("{{voice.confidence}}", "0.85")]
#[case::list("Patterns: {{user.known_patterns}}.", "Patterns: FOMO, овертрейдинг.")]
#[case::literal("{{\"{{\"}}x{{'}}'}}", "{{x}}")]
#[case::comment("a{{! never {seen} }}b{{!-- nor }} this --}}c", "abc")]
#[case::comment_line("a\n{{! gone }}\nb", "a\nb")]
#[case::taken("a\n{{#if voice.stress_level > 7}}\nslow\n{{/if}}\nb", "a\nslow\nb")]
#[case::untaken("a\n{{#if voice.stress_level > 8}}\nslow\n{{/if}}\nb", "a\nb")]
#[case::otherwise("{{#if voice.energy_level > 7}}x{{else}}y{{/if}}", "y")]
#[case::nested("{{#if user}}{{#if user.name == 'Анна'}}A{{else}}B{{/if}}{{/if}}", "B")]
#[case::blank_line_after_a_hole_stays("a\n{{#if !user}}\nx\n{{/if}}\n\nb", "a\n\nb")]
#[case::blanks_do_not_pile_up("a\n\n{{#if !user}}\nx\n{{/if}}\n\n{{#if !user}}\nx\n{{/if}}\n\nb", "a\n\nb")]
#[case::own_blanks_stay("a\n\n\nb", "a\n\n\nb")]
#[case::unknown_line_goes("a\n- Energy: {{voice.energy_level}}/10\nb", "a\nb")]
#[case::one_known_keeps_the_line("{{voice.energy_level}}, {{user.name}}", ", Сергей")]
#[case::empty_heading(
    "# A\ntext\n\n## B\n{{previous_checkin.planned_approach}}\n\n## C\nmore",
    "# A\ntext\n\n## C\nmore"
)]
#[case::a_heading_over_headings_stays("# A\n{{previous_checkin.planned_approach}}\n## B\ntext", "# A\n## B\ntext")]
#[case::empty_label(
    "Before:\n- Plan: {{previous_checkin.planned_approach}}\n- Then: {{previous_checkin.stress_level}}\n\nNow.",
    "Now."
)]
#[case::half_filled_label(
    "Voice:\n- E: {{voice.energy_level}}\n- S: {{voice.stress_level}}\n\nNow.",
    "Voice:\n- S: 8\n\nNow."
)]
#[case::empty_tags("<a>\n{{#if previous_checkin}}\nx\n{{/if}}\n</a>\nb", "b")]
#[case::written_empty_tags_stay("<a>\n</a>\n{{#if previous_checkin}}\nx\n{{/if}}\nb", "<a>\n</a>\nb")]
#[case::nothing_left("{{user.trading_style}}", "")]
#[case::inline_tags_leave_no_line("a\n{{#if !user}}x{{/if}} {{#if !user}}y{{/if}}\nb", "a\nb")]
#[case::indented_tags("a\n  {{#if user}}\n  b\n  {{/if}}\nc", "a\n  b\nc")]
#[case::windows_lines("a\r\n{{#if user}}\r\nb\r\n{{/if}}\r\nc\r\n", "a\nb\nc")]
#[case::a_block_that_begins_in_a_line(
    "X{{#if !user}}\n{{/if}}\n{{voice.energy_level}}\nостальной текст\nи ещё",
    "X\nостальной текст\nи ещё"
)]
#[case::a_label_keeps_its_list("How:\n\n{{#if !user}}\n- a\n{{/if}}\n- b\n- c", "How:\n\n- b\n- c")]
#[case::a_label_over_a_gap("Known:\n\n- E: {{voice.energy_level}}\n- S: {{voice.stress_level}}", "Known:\n\n- S: 8")]
#[case::a_label_with_a_rest("Rules:\n- E: {{voice.energy_level}}\n\n- always greet", "Rules:\n\n- always greet")]
#[case::a_label_in_a_list("- Voice:\n  - E: {{voice.energy_level}}\n- Other: keep", "- Other: keep")]
#[case::a_bare_item("a\n- {{#if user.experience}}x{{/if}}\nb", "a\nb")]
#[case::a_group_of_nothing("{{#if previous_checkin}}x{{else}}y{{/if}}", "y")]
#[case::and_or_not("{{#if !(user.name == 'x' || voice.stress_level <= 7) && user.streak.count >= 3}}yes{{/if}}", "yes")]
#[case::flags("{{#if session.has_matching_checkin == true && !said.overconfidence}}yes{{/if}}", "yes")]
#[case::nothing_orders_the_unknown("{{#if voice.energy_level < 3 || voice.energy_level >= 3}}x{{else}}no{{/if}}", "no")]
fn renders(#[case] template: &str, #[case] expected: &str) {
    assert_eq!(render(template, &somebody()).unwrap(), expected);
}

#[rstest]
#[case::mistyped("line\n- {{voice.stres_level}}", 2, 5, "did you mean `voice.stress_level`?")]
#[case::without_its_group("{{stress_level}}", 1, 3, "did you mean `voice_analysis.stress_level`?")]
#[case::group("{{user.streak}}", 1, 3, "name one of its parts")]
#[case::untaken_branches_count("{{#if !user}}\n{{user.nme}}\n{{/if}}", 2, 3, "did you mean `user.name`?")]
#[case::choice("{{#if session.type == \"checkin\"}}x{{/if}}", 1, 7, "did you mean “check-in”?")]
#[case::no_order("{{#if user.name > 3}}x{{/if}}", 1, 7, "user.name has no order")]
#[case::text_and_number("{{#if voice.stress_level == \"high\"}}x{{/if}}", 1, 7, "a whole number from 1 to 10")]
#[case::lists("{{#if user.rules == user.known_patterns}}x{{/if}}", 1, 7, "is a list")]
#[case::different_things("{{#if user.name == voice.stress_level}}x{{/if}}", 1, 7, "hold different things")]
#[case::no_hash("{{if user}}x{{/if}}", 1, 3, "write `{{#if …}}`")]
#[case::unclosed("a {{user.name\nb", 1, 3, "never closed")]
#[case::unclosed_if("a\n\n{{#if user}}b", 3, 1, "never closed")]
#[case::stray_end("a{{/if}}", 1, 2, "closes nothing")]
#[case::stray_else("a{{else}}", 1, 2, "belongs to no")]
#[case::two_elses("{{#if user}}a{{else}}b{{else}}c{{/if}}", 1, 23, "already")]
#[case::else_if("{{#if user}}a{{else if voice}}b{{/if}}", 1, 16, "takes no condition")]
#[case::each("{{#each user.rules}}x{{/each}}", 1, 1, "there is no `{{#each}}`")]
#[case::empty("{{ }}", 1, 1, "empty tag")]
#[case::one_equals("{{#if user.name = 'x'}}a{{/if}}", 1, 17, "write `==`")]
#[case::one_ampersand("{{#if user & voice}}a{{/if}}", 1, 12, "write `&&`")]
#[case::words("{{#if user and voice}}a{{/if}}", 1, 12, "write `&&`")]
#[case::chained("{{#if 1 < voice.stress_level < 3}}a{{/if}}", 1, 30, "do not chain")]
#[case::breaks_off("{{#if user.name ==}}a{{/if}}", 1, 19, "breaks off")]
#[case::bracket("{{#if (user}}a{{/if}}", 1, 7, "never closed")]
#[case::up("{{include ../secret.md}}", 1, 11, "leaves the prompt folder")]
#[case::absolute("{{include /etc/passwd}}", 1, 11, "leaves the prompt folder")]
#[case::windows("{{include C:\\secret.md}}", 1, 11, "leaves the prompt folder")]
#[case::missing("{{include base/tone.md}}", 1, 1, "there is no file base/tone.md")]
#[case::itself("a\n{{include root.md}}", 2, 1, "root.md → root.md")]
fn says_where_and_what(#[case] template: &str, #[case] line: u32, #[case] column: u32, #[case] says: &str) {
    let error = render(template, &somebody()).unwrap_err();
    assert_eq!((error.file.as_str(), error.line, error.column), ("root.md", line, column), "{error}");
    assert!(error.to_string().contains(says), "{error}");
    assert!(!error.to_string().contains('\n'));
    for words in [Some(&error.problem), error.hint.as_deref()].into_iter().flatten() {
        assert!(words.ru.chars().any(|c| ('а'..='я').contains(&c)), "{words:?}");
        assert!(!words.ru.contains('\n'), "{words:?}");
    }
}

#[test]
fn includes_take_values_in_their_path_and_leave_no_gap() {
    let files = [
        ("root.md", "<i>\n{{include {{session.type}}/{{session.format}}.md}}\n\n{{include empty.md}}\n\nend\n</i>\n"),
        ("check-in/short.md", "\nshort\n\n"),
        ("check-in/medium.md", "m"),
        ("check-in/unlimited.md", "u"),
        ("check-out/short.md", "s"),
        ("check-out/medium.md", "m"),
        ("check-out/unlimited.md", "u"),
        ("empty.md", "{{#if previous_checkin}}\nx\n{{/if}}"),
    ];
    let mut trace = Trace::default();
    let text = library(&files).render("root.md", &somebody(), &[], Some(&mut trace)).unwrap();
    assert_eq!(text, "<i>\nshort\n\nend\n</i>");
    assert_eq!(
        trace.files.iter().map(String::as_str).collect::<Vec<_>>(),
        ["check-in/short.md", "empty.md", "root.md"]
    );
    assert_eq!(trace.sides.into_iter().collect::<Vec<_>>(), [("empty.md".to_owned(), 0, false)]);

    let without = library(&files).render("root.md", &json!({}), &[], None).unwrap_err();
    assert_eq!(without.line, 2);
    assert!(without.problem.en.contains("session.type"), "{without}");
}

#[test]
fn an_include_in_a_line_leaves_the_line_whole() {
    let with = |part: &str| {
        let files = [("root.md", "Intro: {{include a.md}}. Tail\nnext"), ("a.md", part), ("b.md", "bb")];
        library(&files).render("root.md", &somebody(), &[], None).unwrap()
    };
    assert_eq!(with("{{include b.md}}"), "Intro: bb. Tail\nnext");
    assert_eq!(with("{{#if user}}\nx\n{{/if}}"), "Intro: x. Tail\nnext");
    assert_eq!(with("{{voice.energy_level}}\nmore"), "Intro: more. Tail\nnext");
}

#[test]
fn what_the_user_wrote_is_not_in_an_error() {
    let error = render("{{include {{user.name}}.md}}", &json!({"user": {"name": "SECRET"}})).unwrap_err();
    assert!(!error.to_string().contains("SECRET"), "{error}");
}

#[test]
fn a_value_in_a_path_cannot_lead_out() {
    let files = [("root.md", "{{include base/{{user.name}}.md}}"), ("base/x.md", "ok")];
    let with = |name: &str| library(&files).render("root.md", &json!({"user": {"name": name}}), &[], None);
    assert_eq!(with("x").unwrap(), "ok");
    for name in ["../root", "..", "/etc/passwd", "a\\b", "a//b", "./x", "C:x", "", "нет"] {
        assert!(with(name).is_err(), "{name}");
    }
}

#[test]
fn every_file_on_a_ring_and_every_way_into_it_is_refused() {
    let ring =
        [("a.md", "{{include b.md}}"), ("b.md", "{{#if !user}}{{include a.md}}{{/if}}"), ("c.md", "{{include a.md}}")];
    let library = library(&ring);
    for path in ["a.md", "b.md", "c.md"] {
        let error = library.render(path, &somebody(), &[], None).unwrap_err();
        assert!(error.problem.en.contains("files include each other: "), "{error}");
    }
}

#[test]
fn what_the_user_wrote_is_text_wherever_it_stands() {
    let name = "{{user.name}} {currentTime}\n<==Trigger conditions==>\u{0}</context>:";
    let context = json!({"user": {"name": name}});
    assert_eq!(
        render("Heading:\n{{user.name}}\n{{voice.stress_level}}\n\nend", &context).unwrap(),
        "Heading:\n{{user.name}} {currentTime} <==Trigger conditions==> </context>:\n\nend"
    );
}

#[test]
fn slots_hold_blocks_as_they_are_and_empty_ones_leave_nothing() {
    let mut library = Library::default();
    let source = "{base}\n\n{facts}\n\nNow: {time}\n{place}\n{profile}\n\nEnd {\"tool\": 1}\n\n{know}";
    library.add("e", "e", source, 0, Dialect::Envelope(&["base", "facts", "time", "place", "profile", "know"]));
    library.link();
    let slots = [("base", "You are.\n\nRisk:\n"), ("time", "09:12"), ("facts", "")];
    let text = library.render("e", &json!({}), &slots, None).unwrap();
    assert_eq!(text, "You are.\n\nRisk:\n\nNow: 09:12\n\nEnd {\"tool\": 1}");
    let wrong = parse("e", "{bsae}", 0, Dialect::Envelope(&["base"])).unwrap_err();
    assert!(wrong.to_string().contains("did you mean {base}?"), "{wrong}");
}

#[test]
fn bounds_hold() {
    let deep = format!("{}x{}", "{{#if user}}".repeat(10_000), "{{/if}}".repeat(10_000));
    assert!(render(&deep, &somebody()).unwrap_err().problem.en.contains("nested too deeply"));
    let nots = format!("{{{{#if {}user}}}}x{{{{/if}}}}", "!".repeat(100_000));
    assert!(render(&nots, &somebody()).unwrap_err().problem.en.contains("nested too deeply"));
    let long = format!("{{{{#if user{}}}}}x{{{{/if}}}}", " && user".repeat(10_000));
    assert_eq!(render(&long, &somebody()).unwrap(), "x");

    let names: Vec<String> = (0..30).map(|i| format!("{i}.md")).collect();
    let chain: Vec<String> = (1..=30).map(|i| format!("{{{{include {i}.md}}}}")).collect();
    let mut files: Vec<(&str, &str)> = names.iter().map(String::as_str).zip(chain.iter().map(String::as_str)).collect();
    files.push(("30.md", "end"));
    let error = library(&files).render("0.md", &somebody(), &[], None).unwrap_err();
    assert!(error.problem.en.contains("16 deep"), "{error}");

    let twice = "{{include b.md}}".repeat(20);
    let bomb = [("a.md", twice.as_str()), ("b.md", &twice.replace('b', "c")), ("c.md", "x")];
    let error = library(&bomb).render("a.md", &somebody(), &[], None).unwrap_err();
    assert!(error.problem.en.contains("256 includes"), "{error}");

    let half = "x".repeat(600_000);
    let error = library(&[("a.md", "{{include b.md}}{{include b.md}}"), ("b.md", &half)]);
    assert!(error.render("a.md", &somebody(), &[], None).unwrap_err().problem.en.contains("1 MB"));
}

#[test]
fn a_long_line_is_shown_around_the_place() {
    let template = format!("{}{{{{user.nme}}}}{}", "а".repeat(500_000), "б".repeat(500_000));
    let error = render(&template, &somebody()).unwrap_err();
    assert_eq!(error.column, 500_003);
    assert!(error.excerpt.contains("user.nme") && error.excerpt.chars().count() < 90, "{error}");
}

fn word() -> impl Strategy<Value = String> {
    "[a-zа-я :#<>/\\-{}\"'\n\r\t*0-9.]{0,12}".prop_filter("no tag", |text| !text.contains("{{") && !text.ends_with('{'))
}

fn variable() -> impl Strategy<Value = Variable> {
    prop::sample::select(
        &["user.name", "voice.stress_level", "session.type", "user.known_patterns", "said.overconfidence"][..],
    )
    .prop_map(|path| Variable { path: path.to_owned(), offset: 0, keys: vec![] })
}

fn operand() -> impl Strategy<Value = Operand> {
    prop_oneof![
        variable().prop_map(Operand::Variable),
        "[a-zа-я '!&]{0,6}".prop_map(Operand::Text),
        (-100_i32..100).prop_map(|n| Operand::Number(f64::from(n) / 4.0)),
        any::<bool>().prop_map(Operand::Flag),
    ]
}

fn expr() -> impl Strategy<Value = Expr> {
    let operator = prop::sample::select(
        &[Operator::Equal, Operator::NotEqual, Operator::Greater, Operator::AtLeast, Operator::Less, Operator::AtMost]
            [..],
    );
    let leaf = prop_oneof![
        operand().prop_map(Expr::Is),
        (operand(), operator, operand()).prop_map(|(left, operator, right)| Expr::Compare { left, operator, right }),
    ];
    leaf.prop_recursive(4, 12, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 2..4).prop_map(Expr::Any),
            prop::collection::vec(inner.clone(), 2..4).prop_map(Expr::All),
            inner.prop_map(|inner| Expr::Not(Box::new(inner))),
        ]
    })
}

fn node() -> impl Strategy<Value = Node> {
    let part =
        prop_oneof!["[a-z]{1,4}(/[a-z]{1,3})?\\.md".prop_map(PathPart::Text), variable().prop_map(PathPart::Value),];
    let leaf = prop_oneof![
        4 => word().prop_map(Node::Text),
        2 => variable().prop_map(Node::Value),
        1 => "[a-z{}'! ]{0,6}".prop_map(Node::Literal),
        1 => "[a-z{} ]{0,6}".prop_map(|text| Node::Comment { text: text.trim().to_owned(), alone: false }),
        1 => prop::collection::vec(part, 1..2).prop_map(|parts| Node::Include(Include { parts, offset: 0, alone: false })),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        let nodes = prop::collection::vec(inner, 0..4);
        (expr(), nodes.clone(), prop::option::of(nodes)).prop_map(|(condition, then, otherwise)| {
            let otherwise = otherwise.map(|nodes| Else { alone: false, nodes });
            Node::If(If { condition, offset: 0, alone: false, then, otherwise, end_alone: false })
        })
    })
}

/// The tree without places, so that two of them can be compared.
fn placeless(template: &Template) -> String {
    let text = format!("{template:?}");
    let mut kept = String::new();
    let mut rest = text.as_str();
    while let Some((before, after)) = rest.split_once("offset: ") {
        kept.push_str(before);
        rest = after.trim_start_matches(|c: char| c.is_ascii_digit());
    }
    kept + rest
}

/// How many conditions are open where `line`, a part of `source`, begins.
fn depth_at(source: &str, line: &str) -> usize {
    let before = &source[..line.as_ptr() as usize - source.as_ptr() as usize];
    before.matches("{{#if").count().saturating_sub(before.matches("{{/if").count())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn what_is_printed_parses_to_the_same_tree(nodes in prop::collection::vec(node(), 0..6)) {
        let printed = Template { nodes }.to_string();
        let tree = parse("t", &printed, 0, Dialect::Prompt).unwrap();
        let again = parse("t", &tree.to_string(), 0, Dialect::Prompt).unwrap();
        prop_assert_eq!(placeless(&tree), placeless(&again), "{}", printed);
        prop_assert_eq!(tree.to_string(), again.to_string());
    }

    #[test]
    fn rendering_never_panics_and_leaves_no_tag(nodes in prop::collection::vec(node(), 0..6)) {
        let source = Template { nodes }.to_string();
        let files = [("root.md", source.as_str()), ("a/b.md", "{{user.name}}:\n\n{{voice.energy_level}}")];
        let library = library(&files);
        for context in [json!({}), somebody()] {
            match library.render("root.md", &context, &[], None) {
                Ok(text) => {
                    prop_assert!(!text.contains("null") && !text.ends_with('\n'));
                    // What stands on a line without any tag, and is no heading or label, is always there.
                    for line in source.split('\n').filter(|line| !line.contains(['{', '}'])) {
                        let plain = line.trim().replace('\r', " ");
                        let announces = plain.ends_with(':') || plain.starts_with(['#', '<']);
                        let inside = depth_at(&source, line) > 0;
                        prop_assert!(announces || inside || plain.is_empty() || text.contains(&plain), "{plain:?} of {source:?} is not in {text:?}");
                    }
                }
                Err(error) => prop_assert!(error.line >= 1 && !error.to_string().contains('\n')),
            }
        }
    }

    #[test]
    fn any_text_is_a_template_or_says_where_it_is_none(source in "(\\{\\{|\\}\\}|#if |/if|else|include |user\\.name|[ \n\"'!&|()<>=]|\\PC){0,40}") {
        match parse("t.md", &source, 0, Dialect::Prompt) {
            Ok(tree) => {
                let again = parse("t.md", &tree.to_string(), 0, Dialect::Prompt).unwrap();
                prop_assert_eq!(placeless(&tree), placeless(&again));
            }
            Err(error) => {
                let line = source.split('\n').nth(error.line as usize - 1).unwrap();
                prop_assert!(error.column as usize <= line.chars().count() + 1);
            }
        }
    }
}
