//! Deleting conversations, with everything that was made of their words (SPEC X2).
//!
//! Turns, memories, lessons and the search index go by themselves (their tables say how). What is left to do here is
//! what quotes a conversation without belonging to it, and to leave no old page behind.

use std::collections::HashSet;
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};
use std::thread;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use rusqlite::{Connection, params};
use serde_json::Value;

use crate::columns::{Json, Millis};
use crate::folder;
use crate::sessions::SessionId;
use crate::{Store, StoreError};

/// What is asked after a session, a second opinion say, is gone from the ledger so long after its end.
const AFTERWARDS: SignedDuration = SignedDuration::from_mins(10);
/// How often the log is emptied while another connection is at the same.
const ATTEMPTS: u32 = 10;
const A_MOMENT: Duration = Duration::from_millis(50);
/// So many words in a row are a quotation.
const QUOTED_WORDS: usize = 4;
/// A shorter text is looked for as a whole, from so many letters on: "да" is in every letter.
const QUOTED_LETTERS: usize = 8;

/// The sixth step: a deletion is committed first and its traces are cleared afterwards. The row is there while they are
/// not, whatever came between: a kill, a full disk, another process.
pub(crate) const SCHEMA: &str = "
CREATE TABLE unfinished_deletion (
    only_row INTEGER PRIMARY KEY CHECK (only_row = 1)
) STRICT;
";

pub(crate) const MARK_UNFINISHED: &str = "INSERT OR IGNORE INTO unfinished_deletion (only_row) VALUES (1)";

/// What a deletion took along.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Gone {
    pub sessions: u32,
    pub turns: u32,
    /// Of the spool, and those that were kept.
    pub recordings: u32,
    /// Of all three levels; those that rest on another conversation too stay, without this one's share.
    pub memories: u32,
    /// Those that were set while the conversation went on.
    pub reminders: u32,
    /// Requests in the ledger whose text went. That they were sent, when, where to and how many bytes stays.
    pub requests: u32,
    /// From before earlier migrations.
    pub backups: u32,
    /// Check-outs that were matched with a deleted check-in: what was said in them may speak of it.
    pub pairs: Vec<SessionId>,
    /// No page of the file holds anything of it any more, free pages and the log included, and no backup.
    pub traceless: bool,
    pub left: Left,
}

/// Where something is gone and not traceless: why. [`Store::finish_deletion`] clears what is left.
pub type Left = Option<String>;

impl Store {
    /// Deletes conversations for good. Figures without words stay: trust, the mean score, what was decided about prompts.
    /// A note stays too, because it was written to be kept.
    ///
    /// # Errors
    /// Nothing has gone then. [`StoreError::NotFound`] where one of them does not exist.
    pub fn delete_sessions(&mut self, ids: &[SessionId]) -> Result<Gone, StoreError> {
        let tx = self.write()?;
        let mut gone = forget(&tx, ids)?;
        tx.execute(MARK_UNFINISHED, [])?;
        tx.commit()?;
        // They are gone from here on: what fails now is no failure of the deletion.
        let (backups, cleared) = self.clear_traces();
        gone.backups = backups;
        gone.traceless = cleared.is_ok();
        gone.left = cleared.err().map(|error| error.to_string());
        Ok(gone)
    }

    /// Clears what an earlier deletion could not; false where there is nothing to clear.
    ///
    /// # Errors
    /// It is still there.
    pub fn finish_deletion(&mut self) -> Result<bool, StoreError> {
        let unfinished: bool =
            self.conn.query_row("SELECT EXISTS (SELECT 1 FROM unfinished_deletion)", [], |row| row.get(0))?;
        if unfinished {
            self.clear_traces().1?;
        }
        Ok(unfinished)
    }

    /// A small deletion, for which nobody is to wait: `take` says how many rows it took. Backups and the log go with them,
    /// and where these do not, everything is cleared at the next start.
    ///
    /// # Errors
    /// Those of `take`; nothing has gone then.
    pub(crate) fn delete(
        &mut self,
        take: impl FnOnce(&Connection) -> Result<usize, StoreError>,
    ) -> Result<(usize, Left), StoreError> {
        let tx = self.write()?;
        let gone = take(&tx)?;
        // An earlier deletion that is unfinished still needs the whole file written anew.
        let finishes = gone > 0 && tx.execute(MARK_UNFINISHED, [])? == 1;
        tx.commit()?;
        let left = if gone > 0 { self.clear_copies(finishes).err().map(|error| error.to_string()) } else { None };
        Ok((gone, left))
    }

