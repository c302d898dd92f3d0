//! Holds back what may be a call of a tool in the text of a reply, and reads it.
//!
//! Text without the calls is handed on letter for letter. From the first letter that may begin a call nothing is handed
//! on until it is decided; a brace in a sentence is decided by the next few letters.

use serde_json::Value;

use super::balance::Balance;
use super::extract::{from_tagged, from_value, looks_like_call, name_in, parsed};
use super::json::{arguments_at, value_at};
use super::reasoning::begins;
use super::shape::{Body, CLOSERS, Kind, Opening, may_begin, opening};

/// A candidate longer than this is not waited for.
const LONGEST: usize = 32 * 1024;
const MOST_CALLS: usize = 32;
const LONGEST_SPACE: usize = 32;

#[derive(Debug)]
pub struct CallFilter {
    tools: Vec<String>,
    state: State,
    pending: String,
    /// The last letter that was handed on.
    before: Option<char>,
    /// Backticks before a call that are not closed yet.
    fence: usize,
    pub calls: Vec<(String, Value)>,
    pub from_text: bool,
    pub fenced: bool,
    pub broken: bool,
}

#[derive(Debug)]
enum State {
    Text,
    /// `pending` begins with a candidate; its body is being read.
    Body(Body, Progress),
    /// A call was taken out; what closes it may follow.
    Tail,
    /// A call that never ended: nothing after its beginning is for the user.
    Swallow,
}

/// How far the end of a body was looked for.
#[derive(Debug)]
enum Progress {
    Balance(Balance),
    Closer(usize),
}

/// What a step did with the beginning of `pending`.
enum Step {
    /// This many bytes are done with.
    Done(usize),
    Wait,
}

impl CallFilter {
    /// `tools`: names that may stand before their arguments without more ado.
    pub fn new(tools: Vec<String>) -> Self {
        Self {
            tools,
            state: State::Text,
            pending: String::new(),
            before: None,
            fence: 0,
            calls: Vec::new(),
            from_text: false,
            fenced: false,
            broken: false,
        }
    }

    /// A new one for the same tools.
    pub fn again(&self) -> Self {
        Self::new(self.tools.clone())
    }

    pub fn push(&mut self, piece: &str, out: &mut String) {
        self.pending.push_str(piece);
        self.work(false, out);
    }

    pub fn finish(&mut self, out: &mut String) {
        self.work(true, out);
    }

    /// A call from elsewhere in the reply.
    pub fn add(&mut self, name: String, arguments: Value) {
        self.from_text = true;
        if self.calls.len() < MOST_CALLS {
            self.calls.push((name, parsed(arguments)));
        }
    }

    fn work(&mut self, at_end: bool, out: &mut String) {
        let pending = std::mem::take(&mut self.pending);
        let mut at = 0;
        while at < pending.len() {
            let rest = &pending[at..];
            let state = std::mem::replace(&mut self.state, State::Text);
            let step = match state {
                State::Text => self.text(rest, at_end, out),
                State::Body(body, progress) => self.body(rest, body, progress, at_end, out),
                State::Tail => self.tail(rest, at_end),
                State::Swallow => {
                    self.state = State::Swallow;
                    Step::Done(rest.len())
                }
            };
            match step {
                Step::Done(taken) => at += taken,
                Step::Wait => break,
            }
        }
        if at == 0 {
            self.pending = pending;
        } else {
            pending[at..].clone_into(&mut self.pending);
        }
    }

    fn release(&mut self, text: &str, out: &mut String) {
        out.push_str(text);
        self.before = text.chars().next_back().or(self.before);
    }

    fn text(&mut self, rest: &str, at_end: bool, out: &mut String) -> Step {
        let mut before = self.before;
        let mut start = rest.len();
        for (at, letter) in rest.char_indices() {
            // A backtick behind another one was decided with it.
            let decided = letter == '`' && before == Some('`');
            if !decided && may_begin(letter, &self.tools, is_boundary(before)) {
                start = at;
                break;
            }
            before = Some(letter);
        }
        self.release(&rest[..start], out);
        let candidate = &rest[start..];
        if candidate.is_empty() {
            return Step::Done(start);
        }
        match opening(candidate, &self.tools, is_boundary(self.before), at_end) {
            Opening::Maybe => {
                if start > 0 {
                    return Step::Done(start);
                }
                Step::Wait
            }
            Opening::No if at_end && is_stump(candidate) => {
                self.broken = true;
                Step::Done(rest.len())
            }
            Opening::No => {
                let length = candidate.chars().next().map_or(0, char::len_utf8);
                self.release(&candidate[..length], out);
                Step::Done(start + length)
            }
            Opening::Yes(body) => {
                let progress = match body.kind {
                    Kind::Json | Kind::Arguments => Progress::Balance(Balance::default()),
                    Kind::Tagged(_) => Progress::Closer(body.start),
                };
                self.state = State::Body(body, progress);
                Step::Done(start)
            }
        }
    }

