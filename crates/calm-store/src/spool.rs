//! Speech that is not a stored turn yet, a second at a time, so that no crash can lose more than one.
//!
//! A recording leaves in the transaction that stores its turn ([`Store::record_turn`]), or when it
//! is dropped. What is found here at the next start was never understood.
//!
//! Where the user wants recordings kept (SPEC V5), it stays in place of leaving, and a chunk before its first one says
//! which turn it became: from then on it is none of those that wait to be understood.

use jiff::Timestamp;
use rusqlite::{Transaction, params};

use crate::columns::Millis;
use crate::sessions::{SessionId, missing_session};
use crate::{Left, Store, StoreError};

/// Hz; the spool holds mono.
pub const SAMPLE_RATE: u32 = 16_000;
/// A full chunk: one second.
pub const CHUNK_SAMPLES: usize = SAMPLE_RATE as usize;

/// The number of the chunk that says which turn a kept recording became; those with sound begin at 0.
const BECAME: i64 = -1;

pub(crate) const SCHEMA: &str = "
CREATE TABLE recordings (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    started_at INTEGER NOT NULL,
    session_id INTEGER REFERENCES sessions (id) ON DELETE CASCADE
) STRICT;
CREATE INDEX recordings_of_session ON recordings (session_id);

CREATE TABLE chunks (
    recording_id INTEGER NOT NULL REFERENCES recordings (id) ON DELETE CASCADE,
    seq INTEGER NOT NULL,
    pcm BLOB NOT NULL,
    PRIMARY KEY (recording_id, seq)
) STRICT;
";

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RecordingId(i64);

impl RecordingId {
    /// For whoever names a file after it.
    pub fn number(self) -> i64 {
        self.0
    }
}

/// A recording whose turn is not stored.
#[derive(Debug, Clone, PartialEq)]
pub struct Recording {
    pub id: RecordingId,
    pub started_at: Timestamp,
    pub session: Option<SessionId>,
    pub seconds: f64,
}

/// A recording whose turn is stored, and which the user wanted kept.
#[derive(Debug, Clone, PartialEq)]
pub struct KeptRecording {
    /// With its session.
    pub recording: Recording,
    /// The turn's number in the session.
    pub turn: u32,
}

impl Store {
    /// Whether recordings stay when their turn is stored, for this connection; they do not before this is called.
    pub fn keep_recordings(&mut self, keep: bool) {
        self.keeps_recordings = keep;
    }

    /// Those that became a turn and stayed, oldest first.
    pub fn kept_recordings(&self) -> Result<Vec<KeptRecording>, StoreError> {
        let mut statement =
            self.conn.prepare_cached("SELECT recording_id, pcm FROM chunks WHERE seq = ?1 ORDER BY recording_id")?;
        let became = statement
            .query_map([BECAME], |row| Ok((row.get(0)?, row.get(1)?)))?
            .collect::<Result<Vec<(i64, Vec<u8>)>, _>>()?;
        let all = self.recordings_where("1")?;
        let kept = became.into_iter().map(|(id, turn)| {
            let recording = all.iter().find(|recording| recording.id.0 == id).ok_or(StoreError::UnreadableRow)?;
            let turn = turn.try_into().map(u32::from_le_bytes).map_err(|_| StoreError::UnreadableRow)?;
            Ok(KeptRecording { recording: recording.clone(), turn })
        });
        kept.collect()
    }

    /// Forgets the kept recordings that began before `moment`; says how many.
    pub fn drop_kept_recordings(&mut self, moment: Timestamp) -> Result<(u32, Left), StoreError> {
        let drop = "DELETE FROM recordings WHERE started_at < ?1
                        AND EXISTS (SELECT 1 FROM chunks WHERE recording_id = id AND seq = ?2)";
        let (gone, left) =
            self.delete(|tx| Ok(tx.prepare_cached(drop)?.execute(params![Millis(moment), BECAME])?))?;
        Ok((u32::try_from(gone).unwrap_or(u32::MAX), left))
    }

    /// A new, empty recording, of `session` where one is open.
    pub fn start_recording(&mut self, at: Timestamp, session: Option<SessionId>) -> Result<RecordingId, StoreError> {
        self.conn
            .prepare_cached("INSERT INTO recordings (started_at, session_id) VALUES (?1, ?2)")?
            .execute(params![Millis(at), session])
            .map_err(missing_session)?;
        Ok(RecordingId(self.conn.last_insert_rowid()))
    }

