//! The rows of the prompt system: rendering beside minijinja, and linting the shipped set.

use std::collections::BTreeMap;
use std::hint::black_box;
use std::time::Instant;

use calm_prompts::PromptSet;
use calm_prompts::envelope::{ProfileField, Sources, Surroundings, Trigger};
use calm_prompts::front::front;
use calm_prompts::lint::{Document, Linter, Options};
use minijinja::{Environment, UndefinedBehavior};
use serde_json::{Value, json};

use crate::{micros, millis, percentile, print};

const TIMES: usize = 2000;

/// The whole message list of a check-in, ours and minijinja's in turns. The templates say the same, and so does the text.
pub fn rendering(id: &str) {
    let set = PromptSet::shipped();
    let assembly = set.assembly("ru", "ru").expect("the shipped set");
    let context = context();
    let around = around();
    let ours_once = assembly.messages(&context, &around).expect("rendered");
    let theirs = Theirs::of(&set, &ours_once[0].content, &around.triggers);
    let theirs_once = theirs.render(&context);
    for (theirs, ours) in theirs_once.iter().zip(&ours_once) {
        assert_eq!(squeezed(theirs), squeezed(&ours.content), "the texts differ");
    }
    let (mut ours, mut jinja) = (Vec::with_capacity(TIMES), Vec::with_capacity(TIMES));
    for _ in 0..TIMES {
        let clock = Instant::now();
        black_box(assembly.messages(black_box(&context), black_box(&around)).expect("rendered"));
        ours.push(clock.elapsed());
        let clock = Instant::now();
        black_box(theirs.render(black_box(&context)));
        jinja.push(clock.elapsed());
    }
    let (ours, jinja) = (percentile(&mut ours, 50), percentile(&mut jinja, 50));
    print(id, micros(ours), TIMES, &[("minijinja", ours.as_secs_f64() / jinja.as_secs_f64())]);
}

/// Every rule over every prompt file, the rules read already.
pub fn linting(id: &str) {
    let set = PromptSet::shipped();
    let documents: Vec<Document<'_>> = set.documents().map(|(path, text)| Document { path, text }).collect();
    let linter = Linter::new(&Options::default());
    let mut times = crate::timed(20, || drop(black_box(linter.set(&documents))));
    print(id, millis(percentile(&mut times, 50)), times.len(), &[]);
}

fn context() -> Value {
    json!({
        "session": {"type": "check-in", "format": "medium", "has_matching_checkin": false, "session_number_today": 1},
        "user": {
            "name": "Сергей", "trading_style": "daytrading", "experience": "два года",
            "rules": ["не больше трёх сделок"],
            "known_patterns": ["FOMO после пропущенных сделок", "овертрейдинг в пятницу"],
            "last_session_result": "loss", "streak": {"type": "losing", "count": 3},
        },
        "voice_analysis": {"stress_level": 8, "energy_level": 4, "primary_emotion": "fear", "confidence": 0.85},
    })
}

fn around() -> Surroundings<'static> {
    Surroundings {
        now: Some("2026-03-04T09:12:00+03:00[Europe/Moscow]".parse().expect("a moment")),
        opened_from: Some("tray".into()),
        profile: vec![ProfileField { name: "Биржа".into(), value: "MOEX".into() }],
        facts: Some("- До пятницы торгую половиной объёма.".into()),
        sources: Sources::Knowledge(Vec::new()),
        triggers: vec![
            Trigger {
                id: "7b1c".into(), name: "пауза".into(), condition: "хочу отыграться".into()
            };
            10
        ],
        ..Surroundings::default()
    }
}

const TRIGGERS: &str = "<==Trigger conditions==>
{% for it in triggers %}[{{ it.name }}] If {{ it.condition }}, use tool run_trigger with triggerId=\"{{ it.id }}\"
{% endfor %}<==Trigger conditions==>";

/// The same templates in minijinja's words, with the blocks of the envelope made beforehand.
struct Theirs {
    environment: Environment<'static>,
    blocks: BTreeMap<String, String>,
    triggers: Value,
}

impl Theirs {
    fn of(set: &PromptSet, ours: &str, triggers: &[Trigger]) -> Theirs {
        let mut environment = Environment::new();
        environment.set_undefined_behavior(UndefinedBehavior::Chainable);
        environment.set_trim_blocks(true);
        environment.set_lstrip_blocks(true);
        for (path, text) in
            set.files().iter().filter(|(path, _)| path.starts_with("ru/") || *path == "envelope/ru/regular.md")
        {
            let body = &text[front(path, text).expect("a head").end..];
            let name = path.strip_prefix("ru/").unwrap_or("envelope").to_owned();
            environment.add_template_owned(name, translated(body)).expect("a template");
        }
        environment.add_template("triggers", TRIGGERS).expect("a template");
        // Each block is what stands at its placeholder in our own text.
        let envelope = &set.files()["envelope/ru/regular.md"];
        let blocks =
            BTreeMap::from([("around".to_owned(), ours.to_owned()), ("template".to_owned(), envelope.clone())]);
        let triggers = triggers.iter().map(|it| json!({"id": it.id, "name": it.name, "condition": it.condition}));
        Theirs { environment, blocks: blocks_of(&blocks), triggers: json!({"triggers": triggers.collect::<Vec<_>>()}) }
    }

