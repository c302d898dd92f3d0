//! `cargo xtask fuzz`: throws damaged bytes at everything that reads foreign bytes.

use crate::packages::Stage;
use crate::setup::System;
use crate::{command, place, say, tools};
use anyhow::{Context, Result, bail};
use clap::{Args, ValueEnum};
use std::process::Command;

#[derive(Args)]
pub struct Options {
    /// What reads the bytes
    target: Target,
    /// How long, in seconds
    #[arg(long, default_value_t = 60)]
    seconds: u32,
    #[command(flatten)]
    system: System,
}

#[derive(Clone, Copy, ValueEnum)]
enum Target {
    /// Audio files
    Audio,
    /// Model weights out of a package
    Weights,
    /// Lists of models
    Manifest,
    /// What is said in a session
    Talk,
    /// Prompt templates, rendered, printed and linted
    Template,
    /// Documents for the knowledge base
    Document,
    /// Replies of a model
    Reply,
    /// Weights and vocabulary of the sentence encoder
    Encoder,
    /// Exports that are brought in
    Import,
    /// Reports of brokers
    Trades,
    /// Calendars of what is ahead in the markets
    Calendar,
}

impl Target {
    fn features(self) -> &'static [&'static str] {
        match self {
            Target::Audio => &["--features", "voice"],
            _ => &[],
        }
    }
}

/// # Errors
/// When there is no nightly Rust, or the fuzzer has found something.
pub fn run(options: &Options) -> Result<()> {
    if command::answer(Command::new("rustc").args(["+nightly", "--version"])).is_none() {
        bail!("fuzzing needs nightly Rust: rustup toolchain install nightly");
    }
    options.system.install(Stage::Build)?;
    let fuzz = tools::fuzz()?;
    let name = options.target.to_possible_value().context("the target has no name")?;
    say::headline(&format!("Fuzz {}, {} s", name.get_name(), options.seconds));
    let mut cargo = Command::new(fuzz);
    cargo.args(["fuzz", "run", name.get_name()]).args(options.target.features());
    cargo.args(["--", &format!("-max_total_time={}", options.seconds)]);
    cargo.env("RUSTUP_TOOLCHAIN", "nightly").current_dir(place::root());
    command::run(&mut cargo)
}
