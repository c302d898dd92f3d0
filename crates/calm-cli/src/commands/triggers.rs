//! `calm triggers`: personal if–then plans.

use std::process::ExitCode;

use calm_app::AppError;
use calm_app::triggers::{self, Action, Plan, PlanError};
use serde_json::json;

use super::House;
use crate::args::{TriggerArgs, TriggersAction};
use crate::failure::Failure;
use crate::output::Output;

pub fn run(house: &House, action: Option<TriggersAction>, out: &Output) -> Result<ExitCode, Failure> {
    match action.unwrap_or(TriggersAction::List) {
        TriggersAction::List => {
            let plans = house.existing()?.map(|mut conductor| conductor.plans()).transpose()?.unwrap_or_default();
            if plans.is_empty() && !out.json() {
                out.line("no plans yet: `calm triggers add --name … --when … --practice breathing`");
            }
            plans.iter().for_each(|plan| show(plan, out));
        }
        TriggersAction::Add(args) => {
            let actions = actions(&args)?;
            triggers::check(&args.name, &args.condition, &actions).map_err(AppError::from)?;
            show(&house.quiet()?.add_plan(&args.name, &args.condition, &actions)?, out);
        }
        TriggersAction::Enable { id } => show(&existing(house)?.switch_plan(&id, true)?, out),
        TriggersAction::Disable { id } => show(&existing(house)?.switch_plan(&id, false)?, out),
        TriggersAction::Remove { id } => existing(house)?.remove_plan(&id)?,
        TriggersAction::Run { id } => {
            let result = existing(house)?.run_plan(&id)?;
            if out.json() {
                out.event("tool_result", &json!({"tool": "run_trigger", "result": result}));
            } else {
                let done = result["actions"].as_array().into_iter().flatten();
                done.filter_map(|it| it["outcome"].as_str()).for_each(|outcome| out.line(outcome));
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn existing(house: &House) -> Result<calm_app::Conductor, Failure> {
    house.existing()?.ok_or_else(|| Failure::from(AppError::from(PlanError::Unknown)))
}

fn actions(args: &TriggerArgs) -> Result<Vec<Action>, Failure> {
    let mut actions = Vec::new();
    if let Some(name) = &args.practice {
        let practice = serde_json::from_value(json!(name)).map_err(|_| {
            Failure::bad_input("--practice: must be breathing, grounding, visualization, journaling, physical or pause")
        })?;
        actions.push(Action::Practice { practice });
    }
    actions.extend(args.pause.map(|minutes| Action::Pause { minutes }));
    actions.extend(args.note.clone().map(|text| Action::Note { text }));
    if let (Some(text), Some(minutes)) = (args.remind.clone(), args.after) {
        actions.push(Action::Reminder { text, minutes });
    }
    actions.extend(args.check_out.then_some(Action::OpenCheckOut));
    Ok(actions)
}

fn show(plan: &Plan, out: &Output) {
    if out.json() {
        out.event("trigger", plan);
        return;
    }
    let on = if plan.enabled { "on " } else { "off" };
    let actions: Vec<String> = plan.actions.iter().map(in_words).collect();
    out.line(&format!("{on}  {}  {}", plan.id, plan.name));
    out.line(&format!("     if    {}", plan.condition));
    out.line(&format!("     then  {}", actions.join("; ")));
}

fn in_words(action: &Action) -> String {
    match action {
        Action::Practice { practice } => format!("practice: {}", json!(practice).as_str().unwrap_or_default()),
        Action::Pause { minutes } => format!("pause of {minutes} min"),
        Action::Note { text } => format!("note: {text}"),
        Action::Reminder { text, minutes } => format!("reminder in {minutes} min: {text}"),
        Action::OpenCheckOut => "suggest the check-out".to_owned(),
    }
}
