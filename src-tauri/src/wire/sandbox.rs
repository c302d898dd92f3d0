//! Scenarios: trying the prompts out, and what they reach of the set.

use calm_app::prompts::coverage::{Coverage, Gap};
use calm_app::scenarios::{Progress, Scenario};
use serde::Serialize;
use specta::Type;

use super::prompts::small;
use super::{WireFormat, WireKind, WireLang};

#[derive(Debug, Clone, Serialize, Type)]
pub struct ScenarioCard {
    pub id: String,
    pub description: String,
    pub language: WireLang,
    pub kind: WireKind,
    pub format: WireFormat,
    pub turns: u32,
}

/// A talk of the sandbox that is over.
#[derive(Debug, Clone, Serialize, Type)]
pub struct ScenarioRan {
    pub id: String,
    pub done: u32,
    pub total: u32,
    pub passed: bool,
    pub checks: u32,
    /// One line each, in English, as the terminal says it.
    pub failed: Vec<String>,
    pub turns: Vec<ScenarioTurn>,
}

#[derive(Debug, Clone, Serialize, Type)]
pub struct ScenarioTurn {
    /// Empty where Calm begins.
    pub user: String,
    pub calm: String,
}

#[derive(Debug, Clone, Serialize, Type)]
pub struct PromptCoverage {
    pub files: u32,
    pub files_taken: u32,
    pub conditions: u32,
    /// Each condition has two.
    pub sides: u32,
    pub sides_taken: u32,
    pub gaps: Vec<PromptGap>,
}

#[derive(Debug, Clone, Serialize, Type)]
#[serde(tag = "gap", rename_all = "lowercase")]
pub enum PromptGap {
    /// Never rendered.
    File { file: String },
    /// Rendered, but never went this way.
    Side { file: String, line: u32, column: u32, condition: String, holds: bool },
}

impl ScenarioCard {
    pub fn of(id: &str, scenario: &Scenario) -> ScenarioCard {
        ScenarioCard {
            id: id.to_owned(),
            description: scenario.description.clone(),
            language: scenario.language.into(),
            kind: scenario.kind.into(),
            format: scenario.format.into(),
            turns: small(scenario.turns.len()),
        }
    }
}

impl From<&Progress<'_>> for ScenarioRan {
    fn from(progress: &Progress<'_>) -> ScenarioRan {
        let outcome = &progress.ran.outcome;
        let turn = |(user, calm): &(Option<String>, String)| ScenarioTurn {
            user: user.clone().unwrap_or_default(),
            calm: calm.clone(),
        };
        ScenarioRan {
            id: progress.id.to_owned(),
            done: small(progress.done),
            total: small(progress.total),
            passed: outcome.passed,
            checks: small(outcome.checks),
            failed: outcome.failed.clone(),
            turns: progress.ran.transcript.iter().map(turn).collect(),
        }
    }
}

impl From<&Coverage> for PromptCoverage {
    fn from(coverage: &Coverage) -> PromptCoverage {
        let gap = |gap: &Gap| match gap.clone() {
            Gap::File { file } => PromptGap::File { file },
            Gap::Side { file, line, column, condition, holds } => {
                PromptGap::Side { file, line, column, condition, holds }
            }
        };
        PromptCoverage {
            files: small(coverage.files),
            files_taken: small(coverage.files_taken),
            conditions: small(coverage.conditions),
            sides: small(coverage.sides),
            sides_taken: small(coverage.sides_taken),
            gaps: coverage.gaps.iter().map(gap).collect(),
        }
    }
}
