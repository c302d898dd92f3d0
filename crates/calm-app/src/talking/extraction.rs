//! The record of a session that nobody said goodbye in: one request to the model, checked like any other (SPEC S6).
//!
//! Code has its own reading of every word and does not need this; a model may put the story into a sentence.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use calm_agent::{Cancel, Chat, Timeouts, ToolChoice};
use calm_core::tools::{self, ToolCall};
use calm_core::{Effect, EndSession};
use serde_json::Value;

use super::{messages, notes};
use crate::conductor::Conductor;

/// Somebody is about to go: they wait this long at most.
const PATIENCE: Duration = Duration::from_secs(6);

impl Conductor {
    /// What the model makes of the talk; `None` where no model holds it, it failed lately, or there is nothing to tell.
    pub(crate) fn extracted(&mut self) -> Option<EndSession> {
        let running = self.running.as_ref()?;
        // Whoever did not wait for a reply does not wait for a record.
        let hurried = running.told == Some("cancelled");
        let silent = hurried || running.in_crisis() || running.failures > 0;
        let words = running.talk.iter().rev().find_map(|(user, _)| user.clone()).filter(|_| !silent)?;
        let (server, endpoint) = running.endpoint().map(|(server, endpoint)| (server.clone(), endpoint.clone()))?;
        let (language, fields) = (running.language, running.fields());
        let talk = running.talk.clone();
        let prompt = self.prompt_for(&words, None).ok()?;
        let mut all = messages::assembled(&prompt, &talk, None, "", notes::extraction(language));
        if server.single_system {
            all = messages::with_single_system(all);
        }
        let mut endpoint = endpoint;
        endpoint.timeouts = Timeouts { first_token: PATIENCE, idle: PATIENCE, whole: PATIENCE, ..endpoint.timeouts };
        endpoint.streaming = false;
        let spec = tools::specs().iter().find(|spec| spec.name == "end_session")?;
        let chat = Chat {
            messages: &all,
            tools: &[],
            tool_choice: ToolChoice::None,
            fields: &fields,
            schema: Some(&spec.parameters),
        };
        let http = Arc::clone(self.http());
        let answer = http.chat(&endpoint, &chat, &Cancel::new(), &mut |_| ControlFlow::Continue(()));
        match answer {
            Ok(completion) => read(&completion.text, completion.calls.into_iter().next().map(|call| call.arguments)),
            Err(error) => {
                tracing::info!(%error, "no record from the model; the session is closed with what code has read");
                None
            }
        }
    }

    /// The ending of a step with what the model gave for it, as far as that stands.
    pub(crate) fn completed(&self, effects: Vec<Effect>, given: Option<&EndSession>) -> Vec<Effect> {
        let Some((running, given)) = self.running.as_ref().zip(given) else { return effects };
        let complete = |effect| match effect {
            Effect::End { forced, ending } => {
                let ending = running.checked(given).map_or(ending, |(checked, _)| Box::new(checked));
                Effect::End { forced, ending }
            }
            other => other,
        };
        effects.into_iter().map(complete).collect()
    }
}

/// A record in a call, or written out.
fn read(text: &str, call: Option<Value>) -> Option<EndSession> {
    let written = || {
        let (from, to) = (text.find('{')?, text.rfind('}')?);
        serde_json::from_str(text.get(from..=to)?).ok()
    };
    let arguments: Value = call.or_else(written)?;
    // Some write the call around it.
    let arguments = arguments.get("arguments").or_else(|| arguments.get("parameters")).cloned().unwrap_or(arguments);
    match tools::read("end_session", &arguments) {
        Ok(ToolCall::EndSession(given)) => Some(*given),
        _ => None,
    }
}
