//! What Calm may look up: our notes, the user's documents, questions with answers (SPEC E4).
//!
//! Reading files, cutting them into chunks and finding the stems is done elsewhere: here they lie,
//! and are searched.

use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, Row, params};
use serde::{Deserialize, Serialize};

use crate::columns::{Json, Millis, Name};
use crate::rows::{debug_shows, row_id};
use crate::{Left, Store, StoreError};

/// The index keeps no text of its own and follows the chunks by itself, except those of a source that
/// is `leaving` ([`remove`]). Without `secure-delete` a deleted word would stay in its pages until they
/// happen to be rewritten.
pub(crate) const SCHEMA: &str = "
CREATE TABLE knowledge_sources (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    kind TEXT NOT NULL CHECK (kind IN ('document', 'answers', 'note')),
    origin TEXT NOT NULL CHECK (origin IN ('user', 'shipped')),
    title TEXT NOT NULL,
    language TEXT,
    fingerprint TEXT NOT NULL,
    added_at INTEGER NOT NULL,
    chars INTEGER NOT NULL,
    leaving INTEGER NOT NULL DEFAULT 0 CHECK (leaving IN (0, 1)),
    UNIQUE (origin, fingerprint)
) STRICT;

CREATE TABLE knowledge_chunks (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    source_id INTEGER NOT NULL REFERENCES knowledge_sources (id) ON DELETE CASCADE,
    seq INTEGER NOT NULL,
    place TEXT,
    question TEXT,
    text TEXT NOT NULL,
    stems TEXT NOT NULL,
    UNIQUE (source_id, seq)
) STRICT;

CREATE VIRTUAL TABLE knowledge_index USING fts5 (
    stems, content = 'knowledge_chunks', content_rowid = 'id', tokenize = 'unicode61 remove_diacritics 0'
);
INSERT INTO knowledge_index (knowledge_index, rank) VALUES ('secure-delete', 1);

CREATE TRIGGER knowledge_chunk_added AFTER INSERT ON knowledge_chunks BEGIN
    INSERT INTO knowledge_index (rowid, stems) VALUES (new.id, new.stems);
END;
CREATE TRIGGER knowledge_chunk_removed AFTER DELETE ON knowledge_chunks
WHEN NOT EXISTS (SELECT 1 FROM knowledge_sources WHERE id = old.source_id AND leaving) BEGIN
    INSERT INTO knowledge_index (knowledge_index, rowid, stems) VALUES ('delete', old.id, old.stems);
END;
CREATE TRIGGER knowledge_chunk_changed AFTER UPDATE OF id, stems ON knowledge_chunks BEGIN
    INSERT INTO knowledge_index (knowledge_index, rowid, stems) VALUES ('delete', old.id, old.stems);
    INSERT INTO knowledge_index (rowid, stems) VALUES (new.id, new.stems);
END;
";

row_id!(KnowledgeId);

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum KnowledgeKind {
    Document,
    /// Questions with their answers.
    Answers,
    Note,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum KnowledgeOrigin {
    User,
    Shipped,
}

/// A text to look things up in.
#[derive(Clone, PartialEq, Eq)]
pub struct NewKnowledge {
    pub kind: KnowledgeKind,
    pub title: String,
    /// `ru`, `en`, …; `None` where it is not known.
    pub language: Option<String>,
    /// SHA-256 of the text in hexadecimal digits.
    pub fingerprint: String,
    pub added_at: Timestamp,
    /// Length of the text in characters.
    pub chars: u32,
}

/// A piece of a text, short enough for a prompt.
#[derive(Clone, PartialEq, Eq)]
pub struct KnowledgeChunk {
    /// The heading or the page.
    pub place: Option<String>,
    pub question: Option<String>,
    pub text: String,
    /// What it is found by, separated by spaces.
    pub stems: String,
}

/// A stored text without its chunks.
#[derive(Clone, PartialEq, Eq)]
pub struct KnowledgeSource {
    pub id: KnowledgeId,
    pub origin: KnowledgeOrigin,
    pub source: NewKnowledge,
    pub chunks: u32,
}

#[derive(Clone, PartialEq)]
pub struct KnowledgeHit {
    pub source: KnowledgeId,
    pub origin: KnowledgeOrigin,
    pub source_title: String,
    pub place: Option<String>,
    pub question: Option<String>,
    pub text: String,
    /// BM25: above 0, the higher the better; comparable within one answer only.
    pub score: f64,
}

debug_shows! {
    NewKnowledge: kind, added_at, chars;
    KnowledgeSource: id, origin, source, chunks;
    KnowledgeHit: source, origin, score;
}

impl std::fmt::Debug for KnowledgeChunk {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("KnowledgeChunk").field("bytes", &self.text.len()).finish_non_exhaustive()
    }
}

