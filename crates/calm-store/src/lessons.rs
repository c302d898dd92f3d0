//! Topics on which replies scored badly: the third level of memory (SPEC M2).
//!
//! Which score is bad, and how long a lesson counts, is decided elsewhere.

use std::collections::BTreeMap;

use calm_core::Lang;
use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, Row, params};

use crate::columns::{Json, Millis, Name};
use crate::remember::TurnPlace;
use crate::rows::{debug_shows, row_id};
use crate::{Store, StoreError};

/// Figures follow the sources by themselves, and with its last source a lesson goes too.
pub(crate) const SCHEMA: &str = "
CREATE TABLE lessons (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    language TEXT NOT NULL,
    topic TEXT NOT NULL,
    text TEXT,
    times INTEGER NOT NULL DEFAULT 0,
    sum INTEGER NOT NULL DEFAULT 0,
    worst INTEGER NOT NULL,
    first_at INTEGER NOT NULL,
    last_at INTEGER NOT NULL,
    pinned INTEGER NOT NULL DEFAULT 0 CHECK (pinned IN (0, 1)),
    UNIQUE (language, topic)
) STRICT;
CREATE INDEX lessons_in_time ON lessons (language, last_at, id);

CREATE TABLE lesson_sources (
    lesson_id INTEGER NOT NULL REFERENCES lessons (id) ON DELETE CASCADE,
    session_id INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    at INTEGER NOT NULL,
    score INTEGER NOT NULL CHECK (score BETWEEN 1 AND 5),
    reasons_json TEXT NOT NULL CHECK (json_type(reasons_json) = 'array'),
    PRIMARY KEY (lesson_id, session_id, seq),
    UNIQUE (session_id, seq),
    FOREIGN KEY (session_id, seq) REFERENCES turns (session_id, seq) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE TRIGGER lesson_source_added AFTER INSERT ON lesson_sources BEGIN
    UPDATE lessons SET times = times + 1, sum = sum + new.score, worst = MIN(worst, new.score),
        first_at = MIN(first_at, new.at), last_at = MAX(last_at, new.at)
    WHERE id = new.lesson_id;
END;
CREATE TRIGGER lesson_source_removed AFTER DELETE ON lesson_sources
WHEN EXISTS (SELECT 1 FROM lessons WHERE id = old.lesson_id) BEGIN
    DELETE FROM lessons WHERE id = old.lesson_id
        AND NOT EXISTS (SELECT 1 FROM lesson_sources WHERE lesson_id = old.lesson_id);
    UPDATE lessons SET times = kept.times, sum = kept.sum, worst = kept.worst, first_at = kept.first_at,
        last_at = kept.last_at
    FROM (SELECT COUNT(*) AS times, SUM(score) AS sum, MIN(score) AS worst, MIN(at) AS first_at, MAX(at) AS last_at
          FROM lesson_sources WHERE lesson_id = old.lesson_id) AS kept
    WHERE id = old.lesson_id;
END;
";

pub(crate) const IN_TIME: &str = "SELECT * FROM lessons WHERE language = ?1 ORDER BY last_at DESC, id DESC";

row_id!(LessonId);

#[derive(Clone, PartialEq)]
pub struct Lesson {
    pub id: LessonId,
    pub language: Lang,
    pub topic: String,
    /// What the user said about it.
    pub text: Option<String>,
    pub figures: LessonFigures,
    /// Codes of what was wrong, with how often it was.
    pub reasons: BTreeMap<String, u32>,
}

/// What there is to tell whether a lesson still counts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LessonFigures {
    pub times: u32,
    /// Of the scores, 1–5.
    pub mean: f64,
    pub worst: u8,
    pub first_at: Timestamp,
    pub last_at: Timestamp,
    pub pinned: bool,
}

debug_shows! { Lesson: id, language, figures; }

