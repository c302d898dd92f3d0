//! The trigger block: the user's if–then plans, as a message of their own (SPEC E3).

use std::borrow::Cow;
use std::fmt::Write;

use super::Trigger;
use crate::template::one_line;

/// Stands before and after the block.
pub const MARKER: &str = "<==Trigger conditions==>";
/// In one prompt.
pub const MOST_TRIGGERS: usize = 50;
/// In characters.
pub const LONGEST_CONDITION: usize = 500;

pub(super) fn block(triggers: &[Trigger]) -> Option<String> {
    if triggers.is_empty() {
        return None;
    }
    let mut block = format!("{MARKER}\n");
    for Trigger { id, name, condition } in triggers.iter().take(MOST_TRIGGERS) {
        let name = without(&inside(name), &['[', ']']).into_owned();
        let condition = inside(condition);
        let condition = shortened(&condition);
        let id = inside(id);
        let id = without(&id, &['"']);
        // Writing into a string does not fail.
        writeln!(block, "[{name}] If {condition}, use tool run_trigger with triggerId=\"{id}\"").unwrap_or_default();
    }
    block.push_str(MARKER);
    Some(block)
}

/// On one line, and without the marker that would end the block.
fn inside(text: &str) -> Cow<'_, str> {
    let line = one_line(text);
    if line.contains("<==") || line.contains("==>") {
        return line.replace("<==", "‹==").replace("==>", "==›").into();
    }
    line
}

fn without<'a>(text: &'a str, signs: &[char]) -> Cow<'a, str> {
    if text.contains(signs) { text.replace(signs, "").into() } else { text.into() }
}

fn shortened(condition: &str) -> &str {
    let condition = condition.trim_end_matches(['.', ',', ';']);
    condition.char_indices().nth(LONGEST_CONDITION).and_then(|(at, _)| condition.get(..at)).unwrap_or(condition)
}