impl Store {
    /// Adds a text of the user's with all its chunks, in their order.
    ///
    /// # Errors
    /// [`StoreError::AlreadyKnown`] where the user has added the same text before.
    pub fn add_knowledge(&mut self, new: &NewKnowledge, chunks: &[KnowledgeChunk]) -> Result<KnowledgeId, StoreError> {
        let tx = self.write()?;
        let id = insert(&tx, KnowledgeOrigin::User, new, chunks)?;
        tx.commit()?;
        Ok(id)
    }

    /// Everything that can be looked up: the user's own first, then what was shipped, each oldest first.
    pub fn knowledge_sources(&self) -> Result<Vec<KnowledgeSource>, StoreError> {
        sources(&self.conn)
    }

    /// Removes a text of the user's, its chunks and their words in the index.
    ///
    /// # Errors
    /// [`StoreError::NotFound`] where there is no such text, or where it was shipped: it would be back
    /// after the next start.
    pub fn remove_knowledge(&mut self, id: KnowledgeId) -> Result<Left, StoreError> {
        let (_, left) = self.delete(|tx| {
            let theirs: bool = tx
                .prepare_cached("SELECT EXISTS (SELECT 1 FROM knowledge_sources WHERE id = ?1 AND origin = 'user')")?
                .query_row([id], |row| row.get(0))?;
            if !theirs {
                return Err(StoreError::NotFound("text of the user's"));
            }
            remove(tx, &[id])?;
            Ok(1)
        })?;
        Ok(left)
    }

    /// Makes the shipped texts exactly these; false, and nothing is written, where they are already.
    ///
    /// A text that has not changed keeps its row, and the time at which it was added.
    ///
    /// # Errors
    /// [`StoreError::AlreadyKnown`] where two of them have the same fingerprint.
    pub fn replace_shipped_knowledge(
        &mut self,
        shipped: &[(NewKnowledge, Vec<KnowledgeChunk>)],
    ) -> Result<bool, StoreError> {
        let tx = self.write()?;
        let mut missing: Vec<_> = shipped.iter().collect();
        let mut outdated = Vec::new();
        for stored in sources(&tx)?.into_iter().filter(|s| s.origin == KnowledgeOrigin::Shipped) {
            let chunks = chunks_of(&tx, stored.id)?;
            let same = missing.iter().position(|(new, new_chunks)| {
                NewKnowledge { added_at: stored.source.added_at, ..new.clone() } == stored.source
                    && *new_chunks == chunks
            });
            match same {
                Some(same) => drop(missing.remove(same)),
                None => outdated.push(stored.id),
            }
        }
        if missing.is_empty() && outdated.is_empty() {
            return Ok(false);
        }
        remove(&tx, &outdated)?;
        for (new, chunks) in missing {
            insert(&tx, KnowledgeOrigin::Shipped, new, chunks)?;
        }
        tx.commit()?;
        Ok(true)
    }

    /// The chunks that contain any of `stems`, the best first.
    ///
    /// A stem is nothing but a word, whatever signs are in it. With a `language`, shipped texts in another
    /// one are left out; the user's own never are.
    pub fn search_knowledge(
        &self,
        stems: &[String],
        language: Option<&str>,
        limit: u32,
    ) -> Result<Vec<KnowledgeHit>, StoreError> {
        let Some(words) = any_of(stems) else { return Ok(Vec::new()) };
        // The index hands them over in this order, so only as many texts are opened as are asked for.
        let mut statement = self.conn.prepare_cached(
            "SELECT source_id, origin, title, place, question, text, -rank AS score
             FROM knowledge_index
             CROSS JOIN knowledge_chunks AS chunk ON chunk.id = knowledge_index.rowid
             CROSS JOIN knowledge_sources AS source ON source.id = chunk.source_id
             WHERE knowledge_index MATCH ?1
               AND (?2 IS NULL OR source.language IS NULL OR source.language = ?2 OR source.origin = 'user')
             ORDER BY rank LIMIT ?3",
        )?;
        let hits = statement.query_map(params![words, language, limit], |row| {
            Ok(KnowledgeHit {
                source: row.get("source_id")?,
                origin: row.get::<_, Name<_>>("origin")?.0,
                source_title: row.get("title")?,
                place: row.get("place")?,
                question: row.get("question")?,
                text: row.get("text")?,
                score: row.get("score")?,
            })
        })?;
        Ok(hits.collect::<Result<_, _>>()?)
    }
}

/// The stems as an FTS5 expression; `None` where there is nothing to look for.
fn any_of(stems: &[String]) -> Option<String> {
    let quoted: std::collections::BTreeSet<String> = stems
        .iter()
        .filter(|stem| stem.chars().any(char::is_alphanumeric))
        // FTS5 reads its expression as a C string, which would end at a NUL.
        .map(|stem| format!("\"{}\"", stem.replace('\0', " ").replace('"', "\"\"")))
        .collect();
    (!quoted.is_empty()).then(|| quoted.into_iter().collect::<Vec<_>>().join(" OR "))
}

