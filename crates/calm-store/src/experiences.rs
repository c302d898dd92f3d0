//! What was said before and what Calm answered: the first level of memory (SPEC M2).
//!
//! An experience has the words of one turn and the other turns that were nearly the same as sources. The reply and how
//! the session went are read from where they lie, so that there is nothing to forget twice. What is nearly the same is
//! decided elsewhere.

use calm_core::context::SessionResult;
use calm_core::{Kind, Lang};
use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, Row, params};

use crate::columns::{Millis, Name};
use crate::remember::TurnPlace;
use crate::rows::{debug_shows, row_id};
use crate::sessions::Heard;
use crate::{Store, StoreError};

/// Counts and dates follow the sources by themselves, whichever way a source goes. With its last source an experience
/// goes too, pinned or corrected: it is part of the conversation that was deleted. Where only the turn that lent its
/// words goes, the oldest turn that is left lends its own, and what the user put in their place stays.
pub(crate) const SCHEMA: &str = "
CREATE TABLE experiences (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    first_at INTEGER NOT NULL,
    last_at INTEGER NOT NULL,
    times INTEGER NOT NULL DEFAULT 0,
    score REAL,
    pinned INTEGER NOT NULL DEFAULT 0 CHECK (pinned IN (0, 1)),
    corrected INTEGER NOT NULL DEFAULT 0 CHECK (corrected IN (0, 1)),
    language TEXT NOT NULL,
    kind TEXT NOT NULL,
    topic TEXT,
    words_session INTEGER NOT NULL,
    words_seq INTEGER NOT NULL,
    situation TEXT NOT NULL,
    embedding_model TEXT,
    embedding BLOB,
    CHECK ((embedding IS NULL) = (embedding_model IS NULL))
) STRICT;
CREATE INDEX experiences_in_time ON experiences (last_at, id);
CREATE INDEX experiences_of_model ON experiences (embedding_model);

CREATE TABLE experience_sources (
    experience_id INTEGER NOT NULL REFERENCES experiences (id) ON DELETE CASCADE,
    session_id INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    at INTEGER NOT NULL,
    topic TEXT,
    score INTEGER CHECK (score BETWEEN 1 AND 5),
    PRIMARY KEY (experience_id, session_id, seq),
    UNIQUE (session_id, seq),
    FOREIGN KEY (session_id, seq) REFERENCES turns (session_id, seq) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE TRIGGER experience_source_added AFTER INSERT ON experience_sources BEGIN
    UPDATE experiences SET times = times + 1, first_at = MIN(first_at, new.at), last_at = MAX(last_at, new.at),
        score = (SELECT AVG(score) FROM experience_sources WHERE experience_id = new.experience_id)
    WHERE id = new.experience_id;
END;
CREATE TRIGGER experience_source_removed AFTER DELETE ON experience_sources
WHEN EXISTS (SELECT 1 FROM experiences WHERE id = old.experience_id) BEGIN
    DELETE FROM experiences WHERE id = old.experience_id
        AND NOT EXISTS (SELECT 1 FROM experience_sources WHERE experience_id = old.experience_id);
    UPDATE experiences SET times = kept.times, first_at = kept.first_at, last_at = kept.last_at, score = kept.score
    FROM (SELECT COUNT(*) AS times, MIN(at) AS first_at, MAX(at) AS last_at, AVG(score) AS score
          FROM experience_sources WHERE experience_id = old.experience_id) AS kept
    WHERE id = old.experience_id;
    UPDATE experiences SET words_session = other.session_id, words_seq = other.seq, topic = other.topic,
        language = other.language, kind = other.kind,
        situation = IIF(corrected, situation, other.user_text),
        embedding = IIF(corrected, embedding, NULL),
        embedding_model = IIF(corrected, embedding_model, NULL)
    FROM (SELECT source.session_id, source.seq, source.topic, language, kind, user_text
          FROM experience_sources AS source
          JOIN turns ON turns.session_id = source.session_id AND turns.seq = source.seq
          JOIN sessions ON sessions.id = source.session_id
          WHERE experience_id = old.experience_id ORDER BY at, source.session_id, source.seq LIMIT 1) AS other
    WHERE id = old.experience_id AND words_session = old.session_id AND words_seq = old.seq;
END;
";

pub(crate) const ONE: &str = "
SELECT experience.*, reply_text, reply_backend, ended_at IS NOT NULL AS ended, heard, session_result,
    deltas_json ->> '$.stress.change' AS stress_change
FROM experiences AS experience
JOIN turns ON turns.session_id = words_session AND turns.seq = words_seq
JOIN sessions ON sessions.id = words_session
WHERE experience.id = ?1";

/// Three ranges of the index; "is not" would be a walk over all of them.
pub(crate) const WITHOUT_EMBEDDING: &str = "
SELECT id, language, situation FROM experiences WHERE embedding_model IS NULL
UNION ALL SELECT id, language, situation FROM experiences WHERE embedding_model < ?1
UNION ALL SELECT id, language, situation FROM experiences WHERE embedding_model > ?1
LIMIT ?2";

row_id!(ExperienceId);

/// A text as numbers. What they mean is known to the model alone.
#[derive(Clone, PartialEq)]
pub struct Embedding {
    /// Numbers of another model cannot be compared with these.
    pub model: String,
    pub bytes: Vec<u8>,
}

#[derive(Clone, PartialEq)]
pub struct Experience {
    pub id: ExperienceId,
    pub first_at: Timestamp,
    pub last_at: Timestamp,
    pub language: Lang,
    pub kind: Kind,
    pub topic: Option<String>,
    /// The user's words, as they were said or as the user put them right later.
    pub situation: String,
    /// The user put the words right.
    pub corrected: bool,
    pub reply: String,
    /// `guide`, or the endpoint's name.
    pub backend: String,
    /// Mean score of the replies, 1–5; `None` where none was scored.
    pub score: Option<f64>,
    /// How the session of these words went; `None` while it is open.
    pub outcome: Option<Outcome>,
    /// How often it was so.
    pub times: u32,
    pub pinned: bool,
}

/// What became of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Outcome {
    pub heard: Option<Heard>,
    pub result: Option<SessionResult>,
    /// Stress after minus stress before, −9 to 9, where a check-out knows both.
    pub stress_change: Option<i32>,
}