impl Store {
    pub fn lesson(&self, id: LessonId) -> Result<Option<Lesson>, StoreError> {
        let found = self
            .conn
            .prepare_cached("SELECT * FROM lessons WHERE id = ?1")?
            .query_row([id], |row| {
                Ok(Lesson {
                    id: row.get("id")?,
                    language: row.get::<_, Name<_>>("language")?.0,
                    topic: row.get("topic")?,
                    text: row.get("text")?,
                    figures: figures(row)?,
                    reasons: BTreeMap::new(),
                })
            })
            .optional()?;
        let Some(mut lesson) = found else { return Ok(None) };
        let mut statement = self.conn.prepare_cached(
            "SELECT reason.value, COUNT(*) FROM lesson_sources, json_each(reasons_json) AS reason
             WHERE lesson_id = ?1 GROUP BY reason.value",
        )?;
        let reasons = statement.query_map([id], |row| Ok((row.get(0)?, row.get(1)?)))?;
        lesson.reasons = reasons.collect::<Result<_, _>>()?;
        Ok(Some(lesson))
    }

    /// The topics of the lessons that are `active`, newest first.
    pub fn risk_topics(
        &self,
        language: Lang,
        limit: usize,
        mut active: impl FnMut(&LessonFigures) -> bool,
    ) -> Result<Vec<String>, StoreError> {
        let mut topics = Vec::new();
        let mut statement = self.conn.prepare_cached(IN_TIME)?;
        let mut rows = statement.query([Name(language)])?;
        while topics.len() < limit
            && let Some(row) = rows.next()?
        {
            if active(&figures(row)?) {
                topics.push(row.get("topic")?);
            }
        }
        Ok(topics)
    }

    /// The newest lessons whose topic or text `fits`.
    pub(crate) fn newest_lessons(
        &self,
        limit: usize,
        mut fits: impl FnMut(&str) -> bool,
    ) -> Result<Vec<Lesson>, StoreError> {
        let mut found = Vec::new();
        let mut statement =
            self.conn.prepare_cached("SELECT id, topic, text FROM lessons ORDER BY last_at DESC, id DESC")?;
        let mut rows = statement.query([])?;
        while found.len() < limit
            && let Some(row) = rows.next()?
        {
            let topic = row.get_ref("topic")?.as_str()?;
            let text = row.get_ref("text")?.as_str_or_null()?;
            if fits(topic) || text.is_some_and(&mut fits) {
                found.extend(self.lesson(row.get("id")?)?);
            }
        }
        Ok(found)
    }
}

/// The reply of the turn at `place` teaches something about `topic`.
pub(crate) fn learn(
    tx: &Connection,
    place: &TurnPlace,
    topic: &str,
    score: u8,
    reasons: &[String],
) -> Result<LessonId, StoreError> {
    tx.prepare_cached(
        "INSERT INTO lessons (language, topic, worst, first_at, last_at)
         SELECT language, ?2, ?3, ?4, ?4 FROM sessions WHERE id = ?1
         ON CONFLICT (language, topic) DO NOTHING",
    )?
    .execute(params![place.session, topic, score, Millis(place.at)])?;
    let id = tx
        .prepare_cached(
            "SELECT lessons.id FROM lessons JOIN sessions ON sessions.language = lessons.language
             WHERE sessions.id = ?1 AND topic = ?2",
        )?
        .query_row(params![place.session, topic], |row| row.get(0))?;
    tx.prepare_cached(
        "INSERT INTO lesson_sources (lesson_id, session_id, seq, at, score, reasons_json)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
    )?
    .execute(params![id, place.session, place.seq, Millis(place.at), score, Json(reasons)])?;
    Ok(id)
}

fn figures(row: &Row<'_>) -> rusqlite::Result<LessonFigures> {
    let times: u32 = row.get("times")?;
    Ok(LessonFigures {
        times,
        mean: row.get::<_, f64>("sum")? / f64::from(times.max(1)),
        worst: row.get("worst")?,
        first_at: row.get::<_, Millis>("first_at")?.0,
        last_at: row.get::<_, Millis>("last_at")?.0,
        pinned: row.get("pinned")?,
    })
}
