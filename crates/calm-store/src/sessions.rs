//! The sessions: begun once, ended exactly once, and matched in pairs (SPEC S2, S6, S7).

use calm_core::context::{CheckinFacts, SessionResult};
use calm_core::{Deltas, EndSession, Format, Kind, Lang, SessionContext};
use jiff::Timestamp;
use jiff::civil::Date;
use rusqlite::{OptionalExtension, Row, ffi, params};
use serde::{Deserialize, Serialize};

use crate::columns::{Day, Json, Millis, Name};
use crate::rows::{debug_shows, row_id};
use crate::turns::Turn;
use crate::{Store, StoreError};

/// The lookup columns repeat what the arguments say, so that lists need not open them.
pub(crate) const SCHEMA: &str = "
CREATE TABLE sessions (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    kind TEXT NOT NULL CHECK (kind IN ('check-in', 'check-out')),
    format TEXT NOT NULL,
    language TEXT NOT NULL,
    started_at INTEGER NOT NULL,
    ended_at INTEGER,
    trading_day TEXT NOT NULL,
    time_zone TEXT NOT NULL,
    number_today INTEGER NOT NULL,
    opened_from TEXT NOT NULL,
    backend TEXT NOT NULL,
    prompt_set TEXT NOT NULL,
    prompt_version TEXT NOT NULL,
    prompt_variant TEXT,
    prompt_hash TEXT NOT NULL,
    seed INTEGER NOT NULL,
    context_json TEXT NOT NULL,
    matched_checkin_id INTEGER UNIQUE REFERENCES sessions (id) ON DELETE SET NULL,
    arguments_json TEXT,
    deltas_json TEXT,
    forced INTEGER NOT NULL DEFAULT 0 CHECK (forced IN (0, 1)),
    heard TEXT CHECK (heard IN ('yes', 'partly', 'no')),
    readiness INTEGER,
    stress INTEGER,
    energy INTEGER,
    session_result TEXT,
    CHECK (matched_checkin_id IS NULL OR kind = 'check-out'),
    CHECK ((ended_at IS NULL) = (arguments_json IS NULL))
) STRICT;
CREATE INDEX sessions_of_day ON sessions (trading_day, kind);
CREATE INDEX sessions_in_time ON sessions (started_at, id);
CREATE INDEX sessions_open ON sessions (started_at) WHERE ended_at IS NULL;
";

row_id!(SessionId);

/// The prompts that a session is held with (SPEC P3).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PromptStamp {
    pub set: String,
    pub version: String,
    pub variant: Option<String>,
    pub hash: String,
}

/// What is known when a session begins.
#[derive(Clone, PartialEq)]
pub struct NewSession {
    pub kind: Kind,
    pub format: Format,
    pub language: Lang,
    pub started_at: Timestamp,
    pub trading_day: Date,
    /// IANA name.
    pub time_zone: String,
    /// 1 for the first session of the trading day.
    pub number_today: u32,
    /// `tray`, `shortcut`, `reminder`, `window`, `terminal`.
    pub opened_from: String,
    pub backend: String,
    pub prompt: PromptStamp,
    /// Chooses the words: with it a session that is taken up again speaks as before.
    pub seed: u64,
    pub context: SessionContext,
    /// From [`Store::latest_unmatched_checkin`]; for check-outs only.
    pub matched_checkin: Option<SessionId>,
}

/// A stored session without its turns.
#[derive(Clone, PartialEq)]
pub struct Session {
    pub id: SessionId,
    pub begun: NewSession,
    /// `None` while the session is open.
    pub ended: Option<Ended>,
    pub heard: Option<Heard>,
}

/// How a session ended.
#[derive(Clone, PartialEq)]
pub struct Ended {
    pub at: Timestamp,
    pub arguments: EndSession,
    pub deltas: Deltas,
    /// The agent had to end it itself.
    pub forced: bool,
}

