//! From text to the syntax tree.

use super::DEEPEST_NESTING;
use super::condition::{self, quoted, variable};
use super::error::{Mistake, TemplateError, closest};
use super::syntax::{Else, If, Include, Node, PathPart, Template};
use crate::Both;
use crate::both::both;

/// Which files have single-brace placeholders.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect<'a> {
    Prompt,
    /// With the placeholders of these names.
    Envelope(&'a [&'a str]),
}

/// Parses one file without its front matter. `start` is where in `source` the template begins.
///
/// # Errors
/// The first mistake, with its place in `source`.
pub fn parse(file: &str, source: &str, start: usize, dialect: Dialect<'_>) -> Result<Template, TemplateError> {
    tree(source, start, dialect).map_err(|mistake| mistake.at(file, source))
}

/// An `{{#if}}` whose end has not been seen.
struct Open {
    tag: If,
    before: Vec<Node>,
}

fn tree(source: &str, start: usize, dialect: Dialect<'_>) -> Result<Template, Mistake> {
    let mut nodes: Vec<Node> = Vec::new();
    let mut open: Vec<Open> = Vec::new();
    let end = source.trim_end().len();
    let mut at = start.min(end);
    at += source.get(at..end).unwrap_or_default().len()
        - source.get(at..end).unwrap_or_default().trim_start_matches(['\n', '\r']).len();
    let first = at;
    while at < end {
        let rest = source.get(at..end).unwrap_or_default();
        let Some(found) = rest.find("{{") else {
            text(rest, at, dialect, &mut nodes)?;
            break;
        };
        let tag_at = at + found;
        let tag_end = end_of_tag(source, tag_at, end)?;
        let inner_at = tag_at + 2;
        let inner = source.get(inner_at..tag_end - 2).unwrap_or_default();
        let tag = read_tag(inner, inner_at, tag_at)?;
        // A block takes lines away with all its tags, or with none of them.
        let may_be_alone = match &tag {
            Tag::Else | Tag::End => open.last().is_some_and(|open| open.tag.alone),
            tag => tag.is_block(),
        };
        let line = if may_be_alone { alone(source, at, first, tag_at, tag_end, end) } else { None };
        let (text_end, next) = line.unwrap_or((tag_at, tag_end));
        text(source.get(at..text_end).unwrap_or_default(), at, dialect, &mut nodes)?;
        at = next;
        let alone = line.is_some();
        match tag {
            Tag::Node(mut node) => {
                match &mut node {
                    Node::Include(include) => include.alone = alone,
                    Node::Comment { alone: flag, .. } => *flag = alone,
                    _ => {}
                }
                nodes.push(node);
            }
            Tag::If(condition) => {
                if open.len() >= DEEPEST_NESTING {
                    return Err(Mistake::new(
                        tag_at,
                        both!("условия вложены слишком глубоко", "conditions are nested too deeply"),
                    ));
                }
                let tag = If { condition, offset: tag_at, alone, then: vec![], otherwise: None, end_alone: false };
                open.push(Open { tag, before: std::mem::take(&mut nodes) });
            }
            Tag::Else => {
                let Some(Open { tag, .. }) = open.last_mut() else {
                    return Err(Mistake::new(
                        tag_at,
                        both!(
                            "у этого `{{{{else}}}}` нет своего `{{{{#if}}}}`",
                            "this `{{{{else}}}}` belongs to no `{{{{#if}}}}`"
                        ),
                    ));
                };
                if tag.otherwise.is_some() {
                    return Err(Mistake::new(
                        tag_at,
                        both!(
                            "у этого `{{{{#if}}}}` уже есть `{{{{else}}}}`",
                            "this `{{{{#if}}}}` has an `{{{{else}}}}` already"
                        ),
                    ));
                }
                tag.then = std::mem::take(&mut nodes);
                tag.otherwise = Some(Else { alone, nodes: vec![] });
            }
            Tag::End => {
                let Some(Open { mut tag, before }) = open.pop() else {
                    return Err(Mistake::new(
                        tag_at,
                        both!("этот `{{{{/if}}}}` ничего не закрывает", "this `{{{{/if}}}}` closes nothing"),
                    ));
                };
                let inside = std::mem::replace(&mut nodes, before);
                match &mut tag.otherwise {
                    Some(otherwise) => otherwise.nodes = inside,
                    None => tag.then = inside,
                }
                tag.end_alone = alone;
                nodes.push(Node::If(tag));
            }
        }
    }
    match open.last() {
        Some(open) => Err(Mistake::new(
            open.tag.offset,
            both!("этот `{{{{#if}}}}` не закрыт", "this `{{{{#if}}}}` is never closed"),
        )
        .hint(both!("добавь `{{{{/if}}}}`", "add `{{{{/if}}}}`"))),
        None => Ok(Template { nodes }),
    }
}

enum Tag {
    Node(Node),
    If(super::syntax::Expr),
    Else,
    End,
}

impl Tag {
    /// Takes its line with it where it is alone there.
    fn is_block(&self) -> bool {
        !matches!(self, Tag::Node(Node::Value(_) | Node::Literal(_)))
    }
}

