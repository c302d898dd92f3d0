//! `calm eval`: runs scenarios, lints what was said, and says what did not hold.

use std::process::ExitCode;

use calm_app::scenarios::{self, Ran};
use serde_json::json;

use super::House;
use super::prompt::set_in;
use crate::args::EvalArgs;
use crate::failure::Failure;
use crate::output::Output;

pub fn run(house: &House, args: &EvalArgs, out: &Output) -> Result<ExitCode, Failure> {
    let set = set_in(args.set.as_deref())?;
    let banned = house.existing()?.map(|mut it| it.banned_words()).transpose()?.unwrap_or_default();
    let list = match &args.scenarios {
        Some(path) => scenarios::read(path)?,
        None => scenarios::shipped().map_err(calm_app::AppError::from)?,
    };
    let (mut passed, mut checks) = (0, 0);
    for (id, scenario) in &list {
        let Ran { outcome, transcript, .. } = scenarios::run(id, scenario, &set, &banned)?;
        passed += usize::from(outcome.passed);
        checks += outcome.checks;
        if out.json() {
            out.event("scenario", &outcome);
            if args.transcripts {
                let turns: Vec<_> = transcript.iter().map(|(user, calm)| json!({"user": user, "calm": calm})).collect();
                out.event("transcript", &json!({"id": id, "turns": turns}));
            }
            continue;
        }
        let verdict = if outcome.passed { "passed" } else { "FAILED" };
        out.line(&format!("{verdict}  {:>3} checks  {id}", outcome.checks));
        outcome.failed.iter().for_each(|line| out.line(&format!("        {line}")));
        if args.transcripts {
            for (user, calm) in &transcript {
                user.iter().for_each(|user| out.line(&format!("        You   {user}")));
                out.line(&format!("        Calm  {calm}"));
            }
        }
    }
    let failed = list.len() - passed;
    if out.json() {
        out.event("eval_summary", &json!({"passed": passed, "failed": failed, "checks": checks}));
    } else {
        out.line(&format!("{passed} of {} scenarios passed, {checks} checks", list.len()));
    }
    Ok(if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
