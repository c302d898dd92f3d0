//! Rows of the tables in an HTML report. Nothing of the page but its cells is looked at.

use std::cell::RefCell;

use html5ever::TokenizerResult;
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{BufferQueue, Tag, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts};

use crate::grid::Row;

/// A cell that spans more columns than any report has is a mistake.
const WIDEST: usize = 64;

#[derive(Default)]
struct Rows {
    done: Vec<Row>,
    row: Option<Row>,
    /// Text of the open cell, and how many columns it spans; `None` for a cell that is never shown.
    cell: Option<(String, Option<usize>)>,
}

struct Sink(RefCell<Rows>);

impl Rows {
    fn close_cell(&mut self) {
        let Some((text, span)) = self.cell.take() else { return };
        let (Some(row), Some(span)) = (&mut self.row, span) else { return };
        row.cells.push(text.split_whitespace().collect::<Vec<_>>().join(" "));
        row.cells.extend((1..span).map(|_| String::new()));
    }

    fn close_row(&mut self) {
        self.close_cell();
        self.done.extend(self.row.take());
    }

    fn tag(&mut self, tag: &Tag, line: u64) {
        match (&*tag.name, tag.kind) {
            ("tr", TagKind::StartTag) => {
                self.close_row();
                self.row = Some(Row { line, cells: Vec::new() });
            }
            ("tr" | "table", _) => self.close_row(),
            ("td" | "th", TagKind::StartTag) => {
                self.close_cell();
                self.row.get_or_insert(Row { line, cells: Vec::new() });
                self.cell = Some((String::new(), shown_columns(tag)));
            }
            ("td" | "th", TagKind::EndTag) => self.close_cell(),
            ("br", _) => self.text(" "),
            _ => {}
        }
    }

    fn text(&mut self, text: &str) {
        if let Some((cell, _)) = &mut self.cell {
            cell.push_str(text);
        }
    }
}

/// MetaTrader 5 puts cells of class `hidden` between the others, in some rows only.
fn shown_columns(tag: &Tag) -> Option<usize> {
    let attribute = |name: &str| tag.attrs.iter().find(|a| &*a.name.local == name).map(|a| &*a.value);
    if attribute("class").is_some_and(|class| class.split_whitespace().any(|name| name == "hidden")) {
        return None;
    }
    let span = attribute("colspan").and_then(|span| span.trim().parse().ok()).unwrap_or(1);
    Some(span.clamp(1, WIDEST))
}

impl TokenSink for Sink {
    type Handle = ();

    fn process_token(&self, token: Token, line: u64) -> TokenSinkResult<()> {
        let mut rows = self.0.borrow_mut();
        match token {
            Token::TagToken(tag) => rows.tag(&tag, line),
            Token::CharacterTokens(text) => rows.text(&text),
            Token::EOFToken => rows.close_row(),
            _ => {}
        }
        TokenSinkResult::Continue
    }
}

pub(crate) fn rows(text: &str) -> Vec<Row> {
    let tokenizer = Tokenizer::new(Sink(RefCell::default()), TokenizerOpts::default());
    let input = BufferQueue::default();
    input.push_back(StrTendril::from(text));
    // Scripts stop the tokenizer; in a report there is nothing to run.
    while !matches!(tokenizer.feed(&input), TokenizerResult::Done) {}
    tokenizer.end();
    tokenizer.sink.0.into_inner().done
}
