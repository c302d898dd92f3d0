//! A chat as the bytes of a request.

use serde_json::{Map, Value, json};

use crate::chat::{Call, Chat, ChatMessage, ToolChoice, ToolSpec};
use crate::endpoint::{Endpoint, ToolMode};

/// What is asked for, as far as it depends on what the server can do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    pub stream: bool,
    pub tools: bool,
    pub schema: bool,
    pub temperature: bool,
    pub max_completion_tokens: bool,
}

impl Shape {
    pub fn of(endpoint: &Endpoint, chat: &Chat<'_>) -> Self {
        let learned = endpoint.learned;
        let native = endpoint.tools == ToolMode::Native && !learned.no_tools;
        Self {
            stream: endpoint.streaming && !learned.no_streaming,
            tools: native && !chat.tools.is_empty() && chat.tool_choice != ToolChoice::None,
            schema: endpoint.json_schema && !learned.no_schema && chat.schema.is_some(),
            temperature: endpoint.temperature.is_some() && !learned.no_temperature,
            max_completion_tokens: learned.max_completion_tokens,
        }
    }
}

/// The body, exactly as it is sent.
pub fn body(endpoint: &Endpoint, chat: &Chat<'_>, messages: &[ChatMessage], shape: Shape) -> Vec<u8> {
    let native = endpoint.tools == ToolMode::Native && !endpoint.learned.no_tools && shape.tools;
    let mut body = Map::new();
    body.insert("model".into(), endpoint.model.as_str().into());
    body.insert("messages".into(), messages.iter().map(|message| said(message, native)).collect());
    body.insert("stream".into(), shape.stream.into());
    if let Some(most) = endpoint.max_tokens {
        let key = if shape.max_completion_tokens { "max_completion_tokens" } else { "max_tokens" };
        body.insert(key.into(), most.into());
    }
    if let Some(temperature) = endpoint.temperature.filter(|_| shape.temperature) {
        // Through its decimal form: 0.6 is to be sent, not 0.6000000238418579.
        body.insert("temperature".into(), temperature.to_string().parse::<f64>().map_or(Value::Null, Value::from));
    }
    if shape.tools {
        body.insert("tools".into(), chat.tools.iter().map(tool).collect());
        if chat.tool_choice == ToolChoice::Required {
            body.insert("tool_choice".into(), "required".into());
        }
    }
    if let Some(schema) = chat.schema.filter(|_| shape.schema) {
        let schema = json!({ "name": "answer", "strict": true, "schema": schema });
        body.insert("response_format".into(), json!({ "type": "json_schema", "json_schema": schema }));
    }
    Value::Object(body).to_string().into_bytes()
}

fn tool(tool: &ToolSpec) -> Value {
    let function = json!({ "name": tool.name, "description": tool.description, "parameters": tool.parameters });
    json!({ "type": "function", "function": function })
}

/// Where the server knows no calls, they are in the text, in the form that the prompt asks for.
fn said(message: &ChatMessage, native: bool) -> Value {
    match message {
        ChatMessage::System(text) => json!({ "role": "system", "content": text }),
        ChatMessage::User(text) => json!({ "role": "user", "content": text }),
        ChatMessage::Assistant { text, calls } if calls.is_empty() => json!({ "role": "assistant", "content": text }),
        ChatMessage::Assistant { text, calls } if native => {
            let calls: Vec<Value> = calls.iter().map(called).collect();
            json!({ "role": "assistant", "content": text, "tool_calls": calls })
        }
        ChatMessage::Assistant { text, calls } => {
            let calls = calls.iter().map(|call| json!({ "tool": call.name, "arguments": call.arguments }).to_string());
            let parts: Vec<String> =
                std::iter::once(text.clone()).filter(|text| !text.is_empty()).chain(calls).collect();
            json!({ "role": "assistant", "content": parts.join("\n") })
        }
        ChatMessage::Tool { call_id, content } if native => {
            json!({ "role": "tool", "tool_call_id": call_id, "content": content })
        }
        ChatMessage::Tool { content, .. } => json!({ "role": "user", "content": format!("[tool result] {content}") }),
    }
}

fn called(call: &Call) -> Value {
    let arguments = match &call.arguments {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    json!({ "id": call.id, "type": "function", "function": { "name": call.name, "arguments": arguments } })
}
