//! `calm triggers`: personal if–then plans.

use std::process::ExitCode;

use calm_app::triggers::{self, Action, Plan, PlanError};
use calm_app::{AppError, Lang};
use serde_json::json;

use super::House;
use super::data::traces;
use super::practice::kind;
use crate::args::{TriggerArgs, TriggersAction};
use crate::bilingual::{both, say};
use crate::columns::{WIDTH, beside};
use crate::failure::Failure;
use crate::output::Output;

pub fn run(house: &House, action: Option<TriggersAction>, out: &Output) -> Result<ExitCode, Failure> {
    match action.unwrap_or(TriggersAction::List) {
        TriggersAction::List => {
            let plans = house.existing()?.map(|mut conductor| conductor.plans()).transpose()?.unwrap_or_default();
            if plans.is_empty() && !out.json() {
                out.line(&say!(
                    house.lang(),
                    "планов пока нет: `calm triggers add --name … --when … --practice breathing`",
                    "no plans yet: `calm triggers add --name … --when … --practice breathing`"
                ));
            }
            plans.iter().for_each(|plan| show(plan, house.lang(), out));
        }
        TriggersAction::Add(args) => {
            let actions = actions(&args)?;
            triggers::check(&args.name, &args.condition, &actions).map_err(AppError::from)?;
            let plan = house.quiet()?.add_plan(&args.name, &args.condition, &actions)?;
            show(&plan, house.lang(), out);
        }
        TriggersAction::Enable { id } => show(&existing(house)?.switch_plan(&id, true)?, house.lang(), out),
        TriggersAction::Disable { id } => show(&existing(house)?.switch_plan(&id, false)?, house.lang(), out),
        TriggersAction::Remove { id } => {
            let left = existing(house)?.remove_plan(&id)?;
            traces(left.as_deref(), house.lang(), out);
        }
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
            Failure::bad_input(both!(
                "--practice: подойдёт `breathing`, `grounding`, `visualization`, `journaling`, `physical` или `pause`",
                "--practice: must be breathing, grounding, visualization, journaling, physical or pause"
            ))
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

fn show(plan: &Plan, lang: Lang, out: &Output) {
    if out.json() {
        out.event("trigger", plan);
        return;
    }
    let on = if plan.enabled { say!(lang, "вкл ", "on ") } else { say!(lang, "выкл", "off") };
    let actions: Vec<String> = plan.actions.iter().map(|action| in_words(action, lang)).collect();
    let (condition, actions) = (&plan.condition, actions.join("; "));
    out.line(&format!("{on}  {}  {}", plan.id, plan.name));
    let labels = match lang {
        Lang::Ru => ["      если", "      тогда"],
        Lang::En => ["     if", "     then"],
    };
    for (label, text) in labels.iter().zip([condition, &actions]) {
        out.lines(&beside(label, 13, WIDTH, text));
    }
}

fn in_words(action: &Action, lang: Lang) -> String {
    match action {
        Action::Practice { practice } => {
            let name = json!(practice);
            let kind = kind(name.as_str().unwrap_or_default(), lang);
            say!(lang, "практика: {kind}", "practice: {kind}")
        }
        Action::Pause { minutes } => say!(lang, "пауза на {minutes} мин", "pause of {minutes} min"),
        Action::Note { text } => say!(lang, "записать: {text}", "note: {text}"),
        Action::Reminder { text, minutes } => {
            say!(lang, "через {minutes} мин напомнить: {text}", "reminder in {minutes} min: {text}")
        }
        Action::OpenCheckOut => say!(lang, "предложить чек-аут", "suggest the check-out"),
    }
}
