//! What may begin a call of a tool in the text of a reply.

use super::reasoning::begins;

/// Letters of a reply that can be the beginning of a call.
#[derive(Debug, PartialEq, Eq)]
pub enum Opening {
    /// Ordinary text.
    No,
    /// Only more letters can tell.
    Maybe,
    Yes(Body),
}

/// Where a call's contents are, and how they end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Body {
    /// Bytes from the beginning of the candidate to the body.
    pub start: usize,
    /// The tool, where it is named before the body.
    pub name: Option<String>,
    pub kind: Kind,
    /// How many backticks of a code fence stand before it.
    pub fence: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A balanced object or array; tags, fences and brackets behind it belong to it.
    Json,
    /// Balanced round brackets: `name(mood="calm")`.
    Arguments,
    /// Whatever stands between two tags.
    Tagged(&'static str),
}

/// Tags that only calls are written in, with those that close them.
const TAGS: &[(&str, &str)] = &[
    ("<tool_call>", "</tool_call>"),
    ("<tool_calls>", "</tool_calls>"),
    ("<toolcall>", "</toolcall>"),
    ("<tool>", "</tool>"),
    ("<tools>", "</tools>"),
    ("<function_call>", "</function_call>"),
    ("<function_calls>", "</function_calls>"),
    ("<functioncall>", "</functioncall>"),
    ("<|tool_call|>", "<|/tool_call|>"),
    ("<|tool_call>", "<tool_call|>"),
    ("<|tool_call_start|>", "<|tool_call_end|>"),
    ("<|tool_calls_section_begin|>", "<|tool_calls_section_end|>"),
    ("<|plugin|>", "<|action_end|>"),
    ("<|action_start|>", "<|action_end|>"),
    ("<|python_tag|>", "<|eom_id|>"),
    ("<｜tool▁calls▁begin｜>", "<｜tool▁calls▁end｜>"),
    ("<｜tool▁call▁begin｜>", "<｜tool▁call▁end｜>"),
    ("<function=", "</function>"),
    ("<invoke name=", "</invoke>"),
];

const BRACKET_TAG: &str = "[TOOL_CALLS]";
const NAMESPACES: &[&str] = &["functions.", "tools.", "default_api."];
/// What closes a call without being part of its JSON.
pub const CLOSERS: &[&str] = &[
    "</tool_call>",
    "</tool_calls>",
    "</toolcall>",
    "</tool>",
    "</tools>",
    "</function_call>",
    "</function_calls>",
    "</functioncall>",
    "</function>",
    "<|/tool_call|>",
    "<tool_call|>",
    "<|tool_call_end|>",
    "<|tool_calls_section_end|>",
    "<|action_end|>",
    "<|eom_id|>",
    "[/TOOL_CALLS]",
];

const LONGEST_KEY: usize = 64;
const LONGEST_SPACE: usize = 32;

/// `at_end`: nothing more will come. `boundary`: no letter stands right before `rest`.
pub fn opening(rest: &str, tools: &[String], boundary: bool, at_end: bool) -> Opening {
    let found = match rest.as_bytes().first() {
        Some(b'`') => fence(rest, tools),
        Some(_) => unfenced(rest, tools, boundary),
        None => Opening::Maybe,
    };
    if at_end && found == Opening::Maybe { Opening::No } else { found }
}

/// Whether a candidate may begin with this letter at all.
pub fn may_begin(letter: char, tools: &[String], boundary: bool) -> bool {
    let mut names = NAMESPACES.iter().copied().chain(tools.iter().map(String::as_str));
    matches!(letter, '{' | '[' | '<' | '`') || (boundary && names.any(|name| name.starts_with(letter)))
}

fn unfenced(rest: &str, tools: &[String], boundary: bool) -> Opening {
    match rest.as_bytes()[0] {
        b'{' => object(rest),
        b'[' => bracket(rest, tools),
        b'<' => tag(rest),
        _ if boundary => named(rest, tools),
        _ => Opening::No,
    }
}

fn yes(start: usize, kind: Kind) -> Opening {
    Opening::Yes(Body { start, name: None, kind, fence: 0 })
}

/// An object whose first key can be seen; a brace in a sentence has none.
fn object(rest: &str) -> Opening {
    let inner = rest[1..].trim_start();
    let Some(first) = inner.chars().next() else {
        return if rest.len() > LONGEST_SPACE { Opening::No } else { Opening::Maybe };
    };
    let behind = match first {
        '"' | '\'' => {
            let Some(end) = inner[1..].find(first) else {
                let long = inner.len() > LONGEST_KEY || inner.contains('\n');
                return if long { Opening::No } else { Opening::Maybe };
            };
            if end > LONGEST_KEY {
                return Opening::No;
            }
            &inner[end + 2..]
        }
        letter if letter.is_ascii_alphabetic() || letter == '_' => {
            let end = inner.find(|letter: char| !(letter.is_ascii_alphanumeric() || letter == '_'));
            match end {
                Some(end) if end <= LONGEST_KEY => &inner[end..],
                None if inner.len() <= LONGEST_KEY => return Opening::Maybe,
                _ => return Opening::No,
            }
        }
        _ => return Opening::No,
    };
    match behind.trim_start().chars().next() {
        Some(':') => yes(0, Kind::Json),
        None if behind.len() <= LONGEST_SPACE => Opening::Maybe,
        _ => Opening::No,
    }
}

