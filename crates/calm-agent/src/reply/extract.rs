//! Calls out of what a model wrote for one.

use serde_json::{Map, Value};

use super::json::{arguments_at, value_at};

/// A tool's name and its arguments.
pub type Named = (String, Value);

const ARGUMENTS: &[&str] = &["arguments", "parameters", "args", "params", "input", "tool_input", "action_input"];
const WRAPPERS: &[&str] = &["tool_calls", "tool_call", "function_call", "function", "calls", "call"];
const DEEPEST: usize = 4;
/// A reply with more is nonsense.
const MOST: usize = 32;

/// The calls in a JSON value; none where it is other data.
pub fn from_value(value: &Value, tools: &[String]) -> Vec<Named> {
    let mut found = Vec::new();
    collect(value, tools, 0, &mut found);
    found
}

fn collect(value: &Value, tools: &[String], depth: usize, found: &mut Vec<Named>) {
    if depth > DEEPEST || found.len() >= MOST {
        return;
    }
    match value {
        Value::Array(items) => items.iter().for_each(|item| collect(item, tools, depth + 1, found)),
        Value::Object(members) => {
            if let Some(call) = one(members, tools) {
                found.push(call);
                return;
            }
            for wrapper in WRAPPERS {
                if let Some(inner) = members.get(*wrapper) {
                    collect(inner, tools, depth + 1, found);
                }
            }
        }
        _ => {}
    }
}

fn one(members: &Map<String, Value>, tools: &[String]) -> Option<Named> {
    let known = |name: &str| tools.iter().any(|tool| tool == name);
    let named = |key: &str| members.get(key).and_then(Value::as_str).filter(|name| !name.is_empty());
    let given = ARGUMENTS.iter().find_map(|key| members.get(*key));
    for key in ["tool", "tool_name", "function_name", "name", "function", "action"] {
        let Some(name) = named(key) else { continue };
        let name = name.trim_start_matches("functions.");
        // `name` alone is a key like any other: a person has one as well.
        let certain = matches!(key, "tool" | "tool_name" | "function_name") || given.is_some() || known(name);
        if certain {
            let arguments = given.map_or_else(|| rest(members, key), |given| parsed(given.clone()));
            return Some((name.to_owned(), arguments));
        }
    }
    // `{"end_session": {…}}`
    let mut entries = members.iter();
    match (entries.next(), entries.next()) {
        (Some((name, arguments @ Value::Object(_))), None) if known(name) => Some((name.clone(), arguments.clone())),
        _ => None,
    }
}

/// Arguments beside the name.
fn rest(members: &Map<String, Value>, name: &str) -> Value {
    let others = members.iter().filter(|(key, _)| *key != name && !matches!(key.as_str(), "id" | "type"));
    Value::Object(others.map(|(key, value)| (key.clone(), value.clone())).collect())
}

/// Arguments that came as a string with JSON in it; nothing at all is an empty object.
pub fn parsed(arguments: Value) -> Value {
    match arguments {
        Value::String(text) if text.trim().is_empty() => Value::Object(Map::new()),
        Value::String(text) => match value_at(text.trim()) {
            Some((value @ Value::Object(_), length)) if length == text.trim().len() => value,
            _ => Value::String(text),
        },
        Value::Null => Value::Object(Map::new()),
        other => other,
    }
}

/// The calls in `text`, all of which was written for calls: tags with JSON or XML in them, or `name(…)`.
pub fn from_tagged(text: &str, tools: &[String]) -> Vec<Named> {
    let xml = xml(text);
    if !xml.is_empty() {
        return xml;
    }
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(start) = text[at..].find(['{', '[', '(']).map(|start| at + start) {
        if found.len() >= MOST {
            break;
        }
        let here = &text[start..];
        let name = name_before(&text[at..start], tools);
        let read = if here.starts_with('(') { arguments_at(here) } else { value_at(here) };
        let Some((value, length)) = read else { break };
        match name {
            Some(name) => found.push((name, value)),
            None => found.extend(from_value(&value, tools)),
        }
        at = start + length;
    }
    if found.is_empty() { pairs(text).into_iter().collect() } else { found }
}