    fn clear_copies(&mut self, finishes: bool) -> Result<(), StoreError> {
        let removed = self.remove_backups(None);
        if !self.empty_log()? {
            return Err(StoreError::Busy);
        }
        removed?;
        if finishes {
            self.conn.execute("DELETE FROM unfinished_deletion", [])?;
        }
        Ok(())
    }

    /// Backups, old copies in the file's own pages, the log; how many backups there were, and what could not be cleared.
    fn clear_traces(&mut self) -> (u32, Result<(), StoreError>) {
        let (backups, removed) = match self.remove_backups(None) {
            Ok(backups) => (backups, Ok(())),
            Err(error) => (0, Err(error)),
        };
        let cleared = self.rewrite().and(removed);
        let cleared = cleared.and_then(|()| {
            self.conn.execute("DELETE FROM unfinished_deletion", [])?;
            // The log holds no more than this by now.
            self.empty_log().map(drop)
        });
        (backups, cleared)
    }

    /// What [`Store::delete_sessions`] would take along; nothing changes.
    pub fn would_go(&mut self, ids: &[SessionId]) -> Result<Gone, StoreError> {
        let tx = self.write()?;
        let gone = forget(&tx, ids)?;
        tx.rollback()?;
        Ok(gone)
    }

    /// When the newest session ended, or began where it is open.
    pub fn newest_moment(&self) -> Result<Option<Timestamp>, StoreError> {
        let newest = "SELECT MAX(COALESCE(ended_at, started_at)) FROM sessions";
        let found: Option<Millis> = self.conn.prepare_cached(newest)?.query_row([], |row| row.get(0))?;
        Ok(found.map(|at| at.0))
    }

    /// The sessions that ended before `moment`, oldest first.
    pub fn ended_before(&self, moment: Timestamp) -> Result<Vec<SessionId>, StoreError> {
        let mut statement =
            self.conn.prepare_cached("SELECT id FROM sessions WHERE ended_at < ?1 ORDER BY started_at, id")?;
        let ids = statement.query_map([Millis(moment)], |row| row.get(0))?;
        Ok(ids.collect::<Result<_, _>>()?)
    }

    /// Removes the copies that migrations made, all of them or those that are older than `before`; says how many.
    ///
    /// A backup keeps what is deleted later, so the first deletion ends its use.
    pub fn remove_backups(&mut self, before: Option<Timestamp>) -> Result<u32, StoreError> {
        let folder = self.folder()?;
        let (mut removed, mut stuck) = (0, None);
        for backup in folder.backups()? {
            let made = std::fs::metadata(&backup).and_then(|about| about.modified());
            let made = made.ok().and_then(|made| Timestamp::try_from(made).ok());
            if before.is_none_or(|before| made.is_some_and(|made| made < before)) {
                match folder::discard(&backup) {
                    Ok(()) => removed += 1,
                    Err(e) => stuck = Some(StoreError::folder(&backup, e)),
                }
            }
        }
        folder.sync()?;
        stuck.map_or(Ok(removed), Err)
    }

    /// Writes the whole file anew and empties the log. `secure_delete` writes zeros over what is deleted, but a page that
    /// was put in order before may hold an older copy of it.
    fn rewrite(&mut self) -> Result<(), StoreError> {
        self.conn.execute_batch("VACUUM")?;
        if self.empty_log()? { Ok(()) } else { Err(StoreError::Busy) }
    }

    /// Writes the log into the file and empties it: until then it holds what was deleted from the spool, under the same
    /// key. False where another connection was busy with it; nothing is lost by that.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn empty_log(&mut self) -> Result<bool, StoreError> {
        for attempt in 1..=ATTEMPTS {
            let busy: bool = self.conn.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0))?;
            if !busy {
                return Ok(true);
            }
            // SQLite's own patience does not wait for another checkpoint.
            if attempt < ATTEMPTS {
                thread::sleep(A_MOMENT);
            }
        }
        Ok(false)
    }
}

/// Of the arguments of an ending: the rest are names that stand in every request.
const IN_THE_USERS_WORDS: [&str; 4] = [
    "/extracted_attributes/planned_approach",
    "/extracted_attributes/key_learnings",
    "/extracted_attributes/external_stressors",
    "/risk_flags/evidence",
];

/// A session that is about to go, with its words.
struct Leaving {
    id: SessionId,
    from: Timestamp,
    to: Timestamp,
    said: Vec<String>,
}

