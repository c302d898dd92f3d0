//! Versions of the prompts: how each does, what differs, who decided.

use calm_app::prompting::{Comparison, LineKind, Side, VersionLine, VersionStatistics};
use calm_app::prompts::overlay::ChangeKind;
use calm_app::prompts::versions::{Mean, Reason, Share, Statistics};
use calm_app::prompts::{PromptSet, Variant};
use calm_app::{PromptActor, PromptEvent, PromptLogEntry};
use serde::{Deserialize, Serialize};
use specta::Type;

use super::prompts::{PromptEditState, small};

#[derive(Debug, Clone, Serialize, Type)]
pub struct PromptVersions {
    /// The newest first.
    pub versions: Vec<PromptVersionCard>,
    /// The newest first.
    pub log: Vec<PromptDecisionCard>,
    /// Of the version in use; none where it declares none.
    pub variants: Vec<PromptVariant>,
}

#[derive(Debug, Clone, Serialize, Type)]
pub struct PromptVersionCard {
    pub version: String,
    /// Made of the user's edits.
    pub own: bool,
    pub parent: String,
    pub note: String,
    pub hash: String,
    pub finalized_at: String,
    pub in_use: bool,
    /// It was gone back from.
    pub retired: bool,
    /// By variant; none without a finished session.
    pub figures: Vec<PromptFigures>,
}

#[derive(Debug, Clone, Serialize, Type)]
pub struct PromptVariant {
    pub id: String,
    pub weight: u32,
}

#[derive(Debug, Clone, Serialize, Type)]
pub struct PromptFigures {
    pub variant: String,
    pub sessions: u32,
    pub completed: PromptShare,
    pub forced: PromptShare,
    /// 1–5.
    pub sufler: Option<PromptMean>,
    /// Of those who answered.
    pub heard: PromptHeard,
    /// After minus before.
    pub stress: Option<PromptMean>,
    pub with_hit: PromptShare,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Type)]
pub struct PromptShare {
    pub k: u32,
    pub n: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Type)]
pub struct PromptHeard {
    pub yes: u32,
    pub partly: u32,
    pub no: u32,
}

/// In hundredths; the interval, of 95 %, has no width where there are too few sessions for one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Type)]
pub struct PromptMean {
    pub mean: i32,
    pub low: i32,
    pub high: i32,
    pub n: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum PromptEventKind {
    Finalized,
    Activated,
    RolledBack,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "lowercase")]
pub enum PromptWho {
    User,
    Rule,
    App,
}

#[derive(Debug, Clone, Serialize, Type)]
pub struct PromptDecisionCard {
    pub at: String,
    pub event: PromptEventKind,
    pub who: PromptWho,
    pub from: String,
    pub to: String,
    /// In the user's words, or the rule's figures.
    pub reason: PromptReason,
}

/// Why a version was made or gone back from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
#[serde(tag = "because", rename_all = "snake_case")]
pub enum PromptReason {
    Unsaid,
    Said {
        text: String,
    },
    /// Sufler's means, in hundredths.
    LowerScores {
        before: i32,
        before_n: u32,
        now: i32,
        now_n: u32,
    },
    /// Sessions with a boundary hit.
    BoundaryHits {
        before: PromptShare,
        now: PromptShare,
    },
}

#[derive(Debug, Clone, Serialize, Deserialize, Type)]
#[serde(tag = "side", rename_all = "lowercase")]
pub enum PromptSide {
    Shipped,
    Edits,
    Version { version: String },
}

#[derive(Debug, Clone, Serialize, Type)]
pub struct PromptDifference {
    pub path: String,
    pub edit: PromptEditState,
    /// Empty where the file has too many.
    pub lines: Vec<PromptLine>,
}

#[derive(Debug, Clone, Serialize, Type)]
pub struct PromptLine {
    pub kind: PromptLineKind,
    /// 0 where it is not there.
    pub old: u32,
    pub new: u32,
    pub pieces: Vec<PromptPiece>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "lowercase")]
pub enum PromptLineKind {
    Same,
    Removed,
    Added,
    Gap,
}

#[derive(Debug, Clone, Serialize, Type)]
pub struct PromptPiece {
    pub text: String,
    pub changed: bool,
}

impl PromptVersions {
    pub fn of(
        versions: &[VersionLine],
        statistics: &[VersionStatistics],
        log: &[PromptLogEntry],
        in_use: &PromptSet,
    ) -> PromptVersions {
        let card = |version: &VersionLine| PromptVersionCard {
            version: version.version.clone(),
            own: version.is_own(),
            parent: version.parent.clone().unwrap_or_default(),
            note: version.note.clone().unwrap_or_default(),
            hash: version.hash.get(..8).unwrap_or_default().to_owned(),
            finalized_at: version.finalized_at.to_string(),
            in_use: version.in_use,
            retired: version.retired_at.is_some(),
            figures: statistics
                .iter()
                .filter(|it| it.version == version.version)
                .map(|it| PromptFigures::of(&it.variant, &it.figures))
                .collect(),
        };
        let variant = |it: &Variant| PromptVariant { id: it.id.clone(), weight: it.weight };
        PromptVersions {
            versions: versions.iter().map(card).collect(),
            log: log.iter().map(PromptDecisionCard::from).collect(),
            variants: in_use.variants().iter().map(variant).collect(),
        }
    }
}

