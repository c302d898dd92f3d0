//! Runs the real `calm` program in a data folder of its own.

#![allow(dead_code, reason = "each test file uses its own part")]

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;

/// A data folder with a name that trips careless path handling.
pub struct House {
    _dir: TempDir,
    pub data: PathBuf,
}

/// What a run printed.
pub struct Run {
    pub events: Vec<Value>,
    pub stderr: String,
    pub code: i32,
}

impl House {
    pub fn new() -> House {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let data = dir.path().join("Данные трейдера 1");
        House { _dir: dir, data }
    }

    pub fn command<S: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = S>) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_calm"));
        command
            .arg("--data-dir")
            .arg(&self.data)
            .args(args)
            .env("CALM_KEYCHAIN", "off")
            .env("LC_ALL", "C.UTF-8")
            .env_remove("CALM_LOG")
            .stdin(Stdio::null());
        command
    }

    /// Runs with `--json` and reads every line of stdout as an object.
    pub fn calm<S: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = S>) -> Run {
        let output = self.command(args).arg("--json").output().expect("calm starts");
        Run::read(&output)
    }
}

impl Run {
    pub fn read(output: &Output) -> Run {
        let stdout = String::from_utf8(output.stdout.clone()).expect("stdout is UTF-8");
        let events = stdout
            .lines()
            .map(|line| serde_json::from_str(line).unwrap_or_else(|_| panic!("not a JSON object: {line}")))
            .collect();
        Run {
            events,
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
            code: output.status.code().unwrap_or(-1),
        }
    }

    pub fn types(&self) -> Vec<&str> {
        self.events.iter().filter_map(|event| event["type"].as_str()).collect()
    }

    /// The only event of this type.
    pub fn one(&self, kind: &str) -> &Value {
        let found: Vec<&Value> = self.events.iter().filter(|event| event["type"] == kind).collect();
        assert_eq!(found.len(), 1, "{kind} in {:?}, stderr: {}", self.types(), self.stderr);
        found[0]
    }

    pub fn all<'a>(&'a self, kind: &'a str) -> impl Iterator<Item = &'a Value> + 'a {
        self.events.iter().filter(move |event| event["type"] == kind)
    }
}

/// One of the project's own recordings.
pub fn recording(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/audio").join(name)
}

/// A Wednesday morning.
pub const NOW: &str = "2026-03-04T08:00:00Z";

/// Files in a folder of their own.
pub struct Folder(pub TempDir);

impl Folder {
    pub fn of(files: &[(&str, &str)]) -> Folder {
        let folder = Folder(tempfile::tempdir().expect("a temporary folder"));
        for (path, text) in files {
            folder.write(path, text);
        }
        folder
    }

    pub fn write(&self, path: &str, text: &str) -> PathBuf {
        write(self.0.path(), path, text)
    }

    pub fn path(&self, name: &str) -> String {
        self.0.path().join(name).display().to_string()
    }
}

pub fn write(folder: &Path, path: &str, text: &str) -> PathBuf {
    let path = folder.join(path);
    fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    fs::write(&path, text).expect("a file");
    path
}

/// A shipped prompt file.
pub fn shipped(path: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../prompts").join(path)).expect("a prompt file")
}
