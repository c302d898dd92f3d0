//! Which shared libraries an AppImage brings: all that its programs are linked with, but for those of the machine.

use super::output;
use super::tree::put;
use anyhow::{Context, Result, bail};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const HOST: &str = include_str!("../../../packaging/linux/host-libraries.txt");

/// Libraries by the names under which they are looked for.
pub type Libraries = BTreeMap<String, PathBuf>;

/// What `files` and their libraries are linked with, and is not the machine's.
pub fn of(files: &[PathBuf]) -> Result<Libraries> {
    let mut libraries = Libraries::new();
    for file in files {
        let linked = output(Command::new("ldd").arg(file).env("LC_ALL", "C"))?;
        let linked = read(&linked).with_context(|| format!("of {}", file.display()))?;
        libraries.extend(linked.into_iter().filter(|(name, _)| !is_of_the_host(name)));
    }
    Ok(libraries)
}

/// Lines of ldd: `libgtk-3.so.0 => /lib/x86_64-linux-gnu/libgtk-3.so.0 (0x00007f…)`.
fn read(linked: &str) -> Result<Libraries> {
    let mut libraries = Libraries::new();
    for line in linked.lines() {
        let Some((name, place)) = line.trim().split_once(" => ") else { continue };
        if place.starts_with("not found") {
            bail!("{name} is not on this machine");
        }
        let path = place.split(" (").next().unwrap_or(place);
        libraries.insert(name.to_owned(), PathBuf::from(path));
    }
    Ok(libraries)
}

fn is_of_the_host(name: &str) -> bool {
    let stem = name.split(".so").next().unwrap_or(name);
    host().any(|library| library == stem)
}

fn host() -> impl Iterator<Item = &'static str> {
    HOST.lines().filter(|line| !line.starts_with('#')).filter_map(|line| line.split_whitespace().next())
}

/// Copies libraries into `folder`; each then looks for the others beside itself.
pub fn copy(libraries: &Libraries, folder: &Path) -> Result<()> {
    for (name, path) in libraries {
        let to = folder.join(name);
        put(path, &to, 0o755)?;
        look_in(&to, "$ORIGIN")?;
    }
    Ok(())
}

/// Makes a program or library look for libraries in `place` first.
pub fn look_in(file: &Path, place: &str) -> Result<()> {
    output(Command::new("patchelf").args(["--set-rpath", place]).arg(file)).map(drop)
}

/// Copies the licences of the Debian packages that `files` come from below `documents`, and names the packages.
pub fn copy_licences(files: &[&PathBuf], documents: &Path) -> Result<BTreeSet<String>> {
    let packages = owners(files)?;
    for package in &packages {
        let copyright = Path::new("/usr/share/doc").join(package).join("copyright");
        put(&copyright, &documents.join(package).join("copyright"), 0o644)?;
    }
    Ok(packages)
}

fn owners(files: &[&PathBuf]) -> Result<BTreeSet<String>> {
    let mut packages = BTreeSet::new();
    let mut search = Command::new("dpkg-query");
    search.arg("--search");
    for file in files {
        // Known to dpkg as /lib or as /usr/lib, whatever the link between them says today.
        let real = fs::canonicalize(file)?;
        let without = real.strip_prefix("/usr").map(|rest| Path::new("/").join(rest));
        search.arg(&real).args(without.ok());
    }
    // It fails as soon as one of them is unknown, and answers for the others.
    let said = search.env("LC_ALL", "C").stderr(Stdio::null()).output().context("dpkg-query could not be started")?;
    for line in String::from_utf8_lossy(&said.stdout).lines() {
        let package = line.split([':', ',']).next().unwrap_or(line);
        packages.insert(package.to_owned());
    }
    if packages.is_empty() {
        bail!("no Debian package owns the libraries: an AppImage is made on Debian");
    }
    Ok(packages)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINKED: &str = "\tlinux-vdso.so.1 (0x00007ffd)\n\
        \tlibgtk-3.so.0 => /lib/x86_64-linux-gnu/libgtk-3.so.0 (0x00007f12)\n\
        \tlibc.so.6 => /lib/x86_64-linux-gnu/libc.so.6 (0x00007f13)\n\
        \t/lib64/ld-linux-x86-64.so.2 (0x00007f14)\n";

    #[test]
    fn libraries_are_found_by_their_names() -> Result<()> {
        let libraries = read(LINKED)?;
        assert_eq!(libraries.len(), 2, "{libraries:?}");
        assert_eq!(libraries.get("libgtk-3.so.0"), Some(&PathBuf::from("/lib/x86_64-linux-gnu/libgtk-3.so.0")));
        Ok(())
    }

    #[test]
    fn a_library_that_is_not_here_is_named() {
        let error = read("\tlibmissing.so.3 => not found\n").expect_err("not found").to_string();
        assert!(error.contains("libmissing.so.3"), "{error}");
    }

    #[test]
    fn the_machine_keeps_its_c_library_and_its_graphics() {
        for name in ["libc.so.6", "libEGL.so.1", "libX11.so.6", "libgbm.so.1", "ld-linux-x86-64.so.2"] {
            assert!(is_of_the_host(name), "{name}");
        }
        for name in ["libwebkit2gtk-4.1.so.0", "libgtk-3.so.0", "libX11-extra.so.1", "libcairo.so.2"] {
            assert!(!is_of_the_host(name), "{name}");
        }
    }

    #[test]
    fn the_licence_of_every_owner_is_copied() -> Result<()> {
        let documents = tempfile::tempdir()?;
        let shell = PathBuf::from("/bin/sh");
        let packages = copy_licences(&[&shell], documents.path())?;
        let package = packages.iter().next().context("a package")?;
        assert!(documents.path().join(package).join("copyright").is_file());
        Ok(())
    }
}
