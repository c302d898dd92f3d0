//! System packages: which are missing, why they are needed, and their installation.
//!
//! The list is `packages.txt`. Nothing is run when everything is there, so a machine without a
//! network, or a user without sudo, is only stopped by a package that is really missing.

use crate::{command, place, say};
use anyhow::{Context, Result, bail};
use std::collections::BTreeSet;
use std::env;
use std::fs;
use std::process::{Command, Stdio};
use std::time::Instant;

const LIST: &str = include_str!("../packages.txt");

/// What a package is for; each needs everything that the ones before it need, too.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    Build,
    Package,
    Test,
}

/// The programs that know what is installed and can install more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Installer {
    Apt,
    Dnf,
    Pacman,
    Brew,
    Winget,
}

/// A line of the list, for one installer.
#[derive(Debug, PartialEq, Eq)]
struct Package {
    stage: Stage,
    why: &'static str,
    name: &'static str,
}

/// Installs what is missing, after saying what and why.
///
/// # Errors
/// When a package is missing and cannot be installed; the message says what to run by hand.
pub fn install(stage: Stage) -> Result<()> {
    say::headline("System packages");
    let Some(installer) = Installer::of_this_machine() else {
        say::note("no known package installer here; xtask/packages.txt lists what is needed");
        return Ok(());
    };
    let wanted: Vec<Package> = read(LIST, installer)?.into_iter().filter(|package| package.stage <= stage).collect();
    let here = installer.installed(&wanted);
    let missing: Vec<&Package> = wanted.iter().filter(|package| !here.contains(package.name)).collect();
    if missing.is_empty() {
        say::note(&format!("all {} are here", wanted.len()));
        return Ok(());
    }

    let names: Vec<&str> = missing.iter().map(|package| package.name).collect();
    say::note(&format!(
        "{} of {} are missing, about to install them with {}{}:",
        missing.len(),
        wanted.len(),
        if installer.needs_sudo() { "sudo " } else { "" },
        installer.program(),
    ));
    for package in &missing {
        say::note(&format!("  {:<30} {}", package.name, package.why));
    }
    let start = Instant::now();
    installer.install(&names).with_context(|| {
        format!(
            "packages are missing and could not be installed; by hand: {}; or pass --skip-packages if the same things \
             come from elsewhere",
            installer.by_hand(&names)
        )
    })?;
    say::note(&format!("installed in {}", say::duration(start.elapsed())));
    Ok(())
}

/// The packages of one installer's column. Columns are parted by `|`; a dash is no package.
fn read(list: &'static str, installer: Installer) -> Result<Vec<Package>> {
    let lines = list.lines().enumerate();
    let lines = lines.filter(|(_, line)| !line.starts_with('#') && !line.trim().is_empty());
    let mut packages = Vec::new();
    for (number, line) in lines {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let &[stage, why, apt, dnf, pacman, brew, winget] = cells.as_slice() else {
            bail!("packages.txt, line {}: seven columns are needed", number + 1);
        };
        let stage = match stage {
            "build" => Stage::Build,
            "package" => Stage::Package,
            "test" => Stage::Test,
            _ => bail!("packages.txt, line {}: unknown stage", number + 1),
        };
        let name = match installer {
            Installer::Apt => apt,
            Installer::Dnf => dnf,
            Installer::Pacman => pacman,
            Installer::Brew => brew,
            Installer::Winget => winget,
        };
        match name {
            "" => bail!("packages.txt, line {}: an empty cell", number + 1),
            "-" => {}
            _ => packages.push(Package { stage, why, name }),
        }
    }
    Ok(packages)
}

impl Installer {
    fn of_this_machine() -> Option<Self> {
        match env::consts::OS {
            "macos" => Some(Self::Brew),
            "windows" => Some(Self::Winget),
            "linux" => Self::of_distribution(&fs::read_to_string("/etc/os-release").ok()?),
            _ => None,
        }
    }

    /// From `ID` and `ID_LIKE` of `/etc/os-release`.
    fn of_distribution(os_release: &str) -> Option<Self> {
        let words = os_release
            .lines()
            .filter_map(|line| line.strip_prefix("ID=").or(line.strip_prefix("ID_LIKE=")))
            .flat_map(|value| value.trim_matches('"').split_whitespace());
        for word in words {
            match word {
                "debian" | "ubuntu" => return Some(Self::Apt),
                "fedora" | "rhel" => return Some(Self::Dnf),
                "arch" => return Some(Self::Pacman),
                _ => {}
            }
        }
        None
    }

