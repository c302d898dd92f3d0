//! What can be wrong with a file, and with one of its rows. No message quotes a cell.

use std::fmt;

use serde::Serialize;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    #[error("the file is empty")]
    Empty,
    #[error("the file is larger than 64 MB")]
    TooLarge,
    #[error("it is not a text, or its encoding is not known: save the report as HTML or CSV")]
    NotText,
    #[error("it is a spreadsheet that cannot be opened: save the report as .xlsx, HTML or CSV")]
    Spreadsheet,
    #[error("no table of trades that is known: name the format, or the columns one by one")]
    Unrecognised,
    #[error("there is no table of {format} in it")]
    NoTable { format: &'static str },
    #[error("line {line}: the quotation marks of the table do not close")]
    Quotes { line: u64 },
    #[error("the columns leave out {field}: name the column that holds it")]
    NoColumn { field: &'static str },
    #[error("there is no column called so: {column}")]
    UnknownColumn { column: String },
    #[error("its times do not say which clock they are from: name the broker's time zone{hint}")]
    ZoneNeeded { hint: &'static str },
    #[error("its dates can be read in two ways: say whether the day or the month comes first")]
    DateOrderNeeded,
}

/// A row that was left out, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Refusal {
    /// From 1.
    pub line: u64,
    /// As the file's header names it.
    pub column: String,
    pub reason: Reason,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    Missing,
    NotANumber,
    /// Two decimal marks, or groups of digits that are none.
    OddNumber,
    TooLarge,
    NotATime,
    NoSuchTime,
    UnknownSide,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Reason::Missing => "is empty",
            Reason::NotANumber => "is not a number",
            Reason::OddNumber => "has separators that fit no number of this file",
            Reason::TooLarge => "is too large",
            Reason::NotATime => "is not a time",
            Reason::NoSuchTime => "is a time that no calendar has",
            Reason::UnknownSide => "is neither buy nor sell",
        })
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, {}: {}", self.line, self.column, self.reason)
    }
}
