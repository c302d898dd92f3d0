//! A second opinion on a turn that is over: the model says what the talk was doing and how the reply went (SPEC C5, C6).
//!
//! On a thread of its own, after everything has been written and shown; off unless the user asks for it, since it is
//! one more request. The rules' own score stands; what the model thinks is kept beside it.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use calm_agent::{Cancel, Chat, ChatMessage, Endpoint, Http, Timeouts, ToolChoice};
use calm_core::Lang;
use calm_core::contour::Method;
use calm_store::{Secrets, SessionId, Store};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::composing::Composed;
use crate::conductor::Conductor;
use crate::error::AppError;

/// Nobody waits for it, but it does not hold a model for ever.
const PATIENCE: Duration = Duration::from_secs(120);
/// Scores further apart than this disagree.
const APART: u8 = 1;

/// The opinion that is being asked for.
pub(crate) struct Judging {
    cancel: Cancel,
    thread: Option<JoinHandle<()>>,
    /// The newest method that a model named.
    method: Arc<Mutex<Option<Method>>>,
}

/// The turn that is judged.
struct Case {
    session: SessionId,
    seq: u32,
    said: String,
    reply: String,
    by_rules: Value,
    method: Method,
    language: Lang,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
struct Opinion {
    method: Method,
    score: u8,
    #[serde(default)]
    reason: String,
}

impl Judging {
    pub fn nothing() -> Judging {
        Judging { cancel: Cancel::new(), thread: None, method: Arc::default() }
    }

    /// The method of the newest turn that a model has judged; it places words that the rules cannot.
    pub fn method(&self) -> Option<Method> {
        *self.method.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_busy(&self) -> bool {
        self.thread.as_ref().is_some_and(|thread| !thread.is_finished())
    }
}

impl Drop for Judging {
    fn drop(&mut self) {
        self.cancel.cancel();
        if let Some(thread) = self.thread.take() {
            thread.join().ok();
        }
    }
}

impl Conductor {
    /// Asks for an opinion on the turn that has just been answered; one at a time, never in a crisis.
    pub(crate) fn judge(&mut self, seq: u32, said: &str, method: Method, composed: &Composed) {
        let asked = self.settings().second_opinion && !self.judging.is_busy();
        let Some(running) = self.running.as_ref().filter(|running| asked && !running.in_crisis()) else { return };
        let Some((server, endpoint)) = running.endpoint() else { return };
        let Some((_, reply)) = running.talk.last() else { return };
        let mut endpoint = endpoint.clone();
        endpoint.timeouts = Timeouts { first_token: PATIENCE, idle: PATIENCE, whole: PATIENCE, ..endpoint.timeouts };
        endpoint.streaming = false;
        let case = Case {
            session: running.id,
            seq,
            said: said.to_owned(),
            reply: reply.clone(),
            by_rules: composed.sufler.clone().unwrap_or_default(),
            method,
            language: running.language,
        };
        let (http, cancel, single_system) = (Arc::clone(self.http()), Cancel::new(), server.single_system);
        let (data, secrets) = (self.paths().data.clone(), self.secrets());
        let (known, cut) = (Arc::clone(&self.judging.method), cancel.clone());
        let body = move || {
            let messages = messages(&case, single_system);
            let Some(opinion) = ask(&http, &endpoint, &messages, &cut) else { return };
            *known.lock().unwrap_or_else(PoisonError::into_inner) = Some(opinion.method);
            if let Err(error) = keep(&data, secrets, &case, &opinion) {
                tracing::warn!(%error, "a second opinion was not kept");
            }
        };
        self.judging.cancel = cancel;
        self.judging.thread = std::thread::Builder::new().name("opinion".to_owned()).spawn(body).ok();
    }
}

/// About a hundred tokens beside the two texts.
fn messages(case: &Case, single_system: bool) -> Vec<ChatMessage> {
    let task = match case.language {
        Lang::Ru => {
            "Ты оцениваешь ответ помощника, который выслушивает трейдера до и после торговли. Он не советует, не судит, \
             не обещает и говорит коротко. Верни JSON: method, одно из dialogue, check-in, check-out, plan, review, \
             practice, risk, distress (чем занят разговор), score от 1 до 5 и reason в нескольких словах."
        }
        Lang::En => {
            "You rate the reply of a helper who listens to a trader before and after trading. It gives no advice, judges \
             nobody, promises nothing and is short. Return JSON: method, one of dialogue, check-in, check-out, plan, \
             review, practice, risk, distress (what the talk is doing), score from 1 to 5, and reason in a few words."
        }
    };
    let turn = json!({"person": case.said, "reply": case.reply}).to_string();
    if single_system {
        return vec![ChatMessage::User(format!("{task}\n\n{turn}"))];
    }
    vec![ChatMessage::System(task.to_owned()), ChatMessage::User(turn)]
}

fn ask(http: &Http, endpoint: &Endpoint, messages: &[ChatMessage], cancel: &Cancel) -> Option<Opinion> {
    let schema = json!({
        "type": "object",
        "properties": {
            "method": {"enum": ["dialogue", "check-in", "check-out", "plan", "review", "practice", "risk", "distress"]},
            "score": {"type": "integer", "minimum": 1, "maximum": 5},
            "reason": {"type": "string"},
        },
        "required": ["method", "score"],
    });
    let chat = Chat { messages, tools: &[], tool_choice: ToolChoice::None, fields: &["talk"], schema: Some(&schema) };
    match http.chat(endpoint, &chat, cancel, &mut |_| ControlFlow::Continue(())) {
        Ok(completion) => read(&completion.text),
        Err(error) => {
            tracing::info!(%error, "no second opinion on a turn");
            None
        }
    }
}

/// An object somewhere in the answer, within its bounds.
fn read(text: &str) -> Option<Opinion> {
    let (from, to) = (text.find('{')?, text.rfind('}')?);
    let opinion: Opinion = serde_json::from_str(text.get(from..=to)?).ok()?;
    (1..=5).contains(&opinion.score).then_some(opinion)
}

fn keep(data: &Path, secrets: Secrets, case: &Case, opinion: &Opinion) -> Result<(), AppError> {
    let score = case.by_rules.get("score").and_then(Value::as_u64).unwrap_or_default();
    let apart = u64::from(opinion.score).abs_diff(score) > u64::from(APART);
    let mut kept = case.by_rules.clone();
    kept["judge"] = json!({"score": opinion.score, "method": opinion.method, "reason": opinion.reason});
    kept["disagree"] = json!({"score": apart, "method": opinion.method != case.method});
    Ok(Store::open(data, secrets)?.set_sufler(case.session, case.seq, &kept)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case::plain(r#"{"method":"risk","score":2,"reason":"advice"}"#, Some((Method::Risk, 2)))]
    #[case::fenced("```json\n{\"method\": \"check-out\", \"score\": 5}\n```", Some((Method::CheckOut, 5)))]
    #[case::out_of_bounds(r#"{"method":"risk","score":9}"#, None)]
    #[case::no_such_method(r#"{"method":"poetry","score":3}"#, None)]
    #[case::prose("five out of five", None)]
    fn opinions(#[case] text: &str, #[case] expected: Option<(Method, u8)>) {
        assert_eq!(read(text).map(|it| (it.method, it.score)), expected);
    }
}
