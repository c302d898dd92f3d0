//! The .deb, out of the tree, with Debian's own tools.

use super::tree::write;
use super::{Parts, VERSION, fresh, output, size_of};
use anyhow::{Context, Result};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Loaded when it is there, so no tool can know of it; without it there is no tray icon.
const TRAY: &str = "libayatana-appindicator3-1";
/// Fetching models, saying replies aloud, keeping the key, sound through the desktop's own server.
const RECOMMENDS: &str =
    "python3-pip, speech-dispatcher, gnome-keyring | kwalletmanager, libasound2-plugins, xdg-desktop-portal";

/// Writes the .deb into `folder` and says where.
pub fn build(tree: &Path, folder: &Path, parts: &Parts) -> Result<PathBuf> {
    let root = folder.join("deb");
    fresh(&root)?;
    output(Command::new("cp").args(["--recursive", "--preserve=mode"]).arg(tree.join("usr")).arg(&root))?;
    let architecture = output(Command::new("dpkg").arg("--print-architecture"))?;
    let architecture = architecture.trim();
    // Policy counts in KiB.
    let installed = size_of(&root)?.div_ceil(1024);
    let sums = sums(&root)?;
    let control = control(architecture, installed, &libraries(&root, folder)?);
    write(&root.join("DEBIAN/control"), &control)?;
    write(&root.join("DEBIAN/md5sums"), &sums)?;

    let package = folder.join(format!("calmtrader_{VERSION}_{architecture}.deb"));
    let mut dpkg = Command::new("dpkg-deb");
    dpkg.args(["--root-owner-group", "-Zxz", "--build"]).arg(&root).arg(&package);
    output(dpkg.env("SOURCE_DATE_EPOCH", &parts.time))?;
    Ok(package)
}

fn control(architecture: &str, installed_kib: u64, libraries: &str) -> String {
    format!(
        "Package: calmtrader
Version: {VERSION}
Architecture: {architecture}
Maintainer: CalmTrader contributors <calmtrader@example.invalid>
Installed-Size: {installed_kib}
Depends: {libraries}, {TRAY}
Recommends: {RECOMMENDS}
Section: office
Priority: optional
Description: calm voice before the first order and after the last one
 A companion for traders: a minute of talk before trading and a minute after.
 It writes down what was said, hears how tense the voice is, asks what a good
 coach would ask, and keeps the answers in an encrypted database on this
 machine. Russian and English, a window and a terminal program (calm).
 .
 It gives no trading advice, diagnoses nothing and is not a therapist.
"
    )
}

/// The packages that bring the libraries which the programs are linked with, in the versions they need.
fn libraries(root: &Path, folder: &Path) -> Result<String> {
    // The tool wants to be called in the source of a package.
    let source = folder.join("shlibdeps");
    fresh(&source)?;
    write(&source.join("debian/control"), "Source: calmtrader\n\nPackage: calmtrader\nArchitecture: any\n")?;
    let mut tool = Command::new("dpkg-shlibdeps");
    tool.current_dir(&source).arg("-O").args(["calmtrader", "calm"].map(|name| root.join("usr/bin").join(name)));
    let answer = output(&mut tool)?;
    fs::remove_dir_all(&source)?;
    let depends = answer.trim().strip_prefix("shlibs:Depends=").map(str::to_owned);
    depends.with_context(|| format!("dpkg-shlibdeps said something else: {answer}"))
}

/// What `dpkg --verify` compares with.
fn sums(root: &Path) -> Result<String> {
    let find = "find usr -type f -print0 | LC_ALL=C sort -z | xargs -0 md5sum";
    output(Command::new("sh").args(["-c", find]).current_dir(root))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_control_file_names_what_apt_must_bring() {
        let control = control("amd64", 34_567, "libc6 (>= 2.36), libwebkit2gtk-4.1-0 (>= 2.41)");
        let field = |name: &str| {
            let line = control.lines().find_map(|line| line.strip_prefix(&format!("{name}: ")));
            line.unwrap_or_else(|| panic!("no {name}")).to_owned()
        };
        assert_eq!(field("Package"), "calmtrader");
        assert_eq!(field("Installed-Size"), "34567");
        let depends = field("Depends");
        assert!(depends.contains("libwebkit2gtk-4.1-0") && depends.contains(TRAY), "{depends}");
        assert!(field("Recommends").contains("python3-pip"), "models are fetched with it");
        assert!(control.ends_with('\n'), "dpkg refuses a last line without an end");
        assert!(control.lines().all(|line| line.len() < 120));
    }
}
