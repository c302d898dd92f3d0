//! What is said lies in the spool until it has become a turn.

use calm_store::{RecordingId, Store};
use jiff::{SignedDuration, Timestamp};

use crate::conductor::Conductor;
use crate::error::AppError;

/// How long a recording without a turn stays in the spool.
const KEPT: SignedDuration = SignedDuration::from_hours(7 * 24);

impl Conductor {
    /// A new recording of the running session, empty so far.
    pub fn start_recording(&mut self) -> Result<RecordingId, AppError> {
        let (now, session) = (self.now(), self.running());
        Ok(self.store.start_recording(now, session)?)
    }
}

/// A recording that no turn came of is kept while its session is open, and for a while after, since it can be heard
/// again; then it goes (SPEC V5).
pub(crate) fn forget_old(store: &mut Store, now: Timestamp) -> Result<(), AppError> {
    let open = store.open_session()?.map(|session| session.id);
    let mut dropped = false;
    for recording in store.recordings()? {
        let waits = recording.session.is_some() && recording.session == open;
        if !waits && now.duration_since(recording.started_at) > KEPT {
            store.drop_recording(recording.id)?;
            dropped = true;
        }
    }
    // They are gone, whatever becomes of the log; it is emptied again behind the next session.
    if dropped && let Err(error) = store.empty_log() {
        tracing::warn!(%error, "the log still holds recordings that were let go of");
    }
    Ok(())
}
