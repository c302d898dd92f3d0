//! What the user puts right: a value that Calm took from the words, the score of a reply (SPEC D3, H10).

use calm_core::context::CheckinFacts;
use calm_core::end_session::Attributes;
use calm_core::{Deltas, EndSession, Kind};
use calm_store::{Corrected, Session, SessionId, StoreError};
use serde_json::{Map, Value, json};

use crate::conductor::Conductor;
use crate::error::AppError;
use crate::running::Running;

/// Longest text and the most words for what weighs on somebody.
const LONGEST: usize = 500;
const MOST_STRESSORS: usize = 20;

#[derive(Debug, thiserror::Error)]
pub enum CorrectionError {
    #[error("there is no value of that name")]
    Name,
    #[error("{name} must be {expected}, or empty where it was not said")]
    Value { name: &'static str, expected: &'static str },
}

/// What a value may be.
enum Form {
    Level,
    OneOf(&'static str),
    Text,
    Words,
    Feeling,
}

/// By the names of `end_session` (SPEC T2).
const FORMS: [(&str, Form); 14] = [
    ("stress_level", Form::Level),
    ("energy_level", Form::Level),
    ("trading_readiness", Form::Level),
    ("regret_level", Form::Level),
    ("satisfaction", Form::Level),
    ("primary_emotion", Form::Feeling),
    ("sleep_quality", Form::OneOf("poor, fair, good or excellent")),
    ("risk_appetite", Form::OneOf("low, medium or high")),
    ("session_result", Form::OneOf("win, loss or breakeven")),
    ("result_category", Form::OneOf("small, medium or large")),
    ("plan_adherence", Form::OneOf("followed, partially, deviated or no_plan")),
    ("planned_approach", Form::Text),
    ("key_learnings", Form::Text),
    ("external_stressors", Form::Words),
];

/// The attributes with one value put right; empty means that it was not said.
///
/// # Errors
/// There is no such value, or it cannot be that.
pub fn corrected(attributes: &Attributes, name: &str, value: &str) -> Result<Attributes, CorrectionError> {
    let (name, form) = FORMS.iter().find(|(known, _)| *known == name).ok_or(CorrectionError::Name)?;
    let value = value.trim();
    let wrong = |expected| CorrectionError::Value { name, expected };
    let text = |text: &str| {
        let fits = text.chars().count() <= LONGEST && !text.chars().any(|c| c.is_control() && c != '\n');
        fits.then(|| json!(text)).ok_or(wrong("a text of at most 500 characters"))
    };
    let new = match form {
        _ if value.is_empty() => Value::Null,
        Form::Level => {
            let level = value.parse::<u8>().ok().filter(|level| (1..=10).contains(level));
            json!(level.ok_or(wrong("a number from 1 to 10"))?)
        }
        Form::OneOf(_) | Form::Text => text(value)?,
        Form::Feeling => {
            let known = calm_core::understand::Feeling::ALL.iter().any(|feeling| feeling.name() == value);
            json!(known.then_some(value).ok_or(wrong("one of the feelings that Calm knows"))?)
        }
        Form::Words => {
            let words: Vec<&str> = value.split([',', '\n']).map(str::trim).filter(|word| !word.is_empty()).collect();
            if words.len() > MOST_STRESSORS {
                return Err(wrong("at most 20 words or phrases with commas between"));
            }
            words.iter().try_for_each(|word| text(word).map(drop))?;
            json!(words)
        }
    };
    let mut fields = match json!(attributes) {
        Value::Object(fields) => fields,
        _ => Map::new(),
    };
    if matches!(form, Form::Feeling) {
        // Nobody knows it better.
        fields.insert("confidence".to_owned(), if new.is_null() { Value::Null } else { json!(1.0) });
    }
    fields.insert((*name).to_owned(), new);
    serde_json::from_value(Value::Object(fields)).map_err(|_| match form {
        Form::OneOf(choices) => wrong(choices),
        _ => wrong("another value"),
    })
}

impl Conductor {
    /// Puts one value of a session right. What is computed from it follows, in the check-out that was matched with a
    /// check-in too; the words that were said stay as they are.
    ///
    /// # Errors
    /// The session has not ended, there is no such value, or it cannot be that.
    pub fn correct_value(&mut self, session: SessionId, name: &str, value: &str) -> Result<(), AppError> {
        let (session, mut ending) = self.ended(session)?;
        ending.extracted_attributes = corrected(&ending.extracted_attributes, name, value)?;
        let store = self.store();
        match session.begun.kind {
            Kind::CheckOut => {
                let checkin = match session.begun.matched_checkin {
                    Some(id) => Some(self.ended(id)?.1),
                    None => None,
                };
                let deltas = checkin.map_or_else(Deltas::default, |checkin| between(&checkin, &ending));
                let corrected = [Corrected { id: session.id, arguments: &ending, deltas: &deltas }];
                Ok(self.store().correct_sessions(&corrected)?)
            }
            Kind::CheckIn => {
                let after = match store.checkout_of(session.id)? {
                    // One that is still open computes its own when it ends.
                    Some(id) => self.ended(id).ok(),
                    None => None,
                };
                let own = Deltas::default();
                let mut corrected = vec![Corrected { id: session.id, arguments: &ending, deltas: &own }];
                let deltas = after.as_ref().map(|(_, checkout)| between(&ending, checkout)).unwrap_or_default();
                if let Some((checkout, arguments)) = &after {
                    corrected.push(Corrected { id: checkout.id, arguments, deltas: &deltas });
                }
                Ok(self.store().correct_sessions(&corrected)?)
            }
        }
    }

