//! `calm prompt render`: the exact messages that would be sent.

use std::path::Path;
use std::process::ExitCode;

use calm_app::prompt_folder;
use calm_app::prompting::{Rendered, Request};
use calm_app::prompts::Both;
use calm_app::prompts::envelope::SOFT_LIMIT;
use calm_app::prompts::template::schema;
use calm_app::settings::Settings;
use jiff::{Timestamp, ZonedDateTime};
use serde_json::{Value, json};

use super::super::House;
use super::set_in;
use crate::args::RenderArgs;
use crate::bilingual::both;
use crate::errors;
use crate::failure::Failure;
use crate::output::Output;

pub fn run(house: &House, args: &RenderArgs, out: &Output) -> Result<ExitCode, Failure> {
    let context = read_context(&args.context, args.tools.as_deref())?;
    let conductor = house.existing()?;
    let language = house.lang();
    let mut set = match (&args.set, &conductor) {
        (None, Some(conductor)) => conductor.prompts().clone(),
        (folder, _) => set_in(folder.as_deref())?,
    };
    if let Some(variant) = &args.variant {
        set = set.variant(variant).map_err(|error| {
            let why = errors::set(&error);
            Failure::bad_input(both!("--variant: {why}", "--variant: {error}"))
        })?;
    }
    if let Some(root) = &args.root {
        set = set.rooted(root);
    }
    let envelope = args.envelope.as_deref().unwrap_or(language.code());
    let assembly = set.assembly(language.code(), envelope).map_err(|error| {
        let why = errors::set(&error);
        Failure::bad_input(both!("набор промптов: {why}", "the prompt set: {error}"))
    })?;
    let settings = conductor.as_ref().map_or_else(|| Settings::fresh(language), |it| it.settings().clone());
    let now = ZonedDateTime::new(args.now.unwrap_or_else(Timestamp::now), settings.zone());
    let request = Request {
        context: &context,
        language: language.code(),
        envelope,
        now: Some(now),
        opened_from: Some(&args.from),
        task: args.task.as_deref(),
        said: args.say.as_deref(),
        session: None,
        plain: args.plain,
        method: None,
        calendar: Vec::new(),
    };
    let rendered = match &conductor {
        Some(conductor) => conductor.rendered(&set, &assembly, &request)?,
        None => Rendered::new(&set, &assembly, &settings, None, &request)?,
    };
    print(&rendered, out);
    Ok(ExitCode::SUCCESS)
}

/// The file must hold what the variables of the prompts are; its values are the user's and are not quoted.
fn read_context(path: &Path, tools: Option<&str>) -> Result<Value, Failure> {
    let shown = path.display();
    let text = prompt_folder::read_file(path)?;
    let text = text.trim_start_matches('\u{feff}');
    let mut context: Value = serde_json::from_str(text).map_err(|error| {
        let (line, column) = (error.line(), error.column());
        Failure::bad_input(both!(
            "{shown}, строка {line}, знак {column}: это не JSON",
            "{shown}, line {line}, column {column}: not valid JSON"
        ))
    })?;
    schema::check(&context)
        .map_err(|schema::WrongContext(Both { ru, en })| Failure::bad_input(both!("{shown}: {ru}", "{shown}: {en}")))?;
    if let Some(tools) = tools {
        context["backend"] = json!({"tools": tools});
    }
    Ok(context)
}

fn print(rendered: &Rendered, out: &Output) {
    let Rendered { messages, identity, chars, micros, warnings } = rendered;
    if out.json() {
        for message in messages {
            out.event("message", &json!({"role": message.role, "content": message.content}));
        }
        out.event(
            "rendered",
            &json!({"set": identity.set, "version": identity.version,
            "variant": identity.variant, "hash": identity.hash, "chars": chars, "micros": micros}),
        );
        return;
    }
    for message in messages {
        let role = json!(message.role);
        out.line(&format!("── {} ──", role.as_str().unwrap_or_default()));
        out.line(&message.content);
        out.line("");
    }
    let hash = identity.hash.get(..8).unwrap_or_default();
    let name = format!("{} {} · {} · {hash}", identity.set, identity.version, identity.variant);
    warnings.iter().for_each(|warning| out.line(&format!("{warning}: more than {SOFT_LIMIT} characters")));
    out.line(&format!("── {name} · {chars} characters · {micros} µs ──"));
}
