//! The terminal door: the `calm` program.
//!
//! It parses, calls the conductor and prints. With `--json` every line on stdout is one
//! object; logs go to stderr. Exit 0 done, 1 failed at run time, 2 wrong use or bad input.

mod args;
mod asking;
mod bilingual;
mod columns;
mod commands;
mod errors;
mod failure;
mod output;
mod plain;
mod terms;
mod words;

use std::process::ExitCode;

use calm_app::knowledge::PDF_THREAD;
use calm_app::{Lang, paths};

use crate::args::{Args, Command};
use crate::bilingual::say;
use crate::commands::House;
use crate::failure::Failure;
use crate::output::Output;

fn main() -> ExitCode {
    keep_panics_short(None);
    let wants_json = std::env::args_os().any(|arg| arg == "--json");
    let args = match Args::read() {
        Ok(args) => args,
        Err(asked) if !asked.use_stderr() => {
            // Help and version are answers, not errors; a closed pipe is no reason to complain.
            return if asked.print().is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE };
        }
        Err(wrong) => return Failure::usage(&wrong).report(wants_json, || Lang::En),
    };
    keep_panics_short(args.lang);
    start_logging();
    let out = Output::new(args.json);
    let house = House::new(args.data_dir, args.lang, args.passphrase_stdin);
    match run(args.command, &house, &out) {
        Ok(code) => code,
        Err(failure) => failure.report(out.json(), || house.lang()),
    }
}

fn run(command: Command, house: &House, out: &Output) -> Result<ExitCode, Failure> {
    match command {
        Command::Session(session) => commands::session::run(house, &session, out),
        Command::Transcribe(args) => commands::hear::transcribe(house, &args, out),
        Command::Listen(listen) => commands::listen::run(house, &listen, out),
        Command::Emotion(emotion) => commands::emotion::run(house, &emotion, out),
        Command::Baseline(baseline) => commands::baseline::run(house, baseline, out),
        Command::Doctor => commands::doctor::run(house, out),
        Command::Models(models) => commands::models::run(house, models.action, out),
        Command::History(history) => commands::history::run(house, &history, out),
        Command::Prompt(prompt) => commands::prompt::run(house, &prompt.action, out),
        Command::Eval(eval) => commands::eval::run(house, &eval, out),
        Command::Facts(facts) => commands::facts::run(house, facts.action, out),
        Command::Triggers(triggers) => commands::triggers::run(house, triggers.action, out),
        Command::Notes(notes) => commands::notes::run(house, &notes, out),
        Command::Knowledge(knowledge) => commands::knowledge::run(house, knowledge.action, out),
        Command::Memory(memory) => commands::memory::run(house, memory, out),
        Command::Insights => commands::insights::run(house, out),
        Command::Trades(trades) => commands::trades::run(house, trades, out),
        Command::Contour(contour) => commands::contour::run(house, &contour, out),
        Command::Reminders(reminders) => commands::reminders::run(house, reminders, out),
        Command::Practice(practice) => commands::practice::run(house, &practice.action, out),
        Command::Settings(settings) => commands::settings::run(house, &settings.action, out),
        Command::Servers(servers) => commands::servers::run(house, servers.action, out),
        Command::Ledger(ledger) => commands::ledger::run(house, &ledger, out),
        Command::Export(export) => commands::data::export(house, &export, out),
        Command::Import(import) => commands::data::import(house, &import, out),
        Command::Retention(retention) => commands::data::retention(house, &retention, out),
        Command::Passphrase(passphrase) => commands::passphrase::run(house, passphrase.action, out),
        Command::Erase(erase) => commands::data::erase(house, &erase, out),
    }
}

/// Logs are off unless `CALM_LOG` asks for them, and never carry what was said.
fn start_logging() {
    let filter = tracing_subscriber::EnvFilter::try_from_env("CALM_LOG")
        .unwrap_or_else(|_| tracing_subscriber::EnvFilter::new("off"));
    tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).init();
}

/// A bug is one line too: a panic's message may quote data, so only its place is shown.
fn keep_panics_short(asked: Option<Lang>) {
    std::panic::set_hook(Box::new(move |panic| {
        // A document that breaks its reader is an error of that document, and is reported as one.
        if std::thread::current().name() == Some(PDF_THREAD) {
            return;
        }
        let place = panic.location().map(ToString::to_string).unwrap_or_default();
        let lang = asked.unwrap_or_else(paths::system_language);
        output::complain(&say!(
            lang,
            "ошибка в самой программе, {place}; всё сказанное до этого сохранено",
            "a fault in the program at {place}; what was said until now is kept"
        ));
    }));
}
