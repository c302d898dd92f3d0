//! Deleting conversations, by hand and by age (SPEC X2). docs/privacy.md says what goes with them and what stays.

mod clock;

use std::fmt;
use std::path::Path;
use std::str::FromStr;

use calm_store::{Gone, Left, SessionId, Store};
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use crate::clock::Clock;
use crate::conductor::Conductor;
use crate::error::AppError;
use crate::running::SessionLock;
use crate::settings::Settings;

/// A backup from before a migration, where nothing was deleted since, which ends it earlier.
const BACKUPS_KEPT: SignedDuration = SignedDuration::from_hours(30 * 24);
const DAY: SignedDuration = SignedDuration::from_hours(24);

/// How long something is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Keep {
    /// It goes when it has served: a conversation once it has ended, a recording once its words are stored.
    Never,
    /// 1 to [`Keep::MOST_DAYS`].
    Days(u16),
    Forever,
}

impl Keep {
    pub const MOST_DAYS: u16 = 3650;

    /// What is older than this goes; `None` where nothing does.
    fn before(self, now: Timestamp) -> Option<Timestamp> {
        match self {
            Keep::Never => Some(now),
            Keep::Days(days) => Some(now.checked_sub(DAY * i32::from(days)).unwrap_or(Timestamp::MIN)),
            Keep::Forever => None,
        }
    }
}

impl fmt::Display for Keep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Keep::Never => f.write_str("never"),
            Keep::Days(days) => write!(f, "{days} days"),
            Keep::Forever => f.write_str("forever"),
        }
    }
}

impl FromStr for Keep {
    type Err = ();

    fn from_str(text: &str) -> Result<Keep, ()> {
        match text.trim() {
            "never" => Ok(Keep::Never),
            "forever" => Ok(Keep::Forever),
            text => {
                let number = ["days", "day", "d"].iter().find_map(|unit| text.strip_suffix(unit)).unwrap_or(text);
                let days = number.trim().parse().map_err(|_| ())?;
                if (1..=Keep::MOST_DAYS).contains(&days) { Ok(Keep::Days(days)) } else { Err(()) }
            }
        }
    }
}

/// What a deletion took along, or would.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Deleted {
    pub sessions: u32,
    pub turns: u32,
    /// What was recalled from these conversations and from no other.
    pub memories: u32,
    pub recordings: u32,
    /// Set while they went on.
    pub reminders: u32,
    /// Requests in the ledger whose text went; that they were sent stays on record.
    pub requests: u32,
    /// Copies of the database from before an update.
    pub backups: u32,
    /// Check-outs that go by a deleted check-in: what was said in them may speak of it.
    pub pairs: Vec<SessionId>,
    /// Nothing of it is left in the file, its free pages and its log, and in no backup.
    pub traceless: bool,
    /// Where it is gone and not traceless: why. The next start clears what is left.
    pub left: Left,
}

impl From<Gone> for Deleted {
    fn from(gone: Gone) -> Deleted {
        let Gone { sessions, turns, recordings, memories, reminders, requests, backups, pairs, traceless, left } = gone;
        Deleted { sessions, turns, memories, recordings, reminders, requests, backups, pairs, traceless, left }
    }
}

impl Conductor {
    /// What [`Conductor::delete_session`] would take along.
    ///
    /// # Errors
    /// There is no such session.
    pub fn would_delete(&mut self, session: SessionId) -> Result<Deleted, AppError> {
        Ok(self.store.would_go(&[session])?.into())
    }

    /// Deletes a conversation for good, with everything that was made of its words.
    ///
    /// # Errors
    /// [`AppError::SessionRunning`] where it runs, here or elsewhere; there is no such session. Nothing has gone then.
    pub fn delete_session(&mut self, session: SessionId) -> Result<Deleted, AppError> {
        if self.running() == Some(session) {
            return Err(AppError::SessionRunning);
        }
        let open = self.store.open_session()?.is_some_and(|open| open.id == session);
        // Somebody may be talking in it.
        let _lock = if open { Some(SessionLock::take(&self.paths().data)?) } else { None };
        let deleted = self.store.delete_sessions(&[session])?.into();
        self.memory.read_again();
        Ok(deleted)
    }

    /// What would go now if things were kept so long.
    ///
    /// # Errors
    /// The database cannot be read.
    pub fn would_expire(&mut self, transcripts: Keep, recordings: Keep) -> Result<Deleted, AppError> {
        let now = self.now();
        let gone = old(&self.store, transcripts, now)?;
        let mut deleted: Deleted = self.store.would_go(&gone)?.into();
        if let Some(before) = recordings.before(now) {
            let kept = self.store.kept_recordings()?.into_iter().map(|kept| kept.recording);
            let alone = kept.filter(|one| one.started_at < before && !one.session.is_some_and(|id| gone.contains(&id)));
            deleted.recordings += u32::try_from(alone.count()).unwrap_or(u32::MAX);
        }
        Ok(deleted)
    }

