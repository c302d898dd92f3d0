//! Bringing an export in: what is here stays, what is not here is added, all of it or nothing (SPEC X2).
//!
//! The bytes are foreign. A row is only ever a row of a table that this program knows, with values of the kinds that its
//! columns have and that the program itself could have written (`checks`); everything is read back by the readers that
//! the program uses before it is committed.

mod checks;

use std::collections::{HashMap, HashSet};
use std::io::{BufRead, Read};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use jiff::Timestamp;
use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension, params, params_from_iter};
use serde_json::value::RawValue;

use crate::export;
use crate::forgotten::{self, Forgotten};
use crate::portable::{
    ColumnKind, Comes, EXPORT_FORMAT, EXPORT_VERSION, ExportedColumn, ExportedTable, Manifest, REFERENCES, RULES, Rule,
};
use crate::{NewImport, NewTrade, Store, StoreError, turn_search};

/// Bytes of one row: a version of the prompts or a request with a long talk in it.
const LONGEST_ROW: u64 = 32 * 1024 * 1024;
/// Bytes of all rows.
const LONGEST: u64 = 4 * 1024 * 1024 * 1024;

/// What came in.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Brought {
    pub sessions: u64,
    /// Of all tables.
    pub rows: u64,
    /// Rows that were here already, or that the user does not want.
    pub known: u64,
}

/// Where the tables of an export are read from.
pub trait ImportSource {
    /// The rows of a table, one JSON object a line; `None` where the export has no such table.
    ///
    /// # Errors
    /// The file is there and cannot be read.
    fn rows(&mut self, table: &str) -> std::io::Result<Option<Box<dyn Read + '_>>>;
}

/// What this room does not know of the rows that come in.
pub struct Beside<'a> {
    /// What a turn is found by, of what the user and Calm said.
    pub stems: &'a dyn Fn(&str, &str) -> String,
    /// Whether these are settings.
    pub settings: &'a dyn Fn(&serde_json::Value) -> bool,
    /// The first field that no import of trades writes so.
    pub import: &'a dyn Fn(&NewImport) -> Option<&'static str>,
    /// The first field that no trade has so.
    pub trade: &'a dyn Fn(&NewTrade) -> Option<&'static str>,
}

/// Why a row does not come in.
enum Refused {
    /// Its fault, in that field as far as it is one field's.
    Row(Option<String>),
    /// Not its fault.
    Store(StoreError),
}

impl Refused {
    fn field(name: &str) -> Refused {
        Refused::Row(Some(name.to_owned()))
    }
}

impl From<StoreError> for Refused {
    fn from(error: StoreError) -> Refused {
        match error {
            // A constraint of the table, or a value that is none.
            StoreError::Database { .. } | StoreError::UnreadableRow | StoreError::NotFound(_) => Refused::Row(None),
            other => Refused::Store(other),
        }
    }
}

impl From<rusqlite::Error> for Refused {
    fn from(error: rusqlite::Error) -> Refused {
        StoreError::from(error).into()
    }
}

/// Which rows of this database those of the export are.
enum Here {
    /// By this number.
    Row(i64),
    /// It stays out, and so does what hangs on it.
    Out,
}

struct Importing<'a> {
    conn: &'a Connection,
    beside: &'a Beside<'a>,
    here: HashMap<&'static str, HashMap<i64, Here>>,
    brought: Brought,
    read: u64,
}

impl Store {
    /// Brings an export in.
    ///
    /// # Errors
    /// Nothing has changed then. [`StoreError::NewerExport`]; [`StoreError::NotAnExport`] with the place that is wrong.
    pub fn import(
        &mut self,
        manifest: &Manifest,
        source: &mut dyn ImportSource,
        beside: &Beside<'_>,
    ) -> Result<Brought, StoreError> {
        if manifest.format != EXPORT_FORMAT {
            return Err(wrong("calm-export.json"));
        }
        let known: u32 = self.conn.query_row("PRAGMA user_version", [], |row| row.get(0))?;
        if manifest.version > EXPORT_VERSION || manifest.database > known as usize {
            return Err(StoreError::NewerExport { program: manifest.program.chars().take(40).collect() });
        }
        // IMMEDIATE by hand: the readers that check the result need the store while the transaction lasts.
        self.conn.execute_batch("BEGIN IMMEDIATE")?;
        let brought = self.bring(manifest, source, beside);
        let brought = brought.and_then(|brought| Ok(self.conn.execute_batch("COMMIT").map(|()| brought)?));
        if brought.is_err() && !self.conn.is_autocommit() {
            self.conn.execute_batch("ROLLBACK")?;
        }
        brought
    }

