//! The turns of a session: what was said, how it sounded, and what Calm answered.

use std::fmt;

use calm_core::{ToolCall, VoiceAnalysis};
use jiff::Timestamp;
use jiff::civil::Date;
use rusqlite::{Row, params};
use serde_json::{Value, json};

use crate::columns::{Json, Millis};
use crate::sessions::{SessionId, missing_session};
use crate::spool::{self, RecordingId};
use crate::{Store, StoreError};

pub(crate) const SCHEMA: &str = "
CREATE TABLE turns (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    session_id INTEGER NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    seq INTEGER NOT NULL,
    said_at INTEGER NOT NULL,
    user_text TEXT,
    voice_json TEXT,
    raw_emotion_json TEXT,
    audio_seconds REAL,
    asr_ms INTEGER,
    ser_ms INTEGER,
    reply_text TEXT NOT NULL,
    reply_backend TEXT NOT NULL,
    first_token_ms INTEGER,
    reply_ms INTEGER,
    tool_json TEXT,
    tool_result_json TEXT,
    contour_json TEXT,
    sufler_json TEXT,
    guard_json TEXT,
    UNIQUE (session_id, seq)
) STRICT;
";

/// The second step: the linter reads the replies as well.
pub(crate) const LINTED: &str = "
ALTER TABLE turns ADD COLUMN lint_json TEXT;
";

/// The third step: what a model gave before code had its say.
pub(crate) const BY_MODEL: &str = "
ALTER TABLE turns ADD COLUMN model_json TEXT;
";

/// The fourth step: what is said becomes memory later ([`Store::remember`]). The index holds only what waits for it.
pub(crate) const REMEMBERED: &str = "
ALTER TABLE turns ADD COLUMN remembered INTEGER NOT NULL DEFAULT 0 CHECK (remembered IN (0, 1));
CREATE INDEX turns_unremembered ON turns (id)
WHERE remembered = 0 AND user_text IS NOT NULL AND reply_text <> '';
";

/// One exchange; the opening turn has a reply only.
#[derive(Clone, PartialEq)]
pub struct TurnRecord {
    pub said_at: Timestamp,
    /// `None` where Calm spoke first.
    pub user_text: Option<String>,
    pub voice: Option<VoiceAnalysis>,
    /// The emotion model's figures before calibration, from which a later baseline can be learned.
    pub raw_emotion: Option<Value>,
    pub audio_seconds: Option<f64>,
    pub asr_ms: Option<u32>,
    pub ser_ms: Option<u32>,
    /// Empty while a model still writes it: what the user said is on disk before that.
    pub reply_text: String,
    /// `guide`, or the endpoint's name.
    pub reply_backend: String,
    pub first_token_ms: Option<u32>,
    /// From the end of the user's words to the end of the reply.
    pub reply_ms: Option<u32>,
    pub tool: Option<ToolCall>,
    pub tool_result: Option<Value>,
    pub contour: Option<Value>,
    /// Hits of the guard.
    pub guard: Option<Value>,
    /// Where a model was asked: what it called, what of it was dropped and why, and how the request went.
    pub model: Option<Value>,
}

impl TurnRecord {
    /// A turn of text alone; everything else is added where it is known.
    pub fn new(said_at: Timestamp, user_text: Option<String>, reply_text: String, reply_backend: String) -> TurnRecord {
        TurnRecord {
            said_at,
            user_text,
            voice: None,
            raw_emotion: None,
            audio_seconds: None,
            asr_ms: None,
            ser_ms: None,
            reply_text,
            reply_backend,
            first_token_ms: None,
            reply_ms: None,
            tool: None,
            tool_result: None,
            contour: None,
            guard: None,
            model: None,
        }
    }
}

/// A stored turn.
#[derive(Clone, PartialEq)]
pub struct Turn {
    /// 1 for the first turn of a session.
    pub seq: u32,
    pub record: TurnRecord,
    /// The score and its reasons, once there is one.
    pub sufler: Option<Value>,
    /// What the linter found in the reply after the session, where it found anything.
    pub lint: Option<Value>,
}

impl fmt::Debug for TurnRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TurnRecord").field("said_at", &self.said_at).finish_non_exhaustive()
    }
}

impl fmt::Debug for Turn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Turn").field("seq", &self.seq).finish_non_exhaustive()
    }
}

