//! What to leave out when a server refuses a request, judged by what it says about it.
//!
//! Its words are looked at here and go nowhere else: they may quote the user.

use crate::budget::{cost, fit};
use crate::chat::{ChatMessage, Note};
use crate::request::Shape;

/// Changes `shape` to what the server may accept; `None` when there is nothing left to change.
pub fn adapt(shape: &mut Shape, status: u16, said: &str) -> Option<Note> {
    let said = said.to_lowercase();
    let names = |words: &[&str]| words.iter().any(|word| said.contains(word));
    // A server that broke down does not tell us that it cannot do something, unless it says what.
    let refused = matches!(status, 400 | 404 | 415 | 422 | 501);
    if !shape.max_completion_tokens && names(&["max_completion_tokens"]) {
        shape.max_completion_tokens = true;
        return Some(Note::MaxCompletionTokens);
    }
    let schema = names(&["response_format", "json_schema", "response format", "grammar"]);
    if shape.schema && (schema || (refused && !names(&["tool"]))) {
        shape.schema = false;
        return Some(Note::WithoutSchema);
    }
    if shape.tools && names(&["tool", "function call", "function_call"]) {
        shape.tools = false;
        return Some(Note::WithoutTools);
    }
    if shape.temperature && names(&["temperature"]) {
        shape.temperature = false;
        return Some(Note::WithoutTemperature);
    }
    if shape.stream && refused && names(&["stream"]) {
        shape.stream = false;
        return Some(Note::WithoutStreaming);
    }
    None
}

/// The messages that fit the window that the server names, or half of what was sent, if it says that they were too long.
pub fn shorten(messages: &[ChatMessage], said: &str, reply: u32) -> Option<Vec<ChatMessage>> {
    let said = said.to_lowercase();
    let about = said.contains("context") || said.contains("n_ctx");
    if !about || !["exceed", "too long", "too large", "maximum", "longer"].iter().any(|word| said.contains(word)) {
        return None;
    }
    let window = said.split("\"n_ctx\"").nth(1).and_then(|behind| {
        let digits = behind.trim_start_matches([':', ' ']);
        digits.split(|letter: char| !letter.is_ascii_digit()).next()?.parse::<usize>().ok()
    });
    let sent: usize = messages.iter().map(cost).sum();
    let tokens = window.map_or(sent / 2, |window| window.saturating_sub(reply as usize).min(sent * 3 / 4));
    let kept = fit(messages, tokens);
    (kept.len() < messages.len()).then_some(kept)
}