/// What an index of all experiences needs of each; it borrows from the row that is being read.
#[derive(Clone, Copy, PartialEq)]
pub struct IndexedExperience<'a> {
    pub id: ExperienceId,
    pub language: Lang,
    pub situation: &'a str,
    pub embedding: Option<&'a [u8]>,
    pub embedding_model: Option<&'a str>,
    pub last_at: Timestamp,
    pub times: u32,
    /// Mean, 1–5.
    pub score: Option<f64>,
    pub pinned: bool,
}

/// An experience that the current model has not read.
#[derive(Clone, PartialEq, Eq)]
pub struct Unembedded {
    pub id: ExperienceId,
    pub language: Lang,
    pub situation: String,
}

debug_shows! {
    Experience: id, first_at, last_at, times, score;
    Unembedded: id, language;
}

impl std::fmt::Debug for Embedding {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Embedding").field("model", &self.model).finish_non_exhaustive()
    }
}

impl std::fmt::Debug for IndexedExperience<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("IndexedExperience").field("id", &self.id).finish_non_exhaustive()
    }
}

impl Store {
    pub fn experience(&self, id: ExperienceId) -> Result<Option<Experience>, StoreError> {
        Ok(self.conn.prepare_cached(ONE)?.query_row([id], experience).optional()?)
    }

    /// Shows every experience, in no particular order.
    ///
    /// # Errors
    /// Ends at the first row that cannot be read.
    pub fn for_each_experience(&self, mut show: impl FnMut(IndexedExperience<'_>)) -> Result<(), StoreError> {
        let mut statement = self.conn.prepare_cached(
            "SELECT id, language, situation, embedding, embedding_model, last_at, times, score, pinned
             FROM experiences ORDER BY id",
        )?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            show(indexed(row)?);
        }
        Ok(())
    }

    /// Experiences that have no embedding by `model`: first those that have none at all.
    pub fn experiences_without_embedding(&self, model: &str, limit: u32) -> Result<Vec<Unembedded>, StoreError> {
        let mut statement = self.conn.prepare_cached(WITHOUT_EMBEDDING)?;
        let found = statement.query_map(params![model, limit], |row| {
            Ok(Unembedded {
                id: row.get("id")?,
                language: row.get::<_, Name<_>>("language")?.0,
                situation: row.get("situation")?,
            })
        })?;
        Ok(found.collect::<Result<_, _>>()?)
    }