/// Just behind the `}}` that ends the tag. Values may stand in the tag, and braces in its quotations.
fn end_of_tag(source: &str, tag_at: usize, end: usize) -> Result<usize, Mistake> {
    let unclosed = || {
        Mistake::new(tag_at, both!("эти `{{{{` не закрыты", "this `{{{{` is never closed"))
            .hint(both!("добавь `}}}}`", "add `}}}}`"))
    };
    let rest = source.get(tag_at + 2..end).unwrap_or_default();
    if let Some(comment) = rest.strip_prefix('!') {
        let (begun, closing) = if comment.starts_with("--") { (2, "--}}") } else { (0, "}}") };
        let found = comment.get(begun..).and_then(|text| text.find(closing)).ok_or_else(unclosed)?;
        return Ok(tag_at + 3 + begun + found + closing.len());
    }
    let bytes = rest.as_bytes();
    let mut depth = 1;
    let mut quote = None;
    let mut i = 0;
    while let Some(byte) = bytes.get(i) {
        let pair = (*byte, bytes.get(i + 1).copied());
        match (quote, pair) {
            // A tag stands on one line, so that a forgotten brace is found where it is missing.
            (_, (b'\n', _)) => return Err(unclosed()),
            (Some(mark), (b, _)) if b == mark => quote = None,
            (Some(_), _) => {}
            (None, (b'"' | b'\'', _)) => quote = Some(*byte),
            (None, (b'{', Some(b'{'))) => {
                depth += 1;
                i += 1;
            }
            (None, (b'}', Some(b'}'))) => {
                depth -= 1;
                i += 1;
                if depth == 0 {
                    return Ok(tag_at + 2 + i + 1);
                }
            }
            _ => {}
        }
        i += 1;
    }
    Err(unclosed())
}

/// Where the tag is alone on its line: the end of the text before the line, and the start of the next line.
fn alone(source: &str, from: usize, first: usize, tag_at: usize, tag_end: usize, end: usize) -> Option<(usize, usize)> {
    let before = source.get(from..tag_at)?;
    let indent = before.len() - before.trim_end_matches([' ', '\t', '\r']).len();
    let line_start = tag_at - indent;
    let at_start = line_start == first || source.get(..line_start)?.ends_with('\n');
    let after = source.get(tag_end..end)?;
    let trimmed = after.trim_start_matches([' ', '\t', '\r']);
    let next = match trimmed.strip_prefix('\n') {
        Some(following) => end - following.len(),
        None if trimmed.is_empty() => end,
        None => return None,
    };
    at_start.then_some((line_start, next))
}

fn read_tag(inner: &str, inner_at: usize, tag_at: usize) -> Result<Tag, Mistake> {
    if let Some(comment) = inner.strip_prefix('!') {
        let text = comment.strip_prefix("--").and_then(|text| text.strip_suffix("--")).unwrap_or(comment);
        return Ok(Tag::Node(Node::Comment { text: text.trim().to_owned(), alone: false }));
    }
    let text = inner.trim();
    let text_at = inner_at + (inner.len() - inner.trim_start().len());
    if let Some(word) = text.strip_prefix('#') {
        return opening(word, text_at + 1, tag_at);
    }
    let name = text.split(char::is_whitespace).next().unwrap_or_default();
    match text {
        "" => Err(Mistake::new(tag_at, both!("пустой тег", "an empty tag"))),
        "else" => Ok(Tag::Else),
        "/if" => Ok(Tag::End),
        _ if name == "else" => Err(Mistake::new(text_at, both!("у `{{{{else}}}}` не бывает условия", "`{{{{else}}}}` takes no condition"))
            .hint(both!("поставь отдельный `{{{{#if}}}}` между `{{{{else}}}}` и `{{{{/if}}}}`", "put an `{{{{#if}}}}` of its own between `{{{{else}}}}` and `{{{{/if}}}}`"))),
        _ if name == "if" => Err(Mistake::new(text_at, both!("этот тег ничего не открывает", "this tag opens nothing")).hint(both!("напиши `{{{{#if …}}}}`", "write `{{{{#if …}}}}`"))),
        _ if text.starts_with('/') => {
            Err(Mistake::new(tag_at, both!("этот тег закрывает то, чего нет", "this tag closes nothing there is")).hint(both!("закрывает только `{{{{/if}}}}`", "only `{{{{/if}}}}` does")))
        }
        _ if name == "include" => {
            let path = text.get("include".len()..).unwrap_or_default();
            let path_at = text_at + "include".len() + (path.len() - path.trim_start().len());
            Ok(Tag::Node(Node::Include(include(path.trim(), path_at, tag_at)?)))
        }
        _ if text.starts_with(['"', '\'']) => match quoted(text, text_at)? {
            ("", literal) => Ok(Tag::Node(Node::Literal(literal))),
            _ => Err(Mistake::new(text_at, both!("после текста стоит что-то ещё", "something follows the text"))),
        },
        _ if text.starts_with(['~', '>', '^', '&', '{']) => Err(Mistake::new(text_at, both!("такого тега нет", "no such tag"))
            .hint(both!("есть {{{{value}}}}, {{{{include file.md}}}}, {{{{#if …}}}}, {{{{else}}}}, {{{{/if}}}} и {{{{! comment }}}}", "there are {{{{value}}}}, {{{{include file.md}}}}, {{{{#if …}}}}, {{{{else}}}}, {{{{/if}}}} and {{{{! comment }}}}"))),
        _ => Ok(Tag::Node(Node::Value(variable(text, text_at)?))),
    }
}

