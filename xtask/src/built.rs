//! Our programs: built by cargo, found wherever it puts them.

use crate::command;
use anyhow::{Context, Result, bail};
use serde::Deserialize;
use std::path::PathBuf;
use std::process::Stdio;

/// What cargo built, by the names of the programs.
pub struct Programs(Vec<(String, PathBuf)>);

impl Programs {
    pub fn find(&self, name: &str) -> Result<PathBuf> {
        let found = self.0.iter().find(|(built, _)| built == name);
        Ok(found.with_context(|| format!("cargo built no program {name}"))?.1.clone())
    }
}

/// The line of `cargo build --message-format=json` that names a finished program.
#[derive(Deserialize)]
struct Artifact {
    target: Target,
    executable: Option<PathBuf>,
}

#[derive(Deserialize)]
struct Target {
    name: String,
}

/// Builds packages; cargo is asked where the programs lie, since the target folder may be anywhere.
///
/// # Errors
/// When one does not compile.
pub fn build(packages: &[&str], options: &[&str]) -> Result<Programs> {
    let mut cargo = command::cargo();
    cargo.args(["build", "--locked", "--bins", "--message-format=json-render-diagnostics"]);
    cargo.args(options);
    for package in packages {
        cargo.args(["--package", package]);
    }
    let output = cargo.stderr(Stdio::inherit()).output().context("cargo could not be started")?;
    if !output.status.success() {
        bail!("cargo build failed ({})", output.status);
    }
    Ok(programs_in(&String::from_utf8_lossy(&output.stdout)))
}

fn programs_in(messages: &str) -> Programs {
    let artifacts = messages.lines().filter_map(|line| serde_json::from_str::<Artifact>(line).ok());
    let programs = artifacts.filter_map(|artifact| Some((artifact.target.name, artifact.executable?)));
    Programs(programs.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_found_among_cargos_messages() -> Result<()> {
        let messages = concat!(
            r#"{"reason":"compiler-artifact","target":{"name":"calm_core","kind":["lib"]},"executable":null}"#,
            "\n",
            r#"{"reason":"build-script-executed","package_id":"x"}"#,
            "\n",
            r#"{"reason":"compiler-artifact","target":{"name":"calm","kind":["bin"]},"executable":"/цель/debug/calm"}"#,
            "\n",
            r#"{"reason":"build-finished","success":true}"#,
        );
        let programs = programs_in(messages);
        assert_eq!(programs.find("calm")?, PathBuf::from("/цель/debug/calm"));
        assert!(programs.find("calm_core").is_err(), "a library cannot be started");
        Ok(())
    }
}
