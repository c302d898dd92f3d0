//! A scenario file: who is there, what they say turn by turn, and what must then be true.

use calm_core::context::{CheckinFacts, SaidFacts, UserFacts, VoiceFacts};
use calm_core::contour::{Mind, Topic};
use calm_core::end_session::Attributes;
use calm_core::session::{Format, Kind};
use calm_core::{Lang, VoiceAnalysis};
use calm_prompts::Both;
use jiff::Timestamp;
use serde::Deserialize;
use serde_json::{Map, Value};

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    /// One line: what this is about.
    pub description: String,
    pub language: Lang,
    #[serde(rename = "type")]
    pub kind: Kind,
    pub format: Format,
    /// The moment it begins; a fixed one where absent.
    pub now: Option<Timestamp>,
    /// Fixes the guide's choice of words.
    #[serde(default)]
    pub seed: u64,
    #[serde(default)]
    pub context: Given,
    #[serde(default)]
    pub prompt: PromptOptions,
    #[serde(default, rename = "turn")]
    pub turns: Vec<Turn>,
    #[serde(default)]
    pub expect: Expected,
}

/// What is known before the first word; the session's own part comes from the head of the file.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Given {
    pub user: UserFacts,
    pub previous_checkin: Option<CheckinFacts>,
    /// 1 where absent.
    pub session_number_today: Option<u32>,
    /// In place of what memory would know.
    pub mind: Option<GivenMind>,
}

/// What long-term memory has learned; see [`Mind`].
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct GivenMind {
    /// 0–1.
    pub familiarity: f32,
    /// 0–1.
    pub trust: f32,
    pub risk_topics: Vec<Topic>,
}

impl Default for GivenMind {
    fn default() -> GivenMind {
        let Mind { familiarity, trust, risk_topics } = Mind::default();
        GivenMind { familiarity, trust, risk_topics }
    }
}

impl From<GivenMind> for Mind {
    fn from(given: GivenMind) -> Mind {
        Mind { familiarity: given.familiarity, trust: given.trust, risk_topics: given.risk_topics }
    }
}

/// How the prompt is rendered, for the branches that a talk with the guide does not reach.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct PromptOptions {
    /// `ru`, `en`, `es` or `id`; the session's language where absent.
    pub envelope: Option<String>,
    /// `native` or `text`.
    pub tools: Option<String>,
    /// Without the knowledge base.
    pub plain: bool,
    /// Overrides what the talk has revealed.
    pub said: Option<SaidFacts>,
    /// Overrides the voice of every turn.
    pub voice: Option<VoiceFacts>,
    /// No session at all is known.
    pub no_session: bool,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Turn {
    pub say: String,
    pub voice: Option<VoiceAnalysis>,
    #[serde(default)]
    pub expect: ExpectedReply,
}

/// About one reply. Words are compared without regard to case and to ё.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ExpectedReply {
    /// At least one of these is in it.
    pub any_of: Vec<String>,
    pub none_of: Vec<String>,
    /// The name of the tool that is called, or `none`.
    pub tool: Option<String>,
    /// Whether it ends in a question.
    pub asks: Option<bool>,
}

/// About the session as a whole.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Expected {
    /// By the agent itself, before the turns were used up.
    pub ended: Option<bool>,
    /// Of `extracted_attributes`; the text `"null"` says that it must be null.
    pub attributes: Map<String, Value>,
    /// Raised, every one.
    pub flags: Vec<String>,
    /// Not raised.
    pub no_flags: Vec<String>,
    pub next_action: Option<String>,
    /// Every scored reply reaches at least this, 1–5.
    pub least_sufler: Option<u8>,
    /// Whether the same talk without the contour's labels is answered in other words.
    pub labels_matter: Option<bool>,
}

/// A scenario file that cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("{file}: {problem}")]
pub struct ScenarioError {
    pub file: String,
    pub problem: Both,
}

impl ExpectedReply {
    pub fn is_empty(&self) -> bool {
        self.any_of.is_empty() && self.none_of.is_empty() && self.tool.is_none() && self.asks.is_none()
    }
}

const FLAGS: [&str; 6] =
    ["high_stress", "tilt_risk", "overconfidence", "fatigue", "revenge_trading_risk", "needs_attention"];
const TOOLS: [&str; 9] = [
    "suggest_practice",
    "end_session",
    "get_user_history",
    "set_reminder",
    "get_market_context",
    "escalate_to_human",
    "run_trigger",
    "calculate",
    "none",
];

impl Scenario {
    /// # Errors
    /// The file is not valid TOML, has a field that there is not, or expects a flag, tool or attribute that never comes.
    pub fn parse(file: &str, text: &str) -> Result<Scenario, ScenarioError> {
        let scenario = Scenario::read(file, text)?;
        let wrong = |ru: String, en: String| Err(ScenarioError { file: file.to_owned(), problem: Both { ru, en } });
        let expect = &scenario.expect;
        if let Some(flag) = expect.flags.iter().chain(&expect.no_flags).find(|flag| !FLAGS.contains(&flag.as_str())) {
            return wrong(format!("флага {flag} не бывает"), format!("there is no flag {flag}"));
        }
        let mut tools = scenario.turns.iter().filter_map(|turn| turn.expect.tool.as_deref());
        if let Some(tool) = tools.find(|tool| !TOOLS.contains(tool)) {
            return wrong(format!("инструмента {tool} не бывает"), format!("there is no tool {tool}"));
        }
        let known = serde_json::to_value(Attributes::default()).unwrap_or_default();
        if let Some((name, _)) = expect.attributes.iter().find(|(name, _)| known.get(name.as_str()).is_none()) {
            return wrong(format!("значения {name} не бывает"), format!("there is no attribute {name}"));
        }
        Ok(scenario)
    }

    fn read(file: &str, text: &str) -> Result<Scenario, ScenarioError> {
        toml::from_str(text).map_err(|error: toml::de::Error| {
            let line =
                error.span().map_or(1, |span| text.get(..span.start).unwrap_or_default().matches('\n').count() + 1);
            // What is wrong with TOML is said by its reader, in English.
            let (ru, en) = (format!("строка {line}: {}", error.message()), format!("line {line}: {}", error.message()));
            ScenarioError { file: file.to_owned(), problem: Both { ru, en } }
        })
    }
}
