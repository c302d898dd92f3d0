//! `cargo xtask understanding`: how much of what traders say is read rightly, attribute by attribute.
//!
//! It only starts `crates/calm-core/examples/understanding.rs`, which knows the corpus.

use crate::command;
use anyhow::Result;
use clap::Args;

#[derive(Args)]
pub struct Options {
    /// Only one language: ru or en
    #[arg(long)]
    lang: Option<String>,
    /// `develop` (the default), or `check`, which is for measuring only
    #[arg(long)]
    part: Option<String>,
    /// Whole sessions instead of single utterances
    #[arg(long)]
    sessions: bool,
    /// Also print every wrong reading
    #[arg(long)]
    misses: bool,
}

pub fn run(options: &Options) -> Result<()> {
    let mut cargo = command::cargo();
    cargo.args(["run", "--quiet", "-p", "calm-core", "--example", "understanding", "--"]);
    if let Some(lang) = &options.lang {
        cargo.args(["--lang", lang]);
    }
    if let Some(part) = &options.part {
        cargo.args(["--part", part]);
    }
    for (flag, set) in [("--sessions", options.sessions), ("--misses", options.misses)] {
        if set {
            cargo.arg(flag);
        }
    }
    command::run(&mut cargo)
}