fn opening(word: &str, word_at: usize, tag_at: usize) -> Result<Tag, Mistake> {
    let name = word.split(char::is_whitespace).next().unwrap_or_default();
    let condition = word.get(name.len()..).unwrap_or_default();
    match name {
        "if" if condition.trim().is_empty() => {
            Err(Mistake::new(tag_at, both!("у этого `{{{{#if}}}}` нет условия", "this `{{{{#if}}}}` has no condition")))
        }
        "if" => condition::parse(condition, word_at + name.len()).map(Tag::If),
        _ => {
            let shown: String = name.chars().take(20).collect();
            Err(Mistake::new(tag_at, both!("`{{{{#{shown}}}}}` не бывает", "there is no `{{{{#{shown}}}}}`"))
                .hint(both!("блок открывает только `{{{{#if …}}}}`", "only `{{{{#if …}}}}` opens a block")))
        }
    }
}

fn include(path: &str, path_at: usize, tag_at: usize) -> Result<Include, Mistake> {
    let mut parts = Vec::new();
    let mut rest = path;
    while !rest.is_empty() {
        let at = path_at + path.len() - rest.len();
        match rest.find("{{") {
            Some(0) => {
                let (inner, after) = rest
                    .get(2..)
                    .and_then(|inner| inner.split_once("}}"))
                    .ok_or_else(|| Mistake::new(at, both!("эти `{{{{` не закрыты", "this `{{{{` is never closed")))?;
                let indent = inner.len() - inner.trim_start().len();
                parts.push(PathPart::Value(variable(inner.trim(), at + 2 + indent)?));
                rest = after;
            }
            found => {
                let (text, after) = rest.split_at(found.unwrap_or(rest.len()));
                parts.push(PathPart::Text(text.to_owned()));
                rest = after;
            }
        }
    }
    // A value cannot bring in what a literal path may not have, so a stand-in shows whether the rest is right.
    let literal: String =
        parts.iter().map(|part| if let PathPart::Text(text) = part { text.as_str() } else { "value" }).collect();
    check_path(&literal).map_err(|problem| Mistake::new(path_at.max(tag_at), problem))?;
    Ok(Include { parts, offset: tag_at, alone: false })
}

/// A path names a file inside the set and nothing else.
pub(super) fn check_path(path: &str) -> Result<(), Both> {
    let outside = || both!("путь уводит из папки промптов", "the path leaves the prompt folder");
    if path.is_empty() {
        return Err(both!("включение не называет файла", "the include names no file"));
    }
    if path.starts_with(['/', '~']) || path.contains(['\\', ':', '\0']) {
        return Err(outside());
    }
    match path.split('/').find(|part| matches!(*part, "" | "." | "..")) {
        Some("..") => Err(outside()),
        Some(_) => Err(both!("в пути пустая часть или одна точка", "the path has an empty part or a lone dot")),
        None if path.contains(char::is_control) => {
            Err(both!("в пути управляющий символ", "the path holds a control character"))
        }
        None => Ok(()),
    }
}

fn text(text: &str, at: usize, dialect: Dialect<'_>, nodes: &mut Vec<Node>) -> Result<(), Mistake> {
    let Dialect::Envelope(names) = dialect else {
        push_text(text, nodes);
        return Ok(());
    };
    let mut rest = text;
    let mut from = 0;
    while let Some(found) = rest.get(from..).and_then(|r| r.find('{')).map(|i| from + i) {
        let after = rest.get(found + 1..).unwrap_or_default();
        let name = after.split(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or_default();
        if name.is_empty() || !after.get(name.len()..).is_some_and(|r| r.starts_with('}')) {
            from = found + 1;
            continue;
        }
        let offset = at + text.len() - rest.len() + found;
        if !names.contains(&name) {
            let mistake = Mistake::new(
                offset,
                both!("в обрамлении нет места {{{name}}}", "the envelope has no placeholder {{{name}}}"),
            );
            return Err(match closest(name, names.iter().copied()) {
                Some(near) => mistake.hint(both!("может быть, {{{near}}}?", "did you mean {{{near}}}?")),
                None => mistake,
            });
        }
        push_text(rest.get(..found).unwrap_or_default(), nodes);
        nodes.push(Node::Slot { name: name.to_owned(), offset });
        rest = after.get(name.len() + 1..).unwrap_or_default();
        from = 0;
    }
    push_text(rest, nodes);
    Ok(())
}

fn push_text(text: &str, nodes: &mut Vec<Node>) {
    if text.is_empty() {
        return;
    }
    // What a checkout adds to the ends of lines must not reach the model.
    nodes.push(Node::Text(if text.contains('\r') {
        text.replace("\r\n", "\n").replace('\r', " ")
    } else {
        text.to_owned()
    }));
}