fn insert(
    tx: &Connection,
    origin: KnowledgeOrigin,
    new: &NewKnowledge,
    chunks: &[KnowledgeChunk],
) -> Result<KnowledgeId, StoreError> {
    let known = tx
        .prepare_cached("SELECT id FROM knowledge_sources WHERE origin = ?1 AND fingerprint = ?2")?
        .query_row(params![Name(origin), new.fingerprint], |row| row.get(0))
        .optional()?;
    if let Some(known) = known {
        return Err(StoreError::AlreadyKnown(known));
    }
    let id = tx
        .prepare_cached(
            "INSERT INTO knowledge_sources (kind, origin, title, language, fingerprint, added_at, chars)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) RETURNING id",
        )?
        .query_row(
            params![
                Name(new.kind),
                Name(origin),
                new.title,
                new.language,
                new.fingerprint,
                Millis(new.added_at),
                new.chars,
            ],
            |row| row.get(0),
        )?;
    let mut statement = tx.prepare_cached(
        "INSERT INTO knowledge_chunks (source_id, seq, place, question, text, stems) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
    )?;
    for (seq, chunk) in (1_u32..).zip(chunks) {
        statement.execute(params![id, seq, chunk.place, chunk.question, chunk.text, chunk.stems])?;
    }
    Ok(id)
}

/// To build the index anew takes a thirtieth of the time for each chunk that stays that it takes to
/// remove one word by word (measured: 0.1 ms and 3 ms for 120 words).
const REBUILD_GAIN: i64 = 30;

/// Removes sources with their chunks and the chunks' words, by whichever way holds others up less.
fn remove(tx: &Connection, ids: &[KnowledgeId]) -> Result<(), StoreError> {
    const CHUNKS: &str = "knowledge_chunks WHERE source_id IN (SELECT value FROM json_each(?1))";
    let ids = || Json(ids);
    let all: i64 = tx.prepare_cached("SELECT COUNT(*) FROM knowledge_chunks")?.query_row([], |row| row.get(0))?;
    let leaving: i64 =
        tx.prepare_cached(&format!("SELECT COUNT(*) FROM {CHUNKS}"))?.query_row([ids()], |row| row.get(0))?;
    let build_anew = leaving * REBUILD_GAIN > all - leaving;
    if build_anew {
        tx.prepare_cached("UPDATE knowledge_sources SET leaving = 1 WHERE id IN (SELECT value FROM json_each(?1))")?
            .execute([ids()])?;
        tx.prepare_cached(&format!("DELETE FROM {CHUNKS}"))?.execute([ids()])?;
    }
    tx.prepare_cached("DELETE FROM knowledge_sources WHERE id IN (SELECT value FROM json_each(?1))")?
        .execute([ids()])?;
    if build_anew {
        tx.prepare_cached("INSERT INTO knowledge_index (knowledge_index) VALUES ('rebuild')")?.execute([])?;
    }
    Ok(())
}

fn sources(conn: &Connection) -> Result<Vec<KnowledgeSource>, StoreError> {
    let mut statement = conn.prepare_cached(
        "SELECT *, (SELECT COUNT(*) FROM knowledge_chunks WHERE source_id = source.id) AS chunks
         FROM knowledge_sources AS source ORDER BY origin = 'shipped', added_at, id",
    )?;
    let sources = statement.query_map([], source)?;
    Ok(sources.collect::<Result<_, _>>()?)
}

fn source(row: &Row<'_>) -> rusqlite::Result<KnowledgeSource> {
    Ok(KnowledgeSource {
        id: row.get("id")?,
        origin: row.get::<_, Name<_>>("origin")?.0,
        source: NewKnowledge {
            kind: row.get::<_, Name<_>>("kind")?.0,
            title: row.get("title")?,
            language: row.get("language")?,
            fingerprint: row.get("fingerprint")?,
            added_at: row.get::<_, Millis>("added_at")?.0,
            chars: row.get("chars")?,
        },
        chunks: row.get("chunks")?,
    })
}

fn chunks_of(conn: &Connection, source: KnowledgeId) -> Result<Vec<KnowledgeChunk>, StoreError> {
    let mut statement = conn.prepare_cached("SELECT * FROM knowledge_chunks WHERE source_id = ?1 ORDER BY seq")?;
    let chunks = statement.query_map([source], |row| {
        Ok(KnowledgeChunk {
            place: row.get("place")?,
            question: row.get("question")?,
            text: row.get("text")?,
            stems: row.get("stems")?,
        })
    })?;
    Ok(chunks.collect::<Result<_, _>>()?)
}
