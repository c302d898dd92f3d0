//! What travels between the window and the program: integers, enums and text only.
//!
//! The window's TypeScript types are generated from this file (`ui/src/bindings.ts`).

mod caring;
mod data;
mod history;
mod insights;
mod keeping;
mod memory;
mod prompts;
mod reaching;
mod sandbox;
mod settings;
mod shell;
mod trades;
mod versions;

use calm_app::settings::{Consent, Theme};
use calm_app::{AppError, Format, Kind, Lang};
use serde::{Deserialize, Serialize};
use specta::Type;

pub use caring::{HelpSheet, PracticeSheet};
pub use data::{
    ErasedSheet, ExportBrought, ExportDone, ExportFolder, ExportLook, ExportPlace, ExportUnread, GoneCard,
    PassphraseChange, Retention, RetentionSheet, UnreadWhy,
};
pub use history::{DayCalendar, DayDot, FoundTurn, SessionLine, SessionPage};
pub use insights::InsightSheet;
pub use keeping::{BannedCard, DocumentCard, FactsSheet, NoteCard, PlanAction, PlanCard, ReminderCard, ReminderWhen};
pub use memory::{MemoryCard, MemoryChange, MemoryLevel, MemorySheet, Sense};
pub use prompts::{
    PromptEdit, PromptEditState, PromptFileCard, PromptFinalized, PromptFinding, PromptKnown, PromptLint,
    PromptMessage, PromptPreview, PromptRule, PromptSample, PromptSeverity, PromptShelf, PromptText,
};
pub use reaching::{
    FetchStage, FoundServer, MicrophoneCard, ModelCard, SentCard, ServerCard, ServerKeyPlace, ServerTried, SpeechSpeed,
};
pub use sandbox::{PromptCoverage, PromptGap, ScenarioCard, ScenarioRan, ScenarioTurn};
pub use settings::WireSettings;
pub use shell::ShellSheet;
pub use trades::{
    TradeAnswers, TradeColumn, TradeFormat, TradeImport, TradeLook, TradeNeed, TradePreview, TradesTaken,
};
pub use versions::{
    PromptDecisionCard, PromptDifference, PromptEventKind, PromptFigures, PromptLine, PromptLineKind, PromptMean,
    PromptReason, PromptShare, PromptSide, PromptVariant, PromptVersionCard, PromptVersions, PromptWho,
};

#[derive(Debug, Clone, Serialize, Type)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum WireEvent {
    Snapshot {
        settings: Box<WireSettings>,
        session: Option<SessionView>,
        today: Box<Today>,
        voice: VoiceState,
    },
    SessionStarted {
        session: SessionView,
    },
    UserTurn {
        text: String,
        voice: Option<VoiceReading>,
    },
    /// The first impression of those words; the reply to them follows.
    Sensed {
        sense: Sense,
    },
    /// What the judge of replies made of the newest one: 1–5, and codes for what was wrong with it.
    Judged {
        score: u8,
        reasons: Vec<String>,
    },
    /// `practice` is one that the reply offers; yes or no is said in the next turn. `guard` names the rules that
    /// stopped a sentence of it.
    Reply {
        text: String,
        guard: Vec<String>,
        asks_scale: bool,
        practice: Option<PracticeCard>,
    },
    /// The practice that the user has agreed to; it comes after the reply that tells of it.
    Practice {
        practice: Box<PracticeSheet>,
    },
    /// A sentence of a reply that is still being written; the whole reply follows.
    ReplyPart {
        text: String,
    },
    Listening {
        state: Listening,
    },
    /// A model is on its way to this machine.
    Fetching {
        model: String,
        stage: FetchStage,
        /// 0–100, of the download.
        percent: u8,
    },
    /// A talk of the sandbox is over.
    ScenarioRan {
        ran: Box<ScenarioRan>,
    },
    /// All of them are, and reached this; nothing where they were stopped.
    SandboxOver {
        coverage: Option<PromptCoverage>,
    },
    /// 0–100.
    Level {
        value: u8,
    },
    /// The trial of the microphone is over.
    TrialOver,
    Partial {
        text: String,
    },
    SessionEnded {
        forced: bool,
        summary: Summary,
    },
    Error {
        code: String,
        detail: String,
    },
    /// What the user wanted to be reminded of, where the desktop shows no notifications.
    Reminder {
        text: String,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Type)]
pub enum WireKind {
    #[serde(rename = "check-in")]
    CheckIn,
    #[serde(rename = "check-out")]
    CheckOut,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "lowercase")]
pub enum WireFormat {
    Short,
    Medium,
    Unlimited,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "lowercase")]
pub enum WireLang {
    Ru,
    En,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "lowercase")]