    fn render(&self, context: &Value) -> [String; 2] {
        let base = self.environment.get_template("root.md").expect("the root").render(context).expect("rendered");
        let mut slots: BTreeMap<&str, &str> = self.blocks.iter().map(|(k, v)| (k.as_str(), v.as_str())).collect();
        slots.insert("baseSystemPrompt", &base);
        let system = self.environment.get_template("envelope").expect("the envelope").render(slots).expect("rendered");
        let triggers =
            self.environment.get_template("triggers").expect("a template").render(&self.triggers).expect("rendered");
        [system, triggers]
    }
}

/// The blocks that our envelope filled in, read back out of the rendered text line by line.
fn blocks_of(texts: &BTreeMap<String, String>) -> BTreeMap<String, String> {
    let ours = &texts["around"];
    let after_base = ours.split("</output_format>\n").nth(1).unwrap_or_default();
    let value = |label: &str| {
        let line = after_base.lines().find(|line| line.starts_with(label)).unwrap_or_default();
        line.strip_prefix(label).unwrap_or_default().trim().to_owned()
    };
    let paragraph = |start: &str| {
        let found = after_base.split("\n\n").find(|block| block.trim_start().starts_with(start));
        found.unwrap_or_default().trim().to_owned()
    };
    let line = |start: &str| after_base.lines().find(|line| line.starts_with(start)).unwrap_or_default().to_owned();
    BTreeMap::from([
        ("factualContext".to_owned(), paragraph("Что сейчас верно")),
        ("currentTime".to_owned(), value("Сейчас:")),
        ("userName".to_owned(), value("Имя собеседника:")),
        ("agentName".to_owned(), "Calm".to_owned()),
        ("language".to_owned(), value("Язык разговора:")),
        ("marketingData".to_owned(), line("Разговор открыт")),
        ("crmFieldsMemory".to_owned(), paragraph("Что человек разрешил")),
        ("knowledgeInstructions".to_owned(), paragraph("В конце этого сообщения")),
        ("triggerInstruction".to_owned(), line("Если в словах человека сбылось")),
    ])
}

/// Our notation in minijinja's.
fn translated(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(start) = rest.find("{{") {
        out.push_str(&slots(&rest[..start]));
        let mut depth = 0;
        let bytes = rest.as_bytes();
        let mut end = start;
        while end < bytes.len() {
            match &bytes[end..(end + 2).min(bytes.len())] {
                b"{{" => (depth, end) = (depth + 1, end + 2),
                b"}}" => (depth, end) = (depth - 1, end + 2),
                _ => end += 1,
            }
            if depth == 0 {
                break;
            }
        }
        out.push_str(&tag(&rest[start + 2..end - 2]));
        rest = &rest[end..];
    }
    out + &slots(rest)
}

/// Placeholders of the envelope.
fn slots(text: &str) -> String {
    let mut text = text.to_owned();
    for name in calm_prompts::envelope::PLACEHOLDERS {
        text = text.replace(&format!("{{{name}}}"), &format!("{{{{ {name} }}}}"));
    }
    text
}

fn tag(inner: &str) -> String {
    let full = |text: &str| text.replace("voice.", "voice_analysis.");
    match inner.trim() {
        "else" => "{% else %}".to_owned(),
        "/if" => "{% endif %}".to_owned(),
        other => match (other.strip_prefix("#if "), other.strip_prefix("include ")) {
            (Some(condition), _) => {
                let words = full(condition).replace("&&", "and").replace("||", "or").replace("!=", "\u{1}");
                format!("{{% if {} %}}", words.replace('!', "not ").replace('\u{1}', "!="))
            }
            (_, Some(path)) => {
                let parts = path.replace("{{", "\" ~ ").replace("}}", " ~ \"");
                format!("{{% include \"{parts}\" %}}\n")
            }
            _ if other.ends_with("rules") || other.ends_with("known_patterns") => {
                format!("{{{{ {other} | join(', ') }}}}")
            }
            _ => format!("{{{{ {} }}}}", full(other)),
        },
    }
}

/// Without line breaks and what only stands where a value is missing.
fn squeezed(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
