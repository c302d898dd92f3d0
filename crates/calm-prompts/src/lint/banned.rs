//! An imported sheet of words that testers never want to hear again.

/// The sheet cannot be read as a table.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("line {line} is not a row of a table")]
pub struct SheetError {
    /// From 1.
    pub line: u64,
}

/// Names a first column may have.
const HEADS: [&str; 22] = [
    "term",
    "terms",
    "word",
    "words",
    "phrase",
    "phrases",
    "banned",
    "banned term",
    "banned word",
    "banned phrase",
    "expression",
    "text",
    "фраза",
    "фразы",
    "слово",
    "слова",
    "термин",
    "термины",
    "выражение",
    "запрещено",
    "стоп-слово",
    "стоп-слова",
];

/// The terms of a sheet: the column that is named after them, else the first; comma, semicolon or tab.
///
/// # Errors
/// A row that is not UTF-8 text or breaks the quoting.
pub fn banned_from_csv(text: &str) -> Result<Vec<String>, SheetError> {
    let text = text.trim_start_matches('\u{feff}');
    let mut reader = csv::ReaderBuilder::new()
        .delimiter(delimiter(text))
        .has_headers(false)
        .flexible(true)
        .trim(csv::Trim::All)
        .from_reader(text.as_bytes());
    let mut column = 0;
    let mut terms: Vec<String> = Vec::new();
    for (number, row) in reader.records().enumerate() {
        let row = row.map_err(|error| SheetError { line: error.position().map_or(1, csv::Position::line) })?;
        if number == 0
            && let Some(named) = row.iter().position(is_head)
        {
            column = named;
            continue;
        }
        let term = row.get(column).unwrap_or("").trim().trim_matches(['«', '»', '“', '”', '"']).trim();
        if term.chars().any(char::is_alphanumeric) && !terms.iter().any(|known| known == term) {
            terms.push(term.to_owned());
        }
    }
    Ok(terms)
}

fn is_head(cell: &str) -> bool {
    HEADS.contains(&cell.to_lowercase().as_str())
}

/// What separates the cells of the first line, outside quotation marks.
fn delimiter(text: &str) -> u8 {
    let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or("");
    let mut quoted = false;
    let (mut commas, mut semicolons, mut tabs) = (0, 0, 0);
    for byte in first.bytes() {
        match byte {
            b'"' => quoted = !quoted,
            b',' if !quoted => commas += 1,
            b';' if !quoted => semicolons += 1,
            b'\t' if !quoted => tabs += 1,
            _ => {}
        }
    }
    if tabs > 0 {
        b'\t'
    } else if semicolons > 0 && semicolons >= commas {
        b';'
    } else {
        b','
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("term\njust\nsimply\n", &["just", "simply"])]
    #[case("\u{feff}Фраза;Почему\n«конечно»;холодно\nпросто;\n", &["конечно", "просто"])]
    #[case("дата,слово\n1 мая,надо\n2 мая,\"да, но\"\n", &["надо", "да, но"])]
    #[case("just\nsimply\njust\n\n", &["just", "simply"])]
    #[case("\"say \"\"no\"\"\"\r\nno way\r\n", &["say \"no", "no way"])]
    #[case("", &[])]
    fn terms_of_a_sheet(#[case] sheet: &str, #[case] expected: &[&str]) {
        assert_eq!(banned_from_csv(sheet).unwrap(), expected);
    }
}
