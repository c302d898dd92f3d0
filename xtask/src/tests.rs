//! `cargo xtask test`: every check there is, each with a headline and its time.
//!
//! All chosen steps run even when one fails; the quick ones come first, the tests themselves last
//! so that their own closing lines stay in sight.

use crate::node::Node;
use crate::packages::Stage;
use crate::screen::Screen;
use crate::setup::System;
use crate::{command, models, place, say, tools, ui};
use anyhow::{Result, bail};
use clap::{Args, ValueEnum};
use std::process::Command;
use std::time::{Duration, Instant};

#[derive(Args)]
pub struct Options {
    /// Run this step only; may be given several times
    #[arg(long, value_enum, value_name = "STEP")]
    only: Vec<Step>,
    #[command(flatten)]
    system: System,
    /// Passed on to the Rust tests: names of tests, options of cargo
    #[arg(last = true)]
    filters: Vec<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Step {
    /// rustfmt changes nothing
    Fmt,
    /// No misspelt words
    Typos,
    /// Licences, banned crates and sources of all dependencies
    Deny,
    /// Types and tests of the UI
    Ui,
    /// No warning of the compiler or clippy
    Clippy,
    /// All tests of the workspace
    Test,
}

const ALL: [Step; 6] = [Step::Fmt, Step::Typos, Step::Deny, Step::Ui, Step::Clippy, Step::Test];

impl Step {
    fn name(self) -> &'static str {
        match self {
            Self::Fmt => "fmt",
            Self::Typos => "typos",
            Self::Deny => "deny",
            Self::Ui => "ui",
            Self::Clippy => "clippy",
            Self::Test => "test",
        }
    }

    fn run(self, options: &Options, node: Option<&Node>) -> Result<()> {
        match self {
            Self::Fmt => command::run(command::cargo().args(["fmt", "--all", "--check"])),
            Self::Typos => {
                let mut typos = Command::new(tools::typos()?);
                command::run(typos.current_dir(place::root()))
            }
            Self::Deny => deny(),
            Self::Ui => match node {
                Some(node) => ui::script(node, "check").and(ui::script(node, "test")),
                None => bail!("the UI's checks need Node"),
            },
            Self::Clippy => {
                let mut clippy = command::cargo();
                clippy.args(["clippy", "--locked", "--workspace", "--all-targets"]);
                command::run(clippy.args(["--", "-D", "warnings"]))
            }
            Self::Test => workspace_tests(&options.filters),
        }
    }
}

/// `cargo xtask test`
pub fn run(options: &Options) -> Result<()> {
    let start = Instant::now();
    let chosen = |step: &Step| options.only.is_empty() || options.only.contains(step);
    let steps: Vec<Step> = ALL.into_iter().filter(chosen).collect();
    let node = prepare(&steps, &options.system)?;
    let prepared = start.elapsed();

    let mut results = Vec::new();
    for step in steps {
        say::headline(step.name());
        let start = Instant::now();
        let result = step.run(options, node.as_ref());
        if let Err(error) = &result {
            say::failed(error);
        }
        say::note(&format!("{} took {}", step.name(), say::duration(start.elapsed())));
        results.push((step, result.is_ok(), start.elapsed()));
    }

    say::headline("Summary");
    say::note(&format!("{:<8} {:<7} {}", "set-up", "done", say::duration(prepared)));
    for (step, passed, time) in &results {
        let verdict = if *passed { "passed" } else { "FAILED" };
        say::note(&format!("{:<8} {verdict:<7} {}", step.name(), say::duration(*time)));
    }
    say::note(&format!("{:<16} {}", "altogether", say::duration(start.elapsed())));
    let failed = results.iter().filter(|(_, passed, _)| !passed).count();
    if failed > 0 {
        bail!("{failed} of {} steps failed", results.len());
    }
    Ok(())
}

/// Sets up what the chosen steps need and no more.
fn prepare(steps: &[Step], system: &System) -> Result<Option<Node>> {
    let any = |wanted: &[Step]| steps.iter().any(|step| wanted.contains(step));
    if any(&[Step::Test]) {
        system.install(Stage::Test)?;
    } else if any(&[Step::Typos, Step::Deny, Step::Ui, Step::Clippy]) {
        system.install(Stage::Build)?;
    }
    if any(&[Step::Test]) {
        models::fetch_required()?;
    }
    if !any(&[Step::Ui, Step::Clippy, Step::Test]) {
        return Ok(None);
    }
    let node = Node::find()?;
    if any(&[Step::Clippy, Step::Test]) {
        // The app carries the built UI inside itself: it does not compile without.
        ui::build(&node)?;
    } else {
        ui::install(&node)?;
    }
    Ok(Some(node))
}

fn workspace_tests(filters: &[String]) -> Result<()> {
    let screen = cfg!(target_os = "linux").then(Screen::open).transpose()?;
    let models = place::models()?;
    let test = |arguments: &[&str]| {
        let mut cargo = command::cargo();
        cargo.args(arguments).args(["--locked", "--workspace", "--no-fail-fast"]);
        cargo.env(place::MODELS_DIR, &models);
        if let Some(screen) = &screen {
            screen.show(&mut cargo);
        }
        cargo
    };
    let nextest = command::answer(command::cargo().args(["nextest", "--version"])).is_some();
    if !nextest {
        return command::run(test(&["test"]).args(filters));
    }
    let ran = command::run(test(&["nextest", "run"]).args(filters));
    if filters.is_empty() {
        // nextest leaves the examples in the documentation to cargo.
        command::run(&mut test(&["test", "--doc"]))?;
    }
    ran
}

/// How long the database of advisories may take to answer.
const PATIENCE: Duration = Duration::from_secs(60);

fn deny() -> Result<()> {
    let program = tools::deny()?;
    let deny = |arguments: &[&str]| {
        let mut deny = Command::new(&program);
        deny.current_dir(place::root()).args(["--log-level", "error"]).args(arguments);
        deny
    };
    command::run(&mut deny(&["check", "bans", "licenses", "sources"]))?;

    // An advisory appears without a change of ours, so it is told and fails nothing.
    let mut fetch = deny(&["fetch", "db"]);
    fetch.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null());
    if !command::within(PATIENCE, &mut fetch.spawn()?)? {
        say::note("advisories not checked: their database cannot be reached from here");
    } else if command::run(&mut deny(&["check", "--disable-fetch", "advisories"])).is_err() {
        say::note("there are advisories, see above; they do not fail this run");
    }
    Ok(())
}
