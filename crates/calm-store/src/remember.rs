//! Memory is made of turns that are stored already, one turn and one transaction at a time.
//!
//! A turn is marked as remembered together with everything that it leaves behind, and with nothing where it leaves
//! nothing. So a kill loses nothing, and what the user deletes is not made again from the same turn.

use calm_core::{Kind, Lang};
use jiff::Timestamp;
use rusqlite::{OptionalExtension, params};
use serde_json::Value;

use crate::columns::{Json, Millis, Name};
use crate::experiences::{self, Embedding, ExperienceId};
use crate::rows::{debug_shows, row_id};
use crate::sessions::SessionId;
use crate::user_model::{self, TopicMark};
use crate::{Store, StoreError, lessons, turn_search};

row_id!(TurnId);

/// A turn from which memory has not learned.
#[derive(Clone, PartialEq)]
pub struct UnrememberedTurn {
    pub id: TurnId,
    pub session: SessionId,
    pub seq: u32,
    pub at: Timestamp,
    /// Of the session.
    pub language: Lang,
    /// Of the session.
    pub kind: Kind,
    pub user_text: String,
    pub reply_text: String,
    pub reply_backend: String,
    pub sufler: Option<Value>,
    pub contour: Option<Value>,
}

/// What a turn leaves behind.
#[derive(Clone, PartialEq)]
pub struct Remembered {
    pub experience: Experienced,
    /// What the turn was about. Without it there is no mark and no lesson.
    pub topic: Option<String>,
    pub scored: Option<Scored>,
    /// What the turn is found by ([`Store::search_turns`]), separated by spaces; the user's words and the reply's.
    pub stems: String,
}

/// What becomes of a turn among the experiences.
#[derive(Debug, Clone, PartialEq)]
pub enum Experienced {
    Nothing,
    /// In the turn's own words.
    New {
        embedding: Option<Embedding>,
    },
    /// It was so before: the turn becomes one more source.
    MergeInto(ExperienceId),
}

/// What follows from the reply's score.
#[derive(Clone, PartialEq)]
pub struct Scored {
    /// 1–5.
    pub score: u8,
    /// 0–1.
    pub trust_after: f64,
    pub mark: Option<TopicMark>,
    /// Codes of what was wrong, where there is something to learn from it.
    pub lesson: Option<Vec<String>>,
}

/// What [`Store::remember`] did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kept {
    Experience(ExperienceId),
    NoExperience,
    /// The turn had been remembered before; nothing has changed.
    Already,
}

debug_shows! {
    UnrememberedTurn: id, session, seq, at;
    Remembered: experience;
    Scored: score, trust_after, mark;
}

pub(crate) struct TurnPlace {
    pub session: SessionId,
    pub seq: u32,
    pub at: Timestamp,
}

impl Store {
    /// The oldest turns that memory has not learned from, in the order in which they were said.
    ///
    /// Those in which nobody spoke, or nobody has answered yet, are left out.
    pub fn unremembered_turns(&self, limit: u32) -> Result<Vec<UnrememberedTurn>, StoreError> {
        let mut statement = self.conn.prepare_cached(UNREMEMBERED)?;
        let turns = statement.query_map([limit], |row| {
            Ok(UnrememberedTurn {
                id: row.get("id")?,
                session: row.get("session_id")?,
                seq: row.get("seq")?,
                at: row.get::<_, Millis>("said_at")?.0,
                language: row.get::<_, Name<_>>("language")?.0,
                kind: row.get::<_, Name<_>>("kind")?.0,
                user_text: row.get("user_text")?,
                reply_text: row.get("reply_text")?,
                reply_backend: row.get("reply_backend")?,
                sufler: row.get::<_, Option<Json<_>>>("sufler_json")?.map(|json| json.0),
                contour: row.get::<_, Option<Json<_>>>("contour_json")?.map(|json| json.0),
            })
        })?;
        Ok(turns.collect::<Result<_, _>>()?)
    }

    /// Writes down everything that a turn leaves behind, and that memory has learned from it.
    ///
    /// # Errors
    /// Nothing is written. [`StoreError::NotFound`] where the turn, or the experience to merge it into, is gone: the
    /// user may have deleted it a moment ago.
    pub fn remember(&mut self, turn: TurnId, what: &Remembered) -> Result<Kept, StoreError> {
        let tx = self.write()?;
        let found = tx
            .prepare_cached(
                "SELECT session_id, seq, said_at, remembered FROM turns
                 WHERE id = ?1 AND user_text IS NOT NULL AND reply_text <> ''",
            )?
            .query_row([turn], |row| {
                let at = row.get::<_, Millis>("said_at")?.0;
                Ok((TurnPlace { session: row.get("session_id")?, seq: row.get("seq")?, at }, row.get("remembered")?))
            })
            .optional()?;
        let Some((place, remembered)) = found else { return Err(StoreError::NotFound("turn with an answer")) };
        if remembered {
            return Ok(Kept::Already);
        }
        tx.prepare_cached("UPDATE turns SET remembered = 1 WHERE id = ?1")?.execute([turn])?;
        turn_search::add(&tx, turn, &what.stems)?;

        let topic = what.topic.as_deref();
        let experience = match &what.experience {
            Experienced::Nothing => None,
            Experienced::New { embedding } => Some(experiences::insert(&tx, &place, embedding.as_ref())?),
            Experienced::MergeInto(id) => {
                let there: bool = tx
                    .prepare_cached("SELECT EXISTS (SELECT 1 FROM experiences WHERE id = ?1)")?
                    .query_row(params![id], |row| row.get(0))?;
                if !there {
                    return Err(StoreError::NotFound("experience"));
                }
                Some(*id)
            }
        };
        if let Some(id) = experience {
            experiences::add_source(&tx, id, &place, topic, what.scored.as_ref().map(|scored| scored.score))?;
        }
        if let Some(scored) = &what.scored {
            user_model::note_score(&tx, scored.score, scored.trust_after)?;
            if let (Some(topic), Some(mark)) = (topic, scored.mark) {
                user_model::mark_topic(&tx, &place, topic, mark)?;
            }
            if let (Some(topic), Some(reasons)) = (topic, &scored.lesson) {
                lessons::learn(&tx, &place, topic, scored.score, reasons)?;
            }
        }
        tx.commit()?;
        Ok(experience.map_or(Kept::NoExperience, Kept::Experience))
    }
}

/// Named, because a walk over all turns gives the same order and may look as cheap.
pub(crate) const UNREMEMBERED: &str = "
SELECT turn.id, session_id, seq, said_at, language, kind, user_text, reply_text, reply_backend, sufler_json,
    contour_json
FROM turns AS turn INDEXED BY turns_unremembered JOIN sessions ON sessions.id = session_id
WHERE remembered = 0 AND user_text IS NOT NULL AND reply_text <> ''
ORDER BY turn.id LIMIT ?1";
