//! Versions of the prompt set: the one in use, finalizing an edit, statistics, and going back (SPEC P3–P5).
//!
//! The shipped set of every release is a version like the user's own, so that each can be gone back to.

use calm_prompts::lint::Severity;
use calm_prompts::overlay::{FileChange, differences};
use calm_prompts::versions::{self, Reason, SessionFigures, Statistics, Verdict};
use calm_prompts::{Identity, PromptSet};
use calm_store::{
    NewPromptVersion, PromptActor, PromptDecision, PromptFigures, PromptLogEntry, PromptOrigin, PromptStamp,
    PromptVersion, Store, StoreError,
};
use jiff::Timestamp;
use serde::Serialize;
use serde_json::json;

use super::draft::Draft;
use super::linting::{Linted, lint_set};
use crate::conductor::Conductor;
use crate::error::AppError;

/// A version that an edit has become.
#[derive(Debug, Clone, Serialize)]
pub struct Finalized {
    pub set: String,
    pub version: String,
    pub hash: String,
    pub parent: String,
    pub files_changed: usize,
}

/// Why an edit has not become a version.
pub enum Refusal {
    NothingChanged,
    /// The linter has found at least one hard fail.
    Lint(Linted),
    /// There is another version of that name.
    VersionTaken(String),
}

#[derive(Debug, Clone, Serialize)]
pub struct VersionLine {
    pub set: String,
    pub version: String,
    pub hash: String,
    pub origin: PromptOrigin,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    pub finalized_at: Timestamp,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retired_at: Option<Timestamp>,
    pub in_use: bool,
}

#[derive(Debug, Clone, Serialize)]
pub struct VersionStatistics {
    pub version: String,
    pub variant: String,
    #[serde(flatten)]
    pub figures: Statistics,
}

#[derive(Debug, Clone, Serialize)]
pub struct RolledBack {
    pub from: String,
    pub to: String,
    pub reason: String,
}

pub(crate) struct Current {
    pub set: PromptSet,
    /// It was not the one in use before.
    pub is_new: bool,
}

/// The set that new sessions use. A newer shipped set takes over from an older shipped one, never from the user's own.
pub(crate) fn current(store: &mut Store, now: Timestamp) -> Result<Current, AppError> {
    let shipped = PromptSet::shipped();
    let Identity { set, version, hash, .. } = shipped.identity();
    let active = store.active_prompts()?;
    if let Some(active) = active.filter(|active| active.hash != hash || active.set != set) {
        let ours = active.origin == PromptOrigin::Shipped && active.set == set;
        let retired = store.prompt_versions()?.iter().any(|it| it.hash == hash && it.retired_at.is_some());
        if !ours || retired {
            return Ok(Current { set: stored(store, &active)?.unwrap_or(shipped), is_new: false });
        }
    }
    let new = NewPromptVersion {
        set,
        version: version.clone(),
        hash: hash.clone(),
        origin: PromptOrigin::Shipped,
        parent: None,
        note: None,
        files: shipped.files().clone(),
        finalized_at: now,
    };
    let already = store.prompt_versions()?.into_iter().find(|it| it.hash == hash && it.set == new.set);
    let (id, version) = match already {
        Some(known) => (known.id, known.version),
        None => match store.remember_prompts(&new) {
            // Another build called itself the same.
            Err(StoreError::VersionTaken) => {
                let version = format!("{version}+{}", hash.get(..8).unwrap_or_default());
                (store.remember_prompts(&NewPromptVersion { version: version.clone(), ..new })?, version)
            }
            other => (other?, version),
        },
    };
    let why = PromptDecision { at: now, actor: PromptActor::App, reason: None, figures: None };
    let is_new = store.activate_prompts(id, &why)?;
    Ok(Current { set: shipped.named(&version), is_new })
}

/// The set that a session was begun with, where it is still on record.
pub(crate) fn held_with(store: &Store, stamp: &PromptStamp) -> Result<Option<PromptSet>, AppError> {
    let versions = store.prompt_versions()?;
    let held = versions.iter().find(|it| it.hash == stamp.hash && it.set == stamp.set);
    held.map_or(Ok(None), |version| stored(store, version))
}

/// A version that cannot be read any more is not a reason to leave anybody without Calm.
fn stored(store: &Store, version: &PromptVersion) -> Result<Option<PromptSet>, AppError> {
    let Some(files) = store.prompt_files(version.id)? else { return Ok(None) };
    match PromptSet::of(files) {
        Ok(set) => Ok(Some(set.named(&version.version))),
        Err(error) => {
            tracing::warn!(%error, "a stored prompt version cannot be used");
            Ok(None)
        }
    }
}

