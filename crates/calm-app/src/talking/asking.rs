//! One request to a model, with everything that it needs on its way.

use std::ops::ControlFlow;
use std::sync::Arc;

use calm_agent::{Cancel, Chat, ChatMessage, Completion, Endpoint, EndpointError, Http, ToolChoice, ToolSpec};
use serde_json::Value;

use super::gate::{Gate, Rules, Stop};

/// Ready to go; see [`Ask::run`].
pub struct Ask {
    /// Whose answer it will be: an answer to another ticket is nobody's any more.
    pub(super) ticket: u64,
    pub(super) http: Arc<Http>,
    pub(super) endpoint: Endpoint,
    pub(super) messages: Vec<ChatMessage>,
    pub(super) tools: Arc<Vec<ToolSpec>>,
    pub(super) tool_choice: ToolChoice,
    pub(super) fields: Vec<&'static str>,
    pub(super) rules: Arc<Rules>,
    /// Sentences that this turn has shown already.
    pub(super) shown: Vec<String>,
    pub(super) cancel: Cancel,
}

/// What came of a request.
pub struct Asked {
    pub(super) ticket: u64,
    pub(super) result: Result<Completion, EndpointError>,
    pub(super) shown: Vec<String>,
    pub(super) stop: Option<Stop>,
    pub(super) stopped_by: Option<String>,
    pub(super) hits: Vec<Value>,
}

impl Ask {
    /// Cuts this request off, from another thread.
    pub fn canceller(&self) -> Cancel {
        self.cancel.clone()
    }

    /// Asks, and hands every sentence that may be seen to `show` while the rest still comes.
    ///
    /// Blocks until the model is done, its time is over, or somebody cancels.
    pub fn run(&self, show: &mut dyn FnMut(&str)) -> Asked {
        let mut gate = Gate::new(&self.rules, &self.shown);
        let chat = Chat {
            messages: &self.messages,
            tools: &self.tools,
            tool_choice: self.tool_choice,
            fields: &self.fields,
            schema: None,
        };
        let mut take = |piece: &str| -> ControlFlow<()> { gate.push(piece, show) };
        let result = self.http.chat(&self.endpoint, &chat, &self.cancel, &mut take);
        // Half a sentence of a connection that broke says nothing, and may say the opposite.
        if result.is_ok() {
            gate.finish(show);
        }
        Asked {
            ticket: self.ticket,
            result,
            shown: gate.shown().to_vec(),
            stop: gate.stop(),
            stopped_by: gate.stopped_by().map(str::to_owned),
            hits: gate.hits().to_vec(),
        }
    }
}
