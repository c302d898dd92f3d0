//! Questions and answers as a table of two columns: what a spreadsheet saves as CSV.

use crate::document::Found;
use crate::{DocumentError, LONGEST_QUESTION, Part, clean};
use csv::{ReaderBuilder, StringRecord};

/// # Errors
/// When a row has not exactly two filled columns, or a question is too long.
pub(crate) fn read(text: &str) -> Result<Found, DocumentError> {
    let mut reader =
        ReaderBuilder::new().has_headers(false).flexible(true).delimiter(separator(text)).from_reader(text.as_bytes());
    let (mut parts, mut record, mut first) = (Vec::new(), StringRecord::new(), true);
    loop {
        match reader.read_record(&mut record) {
            Ok(true) => {}
            Ok(false) => break,
            Err(error) => {
                let line = error.position().map_or(1, |place| place.line() as usize);
                return Err(DocumentError::line(line, "the row cannot be read"));
            }
        }
        let line = record.position().map_or(1, |place| {
            // Empty lines are skipped, but not counted.
            let blank = text.bytes().skip(place.byte() as usize).take_while(|byte| matches!(byte, b'\r' | b'\n'));
            place.line() as usize + blank.filter(|&byte| byte == b'\n').count()
        });
        let Some((question, answer)) = row(&record, line)? else { continue };
        let header = std::mem::take(&mut first) && is_header(&question, &answer);
        if !header {
            parts.push(Part { place: None, question: Some(question), text: answer });
        }
    }
    Ok(Found { parts, ..Found::default() })
}

/// `None` for a row of empty cells.
fn row(record: &StringRecord, line: usize) -> Result<Option<(String, String)>, DocumentError> {
    let mut cells: Vec<&str> = record.iter().map(str::trim).collect();
    while cells.last().is_some_and(|cell| cell.is_empty()) {
        cells.pop();
    }
    match cells[..] {
        [] => Ok(None),
        ["", _] => Err(DocumentError::line(line, "the answer has no question")),
        [_] => Err(DocumentError::line(line, "the question has no answer")),
        [question, answer] => {
            let question = clean::line(question, usize::MAX);
            if question.chars().count() > LONGEST_QUESTION {
                return Err(DocumentError::line(line, "the question is longer than 600 characters"));
            }
            Ok(Some((question, answer.to_owned())))
        }
        _ => Err(DocumentError::line(line, "the row has more than two columns: a question and an answer are read")),
    }
}

fn is_header(question: &str, answer: &str) -> bool {
    let is = |cell: &str, words: [&str; 3]| words.contains(&cell.to_lowercase().as_str());
    is(question, ["question", "вопрос", "q"]) && is(answer, ["answer", "ответ", "a"])
}

/// Spreadsheets write what their country uses. A comma inside a sentence is no separator where the line has another.
fn separator(text: &str) -> u8 {
    let (mut quoted, mut found) = (false, [false; 2]);
    for c in text.trim_start().chars() {
        match c {
            '"' => quoted = !quoted,
            '\n' if !quoted => break,
            '\t' if !quoted => found[0] = true,
            ';' if !quoted => found[1] = true,
            _ => {}
        }
    }
    match found {
        [true, _] => b'\t',
        [false, true] => b';',
        [false, false] => b',',
    }
}