/// A session with everything that was said in it.
#[derive(Debug, Clone, PartialEq)]
pub struct SessionRecord {
    pub session: Session,
    /// In the order in which they were said.
    pub turns: Vec<Turn>,
}

/// The one tap at the end: did the person feel heard? (SPEC S9)
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Heard {
    Yes,
    Partly,
    No,
}

/// A check-in that waits for its check-out.
#[derive(Clone, PartialEq)]
pub struct UnmatchedCheckin {
    pub id: SessionId,
    pub facts: CheckinFacts,
}

/// A session as the history lists it; levels are 1–10.
#[derive(Clone, PartialEq)]
pub struct SessionLine {
    pub id: SessionId,
    pub kind: Kind,
    pub format: Format,
    pub language: Lang,
    pub started_at: Timestamp,
    pub ended_at: Option<Timestamp>,
    pub trading_day: Date,
    pub forced: bool,
    pub heard: Option<Heard>,
    pub readiness: Option<u8>,
    pub stress: Option<u8>,
    pub energy: Option<u8>,
    pub result: Option<SessionResult>,
    pub summary: Option<String>,
    pub turns: u32,
}

/// What an ended session left behind, for sums over many of them.
#[derive(Clone, PartialEq)]
pub struct PastSession {
    pub id: SessionId,
    pub trading_day: Date,
    pub kind: Kind,
    pub started_at: Timestamp,
    pub arguments: EndSession,
    pub deltas: Deltas,
}

debug_shows! {
    PastSession: id, kind, started_at;
    NewSession: kind, format, started_at;
    Session: id, begun, ended, heard;
    Ended: at, forced;
    UnmatchedCheckin: id;
    SessionLine: id, kind, started_at, ended_at;
}

/// That something came of the session `of`: it is open, or words, a figure, a tap, a note or a recording is there.
///
/// One that was opened and closed in silence stays in the database, in every export and in the figures of its prompts, and
/// is in no list, count or pair.
pub(crate) fn something_came_of(of: &str) -> String {
    format!(
        "({of}.ended_at IS NULL OR {of}.heard IS NOT NULL
          OR COALESCE({of}.readiness, {of}.stress, {of}.energy, {of}.session_result) IS NOT NULL
          OR {of}.arguments_json ->> '$.risk_flags.needs_attention'
          OR EXISTS (SELECT 1 FROM turns WHERE session_id = {of}.id AND TRIM(user_text) <> '')
          OR EXISTS (SELECT 1 FROM notes WHERE session_id = {of}.id)
          OR EXISTS (SELECT 1 FROM recordings WHERE session_id = {of}.id))"
    )
}