    fn bring(
        &self,
        manifest: &Manifest,
        source: &mut dyn ImportSource,
        beside: &Beside<'_>,
    ) -> Result<Brought, StoreError> {
        let shapes = export::tables(&self.conn)?;
        let mut importing =
            Importing { conn: &self.conn, beside, here: HashMap::new(), brought: Brought::default(), read: 0 };
        let before = self.turn_numbers()?;
        for rule in RULES.iter().filter(|rule| rule.comes != Comes::Not) {
            let Some(shape) = shapes.iter().find(|shape| shape.name == rule.table) else { continue };
            let Some(told) = manifest.tables.iter().find(|table| table.name == rule.table) else { continue };
            let place = place(rule.table);
            let rows = source.rows(rule.table).map_err(|_| wrong(&place))?;
            let mut rows = std::io::BufReader::new(rows.ok_or_else(|| wrong(&place))?);
            importing.table(rule, shape, told, &mut rows)?;
        }
        let brought = importing.brought;
        // What lost all its sources to rows that were here says nothing new.
        self.conn.execute_batch(
            "DELETE FROM experiences WHERE times = 0;
             DELETE FROM lessons WHERE times = 0;
             DELETE FROM memories WHERE NOT EXISTS (SELECT 1 FROM memory_sources WHERE memory_id = memories.id);",
        )?;
        self.index_turns(&before, beside.stems)?;
        checks::all_held(&self.conn)?;
        self.check_readable().map_err(|error| match error {
            StoreError::UnreadableRow | StoreError::NotFound(_) => wrong("the export"),
            other => other,
        })?;
        Ok(brought)
    }

    fn texts(&self, sql: &str) -> Result<Vec<String>, StoreError> {
        let mut statement = self.conn.prepare(sql)?;
        let texts = statement.query_map([], |row| row.get(0))?;
        Ok(texts.collect::<Result<_, _>>()?)
    }

    fn turn_numbers(&self) -> Result<HashSet<i64>, StoreError> {
        let mut statement = self.conn.prepare("SELECT id FROM turns")?;
        let ids = statement.query_map([], |row| row.get(0))?;
        Ok(ids.collect::<Result<_, _>>()?)
    }

    fn index_turns(&self, before: &HashSet<i64>, stems: &dyn Fn(&str, &str) -> String) -> Result<(), StoreError> {
        let mut statement = self
            .conn
            .prepare("SELECT id, user_text, reply_text FROM turns WHERE remembered = 1 AND user_text IS NOT NULL")?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let id: i64 = row.get("id")?;
            if !before.contains(&id) {
                let (user, reply): (String, String) = (row.get("user_text")?, row.get("reply_text")?);
                turn_search::add(&self.conn, id.into(), &stems(&user, &reply))?;
            }
        }
        Ok(())
    }

    /// Everything once through the readers of the program: what they could not read must not be committed.
    fn check_readable(&self) -> Result<(), StoreError> {
        for line in self.history(u32::MAX, None)? {
            self.session(line.id)?;
            self.trigger_runs_of_session(line.id)?;
        }
        self.all_ended()?;
        self.ledger(u32::MAX)?;
        self.facts()?;
        self.settings()?;
        for address in self.texts("SELECT address FROM calendar")? {
            self.kept_calendar(&address)?;
        }
        for microphone in self.texts("SELECT microphone FROM baselines")? {
            self.baseline(&microphone)?;
        }
        self.triggers()?;
        self.notes(u32::MAX)?;
        self.reminders(u32::MAX)?;
        self.knowledge_sources()?;
        self.banned_terms()?;
        self.memories()?;
        self.user_model()?;
        for version in self.prompt_versions()? {
            self.prompt_files(version.id)?;
        }
        self.prompt_log(u32::MAX)?;
        let lost: bool = self.conn.query_row(
            "SELECT EXISTS (SELECT 1 FROM experiences WHERE NOT EXISTS
                 (SELECT 1 FROM turns WHERE session_id = words_session AND seq = words_seq))",
            [],
            |row| row.get(0),
        )?;
        let mut experiences = self.conn.prepare("SELECT id FROM experiences")?;
        for id in experiences.query_map([], |row| row.get(0))? {
            self.experience(id?)?;
        }
        let mut lessons = self.conn.prepare("SELECT id FROM lessons")?;
        for id in lessons.query_map([], |row| row.get(0))? {
            self.lesson(id?)?;
        }
        if lost { Err(StoreError::UnreadableRow) } else { Ok(()) }
    }
}

