//! `cargo xtask run`: from whatever is there to the open window, or to the terminal demo.

use crate::node::Node;
use crate::packages::Stage;
use crate::setup::System;
use crate::{built, command, models, place, say, ui};
use anyhow::{Context, Result, bail};
use clap::{Args, ValueEnum};
use std::env;
use std::path::PathBuf;
use std::process::Command;

#[derive(Args)]
pub struct Options {
    /// Send the two sample recordings through the terminal program, without a window
    #[arg(long)]
    demo: bool,
    /// The language of the demo's recordings
    #[arg(long, value_enum, default_value = "ru")]
    lang: Lang,
    #[command(flatten)]
    system: System,
}

#[derive(Clone, Copy, ValueEnum)]
enum Lang {
    Ru,
    En,
}

impl Lang {
    fn code(self) -> &'static str {
        match self {
            Self::Ru => "ru",
            Self::En => "en",
        }
    }
}

/// `cargo xtask run`
pub fn run(options: &Options) -> Result<()> {
    let demo = options.demo || {
        let blind = !has_display();
        if blind {
            say::headline("No display here, so no window: the terminal demo follows");
        }
        blind
    };
    options.system.install(Stage::Build)?;
    models::fetch_required()?;
    if !demo {
        ui::build(&Node::find()?)?;
    }

    say::headline("Build");
    let wanted: &[&str] = if demo { &["calm-cli"] } else { &["calmtrader", "calm-cli"] };
    let programs = built::build(wanted, &[])?;
    if demo {
        return show(&programs.find("calm")?, options.lang);
    }
    say::headline("CalmTrader");
    let mut app = Command::new(programs.find("calmtrader")?);
    command::run(app.env(place::MODELS_DIR, place::models()?))
}

/// On Linux a window needs X11 or Wayland; elsewhere there always is a desktop.
fn has_display() -> bool {
    let set = |name| env::var_os(name).is_some_and(|value| !value.is_empty());
    !cfg!(target_os = "linux") || set("DISPLAY") || set("WAYLAND_DISPLAY")
}

/// A check-in and the check-out that belongs to it, in a data folder that is thrown away.
fn show(calm: &PathBuf, lang: Lang) -> Result<()> {
    let data = tempfile::tempdir().context("no temporary folder for the demo")?;
    for (session, recording) in [("check-in", "checkin"), ("check-out", "checkout")] {
        let audio = place::root().join("tests").join("audio");
        let audio = audio.join(format!("{recording}_{}.flac", lang.code()));
        if !audio.is_file() {
            bail!("{} is not there: the clone is not whole", audio.display());
        }
        say::headline(&format!("calm session {session} --audio {}", audio.display()));
        let mut command = Command::new(calm);
        command.arg("--data-dir").arg(data.path());
        command.args(["--lang", lang.code(), "session", session, "--audio"]).arg(audio);
        // The key is thrown away with the data: it has no business in the user's keychain.
        command.env("CALM_KEYCHAIN", "off").env(place::MODELS_DIR, place::models()?);
        command::run(&mut command)?;
    }
    Ok(())
}
