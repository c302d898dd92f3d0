//! A report as rows of cells, whether it came as a workbook, as HTML or as text with separators.

use csv::{ReaderBuilder, StringRecord};

use crate::error::ReadError;
use crate::{LARGEST, decode, html, sheet};

pub(crate) struct Row {
    /// Of the file, from 1.
    pub line: u64,
    pub cells: Vec<String>,
}

impl Row {
    pub fn cell(&self, at: usize) -> &str {
        self.cells.get(at).map_or("", |cell| cell.trim())
    }

    pub fn filled(&self) -> usize {
        self.cells.iter().filter(|cell| !cell.trim().is_empty()).count()
    }
}

pub(crate) struct Grid {
    pub rows: Vec<Row>,
    /// `None` for HTML and workbooks.
    pub separator: Option<u8>,
}

impl Grid {
    pub fn of(bytes: &[u8]) -> Result<Grid, ReadError> {
        if bytes.len() > LARGEST {
            return Err(ReadError::TooLarge);
        }
        if bytes.starts_with(b"PK\x03\x04") {
            return Ok(Grid { rows: sheet::rows(bytes)?, separator: None });
        }
        let text = decode::decode(bytes)?;
        if is_html(&text) {
            return Ok(Grid { rows: html::rows(&text), separator: None });
        }
        let separator = separator(&text);
        Ok(Grid { rows: lines(&text, separator)?, separator: Some(separator) })
    }
}

fn is_html(text: &str) -> bool {
    let start = text.trim_start();
    let top: String = start.chars().take(4096).collect::<String>().to_ascii_lowercase();
    start.starts_with('<') && (top.contains("<table") || top.contains("<html") || top.contains("<tr"))
}

/// What separates most: the character that cuts the lines into the most cells outside quotation marks.
///
/// Single lines are no evidence: a decimal comma is in all of them. A tab or a semicolon that stands in most lines
/// wins over a comma.
fn separator(text: &str) -> u8 {
    let mut with = [0_usize; 3];
    let mut lines = 0;
    for line in text.lines().filter(|line| !line.trim().is_empty()).take(200) {
        lines += 1;
        let mut quoted = false;
        let mut found = [0_usize; 3];
        for c in line.chars() {
            match c {
                '"' => quoted = !quoted,
                '\t' if !quoted => found[0] += 1,
                ';' if !quoted => found[1] += 1,
                ',' if !quoted => found[2] += 1,
                _ => {}
            }
        }
        for (with, found) in with.iter_mut().zip(found) {
            *with += usize::from(found >= 2);
        }
    }
    match with {
        [tab, _, _] if tab * 2 > lines => b'\t',
        [_, semicolon, comma] if semicolon * 2 > lines || semicolon > comma => b';',
        [tab, _, 0] if tab > 0 => b'\t',
        _ => b',',
    }
}

fn lines(text: &str, separator: u8) -> Result<Vec<Row>, ReadError> {
    let mut reader =
        ReaderBuilder::new().has_headers(false).flexible(true).delimiter(separator).from_reader(text.as_bytes());
    let (mut rows, mut record) = (Vec::new(), StringRecord::new());
    let mut counted = LineCount { text: text.as_bytes(), at: 0, line: 1 };
    loop {
        match reader.read_record(&mut record) {
            Ok(true) => {}
            Ok(false) => return Ok(rows),
            Err(error) => {
                return Err(ReadError::Quotes { line: error.position().map_or(1, csv::Position::line) });
            }
        }
        let line = counted.line_at(record.position().map_or(0, csv::Position::byte));
        rows.push(Row { line, cells: record.iter().map(str::to_owned).collect() });
    }
}

/// The reader skips empty lines before a record and does not count them.
struct LineCount<'t> {
    text: &'t [u8],
    at: usize,
    line: u64,
}

impl LineCount<'_> {
    fn line_at(&mut self, byte: u64) -> u64 {
        let from = usize::try_from(byte).unwrap_or(usize::MAX).min(self.text.len());
        let blank = self.text[from..].iter().take_while(|byte| matches!(byte, b'\r' | b'\n')).count();
        for byte in &self.text[self.at.min(from)..from + blank] {
            self.line += u64::from(*byte == b'\n');
        }
        self.at = from + blank;
        self.line
    }
}