impl Importing<'_> {
    fn table(
        &mut self,
        rule: &'static Rule,
        shape: &ExportedTable,
        told: &ExportedTable,
        rows: &mut dyn BufRead,
    ) -> Result<(), StoreError> {
        let mut line = Vec::new();
        let mut number = 0;
        loop {
            line.clear();
            let at = || StoreError::NotAnExport { place: format!("{}, line {}", place(rule.table), number + 1) };
            let most = LONGEST_ROW.min(LONGEST - self.read);
            let length = rows.take(most + 1).read_until(b'\n', &mut line).map_err(|_| at())? as u64;
            if length == 0 {
                break;
            }
            self.read += length;
            if length > most {
                return Err(at());
            }
            match self.row(rule, shape, &line) {
                Ok(()) => {}
                Err(Refused::Row(None)) => return Err(at()),
                Err(Refused::Row(Some(field))) => {
                    return Err(wrong(&format!("{}, line {}, {field}", place(rule.table), number + 1)));
                }
                Err(Refused::Store(other)) => return Err(other),
            }
            number += 1;
        }
        // A file that was cut off is no export.
        if number == told.rows { Ok(()) } else { Err(wrong(&place(rule.table))) }
    }

    fn row(&mut self, rule: &'static Rule, shape: &ExportedTable, line: &[u8]) -> Result<(), Refused> {
        let given: HashMap<String, Box<RawValue>> = serde_json::from_slice(line).map_err(|_| Refused::Row(None))?;
        let mut columns: Vec<&ExportedColumn> = Vec::new();
        let mut values = Vec::new();
        for (name, raw) in &given {
            let column = shape.columns.iter().find(|column| column.name == *name).ok_or(Refused::Row(None))?;
            columns.push(column);
            values.push(value(column.kind, raw).ok_or_else(|| Refused::field(name))?);
        }
        let find = |name: &str| columns.iter().position(|column| column.name == name);
        let number = find("id").and_then(|place| match values[place] {
            Value::Integer(number) => Some(number),
            _ => None,
        });
        for (name, parent) in REFERENCES {
            let Some(place) = find(name) else { continue };
            let Value::Integer(theirs) = values[place] else { continue };
            match self.here.get(parent).and_then(|known| known.get(&theirs)) {
                Some(Here::Row(ours)) => values[place] = Value::Integer(*ours),
                Some(Here::Out) => {
                    self.brought.known += 1;
                    return Ok(());
                }
                None => return Err(Refused::field(name)),
            }
        }
        for name in rule.from_zero {
            if let Some(place) = find(name) {
                values[place] = Value::Integer(0);
            }
        }
        if let Some(place) = find("matched_checkin_id").filter(|place| values[*place] != Value::Null) {
            let taken = "SELECT EXISTS (SELECT 1 FROM sessions WHERE matched_checkin_id = ?1)";
            if self.conn.prepare_cached(taken)?.query_row([&values[place]], |row| row.get(0))? {
                values[place] = Value::Null;
            }
        }
        let known = self.known(rule, &columns, &values)?;
        let unwanted = self.is_unwanted(rule, |name| find(name).map(|place| &values[place]))?;
        if known.is_some() || unwanted {
            self.brought.known += 1;
            // What a memory rests on here stays as it is.
            let out = unwanted || rule.table == "memories";
            if let (Some(number), Some(known)) = (number, known.or(unwanted.then_some(0))) {
                self.remember(rule, number, if out { Here::Out } else { Here::Row(known) });
            }
            return Ok(());
        }
        let ours = self.insert(rule, &columns, &values, number)?;
        let given = |name: &str| find(name).map(|place| &values[place]);
        checks::row(self.conn, rule.table, ours, &given, self.beside)?;
        self.not_learned_again(rule, given)?;
        if let Some(number) = number {
            self.remember(rule, number, Here::Row(ours));
        }
        self.brought.rows += 1;
        self.brought.sessions += u64::from(rule.table == "sessions");
        Ok(())
    }

    /// The number of the row that is here already.
    fn known(&self, rule: &Rule, columns: &[&ExportedColumn], values: &[Value]) -> Result<Option<i64>, StoreError> {
        let numbered = columns.iter().any(|column| column.name == "id" && column.kind == ColumnKind::Integer);
        let what = if numbered { "id" } else { "1" };
        let identity = match rule.comes {
            Comes::By(identity) => identity,
            Comes::Once | Comes::Not => &[][..],
        };
        let mut given = Vec::new();
        let mut conditions = vec!["1".to_owned()];
        for name in identity {
            let place = columns.iter().position(|column| column.name == *name).ok_or(StoreError::UnreadableRow)?;
            given.push(&values[place]);
            conditions.push(format!("{name} IS ?{}", given.len()));
        }
        let sql = format!("SELECT {what} FROM {} WHERE {} LIMIT 1", rule.table, conditions.join(" AND "));
        let found = self.conn.prepare_cached(&sql)?.query_row(params_from_iter(given), |row| row.get(0)).optional()?;
        Ok(found)
    }

    /// The user has deleted that memory here, or what was made of that turn.
    fn is_unwanted<'v>(&self, rule: &Rule, value: impl Fn(&str) -> Option<&'v Value>) -> Result<bool, StoreError> {
        let (level, session, seq) = match rule.table {
            "memories" => {
                let sql = "SELECT EXISTS (SELECT 1 FROM dismissed_keys WHERE key = ?1)";
                return Ok(self.conn.prepare_cached(sql)?.query_row(params![value("key")], |row| row.get(0))?);
            }
            "experiences" => (Forgotten::Experience, "words_session", "words_seq"),
            "experience_sources" => (Forgotten::Experience, "session_id", "seq"),
            "lesson_sources" => (Forgotten::Lesson, "session_id", "seq"),
            _ => return Ok(false),
        };
        match (value(session), value(seq)) {
            (Some(Value::Integer(session)), Some(Value::Integer(seq))) => {
                forgotten::is(self.conn, Some(level), *session, *seq)
            }
            _ => Ok(false),
        }
    }

    /// A turn that memory had not learned from when the export was made, and of which something was deleted since.
    fn not_learned_again<'v>(&self, rule: &Rule, value: impl Fn(&str) -> Option<&'v Value>) -> Result<(), StoreError> {
        if rule.table == "turns"
            && let (Some(Value::Integer(session)), Some(Value::Integer(seq))) = (value("session_id"), value("seq"))
            && forgotten::is(self.conn, None, *session, *seq)?
        {
            self.conn
                .prepare_cached("UPDATE turns SET remembered = 1 WHERE session_id = ?1 AND seq = ?2")?
                .execute([session, seq])?;
        }
        Ok(())
    }

    /// Under its own number where that is free.
    fn insert(
        &self,
        rule: &Rule,
        columns: &[&ExportedColumn],
        values: &[Value],
        number: Option<i64>,
    ) -> Result<i64, StoreError> {
        let taken = match number {
            Some(number) if number > 0 => {
                let sql = format!("SELECT EXISTS (SELECT 1 FROM {} WHERE id = ?1)", rule.table);
                self.conn.prepare_cached(&sql)?.query_row([number], |row| row.get(0))?
            }
            Some(_) => true,
            None => false,
        };
        let kept: Vec<usize> = (0..columns.len()).filter(|place| !(taken && columns[*place].name == "id")).collect();
        let names: Vec<&str> = kept.iter().map(|place| columns[*place].name.as_str()).collect();
        let marks: Vec<String> = (1..=kept.len()).map(|place| format!("?{place}")).collect();
        let sql = format!("INSERT INTO {} ({}) VALUES ({})", rule.table, names.join(", "), marks.join(", "));
        self.conn.prepare_cached(&sql)?.execute(params_from_iter(kept.iter().map(|place| &values[*place])))?;
        Ok(self.conn.last_insert_rowid())
    }

    fn remember(&mut self, rule: &Rule, theirs: i64, here: Here) {
        self.here.entry(rule.table).or_default().insert(theirs, here);
    }
}

/// A JSON value as its column takes it.
fn value(kind: ColumnKind, raw: &RawValue) -> Option<Value> {
    let text = raw.get();
    if text == "null" {
        return Some(Value::Null);
    }
    Some(match kind {
        ColumnKind::Integer => Value::Integer(serde_json::from_str(text).ok()?),
        ColumnKind::Time => {
            let millis = serde_json::from_str(text).ok()?;
            Timestamp::from_millisecond(millis).ok()?;
            Value::Integer(millis)
        }
        ColumnKind::Real => Value::Real(serde_json::from_str(text).ok()?),
        ColumnKind::Text => Value::Text(serde_json::from_str(text).ok()?),
        ColumnKind::Json => Value::Text(text.to_owned()),
        ColumnKind::Bytes => Value::Blob(STANDARD.decode(serde_json::from_str::<String>(text).ok()?).ok()?),
    })
}

/// As it stands in the export.
fn place(table: &str) -> String {
    format!("json/{table}.jsonl")
}

fn wrong(place: &str) -> StoreError {
    StoreError::NotAnExport { place: place.to_owned() }
}
