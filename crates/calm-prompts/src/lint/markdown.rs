//! Markdown where it would be read out or shown as bare signs: tray, voice, notification.
//!
//! A dash or "•" in front of a line is plain text and stays.

use std::ops::Range;

use crate::both::both;

use super::context;
use super::finding::{Finding, Rule};
use super::grammar::{Grammar, Words};
use super::layout::Kind;
use super::source::Page;

/// What cannot be shown, in Russian and English.
type What = [&'static str; 2];

pub fn findings(page: &Page<'_>) -> Vec<Finding> {
    let mut found: Vec<(Range<usize>, What)> = Vec::new();
    for fence in &page.source.fences {
        if let Some(line) = page.source.lines.get(fence.start) {
            found.push((line.clone(), ["блок кода", "a code block"]));
        }
    }
    for number in 0..page.source.lines.len() {
        if page.layout.shapes.get(number).is_some_and(|shape| shape.kind != Kind::Masked) {
            of_line(page, number, &mut found);
        }
    }
    found.retain(|(at, _)| !is_quoted(page, at) && !is_about_markdown(page, at.start));
    found
        .into_iter()
        .map(|(at, [ru, en])| {
            let message = both!("{ru} здесь не показать", "{en} cannot be shown here");
            let hint = both!(
                "напиши простыми словами; чтобы выделить, хватит отдельной строки или «•»",
                "write it as plain words; a line of its own or “•” is emphasis enough"
            );
            page.source.finding(Rule::MarkdownMessenger, at, message, hint)
        })
        .collect()
}

fn of_line(page: &Page<'_>, number: usize, found: &mut Vec<(Range<usize>, What)>) {
    let start = page.source.lines.get(number).map_or(0, |line| line.start);
    let line = page.source.masked_line(number);
    let text = line.trim_start();
    let indent = line.len() - text.len();
    let mark = |from: usize, length: usize| start + from..start + from + length;
    let shape = page.layout.shapes.get(number);
    match shape.map(|shape| shape.kind) {
        Some(Kind::Heading(level)) if level < 7 => {
            found.push((mark(indent, usize::from(level)), ["заголовок", "a heading"]))
        }
        Some(Kind::Bullet) if shape.is_some_and(|shape| shape.numbered) && is_in_numbered_list(page, number) => {
            let length = text.bytes().take_while(u8::is_ascii_digit).count() + 1;
            found.push((mark(indent, length), ["нумерованный список", "a numbered list"]));
        }
        Some(Kind::Bullet) if text.starts_with("* ") && has_neighbour(page, number, |text| text.starts_with("* ")) => {
            found.push((mark(indent, 1), ["список со звёздочками", "a list with asterisks"]));
        }
        _ => {}
    }
    if text.starts_with("> ") {
        found.push((mark(indent, 1), ["цитату", "a block quotation"]));
    }
    if is_rule_of_a_table(text) || begins_bare_rows(page, number) {
        found.push((mark(indent, text.trim_end().len()), ["таблицу", "a table"]));
    }
    for (sign, what) in [
        ("**", ["жирный шрифт", "bold"]),
        ("__", ["жирный шрифт", "bold"]),
        ("~~", ["зачёркнутый текст", "struck-out text"]),
        ("*", ["курсив", "italics"]),
        ("_", ["курсив", "italics"]),
    ] {
        let spans = emphasised(line, sign);
        found.extend(spans.into_iter().map(|span| (mark(span.start, span.len()), what)));
    }
    if let Some(span) = link(line) {
        found.push((mark(span.start, span.len()), ["ссылку", "a link"]));
    }
}

/// "|---|:--:|": dashes under the head of a table, with colons where columns are aligned.
fn is_rule_of_a_table(text: &str) -> bool {
    let text = text.trim();
    let inner = text.trim_matches('|').trim();
    let dashes = |cell: &str| {
        let cell = cell.trim();
        let bare = cell.strip_prefix(':').unwrap_or(cell);
        let bare = bare.strip_suffix(':').unwrap_or(bare);
        !bare.is_empty() && bare.bytes().all(|byte| byte == b'-')
    };
    text.contains('|') && inner.split('|').all(dashes)
}

/// The first of two rows "| a | b |" that have no rule under their head.
fn begins_bare_rows(page: &Page<'_>, number: usize) -> bool {
    let line = |number: usize| page.source.lines.get(number).map_or("", |_| page.source.masked_line(number)).trim();
    let cells =
        |text: &str| text.len() > 2 && text.starts_with('|') && text.ends_with('|') && text.matches('|').count() > 2;
    let before = number.checked_sub(1).map_or("", line);
    cells(line(number))
        && !cells(before)
        && cells(line(number + 1))
        && !is_rule_of_a_table(line(number + 1))
        && !is_rule_of_a_table(line(number))
}

/// What stands next to the number before or after: "7. Ровно столько" is a sentence.
fn is_in_numbered_list(page: &Page<'_>, number: usize) -> bool {
    let value = |text: &str| {
        let digits = text.bytes().take_while(u8::is_ascii_digit).count();
        let dotted = text.get(digits..).is_some_and(|rest| rest.starts_with('.'));
        text.get(..digits).filter(|_| dotted)?.parse::<u32>().ok()
    };
    let own = value(page.source.masked_line(number).trim_start());
    own.is_some_and(|own| has_neighbour(page, number, |text| value(text).is_some_and(|other| own.abs_diff(other) == 1)))
}

fn has_neighbour(page: &Page<'_>, number: usize, like: impl Fn(&str) -> bool) -> bool {
    let filled = |n: &usize| !page.source.masked_line(*n).trim().is_empty();
    let above = (0..number).rev().take(3).find(filled);
    let below = (number + 1..page.source.lines.len()).take(3).find(filled);
    [above, below].into_iter().flatten().any(|n| like(page.source.masked_line(n).trim_start()))
}

/// Spans between two `sign`s that hug letters, as Markdown wants them.
fn emphasised(line: &str, sign: &str) -> Vec<Range<usize>> {
    let mark = sign.chars().next().unwrap_or('*');
    let mut spans = Vec::new();
    let mut open: Option<usize> = None;
    let mut from = 0;
    while let Some(at) = line[from..].find(mark).map(|i| from + i) {
        let run = line[at..].chars().take_while(|c| *c == mark).count();
        let end = at + run;
        from = end;
        // *** is bold in italics; a longer run is a rule or a gap to fill in.
        let fits = run == sign.len() || run == 3 && mark != '~';
        if !fits {
            open = None;
            continue;
        }
        let before = line[..at].chars().next_back();
        let after = line[end..].chars().next();
        let word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
        let space = |c: Option<char>| c.is_none_or(char::is_whitespace);
        match open {
            Some(start) if !space(before) && (!word(after) || sign == "**") => {
                if line[start..end].chars().any(char::is_alphanumeric) {
                    spans.push(start..end);
                }
                open = None;
            }
            _ if !space(after) && (!word(before) || sign == "**") => open = Some(at),
            _ => {}
        }
    }
    spans
}

/// `[text](target)`.
fn link(line: &str) -> Option<Range<usize>> {
    let middle = line.find("](")?;
    let start = line[..middle].rfind('[')?;
    let target = &line[middle + 2..];
    let length = target.find(')')?;
    (length > 0 && !target[..length].contains(char::is_whitespace)).then_some(start..middle + 3 + length)
}

fn is_quoted(page: &Page<'_>, at: &Range<usize>) -> bool {
    let quotes = &page.tokens.quotes;
    let index = quotes.partition_point(|quote| quote.inner.end < at.end);
    quotes.get(index).is_some_and(|quote| quote.inner.start <= at.start)
}

/// "Не используй **жирный**" shows what is forbidden.
fn is_about_markdown(page: &Page<'_>, offset: usize) -> bool {
    let grammar = Grammar::shared();
    let tokens = &page.tokens;
    let at = tokens.list.partition_point(|t| t.start < offset);
    let Some(token) = tokens.list.get(at) else { return false };
    if token.line != page.source.line_of(offset) {
        return false;
    }
    let has = |words: &Words| tokens.sentence(at, 20).any(|i| words.has(tokens.norm(i)));
    has(&grammar.markdown) && (context::frame_at(page, at).forbids() || has(&grammar.negation))
}