impl Store {
    /// Begins a session and takes its check-in, so that no other check-out can.
    ///
    /// # Errors
    /// [`StoreError::AlreadyMatched`] where another check-out has just taken it;
    /// [`StoreError::NotFound`] where it is no ended check-in.
    pub fn begin_session(&mut self, new: &NewSession) -> Result<SessionId, StoreError> {
        let tx = self.write()?;
        if let Some(checkin) = new.matched_checkin {
            let fits: bool = tx
                .prepare_cached(
                    "SELECT EXISTS (SELECT 1 FROM sessions
                     WHERE id = ?1 AND kind = 'check-in' AND ended_at IS NOT NULL)",
                )?
                .query_row([checkin], |row| row.get(0))?;
            if !fits {
                return Err(StoreError::NotFound("ended check-in"));
            }
            // A check-out in which nothing was said holds it for nobody.
            tx.prepare_cached(&format!(
                "UPDATE sessions SET matched_checkin_id = NULL WHERE matched_checkin_id = ?1 AND NOT {}",
                something_came_of("sessions")
            ))?
            .execute([checkin])?;
        }
        tx.prepare_cached(
            "INSERT INTO sessions (kind, format, language, started_at, trading_day, time_zone, number_today,
                 opened_from, backend, prompt_set, prompt_version, prompt_variant, prompt_hash, seed,
                 context_json, matched_checkin_id)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16)",
        )?
        .execute(params![
            Name(new.kind),
            Name(new.format),
            Name(new.language),
            Millis(new.started_at),
            Day(new.trading_day),
            new.time_zone,
            new.number_today,
            new.opened_from,
            new.backend,
            new.prompt.set,
            new.prompt.version,
            new.prompt.variant,
            new.prompt.hash,
            new.seed.cast_signed(),
            Json(&new.context),
            new.matched_checkin,
        ])
        .map_err(|e| match e.sqlite_error() {
            // Nothing else in this row is unique.
            Some(error) if error.extended_code == ffi::SQLITE_CONSTRAINT_UNIQUE => StoreError::AlreadyMatched,
            _ => e.into(),
        })?;
        let id = SessionId(tx.last_insert_rowid());
        tx.commit()?;
        Ok(id)
    }

    /// Ends a session; false, and nothing changes, where it had ended before.
    ///
    /// # Errors
    /// [`StoreError::NotFound`] where there is no such session.
    pub fn end_session(
        &mut self,
        id: SessionId,
        arguments: &EndSession,
        deltas: &Deltas,
        forced: bool,
        at: Timestamp,
    ) -> Result<bool, StoreError> {
        let said = &arguments.extracted_attributes;
        let changed = self
            .conn
            .prepare_cached(
                "UPDATE sessions SET ended_at = ?2, arguments_json = ?3, deltas_json = ?4, forced = ?5,
                     readiness = ?6, stress = ?7, energy = ?8, session_result = ?9
                 WHERE id = ?1 AND ended_at IS NULL",
            )?
            .execute(params![
                id,
                Millis(at),
                Json(arguments),
                Json(deltas),
                forced,
                said.trading_readiness,
                said.stress_level,
                said.energy_level,
                said.session_result.map(Name),
            ])?;
        if changed == 0 && self.line_of(id)?.is_none() {
            return Err(StoreError::NotFound("session"));
        }
        Ok(changed == 1)
    }

    /// The tap at the end; a later tap replaces it.
    pub fn set_heard(&mut self, id: SessionId, heard: Heard) -> Result<(), StoreError> {
        let changed = self
            .conn
            .prepare_cached("UPDATE sessions SET heard = ?2 WHERE id = ?1")?
            .execute(params![id, Name(heard)])?;
        if changed == 0 { Err(StoreError::NotFound("session")) } else { Ok(()) }
    }

    /// The newest session that has not ended: the one to continue after a crash.
    pub fn open_session(&self) -> Result<Option<Session>, StoreError> {
        Ok(self
            .conn
            .prepare_cached("SELECT * FROM sessions WHERE ended_at IS NULL ORDER BY started_at DESC, id DESC LIMIT 1")?
            .query_row([], session)
            .optional()?)
    }

    pub fn session(&self, id: SessionId) -> Result<Option<SessionRecord>, StoreError> {
        let found =
            self.conn.prepare_cached("SELECT * FROM sessions WHERE id = ?1")?.query_row([id], session).optional()?;
        match found {
            Some(session) => Ok(Some(SessionRecord { session, turns: self.turns_of(id)? })),
            None => Ok(None),
        }
    }

    /// The check-in that a check-out of `trading_day` would be matched with (SPEC S2).
    pub fn latest_unmatched_checkin(&self, trading_day: Date) -> Result<Option<UnmatchedCheckin>, StoreError> {
        Ok(self
            .conn
            .prepare_cached(&format!(
                "SELECT id, arguments_json FROM sessions AS checkin
                 WHERE trading_day = ?1 AND kind = 'check-in' AND ended_at IS NOT NULL AND {}
                   AND NOT EXISTS (SELECT 1 FROM sessions WHERE matched_checkin_id = checkin.id AND {})
                 ORDER BY started_at DESC, id DESC LIMIT 1",
                something_came_of("checkin"),
                something_came_of("sessions")
            ))?
            .query_row([Day(trading_day)], |row| {
                let arguments: Json<EndSession> = row.get("arguments_json")?;
                let said = arguments.0.extracted_attributes;
                Ok(UnmatchedCheckin {
                    id: row.get("id")?,
                    facts: CheckinFacts {
                        trading_readiness: said.trading_readiness,
                        planned_approach: said.planned_approach,
                        stress_level: said.stress_level,
                        energy_level: said.energy_level,
                    },
                })
            })
            .optional()?)
    }

    /// How many sessions, of either kind, began on that trading day.
    pub fn sessions_on(&self, trading_day: Date) -> Result<u32, StoreError> {
        Ok(self
            .conn
            .prepare_cached(&format!(
                "SELECT COUNT(*) FROM sessions WHERE trading_day = ?1 AND {}",
                something_came_of("sessions")
            ))?
            .query_row([Day(trading_day)], |row| row.get(0))?)
    }

    /// The results that check-outs brought, with their trading days, newest first.
    pub fn recent_results(&self, limit: u32) -> Result<Vec<(Date, SessionResult)>, StoreError> {
        let mut statement = self.conn.prepare_cached(
            "SELECT trading_day, session_result FROM sessions WHERE session_result IS NOT NULL AND kind = 'check-out'
             ORDER BY started_at DESC, id DESC LIMIT ?1",
        )?;
        let results = statement.query_map([limit], |row| Ok((row.get::<_, Day>(0)?.0, row.get::<_, Name<_>>(1)?.0)))?;
        Ok(results.collect::<Result<_, _>>()?)
    }

    /// The sessions that began at `from` or later and have ended, newest first.
    pub fn ended_since(&self, from: Timestamp, limit: u32) -> Result<Vec<PastSession>, StoreError> {
        let mut statement = self.conn.prepare_cached(&format!(
            "{} AND started_at >= ?1 ORDER BY started_at DESC, id DESC LIMIT ?2",
            past_ones()
        ))?;
        let sessions = statement.query_map(params![Millis(from), limit], past)?;
        Ok(sessions.collect::<Result<_, _>>()?)
    }

    /// Every session that has ended, the oldest first.
    pub fn all_ended(&self) -> Result<Vec<PastSession>, StoreError> {
        let mut statement = self.conn.prepare_cached(&format!("{} ORDER BY started_at, id", past_ones()))?;
        let sessions = statement.query_map([], past)?;
        Ok(sessions.collect::<Result<_, _>>()?)
    }

    /// The newest sessions first; `before` is the last one of the page above.
    pub fn history(&self, limit: u32, before: Option<SessionId>) -> Result<Vec<SessionLine>, StoreError> {
        let mut statement = self.conn.prepare_cached(&format!(
            "{LINE} WHERE (?1 IS NULL OR (started_at, id) < (SELECT started_at, id FROM sessions WHERE id = ?1)) AND {}
             ORDER BY started_at DESC, id DESC LIMIT ?2",
            something_came_of("sessions")
        ))?;
        let lines = statement.query_map(params![before, limit], line)?;
        Ok(lines.collect::<Result<_, _>>()?)
    }

    /// The sessions of one trading day, newest first.
    pub fn history_on(&self, trading_day: Date) -> Result<Vec<SessionLine>, StoreError> {
        let mut statement = self.conn.prepare_cached(&format!(
            "{LINE} WHERE trading_day = ?1 AND {} ORDER BY started_at DESC, id DESC",
            something_came_of("sessions")
        ))?;
        let lines = statement.query_map([Day(trading_day)], line)?;
        Ok(lines.collect::<Result<_, _>>()?)
    }

    fn line_of(&self, id: SessionId) -> Result<Option<SessionLine>, StoreError> {
        Ok(self.conn.prepare_cached(&format!("{LINE} WHERE id = ?1"))?.query_row([id], line).optional()?)
    }
}

