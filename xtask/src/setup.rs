//! Set-up: what must be on the machine before anything can be built.
//!
//! Every part looks first and works only when something is missing.

use crate::node::Node;
use crate::packages::{self, Stage};
use crate::{models, tools};
use anyhow::Result;
use clap::Args;

#[derive(Args)]
pub struct Options {
    /// Leave out what only tests need
    #[arg(long)]
    build_only: bool,
    #[command(flatten)]
    system: System,
}

#[derive(Args)]
pub struct System {
    /// Leave the system's packages alone, installed or not
    #[arg(long)]
    skip_packages: bool,
}

impl System {
    /// Installs the system packages of `stage`, unless told not to.
    ///
    /// # Errors
    /// When a missing package cannot be installed.
    pub fn install(&self, stage: Stage) -> Result<()> {
        if self.skip_packages {
            return Ok(());
        }
        packages::install(stage)
    }
}

/// `cargo xtask setup`
pub fn run(options: &Options) -> Result<()> {
    if options.build_only {
        options.system.install(Stage::Build)?;
    } else {
        options.system.install(Stage::Test)?;
    }
    Node::find()?;
    if !options.build_only {
        crate::say::headline("Tools");
        tools::typos()?;
        tools::deny()?;
        crate::say::note("typos and cargo-deny are here");
    }
    models::fetch_required()
}