fn bracket(rest: &str, tools: &[String]) -> Opening {
    match begins(rest, BRACKET_TAG) {
        Some(true) => return behind_bracket_tag(rest),
        Some(false) => return Opening::Maybe,
        None => {}
    }
    let inner = rest[1..].trim_start();
    let skipped = rest.len() - inner.len();
    match inner.chars().next() {
        None if skipped <= LONGEST_SPACE => Opening::Maybe,
        Some('{') => match object(inner) {
            Opening::Yes(_) => yes(0, Kind::Json),
            other => other,
        },
        // `[end_session(mood="calm")]`: the bracket before it is closed behind it.
        Some(letter) if may_begin(letter, tools, true) && letter.is_alphabetic() => {
            within(named(inner, tools), skipped)
        }
        _ => Opening::No,
    }
}

/// `[TOOL_CALLS][{…}]`, or `[TOOL_CALLS]name[ARGS]{…}` of newer models.
fn behind_bracket_tag(rest: &str) -> Opening {
    let inner = rest[BRACKET_TAG.len()..].trim_start();
    let start = rest.len() - inner.len();
    match inner.find(['{', '[']) {
        Some(0) => yes(start, Kind::Json),
        None if inner.len() <= LONGEST_KEY => Opening::Maybe,
        Some(end) if end <= LONGEST_KEY => {
            let Some(brace) = inner.find('{') else {
                return if inner.len() <= 3 * LONGEST_KEY { Opening::Maybe } else { Opening::No };
            };
            let name = inner[..end].trim().to_owned();
            Opening::Yes(Body { start: start + brace, name: Some(name), kind: Kind::Json, fence: 0 })
        }
        _ => Opening::No,
    }
}

fn tag(rest: &str) -> Opening {
    let mut open = false;
    for (tag, closer) in TAGS {
        match begins(rest, tag) {
            Some(true) if tag.ends_with('=') => return yes(0, Kind::Tagged(closer)),
            Some(true) => return behind_tag(rest, tag.len(), closer),
            Some(false) => open = true,
            None => {}
        }
    }
    if open { Opening::Maybe } else { Opening::No }
}

fn behind_tag(rest: &str, tag: usize, closer: &'static str) -> Opening {
    let mut inner = rest[tag..].trim_start();
    if inner.len() < "```json".len() && "```json".starts_with(inner) {
        return if rest.len() > tag + LONGEST_SPACE { yes(tag, Kind::Tagged(closer)) } else { Opening::Maybe };
    }
    inner = inner.trim_start_matches('`').trim_start_matches("json").trim_start();
    match inner.chars().next() {
        None if rest.len() <= tag + LONGEST_SPACE => Opening::Maybe,
        Some('{' | '[') => {
            let start = rest.len() - inner.len();
            Opening::Yes(Body { start, name: None, kind: Kind::Json, fence: rest[tag..start].matches('`').count() })
        }
        _ => yes(tag, Kind::Tagged(closer)),
    }
}

/// A tool's name with its arguments right behind it.
fn named(rest: &str, tools: &[String]) -> Opening {
    let mut open = false;
    let mut name = None;
    for space in NAMESPACES {
        match begins(rest, space) {
            Some(true) => {
                let word = identifier(&rest[space.len()..]);
                name = Some((space.len(), word)).filter(|(_, word)| !word.is_empty());
                open |= rest.len() == space.len();
            }
            Some(false) => open = true,
            None => {}
        }
    }
    for tool in tools {
        let longer = name.is_none_or(|(_, word): (usize, &str)| word.len() < tool.len());
        match begins(rest, tool) {
            Some(true) if longer && identifier(rest) == tool => name = Some((0, &rest[..tool.len()])),
            Some(true) if rest.len() == tool.len() => open = true,
            Some(false) => open = true,
            _ => {}
        }
    }
    let Some((skipped, word)) = name else { return if open { Opening::Maybe } else { Opening::No } };
    if word.len() > LONGEST_KEY {
        return Opening::No;
    }
    let after = skipped + word.len();
    let behind = &rest[after..];
    let colon = behind.trim_start_matches(|letter: char| letter == ':' || letter.is_ascii_digit());
    let inner = colon.trim_start();
    let start = rest.len() - inner.len();
    let kind = match inner.chars().next() {
        None if behind.len() <= LONGEST_SPACE => return Opening::Maybe,
        Some('(') if inner.len() == behind.len() => Kind::Arguments,
        Some('{') => Kind::Json,
        _ => return Opening::No,
    };
    Opening::Yes(Body { start, name: Some(word.to_owned()), kind, fence: 0 })
}

fn identifier(text: &str) -> &str {
    let end = text.find(|letter: char| !(letter.is_ascii_alphanumeric() || letter == '_'));
    &text[..end.unwrap_or(text.len())]
}

/// One to three backticks, perhaps a language, then something that opens a call.
fn fence(rest: &str, tools: &[String]) -> Opening {
    let behind = rest.trim_start_matches('`');
    let ticks = rest.len() - behind.len();
    if ticks > 3 {
        return Opening::No;
    }
    if behind.is_empty() {
        return Opening::Maybe;
    }
    let language = behind.find(|letter: char| !(letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-' | '+')));
    let line = match language {
        _ if ticks < 3 => behind,
        Some(end) if end <= 16 && behind[end..].starts_with(char::is_whitespace) => &behind[end..],
        Some(0) => behind,
        None if behind.len() <= 16 => return Opening::Maybe,
        // `functions.name({…})` on the line of the fence.
        _ => return Opening::No,
    };
    let inner = line.trim_start();
    if inner.is_empty() {
        return if line.len() > LONGEST_SPACE { Opening::No } else { Opening::Maybe };
    }
    if inner.starts_with('`') {
        return Opening::No;
    }
    match within(unfenced(inner, tools, true), rest.len() - inner.len()) {
        Opening::Yes(body) => Opening::Yes(Body { fence: ticks, ..body }),
        other => other,
    }
}

fn within(found: Opening, skipped: usize) -> Opening {
    match found {
        Opening::Yes(body) => Opening::Yes(Body { start: body.start + skipped, ..body }),
        other => other,
    }
}