pub enum WireTheme {
    System,
    Light,
    Dark,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "lowercase")]
pub enum VoiceConsent {
    Unasked,
    Yes,
    No,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Type)]
#[serde(rename_all = "lowercase")]
pub enum FeltHeard {
    Yes,
    Partly,
    No,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "lowercase")]
pub enum Listening {
    Off,
    Opening,
    Listening,
    Transcribing,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "lowercase")]
pub enum Who {
    User,
    Calm,
}

#[derive(Debug, Clone, Serialize, Type)]
pub struct SessionView {
    pub id: String,
    pub kind: WireKind,
    pub format: WireFormat,
    pub language: WireLang,
    pub turns: Vec<WireTurn>,
    pub asks_scale: bool,
    pub ended: Option<Summary>,
}

#[derive(Debug, Clone, Serialize, Type)]
pub struct WireTurn {
    pub who: Who,
    pub text: String,
}

#[derive(Debug, Clone, Serialize, Type)]
pub struct Summary {
    pub chips: Vec<Chip>,
    pub next_action: NextAction,
    pub text: String,
    pub deltas: Vec<WireDelta>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum NextAction {
    ProceedToTrade,
    TakeBreak,
    DoPractice,
    SeekSupport,
    None,
}

#[derive(Debug, Clone, Serialize, Type)]
pub struct Chip {
    pub key: String,
    pub value: String,
}

/// The same quantity before and after trading.
#[derive(Debug, Clone, Serialize, Type)]
pub struct WireDelta {
    pub key: String,
    pub before: String,
    pub after: String,
}

#[derive(Debug, Clone, Serialize, Type)]
pub struct Today {
    pub now_iso: String,
    pub check_in: Option<TodaySession>,
    pub check_out: Option<TodaySession>,
    pub streak: Option<WireStreak>,
    pub plan: Option<String>,
}

#[derive(Debug, Clone, Serialize, Type)]
pub struct TodaySession {
    pub id: String,
    pub done: bool,
    /// 1–10.
    pub readiness: Option<u8>,
}

#[derive(Debug, Clone, Serialize, Type)]
pub struct WireStreak {
    #[serde(rename = "type")]
    pub kind: StreakType,
    pub count: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "lowercase")]
pub enum StreakType {
    Losing,
    Winning,
}

#[derive(Debug, Clone, Serialize, Type)]
pub struct VoiceState {
    pub microphone: bool,
    pub models: ModelsState,
    /// One sentence for the user.
    pub advice: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "lowercase")]
pub enum ModelsState {
    Ready,
    Missing,
    Damaged,
}

/// Levels 1–10; absent while calibrating.
#[derive(Debug, Clone, Serialize, Type)]
pub struct VoiceReading {
    pub stress: Option<u8>,
    pub energy: Option<u8>,
    pub emotion: Option<String>,
    pub calibrating: bool,
}

#[derive(Debug, Clone, Serialize, Type)]
pub struct PracticeCard {
    pub id: String,
    pub name: String,
    pub description: String,
    pub minutes: u8,
}

/// A command that was refused: the window has its own words for the code.
#[derive(Debug, Clone, Serialize, Type)]
pub struct WireError {
    pub code: String,
    pub detail: String,
}

impl From<&AppError> for WireError {
    fn from(error: &AppError) -> WireError {
        WireError { code: error.code().to_owned(), detail: error.to_string() }
    }
}

impl From<AppError> for WireError {
    fn from(error: AppError) -> WireError {
        WireError::from(&error)
    }
}

macro_rules! same_variants {
    ($wire:ident = $inner:ident { $($variant:ident),+ }) => {
        impl From<$inner> for $wire {
            fn from(value: $inner) -> $wire {
                match value { $($inner::$variant => $wire::$variant),+ }
            }
        }
        impl From<$wire> for $inner {
            fn from(value: $wire) -> $inner {
                match value { $($wire::$variant => $inner::$variant),+ }
            }
        }
    };
}

pub(crate) use same_variants;

same_variants!(WireKind = Kind { CheckIn, CheckOut });
same_variants!(WireFormat = Format { Short, Medium, Unlimited });
same_variants!(WireLang = Lang { Ru, En });
same_variants!(WireTheme = Theme { System, Light, Dark });
impl From<FeltHeard> for calm_app::Heard {
    fn from(answer: FeltHeard) -> calm_app::Heard {
        match answer {
            FeltHeard::Yes => calm_app::Heard::Yes,
            FeltHeard::Partly => calm_app::Heard::Partly,
            FeltHeard::No => calm_app::Heard::No,
        }
    }
}

same_variants!(VoiceConsent = Consent { Unasked, Yes, No });
