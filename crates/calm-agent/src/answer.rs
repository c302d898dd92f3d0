//! What a server's JSON says: text, calls, the end, or an error.

use serde_json::{Map, Value};

use crate::chat::{Call, Finish};
use crate::reply::parsed;

/// No reply needs more; the rest is dropped.
const MOST_CALLS: usize = 32;

/// The server's own parts of an answer, put together from pieces or from one object.
#[derive(Debug, Default)]
pub struct Answer {
    partial: Vec<Partial>,
    pub finish: Option<Finish>,
    /// Something of a chat answer was in what came.
    pub understood: bool,
    /// Reasoning came in a field of its own.
    pub reasoning: bool,
    /// The server reported an error in place of a reply; with the status it named, if any.
    pub error: Option<Option<u16>>,
}

#[derive(Debug, Default)]
struct Partial {
    index: Option<u64>,
    id: String,
    name: String,
    text: String,
    /// Arguments that came as JSON and not as a string with JSON in it.
    value: Option<Value>,
}

impl Answer {
    /// Reads one object, a piece of a stream or a whole answer; `text` is given its text.
    pub fn read(&mut self, object: &Value, text: &mut dyn FnMut(&str)) {
        if let Some(error) = object.get("error").filter(|error| !error.is_null()) {
            self.understood = true;
            self.error = Some(status_in(error));
            return;
        }
        let Some(choice) = object.get("choices").and_then(|choices| choices.get(0)) else {
            // The last piece of some servers only counts tokens.
            self.understood |= object.get("choices").is_some_and(Value::is_array);
            return;
        };
        self.understood = true;
        let message = choice.get("delta").filter(|delta| delta.is_object()).or_else(|| choice.get("message"));
        if let Some(message) = message {
            self.message(message, text);
        } else if let Some(said) = choice.get("text").and_then(Value::as_str) {
            text(said);
        }
        if let Some(reason) = choice.get("finish_reason").and_then(Value::as_str).filter(|reason| !reason.is_empty()) {
            self.finish = Some(match reason {
                "length" | "max_tokens" | "model_length" => Finish::Length,
                "tool_calls" | "function_call" => Finish::Tools,
                "content_filter" | "error" => Finish::Cut,
                _ => Finish::Stop,
            });
        }
    }

    fn message(&mut self, message: &Value, text: &mut dyn FnMut(&str)) {
        for field in ["reasoning_content", "reasoning", "thinking"] {
            let reasoning = message.get(field);
            self.reasoning |= reasoning.is_some_and(|reasoning| !reasoning.is_null() && reasoning.as_str() != Some(""));
        }
        match message.get("content") {
            Some(Value::String(said)) => text(said),
            Some(Value::Array(parts)) => {
                for part in parts {
                    match part.get("type").and_then(Value::as_str) {
                        Some("thinking" | "reasoning") => self.reasoning = true,
                        _ => part.get("text").and_then(Value::as_str).into_iter().for_each(&mut *text),
                    }
                }
            }
            _ => {}
        }
        match message.get("tool_calls") {
            Some(Value::Array(calls)) => calls.iter().for_each(|call| self.call(call)),
            Some(call @ Value::Object(_)) => self.call(call),
            _ => {}
        }
        if let Some(function) = message.get("function_call").filter(|call| call.is_object()) {
            self.call(&Value::Object(Map::from_iter([("function".to_owned(), function.clone())])));
        }
    }

    /// Pieces of one call are told by their index; where there is none, by the identity and the name.
    fn call(&mut self, piece: &Value) {
        let function = piece.get("function").unwrap_or(piece);
        let index = piece.get("index").and_then(Value::as_u64);
        let id = piece.get("id").and_then(Value::as_str).unwrap_or_default();
        let name = function.get("name").and_then(Value::as_str).unwrap_or_default();
        let known = match index {
            Some(_) => self.partial.iter().rposition(|partial| partial.index == index),
            None => self.partial.len().checked_sub(1),
        };
        // The same index with another identity, or another name: servers that number every call 0.
        let known = known.filter(|&known| {
            let partial = &self.partial[known];
            let other_id = !id.is_empty() && !partial.id.is_empty() && id != partial.id;
            let other_name = !name.is_empty() && !partial.name.is_empty() && partial.is_whole();
            !(other_id || other_name)
        });
        let known = match known {
            Some(known) => known,
            None if self.partial.len() >= MOST_CALLS => return,
            None => {
                self.partial.push(Partial { index, ..Partial::default() });
                self.partial.len() - 1
            }
        };
        let partial = &mut self.partial[known];
        if partial.id.is_empty() {
            id.clone_into(&mut partial.id);
        }
        if partial.name.is_empty() {
            name.clone_into(&mut partial.name);
        }
        match function.get("arguments").or_else(|| function.get("parameters")) {
            Some(Value::String(text)) => partial.text.push_str(text),
            Some(Value::Null) | None => {}
            Some(value) => partial.value = Some(value.clone()),
        }
    }

    /// Calls in order; one without a name is none.
    pub fn calls(&mut self) -> Vec<Call> {
        let named = std::mem::take(&mut self.partial).into_iter().filter(|partial| !partial.name.is_empty());
        let calls = named.enumerate().map(|(number, partial)| Call {
            id: if partial.id.is_empty() { format!("call_{number}") } else { partial.id },
            name: partial.name.trim_start_matches("functions.").to_owned(),
            arguments: partial.value.unwrap_or_else(|| parsed(Value::String(partial.text))),
        });
        calls.collect()
    }
}

impl Partial {
    /// Nothing can be missing any more.
    fn is_whole(&self) -> bool {
        self.value.is_some() || serde_json::from_str::<Map<String, Value>>(&self.text).is_ok()
    }
}

fn status_in(error: &Value) -> Option<u16> {
    let code = ["code", "status", "status_code"].iter().find_map(|key| error.get(*key))?;
    let number = code.as_u64().or_else(|| code.as_str()?.parse().ok())?;
    u16::try_from(number).ok()
}