/// The last word that can be a name; a known tool before any other.
fn name_before(text: &str, tools: &[String]) -> Option<String> {
    let words = text.split(|letter: char| !(letter.is_ascii_alphanumeric() || matches!(letter, '_' | '.')));
    let words: Vec<&str> = words.map(|word| word.trim_start_matches("functions.")).collect();
    let known = words.iter().rev().find(|word| tools.iter().any(|tool| tool == *word));
    let marks =
        ["json", "function", "call", "tool", "tool_call", "tool_call_begin", "tool_call_argument_begin", "name"];
    let any = || words.iter().rev().find(|word| word.contains('_') && !marks.contains(word));
    known.or_else(any).map(|name| name.trim_end_matches(".call").to_owned())
}

/// `<function=name>{…}</function>`, `<function=name><parameter=key>value</parameter></function>`,
/// `<invoke name="name"><parameter name="key">value</parameter></invoke>`.
fn xml(text: &str) -> Vec<Named> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some((name, body)) = ["<function=", "<invoke name="].iter().find_map(|opener| behind(rest, opener)) {
        let end = ["</function>", "</invoke>"].iter().find_map(|closer| body.find(closer)).unwrap_or(body.len());
        let inner = body[..end].trim();
        let arguments = match value_at(inner) {
            Some((value @ Value::Object(_), _)) => value,
            _ if inner.is_empty() || inner.contains("<parameter") => Value::Object(parameters(inner)),
            _ => Value::String(inner.to_owned()),
        };
        found.push((name, arguments));
        rest = &body[end..];
        if found.len() >= MOST {
            break;
        }
    }
    found
}

fn parameters(text: &str) -> Map<String, Value> {
    let mut members = Map::new();
    let mut rest = text;
    while let Some((key, body)) = ["<parameter=", "<parameter name="].iter().find_map(|opener| behind(rest, opener)) {
        let end = body.find("</parameter>").unwrap_or(body.len());
        members.insert(key, scalar(&body[..end]));
        rest = &body[end..];
    }
    members
}

/// The attribute behind `opener`, and what follows its tag.
fn behind<'a>(text: &'a str, opener: &str) -> Option<(String, &'a str)> {
    let (name, body) = text[text.find(opener)? + opener.len()..].split_once('>')?;
    Some((name.trim().trim_matches(['"', '\'']).to_owned(), body))
}

/// `name\n<arg_key>key</arg_key><arg_value>value</arg_value>`
fn pairs(text: &str) -> Option<Named> {
    let name = text.trim().split(['\n', '<', ' ']).next().filter(|name| !name.is_empty())?;
    let plain = name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_');
    let mut members = Map::new();
    let mut rest = text;
    while let Some((_, behind)) = rest.split_once("<arg_key>") {
        let (key, behind) = behind.split_once("</arg_key>")?;
        let (_, behind) = behind.split_once("<arg_value>")?;
        let (value, behind) = behind.split_once("</arg_value>")?;
        members.insert(key.trim().to_owned(), scalar(value));
        rest = behind;
    }
    plain.then(|| (name.to_owned(), Value::Object(members)))
}

/// Numbers, truth values and JSON as such, all else as text.
fn scalar(text: &str) -> Value {
    let text = text.trim();
    serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.to_owned()))
}

/// Whether text that could not be read was meant for a call.
pub fn looks_like_call(text: &str, tools: &[String]) -> bool {
    let keys = ["tool", "tool_name", "arguments", "parameters", "function", "tool_calls", "tool_call"];
    let keyed = |key: &str| {
        text.match_indices(key).any(|(at, _)| {
            let before = text[..at].chars().next_back();
            let behind = text[at + key.len()..].trim_start_matches(['"', '\'']).trim_start_matches(' ');
            before.is_none_or(|letter| !letter.is_alphanumeric()) && behind.starts_with([':', '='])
        })
    };
    keys.iter().any(|key| keyed(key)) || tools.iter().any(|tool| text.contains(tool.as_str()))
}

/// The name in a call that is otherwise broken.
pub fn name_in(text: &str, tools: &[String]) -> Option<String> {
    if let Some(tool) = tools.iter().find(|tool| text.contains(tool.as_str())) {
        return Some(tool.clone());
    }
    ["\"tool\"", "'tool'", "\"name\"", "'name'"].iter().find_map(|key| {
        let value = text[text.find(key)? + key.len()..].trim_start().strip_prefix(':')?.trim_start();
        let quote = value.chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
        let name = value[1..].split(quote).next()?;
        let short = !name.is_empty() && name.len() <= 64;
        (short && value[1..].contains(quote)).then(|| name.to_owned())
    })
}
