//! What of the database goes into an export, how it comes back in, and what stays out (docs/export.md).
//!
//! Every table has a line here. One that has none is exported whole and does not come back in; a test asks for its line.

use serde::{Deserialize, Serialize};

/// What is known of a row that comes in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Comes {
    /// It is the row that has the same values here; otherwise it is new.
    By(&'static [&'static str]),
    /// The table has one row at most, and one that is here stays.
    Once,
    /// It is made again from other rows, or not meant to come back.
    Not,
}

pub(crate) struct Rule {
    pub table: &'static str,
    pub comes: Comes,
    /// The rows that go out.
    pub only: &'static str,
    /// Columns that do not go out.
    pub without: &'static [&'static str],
    /// Columns that triggers count up again.
    pub from_zero: &'static [&'static str],
}

const fn rule(table: &'static str, comes: Comes) -> Rule {
    Rule { table, comes, only: "1", without: &[], from_zero: &[] }
}

const PLACE: Comes = Comes::By(&["session_id", "seq"]);

/// In the order in which they come in: what others refer to first.
pub(crate) const RULES: &[Rule] = &[
    rule("settings", Comes::Once),
    rule("facts", Comes::Once),
    rule("calendar", Comes::Once),
    rule("baselines", Comes::By(&["microphone"])),
    rule("triggers", Comes::By(&["id"])),
    rule("prompt_versions", Comes::By(&["set_id", "version"])),
    rule("prompt_state", Comes::Once),
    rule("prompt_log", Comes::By(&["at", "event", "to_version"])),
    rule("banned_terms", Comes::By(&["folded"])),
    Rule { only: "origin = 'user'", ..rule("knowledge_sources", Comes::By(&["origin", "fingerprint"])) },
    Rule {
        only: "source_id IN (SELECT id FROM knowledge_sources WHERE origin = 'user')",
        ..rule("knowledge_chunks", Comes::By(&["source_id", "seq"]))
    },
    rule("sessions", Comes::By(&["started_at", "kind", "seed"])),
    rule("turns", PLACE),
    rule("trigger_runs", Comes::By(&["trigger_id", "session_id", "at", "outcome"])),
    rule("imports", Comes::By(&["imported_at", "file_name"])),
    rule("trades", Comes::By(&["key"])),
    rule("import_trades", Comes::By(&["import_id", "trade_id"])),
    rule("notes", Comes::By(&["at", "text"])),
    rule("reminders", Comes::By(&["created_at", "at", "text"])),
    rule("ledger", Comes::By(&["at", "method", "url", "bytes"])),
    rule("forgotten_turns", Comes::By(&["level", "turn"])),
    Rule {
        without: &["embedding", "embedding_model"],
        from_zero: &["times"],
        ..rule("experiences", Comes::By(&["words_session", "words_seq"]))
    },
    rule("experience_sources", PLACE),
    rule("dismissed_keys", Comes::By(&["key"])),
    rule("memories", Comes::By(&["key"])),
    rule("memory_sources", Comes::By(&["memory_id", "session_id", "seq"])),
    Rule { from_zero: &["times", "sum"], ..rule("lessons", Comes::By(&["language", "topic"])) },
    rule("lesson_sources", PLACE),
    rule("user_model", Comes::Once),
    rule("topic_marks", PLACE),
    rule("topic_scores", Comes::Not),
    rule("recordings", Comes::Not),
    Rule { without: &["pcm"], ..rule("chunks", Comes::Not) },
];

/// What the columns of these names refer to, in whatever table.
pub(crate) const REFERENCES: &[(&str, &str)] = &[
    ("session_id", "sessions"),
    ("matched_checkin_id", "sessions"),
    ("words_session", "sessions"),
    ("source_id", "knowledge_sources"),
    ("experience_id", "experiences"),
    ("memory_id", "memories"),
    ("import_id", "imports"),
    ("trade_id", "trades"),
    ("lesson_id", "lessons"),
    ("active_id", "prompt_versions"),
];

/// Why something is in no export. The tables are bookkeeping and the two search indexes.
pub const LEFT_OUT: &[(&str, &str)] = &[
    ("sqlite_sequence", "the highest number of each table"),
    ("unfinished_deletion", "about this file alone"),
    ("turn_index", "made again from the turns"),
    ("turn_index_*", "made again from the turns"),
    ("knowledge_index", "made again from the texts"),
    ("knowledge_index_*", "made again from the texts"),
    ("knowledge_sources", "our own notes come with the program; the user's texts are all there"),
    ("knowledge_chunks", "our own notes come with the program; the user's texts are all there"),
    ("experiences.embedding", "made again from the words"),
    ("experiences.embedding_model", "made again from the words"),
    ("chunks.pcm", "sound: with --audio as WAV files beside the tables"),
];

pub(crate) fn rule_of(table: &str) -> Option<&'static Rule> {
    RULES.iter().find(|rule| rule.table == table)
}

pub(crate) fn is_bookkeeping(table: &str) -> bool {
    let index = |name: &str| table.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('_'));
    table.starts_with("sqlite_") || table == "unfinished_deletion" || index("turn_index") || index("knowledge_index")
}

/// The form of an export; a new one gets a new number.
pub const EXPORT_VERSION: u32 = 1;
pub const EXPORT_FORMAT: &str = "calmtrader-export";

/// `calm-export.json`: what an export is and what is in it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// [`EXPORT_FORMAT`].
    pub format: String,
    /// [`EXPORT_VERSION`].
    pub version: u32,
    /// The version of the database that it was read from.
    pub database: usize,
    pub program: String,
    /// RFC 3339.
    pub made_at: String,
    pub tables: Vec<ExportedTable>,
    /// What is not in it, and why.
    #[serde(default)]
    pub left_out: Vec<(String, String)>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ExportedTable {
    pub name: String,
    pub rows: u64,
    pub columns: Vec<ExportedColumn>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ExportedColumn {
    pub name: String,
    pub kind: ColumnKind,
    /// It is never null.
    pub required: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ColumnKind {
    Integer,
    /// Milliseconds since 1970, UTC.
    Time,
    Real,
    Text,
    /// Any JSON value, as it stands.
    Json,
    /// Base64 of bytes.
    Bytes,
}

impl ColumnKind {
    pub(crate) fn of(declared: &str, name: &str) -> ColumnKind {
        match declared {
            "INTEGER" if name == "at" || name.ends_with("_at") => ColumnKind::Time,
            "INTEGER" => ColumnKind::Integer,
            "REAL" => ColumnKind::Real,
            "BLOB" => ColumnKind::Bytes,
            _ if name == "json" || name.ends_with("_json") => ColumnKind::Json,
            _ => ColumnKind::Text,
        }
    }
}
