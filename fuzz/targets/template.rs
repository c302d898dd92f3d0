//! A prompt file that somebody else wrote: read, printed, rendered and linted.
#![no_main]

use std::sync::LazyLock;

use calm_prompts::front::front;
use calm_prompts::lint::{Document, Lang, Linter, Options, Surface};
use calm_prompts::template::{Dialect, Library, parse};

static LINTER: LazyLock<Linter> = LazyLock::new(|| Linter::new(&Options { surface: Surface::Tray, banned: vec!["слово".into()] }));

libfuzzer_sys::fuzz_target!(|text: &str| {
    let start = front("a.md", text).map_or(0, |head| head.end);
    if let Ok(template) = parse("a.md", text, start, Dialect::Prompt) {
        let printed = template.to_string();
        let again = parse("a.md", &printed, 0, Dialect::Prompt).expect("what is printed parses");
        assert_eq!(again.to_string(), printed);
    }
    let mut library = Library::default();
    library.add("a.md", "a.md", text, start, Dialect::Prompt);
    library.add("b.md", "b.md", text, start, Dialect::Envelope(&["baseSystemPrompt"]));
    library.link();
    let context = serde_json::json!({
        "session": {"type": "check-in", "format": "short"},
        "user": {"name": "{{user.name}}\n:", "known_patterns": ["a", "b"]},
        "voice_analysis": {"stress_level": 8},
    });
    for path in ["a.md", "b.md"] {
        if let Ok(text) = library.render(path, &context, &[("baseSystemPrompt", "x\n\n:")], None) {
            assert!(text.len() <= 2 * 1024 * 1024);
        }
    }
    let document = Document { path: "a.md", text };
    for finding in LINTER.prompt(&document).into_iter().chain(LINTER.reply(text, Lang::Ru, &["гарантия".into()])) {
        assert!(finding.line >= 1 && finding.column >= 1);
    }
});
