//! What the linter says, in words that programs and people share.

use std::str::FromStr;

use serde::Serialize;

use crate::Both;
use crate::stems::Lang;

/// Where a reply is shown; only the window can show Markdown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Surface {
    #[default]
    Window,
    Tray,
    Voice,
    Notification,
}

#[derive(Debug, thiserror::Error)]
#[error("no such surface, expected window, tray, voice or notification")]
pub struct UnknownSurface;

impl FromStr for Surface {
    type Err = UnknownSurface;

    fn from_str(name: &str) -> Result<Surface, UnknownSurface> {
        match name {
            "window" => Ok(Surface::Window),
            "tray" => Ok(Surface::Tray),
            "voice" => Ok(Surface::Voice),
            "notification" => Ok(Surface::Notification),
            _ => Err(UnknownSurface),
        }
    }
}

/// A hard fail blocks `prompt finalize`; the others are only shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    HardFail,
    Warn,
    Info,
}

impl Severity {
    pub fn name(self) -> &'static str {
        match self {
            Severity::HardFail => "hard_fail",
            Severity::Warn => "warn",
            Severity::Info => "info",
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Rule {
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
    /// Found by whoever parses the set: a file that cannot be used at all.
    BrokenFile,
}

impl Rule {
    pub const ALL: [Rule; 14] = [
        Rule::AntiAi,
        Rule::Officialese,
        Rule::MarkdownMessenger,
        Rule::LintParadox,
        Rule::RuntimeBannedTerm,
        Rule::AgentBannedTerm,
        Rule::ScopeConsistency,
        Rule::PromptLength,
        Rule::DuplicatesEnvelope,
        Rule::MissingSection,
        Rule::ToolNameMention,
        Rule::WellnessWording,
        Rule::FrontMatter,
        Rule::BrokenFile,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Rule::AntiAi => "anti_ai",
            Rule::Officialese => "officialese",
            Rule::MarkdownMessenger => "markdown_messenger",
            Rule::LintParadox => "lint_paradox",
            Rule::RuntimeBannedTerm => "runtime_banned_term",
            Rule::AgentBannedTerm => "agent_banned_term",
            Rule::ScopeConsistency => "scope_consistency",
            Rule::PromptLength => "prompt_length",
            Rule::DuplicatesEnvelope => "duplicates_envelope",
            Rule::MissingSection => "missing_section",
            Rule::ToolNameMention => "tool_name_mention",
            Rule::WellnessWording => "wellness_wording",
            Rule::FrontMatter => "front_matter",
            Rule::BrokenFile => "broken_file",
        }
    }

    /// `prompt_length` has two levels and names the higher one itself.
    pub(super) fn severity(self) -> Severity {
        match self {
            Rule::AntiAi
            | Rule::MarkdownMessenger
            | Rule::LintParadox
            | Rule::RuntimeBannedTerm
            | Rule::WellnessWording
            | Rule::FrontMatter
            | Rule::BrokenFile => Severity::HardFail,
            Rule::Officialese
            | Rule::AgentBannedTerm
            | Rule::ScopeConsistency
            | Rule::PromptLength
            | Rule::DuplicatesEnvelope
            | Rule::MissingSection => Severity::Warn,
            Rule::ToolNameMention => Severity::Info,
        }
    }
}

/// One thing to look at, and what to do about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    pub rule: Rule,
    pub severity: Severity,
    pub file: String,
    /// From 1.
    pub line: u32,
    /// From 1, in characters.
    pub column: u32,
    /// In characters, never past the end of the line.
    pub length: u32,
    pub message: Both,
    pub hint: Both,
}

/// A finding as a program reads it, with its words in one language.
#[derive(Debug, Serialize)]
pub struct Told<'a> {
    pub rule: Rule,
    pub severity: Severity,
    pub file: &'a str,
    pub line: u32,
    pub column: u32,
    pub message: &'a str,
    pub hint: &'a str,
}

impl Finding {
    pub fn told(&self, lang: Lang) -> Told<'_> {
        let Finding { rule, severity, file, line, column, message, hint, .. } = self;
        let (message, hint) = (message.of(lang), hint.of(lang));
        Told { rule: *rule, severity: *severity, file, line: *line, column: *column, message, hint }
    }
}

pub(super) fn in_order(mut findings: Vec<Finding>) -> Vec<Finding> {
    findings.sort_by(|a, b| {
        let place = |f: &Finding| (f.line, f.column, f.rule, f.length);
        a.file.cmp(&b.file).then_with(|| place(a).cmp(&place(b))).then_with(|| a.message.cmp(&b.message))
    });
    findings.dedup();
    findings
}
