//! What is left of an experience or a lesson that the user deleted: enough to know it again in an older export, and no
//! word of it.
//!
//! A pattern leaves its key instead (`memories`).

use rusqlite::{Connection, params};
use sha2::{Digest, Sha256};

use crate::StoreError;
use crate::experiences::ExperienceId;
use crate::key::hex;
use crate::lessons::LessonId;

/// The sixth step. A turn is a hash of when its session began, of which kind it was, of its seed and of the turn's place
/// in it: numbers differ from one database to another.
pub(crate) const SCHEMA: &str = "
CREATE TABLE forgotten_turns (
    level TEXT NOT NULL CHECK (level IN ('experience', 'lesson')),
    turn TEXT NOT NULL,
    PRIMARY KEY (level, turn)
) STRICT, WITHOUT ROWID;
";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Forgotten {
    Experience,
    Lesson,
}

impl Forgotten {
    fn name(self) -> &'static str {
        match self {
            Forgotten::Experience => "experience",
            Forgotten::Lesson => "lesson",
        }
    }
}

/// Removes an experience, and sees to it that no export brings it back.
pub(crate) fn delete_experience(tx: &Connection, id: ExperienceId) -> Result<usize, StoreError> {
    let turns = "SELECT session_id, seq FROM experience_sources WHERE experience_id = ?1
                 UNION SELECT words_session, words_seq FROM experiences WHERE id = ?1";
    keep_out(tx, Forgotten::Experience, turns, id.into())?;
    Ok(tx.prepare_cached("DELETE FROM experiences WHERE id = ?1")?.execute([id])?)
}

/// The same of a lesson. What is learned on its topic later is another one.
pub(crate) fn delete_lesson(tx: &Connection, id: LessonId) -> Result<usize, StoreError> {
    let turns = "SELECT session_id, seq FROM lesson_sources WHERE lesson_id = ?1";
    keep_out(tx, Forgotten::Lesson, turns, id.into())?;
    Ok(tx.prepare_cached("DELETE FROM lessons WHERE id = ?1")?.execute([id])?)
}

/// Whether the user does not want what was made of that turn; `None` for any level.
pub(crate) fn is(conn: &Connection, level: Option<Forgotten>, session: i64, seq: i64) -> Result<bool, StoreError> {
    let sql = "SELECT EXISTS (SELECT 1 FROM forgotten_turns WHERE turn = ?1 AND (?2 IS NULL OR level = ?2))";
    let turn = turn(conn, session, seq)?;
    Ok(conn.prepare_cached(sql)?.query_row(params![turn, level.map(Forgotten::name)], |row| row.get(0))?)
}

fn keep_out(tx: &Connection, level: Forgotten, turns: &str, id: i64) -> Result<(), StoreError> {
    let mut statement = tx.prepare_cached(turns)?;
    let places = statement.query_map([id], |row| Ok((row.get(0)?, row.get(1)?)))?;
    for (session, seq) in places.collect::<Result<Vec<(i64, i64)>, _>>()? {
        tx.prepare_cached("INSERT OR IGNORE INTO forgotten_turns (level, turn) VALUES (?1, ?2)")?
            .execute(params![level.name(), turn(tx, session, seq)?])?;
    }
    Ok(())
}

fn turn(conn: &Connection, session: i64, seq: i64) -> Result<String, StoreError> {
    let mut begun = conn.prepare_cached("SELECT started_at, kind, seed FROM sessions WHERE id = ?1")?;
    let (started_at, kind, seed) = begun
        .query_row([session], |row| Ok((row.get::<_, i64>(0)?, row.get::<_, String>(1)?, row.get::<_, i64>(2)?)))?;
    let hash = Sha256::digest(format!("{started_at} {kind} {seed} {seq}"));
    Ok((*hex(&hash[..16])).clone())
}
