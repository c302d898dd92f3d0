//! Stamps: a small file that says from which sources something was made.
//!
//! Contents count, not times, so a fresh checkout of the same sources is not news.

use anyhow::{Context, Result};
use sha2::{Digest, Sha256};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

/// A stamp file that lies beside, or inside, what was made.
pub struct Stamp {
    file: PathBuf,
    now: String,
}

impl Stamp {
    /// Compares the sources as they are now with `file`.
    ///
    /// `sources` are files and folders; in folders every entry counts except those that
    /// `leave_out` names by their path below the folder.
    ///
    /// # Errors
    /// When a source cannot be read.
    pub fn over(file: PathBuf, sources: &[&Path], leave_out: &[&str]) -> Result<Self> {
        let mut hash = Sha256::new();
        for source in sources {
            let mut files = Vec::new();
            list(source, source, leave_out, &mut files)?;
            files.sort();
            for path in files {
                let text = fs::read(&path).with_context(|| format!("{} cannot be read", path.display()))?;
                let name = path.strip_prefix(source).unwrap_or(&path);
                // The lengths keep "ab" + "c" apart from "a" + "bc".
                hash.update(format!("{}\0{}\0", name.display(), text.len()));
                hash.update(&text);
            }
        }
        let mut now = String::new();
        for byte in hash.finalize() {
            write!(now, "{byte:02x}")?;
        }
        Ok(Self { file, now })
    }

    /// True when it was made from exactly these sources.
    pub fn holds(&self) -> bool {
        fs::read_to_string(&self.file).is_ok_and(|then| then.trim() == self.now)
    }

    /// Says that it has been made. Only to be called after the work succeeded.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn set(&self) -> Result<()> {
        fs::write(&self.file, &self.now).with_context(|| format!("{} cannot be written", self.file.display()))
    }
}

fn list(top: &Path, path: &Path, leave_out: &[&str], files: &mut Vec<PathBuf>) -> Result<()> {
    let below = path.strip_prefix(top).unwrap_or(path);
    if leave_out.iter().any(|name| below == Path::new(name)) {
        return Ok(());
    }
    if !path.is_dir() {
        files.push(path.to_owned());
        return Ok(());
    }
    let entries = fs::read_dir(path).with_context(|| format!("{} cannot be read", path.display()))?;
    for entry in entries {
        list(top, &entry?.path(), leave_out, files)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::{create_dir_all, write};

    #[test]
    fn a_stamp_holds_until_a_source_changes() -> Result<()> {
        let dir = tempfile::tempdir()?;
        let (ui, stamp) = (dir.path().join("ui"), dir.path().join("stamp"));
        create_dir_all(ui.join("src"))?;
        create_dir_all(ui.join("dist"))?;
        write(ui.join("src/App.svelte"), "<h1>calm</h1>")?;
        let over = || Stamp::over(stamp.clone(), &[&ui], &["dist"]);

        assert!(!over()?.holds(), "nothing was made yet");
        over()?.set()?;
        assert!(over()?.holds());

        write(ui.join("dist/index.html"), "made")?;
        assert!(over()?.holds(), "what was made is not a source");

        write(ui.join("src/App.svelte"), "<h1>quiet</h1>")?;
        assert!(!over()?.holds(), "an edit");
        over()?.set()?;
        fs::rename(ui.join("src/App.svelte"), ui.join("src/Main.svelte"))?;
        assert!(!over()?.holds(), "a new name");
        Ok(())
    }

    #[test]
    fn a_missing_source_is_an_error_not_an_empty_one() {
        let gone = Path::new("/nowhere/package-lock.json");
        assert!(Stamp::over("stamp".into(), &[gone], &[]).is_err());
    }
}