    /// Adds samples (16 kHz mono, best [`CHUNK_SAMPLES`] of them); on disk when this returns.
    ///
    /// # Errors
    /// [`StoreError::NotFound`] where the recording is gone; a `seq` that is taken is refused.
    pub fn append_chunk(&mut self, id: RecordingId, seq: u32, samples: &[i16]) -> Result<(), StoreError> {
        let pcm: Vec<u8> = samples.iter().flat_map(|sample| sample.to_le_bytes()).collect();
        self.conn
            .prepare_cached("INSERT INTO chunks (recording_id, seq, pcm) VALUES (?1, ?2, ?3)")?
            .execute(params![id.0, seq, pcm])
            .map_err(|e| if is_missing_parent(&e) { StoreError::NotFound("recording") } else { e.into() })?;
        Ok(())
    }

    /// Everything that waits in the spool, oldest first.
    pub fn recordings(&self) -> Result<Vec<Recording>, StoreError> {
        self.recordings_where("NOT EXISTS (SELECT 1 FROM chunks WHERE recording_id = r.id AND seq < 0)")
    }

    fn recordings_where(&self, condition: &str) -> Result<Vec<Recording>, StoreError> {
        let mut statement = self.conn.prepare_cached(&format!(
            "SELECT r.id, r.started_at, r.session_id, COALESCE(SUM(length(c.pcm)), 0) AS bytes
             FROM recordings r LEFT JOIN chunks c ON c.recording_id = r.id AND c.seq >= 0
             WHERE {condition} GROUP BY r.id ORDER BY r.id"
        ))?;
        let recordings = statement.query_map([], |row| {
            Ok(Recording {
                id: RecordingId(row.get("id")?),
                started_at: row.get::<_, Millis>("started_at")?.0,
                session: row.get("session_id")?,
                seconds: f64::from(row.get::<_, u32>("bytes")? / 2) / f64::from(SAMPLE_RATE),
            })
        })?;
        Ok(recordings.collect::<Result<_, _>>()?)
    }

    /// The recording's samples in order; none for one that is gone.
    pub fn recording_samples(&self, id: RecordingId) -> Result<Vec<i16>, StoreError> {
        let mut statement =
            self.conn.prepare_cached("SELECT pcm FROM chunks WHERE recording_id = ?1 AND seq >= 0 ORDER BY seq")?;
        let mut rows = statement.query([id.0])?;
        let mut samples = Vec::new();
        while let Some(row) = rows.next()? {
            let pcm = row.get_ref(0)?.as_blob().map_err(|_| StoreError::UnreadableRow)?;
            samples.extend(pcm.chunks_exact(2).map(|pair| i16::from_le_bytes([pair[0], pair[1]])));
        }
        Ok(samples)
    }

    /// Forgets a recording; nothing happens where it is gone already.
    pub fn drop_recording(&mut self, id: RecordingId) -> Result<(), StoreError> {
        self.conn.prepare_cached("DELETE FROM recordings WHERE id = ?1")?.execute([id.0])?;
        Ok(())
    }
}

/// Takes the recording out of the spool together with the turn that it became, or leaves it there as that turn's.
pub(crate) fn consume(
    tx: &Transaction<'_>,
    id: RecordingId,
    session: SessionId,
    turn: u32,
    keep: bool,
) -> Result<(), StoreError> {
    // Somebody else has stored or dropped it: the same words must not become two turns.
    let taken = || StoreError::NotFound("recording");
    let became: bool = tx
        .prepare_cached("SELECT EXISTS (SELECT 1 FROM chunks WHERE recording_id = ?1 AND seq = ?2)")?
        .query_row(params![id.0, BECAME], |row| row.get(0))?;
    if became {
        return Err(taken());
    }
    let changed = if keep {
        tx.prepare_cached("UPDATE recordings SET session_id = ?2 WHERE id = ?1")?.execute(params![id.0, session])?
    } else {
        tx.prepare_cached("DELETE FROM recordings WHERE id = ?1")?.execute([id.0])?
    };
    if changed == 0 {
        return Err(taken());
    }
    if keep {
        tx.prepare_cached("INSERT INTO chunks (recording_id, seq, pcm) VALUES (?1, ?2, ?3)")?.execute(params![
            id.0,
            BECAME,
            turn.to_le_bytes()
        ])?;
    }
    Ok(())
}

fn is_missing_parent(error: &rusqlite::Error) -> bool {
    error.sqlite_error().is_some_and(|e| e.extended_code == rusqlite::ffi::SQLITE_CONSTRAINT_FOREIGNKEY)
}
