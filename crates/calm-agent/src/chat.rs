//! What is asked of a model, and what came of it.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::endpoint::Learned;
use crate::reply::value_at;

/// One request for a reply.
#[derive(Debug, Clone, Copy)]
pub struct Chat<'a> {
    pub messages: &'a [ChatMessage],
    /// Their names also tell a call in the text from other JSON.
    pub tools: &'a [ToolSpec],
    pub tool_choice: ToolChoice,
    /// For the ledger: names of the user's data in the messages.
    pub fields: &'a [&'a str],
    /// The reply is to be JSON of this shape; it is handed on as it is. Servers that cannot do it are asked without.
    pub schema: Option<&'a Value>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChatMessage {
    System(String),
    User(String),
    Assistant { text: String, calls: Vec<Call> },
    Tool { call_id: String, content: String },
}

/// A tool as the model is told of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolSpec {
    pub name: String,
    pub description: String,
    /// JSON Schema of the arguments.
    pub parameters: Value,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ToolChoice {
    #[default]
    Auto,
    None,
    Required,
}

/// A call as the model wrote it; nothing in it has been checked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Call {
    pub id: String,
    pub name: String,
    /// JSON where it could be read as such, else a string with what was written.
    pub arguments: Value,
}

/// What the model said.
#[derive(Debug, Clone, PartialEq)]
pub struct Completion {
    /// Without reasoning, calls and white space around it: the pieces that `on_text` was given, put together, unless
    /// [`Note::ReasoningShown`] says otherwise. Empty when the model only called, only reasoned or said nothing.
    pub text: String,
    /// In the order in which they were made.
    pub calls: Vec<Call>,
    /// From the call of `chat` to the first piece of text.
    pub first_token: Option<Duration>,
    pub finish: Finish,
    /// Each at most once, apart from those with a number.
    pub notes: Vec<Note>,
    /// To be kept with the endpoint for the next request.
    pub learned: Learned,
}

impl Completion {
    /// The first JSON object of a reply that was asked for by a schema: the whole of it, in a fence, or after words.
    pub fn json(&self) -> Option<Value> {
        let mut from = 0;
        for _ in 0..8 {
            from += self.text[from..].find('{')?;
            match value_at(&self.text[from..]) {
                Some((value @ Value::Object(_), _)) => return Some(value),
                _ => from += 1,
            }
        }
        None
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Finish {
    Stop,
    /// The longest reply allowed was reached: the last sentence may be half.
    Length,
    Tools,
    /// Stopped by us or by the server's filter: by `on_text`, for length, or because it went in circles.
    Cut,
}

/// What happened on the way, for the record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Note {
    /// The reply held reasoning; it is gone.
    ReasoningStripped,
    /// Reasoning without an opening tag had been handed on before its end showed what it was. `text` is without it.
    ReasoningShown,
    /// A call was written in the text, and was read.
    TextCall,
    /// It stood in a code fence.
    FencedCall,
    /// Something like a call was in the text, and nothing could be read from it; it is not in `text`.
    BrokenCall,
    /// The model went in circles.
    Repeated,
    /// Longer than any reply may be.
    Capped,
    /// The caller did not want more.
    Stopped,
    /// The answer ended without saying so, after a whole sentence.
    NoEndMark,
    /// Lines of the stream that could not be read.
    Garbled,
    /// Sent again this often because the server was busy or not there.
    Retried(u8),
    /// The answer came in one piece although it was to be streamed.
    NotStreamed,
    /// The streamed answer was useless; asked again without streaming.
    WithoutStreaming,
    WithoutTools,
    WithoutSchema,
    WithoutTemperature,
    MaxCompletionTokens,
    /// This many of the oldest messages were left out to fit the model's window.
    Forgotten(u32),
}
