//! Expectations against what happened, each failure as one line that says what was expected and what came.

use calm_core::EndSession;
use serde_json::{Value, json};

use super::scenario::{Expected, ExpectedReply};

/// How many expectations there were, and which failed.
#[derive(Debug, Default)]
pub struct Checks {
    pub made: usize,
    pub failed: Vec<String>,
}

impl Checks {
    pub fn check(&mut self, holds: bool, says: impl FnOnce() -> String) {
        self.made += 1;
        if !holds {
            self.failed.push(says());
        }
    }

    /// `turn` is 0 for the greeting.
    pub fn reply(&mut self, turn: usize, expected: &ExpectedReply, reply: &str, tool: Option<&str>) {
        let text = folded(reply);
        let has = |words: &String| text.contains(&folded(words));
        if !expected.any_of.is_empty() {
            let says = || format!("turn {turn}: none of {:?} in {reply:?}", expected.any_of);
            self.check(expected.any_of.iter().any(has), says);
        }
        for words in &expected.none_of {
            self.check(!has(words), || format!("turn {turn}: {words:?} in {reply:?}"));
        }
        if let Some(wanted) = &expected.tool {
            let called = tool.unwrap_or("none");
            self.check(called == wanted, || format!("turn {turn}: called {called}, expected {wanted}"));
        }
        if let Some(asks) = expected.asks {
            let did = reply.trim_end().ends_with('?');
            let words = if asks { "asks nothing" } else { "asks" };
            self.check(did == asks, || format!("turn {turn}: {words} in {reply:?}"));
        }
    }

    pub fn ending(&mut self, expected: &Expected, ending: &EndSession, by_agent: bool) {
        if let Some(wanted) = expected.ended {
            let says = || if wanted { "the agent did not end it" } else { "the agent ended it early" }.to_owned();
            self.check(by_agent == wanted, says);
        }
        let said = json!(ending.extracted_attributes);
        for (name, wanted) in &expected.attributes {
            let found = said.get(name).unwrap_or(&Value::Null);
            self.check(is_like(found, wanted), || format!("{name}: {found}, expected {wanted}"));
        }
        let flags = json!(ending.risk_flags);
        let raised = |flag: &String| flags.get(flag) == Some(&Value::Bool(true));
        for flag in &expected.flags {
            self.check(raised(flag), || format!("{flag} is not raised"));
        }
        for flag in &expected.no_flags {
            let says = || format!("{flag} is raised on {:?}", ending.risk_flags.evidence.get(flag));
            self.check(!raised(flag), says);
        }
        if let Some(wanted) = &expected.next_action {
            let found = json!(ending.recommended_next_action);
            self.check(found.as_str() == Some(wanted), || format!("next action {found}, expected {wanted}"));
        }
    }
}

/// A text is found inside a longer one; `"null"` is nothing at all.
fn is_like(found: &Value, wanted: &Value) -> bool {
    match (found, wanted) {
        (found, Value::String(null)) if null == "null" => found.is_null(),
        (Value::String(found), Value::String(wanted)) => folded(found).contains(&folded(wanted)),
        (Value::Number(found), Value::Number(wanted)) => found.as_f64() == wanted.as_f64(),
        (Value::Array(found), Value::Array(wanted)) => {
            wanted.iter().all(|wanted| found.iter().any(|found| is_like(found, wanted)))
        }
        _ => found == wanted,
    }
}

fn folded(text: &str) -> String {
    text.to_lowercase().replace('ё', "е").replace('’', "'")
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case(json!(7), json!(7), true)]
    #[case(json!(0.7), json!(0.7), true)]
    #[case(json!(7), json!(8), false)]
    #[case(json!("две сделки, стопы"), json!("Две сделки"), true)]
    #[case(json!(null), json!("null"), true)]
    #[case(json!("poor"), json!("null"), false)]
    #[case(json!(["дедлайн на работе"]), json!(["дедлайн"]), true)]
    #[case(json!(null), json!("win"), false)]
    fn alike(#[case] found: Value, #[case] wanted: Value, #[case] expected: bool) {
        assert_eq!(is_like(&found, &wanted), expected);
    }

    #[test]
    fn a_failure_says_what_was_expected() {
        let mut checks = Checks::default();
        let expected = ExpectedReply {
            none_of: vec!["ГОЛОС".into()],
            tool: Some("none".into()),
            asks: Some(false),
            ..ExpectedReply::default()
        };
        checks.reply(2, &expected, "Слышу в голосе. Так?", Some("end_session"));
        assert_eq!((checks.made, checks.failed.len()), (3, 3));
        assert_eq!(checks.failed[1], "turn 2: called end_session, expected none");
    }
}