fn past_ones() -> String {
    let columns = "id, trading_day, kind, started_at, arguments_json, deltas_json";
    format!("SELECT {columns} FROM sessions WHERE ended_at IS NOT NULL AND {}", something_came_of("sessions"))
}

fn past(row: &Row<'_>) -> rusqlite::Result<PastSession> {
    Ok(PastSession {
        id: row.get("id")?,
        trading_day: row.get::<_, Day>("trading_day")?.0,
        kind: row.get::<_, Name<_>>("kind")?.0,
        started_at: row.get::<_, Millis>("started_at")?.0,
        arguments: row.get::<_, Json<_>>("arguments_json")?.0,
        deltas: row.get::<_, Option<Json<_>>>("deltas_json")?.map(|deltas| deltas.0).unwrap_or_default(),
    })
}

const LINE: &str = "
SELECT id, kind, format, language, started_at, ended_at, trading_day, forced, heard, readiness, stress, energy,
    session_result, arguments_json ->> '$.session_summary' AS summary,
    (SELECT COUNT(*) FROM turns WHERE session_id = sessions.id) AS turns
FROM sessions";

fn line(row: &Row<'_>) -> rusqlite::Result<SessionLine> {
    Ok(SessionLine {
        id: row.get("id")?,
        kind: row.get::<_, Name<_>>("kind")?.0,
        format: row.get::<_, Name<_>>("format")?.0,
        language: row.get::<_, Name<_>>("language")?.0,
        started_at: row.get::<_, Millis>("started_at")?.0,
        ended_at: row.get::<_, Option<Millis>>("ended_at")?.map(|at| at.0),
        trading_day: row.get::<_, Day>("trading_day")?.0,
        forced: row.get("forced")?,
        heard: row.get::<_, Option<Name<_>>>("heard")?.map(|heard| heard.0),
        readiness: row.get("readiness")?,
        stress: row.get("stress")?,
        energy: row.get("energy")?,
        result: row.get::<_, Option<Name<_>>>("session_result")?.map(|result| result.0),
        summary: row.get("summary")?,
        turns: row.get("turns")?,
    })
}

