//! From the syntax tree and a context to text.
//!
//! A value is put in once and never read as template. What is left out leaves nothing behind: a line whose
//! values are all unknown goes, and [`tidy`](super::tidy) closes the holes.

use crate::both::both;
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::ops::Range;

use serde_json::Value;

use super::check;
use super::error::{Mistake, TemplateError};
use super::library::{File, Library};
use super::syntax::{Expr, If, Include, Node, Operand, Operator, PathPart, Variable};
use super::{DEEPEST_INCLUDE, LARGEST_OUTPUT, MOST_INCLUDES, parse, tidy};

/// What a rendering went through, for coverage. Renderings add up.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Trace {
    /// As errors name them.
    pub files: BTreeSet<String>,
    /// File, offset of the condition, and which way it went.
    pub sides: BTreeSet<(String, usize, bool)>,
}

impl Library {
    /// Renders `path` with everything it includes. `slots` fill the placeholders of an envelope.
    ///
    /// # Errors
    /// The first mistake in a file that is reached, an include that leads nowhere, or a bound that is passed.
    pub fn render(
        &self,
        path: &str,
        context: &Value,
        slots: &[(&str, &str)],
        trace: Option<&mut Trace>,
    ) -> Result<String, TemplateError> {
        let mut run = Run { library: self, context, slots, trace, out: Out::of(slots), trail: vec![], includes: 0 };
        let Some((path, file)) = self.get(path) else { return Err(self.missing(path, 0).at(path, "")) };
        run.file(path, file)?;
        run.out.finish_line();
        Ok(tidy::tidy(run.out.text, &run.out.holes, &run.out.filled))
    }
}

struct Run<'a> {
    library: &'a Library,
    context: &'a Value,
    slots: &'a [(&'a str, &'a str)],
    trace: Option<&'a mut Trace>,
    out: Out,
    /// The files that are open, outermost first.
    trail: Vec<&'a str>,
    includes: usize,
}

impl<'a> Run<'a> {
    fn file(&mut self, path: &'a str, file: &'a File) -> Result<(), TemplateError> {
        if let Some(error) = file.errors.first() {
            return Err(error.clone());
        }
        if let Some(trace) = &mut self.trace {
            trace.files.insert(file.shown.clone());
        }
        self.trail.push(path);
        self.nodes(&file.template.nodes, file)?;
        self.trail.pop();
        Ok(())
    }

    fn nodes(&mut self, nodes: &'a [Node], file: &'a File) -> Result<(), TemplateError> {
        for node in nodes {
            match node {
                Node::Text(text) => self.out.text(text),
                Node::Literal(text) => self.out.value(|out| out.push_str(text)),
                Node::Value(variable) => {
                    let value = self.look_up(variable);
                    self.out.value(|out| write_value(value, out));
                }
                Node::Slot { name, .. } => {
                    let block = self.slots.iter().find(|(slot, _)| slot == name).map_or("", |(_, block)| *block);
                    self.out.value(|out| out.push_str(block));
                }
                Node::Include(include) => self.include(include, file)?,
                Node::If(branch) => self.branch(branch, file)?,
                Node::Comment { alone, .. } => self.out.touched |= !alone,
            }
            if self.out.text.len() > LARGEST_OUTPUT {
                return Err(Mistake::new(
                    offset(node),
                    both!("готовый текст больше 1 МБ", "the rendered text grows beyond 1 MB"),
                )
                .at(&file.shown, &file.source));
            }
        }
        Ok(())
    }

    fn include(&mut self, include: &'a Include, file: &'a File) -> Result<(), TemplateError> {
        let wrong = |mistake: Mistake| mistake.at(&file.shown, &file.source);
        let path = self.path(include).map_err(wrong)?;
        let Some((path, included)) = self.library.get(&path) else {
            return Err(wrong(match check::holds_free_text(include) {
                // What the user wrote does not belong in an error.
                true => Mistake::new(
                    include.offset,
                    both!("файла с таким именем в этом наборе нет", "there is no file of that name in this prompt set"),
                ),
                false => self.library.missing(&path, include.offset),
            }));
        };
        self.includes += 1;
        let problem = if self.trail.contains(&path) {
            both!("{path} включает сам себя", "{path} includes itself")
        } else if self.trail.len() > DEEPEST_INCLUDE {
            both!(
                "файлы включают друг друга глубже {DEEPEST_INCLUDE} уровней",
                "files include each other more than {DEEPEST_INCLUDE} deep"
            )
        } else if self.includes > MOST_INCLUDES {
            both!("включений больше {MOST_INCLUDES}", "more than {MOST_INCLUDES} includes")
        } else {
            let start = self.out.text.len();
            if include.alone {
                self.file(path, included)?;
                self.out.finish_line();
                self.out.end_block(start);
            } else {
                let host = self.out.begin_inline();
                self.file(path, included)?;
                self.out.end_inline(host, start);
            }
            return Ok(());
        };
        Err(wrong(Mistake::new(include.offset, problem)))
    }

