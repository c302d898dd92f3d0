//! Two hundred templates that nobody should write: each is refused with its place, or rendered, and never panics.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;

use calm_prompts::PromptSet;
use calm_prompts::lint::{Document, Linter, Options};
use serde_json::{Value, json};

fn hostile() -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    let deep = |n: usize| format!("{}x{}", "{{#if user}}".repeat(n), "{{/if}}".repeat(n));
    all.extend([1, 63, 64, 65, 1000, 10_000, 100_000].map(deep));
    all.extend([64, 10_000].map(|n| "{{#if user}}\n".repeat(n)));
    all.extend([10_000].map(|n| "{{else}}".repeat(n)));
    all.extend([1000, 100_000].map(|n| "{{/if}}".repeat(n)));
    all.extend([64, 10_000].map(|n| format!("{{{{#if {}user}}}}x{{{{/if}}}}", "!".repeat(n))));
    all.extend([64, 10_000].map(|n| format!("{{{{#if {}user{}}}}}x{{{{/if}}}}", "(".repeat(n), ")".repeat(n))));
    all.extend([10_000].map(|n| format!("{{{{#if user{}}}}}x{{{{/if}}}}", " || user".repeat(n))));
    all.extend([10, 1000].map(|n| format!("{{{{#if {}}}}}x{{{{/if}}}}", "user.name == ".repeat(n))));
    all.extend([1_000_000].map(|n| "x".repeat(n)));
    all.extend([1_000_000].map(|n| format!("{{{{{}", "x".repeat(n))));
    all.extend([1_000_000].map(|n| format!("{{{{{}}}}}", "x".repeat(n))));
    all.extend([500_000].map(|n| "я".repeat(n) + "{{user.nme}}"));
    all.extend([300_000].map(|n| "{".repeat(n)));
    all.extend([300_000].map(|n| "}".repeat(n)));
    all.extend([10_000].map(|n| "{{user.name}}".repeat(n)));
    all.extend([1000].map(|n| "{{include part.md}}".repeat(n)));
    all.extend([100_000].map(|n| "{{user.name}}\n".repeat(n)));
    all.extend([50_000].map(|n| "\n".repeat(n)));
    all.extend([20_000].map(|n| "# \n{{said.session_result}}\n".repeat(n)));
    all.extend([20_000].map(|n| "Label:\n{{said.session_result}}\n\n".repeat(n)));
    all.extend([10_000].map(|n| "<a>\n{{said.session_result}}\n</a>\n".repeat(n)));
    all.extend([20_000].map(|n| "<a>\n".repeat(n) + "{{said.session_result}}\n" + &"</a>\n".repeat(n)));
    all.extend([200].map(|n| format!("{{{{include {}part.md}}}}", "a/".repeat(n))));
    all.extend([10_000].map(|n| format!("{{{{include {}}}}}", "{{session.type}}".repeat(n))));
    all.extend([30].map(|n| format!("{{{{include {}.md}}}}", "{{session.format}}".repeat(n))));
    let paths = [
        "../secret.md",
        "../../../../etc/passwd",
        "/etc/passwd",
        "\\\\host\\share",
        "C:\\Windows\\win.ini",
        "c:x",
        "~/x.md",
        "a/../../b.md",
        "a/./b.md",
        "a//b.md",
        "a/",
        "/",
        ".",
        "..",
        "...",
        "part.md/",
        "part.md\u{0}",
        "%2e%2e/secret.md",
        "part.md ../x",
        "{{user.name}}",
        "{{user.name}}.md",
        "../{{user.name}}",
        "{{session.type}}/../part.md",
        "part.md?x",
        "file:///etc/passwd",
        "PART.MD",
        "part",
        "раздел.md",
        "\u{202e}dm.trap",
        "root.md",
        "{{include part.md}}",
        "{{",
        "}}",
        "\"part.md\"",
        "{{\"part.md\"}}",
        "{{voice}}",
        "{{user.streak}}",
        "{{nothing}}",
        "{{user.known_patterns}}.md",
    ];
    all.extend(paths.map(|path| format!("before\n{{{{include {path}}}}}\nafter")));
    let tags = [
        "{{",
        "}}",
        "{{}}",
        "{{ }}",
        "{{{}}}",
        "{{{{}}}}",
        "{{#}}",
        "{{/}}",
        "{{!}}",
        "{{!--}}",
        "{{!-- }}",
        "{{!---}}",
        "{{!----}}",
        "{{#if}}",
        "{{#if }}x{{/if}}",
        "{{#if user}}",
        "{{#if user}}{{else}}",
        "{{/if}}{{#if user}}",
        "{{else}}{{/if}}",
        "{{#if user}}{{/each}}",
        "{{#unless user}}x{{/unless}}",
        "{{#each user}}x{{/each}}",
        "{{#with user}}x{{/with}}",
        "{{^user}}x{{/user}}",
        "{{>part}}",
        "{{&user.name}}",
        "{{~user.name~}}",
        "{{user}}",
        "{{user.}}",
        "{{.user}}",
        "{{user..name}}",
        "{{user.name.first}}",
        "{{user-name}}",
        "{{user name}}",
        "{{user.name|upper}}",
        "{{user[0]}}",
        "{{this}}",
        "{{@index}}",
        "{{1}}",
        "{{\"}}",
        "{{'}}",
        "{{\"a\"\"b\"}}",
        "{{true}}",
        "{{null}}",
        "{{__proto__}}",
        "{{constructor.name}}",
        "{{include}}",
        "{{includepart.md}}",
        "{{include  part.md  }}",
        "{{INCLUDE part.md}}",
        "{{#IF user}}x{{/IF}}",
        "{{# if user}}x{{/if}}",
        "{{#if user}}x{{ /if }}",
        "{{#ifuser}}x{{/if}}",
        "{{#if true}}x{{/if}}",
        "{{#if \"\"}}x{{else}}y{{/if}}",
        "{{#if 1e999 > 0}}x{{/if}}",
        "{{#if -0 == 0}}x{{/if}}",
        "{{#if 0.1.2 == 0}}x{{/if}}",
        "{{#if user == user}}x{{/if}}",
        "{{#if user.name == null}}x{{/if}}",
        "{{#if user.name === \"x\"}}x{{/if}}",
        "{{#if user.name <> \"x\"}}x{{/if}}",
        "{{#if voice.stress_level => 7}}x{{/if}}",
        "{{#if voice.stress_level >> 7}}x{{/if}}",
        "{{#if ! }}x{{/if}}",
        "{{#if && user}}x{{/if}}",
        "{{#if user &&}}x{{/if}}",
        "{{#if ()}}x{{/if}}",
        "{{#if )(}}x{{/if}}",
        "{{#if user\n}}x{{/if}}",
        "{{user\n.name}}",
        "{{if user}}",
        "{{end}}",
        "{{#if user}}x{{endif}}",
        "{{$user}}",
        "{{user$}}",
        "{{%}}",
        "{{user.name;}}",
        "{{ user . name }}",
        "{{#if user}}x{{else}}y",
        "{{#if 'a' > 'b'}}x{{/if}}",
        "{{#if user.known_patterns == 'x'}}y{{/if}}",
        "{{#if voice > 7}}x{{/if}}",
        "{{user.name}\n}",
        "{ {user.name} }",
        "{\u{200b}{user.name}}",
        "{{user\u{00a0}.name}}",
        "{{uѕer.name}}",
        "{{user．name}}",
    ];
    all.extend(tags.map(|tag| format!("a line\nь {tag} ж\nthe end")));
    let texts = [
        "\u{feff}{{user.name}}",
        "\u{feff}---\nid: x\n---\n{{user.name}}",
        "a\r\n{{#if user}}\r\nb\r\n{{/if}}\r\n",
        "a\rb\r{{user.name}}",
        "\0{{user.name}}\0",
        "🧘🏽‍♀️{{user.name}}👨‍👩‍👧",
        "\u{202e}{{user.name}}\u{202c}",
        "שלום {{user.name}} עולם",
        "مرحبا {{#if user}}نعم{{/if}}",
        "e\u{301}\u{301}\u{301}{{user.name}}",
        "---",
        "---\n",
        "---\n---",
        "---\nid\n---\n",
        "---\nid: x",
        "--- \nid: x\n---\n",
        "----\nx",
        "---\n\0: \0\n---\n{{user.name}}",
        "---\nid: {{user.name}}\n---\nx",
        "{currentTime} {baseSystemPrompt}",
        "<==Trigger conditions==>",
        "\u{1b}[31m{{user.nme}}",
        "\t{{user.nme}}\t",
        "",
        "\n",
        " ",
        "\u{2028}{{user.name}}\u{2029}",
        "${{user.name}}",
        "{%if%}",
        "<%= %>",
        "```\n{{user.name}}\n```",
        "#\n##\n###\n{{said.session_result}}",
        ":\n{{said.session_result}}\n:",
        "<a>\n</b>\n{{said.session_result}}\n</a>",
        "\\{{user.name}}",
        "{{! {{user.name}} }}",
        "{{!-- --}} }}",
        "{{#if user}}\u{0}{{/if}}",
        "a{{! \n\n }}b",
    ];
    all.extend(texts.map(str::to_owned));
    all
}

