//! A folder of templates, each rendered or refused as its snapshot says; every kind of mistake is among them.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use calm_prompts::PromptSet;
use serde_json::json;

/// What the templates include.
const PARTS: [(&str, &str); 9] = [
    ("part.md", "A part for {{user.name}}."),
    ("empty.md", "{{#if said.session_result}}\nnever\n{{/if}}"),
    ("ring.md", "{{include this.md}}"),
    ("check-in/short.md", "The short check-in."),
    ("check-in/medium.md", "m"),
    ("check-in/unlimited.md", "u"),
    ("check-out/short.md", "s"),
    ("check-out/medium.md", "m"),
    ("check-out/unlimited.md", "u"),
];

#[test]
fn every_template_of_the_folder() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/templates");
    let mut names: Vec<String> =
        fs::read_dir(folder.clone()).unwrap().map(|it| it.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    assert!(names.len() >= 45);
    let context = json!({
        "session": {"type": "check-in", "format": "short"},
        "user": {"name": "Сергей", "known_patterns": ["FOMO", "овертрейдинг"], "streak": {"type": "losing", "count": 3}},
        "voice_analysis": {"stress_level": 8, "primary_emotion": "fear"},
    });
    let mut all = String::new();
    for name in names {
        let source = fs::read_to_string(folder.join(&name)).unwrap();
        let mut files: BTreeMap<String, String> = PARTS.map(|(path, text)| (path.to_owned(), text.to_owned())).into();
        files.insert("this.md".to_owned(), source.clone());
        let set = PromptSet::unversioned("templates", files).unwrap();
        let rendered = set.library("en").render("this.md", &context, &[], None);
        assert_eq!(rendered.is_ok(), name.starts_with("good-"), "{name}: {rendered:?}");
        let outcome = rendered.unwrap_or_else(|error| error.to_string());
        all += &format!("=== {name}\n{}\n--- becomes\n{outcome}\n\n", source.trim_end());
    }
    insta::assert_snapshot!(all);
}
