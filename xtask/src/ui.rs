//! The UI: its packages and its build, each only when their sources changed.
//!
//! Both stamps lie in `ui/node_modules`, so deleting that folder forgets everything at once.

use crate::node::Node;
use crate::stamp::Stamp;
use crate::{command, place, say};
use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};

/// Below `ui`: what is made from the sources, or has nothing to do with the result.
const NOT_SOURCES: [&str; 4] = ["node_modules", "dist", "src/paraglide", "project.inlang"];

/// The sources of the UI.
pub fn folder() -> Result<PathBuf> {
    let ui = place::root().join("ui");
    if !ui.join("package.json").is_file() || !ui.join("package-lock.json").is_file() {
        bail!("{} holds no package.json and package-lock.json: the clone is not whole", ui.display());
    }
    Ok(ui)
}

/// Installs the packages of `package-lock.json`, exactly.
///
/// # Errors
/// When `npm ci` fails, as it does without a network when a package is not in npm's cache.
pub fn install(node: &Node) -> Result<()> {
    let ui = folder()?;
    say::headline("UI packages");
    let modules = ui.join("node_modules");
    let lock = ui.join("package-lock.json");
    let stamp = Stamp::over(modules.join(".calm-installed"), &[&lock], &[])?;
    if stamp.holds() {
        say::note("unchanged");
        return Ok(());
    }
    let mut npm = node.npm()?;
    npm.current_dir(&ui).args(["ci", "--no-audit", "--no-fund", "--prefer-offline"]);
    command::run(&mut npm).context("the UI's packages could not be installed")?;
    stamp.set()
}

/// Builds `ui/dist`, which the app carries inside itself.
///
/// # Errors
/// When the build fails.
pub fn build(node: &Node) -> Result<()> {
    install(node)?;
    let ui = folder()?;
    say::headline("UI build");
    let stamp = sources(&ui)?;
    if stamp.holds() && ui.join("dist").join("index.html").is_file() {
        say::note("unchanged");
        return Ok(());
    }
    let mut npm = node.npm()?;
    npm.current_dir(&ui).args(["run", "--silent", "build"]);
    command::run(&mut npm).context("the UI could not be built")?;
    // Not read anew: an edit made while it was building may have come too late.
    stamp.set()
}

fn sources(ui: &Path) -> Result<Stamp> {
    let made = ui.join("node_modules").join(".calm-built");
    let languages = ui.join("project.inlang").join("settings.json");
    Stamp::over(made, &[ui, &languages], &NOT_SOURCES)
}

/// Runs one of the scripts of `package.json`.
///
/// # Errors
/// When the script fails.
pub fn script(node: &Node, name: &str) -> Result<()> {
    let mut npm = node.npm()?;
    npm.current_dir(folder()?).args(["run", "--silent", name]);
    command::run(&mut npm)
}
