//! What travels between the window and the program: integers, enums and text only.
//!
//! The window's TypeScript types are generated from this file (`ui/src/bindings.ts`).

mod memory;

use calm_app::settings::{Consent, Theme};
use calm_app::{AppError, Format, Kind, Lang, Settings};
use serde::{Deserialize, Serialize};
use specta::Type;

pub use memory::{MemoryCard, MemoryChange, MemoryLevel, MemorySheet, Sense};

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
    /// A sentence of a reply that is still being written; the whole reply follows.
    ReplyPart {
        text: String,
    },
    Listening {
        state: Listening,
    },
    /// 0–100.
    Level {
        value: u8,
    },
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

#[derive(Debug, Clone, Serialize, Deserialize, Type)]
pub struct WireSettings {
    pub version: u32,
    pub language: WireLang,
    /// Empty where the user gave none.
    pub name: String,
    pub trading_style: String,
    /// `HH:MM` in `time_zone`.
    pub day_start: String,
    /// IANA name.
    pub time_zone: String,
    pub theme: WireTheme,
    pub voice_consent: VoiceConsent,
    pub voice_analysis: bool,
    pub adult_confirmed: bool,
    pub backend: String,
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

#[derive(Debug, Clone, Serialize, Type)]
pub struct SessionLine {
    pub id: String,
    pub kind: WireKind,
    pub started_at: String,
    /// 1–10.
    pub readiness: Option<u8>,
    /// 1–10.
    pub stress: Option<u8>,
    pub result: Option<String>,
    pub text: String,
}

#[derive(Debug, Clone, Serialize, Type)]
pub struct SessionPage {
    pub line: SessionLine,
    pub turns: Vec<WireTurn>,
    pub summary: Option<Summary>,
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

impl WireSettings {
    pub fn of(settings: &Settings) -> WireSettings {
        WireSettings {
            version: settings.version,
            language: settings.language.into(),
            name: settings.name.clone().unwrap_or_default(),
            trading_style: settings.trading_style.clone().unwrap_or_default(),
            day_start: settings.day_start.strftime("%H:%M").to_string(),
            time_zone: settings.zone().iana_name().unwrap_or("local").to_owned(),
            theme: settings.theme.into(),
            voice_consent: settings.voice_consent.into(),
            voice_analysis: settings.voice_analysis,
            adult_confirmed: settings.adult_confirmed,
            backend: calm_app::backend::GUIDE.to_owned(),
        }
    }

    /// The window's answers over what is stored; a day start that is no time of day changes nothing.
    pub fn onto(self, settings: &Settings) -> Settings {
        let filled = |text: String| {
            let text = text.trim().to_owned();
            (!text.is_empty()).then_some(text)
        };
        Settings {
            language: self.language.into(),
            name: filled(self.name),
            trading_style: filled(self.trading_style),
            day_start: self.day_start.parse().unwrap_or(settings.day_start),
            theme: self.theme.into(),
            voice_consent: self.voice_consent.into(),
            voice_analysis: self.voice_analysis,
            adult_confirmed: self.adult_confirmed,
            // What the window does not ask about stays.
            ..settings.clone()
        }
    }
}