/// Looks whether the version in use is worse than the one before it, and goes back if it is.
pub(crate) fn review(store: &mut Store, now: Timestamp) -> Result<Option<RolledBack>, AppError> {
    let Some((active, before)) = before_active(store)? else { return Ok(None) };
    let figures = store.prompt_figures(&active.set)?;
    let of = |hash: &str| -> Vec<&PromptFigures> {
        figures.iter().filter(|it| it.hash == hash && it.ended && !it.crisis).collect()
    };
    let (baseline, candidate) = (of(&before.hash), of(&active.hash));
    // A model is not compared with the guide.
    let by_guide = |it: &PromptFigures| it.guide_replies * 2 >= it.replies;
    let guided = candidate.iter().filter(|it| by_guide(it)).count() * 2 >= candidate.len();
    let like = |sessions: Vec<&PromptFigures>| -> Vec<SessionFigures> {
        sessions.into_iter().filter(|it| by_guide(it) == guided).map(session_figures).collect()
    };
    let Verdict::RollBack(reason) = versions::judge(&like(baseline), &like(candidate)) else { return Ok(None) };
    go_back(store, &active, &before, PromptActor::Rule, reason.to_string(), Some(&reason), now)
}

fn go_back(
    store: &mut Store,
    from: &PromptVersion,
    to: &PromptVersion,
    actor: PromptActor,
    reason: String,
    figures: Option<&Reason>,
    now: Timestamp,
) -> Result<Option<RolledBack>, AppError> {
    let why = PromptDecision { at: now, actor, reason: Some(reason.clone()), figures: figures.map(|it| json!(it)) };
    let done = store.roll_back_prompts(from.id, to.id, &why)?;
    Ok(done.then(|| RolledBack { from: from.version.clone(), to: to.version.clone(), reason }))
}

/// The version in use and the newest one before it that has not been retired.
fn before_active(store: &Store) -> Result<Option<(PromptVersion, PromptVersion)>, AppError> {
    let Some(active) = store.active_prompts()? else { return Ok(None) };
    // Newest first.
    let earlier = store.prompt_versions()?.into_iter().skip_while(|it| it.id != active.id).skip(1);
    let before = earlier.into_iter().find(|it| it.set == active.set && it.retired_at.is_none());
    Ok(before.map(|before| (active, before)))
}

fn session_figures(of: &PromptFigures) -> SessionFigures {
    SessionFigures {
        ended: of.ended && !of.forced,
        forced: of.forced,
        sufler_mean: of.sufler_mean,
        heard: of.heard.map(|heard| match heard {
            calm_store::Heard::Yes => versions::Heard::Yes,
            calm_store::Heard::Partly => versions::Heard::Partly,
            calm_store::Heard::No => versions::Heard::No,
        }),
        stress_delta: of.stress_delta,
        boundary_hits: of.boundary_hits,
    }
}

impl Conductor {
    /// The variant that the session of this seed gets; the same one every time.
    pub(crate) fn assigned(&self, seed: u64) -> Result<PromptSet, AppError> {
        let variants = self.prompts.variants().iter();
        let weighted = variants.map(|it| versions::Weighted { id: it.id.clone(), weight: it.weight });
        let weighted: Vec<versions::Weighted> = weighted.collect();
        let identity = self.prompts.identity();
        Ok(self.prompts.variant(versions::assign(&identity.set, &identity.version, seed, &weighted))?)
    }

    /// Makes the edits in the data folder a version, and the one that new sessions use.
    ///
    /// # Errors
    /// The edits cannot be read or laid over the shipped set. What the linter objects to is a [`Refusal`].
    pub fn finalize_prompts(
        &mut self,
        version: Option<&str>,
        note: Option<&str>,
    ) -> Result<Result<Finalized, Refusal>, AppError> {
        let Some(Draft { set, .. }) = Draft::read(&self.paths().data)? else { return Ok(Err(Refusal::NothingChanged)) };
        let banned = self.banned_words()?;
        let linted = lint_set(&set, &banned);
        if linted.findings.iter().any(|it| it.finding.severity == Severity::HardFail) {
            return Ok(Err(Refusal::Lint(linted)));
        }
        let Identity { set: id, hash, .. } = set.identity();
        let active = self.store().active_prompts()?;
        if active.as_ref().is_some_and(|active| active.hash == hash) {
            return Ok(Err(Refusal::NothingChanged));
        }
        let parent = active.map(|active| active.version).unwrap_or_default();
        let versions = self.store().prompt_versions()?;
        let version = version.map_or_else(|| next_version(&set, &versions), str::to_owned);
        let files_changed = differences(self.prompts.files(), set.files()).len();
        let now = self.now();
        let new = NewPromptVersion {
            set: id.clone(),
            version: version.clone(),
            hash: hash.clone(),
            origin: PromptOrigin::User,
            parent: Some(parent.clone()),
            note: note.map(str::to_owned),
            files: set.files().clone(),
            finalized_at: now,
        };
        let kept = match self.store().remember_prompts(&new) {
            Err(StoreError::VersionTaken) => return Ok(Err(Refusal::VersionTaken(version))),
            other => other?,
        };
        let why = PromptDecision { at: now, actor: PromptActor::User, reason: new.note, figures: None };
        self.store().activate_prompts(kept, &why)?;
        self.prompts = set.named(&version);
        Ok(Ok(Finalized { set: id, version, hash, parent, files_changed }))
    }