impl Store {
    /// Stores a turn and, in the same transaction, takes the recording it came from out of the spool, or leaves it there
    /// as this turn's ([`Store::keep_recordings`]).
    ///
    /// Returns the turn's number in the session. It is on disk when this returns. A turn that arrives
    /// after the session's end is kept too: what was said is never thrown away.
    ///
    /// # Errors
    /// [`StoreError::NotFound`] where the session or the recording does not exist (any more).
    pub fn record_turn(
        &mut self,
        session: SessionId,
        turn: &TurnRecord,
        spooled: Option<RecordingId>,
    ) -> Result<u32, StoreError> {
        let keep = self.keeps_recordings;
        let tx = self.write()?;
        let seq = tx
            .prepare_cached(
                "INSERT INTO turns (session_id, seq, said_at, user_text, voice_json, raw_emotion_json,
                     audio_seconds, asr_ms, ser_ms, reply_text, reply_backend, first_token_ms, reply_ms,
                     tool_json, tool_result_json, contour_json, guard_json, model_json)
                 VALUES (?1, (SELECT COALESCE(MAX(seq), 0) + 1 FROM turns WHERE session_id = ?1), ?2, ?3, ?4, ?5,
                     ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17)
                 RETURNING seq",
            )?
            .query_row(
                params![
                    session,
                    Millis(turn.said_at),
                    turn.user_text,
                    turn.voice.as_ref().map(|voice| Json(readable(voice))),
                    turn.raw_emotion.as_ref().map(Json),
                    turn.audio_seconds,
                    turn.asr_ms,
                    turn.ser_ms,
                    turn.reply_text,
                    turn.reply_backend,
                    turn.first_token_ms,
                    turn.reply_ms,
                    turn.tool.as_ref().map(Json),
                    turn.tool_result.as_ref().map(Json),
                    turn.contour.as_ref().map(Json),
                    turn.guard.as_ref().map(Json),
                    turn.model.as_ref().map(Json),
                ],
                |row| row.get(0),
            )
            .map_err(missing_session)?;
        if let Some(recording) = spooled {
            spool::consume(&tx, recording, session, seq, keep)?;
        }
        tx.commit()?;
        Ok(seq)
    }

    /// Writes the reply to words that were stored before it; what the user said and how it sounded stay as they are.
    ///
    /// # Errors
    /// [`StoreError::NotFound`] where there is no such turn, or it has been answered.
    pub fn answer_turn(&mut self, session: SessionId, seq: u32, turn: &TurnRecord) -> Result<(), StoreError> {
        let changed = self
            .conn
            .prepare_cached(
                "UPDATE turns SET reply_text = ?3, reply_backend = ?4, first_token_ms = ?5, reply_ms = ?6,
                     tool_json = ?7, tool_result_json = ?8, guard_json = ?9, model_json = ?10
                 WHERE session_id = ?1 AND seq = ?2 AND reply_text = ''",
            )?
            .execute(params![
                session,
                seq,
                turn.reply_text,
                turn.reply_backend,
                turn.first_token_ms,
                turn.reply_ms,
                turn.tool.as_ref().map(Json),
                turn.tool_result.as_ref().map(Json),
                turn.guard.as_ref().map(Json),
                turn.model.as_ref().map(Json),
            ])?;
        if changed == 0 { Err(StoreError::NotFound("turn without a reply")) } else { Ok(()) }
    }

    /// The score of a turn, which comes after the reply was shown. The user's own stays.
    pub fn set_sufler(&mut self, session: SessionId, seq: u32, score: &Value) -> Result<(), StoreError> {
        let changed = self
            .conn
            .prepare_cached(
                "UPDATE turns SET sufler_json = CASE WHEN sufler_json ->> '$.by_user' THEN sufler_json ELSE ?3 END
                 WHERE session_id = ?1 AND seq = ?2",
            )?
            .execute(params![session, seq, Json(score)])?;
        if changed == 0 { Err(StoreError::NotFound("turn")) } else { Ok(()) }
    }

    /// What the user says of a reply, 1–5, in place of any other score of it; a later word replaces it.
    pub fn rate_turn(&mut self, session: SessionId, seq: u32, score: u8) -> Result<(), StoreError> {
        let kept = json!({"score": score, "reasons": [], "by_user": true});
        let changed = self
            .conn
            .prepare_cached("UPDATE turns SET sufler_json = ?3 WHERE session_id = ?1 AND seq = ?2")?
            .execute(params![session, seq, Json(kept)])?;
        if changed == 0 { Err(StoreError::NotFound("turn")) } else { Ok(()) }
    }

    /// What the linter found in a turn's reply.
    pub fn set_lint(&mut self, session: SessionId, seq: u32, findings: &Value) -> Result<(), StoreError> {
        let changed = self
            .conn
            .prepare_cached("UPDATE turns SET lint_json = ?3 WHERE session_id = ?1 AND seq = ?2")?
            .execute(params![session, seq, Json(findings)])?;
        if changed == 0 { Err(StoreError::NotFound("turn")) } else { Ok(()) }
    }

    /// What Calm said before `session` began, since the start of the trading day before `day` on which there was a
    /// session; oldest first.
    pub fn replies_since_the_day_before(&self, day: Date, session: SessionId) -> Result<Vec<String>, StoreError> {
        let mut statement = self.conn.prepare_cached(
            "SELECT reply_text FROM turns JOIN sessions ON sessions.id = turns.session_id
             WHERE sessions.id < ?2 AND sessions.trading_day >=
                 COALESCE((SELECT MAX(trading_day) FROM sessions WHERE trading_day < ?1), ?1)
             ORDER BY turns.id",
        )?;
        let replies = statement.query_map(params![day.to_string(), session], |row| row.get(0))?;
        Ok(replies.collect::<Result<_, _>>()?)
    }

    /// What the user said in the newest `limit` check-outs that have ended, one text a session, newest first.
    pub fn words_of_checkouts(&self, limit: u32) -> Result<Vec<String>, StoreError> {
        let mut statement = self.conn.prepare_cached(
            "SELECT GROUP_CONCAT(user_text, '. ') FROM turns JOIN sessions ON sessions.id = turns.session_id
             WHERE sessions.kind = 'check-out' AND sessions.ended_at IS NOT NULL AND user_text IS NOT NULL
             GROUP BY sessions.id ORDER BY sessions.id DESC LIMIT ?1",
        )?;
        let words = statement.query_map([limit], |row| row.get(0))?;
        Ok(words.collect::<Result<_, _>>()?)
    }

    pub(crate) fn turns_of(&self, session: SessionId) -> Result<Vec<Turn>, StoreError> {
        let mut statement = self.conn.prepare_cached("SELECT * FROM turns WHERE session_id = ?1 ORDER BY seq")?;
        let turns = statement.query_map([session], turn)?;
        Ok(turns.collect::<Result<_, _>>()?)
    }
}

