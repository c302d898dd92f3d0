//! Reading everything out, table by table, as it was at one moment (SPEC X2).

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, Transaction};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::portable::{ColumnKind, ExportedColumn, ExportedTable, is_bookkeeping, rule_of};
use crate::spool::{Recording, RecordingId};
use crate::{Store, StoreError};

/// One value of a row.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Cell<'a> {
    Null,
    Integer(i64),
    Real(f64),
    Text(&'a str),
    Bytes(&'a [u8]),
}

/// The database as it is at one moment, whatever is written meanwhile.
pub struct Snapshot<'a> {
    store: &'a Store,
    _reading: Transaction<'a>,
    version: usize,
    tables: Vec<ExportedTable>,
}

impl Store {
    /// # Errors
    /// The database cannot be read.
    pub fn snapshot(&self) -> Result<Snapshot<'_>, StoreError> {
        let reading = self.conn.unchecked_transaction()?;
        let version: u32 = reading.query_row("PRAGMA user_version", [], |row| row.get(0))?;
        let tables = tables(&self.conn)?;
        Ok(Snapshot { store: self, _reading: reading, version: version as usize, tables })
    }
}

impl Snapshot<'_> {
    /// Of the database.
    pub fn version(&self) -> usize {
        self.version
    }

    /// Every table that goes out, with the columns that do and the number of its rows.
    pub fn tables(&self) -> &[ExportedTable] {
        &self.tables
    }

    /// Hands over the rows of `table` in the order of its columns.
    ///
    /// # Errors
    /// The database cannot be read, or `each` fails.
    pub fn rows<E: From<StoreError>>(
        &self,
        table: &ExportedTable,
        mut each: impl FnMut(&[Cell<'_>]) -> Result<(), E>,
    ) -> Result<(), E> {
        let failed = |error: rusqlite::Error| E::from(error.into());
        let mut statement = self.store.conn.prepare(&select(table)).map_err(failed)?;
        let mut rows = statement.query([]).map_err(failed)?;
        while let Some(row) = rows.next().map_err(failed)? {
            let mut cells = Vec::with_capacity(table.columns.len());
            for place in 0..table.columns.len() {
                cells.push(match row.get_ref(place).map_err(failed)? {
                    ValueRef::Null => Cell::Null,
                    ValueRef::Integer(value) => Cell::Integer(value),
                    ValueRef::Real(value) => Cell::Real(value),
                    ValueRef::Text(text) => {
                        Cell::Text(std::str::from_utf8(text).map_err(|_| E::from(StoreError::UnreadableRow))?)
                    }
                    ValueRef::Blob(bytes) => Cell::Bytes(bytes),
                });
            }
            each(&cells)?;
        }
        Ok(())
    }

    /// Every recording that is there, kept or waiting, for an export with sound.
    pub fn recordings(&self) -> Result<Vec<Recording>, StoreError> {
        let kept = self.store.kept_recordings()?.into_iter().map(|kept| kept.recording);
        Ok(self.store.recordings()?.into_iter().chain(kept).collect())
    }

    /// # Errors
    /// The database cannot be read.
    pub fn recording_samples(&self, id: RecordingId) -> Result<Vec<i16>, StoreError> {
        self.store.recording_samples(id)
    }
}

impl ExportedTable {
    /// A row as one JSON object on one line, which [`Store::import`] reads.
    pub fn json(&self, row: &[Cell<'_>]) -> String {
        let mut line = String::from("{");
        for (column, cell) in self.columns.iter().zip(row) {
            if line.len() > 1 {
                line.push(',');
            }
            line.push_str(&Value::from(column.name.as_str()).to_string());
            line.push(':');
            match cell {
                Cell::Null => line.push_str("null"),
                Cell::Integer(value) => line.push_str(&value.to_string()),
                Cell::Real(value) => line.push_str(&Value::from(*value).to_string()),
                // As it stands, where it stands on one line: figures keep all their digits.
                Cell::Text(text) if column.kind == ColumnKind::Json && is_json(text) => line.push_str(text),
                Cell::Text(text) => line.push_str(&Value::from(*text).to_string()),
                Cell::Bytes(bytes) => line.push_str(&Value::from(STANDARD.encode(bytes)).to_string()),
            }
        }
        line.push('}');
        line
    }
}

fn is_json(text: &str) -> bool {
    !text.contains(['\n', '\r']) && serde_json::from_str::<&RawValue>(text).is_ok()
}

fn select(table: &ExportedTable) -> String {
    let columns: Vec<&str> = table.columns.iter().map(|column| column.name.as_str()).collect();
    let only = rule_of(&table.name).map_or("1", |rule| rule.only);
    // The primary key's order, where it is a number: parents were made before what refers to them.
    let order = if columns.contains(&"id") { "id" } else { "1" };
    format!("SELECT {} FROM {} WHERE {only} ORDER BY {order}", columns.join(", "), table.name)
}

/// Every table of `conn` that goes out, whole.
pub(crate) fn tables(conn: &Connection) -> Result<Vec<ExportedTable>, StoreError> {
    let mut names =
        conn.prepare("SELECT name FROM pragma_table_list WHERE type = 'table' AND schema = 'main' ORDER BY name")?;
    let names = names.query_map([], |row| row.get(0))?.collect::<Result<Vec<String>, _>>()?;
    let mut tables = Vec::new();
    for name in names.into_iter().filter(|name| !is_bookkeeping(name)) {
        let mut table = ExportedTable { columns: columns(conn, &name)?, name, rows: 0 };
        let count = format!("SELECT COUNT(*) FROM ({})", select(&table));
        table.rows = conn.query_row(&count, [], |row| row.get::<_, u32>(0))?.into();
        tables.push(table);
    }
    Ok(tables)
}

fn columns(conn: &Connection, table: &str) -> Result<Vec<ExportedColumn>, StoreError> {
    let without = rule_of(table).map_or(&[][..], |rule| rule.without);
    let mut statement = conn.prepare("SELECT name, type, \"notnull\" OR pk > 0 FROM pragma_table_info(?1)")?;
    let columns = statement.query_map([table], |row| {
        let (name, declared) = (row.get::<_, String>(0)?, row.get::<_, String>(1)?);
        Ok(ExportedColumn { kind: ColumnKind::of(&declared, &name), required: row.get(2)?, name })
    })?;
    let columns = columns.collect::<Result<Vec<_>, _>>()?;
    Ok(columns.into_iter().filter(|column| !without.contains(&column.name.as_str())).collect())
}
