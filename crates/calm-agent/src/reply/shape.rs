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
/// Of a call, behind its name: `:0`.
const LONGEST_NUMBER: usize = 8;

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

/// What follows white space. Limits are the same for a reply that comes whole and for one that comes in pieces.
enum Behind<'a> {
    Text(char, &'a str),
    /// Nothing yet.
    Open,
    TooFar,
}

fn behind_space(text: &str) -> Behind<'_> {
    let inner = text.trim_start();
    match inner.chars().next() {
        _ if text.len() - inner.len() > LONGEST_SPACE => Behind::TooFar,
        Some(letter) => Behind::Text(letter, inner),
        None => Behind::Open,
    }
}

/// An object whose first key can be seen; a brace in a sentence has none.
fn object(rest: &str) -> Opening {
    let (first, inner) = match behind_space(&rest[1..]) {
        Behind::Text(first, inner) => (first, inner),
        Behind::Open => return Opening::Maybe,
        Behind::TooFar => return Opening::No,
    };
    let behind = match first {
        '"' | '\'' => match inner[1..].find([first, '\n']) {
            Some(end) if end <= LONGEST_KEY && inner[1 + end..].starts_with(first) => &inner[end + 2..],
            None if inner.len() <= LONGEST_KEY + 1 => return Opening::Maybe,
            _ => return Opening::No,
        },
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
    match behind_space(behind) {
        Behind::Text(':', _) => yes(0, Kind::Json),
        Behind::Open => Opening::Maybe,
        _ => Opening::No,
    }
}

fn bracket(rest: &str, tools: &[String]) -> Opening {
    match begins(rest, BRACKET_TAG) {
        Some(true) => return behind_bracket_tag(rest),
        Some(false) => return Opening::Maybe,
        None => {}
    }
    match behind_space(&rest[1..]) {
        Behind::Open => Opening::Maybe,
        Behind::Text('{', inner) => match object(inner) {
            Opening::Yes(_) => yes(0, Kind::Json),
            other => other,
        },
        // `[end_session(mood="calm")]`: the bracket before it is closed behind it.
        Behind::Text(letter, inner) if letter.is_alphabetic() && may_begin(letter, tools, true) => {
            within(named(inner, tools), rest.len() - inner.len())
        }
        _ => Opening::No,
    }
}

/// `[TOOL_CALLS][{…}]`, or `[TOOL_CALLS]name[ARGS]{…}` of newer models.
fn behind_bracket_tag(rest: &str) -> Opening {
    let inner = match behind_space(&rest[BRACKET_TAG.len()..]) {
        Behind::Text(_, inner) => inner,
        Behind::Open => return Opening::Maybe,
        Behind::TooFar => return Opening::No,
    };
    let start = rest.len() - inner.len();
    let named = |end: usize| match inner.find('{') {
        Some(brace) if brace <= 3 * LONGEST_KEY => {
            let name = Some(inner[..end].trim().to_owned());
            Opening::Yes(Body { start: start + brace, name, kind: Kind::Json, fence: 0 })
        }
        None if inner.len() <= 3 * LONGEST_KEY => Opening::Maybe,
        _ => Opening::No,
    };
    match inner.find(['{', '[']) {
        Some(0) => yes(start, Kind::Json),
        Some(end) if end <= LONGEST_KEY => named(end),
        None if inner.len() <= LONGEST_KEY => Opening::Maybe,
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
    let tagged = yes(tag, Kind::Tagged(closer));
    let inner = match behind_space(&rest[tag..]) {
        Behind::Text(_, inner) => inner,
        Behind::Open => return Opening::Maybe,
        Behind::TooFar => return tagged,
    };
    if begins(inner, "```json") == Some(false) {
        return Opening::Maybe;
    }
    let unfenced = ["```json", "```"].iter().find_map(|fence| inner.strip_prefix(fence));
    match behind_space(unfenced.unwrap_or(inner)) {
        Behind::Text('{' | '[', inner) => {
            let fence = if unfenced.is_some() { 3 } else { 0 };
            Opening::Yes(Body { start: rest.len() - inner.len(), name: None, kind: Kind::Json, fence })
        }
        Behind::Open => Opening::Maybe,
        _ => tagged,
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
    let (kind, inner) = match behind_space(colon) {
        _ if behind.len() - colon.len() > LONGEST_NUMBER => return Opening::No,
        Behind::Text('(', inner) if inner.len() == behind.len() => (Kind::Arguments, inner),
        Behind::Text('{', inner) => (Kind::Json, inner),
        Behind::Open => return Opening::Maybe,
        _ => return Opening::No,
    };
    let start = rest.len() - inner.len();
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
    let inner = match behind_space(line) {
        Behind::Open => return Opening::Maybe,
        Behind::Text('`', _) | Behind::TooFar => return Opening::No,
        Behind::Text(_, inner) => inner,
    };
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
