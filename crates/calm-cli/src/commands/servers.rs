//! `calm servers`: model servers of the user's own, their keys, and who holds the sessions to come.

use std::io::{IsTerminal, Read};
use std::process::ExitCode;

use calm_app::backend::{self, Server, ToolMode};
use calm_app::{AppError, Settings};
use serde_json::json;

use super::House;
use crate::args::{ServerArgs, ServersAction};
use crate::failure::Failure;
use crate::output::Output;

/// Longer than any key; a whole file is a mistake.
const LONGEST_KEY: u64 = 8 * 1024;

pub fn run(house: &House, action: Option<ServersAction>, out: &Output) -> Result<ExitCode, Failure> {
    match action.unwrap_or(ServersAction::List) {
        ServersAction::List => list(house, out)?,
        ServersAction::Discover => discover(house, out)?,
        ServersAction::Add(args) => {
            let server = server(args);
            server.check().map_err(AppError::from)?;
            let mut conductor = house.quiet()?;
            conductor.add_server(server.clone())?;
            show(&server, conductor.settings(), out);
        }
        ServersAction::Remove { name } => house.quiet()?.remove_server(&name)?,
        ServersAction::Use { name } => house.quiet()?.use_backend(&name)?,
        ServersAction::Test { name } => test(house, &name, out)?,
        ServersAction::Key { name } => keep_key(house, &name, out)?,
    }
    Ok(ExitCode::SUCCESS)
}

fn list(house: &House, out: &Output) -> Result<(), Failure> {
    let settings = match house.existing()? {
        Some(conductor) => conductor.settings().clone(),
        None => Settings::default(),
    };
    if !out.json() {
        out.line(&format!("in use  {}", settings.backend));
    }
    settings.servers.iter().for_each(|server| show(server, &settings, out));
    Ok(())
}

fn show(server: &Server, settings: &Settings, out: &Output) {
    let in_use = settings.backend == server.name;
    if out.json() {
        return out.event(
            "server",
            &json!({
                "name": server.name, "base_url": server.base_url, "model": server.model, "in_use": in_use,
            }),
        );
    }
    out.line(&format!("{} {:<12} {}  {}", if in_use { "*" } else { " " }, server.name, server.base_url, server.model));
}

fn discover(house: &House, out: &Output) -> Result<(), Failure> {
    let conductor = house.quiet()?;
    let found = backend::discover(conductor.http());
    if found.is_empty() && !out.json() {
        out.line("no model server answers on this machine: the guide needs none");
    }
    for one in found {
        if out.json() {
            out.event("found", &json!({"name": one.preset.name(), "base_url": one.base_url, "models": one.models}));
        } else {
            out.line(&format!("{:<10} {}  {}", one.preset.name(), one.base_url, one.models.join(", ")));
        }
    }
    Ok(())
}

fn test(house: &House, name: &str, out: &Output) -> Result<(), Failure> {
    let tried = house.quiet()?.try_backend(name)?;
    if out.json() {
        out.event("server_test", &tried);
    } else {
        out.line(&format!(
            "{} answered in {} ms, the first word after {} ms",
            tried.model, tried.total_ms, tried.first_token_ms
        ));
    }
    Ok(())
}

/// From standard input: what stands in the arguments of a process, every other process can read.
fn keep_key(house: &House, name: &str, out: &Output) -> Result<(), Failure> {
    if std::io::stdin().is_terminal() {
        eprintln!("paste the key, then press Enter and Ctrl-D");
    }
    let mut key = String::new();
    let read = std::io::stdin().take(LONGEST_KEY + 1).read_to_string(&mut key);
    let key = key.trim();
    if read.is_err() || key.is_empty() || key.len() as u64 > LONGEST_KEY || key.contains(char::is_whitespace) {
        return Err(Failure::bad_input("standard input: a key is one word"));
    }
    let place = house.quiet()?.keep_key(name, key)?;
    if !out.json() {
        out.line(&format!("kept in {place}"));
    }
    Ok(())
}

fn server(args: ServerArgs) -> Server {
    Server {
        name: args.name,
        base_url: args.url,
        model: args.model,
        tools: if args.text_tools { ToolMode::Text } else { ToolMode::Native },
        streaming: !args.no_streaming,
        context_tokens: args.context,
        single_system: args.single_system,
        patience: args.patience,
        ..Server::default()
    }
}
