//! The localized pieces of the envelope: `words.toml`.

use std::collections::BTreeMap;

use serde::Deserialize;

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Words {
    pub language_name: String,
    pub agent: String,
    /// Monday first.
    pub weekdays: [String; 7],
    /// As they stand after a day's number.
    pub months: [String; 12],
    pub time: String,
    pub adapt: String,
    pub stay: String,
    pub location: String,
    pub facts_heading: String,
    pub profile_heading: String,
    pub profile_line: String,
    pub task: String,
    pub executed_heading: String,
    pub executed_line: String,
    pub trigger_instruction: String,
    pub knowledge_instructions: String,
    pub knowledge_heading: String,
    pub knowledge_source: String,
    pub question: String,
    pub answer: String,
    pub calendar_heading: String,
    pub calendar_line: String,
    pub opened_from: BTreeMap<String, String>,
}

/// Puts `values` into the `{names}` of a pattern, once: what a value holds is not looked at again.
pub(super) fn fill(pattern: &str, values: &[(&str, &str)]) -> String {
    let mut filled = String::with_capacity(pattern.len() + 32);
    let mut rest = pattern;
    while let Some((before, after)) = rest.split_once('{') {
        filled.push_str(before);
        let found = after
            .split_once('}')
            .and_then(|(name, rest)| Some((values.iter().find(|(known, _)| *known == name)?.1, rest)));
        match found {
            Some((value, after)) => {
                filled.push_str(value);
                rest = after;
            }
            None => {
                filled.push('{');
                rest = after;
            }
        }
    }
    filled + rest
}
