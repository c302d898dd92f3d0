//! Carrying out the calls of a reply: what they do, what the record keeps of it, and what is said.
//!
//! Whether a call may be made now is `turn`'s business. A call that fails is an answer like any other and never
//! loses the turn that it belongs to.

mod calendar;
mod fetching;
mod history;
mod people;
pub mod reminders;
mod times;

use calm_core::tools::{BadCalculation, Calculate};
use calm_core::{Lang, ToolCall};
use calm_prompts::{Practices, PromptSet};
use serde_json::{Value, json};

use crate::conductor::Conductor;
use crate::error::AppError;

/// A call that was carried out, or was not.
#[derive(Debug, Clone, PartialEq)]
pub struct Done {
    /// For the record, the event and the model: an object with `success`, and with `error` where that is false.
    pub result: Value,
    /// In the session's language. Where it went well: words for the slot of a move, without a full stop. Where it did
    /// not: whole sentences that take the place of the move.
    pub spoken: String,
    pub success: bool,
}

impl Done {
    fn well(mut result: Value, spoken: impl Into<String>) -> Done {
        if let Value::Object(fields) = &mut result {
            fields.insert("success".to_owned(), Value::Bool(true));
        }
        Done { result, spoken: spoken.into(), success: true }
    }

    /// `error` is for the model: in English, without anything that the user said.
    fn refused(error: &str, spoken: impl Into<String>) -> Done {
        Done { result: json!({"success": false, "error": error}), spoken: spoken.into(), success: false }
    }
}

/// The catalogue that comes with the program, for whoever has no data folder yet.
///
/// # Errors
/// The shipped prompt set is damaged.
pub fn shipped_practices(lang: Lang) -> Result<Practices, AppError> {
    Ok(PromptSet::shipped().practices(lang.code())?)
}

impl Conductor {
    /// Carries out one call. A failure is a result with `success: false` and something kind to say.
    pub fn carry_out(&mut self, call: &ToolCall) -> Done {
        let done = match call {
            // The reply that they travel with is their carrying out.
            ToolCall::SuggestPractice(_) | ToolCall::EndSession(_) => Ok(Done::well(json!({}), "")),
            ToolCall::GetUserHistory(asked) => self.user_history(asked),
            ToolCall::SetReminder(asked) => self.set_reminder(asked),
            ToolCall::GetMarketContext(asked) => self.market_context(asked),
            ToolCall::EscalateToHuman(_) => self.people_to_turn_to(),
            ToolCall::RunTrigger(asked) => self.run_trigger(&asked.trigger_id),
            ToolCall::Calculate(asked) => Ok(calculate(asked, self.language())),
        };
        done.unwrap_or_else(|error| {
            tracing::warn!(code = error.code(), tool = call.name(), "a tool failed; the turn goes on");
            let spoken = match self.language() {
                Lang::Ru => "Сейчас это не получилось. Разговору это не мешает.",
                Lang::En => "That didn't work just now. We can carry on all the same.",
            };
            Done::refused(error.code(), spoken)
        })
    }

    fn run_trigger(&mut self, id: &str) -> Result<Done, AppError> {
        let language = self.language();
        match self.run_plan(id) {
            Ok(result) => {
                let actions = result["actions"].as_array().into_iter().flatten();
                let outcomes: Vec<&str> = actions.filter_map(|action| action["outcome"].as_str()).collect();
                let spoken = outcomes.join("; ");
                Ok(Done::well(result, spoken))
            }
            Err(AppError::Plan(problem)) => Ok(Done::refused(
                &problem.to_string(),
                match language {
                    Lang::Ru => "Этот план сейчас не запустить: его нет или он выключен.",
                    Lang::En => "That plan can't run now: it isn't there, or it's switched off.",
                },
            )),
            Err(error) => Err(error),
        }
    }

    /// The catalogue, in the session's language.
    pub fn practices(&self) -> Result<Practices, AppError> {
        Ok(self.prompts_now().practices(self.language().code())?)
    }

    /// The prompts of the session that runs, else those in use.
    pub(crate) fn prompts_now(&self) -> &PromptSet {
        self.running.as_ref().map_or(&self.prompts, |running| &running.prompts)
    }
}

fn calculate(asked: &Calculate, lang: Lang) -> Done {
    match asked.carry_out(lang) {
        Ok(answer) => {
            let result = json!({"value": answer.value, "formula": answer.formula});
            Done::well(result, answer.formula)
        }
        Err(problem) => Done::refused(&problem.to_string(), no_sum(problem, lang)),
    }
}

fn no_sum(problem: BadCalculation, lang: Lang) -> &'static str {
    match (problem, lang) {
        (BadCalculation::DivisionByZero, Lang::Ru) => "На ноль делить не выйдет. Назови числа ещё раз.",
        (BadCalculation::DivisionByZero, Lang::En) => "That would divide by zero. Tell me the numbers once more.",
        (BadCalculation::Negative, Lang::Ru) => "Риск, депозит и лимит считаю без минуса. Назови числа ещё раз.",
        (BadCalculation::Negative, Lang::En) => "Risk, deposit and limit go without a minus. Tell me them once more.",
        (BadCalculation::TooLarge, Lang::Ru) => "Такие большие числа я не считаю. Проверь, пожалуйста, нули.",
        (BadCalculation::TooLarge, Lang::En) => "Those numbers are too large for me. Have a look at the zeros.",
        (BadCalculation::NotANumber | BadCalculation::Empty, Lang::Ru) => "Не хватает чисел. Назови их ещё раз.",
        (BadCalculation::NotANumber | BadCalculation::Empty, Lang::En) => {
            "I'm short of numbers. Tell me them once more."
        }
    }
}