    fn path(&self, include: &Include) -> Result<String, Mistake> {
        let mut path = String::new();
        for part in &include.parts {
            match part {
                PathPart::Text(text) => path.push_str(text),
                PathPart::Value(variable) => {
                    let before = path.len();
                    write_value(self.look_up(variable), &mut path);
                    if path.len() == before {
                        let needs = &variable.path;
                        let problem = both!(
                            "пути нужно {needs}, а здесь это неизвестно",
                            "the path needs {needs}, which is not known here"
                        );
                        return Err(Mistake::new(variable.offset, problem));
                    }
                }
            }
        }
        match parse::check_path(&path) {
            Ok(()) => Ok(path),
            Err(problem) => Err(Mistake::new(include.offset, problem)),
        }
    }

    fn branch(&mut self, branch: &'a If, file: &'a File) -> Result<(), TemplateError> {
        let holds = self.holds(&branch.condition);
        if let Some(trace) = &mut self.trace {
            trace.sides.insert((file.shown.clone(), branch.offset, holds));
        }
        self.out.touched |= !branch.alone;
        let start = self.out.text.len();
        match (&branch.otherwise, holds) {
            (_, true) => self.nodes(&branch.then, file)?,
            (Some(otherwise), false) => self.nodes(&otherwise.nodes, file)?,
            (None, false) => {}
        }
        if branch.end_alone && self.out.text.len() == start && start == self.out.line {
            self.out.leave_hole(start);
        }
        Ok(())
    }

    fn holds(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Any(parts) => parts.iter().any(|part| self.holds(part)),
            Expr::All(parts) => parts.iter().all(|part| self.holds(part)),
            Expr::Not(inner) => !self.holds(inner),
            Expr::Is(operand) => self.operand(operand).is_true(),
            Expr::Compare { left, operator, right } => compare(&self.operand(left), *operator, &self.operand(right)),
        }
    }

    fn operand(&self, operand: &'a Operand) -> Seen<'_> {
        match operand {
            Operand::Variable(variable) => Seen::of(self.look_up(variable)),
            Operand::Text(text) => Seen::Text(text),
            Operand::Number(number) => Seen::Number(*number),
            Operand::Flag(flag) => Seen::Flag(*flag),
        }
    }

    fn look_up(&self, variable: &Variable) -> &'a Value {
        let mut value = self.context;
        for key in &variable.keys {
            value = value.get(key).unwrap_or(&Value::Null);
        }
        value
    }
}

fn offset(node: &Node) -> usize {
    match node {
        Node::Value(variable) => variable.offset,
        Node::Include(include) => include.offset,
        Node::If(branch) => branch.offset,
        Node::Slot { offset, .. } => *offset,
        Node::Text(_) | Node::Literal(_) | Node::Comment { .. } => 0,
    }
}

/// A value as conditions see it.
#[derive(PartialEq)]
enum Seen<'a> {
    Absent,
    Text(&'a str),
    Number(f64),
    Flag(bool),
    /// A list or a group with something in it.
    Filled,
}

impl Seen<'_> {
    fn of(value: &Value) -> Seen<'_> {
        match value {
            Value::Null => Seen::Absent,
            Value::Bool(flag) => Seen::Flag(*flag),
            Value::Number(number) => number.as_f64().map_or(Seen::Absent, Seen::Number),
            Value::String(text) if text.trim().is_empty() => Seen::Absent,
            Value::String(text) => Seen::Text(text),
            Value::Array(items) if items.is_empty() => Seen::Absent,
            Value::Object(parts) if parts.values().all(|part| Seen::of(part) == Seen::Absent) => Seen::Absent,
            Value::Array(_) | Value::Object(_) => Seen::Filled,
        }
    }

    fn is_true(&self) -> bool {
        match self {
            Seen::Absent => false,
            Seen::Flag(flag) => *flag,
            Seen::Number(number) => *number != 0.0,
            Seen::Text(text) => !text.is_empty(),
            Seen::Filled => true,
        }
    }
}

/// Nothing can be ordered against what is not known.
fn compare(left: &Seen<'_>, operator: Operator, right: &Seen<'_>) -> bool {
    match (operator, left, right) {
        (Operator::Equal, ..) => left == right,
        (Operator::NotEqual, ..) => left != right,
        (Operator::Greater, Seen::Number(l), Seen::Number(r)) => l > r,
        (Operator::AtLeast, Seen::Number(l), Seen::Number(r)) => l >= r,
        (Operator::Less, Seen::Number(l), Seen::Number(r)) => l < r,
        (Operator::AtMost, Seen::Number(l), Seen::Number(r)) => l <= r,
        _ => false,
    }
}

