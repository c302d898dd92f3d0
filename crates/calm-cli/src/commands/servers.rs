//! `calm servers`: model servers of the user's own, their keys, and who holds the sessions to come.

use std::io::{IsTerminal, Read};
use std::process::ExitCode;

use calm_app::backend::{self, GUIDE, LOCAL, Server, ToolMode};
use calm_app::{AppError, KeyPlace, Lang, Settings};
use serde_json::json;

use super::House;
use crate::args::{ServerArgs, ServersAction};
use crate::bilingual::{both, number, say};
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
            let mut conductor = house.as_stored().quiet()?;
            conductor.add_server(server.clone())?;
            show(&server, conductor.settings(), out);
        }
        // What is saved there must not take the language of this run along.
        ServersAction::Remove { name } => house.as_stored().quiet()?.remove_server(&name)?,
        ServersAction::Use { name } => house.as_stored().quiet()?.use_backend(&name)?,
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
        out.line(&in_use(&settings.backend, house.lang()));
    }
    settings.servers.iter().for_each(|server| show(server, &settings, out));
    Ok(())
}

/// Who holds the sessions to come.
fn in_use(backend: &str, lang: Lang) -> String {
    let name = match (backend, lang) {
        (GUIDE, Lang::Ru) => "guide, без модели",
        (LOCAL, Lang::Ru) => "local, модель на этом компьютере",
        (name, _) => name,
    };
    say!(lang, "отвечает  {name}", "in use  {name}")
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
    let mark = if in_use { "*" } else { " " };
    out.line(&format!("{mark} {:<12} {}  {}", server.name, server.base_url, server.model));
}

fn discover(house: &House, out: &Output) -> Result<(), Failure> {
    let conductor = house.quiet()?;
    let found = backend::discover(conductor.http());
    if found.is_empty() && !out.json() {
        out.line(&say!(
            house.lang(),
            "модели на этом компьютере не отвечают, но разговор возможен и без них",
            "no model server answers on this machine: the guide needs none"
        ));
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
        let lang = house.lang();
        let (model, total, first) = (&tried.model, number(&tried.total_ms, lang), number(&tried.first_token_ms, lang));
        out.line(&say!(
            lang,
            "{model} отвечает: всего {total} мс, первое слово через {first} мс",
            "{model} answered in {total} ms, the first word after {first} ms"
        ));
    }
    Ok(())
}

/// From standard input: what stands in the arguments of a process, every other process can read.
fn keep_key(house: &House, name: &str, out: &Output) -> Result<(), Failure> {
    if std::io::stdin().is_terminal() {
        let ask =
            say!(house.lang(), "вставь ключ, потом нажми Enter и Ctrl-D", "paste the key, then press Enter and Ctrl-D");
        eprintln!("{ask}");
    }
    let mut key = String::new();
    let read = std::io::stdin().take(LONGEST_KEY + 1).read_to_string(&mut key);
    let key = key.trim();
    if read.is_err() || key.is_empty() || key.len() as u64 > LONGEST_KEY || key.contains(char::is_whitespace) {
        return Err(Failure::bad_input(both!("ключ не прочесть: это одно слово", "standard input: a key is one word")));
    }
    let place = house.quiet()?.keep_key(name, key)?;
    if !out.json() {
        out.line(&match place {
            KeyPlace::Keychain => say!(house.lang(), "ключ лежит в хранилище ключей", "kept in the keychain"),
            KeyPlace::File(file) | KeyPlace::Locked(file) => {
                let file = file.display();
                say!(house.lang(), "ключ лежит в {file}", "kept in {file}")
            }
        });
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
