//! Reads a model's reply as it comes: reasoning and calls go, text is handed on.
//!
//! Pure: pieces go in, text comes out, at any cut the same. What is handed on is never taken back, with the one
//! exception that [`Read::reasoning_shown`] tells of.

mod balance;
mod calls;
mod circles;
mod extract;
mod json;
mod reasoning;
mod shape;

use serde_json::Value;

use crate::endpoint::Reasoning;
pub use extract::parsed;
pub use json::value_at;

use calls::CallFilter;
use circles::Circles;
use reasoning::{Part, Strip};

/// The longest reply, in bytes of text.
pub const LONGEST_TEXT: usize = 256 * 1024;

/// What to look for.
#[derive(Debug, Clone, Default)]
pub struct Options {
    pub reasoning: Reasoning,
    /// Names of the tools that were offered.
    pub tools: Vec<String>,
    /// The reply is JSON by request: nothing in it is a call.
    pub data: bool,
}

/// A reply so far.
#[derive(Debug)]
pub struct Reader {
    strip: Strip,
    rest: Rest,
}

/// Everything behind the reasoning.
#[derive(Debug)]
struct Rest {
    options: Options,
    calls: CallFilter,
    circles: Circles,
    /// White space that is text only if text follows.
    blank: String,
    text: String,
    /// How much of `text` was handed on.
    handed: usize,
    holding: bool,
    restarted: bool,
    shown: bool,
    enough: Option<Enough>,
}

/// Why a reply is cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Enough {
    Repeated,
    Capped,
}

/// A whole reply.
#[derive(Debug, Clone, PartialEq)]
pub struct Read {
    /// Without white space around it.
    pub text: String,
    /// Names and arguments, in order.
    pub calls: Vec<(String, Value)>,
    pub fenced: bool,
    pub broken: bool,
    pub reasoning_stripped: bool,
    /// Text had been handed on, and was reasoning as its end showed; `text` is without it.
    pub reasoning_shown: bool,
    pub enough: Option<Enough>,
    /// What is known of the model now.
    pub reasoning: Reasoning,
}

impl Reader {
    pub fn new(options: Options) -> Self {
        let rest = Rest {
            calls: CallFilter::new(options.tools.clone()),
            holding: options.reasoning != Reasoning::Marked,
            options,
            circles: Circles::default(),
            blank: String::new(),
            text: String::new(),
            handed: 0,
            restarted: false,
            shown: false,
            enough: None,
        };
        Self { strip: Strip::default(), rest }
    }

    /// Reads `piece` and returns what can be handed on now.
    pub fn push(&mut self, piece: &str) -> &str {
        let Self { strip, rest } = self;
        strip.push(piece, &mut |part| rest.part(part));
        // A model that marks its reasoning from the beginning needs no patience.
        if self.strip.marked && self.rest.options.reasoning == Reasoning::Unknown {
            self.rest.holding = false;
        }
        self.rest.ready()
    }

    /// The server sends reasoning apart from the text.
    pub fn reasoning_apart(&mut self) {
        self.strip.marked = true;
        self.strip.stripped = true;
    }

    /// Whether there is no use in reading on.
    pub fn enough(&self) -> Option<Enough> {
        self.rest.enough
    }

    /// Reads what was still undecided; the second value is what is to be handed on.
    ///
    /// `whole`: the model came to an end by itself.
    pub fn finish(mut self, whole: bool) -> (Read, String) {
        let Self { strip, rest } = &mut self;
        strip.finish(&mut |part| rest.part(part));
        rest.flush();
        let known = match rest.options.reasoning {
            _ if rest.restarted => Reasoning::Implicit,
            Reasoning::Unknown if strip.marked || (whole && !rest.text.is_empty()) => Reasoning::Marked,
            known => known,
        };
        // Cut off while it may still have been reasoning.
        if rest.holding && !whole && !strip.marked {
            strip.stripped |= !rest.text.is_empty();
            rest.text.clear();
            rest.calls.calls.clear();
        }
        rest.holding = false;
        let last = rest.ready().to_owned();
        let rest = self.rest;
        let read = Read {
            text: rest.text,
            calls: rest.calls.calls,
            fenced: rest.calls.fenced,
            broken: rest.calls.broken,
            reasoning_stripped: self.strip.stripped,
            reasoning_shown: rest.shown,
            enough: rest.enough,
            reasoning: known,
        };
        (read, last)
    }
}

impl Rest {
    fn part(&mut self, part: Part<'_>) {
        match part {
            Part::Text(text) if self.options.data => self.add(text),
            Part::Text(text) => {
                let mut out = String::new();
                self.calls.push(text, &mut out);
                self.add(&out);
            }
            Part::Call { name, arguments } => self.calls.add(name, Value::String(arguments)),
            Part::Restart => {
                self.shown |= self.handed > 0;
                self.restarted = true;
                self.holding = false;
                self.calls = self.calls.again();
                self.circles = Circles::default();
                self.blank.clear();
                self.text.clear();
                self.handed = 0;
                self.enough = None;
            }
        }
    }

    fn flush(&mut self) {
        let mut out = String::new();
        self.calls.finish(&mut out);
        self.add(&out);
    }

    fn add(&mut self, text: &str) {
        if self.enough.is_some() {
            return;
        }
        let before = self.text.len();
        let trimmed = text.trim_end();
        if !trimmed.is_empty() {
            if before == 0 {
                self.blank.clear();
                self.text.push_str(trimmed.trim_start());
            } else {
                self.text.push_str(&std::mem::take(&mut self.blank));
                self.text.push_str(trimmed);
            }
        }
        if self.blank.len() < LONGEST_TEXT {
            self.blank.push_str(&text[trimmed.len()..]);
        }
        let mut limit = LONGEST_TEXT;
        if let Some(end) = self.circles.read(&self.text[before..]) {
            self.enough = Some(Enough::Repeated);
            limit = limit.min(before + end);
        }
        if self.text.len() > LONGEST_TEXT {
            self.enough.get_or_insert(Enough::Capped);
        }
        while !self.text.is_char_boundary(limit.min(self.text.len())) {
            limit -= 1;
        }
        self.text.truncate(limit);
    }

    fn ready(&mut self) -> &str {
        if self.holding {
            return "";
        }
        let from = self.handed;
        self.handed = self.text.len();
        &self.text[from..]
    }
}
