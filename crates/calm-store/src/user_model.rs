//! How far the user and Calm get along: trust, scores, and the topics that go well or badly (SPEC C1, C2).
//!
//! The rule by which trust moves is applied elsewhere.

use calm_core::Lang;
use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, params};

use crate::columns::{Millis, Name};
use crate::remember::TurnPlace;
use crate::rows::debug_shows;
use crate::{Store, StoreError};

/// The counts of a topic follow its marks by themselves, and each mark goes with its turn. Trust and the mean stay:
/// they are figures without words.
pub(crate) const SCHEMA: &str = "
CREATE TABLE user_model (
    only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
    trust REAL NOT NULL CHECK (trust BETWEEN 0 AND 1),
    scores INTEGER NOT NULL,
    mean REAL NOT NULL
) STRICT;

CREATE TABLE topic_marks (
    session_id INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    language TEXT NOT NULL,
    topic TEXT NOT NULL,
    good INTEGER NOT NULL CHECK (good IN (0, 1)),
    at INTEGER NOT NULL,
    PRIMARY KEY (session_id, seq),
    FOREIGN KEY (session_id, seq) REFERENCES turns (session_id, seq) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX topic_marks_of_topic ON topic_marks (language, topic, at);

CREATE TABLE topic_scores (
    language TEXT NOT NULL,
    topic TEXT NOT NULL,
    good INTEGER NOT NULL,
    bad INTEGER NOT NULL,
    last_at INTEGER NOT NULL,
    PRIMARY KEY (language, topic)
) STRICT, WITHOUT ROWID;
CREATE INDEX topic_scores_in_time ON topic_scores (language, last_at);

CREATE TRIGGER topic_marked AFTER INSERT ON topic_marks BEGIN
    INSERT INTO topic_scores (language, topic, good, bad, last_at)
    VALUES (new.language, new.topic, new.good, 1 - new.good, new.at)
    ON CONFLICT (language, topic) DO UPDATE SET good = good + excluded.good, bad = bad + excluded.bad,
        last_at = MAX(last_at, excluded.last_at);
END;
CREATE TRIGGER topic_unmarked AFTER DELETE ON topic_marks BEGIN
    DELETE FROM topic_scores WHERE language = old.language AND topic = old.topic AND good + bad = 1;
    UPDATE topic_scores SET good = good - old.good, bad = bad - (1 - old.good),
        last_at = (SELECT MAX(at) FROM topic_marks WHERE language = old.language AND topic = old.topic)
    WHERE language = old.language AND topic = old.topic;
END;
";

pub(crate) const TOPICS: &str = "
SELECT topic, good, bad, last_at FROM topic_scores WHERE language = ?1 ORDER BY last_at DESC, topic DESC LIMIT ?2";

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct UserModel {
    /// 0–1.
    pub trust: f64,
    /// How many replies were scored.
    pub scores: u32,
    /// Of the scores, 1–5; `None` before the first.
    pub mean: Option<f64>,
}

impl Default for UserModel {
    fn default() -> UserModel {
        UserModel { trust: 0.5, scores: 0, mean: None }
    }
}

/// How talking about a topic went in one turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TopicMark {
    Good,
    Bad,
}

#[derive(Clone, PartialEq, Eq)]
pub struct TopicScore {
    pub topic: String,
    pub good: u32,
    pub bad: u32,
    pub last_at: Timestamp,
}

debug_shows! { TopicScore: good, bad, last_at; }

impl Store {
    /// The default until a reply is scored.
    pub fn user_model(&self) -> Result<UserModel, StoreError> {
        let found = self
            .conn
            .prepare_cached("SELECT trust, scores, mean FROM user_model")?
            .query_row([], |row| {
                Ok(UserModel { trust: row.get("trust")?, scores: row.get("scores")?, mean: Some(row.get("mean")?) })
            })
            .optional()?;
        Ok(found.unwrap_or_default())
    }

    /// The topics with a mark, the newest first.
    pub fn topic_scores(&self, language: Lang, limit: u32) -> Result<Vec<TopicScore>, StoreError> {
        let mut statement = self.conn.prepare_cached(TOPICS)?;
        let topics = statement.query_map(params![Name(language), limit], |row| {
            Ok(TopicScore {
                topic: row.get("topic")?,
                good: row.get("good")?,
                bad: row.get("bad")?,
                last_at: row.get::<_, Millis>("last_at")?.0,
            })
        })?;
        Ok(topics.collect::<Result<_, _>>()?)
    }
}

pub(crate) fn note_score(tx: &Connection, score: u8, trust_after: f64) -> Result<(), StoreError> {
    tx.prepare_cached(
        "INSERT INTO user_model (only_row, trust, scores, mean) VALUES (1, ?1, 1, ?2)
         ON CONFLICT (only_row) DO UPDATE SET trust = excluded.trust, scores = scores + 1,
             mean = mean + (excluded.mean - mean) / (scores + 1)",
    )?
    .execute(params![trust_after, f64::from(score)])?;
    Ok(())
}

pub(crate) fn mark_topic(tx: &Connection, place: &TurnPlace, topic: &str, mark: TopicMark) -> Result<(), StoreError> {
    tx.prepare_cached(
        "INSERT INTO topic_marks (session_id, seq, language, topic, good, at)
         SELECT id, ?2, language, ?3, ?4, ?5 FROM sessions WHERE id = ?1",
    )?
    .execute(params![place.session, place.seq, topic, mark == TopicMark::Good, Millis(place.at)])?;
    Ok(())
}
