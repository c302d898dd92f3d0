//! Tools called by their name outside `tools.md`: the model knows them from their schemas, the prompt says what
//! is wanted by sense ("предложи практику").

use std::sync::LazyLock;

use serde::Deserialize;

use crate::both::both;

use super::context::{self, Governor, governor};
use super::finding::{Finding, Rule};
use super::grammar::{Grammar, Words};
use super::source::Page;
use crate::stems::Lang;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NamesFile {
    /// Names of ours that nothing else has.
    #[serde(default)]
    tools: Vec<String>,
    /// Names of ours that are words of the language too.
    #[serde(default)]
    words: Vec<String>,
    /// Fields and values, never tools; in a file of one language only.
    #[serde(default)]
    fields: Vec<String>,
    /// Words that make a tool of the name beside them.
    calls: Vec<String>,
    nouns: Vec<String>,
    /// What a name begins with that orders something ("create_order").
    #[serde(default)]
    verbs: Vec<String>,
    /// Words that make a field or a file of the name beside them.
    things: Vec<String>,
}

struct Names {
    tools: Words,
    words: Words,
    fields: Words,
    calls: Words,
    nouns: Words,
    verbs: Words,
    things: Words,
}

static NAMES: LazyLock<Names> = LazyLock::new(|| {
    let files =
        [include_str!("../../lint/ru/tool_name_mention.toml"), include_str!("../../lint/en/tool_name_mention.toml")];
    // Part of the program, and a test reads it.
    let files = files.map(|source| toml::from_str::<NamesFile>(source).expect("the embedded names are valid"));
    let all =
        |pick: fn(&NamesFile) -> &Vec<String>| Words::of(&files.iter().flat_map(pick).cloned().collect::<Vec<_>>());
    Names {
        tools: all(|file| &file.tools),
        words: all(|file| &file.words),
        fields: all(|file| &file.fields),
        calls: all(|file| &file.calls),
        nouns: all(|file| &file.nouns),
        verbs: all(|file| &file.verbs),
        things: all(|file| &file.things),
    }
});

pub fn findings(page: &Page<'_>) -> Vec<Finding> {
    let tokens = &page.tokens;
    (0..tokens.list.len())
        .filter(|at| is_tool(page, *at) && is_mentioned(page, *at))
        .map(|at| {
            let name = tokens.norm(at);
            let message = both!("назван инструмент {name}", "names the tool {name}");
            let hint = both!(
                "скажи по смыслу, что нужно («предложи практику»); именам место в tools.md",
                "say what is wanted by sense (“offer a practice”); names belong in tools.md"
            );
            page.source.finding(Rule::ToolNameMention, tokens.bytes(&(at..at + 1)), message, hint)
        })
        .collect()
}

fn is_tool(page: &Page<'_>, at: usize) -> bool {
    let names = &*NAMES;
    let tokens = &page.tokens;
    let Some(token) = tokens.list.get(at) else { return false };
    let norm = token.norm.as_str();
    if names.tools.has(norm) {
        return true;
    }
    let word = names.words.has(norm);
    if !word && (!is_identifier(norm) || names.fields.has(norm)) {
        return false;
    }
    let rest = page.source.text.get(token.end..).unwrap_or("");
    let near = |i: usize| tokens.same_sentence(at, i);
    let noun = |i: usize| near(i) && names.nouns.has(tokens.norm(i));
    let beside = noun(at + 1) || at.checked_sub(1).is_some_and(noun);
    let reach = if word { 1 } else { 3 };
    let called = (at.saturating_sub(reach)..at).any(|i| near(i) && names.calls.has(tokens.norm(i)));
    let called =
        called || page.lang == Lang::Ru && (at + 1..at + 3).any(|i| near(i) && names.calls.has(tokens.norm(i)));
    let foreign = word && page.lang == Lang::Ru;
    let alone = word && fills_quote(page, at);
    let thing = (at.saturating_sub(2)..at + 4).any(|i| i != at && near(i) && names.things.has(tokens.norm(i)));
    let order = norm.split('_').next().is_some_and(|first| names.verbs.has(first)) && !thing;
    rest.starts_with('(') || beside || called || foreign || alone || order && !word && !is_part_of_a_path(page, at)
}

/// `save_user_info`: lower case, joined by underscores.
fn is_identifier(norm: &str) -> bool {
    norm.contains('_') && norm.is_ascii() && norm.starts_with(|c: char| c.is_ascii_lowercase())
}

/// "{{include scenarios/x_y.md}}", "send_log.csv", "a@send_mail": a name of something else.
fn is_part_of_a_path(page: &Page<'_>, at: usize) -> bool {
    let Some(token) = page.tokens.list.get(at) else { return false };
    let text = page.source.text;
    let before = text.get(..token.start).and_then(|t| t.chars().next_back());
    let mut after = text.get(token.end..).unwrap_or("").chars();
    let joined = matches!(after.next(), Some('.' | '/' | '@' | '=')) && after.next().is_some_and(char::is_alphanumeric);
    matches!(before, Some('@' | '#' | '/' | '.' | '$')) || joined
}

fn fills_quote(page: &Page<'_>, at: usize) -> bool {
    let tokens = &page.tokens;
    let quote = |i: usize| tokens.list.get(i).and_then(|t| t.quote);
    let own = quote(at);
    own.is_some() && at.checked_sub(1).and_then(quote) != own && quote(at + 1) != own
}

/// Not in a prohibition, and not in a longer quotation: the marks around a name alone are only its dress.
fn is_mentioned(page: &Page<'_>, at: usize) -> bool {
    let tokens = &page.tokens;
    let code = tokens
        .list
        .get(at)
        .and_then(|t| t.quote)
        .and_then(|quote| tokens.quotes.get(usize::try_from(quote).ok()?).map(|quote| quote.mark == '`'));
    if code == Some(false) && !fills_quote(page, at) {
        return false;
    }
    let governed = governor(Grammar::shared(), tokens, at..at + 1, false) == Governor::Forbidden;
    !governed && !context::frame_at(page, at).forbids() && !Grammar::shared().is_forbidden_after(tokens, at + 1)
}
