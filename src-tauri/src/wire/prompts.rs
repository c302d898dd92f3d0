//! The prompts as somebody edits them: files, findings, what would be sent.

use calm_app::Lang;
use calm_app::prompting::edits::{Shelf, ShelfFile};
use calm_app::prompting::{Known, Linted, Rendered, Sample, previewing};
use calm_app::prompts::envelope::HARD_LIMIT;
use calm_app::prompts::lint::{self, Finding, Rule, Severity};
use calm_app::prompts::overlay::ChangeKind;
use serde::{Deserialize, Serialize};
use serde_json::json;
use specta::Type;

use super::{WireFormat, WireKind, WireLang};

#[derive(Debug, Clone, Serialize, Type)]
pub struct PromptShelf {
    /// That new sessions use.
    pub version: String,
    /// That version is the user's own.
    pub own: bool,
    /// The version that the edits are already; empty where they are none yet.
    pub edits_are: String,
    pub files: Vec<PromptFileCard>,
    /// Why the edits cannot be used as they are; empty where they can.
    pub problem: String,
}

#[derive(Debug, Clone, Serialize, Type)]
pub struct PromptFileCard {
    pub path: String,
    pub edit: PromptEditState,
    /// Text was written that is not kept as an edit.
    pub unsaved: bool,
    /// Nobody edits it.
    pub fixed: bool,
}

/// Against what came with the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "lowercase")]
pub enum PromptEditState {
    None,
    Added,
    Changed,
    Removed,
}

#[derive(Debug, Clone, Serialize, Type)]
pub struct PromptText {
    pub path: String,
    /// With the edit.
    pub text: String,
    /// Written and not kept; the same as `text` where there is nothing.
    pub unsaved: String,
    /// As it came; the same as `text` where it is not edited.
    pub shipped: String,
}