    /// What the user says of a reply: to the point, or not. It takes the place of the judge's score, so that memory and
    /// the figures of the prompts go by it. In a crisis nothing is scored (SPEC H5).
    ///
    /// # Errors
    /// There is no such reply in the session.
    pub fn rate_reply(&mut self, session: SessionId, reply: &str, good: bool) -> Result<(), AppError> {
        let missing = || AppError::Store(StoreError::NotFound("reply"));
        let record = self.store().session(session)?.ok_or_else(missing)?;
        let turn = record.turns.iter().rfind(|turn| turn.record.reply_text == reply).ok_or_else(missing)?;
        if self.running() == Some(session) && self.running.as_ref().is_some_and(Running::in_crisis) {
            return Ok(());
        }
        Ok(self.store().rate_turn(session, turn.seq, if good { 5 } else { 1 })?)
    }

    fn ended(&mut self, id: SessionId) -> Result<(Session, EndSession), AppError> {
        let missing = || AppError::Store(StoreError::NotFound("session that has ended"));
        let session = self.store().session(id)?.ok_or_else(missing)?.session;
        let ending = session.ended.as_ref().ok_or_else(missing)?.arguments.clone();
        Ok((session, ending))
    }
}

fn between(checkin: &EndSession, checkout: &EndSession) -> Deltas {
    let said = &checkin.extracted_attributes;
    let facts = CheckinFacts {
        trading_readiness: said.trading_readiness,
        planned_approach: said.planned_approach.clone(),
        stress_level: said.stress_level,
        energy_level: said.energy_level,
    };
    Deltas::between(&facts, &checkout.extracted_attributes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("trading_readiness", "7", json!(7))]
    #[case("trading_readiness", "", json!(null))]
    #[case("session_result", "breakeven", json!("breakeven"))]
    #[case("planned_approach", " две сделки ", json!("две сделки"))]
    #[case("external_stressors", "ремонт, соседи,", json!(["ремонт", "соседи"]))]
    #[case("primary_emotion", "anxiety", json!("anxiety"))]
    fn a_value_is_put_right(#[case] name: &str, #[case] value: &str, #[case] expected: Value) {
        let said = Attributes { trading_readiness: Some(3), ..Attributes::default() };
        let after = json!(corrected(&said, name, value).expect("a value"));
        assert_eq!(after[name], expected);
    }

    #[rstest]
    #[case("trading_readiness", "11")]
    #[case("trading_readiness", "семь")]
    #[case("session_result", "maybe")]
    #[case("primary_emotion", "purple")]
    #[case("session_summary", "x")]
    fn what_cannot_be_is_refused_without_being_repeated(#[case] name: &str, #[case] value: &str) {
        let refusal = corrected(&Attributes::default(), name, value).expect_err("no value").to_string();
        assert!(!refusal.contains(&format!("{value:?}")) && !refusal.contains("семь"), "{refusal}");
    }

    #[test]
    fn every_value_of_a_session_can_be_put_right() {
        let Value::Object(fields) = json!(Attributes::default()) else { panic!("attributes are fields") };
        let without = fields.keys().filter(|name| *name != "confidence");
        for name in without {
            assert!(FORMS.iter().any(|(known, _)| known == name), "{name}");
        }
    }
}