    fn body(&mut self, rest: &str, body: Body, mut progress: Progress, at_end: bool, out: &mut String) -> Step {
        let too_long = rest.len() > LONGEST;
        let rest = &rest[..floor(rest, LONGEST)];
        let inner = &rest[body.start..];
        let end = match (&mut progress, body.kind) {
            (Progress::Closer(from), Kind::Tagged(closer)) => {
                let found = rest[*from..].find(closer).map(|at| (*from + at, *from + at + closer.len()));
                *from = floor(rest, rest.len().saturating_sub(closer.len())).max(*from);
                found
            }
            (Progress::Balance(balance), _) => {
                balance.end(inner, at_end && !too_long).map(|end| (body.start + end, body.start + end))
            }
            (Progress::Closer(_), _) => None,
        };
        match end {
            Some((inner_end, end)) => {
                let found = self.read(&rest[body.start..inner_end], &body);
                self.decide(found, &rest[..end], body.fence, out);
                Step::Done(end)
            }
            None if too_long => {
                if self.decide(Vec::new(), rest, body.fence, out) {
                    self.state = State::Swallow;
                }
                Step::Done(rest.len())
            }
            None if at_end => {
                let found = if matches!(body.kind, Kind::Tagged(_)) { self.read(inner, &body) } else { Vec::new() };
                self.decide(found, rest, body.fence, out);
                Step::Done(rest.len())
            }
            None => {
                self.state = State::Body(body, progress);
                Step::Wait
            }
        }
    }

    fn read(&self, inner: &str, body: &Body) -> Vec<(String, Value)> {
        match (body.kind, &body.name) {
            (Kind::Tagged(_), _) => from_tagged(inner, &self.tools),
            (Kind::Arguments, Some(name)) => {
                let arguments = arguments_at(inner).map_or_else(|| Value::String(inner.to_owned()), |(value, _)| value);
                vec![(name.clone(), arguments)]
            }
            (_, Some(name)) => {
                let arguments = value_at(inner).map_or_else(|| Value::String(inner.to_owned()), |(value, _)| value);
                vec![(name.clone(), arguments)]
            }
            (_, None) => match value_at(inner) {
                Some((value, _)) => from_value(&value, &self.tools),
                None => Vec::new(),
            },
        }
    }

    /// `raw` is a call, was meant for one, or is text; whether it was taken out.
    fn decide(&mut self, found: Vec<(String, Value)>, raw: &str, fence: usize, out: &mut String) -> bool {
        if found.is_empty() {
            let list = raw.starts_with('[') && begins(raw, "[TOOL") != Some(true);
            let tagged = !raw.starts_with(['{', '`']) && !list;
            if !tagged && !looks_like_call(raw, &self.tools) {
                self.release(raw, out);
                return false;
            }
            self.broken = true;
            if let Some(name) = name_in(raw, &self.tools) {
                self.add(name, Value::String(raw.to_owned()));
            }
        }
        for (name, arguments) in found {
            self.add(name, arguments);
        }
        self.fenced |= fence > 0;
        self.fence = self.fence.max(fence);
        self.state = State::Tail;
        true
    }

    /// Brackets, tags and fences that close a call are part of it; white space before other text is not.
    fn tail(&mut self, rest: &str, at_end: bool) -> Step {
        let inner = rest.trim_start();
        let blank = rest.len() - inner.len();
        if blank > LONGEST_SPACE {
            return Step::Done(0);
        }
        if inner.is_empty() && !at_end {
            self.state = State::Tail;
            return Step::Wait;
        }
        let ticks = inner.bytes().take(self.fence).take_while(|byte| *byte == b'`').count();
        if ticks > 0 {
            self.state = State::Tail;
            if ticks < self.fence && ticks == inner.len() && !at_end {
                return Step::Wait;
            }
            self.fence = 0;
            return Step::Done(blank + ticks);
        }
        if blank == 0 && inner.starts_with([']', ')', ';', '}']) {
            self.state = State::Tail;
            return Step::Done(1);
        }
        for closer in CLOSERS {
            match begins(inner, closer) {
                Some(true) => {
                    self.state = State::Tail;
                    return Step::Done(blank + closer.len());
                }
                Some(false) if !at_end && !inner.is_empty() => {
                    self.state = State::Tail;
                    return Step::Wait;
                }
                _ => {}
            }
        }
        // Text again, white space included.
        Step::Done(0)
    }
}

/// A name inside a word or an address is no call.
fn is_boundary(before: Option<char>) -> bool {
    before.is_none_or(|letter| !(letter.is_alphanumeric() || matches!(letter, '_' | '.' | '/' | '-')))
}

/// The reply ended with the beginning of something that only a call begins with.
fn is_stump(candidate: &str) -> bool {
    let inner = candidate.trim_start_matches('`').trim_start_matches("json").trim_start();
    let json = inner.starts_with("{\"") || inner.starts_with("{'") || inner.starts_with("[{");
    let tag = ["<tool", "<function", "<|tool", "<|python", "[TOOL"].iter().any(|tag| begins(inner, tag) == Some(true));
    json || tag
}

fn floor(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}