fn forget(tx: &Connection, ids: &[SessionId]) -> Result<Gone, StoreError> {
    let leaving = ids.iter().map(|id| read(tx, *id)).collect::<Result<Vec<_>, _>>()?;
    let mut gone = Gone { sessions: ids.len() as u32, ..Gone::default() };
    let known = memories(tx)?;
    let told = told(tx)?;
    for session in &leaving {
        gone.turns += count(tx, "SELECT COUNT(*) FROM turns WHERE session_id = ?1", session.id)?;
        gone.recordings += count(tx, "SELECT COUNT(*) FROM recordings WHERE session_id = ?1", session.id)?;
        gone.reminders += tx
            .prepare_cached("DELETE FROM reminders WHERE created_at BETWEEN ?1 AND ?2")?
            .execute(params![Millis(session.from), Millis(session.to)])? as u32;
        let mut statement = tx.prepare_cached("SELECT id FROM sessions WHERE matched_checkin_id = ?1")?;
        let pairs = statement.query_map([session.id], |row| row.get(0))?.collect::<Result<Vec<_>, _>>()?;
        gone.pairs.extend(pairs.into_iter().filter(|pair| !ids.contains(pair)));
    }
    gone.requests = forget_requests(tx, &leaving)?;
    for pair in &gone.pairs {
        tx.prepare_cached(
            "UPDATE sessions SET context_json = json_remove(context_json, '$.previous_checkin.planned_approach')
             WHERE id = ?1",
        )?
        .execute([pair])?;
    }
    for session in &leaving {
        tx.prepare_cached("DELETE FROM sessions WHERE id = ?1")?.execute([session.id])?;
    }
    gone.memories = known - memories(tx)?;
    let left = self::told(tx)?;
    let lost: Vec<&String> = told.iter().filter(|text| !left.contains(*text)).collect();
    forget_known(tx, &leaving, &lost)?;
    Ok(gone)
}

fn read(tx: &Connection, id: SessionId) -> Result<Leaving, StoreError> {
    let mut statement = tx.prepare_cached(
        "SELECT started_at, COALESCE(ended_at, started_at) AS ended_at, arguments_json, backend,
             (SELECT MAX(said_at) FROM turns WHERE session_id = sessions.id) AS said_at
         FROM sessions WHERE id = ?1",
    )?;
    let mut rows = statement.query([id])?;
    let Some(row) = rows.next()? else { return Err(StoreError::NotFound("session")) };
    let from = row.get::<_, Millis>("started_at")?.0;
    let ended = row.get::<_, Millis>("ended_at")?.0;
    let last = row.get::<_, Option<Millis>>("said_at")?.map_or(ended, |at| at.0);
    let mut said = Vec::new();
    if let Some(Json(arguments)) = row.get::<_, Option<Json<Value>>>("arguments_json")? {
        for words in IN_THE_USERS_WORDS {
            arguments.pointer(words).inspect(|found| texts(found, &mut said));
        }
        // The guide's summaries are alike, and quote what stands above.
        if row.get::<_, String>("backend")? != "guide" {
            arguments.pointer("/session_summary").inspect(|found| texts(found, &mut said));
        }
    }
    let mut turns = tx.prepare_cached("SELECT user_text FROM turns WHERE session_id = ?1 AND user_text IS NOT NULL")?;
    for text in turns.query_map([id], |row| row.get::<_, String>(0))? {
        said.push(text?);
    }
    Ok(Leaving { id, from, to: ended.max(last), said })
}

fn texts(value: &Value, into: &mut Vec<String>) {
    match value {
        Value::String(text) => into.push(text.clone()),
        Value::Array(items) => items.iter().for_each(|item| texts(item, into)),
        Value::Object(fields) => fields.values().for_each(|field| texts(field, into)),
        _ => {}
    }
}

fn count(tx: &Connection, sql: &str, id: SessionId) -> Result<u32, StoreError> {
    Ok(tx.prepare_cached(sql)?.query_row([id], |row| row.get(0))?)
}

fn memories(tx: &Connection) -> Result<u32, StoreError> {
    let sql = "SELECT (SELECT COUNT(*) FROM experiences) + (SELECT COUNT(*) FROM memories)
                   + (SELECT COUNT(*) FROM lessons)";
    Ok(tx.prepare_cached(sql)?.query_row([], |row| row.get(0))?)
}

/// Words of the second level of memory: they go into the context of the sessions that come after.
fn told(tx: &Connection) -> Result<HashSet<String>, StoreError> {
    let mut statement = tx.prepare_cached(
        "SELECT text FROM memories WHERE text IS NOT NULL
         UNION SELECT data_json ->> '$.name' FROM memories WHERE data_json ->> '$.name' IS NOT NULL",
    )?;
    let texts = statement.query_map([], |row| row.get(0))?;
    Ok(texts.collect::<Result<_, _>>()?)
}