pub(crate) fn session(row: &Row<'_>) -> rusqlite::Result<Session> {
    Ok(Session {
        id: row.get("id")?,
        begun: NewSession {
            kind: row.get::<_, Name<_>>("kind")?.0,
            format: row.get::<_, Name<_>>("format")?.0,
            language: row.get::<_, Name<_>>("language")?.0,
            started_at: row.get::<_, Millis>("started_at")?.0,
            trading_day: row.get::<_, Day>("trading_day")?.0,
            time_zone: row.get("time_zone")?,
            number_today: row.get("number_today")?,
            opened_from: row.get("opened_from")?,
            backend: row.get("backend")?,
            prompt: PromptStamp {
                set: row.get("prompt_set")?,
                version: row.get("prompt_version")?,
                variant: row.get("prompt_variant")?,
                hash: row.get("prompt_hash")?,
            },
            seed: row.get::<_, i64>("seed")?.cast_unsigned(),
            context: row.get::<_, Json<_>>("context_json")?.0,
            matched_checkin: row.get("matched_checkin_id")?,
        },
        ended: match row.get::<_, Option<Millis>>("ended_at")? {
            Some(at) => Some(Ended {
                at: at.0,
                arguments: row.get::<_, Json<_>>("arguments_json")?.0,
                deltas: row.get::<_, Json<_>>("deltas_json")?.0,
                forced: row.get("forced")?,
            }),
            None => None,
        },
        heard: row.get::<_, Option<Name<_>>>("heard")?.map(|heard| heard.0),
    })
}

/// For statements whose only foreign key is the session.
pub(crate) fn missing_session(error: rusqlite::Error) -> StoreError {
    match error.sqlite_error() {
        Some(e) if e.extended_code == ffi::SQLITE_CONSTRAINT_FOREIGNKEY => StoreError::NotFound("session"),
        _ => error.into(),
    }
}