    /// Goes back by hand: to `to`, or to the version before the one in use.
    ///
    /// # Errors
    /// There is no such version, or none before the one in use.
    pub fn roll_back_prompts(&mut self, to: Option<&str>, reason: Option<&str>) -> Result<RolledBack, AppError> {
        let nowhere = || AppError::NoEarlierPrompts;
        let active = self.store().active_prompts()?.ok_or_else(nowhere)?;
        let to = match to {
            Some(name) => {
                let mut versions = self.store().prompt_versions()?.into_iter();
                versions.find(|it| it.version == name && it.set == active.set && it.id != active.id)
            }
            None => before_active(self.store())?.map(|(_, before)| before),
        };
        let to = to.ok_or_else(nowhere)?;
        let now = self.now();
        let reason = reason.unwrap_or("by hand").to_owned();
        let done = go_back(self.store(), &active, &to, PromptActor::User, reason, None, now)?;
        if let Some(set) = stored(self.store(), &to)? {
            self.prompts = set;
        }
        done.ok_or_else(nowhere)
    }

    /// Newest first.
    pub fn prompt_versions(&mut self) -> Result<Vec<VersionLine>, AppError> {
        let active = self.store().active_prompts()?.map(|active| active.id);
        let versions = self.store().prompt_versions()?.into_iter();
        let line = |it: PromptVersion| VersionLine {
            in_use: active == Some(it.id),
            set: it.set,
            version: it.version,
            hash: it.hash,
            origin: it.origin,
            parent: it.parent,
            note: it.note,
            finalized_at: it.finalized_at,
            retired_at: it.retired_at,
        };
        Ok(versions.map(line).collect())
    }

    /// Finalizations, activations and rollbacks, newest first.
    pub fn prompt_log(&mut self, limit: u32) -> Result<Vec<PromptLogEntry>, AppError> {
        Ok(self.store().prompt_log(limit)?)
    }

    /// What `version` changed against its parent, or the shipped set; `None` where there is no such version.
    pub fn prompt_changes(&mut self, version: &str) -> Result<Option<Vec<FileChange>>, AppError> {
        let versions = self.store().prompt_versions()?;
        let find = |name: &str| versions.iter().find(|it| it.version == name);
        let Some(this) = find(version) else { return Ok(None) };
        let mut files = |of: &PromptVersion| self.store().prompt_files(of.id);
        let before = match this.parent.as_deref().and_then(find) {
            Some(parent) => files(parent)?.unwrap_or_default(),
            None => PromptSet::shipped().files().clone(),
        };
        let after = files(this)?.unwrap_or_default();
        Ok(Some(differences(&before, &after)))
    }

    /// By version and variant, in the order in which they were first used. Sessions in a crisis are left out (SPEC H5).
    pub fn prompt_statistics(&mut self) -> Result<Vec<VersionStatistics>, AppError> {
        let set = self.prompts.identity().set;
        let mut groups: Vec<(String, String, Vec<SessionFigures>)> = Vec::new();
        for it in self.store().prompt_figures(&set)?.iter().filter(|it| it.ended && !it.crisis) {
            let variant = it.variant.clone().unwrap_or_default();
            let group = groups.iter_mut().find(|(version, of, _)| *version == it.version && *of == variant);
            match group {
                Some((.., figures)) => figures.push(session_figures(it)),
                None => groups.push((it.version.clone(), variant, vec![session_figures(it)])),
            }
        }
        let line = |(version, variant, sessions): (String, String, Vec<SessionFigures>)| VersionStatistics {
            version,
            variant,
            figures: versions::statistics(&sessions),
        };
        Ok(groups.into_iter().map(line).collect())
    }
}

/// The shipped version's name with the number of the edit.
fn next_version(set: &PromptSet, versions: &[PromptVersion]) -> String {
    let base = set.identity().version;
    let taken = |name: &str| versions.iter().any(|it| it.version == name);
    (1..).map(|n| format!("{base}-mine.{n}")).find(|name| !taken(name)).unwrap_or(base)
}