/// What other sessions were begun with, and came from here.
fn forget_known(tx: &Connection, leaving: &[Leaving], lost: &[&String]) -> Result<(), StoreError> {
    let mut statement = tx.prepare_cached(
        "SELECT id, context_json FROM sessions WHERE json_array_length(context_json, '$.user.known_patterns') > 0",
    )?;
    let found = statement
        .query_map([], |row| Ok((row.get(0)?, row.get::<_, Json<Value>>(1)?.0)))?
        .collect::<Result<Vec<(SessionId, Value)>, _>>()?;
    for (id, mut context) in found {
        let Some(known) = context["user"]["known_patterns"].as_array_mut() else { continue };
        let before = known.len();
        known.retain(|pattern| {
            let pattern = pattern.as_str().unwrap_or_default();
            let is_lost = lost.iter().any(|text| text.chars().count() > 3 && pattern.contains(text.as_str()));
            let said_here = pattern.chars().count() >= QUOTED_LETTERS
                && leaving.iter().flat_map(|session| &session.said).any(|said| said.contains(pattern));
            !is_lost && !said_here
        });
        if known.len() < before {
            tx.prepare_cached("UPDATE sessions SET context_json = ?2 WHERE id = ?1")?
                .execute(params![id, Json(&context)])?;
        }
    }
    Ok(())
}

/// Takes the text of those requests that were sent while one of the sessions went on, or that quote one.
fn forget_requests(tx: &Connection, leaving: &[Leaving]) -> Result<u32, StoreError> {
    let said = leaving.iter().flat_map(|session| &session.said);
    let quotations: HashSet<u64> = said.flat_map(|said| quotations(said)).collect();
    let mut statement = tx.prepare_cached("SELECT id, at, body FROM ledger WHERE length(body) > 0")?;
    let mut rows = statement.query([])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        let at = row.get::<_, Millis>("at")?.0;
        let body = row.get_ref("body")?.as_blob().map_err(|_| StoreError::UnreadableRow)?;
        let meanwhile = leaving.iter().any(|session| at >= session.from && at <= session.to + AFTERWARDS);
        if meanwhile || quotes(body, &quotations) {
            found.push(row.get::<_, i64>("id")?);
        }
    }
    for id in &found {
        tx.prepare_cached("UPDATE ledger SET body = x'' WHERE id = ?1")?.execute([id])?;
    }
    Ok(u32::try_from(found.len()).unwrap_or(u32::MAX))
}

/// What would be a quotation of these words: every four of them in a row, or all of them where there are fewer.
fn quotations(said: &str) -> Vec<u64> {
    let words = words(said);
    let length = words.len().min(QUOTED_WORDS);
    let letters: usize = words.iter().map(|word| word.chars().count()).sum();
    if length == 0 || (length < QUOTED_WORDS && letters < QUOTED_LETTERS) {
        return Vec::new();
    }
    words.windows(length).map(run).collect()
}

fn quotes(body: &[u8], quotations: &HashSet<u64>) -> bool {
    let mut said = Vec::new();
    match serde_json::from_slice(body) {
        Ok(json) => texts(&json, &mut said),
        Err(_) => said.push(String::from_utf8_lossy(body).into_owned()),
    }
    said.iter().any(|said| {
        let words = words(said);
        (1..=QUOTED_WORDS).any(|length| words.windows(length).any(|some| quotations.contains(&run(some))))
    })
}

/// Without the signs around them and whatever the case: a quotation may stand in quotation marks.
fn words(said: &str) -> Vec<String> {
    let bare = said.split_whitespace().map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()));
    bare.filter(|word| !word.is_empty()).map(str::to_lowercase).collect()
}

fn run(words: &[String]) -> u64 {
    BuildHasherDefault::<DefaultHasher>::default().hash_one(words)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::{quotations, quotes};

    #[test]
    fn four_words_in_a_row_are_a_quotation_and_a_yes_is_none() {
        let said: HashSet<u64> =
            ["Две сделки, и стоп \"жёсткий\"", "минус двести", "да"].into_iter().flat_map(quotations).collect();
        for quoting in [
            r#"{"messages":[{"content":"план: «две сделки, и стоп»"}]}"#,
            r#"{"content":"сделки, и\nстоп \"жёсткий\""}"#,
            r#"["Минус двести."]"#,
            "не JSON: минус двести",
        ] {
            assert!(quotes(quoting.as_bytes(), &said), "{quoting}");
        }
        for other in [r#"{"content":"да"}"#, r#"{"content":"две сделки и пауза"}"#, r#"["двести"]"#, "{}"]
        {
            assert!(!quotes(other.as_bytes(), &said), "{other}");
        }
        assert!(quotations("да").is_empty() && quotations("").is_empty());
    }
}
