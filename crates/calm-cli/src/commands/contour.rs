//! `calm contour`: the state vector and the labels of a sentence.

use std::process::ExitCode;

use serde_json::json;

use super::House;
use crate::args::ContourArgs;
use crate::bilingual::both;
use crate::failure::Failure;
use crate::output::Output;

pub fn run(house: &House, args: &ContourArgs, out: &Output) -> Result<ExitCode, Failure> {
    if args.text.trim().is_empty() {
        return Err(Failure::bad_input(both!(
            "--text пустой: нужны слова",
            "--text is empty: give the words to be sensed"
        )));
    }
    let sensed = house.quiet()?.sensed(args.text.trim(), args.thread)?;
    if out.json() {
        out.event("contour", &sensed);
        return Ok(ExitCode::SUCCESS);
    }
    let state = &sensed.state;
    out.line(&sensed.labels);
    for (name, value) in [("method", json!(state.method)), ("mood", json!(state.mood))] {
        out.line(&format!("{name:<12} {}", value.as_str().unwrap_or_default()));
    }
    out.line(&format!("familiarity  {:.2}", state.familiarity));
    out.line(&format!("criticality  {:.2}", state.criticality));
    out.line(&format!("complexity   {:.2}", state.complexity));
    out.line(&format!("trust        {:.2}", state.trust));
    for memory in &sensed.recalled {
        out.line(&format!("recalled     {} {}", memory.id, memory.words));
    }
    out.line(&format!("took         {} µs", sensed.micros));
    Ok(ExitCode::SUCCESS)
}