    /// Lets go of what is older than the settings say, because the user asks for it now.
    ///
    /// # Errors
    /// The database cannot be written; nothing has gone then, or only talks have and no recordings.
    pub fn expire(&mut self) -> Result<Deleted, AppError> {
        self.let_go(true)
    }

    /// As [`Conductor::expire`], by itself: the window does it every hour, and opening does it too. Where the clock is more than
    /// a year ahead of the last time, nothing grows old by it for a week.
    ///
    /// # Errors
    /// As [`Conductor::expire`].
    pub fn expire_by_itself(&mut self) -> Result<Deleted, AppError> {
        let believed = believes(&self.store, &self.paths().data, self.now())?;
        self.let_go(believed)
    }

    /// Whether the clock is so far ahead that for now nothing goes by itself.
    ///
    /// # Errors
    /// The database cannot be read.
    pub fn clock_is_ahead(&self) -> Result<bool, AppError> {
        Ok(clock::is_doubted(&self.paths().data, self.store.newest_moment()?, self.now()))
    }

    fn let_go(&mut self, believed: bool) -> Result<Deleted, AppError> {
        let now = self.now();
        let settings = self.settings().clone();
        let deleted = expire(&mut self.store, &settings, now, believed)?;
        if deleted.sessions > 0 {
            self.memory.read_again();
        }
        Ok(deleted)
    }
}

/// At the start. Only the real time forgets: a script may say that it is any moment.
pub(crate) fn at_start(store: &mut Store, settings: &Settings, clock: Clock, data: &Path) {
    match store.finish_deletion() {
        Ok(true) => tracing::info!("what an earlier deletion had left is cleared"),
        Ok(false) => {}
        Err(error) => {
            tracing::warn!(%error, "traces of an earlier deletion are still there; the next start tries again")
        }
    }
    let now = clock.now();
    if let Clock::System = clock
        && let Err(error) =
            believes(store, data, now).and_then(|believed| expire(store, settings, now, believed).map(drop))
    {
        tracing::warn!(%error, "what is old enough to go is still there; it goes at the next start");
    }
    follow(store, settings);
}

/// Whether the clock may make anything old; one that is far ahead has to go on for a while first.
pub(crate) fn believes(store: &Store, data: &Path, now: Timestamp) -> Result<bool, AppError> {
    Ok(clock::is_believed(data, store.newest_moment()?, now))
}

/// From now on recordings stay or go as the settings say.
pub(crate) fn follow(store: &mut Store, settings: &Settings) {
    store.keep_recordings(settings.keep_recordings != Keep::Never);
}

fn expire(store: &mut Store, settings: &Settings, now: Timestamp, believed: bool) -> Result<Deleted, AppError> {
    // What is never kept goes whatever the time is.
    let keep = |keep: Keep| if believed || keep == Keep::Never { keep } else { Keep::Forever };
    if believed && let Err(error) = store.remove_backups(now.checked_sub(BACKUPS_KEPT).ok()) {
        tracing::warn!(%error, "an old backup cannot be removed");
    }
    let old = old(store, keep(settings.keep_transcripts), now)?;
    let mut deleted = if old.is_empty() { Deleted::default() } else { Deleted::from(store.delete_sessions(&old)?) };
    if let Some(before) = keep(settings.keep_recordings).before(now) {
        let (recordings, left) = store.drop_kept_recordings(before)?;
        if recordings > 0 {
            deleted.recordings += recordings;
            deleted.left = deleted.left.take().or(left);
            deleted.traceless = deleted.left.is_none();
        }
    }
    Ok(deleted)
}

fn old(store: &Store, keep: Keep, now: Timestamp) -> Result<Vec<SessionId>, AppError> {
    match keep.before(now) {
        Some(before) => Ok(store.ended_before(before)?),
        None => Ok(Vec::new()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_for_days_goes_after_them() {
        let now: Timestamp = "2026-03-31T12:00:00Z".parse().expect("a moment");
        assert_eq!(Keep::Forever.before(now), None);
        assert_eq!(Keep::Never.before(now), Some(now));
        assert_eq!(Keep::Days(30).before(now).map(|at| at.to_string()).as_deref(), Some("2026-03-01T12:00:00Z"));
    }
}