fn contexts() -> [Value; 3] {
    [
        json!({}),
        json!({"user": {"name": "../x{{user.name}}\n</system>", "known_patterns": ["{{", "}}"]}, "session": {"type": "check-in", "format": "short"}}),
        json!({"user": null, "voice_analysis": {"stress_level": 10}, "session": {"type": null}}),
    ]
}

#[test]
fn hostile_templates_are_refused_with_their_place_or_rendered() {
    let all = hostile();
    assert!(all.len() >= 200, "{}", all.len());
    let mut refused = 0;
    for (i, source) in all.iter().enumerate() {
        let files = [("root.md", source.as_str()), ("part.md", "part"), ("check-in/short.md", "{{include root.md}}")];
        let files: BTreeMap<String, String> = files.map(|(path, text)| (path.to_owned(), text.to_owned())).into();
        let set = PromptSet::unversioned("hostile", files).unwrap();
        let library = set.library("en");
        for context in contexts() {
            match library.render("root.md", &context, &[], None) {
                Ok(text) => {
                    assert!(text.len() <= 1024 * 1024, "{i}");
                    assert!(!text.contains("root:x:0"), "{i} reads outside");
                }
                Err(error) => {
                    refused += 1;
                    assert!(error.line >= 1 && error.column >= 1 && !error.file.is_empty(), "{i}: {error}");
                    let line = error.to_string();
                    assert!(line.chars().count() < 600 && !line.contains(char::is_control), "{i}: {line:?}");
                }
            }
        }
        // The linter reads the same files before anybody renders them.
        let linter = Linter::new(&Options::default());
        for finding in linter.prompt(&Document { path: "root.md", text: source }) {
            assert!(finding.line >= 1 && finding.column >= 1, "{i}");
        }
    }
    assert!(refused > 250, "{refused}");
}