fn write_value(value: &Value, out: &mut String) {
    match value {
        Value::Null | Value::Object(_) => {}
        Value::String(text) => out.push_str(&one_line(text)),
        Value::Array(items) => {
            let start = out.len();
            for item in items {
                let separator = out.len();
                if separator > start {
                    out.push_str(", ");
                }
                let before = out.len();
                write_value(item, out);
                if out.len() == before {
                    out.truncate(separator);
                }
            }
        }
        // Writing into a string does not fail.
        Value::Bool(_) | Value::Number(_) => write!(out, "{value}").unwrap_or_default(),
    }
}

/// Control characters, and the two that Unicode has for the ends of lines and paragraphs.
fn breaks_line(c: char) -> bool {
    c.is_control() || matches!(c, '\u{2028}' | '\u{2029}')
}

/// What the user wrote stays on its line: a line break in a name must not begin a line of the prompt.
pub(crate) fn one_line(text: &str) -> Cow<'_, str> {
    let text = text.trim();
    if !text.contains(breaks_line) {
        return text.into();
    }
    let parts: Vec<&str> = text.split(breaks_line).map(str::trim).filter(|part| !part.is_empty()).collect();
    parts.join(" ").into()
}

/// The text so far, and what is known about its last line.
#[derive(Default)]
struct Out {
    text: String,
    line: usize,
    /// Values that the line asked for, and those of them that were known.
    asked: u32,
    known: u32,
    /// A tag was on the line.
    touched: bool,
    /// Where something was left out, ascending.
    holes: Vec<usize>,
    /// Where values stand, ascending.
    filled: Vec<Range<usize>>,
}

/// Room for a usual prompt, in bytes, so that it need not be moved while it grows.
const USUAL_SIZE: usize = 32 * 1024;

impl Out {
    fn of(slots: &[(&str, &str)]) -> Out {
        let blocks: usize = slots.iter().map(|(_, block)| block.len()).sum();
        Out { text: String::with_capacity(USUAL_SIZE + blocks), ..Out::default() }
    }

    fn text(&mut self, text: &str) {
        let Some((first, rest)) = text.split_once('\n') else { return self.text.push_str(text) };
        self.text.push_str(first);
        if self.line_is_hollow() {
            self.drop_line();
        } else {
            self.text.push('\n');
        }
        self.text.push_str(rest);
        self.start_line(self.text.len() - rest.rsplit('\n').next().unwrap_or(rest).len());
    }

    fn value(&mut self, write: impl FnOnce(&mut String)) {
        let start = self.text.len();
        write(&mut self.text);
        self.touched = true;
        self.asked += 1;
        if self.text.len() > start {
            self.known += 1;
            self.filled.push(start..self.text.len());
        }
    }

    fn line_is_hollow(&self) -> bool {
        let unknown = self.asked > 0 && self.known == 0;
        let is_bare = |line: &str| matches!(line.trim(), "" | "-" | "*" | "•");
        unknown || self.touched && self.text.get(self.line..).is_some_and(is_bare)
    }

    fn drop_line(&mut self) {
        self.text.truncate(self.line);
        // Nothing that stood on the line is anywhere any more.
        self.filled.truncate(self.filled.partition_point(|range| range.start < self.line));
        self.leave_hole(self.line);
    }

    fn leave_hole(&mut self, at: usize) {
        self.holes.truncate(self.holes.partition_point(|hole| *hole < at));
        self.holes.push(at);
    }

    fn start_line(&mut self, at: usize) {
        self.line = at;
        self.asked = 0;
        self.known = 0;
        self.touched = false;
    }

    /// The end of a file: its last line has no line break.
    fn finish_line(&mut self) {
        if self.line_is_hollow() {
            self.drop_line();
        }
    }

    /// A file is included in the middle of a line, which is not its own to take away.
    fn begin_inline(&mut self) -> (usize, u32, u32) {
        let host = (self.line, self.asked, self.known);
        self.start_line(self.text.len());
        host
    }

    fn end_inline(&mut self, (line, asked, known): (usize, u32, u32), start: usize) {
        self.finish_line();
        while self.text.len() > start && self.text.ends_with('\n') {
            self.text.pop();
        }
        self.filled.truncate(self.filled.partition_point(|range| range.start < self.text.len()));
        self.holes.truncate(self.holes.partition_point(|hole| *hole < start));
        let part = self.text.get(start..).unwrap_or_default();
        match part.rfind('\n') {
            Some(at) => self.start_line(start + at + 1),
            // What came in counts as one value of the line.
            None => {
                (self.line, self.asked) = (line, asked + 1);
                self.known = known + u32::from(!part.is_empty());
            }
        }
        self.touched = true;
    }

    /// An included file that began at `start` stood on lines of its own.
    fn end_block(&mut self, start: usize) {
        if self.text.len() <= start {
            self.leave_hole(self.text.len());
        } else if !self.text.ends_with('\n') {
            self.text.push('\n');
        }
        self.start_line(self.text.len());
    }
}
