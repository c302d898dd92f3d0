//! What the placeholders stand for. User-given words stay on their line, and documents stay in their fence.

use std::borrow::Cow;

use jiff::ZonedDateTime;
use serde_json::Value;

use super::words::{Words, fill};
use super::{Excerpt, Sources, Surroundings};
use crate::template::one_line;

type Slots<'a> = Vec<(&'static str, Cow<'a, str>)>;

/// The tag that fences a piece of a document.
const FENCE: &str = "excerpt";

pub(super) fn slots<'a>(
    words: &'a Words,
    base: &'a str,
    context: &'a Value,
    around: &'a Surroundings<'_>,
) -> Slots<'a> {
    let name = context.pointer("/user/name").and_then(Value::as_str).unwrap_or_default();
    let mut slots: Slots<'_> = vec![
        ("baseSystemPrompt", base.into()),
        ("userName", one_line(name)),
        ("agentName", words.agent.as_str().into()),
        ("language", language(words, around.adapt_to_user_language).into()),
    ];
    let mut add = |name, block: String| slots.push((name, block.into()));
    if let Some(now) = &around.now {
        add("currentTime", time(words, now));
    }
    if let Some(facts) = around.facts.as_deref().map(str::trim).filter(|facts| !facts.is_empty()) {
        add("factualContext", format!("{}\n{facts}", words.facts_heading));
    }
    if let Some(location) = around.location.as_deref() {
        add("userLocation", fill(&words.location, &[("value", &one_line(location))]));
    }
    if let Some(line) = around.opened_from.as_deref().and_then(|place| words.opened_from.get(place)) {
        add("marketingData", line.clone());
    }
    let fields = around.profile.iter().filter(|field| !field.value.trim().is_empty());
    let fields = fields.map(|field| [("name", one_line(&field.name)), ("value", one_line(&field.value))]);
    add("crmFieldsMemory", list(&words.profile_heading, &words.profile_line, fields));
    let executed =
        around.executed.iter().map(|run| [("name", one_line(&run.name)), ("outcome", one_line(&run.outcome))]);
    add("executedTriggersContext", list(&words.executed_heading, &words.executed_line, executed));
    if let Some(task) = around.task.as_deref() {
        add("crmTaskContext", fill(&words.task, &[("value", &one_line(task))]));
    }
    if !around.triggers.is_empty() {
        add("triggerInstruction", words.trigger_instruction.clone());
    }
    match &around.sources {
        Sources::Knowledge(excerpts) => {
            add("knowledgeInstructions", words.knowledge_instructions.clone());
            add("knowledgeContext", knowledge(words, excerpts));
        }
        Sources::Calendar(entries) => {
            let entries = entries.iter().map(|it| [("time", one_line(&it.time)), ("title", one_line(&it.title))]);
            add("calendarInstructions", list(&words.calendar_heading, &words.calendar_line, entries));
        }
    }
    slots
}

fn language(words: &Words, adapts: bool) -> String {
    let rule = if adapts { &words.adapt } else { &words.stay };
    format!("{}. {}", words.language_name, fill(rule, &[("language", &words.language_name)]))
}

fn time(words: &Words, now: &ZonedDateTime) -> String {
    let named = |names: &[String], from_one: i8| {
        let name = usize::try_from(from_one - 1).ok().and_then(|i| names.get(i));
        name.map_or("", String::as_str).to_owned()
    };
    let zone = match now.time_zone().iana_name() {
        Some(name) => format!("{name}, UTC{}", now.strftime("%:z")),
        None => format!("UTC{}", now.strftime("%:z")),
    };
    fill(
        &words.time,
        &[
            ("weekday", &named(&words.weekdays, now.weekday().to_monday_one_offset())),
            ("day", &now.day().to_string()),
            ("month", &named(&words.months, now.month())),
            ("year", &now.year().to_string()),
            ("time", &now.strftime("%H:%M").to_string()),
            ("zone", &zone),
        ],
    )
}

fn list<'a>(heading: &str, line: &str, items: impl Iterator<Item = [(&'static str, Cow<'a, str>); 2]>) -> String {
    let lines: Vec<String> = items
        .map(|[first, second]| fill(line, &[(first.0, first.1.as_ref()), (second.0, second.1.as_ref())]))
        .collect();
    if lines.is_empty() { String::new() } else { format!("{heading}\n{}", lines.join("\n")) }
}

fn knowledge(words: &Words, excerpts: &[Excerpt]) -> String {
    if excerpts.is_empty() {
        return String::new();
    }
    let mut block = words.knowledge_heading.clone();
    for Excerpt { title, place, question, text } in excerpts {
        let place = place.as_deref().map(one_line).unwrap_or_default();
        let values = [("title", &*one_line(title)), ("place", &*place)];
        let source = fill(&words.knowledge_source, &values);
        let source = source.trim_end_matches([' ', ',', '—', '–', '-', ';']);
        block += &format!("\n<{FENCE}>\n{}\n", fenced(source));
        match question {
            Some(question) => {
                block += &format!("{}: {}\n{}: {}\n", words.question, fenced(question), words.answer, fenced(text));
            }
            None => block += &format!("{}\n", fenced(text)),
        }
        block += &format!("</{FENCE}>");
    }
    block
}

/// A document cannot close its own fence.
fn fenced(text: &str) -> Cow<'_, str> {
    let text: Cow<'_, str> = if text.contains('\0') { text.replace('\0', "").into() } else { text.into() };
    let closing = format!("</{FENCE}");
    // ASCII lower-casing keeps every offset.
    let lower = text.to_ascii_lowercase();
    if !lower.contains(&closing) {
        return text.trim().to_owned().into();
    }
    let mut fenced = String::with_capacity(text.len());
    let mut from = 0;
    for (at, _) in lower.match_indices(&closing) {
        fenced.push_str(text.get(from..at).unwrap_or_default());
        fenced.push('‹');
        from = at + 1;
    }
    fenced.push_str(text.get(from..).unwrap_or_default());
    fenced.trim().to_owned().into()
}
