//! `cargo xtask package`: what users install on Linux, a .deb and an AppImage.
//!
//! Both hold the same tree of files. What they need of the system, and how the packages for Windows and macOS are
//! made: docs/packaging.md.

mod appimage;
mod deb;
mod libraries;
mod licences;
mod tree;

use crate::node::Node;
use crate::packages::Stage;
use crate::setup::System;
use crate::{built, command, place, say, ui};
use anyhow::{Context, Result, bail};
use clap::{Args, ValueEnum};
use serde::Deserialize;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

#[derive(Args)]
pub struct Options {
    /// Make this one only; may be given several times
    #[arg(long, value_enum, value_name = "FORM")]
    only: Vec<Form>,
    /// Take `calmtrader`, `calm` and `appimage-runtime` from this folder instead of building them
    #[arg(long, value_name = "FOLDER")]
    programs: Option<PathBuf>,
    #[command(flatten)]
    system: System,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Form {
    Deb,
    Appimage,
}

const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Where the parts are, and the time that is written into them, in seconds since 1970.
struct Parts {
    window: PathBuf,
    terminal: PathBuf,
    runtime: PathBuf,
    time: String,
}

/// `cargo xtask package`
pub fn run(options: &Options) -> Result<()> {
    if !cfg!(all(target_os = "linux", target_arch = "x86_64")) {
        bail!("packages for this system are made by Tauri's own bundler: docs/packaging.md says how");
    }
    options.system.install(Stage::Package)?;
    let parts = match &options.programs {
        Some(folder) => Parts::in_folder(folder)?,
        None => Parts::build()?,
    };
    let folder = target_folder()?.join("package");
    fs::create_dir_all(&folder).with_context(|| format!("{} cannot be made", folder.display()))?;

    say::headline("Files of the package");
    let tree = folder.join("tree");
    tree::lay(&tree, &parts)?;
    say::note(&tree.display().to_string());

    let mut lines = Vec::new();
    let chosen = |form: Form| options.only.is_empty() || options.only.contains(&form);
    if chosen(Form::Deb) {
        say::headline(".deb");
        lines.push(size_line(&deb::build(&tree, &folder, &parts)?, &tree)?);
    }
    if chosen(Form::Appimage) {
        say::headline("AppImage");
        let app_dir = folder.join("AppDir");
        lines.push(size_line(&appimage::build(&tree, &app_dir, &folder, &parts)?, &app_dir)?);
    }
    say::headline("Packages");
    lines.iter().for_each(|line| println!("{line}"));
    Ok(())
}

impl Parts {
    fn build() -> Result<Self> {
        ui::build(&Node::find()?)?;
        say::headline("Release build, which takes a while");
        let release = ["--release"];
        let product = built::build(&["calmtrader", "calm-cli"], &release)?;
        // By itself, so that its libraries do not add to what ours are built with.
        let runtime = built::build(&["appimage-runtime"], &release)?;
        Ok(Self {
            window: product.find("calmtrader")?,
            terminal: product.find("calm")?,
            runtime: runtime.find("appimage-runtime")?,
            time: time_of_sources()?,
        })
    }

    fn in_folder(folder: &Path) -> Result<Self> {
        let find = |name: &str| {
            let program = folder.join(name);
            if !program.is_file() {
                bail!("{} is not there", program.display());
            }
            Ok(program)
        };
        Ok(Self {
            window: find("calmtrader")?,
            terminal: find("calm")?,
            runtime: find("appimage-runtime")?,
            time: time_of_sources()?,
        })
    }
}

/// When the sources were last changed: the same sources make the same package.
fn time_of_sources() -> Result<String> {
    let mut git = Command::new("git");
    git.args(["log", "-1", "--format=%ct"]).current_dir(place::root());
    let time = command::answer(&mut git).context("the clone does not say of when it is")?;
    Ok(time.trim().to_owned())
}

#[derive(Deserialize)]
struct Metadata {
    target_directory: PathBuf,
}

fn target_folder() -> Result<PathBuf> {
    let mut cargo = command::cargo();
    cargo.args(["metadata", "--no-deps", "--format-version=1", "--locked", "--offline"]);
    let answer = command::answer(&mut cargo).context("cargo does not describe this workspace")?;
    Ok(serde_json::from_str::<Metadata>(&answer)?.target_directory)
}

/// `/…/calmtrader_0.1.0_amd64.deb   11.2 MB, 34.5 MB unpacked`
fn size_line(package: &Path, unpacked: &Path) -> Result<String> {
    let megabytes = |bytes: u64| format!("{}.{} MB", bytes / 1_000_000, bytes / 100_000 % 10);
    let (packed, files) = (fs::metadata(package)?.len(), size_of(unpacked)?);
    Ok(format!("{}   {}, {} unpacked", package.display(), megabytes(packed), megabytes(files)))
}

/// Bytes of all files in a folder.
fn size_of(folder: &Path) -> Result<u64> {
    let mut bytes = 0;
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let about = entry.metadata()?;
        bytes += if about.is_dir() { size_of(&entry.path())? } else { about.len() };
    }
    Ok(bytes)
}

/// An empty folder, whatever was there.
fn fresh(folder: &Path) -> Result<()> {
    if folder.exists() {
        fs::remove_dir_all(folder).with_context(|| format!("{} cannot be emptied", folder.display()))?;
    }
    fs::create_dir_all(folder).with_context(|| format!("{} cannot be made", folder.display()))
}

/// Standard output of a program that must succeed; its complaints go to ours.
fn output(command: &mut Command) -> Result<String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.stderr(std::process::Stdio::inherit()).output();
    let output = output.with_context(|| format!("{name} could not be started"))?;
    if !output.status.success() {
        bail!("{name} failed ({})", output.status);
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