impl PromptFigures {
    fn of(variant: &str, figures: &Statistics) -> PromptFigures {
        let heard = figures.heard;
        PromptFigures {
            variant: variant.to_owned(),
            sessions: small(figures.sessions),
            completed: figures.completed.into(),
            forced: figures.forced.into(),
            sufler: figures.sufler.map(PromptMean::from),
            heard: PromptHeard { yes: small(heard.yes), partly: small(heard.partly), no: small(heard.no) },
            stress: figures.stress_delta.map(PromptMean::from),
            with_hit: figures.sessions_with_hit.into(),
        }
    }
}

impl From<Share> for PromptShare {
    fn from(share: Share) -> PromptShare {
        PromptShare { k: small(share.count), n: small(share.n) }
    }
}

impl From<Mean> for PromptMean {
    fn from(Mean { mean, interval, n }: Mean) -> PromptMean {
        let (low, high) = interval.map_or((mean, mean), |it| (it.low, it.high));
        PromptMean { mean: hundredths(mean), low: hundredths(low), high: hundredths(high), n: small(n) }
    }
}

impl From<&PromptLogEntry> for PromptDecisionCard {
    fn from(entry: &PromptLogEntry) -> PromptDecisionCard {
        let decision = &entry.decision;
        let figures: Option<Reason> =
            decision.figures.as_ref().and_then(|figures| serde_json::from_value(figures.clone()).ok());
        PromptDecisionCard {
            at: decision.at.to_string(),
            event: match entry.event {
                PromptEvent::Finalized => PromptEventKind::Finalized,
                PromptEvent::Activated => PromptEventKind::Activated,
                PromptEvent::RolledBack => PromptEventKind::RolledBack,
            },
            who: match decision.actor {
                PromptActor::User => PromptWho::User,
                PromptActor::Rule => PromptWho::Rule,
                PromptActor::App => PromptWho::App,
            },
            from: entry.from_version.clone().unwrap_or_default(),
            to: entry.to_version.clone(),
            reason: match (figures, &decision.reason) {
                (Some(reason), _) => PromptReason::from(reason),
                (None, Some(text)) => PromptReason::Said { text: text.clone() },
                (None, None) => PromptReason::Unsaid,
            },
        }
    }
}

impl From<Reason> for PromptReason {
    fn from(reason: Reason) -> PromptReason {
        match reason {
            Reason::LowerScores { baseline_mean, baseline_n, candidate_mean, candidate_n, .. } => {
                PromptReason::LowerScores {
                    before: hundredths(baseline_mean),
                    before_n: small(baseline_n),
                    now: hundredths(candidate_mean),
                    now_n: small(candidate_n),
                }
            }
            Reason::BoundaryHits { baseline_with_hit, baseline_n, candidate_with_hit, candidate_n, .. } => {
                PromptReason::BoundaryHits {
                    before: PromptShare { k: small(baseline_with_hit), n: small(baseline_n) },
                    now: PromptShare { k: small(candidate_with_hit), n: small(candidate_n) },
                }
            }
        }
    }
}

impl PromptSide {
    pub fn read(self) -> Side {
        match self {
            PromptSide::Shipped => Side::Shipped,
            PromptSide::Edits => Side::Edits,
            PromptSide::Version { version } => Side::Version(version),
        }
    }
}

impl From<Comparison> for PromptDifference {
    fn from(compared: Comparison) -> PromptDifference {
        let number = |line: Option<usize>| line.map(small).unwrap_or_default();
        let line = |line: calm_app::prompting::ComparedLine| PromptLine {
            kind: match line.kind {
                LineKind::Same => PromptLineKind::Same,
                LineKind::Removed => PromptLineKind::Removed,
                LineKind::Added => PromptLineKind::Added,
                LineKind::Gap => PromptLineKind::Gap,
            },
            old: number(line.old),
            new: number(line.new),
            pieces: line
                .pieces
                .into_iter()
                .map(|piece| PromptPiece { text: piece.text, changed: piece.changed })
                .collect(),
        };
        PromptDifference {
            path: compared.path,
            edit: match compared.kind {
                ChangeKind::Added => PromptEditState::Added,
                ChangeKind::Changed => PromptEditState::Changed,
                ChangeKind::Removed => PromptEditState::Removed,
            },
            lines: compared.lines.into_iter().map(line).collect(),
        }
    }
}

/// Figures between −9 and 9.
#[expect(clippy::cast_possible_truncation, reason = "far inside")]
fn hundredths(figure: f64) -> i32 {
    (figure * 100.0).round() as i32
}
