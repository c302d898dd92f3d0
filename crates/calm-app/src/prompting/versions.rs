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
use crate::knowledge;

/// Scored sessions from which on a version worse by half a point is found nine times in ten (docs/prompt-experiments.md).
const GOOD_BASELINE: usize = 40;

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
    /// The same edit was a version before, and was gone back from.
    WasRetired(String),
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

impl VersionLine {
    /// Made of the user's edits.
    pub fn is_own(&self) -> bool {
        self.origin == PromptOrigin::User
    }
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

/// The set that new sessions use. The shipped set of this program takes over from another shipped one, never from the
/// user's own.
///
/// Where the database cannot be written (a full or read-only disk) the shipped set speaks all the same.
pub(crate) fn current(store: &mut Store, now: Timestamp) -> Result<Current, AppError> {
    let shipped = PromptSet::shipped();
    match on_record(store, &shipped, now) {
        Ok((set, is_new)) => Ok(Current { set, is_new }),
        Err(AppError::Store(error @ (StoreError::DiskFull | StoreError::ReadOnly | StoreError::Busy))) => {
            tracing::warn!(%error, "the prompt versions were not brought up to date");
            Ok(Current { set: shipped, is_new: false })
        }
        Err(error) => Err(error),
    }
}

fn on_record(store: &mut Store, shipped: &PromptSet, now: Timestamp) -> Result<(PromptSet, bool), AppError> {
    let ours = remembered(store, shipped, now)?;
    let named = || shipped.clone().named(&ours.version);
    let Some(active) = store.active_prompts()? else { return Ok((named(), activate(store, &ours, now)?)) };
    if active.id == ours.id {
        return Ok((named(), false));
    }
    let is_own = active.origin == PromptOrigin::User || active.set != ours.set;
    if is_own || ours.retired_at.is_some() {
        return Ok((stored(store, &active)?.unwrap_or_else(named), false));
    }
    Ok((named(), activate(store, &ours, now)?))
}

/// The version that the shipped set of this program is; every one is kept, so that it can be gone back to.
fn remembered(store: &mut Store, shipped: &PromptSet, now: Timestamp) -> Result<PromptVersion, AppError> {
    let Identity { set, version, hash, .. } = shipped.identity();
    let find = |store: &Store| -> Result<Option<PromptVersion>, AppError> {
        Ok(store.prompt_versions()?.into_iter().find(|it| it.hash == hash && it.set == set))
    };
    if let Some(known) = find(store)? {
        return Ok(known);
    }
    let new = NewPromptVersion {
        set: set.clone(),
        version: version.clone(),
        hash: hash.clone(),
        origin: PromptOrigin::Shipped,
        parent: None,
        note: None,
        files: shipped.files().clone(),
        finalized_at: now,
    };
    match store.remember_prompts(&new) {
        // Another build called itself the same.
        Err(StoreError::VersionTaken) => {
            let version = format!("{version}+{}", hash.get(..8).unwrap_or_default());
            store.remember_prompts(&NewPromptVersion { version, ..new })?
        }
        other => other?,
    };
    find(store)?.ok_or(AppError::Store(StoreError::NotFound("prompt version")))
}

fn activate(store: &mut Store, version: &PromptVersion, now: Timestamp) -> Result<bool, AppError> {
    let why = PromptDecision { at: now, actor: PromptActor::App, reason: None, figures: None };
    Ok(store.activate_prompts(version.id, &why)?)
}

/// The set that a session was begun with, where it is still on record.
pub(crate) fn held_with(store: &Store, stamp: &PromptStamp) -> Result<Option<PromptSet>, AppError> {
    let versions = store.prompt_versions()?;
    let held = versions.iter().find(|it| it.hash == stamp.hash && it.set == stamp.set);
    held.map_or(Ok(None), |version| stored(store, version))
}

/// A kept version as this program can use it. One that cannot be read any more is not a reason to leave anybody
/// without Calm.
fn stored(store: &Store, version: &PromptVersion) -> Result<Option<PromptSet>, AppError> {
    let Some(files) = store.prompt_files(version.id)? else { return Ok(None) };
    let set = match PromptSet::of(files) {
        Ok(set) => set.named(&version.version),
        Err(error) => {
            tracing::warn!(%error, "a stored prompt version cannot be used");
            return Ok(None);
        }
    };
    if version.origin == PromptOrigin::Shipped {
        return Ok(Some(set));
    }
    // The shipped set that the edits were made over: the newest one before them.
    let before = store.prompt_versions()?.into_iter().filter(|it| it.id < version.id && it.set == version.set);
    let base = before.filter(|it| it.origin == PromptOrigin::Shipped).max_by_key(|it| it.id);
    let base = base.map(|base| store.prompt_files(base.id)).transpose()?.flatten();
    Ok(Some(match base.map(PromptSet::of) {
        Some(Ok(base)) => set.over(&base, &PromptSet::shipped()),
        _ => set,
    }))
}

/// Looks whether the version in use is worse than one before it, and goes back if it is.
///
/// It is compared with the newest earlier version that has a good baseline, else with the one that has most sessions:
/// so a quick second edit is judged like the first.
pub(crate) fn review(store: &mut Store, now: Timestamp) -> Result<Option<RolledBack>, AppError> {
    let (active, earlier) = before_active(store)?;
    let (Some(active), Some(last)) = (active, earlier.first().cloned()) else { return Ok(None) };
    let figures = store.prompt_figures(&active.set)?;
    // A model is not compared with the guide.
    let by_guide = |it: &PromptFigures| it.guide_replies * 2 >= it.replies;
    let of = |hash: &str| -> Vec<&PromptFigures> { figures.iter().filter(|it| it.hash == hash && it.ended).collect() };
    let candidate = of(&active.hash);
    let guided = candidate.iter().filter(|it| by_guide(it)).count() * 2 >= candidate.len();
    let comparable = |hash: &str| -> Vec<SessionFigures> {
        of(hash).into_iter().filter(|it| by_guide(it) == guided).map(session_figures).collect()
    };
    let scored = |of: &PromptVersion| comparable(&of.hash).iter().filter(|it| it.sufler_mean.is_some()).count();
    let longest = earlier.iter().max_by_key(|it| scored(it)).unwrap_or(&last);
    let before = earlier.iter().find(|it| scored(it) >= GOOD_BASELINE).unwrap_or(longest);
    match versions::judge(&comparable(&before.hash), &comparable(&active.hash)) {
        Verdict::RollBack(reason) => {
            go_back(store, &active, before, PromptActor::Rule, reason.to_string(), Some(&reason), now)
        }
        Verdict::Keep | Verdict::TooFew { .. } => Ok(None),
    }
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

/// The version in use, and those before it that have not been retired, newest first.
fn before_active(store: &Store) -> Result<(Option<PromptVersion>, Vec<PromptVersion>), AppError> {
    let Some(active) = store.active_prompts()? else { return Ok((None, Vec::new())) };
    let mut earlier = store.prompt_versions()?;
    earlier.retain(|it| it.id < active.id && it.set == active.set && it.retired_at.is_none());
    // By the order in which they came; a clock may have been wrong.
    earlier.sort_by_key(|it| std::cmp::Reverse(it.id));
    Ok((Some(active), earlier))
}

/// A talk in a crisis is no measure of a prompt (SPEC H5), but a boundary that it ran into counts.
fn session_figures(of: &PromptFigures) -> SessionFigures {
    SessionFigures {
        ended: of.ended && !of.forced,
        forced: of.forced,
        sufler_mean: of.sufler_mean.filter(|_| !of.crisis),
        heard: of.heard.filter(|_| !of.crisis).map(|heard| match heard {
            calm_store::Heard::Yes => versions::Heard::Yes,
            calm_store::Heard::Partly => versions::Heard::Partly,
            calm_store::Heard::No => versions::Heard::No,
        }),
        stress_delta: of.stress_delta.filter(|_| !of.crisis),
        boundary_hits: of.boundary_hits,
    }
}

impl Conductor {
    /// Begins sessions with a set that is no version, as scenarios do.
    pub(crate) fn try_out(&mut self, set: PromptSet) {
        self.prompts = set;
        self.trying_out = true;
    }

    /// The set that new sessions use.
    pub fn prompts(&self) -> &PromptSet {
        &self.prompts
    }

    /// The variant that the session of this seed gets; the same one every time.
    pub(crate) fn assigned(&self, seed: u64) -> Result<PromptSet, AppError> {
        let identity = self.prompts.identity();
        Ok(self.prompts.variant(versions::assign(&identity.set, &identity.version, seed, self.prompts.variants()))?)
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
        if let Some(name) = version.filter(|name| !is_name(name)) {
            return Err(AppError::BadVersionName { name: name.chars().filter(|c| !c.is_control()).take(40).collect() });
        }
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
        if let Some(before) = versions.iter().find(|it| it.hash == hash && it.retired_at.is_some()) {
            return Ok(Err(Refusal::WasRetired(before.version.clone())));
        }
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
        self.use_prompts(set.named(&version))?;
        Ok(Ok(Finalized { set: id, version, hash, parent, files_changed }))
    }

    /// Goes back by hand: to `to`, or to the version before the one in use.
    ///
    /// # Errors
    /// There is no such version, or none before the one in use.
    pub fn roll_back_prompts(&mut self, to: Option<&str>, reason: Option<&str>) -> Result<RolledBack, AppError> {
        let nowhere = || AppError::NoEarlierPrompts;
        let (active, earlier) = before_active(self.store())?;
        let active = active.ok_or_else(nowhere)?;
        let to = match to {
            Some(name) => {
                let mut versions = self.store().prompt_versions()?.into_iter();
                let found = versions.find(|it| it.version == name && it.set == active.set && it.id != active.id);
                found.ok_or_else(|| AppError::NoSuchPrompts { version: name.chars().take(40).collect() })?
            }
            None => earlier.into_iter().next().ok_or_else(nowhere)?,
        };
        let set = stored(self.store(), &to)?.ok_or_else(nowhere)?;
        let now = self.now();
        let reason = reason.unwrap_or("by hand").to_owned();
        let done = if to.id > active.id {
            // Forward to a later version again: the one in use has done nothing wrong.
            let why = PromptDecision { at: now, actor: PromptActor::User, reason: Some(reason.clone()), figures: None };
            self.store().activate_prompts(to.id, &why)?;
            RolledBack { from: active.version.clone(), to: to.version.clone(), reason }
        } else {
            go_back(self.store(), &active, &to, PromptActor::User, reason, None, now)?.ok_or_else(nowhere)?
        };
        self.use_prompts(set)?;
        Ok(done)
    }

    /// New sessions use this set from now on, and its notes are what can be found.
    pub(crate) fn use_prompts(&mut self, set: PromptSet) -> Result<(), AppError> {
        self.prompts = set;
        self.blocks().forget();
        let now = self.now();
        knowledge::refresh_notes(&mut self.store, &self.prompts, now)
    }

    /// Another window or terminal may have finalized or gone back since.
    pub(crate) fn follow_prompts(&mut self) -> Result<(), AppError> {
        let Identity { set, version, .. } = self.prompts.identity();
        let active = self.store.active_prompts()?;
        if active.is_some_and(|active| active.version != version || active.set != set) {
            let now = self.now();
            let Current { set, .. } = current(&mut self.store, now)?;
            self.use_prompts(set)?;
        }
        Ok(())
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

    /// By version and variant, in the order in which they were first used. Of sessions in a crisis only
    /// boundaries count (SPEC H5).
    pub fn prompt_statistics(&mut self) -> Result<Vec<VersionStatistics>, AppError> {
        let set = self.prompts.identity().set;
        let mut groups: Vec<(String, String, Vec<SessionFigures>)> = Vec::new();
        for it in self.store().prompt_figures(&set)?.iter().filter(|it| it.ended) {
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

/// What fits into a table, a file name and a log.
fn is_name(name: &str) -> bool {
    (1..=40).contains(&name.len()) && name.chars().all(|c| c.is_ascii_alphanumeric() || "._+-".contains(c))
}

/// The shipped version's name with the number of the edit.
fn next_version(set: &PromptSet, versions: &[PromptVersion]) -> String {
    let base = set.identity().version;
    let taken = |name: &str| versions.iter().any(|it| it.version == name);
    (1..).map(|n| format!("{base}-mine.{n}")).find(|name| !taken(name)).unwrap_or(base)
}