    fn program(self) -> &'static str {
        match self {
            Self::Apt => "apt-get",
            Self::Dnf => "dnf",
            Self::Pacman => "pacman",
            Self::Brew => "brew",
            Self::Winget => "winget",
        }
    }

    /// What an administrator would type.
    fn by_hand(self, names: &[&str]) -> String {
        let install = match self {
            Self::Pacman => "-S",
            Self::Apt | Self::Dnf | Self::Brew | Self::Winget => "install",
        };
        format!("`{} {install} {}`", self.program(), names.join(" "))
    }

    fn needs_sudo(self) -> bool {
        let for_everyone = matches!(self, Self::Apt | Self::Dnf | Self::Pacman);
        for_everyone && !is_root()
    }

    /// Those of `wanted` that are installed.
    fn installed(self, wanted: &[Package]) -> BTreeSet<String> {
        let names = wanted.iter().map(|package| package.name);
        match self {
            // Exit 1 when one name is unknown; the others are answered all the same.
            Self::Apt => {
                lines_of(Command::new("dpkg-query").args(["-W", "-f", "${db:Status-Status} ${Package}\\n"]).args(names))
                    .filter_map(|line| line.strip_prefix("installed ").map(str::to_owned))
                    .collect()
            }
            Self::Dnf => lines_of(Command::new("rpm").args(["-q", "--qf", "%{NAME}\\n"]).args(names)).collect(),
            Self::Pacman => {
                let missing: BTreeSet<String> =
                    lines_of(Command::new("pacman").arg("-T").args(names.clone())).collect();
                names.filter(|name| !missing.contains(*name)).map(str::to_owned).collect()
            }
            Self::Brew => lines_of(Command::new("brew").args(["list", "--formula", "-1"])).collect(),
            Self::Winget => names
                .filter(|name| {
                    let mut list = Command::new("winget");
                    command::answer(list.args(["list", "--exact", "--id", name])).is_some()
                })
                .map(str::to_owned)
                .collect(),
        }
    }

    fn install(self, names: &[&str]) -> Result<()> {
        match self {
            Self::Apt => {
                let log = place::cache()?.join("packages.log");
                say::note(&format!("this takes minutes; what apt-get says goes to {}", log.display()));
                let apt = || {
                    let mut apt = self.privileged("env");
                    apt.args(["DEBIAN_FRONTEND=noninteractive", "apt-get", "-q"]);
                    apt.args(["-o", "Dpkg::Use-Pty=0", "-o", "DPkg::Lock::Timeout=300"]);
                    apt
                };
                // A broken third-party source fails the update and need not concern us.
                if command::run_quietly(apt().arg("update"), &log).is_err() {
                    say::note("apt-get update failed; trying with the lists that are there");
                }
                // Never at the price of something that the user has, such as another sound server.
                let install = ["install", "-y", "--no-install-recommends", "--no-remove"];
                command::run_quietly(apt().args(install).args(names), &log)
            }
            Self::Dnf => command::run(self.privileged("dnf").args(["install", "-y"]).args(names)),
            Self::Pacman => {
                let install = ["-S", "--needed", "--noconfirm"];
                command::run(self.privileged("pacman").args(install).args(names))
            }
            Self::Brew => command::run(Command::new("brew").arg("install").args(names)),
            Self::Winget => names.iter().try_for_each(|name| {
                let mut winget = Command::new("winget");
                winget.args(["install", "--exact", "--id", name]);
                command::run(winget.args(["--accept-package-agreements", "--accept-source-agreements"]))
            }),
        }
    }

    fn privileged(self, program: &str) -> Command {
        if self.needs_sudo() {
            let mut sudo = Command::new("sudo");
            sudo.arg(program);
            sudo
        } else {
            Command::new(program)
        }
    }
}

fn is_root() -> bool {
    command::answer(Command::new("id").arg("-u")).is_some_and(|id| id.trim() == "0")
}

/// Standard output by lines, whatever the exit code; nothing when the program is not there.
fn lines_of(command: &mut Command) -> impl Iterator<Item = String> {
    let output = command.env("LC_ALL", "C").stderr(Stdio::null()).output();
    let text = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
    let lines: Vec<String> = text.unwrap_or_default().lines().map(str::to_owned).collect();
    lines.into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [Installer; 5] = [Installer::Apt, Installer::Dnf, Installer::Pacman, Installer::Brew, Installer::Winget];

    #[test]
    fn every_column_of_the_shipped_list_can_be_read() -> Result<()> {
        for installer in ALL {
            let packages = read(LIST, installer)?;
            let names: BTreeSet<&str> = packages.iter().map(|package| package.name).collect();
            assert!(!packages.is_empty(), "{installer:?}");
            for package in &packages {
                assert!(!package.why.is_empty(), "{} needs a reason", package.name);
                assert!(!package.name.contains(char::is_whitespace), "{} is one package", package.name);
            }
            assert!(names.len() == packages.len(), "{installer:?} has one twice");
        }
        Ok(())
    }

    #[test]
    fn a_dash_is_no_package_and_stages_are_kept_apart() -> Result<()> {
        let list = "# why\n\nbuild | the window | webkit-dev | webkit-devel | - | - | -\n\
                    test | a display | xvfb | - | - | - | -\n";
        let apt = read(list, Installer::Apt)?;
        assert_eq!(
            apt,
            [
                Package { stage: Stage::Build, why: "the window", name: "webkit-dev" },
                Package { stage: Stage::Test, why: "a display", name: "xvfb" },
            ]
        );
        assert_eq!(read(list, Installer::Dnf)?.len(), 1);
        assert!(read(list, Installer::Brew)?.is_empty());
        Ok(())
    }

    #[test]
    fn a_damaged_list_names_its_line() {
        for (list, line) in [
            ("# x\nbuild | six | columns | - | - | -\n", "line 2"),
            ("later | why | a | b | c | d | e\n", "line 1"),
            ("build | why |  | b | c | d | e\n", "line 1"),
        ] {
            let error = read(list, Installer::Apt).expect_err(list).to_string();
            assert!(error.contains(line), "{error}");
        }
    }

    #[test]
    fn the_distribution_decides_the_installer() {
        let of = Installer::of_distribution;
        assert_eq!(of("NAME=\"Debian GNU/Linux\"\nID=debian\n"), Some(Installer::Apt));
        assert_eq!(of("ID=linuxmint\nID_LIKE=\"ubuntu debian\"\n"), Some(Installer::Apt));
        assert_eq!(of("ID=\"rocky\"\nID_LIKE=\"rhel centos fedora\"\n"), Some(Installer::Dnf));
        assert_eq!(of("ID=manjaro\nID_LIKE=arch\n"), Some(Installer::Pacman));
        assert_eq!(of("VERSION_ID=\"12\"\nID=slackware\n"), None);
    }
}
