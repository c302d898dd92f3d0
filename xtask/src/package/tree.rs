//! The files that every package for Linux holds, below `usr`.

use super::{Parts, VERSION, fresh, licences, output};
use crate::{command, place};
use anyhow::{Context, Result};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

/// From the clone, and where to, below `usr/share`.
const FILES: [(&str, &str); 5] = [
    ("packaging/linux/calmtrader.desktop", "applications/calmtrader.desktop"),
    ("src-tauri/icons/32x32.png", "icons/hicolor/32x32/apps/calmtrader.png"),
    ("src-tauri/icons/128x128.png", "icons/hicolor/128x128/apps/calmtrader.png"),
    ("src-tauri/icons/128x128@2x.png", "icons/hicolor/256x256/apps/calmtrader.png"),
    ("src-tauri/icons/icon.svg", "icons/hicolor/scalable/apps/calmtrader.svg"),
];

const METAINFO: &str = include_str!("../../../packaging/linux/io.calmtrader.desktop.metainfo.xml");

/// Lays the tree into `root`, which is emptied first.
pub fn lay(root: &Path, parts: &Parts) -> Result<()> {
    fresh(root)?;
    let (bin, share) = (root.join("usr/bin"), root.join("usr/share"));
    put(&parts.window, &bin.join("calmtrader"), 0o755)?;
    put(&parts.terminal, &bin.join("calm"), 0o755)?;
    for (from, to) in FILES {
        put(&place::root().join(from), &share.join(to), 0o644)?;
    }
    write(&share.join("metainfo/io.calmtrader.desktop.metainfo.xml"), &metainfo(&date_of(&parts.time)?))?;

    let documents = share.join("doc/calmtrader");
    write(&documents.join("copyright"), COPYRIGHT)?;
    for licence in ["LICENSE-MIT", "LICENSE-APACHE"] {
        put(&place::root().join(licence), &documents.join(licence), 0o644)?;
    }
    let third_party = documents.join("third-party.txt");
    write(&third_party, &licences::text()?)?;
    pack(&third_party)?;

    let manual = share.join("man/man1/calm.1");
    write(&manual, &manual_of(&bin.join("calm"), &parts.time)?)?;
    pack(&manual)
}

const COPYRIGHT: &str = "\
Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: CalmTrader
Comment: Licences of the libraries inside the programs: third-party.txt.gz.

Files: *
Copyright: the CalmTrader contributors
License: MIT or Apache-2.0

License: MIT
 The text is in LICENSE-MIT beside this file.

License: Apache-2.0
 The text is in LICENSE-APACHE beside this file, and on Debian systems in
 /usr/share/common-licenses/Apache-2.0.
";

/// For software centres. `date` is `2026-11-30`.
fn metainfo(date: &str) -> String {
    METAINFO.replace("@VERSION@", VERSION).replace("@DATE@", date)
}

/// `1764460800` → `2025-11-30`.
fn date_of(time: &str) -> Result<String> {
    let date = output(Command::new("date").args(["--utc", "--date", &format!("@{time}"), "+%F"]))?;
    Ok(date.trim().to_owned())
}

/// The manual page, from what the program says of itself.
fn manual_of(calm: &Path, time: &str) -> Result<String> {
    let mut help2man = Command::new("help2man");
    help2man.args(["--no-info", "--name", "talk to CalmTrader in the terminal"]).arg(calm);
    // Its language and date are ours to say, not this machine's.
    help2man.env("LC_ALL", "C.UTF-8").env("SOURCE_DATE_EPOCH", time);
    output(&mut help2man)
}

/// Copies one file, making its folders.
pub fn put(from: &Path, to: &Path, mode: u32) -> Result<()> {
    let cannot = || format!("{} cannot be copied to {}", from.display(), to.display());
    to.parent().map_or(Ok(()), fs::create_dir_all).with_context(cannot)?;
    fs::copy(from, to).with_context(cannot)?;
    fs::set_permissions(to, fs::Permissions::from_mode(mode)).with_context(cannot)
}

/// Writes one readable file, making its folders.
pub fn write(to: &Path, text: &str) -> Result<()> {
    let cannot = || format!("{} cannot be written", to.display());
    to.parent().map_or(Ok(()), fs::create_dir_all).with_context(cannot)?;
    fs::write(to, text).with_context(cannot)?;
    fs::set_permissions(to, fs::Permissions::from_mode(0o644)).with_context(cannot)
}

/// `FILE` becomes `FILE.gz`, without a date in it.
fn pack(file: &Path) -> Result<()> {
    command::run(Command::new("gzip").args(["-9", "-n", "-f"]).arg(file))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_that_is_packed_lies_in_the_clone() {
        for (from, to) in FILES {
            assert!(place::root().join(from).is_file(), "{from}, for {to}");
        }
    }

    #[test]
    fn the_desktop_understands_the_menu_entry() -> Result<()> {
        let entry = place::root().join("packaging/linux/calmtrader.desktop");
        let said = output(Command::new("desktop-file-validate").arg(&entry))?;
        assert!(said.is_empty(), "{said}");
        let text = fs::read_to_string(&entry)?;
        // What a desktop shows of it in Russian is Russian.
        for key in ["GenericName", "Comment", "Keywords"] {
            assert!(text.contains(&format!("\n{key}[ru]=")), "{key}");
        }
        for action in ["check-in", "check-out"] {
            assert!(text.contains(&format!("Exec=calmtrader --{action}\n")), "{action}");
        }
        Ok(())
    }

    #[test]
    fn software_centres_understand_the_description() -> Result<()> {
        let folder = tempfile::tempdir()?;
        let file = folder.path().join("io.calmtrader.desktop.metainfo.xml");
        fs::write(&file, metainfo("2026-11-30"))?;
        output(Command::new("appstreamcli").args(["validate", "--no-net"]).arg(&file))?;
        Ok(())
    }
}