/// The text of a file that is being written.
#[derive(Debug, Clone, Deserialize, Type)]
pub struct PromptEdit {
    pub path: String,
    pub text: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum PromptSeverity {
    HardFail,
    Warn,
    Info,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum PromptRule {
    AntiAi,
    Officialese,
    MarkdownMessenger,
    LintParadox,
    RuntimeBannedTerm,
    AgentBannedTerm,
    ScopeConsistency,
    PromptLength,
    DuplicatesEnvelope,
    MissingSection,
    ToolNameMention,
    WellnessWording,
    FrontMatter,
    BrokenFile,
}

#[derive(Debug, Clone, Serialize, Type)]
pub struct PromptFinding {
    pub rule: PromptRule,
    pub severity: PromptSeverity,
    pub file: String,
    /// From 1; the column and the length in characters.
    pub line: u32,
    pub column: u32,
    pub length: u32,
    /// In the language of the window, as the terminal says it.
    pub message: String,
    pub hint: String,
}

#[derive(Debug, Clone, Serialize, Type)]
pub struct PromptLint {
    pub files: u32,
    pub findings: Vec<PromptFinding>,
}

/// What has become of the wish for a new version.
#[derive(Debug, Clone, Serialize, Type)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub enum PromptFinalized {
    Done {
        version: String,
        files: u32,
    },
    NothingChanged,
    /// The linter has a hard fail.
    Lint {
        lint: PromptLint,
    },
    Taken {
        version: String,
    },
    /// The same edit was a version before, and was gone back from.
    Retired {
        version: String,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "lowercase")]
pub enum PromptKnown {
    Nothing,
    Example,
    Own,
}

/// What is to be shown as it would be sent.
#[derive(Debug, Clone, Deserialize, Type)]
pub struct PromptSample {
    pub kind: WireKind,
    pub format: WireFormat,
    pub language: WireLang,
    /// `ru`, `en`, `es` or `id`.
    pub envelope: String,
    pub plain: bool,
    pub native_tools: bool,
    pub known: PromptKnown,
    /// Empty where nothing is said.
    pub said: String,
    pub edits: bool,
}

#[derive(Debug, Clone, Serialize, Type)]
pub struct PromptPreview {
    pub messages: Vec<PromptMessage>,
    /// Of all messages.
    pub characters: u32,
    /// A warning from there, and no message beyond.
    pub warned_from: u32,
    pub most: u32,
    pub version: String,
    /// Why there is nothing to show; one line. Empty otherwise.
    pub problem: String,
}

#[derive(Debug, Clone, Serialize, Type)]
pub struct PromptMessage {
    /// `system` or `user`.
    pub role: String,
    pub text: String,
    pub characters: u32,
}

impl PromptShelf {
    pub fn of(shelf: &Shelf, version: String, own: bool, edits_are: String) -> PromptShelf {
        let problem = shelf.problem.as_ref().map(ToString::to_string).unwrap_or_default();
        let files = shelf.files.iter().map(PromptFileCard::from).collect();
        PromptShelf { version, own, edits_are, files, problem }
    }
}

impl From<&ShelfFile> for PromptFileCard {
    fn from(file: &ShelfFile) -> PromptFileCard {
        let edit = match file.edited {
            None => PromptEditState::None,
            Some(ChangeKind::Added) => PromptEditState::Added,
            Some(ChangeKind::Changed) => PromptEditState::Changed,
            Some(ChangeKind::Removed) => PromptEditState::Removed,
        };
        PromptFileCard { path: file.path.clone(), edit, unsaved: file.unsaved, fixed: file.fixed }
    }
}

impl PromptFinding {
    fn of(finding: &Finding, lang: lint::Lang) -> PromptFinding {
        PromptFinding {
            rule: finding.rule.into(),
            severity: finding.severity.into(),
            file: finding.file.clone(),
            line: finding.line,
            column: finding.column,
            length: finding.length,
            message: finding.message.of(lang).to_owned(),
            hint: finding.hint.of(lang).to_owned(),
        }
    }
}

impl PromptLint {
    /// In the language of the window.
    pub fn of(linted: &Linted, lang: Lang) -> PromptLint {
        let lang = lint::Lang::from_code(lang.code()).unwrap_or(lint::Lang::En);
        let findings = linted.findings.iter().map(|shown| PromptFinding::of(&shown.finding, lang)).collect();
        PromptLint { files: small(linted.files), findings }
    }
}

impl PromptSample {
    pub fn read(self) -> Sample {
        Sample {
            kind: self.kind.into(),
            format: self.format.into(),
            language: self.language.into(),
            envelope: self.envelope,
            plain: self.plain,
            native_tools: self.native_tools,
            known: self.known.into(),
            said: Some(self.said.trim().to_owned()).filter(|said| !said.is_empty()),
            edits: self.edits,
            variant: None,
        }
    }
}

impl From<&Rendered> for PromptPreview {
    fn from(rendered: &Rendered) -> PromptPreview {
        let messages = rendered.messages.iter().map(|message| PromptMessage {
            role: json!(message.role).as_str().unwrap_or_default().to_owned(),
            text: message.content.clone(),
            characters: small(message.content.chars().count()),
        });
        PromptPreview {
            messages: messages.collect(),
            characters: small(rendered.chars),
            version: rendered.identity.version.clone(),
            ..PromptPreview::empty(String::new())
        }
    }
}

impl PromptPreview {
    pub fn empty(problem: String) -> PromptPreview {
        PromptPreview {
            messages: Vec::new(),
            characters: 0,
            warned_from: small(previewing::WARNED_FROM),
            most: small(HARD_LIMIT),
            version: String::new(),
            problem,
        }
    }
}

pub(super) fn small(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

super::same_variants!(PromptSeverity = Severity { HardFail, Warn, Info });
super::same_variants!(PromptKnown = Known { Nothing, Example, Own });
super::same_variants!(
    PromptRule = Rule {
        AntiAi,
        Officialese,
        MarkdownMessenger,
        LintParadox,
        RuntimeBannedTerm,
        AgentBannedTerm,
        ScopeConsistency,
        PromptLength,
        DuplicatesEnvelope,
        MissingSection,
        ToolNameMention,
        WellnessWording,
        FrontMatter,
        BrokenFile
    }
);
