//! What leaks through as text and is no language: JSON, calls, tags, labels, roles.
//!
//! A reply is plain words; whatever looks like the machinery around a model is not for the user.

use super::{GuardHit, Rule};

/// Pieces that no sentence for a person contains.
const PIECES: [&str; 16] = [
    "```",
    "{\"",
    "\":\"",
    "\": \"",
    "</",
    "<think",
    "<|",
    "|>",
    "{{",
    "}}",
    "<==",
    "[/inst",
    "[inst",
    "<tool",
    "<system",
    "<instructions",
];

const ROLES: [&str; 9] =
    ["assistant", "system", "user", "tool", "human", "calm", "ассистент", "пользователь", "система"];

/// At most one hit: the sentence is lost anyway.
pub fn hits(sentence: &str) -> Vec<GuardHit> {
    let lower = sentence.to_lowercase();
    let hit = piece(&lower).or_else(|| call(&lower)).or_else(|| label(sentence)).or_else(|| role_or_field(&lower));
    hit.map(|words| GuardHit { rule: Rule::Leak, words }).into_iter().collect()
}

fn piece(lower: &str) -> Option<String> {
    let found = PIECES.iter().find(|piece| lower.contains(**piece));
    found.map(|piece| (*piece).to_owned())
}

/// `name_of_a_tool(…)`, or any identifier in snake case.
fn call(lower: &str) -> Option<String> {
    let identifier = |word: &&str| {
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
        let parts: Vec<&str> = bare.split('_').collect();
        parts.len() > 1 && parts.iter().all(|p| p.len() > 1 && p.chars().all(|c| c.is_ascii_alphanumeric()))
    };
    lower.split(|c: char| c.is_whitespace() || matches!(c, '(' | ')' | ',' | '.')).find(identifier).map(str::to_owned)
}

/// "[УВЕР: HIGH]", "[STRESS: 7/10]".
fn label(sentence: &str) -> Option<String> {
    let start = sentence.find('[')?;
    let inside = sentence.get(start + 1..)?.split(']').next()?;
    let name = inside.split([':', '=']).next()?.trim();
    let loud = name.chars().count() > 1 && name.chars().all(|c| c.is_uppercase() || c == '_' || c == ' ');
    (loud && inside.len() > name.len()).then(|| format!("[{inside}]"))
}

/// "Assistant: …", "readiness: 4".
fn role_or_field(lower: &str) -> Option<String> {
    let trimmed = lower.trim_start_matches(|c: char| !c.is_alphanumeric());
    let (head, rest) = trimmed.split_once(':')?;
    let head = head.trim_matches(|c: char| !c.is_alphanumeric());
    let field = ["readiness", "stress", "mood", "confidence", "genre", "risk", "emotion", "energy"].contains(&head)
        && rest.trim_start().starts_with(|c: char| c.is_ascii_digit() || c == '"');
    (field || ROLES.contains(&head)).then(|| head.to_owned())
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::call("suggest_practice(type=\"breathing\")", true)]
    #[case::unknown_call("Now I call log_trade.", true)]
    #[case::label("[МООД: LOW] Тяжело.", true)]
    #[case::role("**Assistant:** I see.", true)]
    #[case::fence("```json", true)]
    #[case::emphasis("Это _очень_ тяжело.", false)]
    #[case::brackets("Ты сказал [вздох], что устал.", false)]
    #[case::colon("Итак: минус двести.", false)]
    fn leaks(#[case] sentence: &str, #[case] expected: bool) {
        assert_eq!(!hits(sentence).is_empty(), expected);
    }
}