    /// Keeps the embedding of `read`; false, and nothing changes, where the experience is gone or says something else
    /// by now.
    pub fn set_embedding(&mut self, read: &Unembedded, embedding: &Embedding) -> Result<bool, StoreError> {
        let changed = self
            .conn
            .prepare_cached(
                "UPDATE experiences SET embedding = ?3, embedding_model = ?4 WHERE id = ?1 AND situation = ?2",
            )?
            .execute(params![read.id, read.situation, embedding.bytes, embedding.model])?;
        Ok(changed == 1)
    }

    /// The newest experiences whose words `fits`.
    pub(crate) fn newest_experiences(
        &self,
        limit: usize,
        mut fits: impl FnMut(&str) -> bool,
    ) -> Result<Vec<Experience>, StoreError> {
        let mut found = Vec::new();
        let mut statement =
            self.conn.prepare_cached("SELECT id, situation, topic FROM experiences ORDER BY last_at DESC, id DESC")?;
        let mut rows = statement.query([])?;
        while found.len() < limit
            && let Some(row) = rows.next()?
        {
            let situation = row.get_ref("situation")?.as_str()?;
            let topic = row.get_ref("topic")?.as_str_or_null()?;
            if fits(situation) || topic.is_some_and(&mut fits) {
                found.extend(self.experience(row.get("id")?)?);
            }
        }
        Ok(found)
    }
}

/// A new experience in the words of the turn at `place`.
pub(crate) fn insert(
    tx: &Connection,
    place: &TurnPlace,
    embedding: Option<&Embedding>,
) -> Result<ExperienceId, StoreError> {
    Ok(tx
        .prepare_cached(
            "INSERT INTO experiences (first_at, last_at, language, kind, words_session, words_seq, situation,
                 embedding, embedding_model)
             SELECT ?3, ?3, language, kind, session_id, seq, user_text, ?4, ?5
             FROM turns JOIN sessions ON sessions.id = session_id WHERE session_id = ?1 AND seq = ?2
             RETURNING id",
        )?
        .query_row(
            params![
                place.session,
                place.seq,
                Millis(place.at),
                embedding.map(|embedding| &embedding.bytes),
                embedding.map(|embedding| &embedding.model),
            ],
            |row| row.get(0),
        )?)
}

/// The turn at `place` belongs to that experience from now on.
pub(crate) fn add_source(
    tx: &Connection,
    id: ExperienceId,
    place: &TurnPlace,
    topic: Option<&str>,
    score: Option<u8>,
) -> Result<(), StoreError> {
    tx.prepare_cached(
        "INSERT INTO experience_sources (experience_id, session_id, seq, at, topic, score)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
    )?
    .execute(params![id, place.session, place.seq, Millis(place.at), topic, score])?;
    tx.prepare_cached("UPDATE experiences SET topic = ?4 WHERE id = ?1 AND words_session = ?2 AND words_seq = ?3")?
        .execute(params![id, place.session, place.seq, topic])?;
    Ok(())
}

fn indexed<'a>(row: &'a Row<'_>) -> rusqlite::Result<IndexedExperience<'a>> {
    Ok(IndexedExperience {
        id: row.get(0)?,
        language: row.get::<_, Name<_>>(1)?.0,
        situation: row.get_ref(2)?.as_str()?,
        embedding: row.get_ref(3)?.as_blob_or_null()?,
        embedding_model: row.get_ref(4)?.as_str_or_null()?,
        last_at: row.get::<_, Millis>(5)?.0,
        times: row.get(6)?,
        score: row.get(7)?,
        pinned: row.get(8)?,
    })
}

fn experience(row: &Row<'_>) -> rusqlite::Result<Experience> {
    let outcome = if row.get("ended")? {
        Some(Outcome {
            heard: row.get::<_, Option<Name<_>>>("heard")?.map(|heard| heard.0),
            result: row.get::<_, Option<Name<_>>>("session_result")?.map(|result| result.0),
            stress_change: row.get("stress_change")?,
        })
    } else {
        None
    };
    Ok(Experience {
        id: row.get("id")?,
        first_at: row.get::<_, Millis>("first_at")?.0,
        last_at: row.get::<_, Millis>("last_at")?.0,
        language: row.get::<_, Name<_>>("language")?.0,
        kind: row.get::<_, Name<_>>("kind")?.0,
        topic: row.get("topic")?,
        situation: row.get("situation")?,
        corrected: row.get("corrected")?,
        reply: row.get("reply_text")?,
        backend: row.get("reply_backend")?,
        score: row.get("score")?,
        outcome,
        times: row.get("times")?,
        pinned: row.get("pinned")?,
    })
}
