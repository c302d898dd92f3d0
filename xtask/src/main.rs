//! `cargo xtask`: everything between a fresh clone and a running, tested app.
//!
//! It sets up what is missing, says what it does, and does nothing twice. It holds no rule of
//! the product: what the app does lies in `crates/`.

mod bench;
mod beside;
mod built;
mod command;
mod fuzz;
mod models;
mod node;
#[cfg(unix)]
mod package;
mod packages;
mod place;
mod run;
mod say;
mod screen;
mod setup;
mod stamp;
mod tests;
mod tools;
mod ui;
mod understanding;
mod wheel;

use clap::{Parser, Subcommand};
use std::process::ExitCode;

#[derive(Parser)]
#[command(name = "xtask", bin_name = "cargo xtask", about = "Sets up, runs, tests, measures and packs CalmTrader")]
struct Line {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Sets up what is missing, builds the app and starts it
    Run(run::Options),
    /// Sets up what is missing and runs every check and test
    Test(tests::Options),
    /// Lists, fetches or verifies the models
    Models(models::Options),
    /// Measures speed in a release build and prints what must be reached
    Bench(bench::Options),
    /// Measures how much of what traders say is read rightly
    Understanding(understanding::Options),
    /// Throws damaged bytes at one of the readers (needs nightly Rust)
    Fuzz(fuzz::Options),
    /// Makes what users install: a .deb and an AppImage
    #[cfg(unix)]
    Package(package::Options),
    /// Only the set-up: system packages, Node, tools, models
    Setup(setup::Options),
}

fn main() -> ExitCode {
    let done = match Line::parse().task {
        Task::Run(options) => run::run(&options),
        Task::Test(options) => tests::run(&options),
        Task::Models(options) => models::run(&options),
        Task::Bench(options) => bench::run(&options),
        Task::Understanding(options) => understanding::run(&options),
        Task::Fuzz(options) => fuzz::run(&options),
        #[cfg(unix)]
        Task::Package(options) => package::run(&options),
        Task::Setup(options) => setup::run(&options),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            say::failed(&error);
            ExitCode::FAILURE
        }
    }
}
