//! What a door hears: the events of a session, in order (SPEC §11).

use calm_core::end_session::EndSession;
use calm_core::{Deltas, Format, Kind, Lang, Question, SessionContext, ToolCall, VoiceAnalysis};
use calm_prompts::{Identity, Practice};
use calm_store::SessionId;
use serde::Serialize;

use crate::remembering::Recalled;
use serde_json::Value;

#[derive(Debug, Clone, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum AppEvent {
    SessionStarted {
        session_id: SessionId,
        session_type: Kind,
        format: Format,
        language: Lang,
        backend: String,
        prompt: Identity,
        context: Box<SessionContext>,
    },
    UserTurn {
        text: String,
        voice_analysis: Option<VoiceAnalysis>,
        /// Length of the recording; `null` for typed words, as are the two times.
        audio_seconds: Option<f32>,
        asr_ms: Option<u32>,
        ser_ms: Option<u32>,
    },
    Contour {
        labels: String,
        state: Value,
        micros: u64,
        /// Memories of earlier talks that came to mind.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        recalled: Vec<Recalled>,
    },
    /// A sentence of a reply that is still being written; the whole reply follows. Not among the events of a
    /// terminal.
    ReplyPart {
        text: String,
    },
    /// A model did not answer, or not fit to be heard: the guide does, in the same turn. `code` says why.
    HandedOver {
        code: &'static str,
        detail: Option<String>,
    },
    Reply {
        text: String,
        tool_call: Option<ToolCall>,
        guard: Vec<Value>,
        backend: String,
        first_token_ms: u32,
        total_ms: u32,
        /// For the window: a question with a scale shows ten dots.
        #[serde(skip)]
        asks: Option<Question>,
        /// For the window: the practice that the reply asks about.
        #[serde(skip)]
        offers: Option<Practice>,
        /// For the window: the practice that the user has agreed to.
        #[serde(skip)]
        begins: Option<Box<Practice>>,
    },
    ToolResult {
        tool: &'static str,
        result: Value,
    },
    Sufler {
        score: u8,
        reasons: Vec<String>,
    },
    SessionEnded {
        forced: bool,
        arguments: Box<EndSession>,
        deltas: Deltas,
    },
    Error {
        code: &'static str,
        message: String,
    },
}
