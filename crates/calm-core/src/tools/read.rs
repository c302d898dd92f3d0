//! A call as a model wrote it, made into one of ours or refused with a line that says how to repair it.

use std::fmt;

use serde_json::{Value, json};

use super::calculate::BadCalculation;
use super::figures::{in_bounds, parse};
use super::fit::{fit, plain, unpacked};
use super::{Calculate, NoSuchForm, ToolCall, When, specs};

/// What is wrong with a call. Its text is one English line for the model, and holds nothing of what the user said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadCall {
    /// The place in the arguments, `extracted_attributes.stress_level`; empty for the call as a whole.
    pub path: String,
    pub problem: String,
}

impl BadCall {
    pub(super) fn new(path: &str, problem: impl Into<String>) -> BadCall {
        BadCall { path: path.to_owned(), problem: problem.into() }
    }
}

impl fmt::Display for BadCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.path.is_empty() {
            write!(f, "the call {}", self.problem)
        } else {
            write!(f, "{} {}", self.path, self.problem)
        }
    }
}

impl std::error::Error for BadCall {}

/// Reads a call of the tool `name`; `arguments` may be an object, JSON text, or nothing at all.
///
/// # Errors
/// There is no such tool, a required argument is missing, or a value is none that its schema allows.
pub fn read(name: &str, arguments: &Value) -> Result<ToolCall, BadCall> {
    let wanted = plain(name.rsplit(['.', ':', '/']).next().unwrap_or(name));
    let Some(spec) = specs().iter().find(|spec| plain(spec.name) == wanted) else {
        let names: Vec<&str> = specs().iter().map(|spec| spec.name).collect();
        return Err(BadCall::new("", format!("names no tool: the tools are {}", names.join(", "))));
    };
    let given = bare(arguments);
    let fitted = fit(&spec.parameters, &given, "")?;
    let call = json!({"tool": spec.name, "arguments": fitted});
    // What is left are arguments that only one kind of calculation needs.
    let call = serde_json::from_value(call).map_err(|_| BadCall::new("", incomplete(&fitted)))?;
    checked(call)
}

/// The arguments themselves: some models wrap them once more, some send none as null or as nothing.
fn bare(arguments: &Value) -> Value {
    let given = unpacked(arguments).unwrap_or_else(|| arguments.clone());
    match &given {
        Value::Null => json!({}),
        Value::String(text) if text.trim().is_empty() => json!({}),
        Value::Object(fields) if fields.len() == 1 => {
            let inner = ["arguments", "parameters", "input"].iter().find_map(|key| fields.get(*key));
            inner.map_or_else(|| given.clone(), |inner| unpacked(inner).unwrap_or_else(|| inner.clone()))
        }
        _ => given,
    }
}

fn incomplete(arguments: &Value) -> String {
    let needs = match arguments.get("what").and_then(Value::as_str) {
        Some("r_multiple") => "result and risk",
        Some("percent_of") => "amount and whole",
        Some("part_of") => "percent and whole",
        Some("left_of_limit") => "limit and used",
        Some("sum") => "amounts",
        Some("streak") => "results",
        _ => "all its required arguments",
    };
    format!("needs {needs}")
}

fn checked(call: ToolCall) -> Result<ToolCall, BadCall> {
    match call {
        ToolCall::SetReminder(reminder) => {
            match (&reminder.at, reminder.in_minutes) {
                (Some(_), Some(_)) => return Err(BadCall::new("", "gives at and in_minutes: give one of them")),
                (None, None) => return Err(BadCall::new("", "gives no time: give at or in_minutes")),
                (Some(at), None) if at.parse::<When>().is_err() => {
                    return Err(BadCall::new("at", NoSuchForm.to_string()));
                }
                _ => {}
            }
            Ok(ToolCall::SetReminder(reminder))
        }
        ToolCall::Calculate(calculate) => in_figures(calculate).map(ToolCall::Calculate),
        other => Ok(other),
    }
}

/// Every amount as a plain decimal number.
fn in_figures(calculate: Calculate) -> Result<Calculate, BadCall> {
    let figure = |path: &str, text: String| match parse(&text).filter(|value| in_bounds(*value)) {
        Some(value) => Ok(value.to_string()),
        None => Err(BadCall::new(path, "must be a decimal number such as 250 or -12.5")),
    };
    let calculate = match calculate {
        Calculate::RMultiple { result, risk } => {
            Calculate::RMultiple { result: figure("result", result)?, risk: figure("risk", risk)? }
        }
        Calculate::PercentOf { amount, whole } => {
            Calculate::PercentOf { amount: figure("amount", amount)?, whole: figure("whole", whole)? }
        }
        Calculate::PartOf { percent, whole } => {
            Calculate::PartOf { percent: figure("percent", percent)?, whole: figure("whole", whole)? }
        }
        Calculate::LeftOfLimit { limit, used } => {
            Calculate::LeftOfLimit { limit: figure("limit", limit)?, used: figure("used", used)? }
        }
        Calculate::Sum { amounts } => {
            let amounts = amounts.into_iter().enumerate().map(|(at, text)| figure(&format!("amounts[{at}]"), text));
            Calculate::Sum { amounts: amounts.collect::<Result<_, _>>()? }
        }
        streak => streak,
    };
    let empty = calculate.carry_out(crate::Lang::En) == Err(BadCalculation::Empty);
    if empty { Err(BadCall::new("", "has an empty list")) } else { Ok(calculate) }
}
