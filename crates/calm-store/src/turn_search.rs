//! Everything that was said, found again by its words (SPEC D3).
//!
//! A turn is found once it is remembered ([`Store::remember`]), by the stems that it was remembered with. What a stem
//! is, which words are worth looking for and where they stand in the text is decided elsewhere.

use calm_core::Kind;
use jiff::Timestamp;
use rusqlite::{Connection, params};

use crate::columns::{Millis, Name};
use crate::remember::TurnId;
use crate::rows::debug_shows;
use crate::sessions::SessionId;
use crate::{Store, StoreError};

/// The index keeps the stems: it can only take those words out of its pages that it is told. An index without content
/// leaves them there until the pages happen to be rewritten.
pub(crate) const SCHEMA: &str = "
CREATE VIRTUAL TABLE turn_index USING fts5 (stems, tokenize = 'unicode61 remove_diacritics 0');
INSERT INTO turn_index (turn_index, rank) VALUES ('secure-delete', 1);

CREATE TRIGGER turn_removed AFTER DELETE ON turns BEGIN
    DELETE FROM turn_index WHERE rowid = old.id;
END;
";

/// Of one search; what comes after them is not looked for.
const MOST_STEMS: usize = 32;
/// Of one answer.
const MOST_HITS: u32 = 1000;

/// A turn in which every word was said, by the user or by Calm.
#[derive(Clone, PartialEq)]
pub struct TurnHit {
    pub id: TurnId,
    pub session: SessionId,
    pub seq: u32,
    pub at: Timestamp,
    /// Of the session.
    pub kind: Kind,
    pub user_text: String,
    pub reply_text: String,
    /// BM25: above 0, the higher the better; comparable within one answer only.
    pub score: f64,
}

debug_shows! {
    TurnHit: id, session, seq, at, score;
}

impl Store {
    /// The turns that contain all of `stems`, the best first, the newest first among equals.
    ///
    /// A stem is nothing but a word, whatever signs are in it; the last one may be the beginning of a word. With
    /// `before`, only turns that were said before that one. At most 1000 come back.
    pub fn search_turns(
        &self,
        stems: &[String],
        limit: u32,
        before: Option<TurnId>,
    ) -> Result<Vec<TurnHit>, StoreError> {
        let Some(words) = all_of(stems) else { return Ok(Vec::new()) };
        let mut statement = self.conn.prepare_cached(FOUND)?;
        let before = before.map_or(i64::MAX, i64::from);
        let hits = statement.query_map(params![words, before, limit.min(MOST_HITS)], |row| {
            Ok(TurnHit {
                id: row.get("id")?,
                session: row.get("session_id")?,
                seq: row.get("seq")?,
                at: row.get::<_, Millis>("said_at")?.0,
                kind: row.get::<_, Name<_>>("kind")?.0,
                user_text: row.get("user_text")?,
                reply_text: row.get("reply_text")?,
                score: row.get("score")?,
            })
        })?;
        Ok(hits.collect::<Result<_, _>>()?)
    }
}

/// Only as many turns are opened as are asked for.
const FOUND: &str = "
SELECT turn.id, session_id, seq, said_at, kind, user_text, reply_text, hit.score
FROM (SELECT rowid AS id, -rank AS score FROM turn_index
      WHERE turn_index MATCH ?1 AND rowid < ?2 ORDER BY score DESC, rowid DESC LIMIT ?3) AS hit
CROSS JOIN turns AS turn ON turn.id = hit.id
CROSS JOIN sessions ON sessions.id = session_id
ORDER BY hit.score DESC, hit.id DESC";

/// What a turn is found by from now on.
pub(crate) fn add(tx: &Connection, turn: TurnId, stems: &str) -> Result<(), StoreError> {
    if !stems.is_empty() {
        tx.prepare_cached("INSERT INTO turn_index (rowid, stems) VALUES (?1, ?2)")?.execute(params![turn, stems])?;
    }
    Ok(())
}

/// The stems as an FTS5 expression; `None` where there is nothing to look for.
fn all_of(stems: &[String]) -> Option<String> {
    let mut quoted: Vec<String> = stems
        .iter()
        .filter(|stem| stem.chars().any(char::is_alphanumeric))
        .take(MOST_STEMS)
        // FTS5 reads its expression as a C string, which would end at a NUL.
        .map(|stem| format!("\"{}\"", stem.replace('\0', " ").replace('"', "\"\"")))
        .collect();
    let last = quoted.pop()?;
    // The word itself counts for more than one that begins like it.
    quoted.push(format!("({last} OR {last} *)"));
    Some(quoted.join(" AND "))
}
