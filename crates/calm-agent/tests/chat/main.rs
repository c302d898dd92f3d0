//! Replies of a scripted server, good and bad.
#![allow(clippy::unwrap_used)]

mod fallbacks;
mod limits;
mod privacy;
mod reasoning;
mod refusals;
mod replies;
#[path = "../support/mod.rs"]
mod support;
mod talk;

use std::ops::ControlFlow;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use calm_agent::{
    ApiKey, Call, Cancel, Chat, ChatMessage, Completion, Endpoint, EndpointError, Finish, Http, HttpSettings, Learned,
    Ledger, NotRecorded, Note, Outgoing, Phase, Reach, Reasoning, Receipt, Timeouts, ToolChoice, ToolMode, ToolSpec,
};
use rstest::rstest;
use serde_json::{Value, json};
use support::*;

#[derive(Default)]
struct Book {
    rows: Mutex<Vec<Outgoing>>,
    answers: Mutex<Vec<(i64, u16)>>,
    broken: bool,
}

impl Ledger for Book {
    fn about_to_send(&self, outgoing: &Outgoing) -> Result<Receipt, NotRecorded> {
        if self.broken {
            return Err(NotRecorded);
        }
        let mut rows = self.rows.lock().unwrap();
        rows.push(outgoing.clone());
        Ok(Receipt(rows.len() as i64))
    }

    fn answered(&self, receipt: Receipt, status: u16) {
        self.answers.lock().unwrap().push((receipt.0, status));
    }
}

fn settings() -> HttpSettings {
    HttpSettings { first_wait: Duration::from_millis(20), ..HttpSettings::default() }
}

fn http() -> Http {
    Http::new(settings(), Arc::<Book>::default())
}

fn endpoint(server: &Server) -> Endpoint {
    Endpoint {
        name: "scripted".into(),
        base_url: server.base_url(),
        model: "small".into(),
        key: None,
        tools: ToolMode::Native,
        streaming: true,
        json_schema: true,
        context_tokens: None,
        timeouts: Timeouts::default(),
        temperature: Some(0.6),
        max_tokens: Some(400),
        learned: Learned { reasoning: Reasoning::Marked, ..Learned::default() },
    }
}

fn tools() -> Vec<ToolSpec> {
    ["suggest_practice", "end_session"]
        .map(|name| ToolSpec {
            name: name.into(),
            description: "A tool.".into(),
            parameters: json!({ "type": "object" }),
        })
        .into()
}

fn talk() -> Vec<ChatMessage> {
    vec![ChatMessage::System("Ты — Calm.".into()), ChatMessage::User("Злюсь на рынок".into())]
}

fn chat<'a>(messages: &'a [ChatMessage], tools: &'a [ToolSpec]) -> Chat<'a> {
    Chat { messages, tools, tool_choice: ToolChoice::Auto, fields: &["turn", "memories"], schema: None }
}

/// The reply, and what was handed on while it came.
fn ask_with(http: &Http, endpoint: &Endpoint) -> (Result<Completion, EndpointError>, String) {
    let mut shown = String::new();
    let reply = http.chat(endpoint, &chat(&talk(), &tools()), &Cancel::new(), &mut |text| {
        shown.push_str(text);
        ControlFlow::Continue(())
    });
    (reply, shown)
}

fn ask(endpoint: &Endpoint) -> (Result<Completion, EndpointError>, String) {
    ask_with(&http(), endpoint)
}

/// A good reply, of which all that was handed on is its text.
fn reply_of(server: &Server) -> Completion {
    let (reply, shown) = ask(&endpoint(server));
    let reply = reply.expect("a reply");
    assert_eq!(shown, reply.text);
    reply
}

fn reply_to(answer: Answer) -> Completion {
    reply_of(&Server::new([answer]))
}

const SAID: &str = "Понимаю, тяжёлое утро. Что сейчас сильнее — злость или усталость? 🙂";

fn named(name: &str, arguments: impl Into<Value>) -> Value {
    let arguments: Value = arguments.into();
    json!({ "name": name, "arguments": arguments })
}