/// JSON has no word for "not a number": such a confidence would make the row unreadable, and it is none.
fn readable(voice: &VoiceAnalysis) -> VoiceAnalysis {
    let mut voice = voice.clone();
    if !voice.confidence.is_finite() {
        voice.confidence = 0.0;
    }
    voice
}

pub(crate) fn turn(row: &Row<'_>) -> rusqlite::Result<Turn> {
    let json = |column: &str| -> rusqlite::Result<Option<Value>> {
        Ok(row.get::<_, Option<Json<Value>>>(column)?.map(|json| json.0))
    };
    Ok(Turn {
        seq: row.get("seq")?,
        sufler: json("sufler_json")?,
        lint: json("lint_json")?,
        record: TurnRecord {
            said_at: row.get::<_, Millis>("said_at")?.0,
            user_text: row.get("user_text")?,
            voice: row.get::<_, Option<Json<_>>>("voice_json")?.map(|json| json.0),
            raw_emotion: json("raw_emotion_json")?,
            audio_seconds: row.get("audio_seconds")?,
            asr_ms: row.get("asr_ms")?,
            ser_ms: row.get("ser_ms")?,
            reply_text: row.get("reply_text")?,
            reply_backend: row.get("reply_backend")?,
            first_token_ms: row.get("first_token_ms")?,
            reply_ms: row.get("reply_ms")?,
            tool: row.get::<_, Option<Json<_>>>("tool_json")?.map(|json| json.0),
            tool_result: json("tool_result_json")?,
            contour: json("contour_json")?,
            guard: json("guard_json")?,
            model: json("model_json")?,
        },
    })
}
