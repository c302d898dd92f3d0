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
/// To rank the 34,000 turns that a common word is in takes a hundred times as long as to rank the newest of them.
const RANKED: u32 = 2000;
/// A single letter begins a tenth of all words.
const SHORTEST_BEGINNING: usize = 2;

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
    /// A stem is nothing but a word, whatever signs are in it; the last one, from two letters on, may be the beginning
    /// of a word. With `before`, only turns that were said before that one. Of more than 2000 turns the newest are
    /// ranked, and at most 1000 come back.
    pub fn search_turns(
        &self,
        stems: &[String],
        limit: u32,
        before: Option<TurnId>,
    ) -> Result<Vec<TurnHit>, StoreError> {
        let Some(words) = all_of(stems) else { return Ok(Vec::new()) };
        let mut statement = self.conn.prepare_cached(FOUND)?;
        let before = before.map_or(i64::MAX, i64::from);
        let hits = statement.query_map(params![words, before, RANKED, limit.min(MOST_HITS)], |row| {
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

/// The index hands turns over newest first and counts only for those that are taken; only as many are opened as are
/// asked for.
const FOUND: &str = "
WITH newest AS (SELECT rowid AS id, -rank AS score FROM turn_index
                WHERE turn_index MATCH ?1 AND rowid < ?2 ORDER BY rowid DESC LIMIT ?3),
    best AS (SELECT id, score FROM newest ORDER BY score DESC, id DESC LIMIT ?4)
SELECT turn.id, session_id, seq, said_at, kind, user_text, reply_text, score
FROM best
CROSS JOIN turns AS turn ON turn.id = best.id
CROSS JOIN sessions ON sessions.id = session_id
ORDER BY score DESC, best.id DESC";

/// What a turn is found by from now on.
pub(crate) fn add(tx: &Connection, turn: TurnId, stems: &str) -> Result<(), StoreError> {
    if !stems.is_empty() {
        tx.prepare_cached("INSERT INTO turn_index (rowid, stems) VALUES (?1, ?2)")?.execute(params![turn, stems])?;
    }
    Ok(())
}

/// The stems as an FTS5 expression; `None` where there is nothing to look for.
fn all_of(stems: &[String]) -> Option<String> {
    let telling = stems.iter().filter(|stem| stem.chars().any(char::is_alphanumeric));
    let stems: Vec<&String> = telling.take(MOST_STEMS).collect();
    let (last, others) = stems.split_last()?;
    let mut words: Vec<String> = others.iter().map(|stem| quoted(stem)).collect();
    words.push(if last.chars().count() < SHORTEST_BEGINNING {
        quoted(last)
    } else {
        // The word itself counts for more than one that begins like it.
        format!("({0} OR {0} *)", quoted(last))
    });
    Some(words.join(" AND "))
}

fn quoted(stem: &str) -> String {
    // FTS5 reads its expression as a C string, which would end at a NUL.
    format!("\"{}\"", stem.replace('\0', " ").replace('"', "\"\""))
}
