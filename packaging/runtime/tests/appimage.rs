//! A whole small AppImage: our runtime, an image behind it, and an `AppRun` that tells how it was started.
#![cfg(target_os = "linux")]

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use anyhow::{Context, Result};
use tempfile::TempDir;

const APP_RUN: &str = "#!/bin/sh
echo \"here: $APPDIR\"
echo \"args: $*\"
echo \"called: $ARGV0\"
cat \"$APPDIR/usr/share/words\"
exit 7
";
/// Longer than a block of the image, and every line another.
const LINES: usize = 60_000;

struct Packed {
    folder: TempDir,
    file: PathBuf,
}

impl Packed {
    fn new() -> Result<Self> {
        let folder = tempfile::tempdir()?;
        let app_dir = folder.path().join("AppDir");
        fs::create_dir_all(app_dir.join("usr/share"))?;
        fs::write(app_dir.join("AppRun"), APP_RUN)?;
        fs::set_permissions(app_dir.join("AppRun"), fs::Permissions::from_mode(0o755))?;
        fs::write(app_dir.join("usr/share/long"), long())?;
        fs::write(app_dir.join("usr/share/слова"), "спокойно\n")?;
        symlink("слова", app_dir.join("usr/share/words"))?;
        let image = folder.path().join("image");
        let mut pack = Command::new("mksquashfs");
        pack.arg(&app_dir).arg(&image).args(["-comp", "zstd", "-root-owned", "-quiet", "-no-progress"]);
        assert!(pack.status().context("the package `squashfs-tools` is installed (cargo xtask setup)")?.success());

        let file = folder.path().join("Small.AppImage");
        let mut bytes = fs::read(env!("CARGO_BIN_EXE_appimage-runtime"))?;
        bytes.extend(fs::read(image)?);
        fs::write(&file, bytes)?;
        fs::set_permissions(&file, fs::Permissions::from_mode(0o755))?;
        Ok(Self { folder, file })
    }

    fn run(&self, args: &[&str]) -> Result<Output> {
        let mut run = Command::new(&self.file);
        Ok(run.args(args).current_dir(self.folder.path()).env("TMPDIR", self.folder.path()).output()?)
    }

    /// What lies in the folder now, but for what was put there on purpose.
    fn left_behind(&self) -> Result<Vec<String>> {
        let mut names = Vec::new();
        for entry in fs::read_dir(self.folder.path())? {
            let name = entry?.file_name().to_string_lossy().into_owned();
            if !["AppDir", "image", "Small.AppImage"].contains(&name.as_str()) {
                names.push(name);
            }
        }
        Ok(names)
    }
}

fn long() -> String {
    (0..LINES).map(|line| format!("line {line}\n")).collect()
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn the_app_runs_unpacked_and_leaves_nothing_behind() -> Result<()> {
    let packed = Packed::new()?;
    let ran = packed.run(&["--appimage-extract-and-run", "--check-in", "утро"])?;
    assert_eq!(ran.status.code(), Some(7), "its exit code is the app's: {}", String::from_utf8_lossy(&ran.stderr));
    assert!(said(&ran).contains("args: --check-in утро\n"), "{}", said(&ran));
    assert!(said(&ran).contains("спокойно"), "{}", said(&ran));
    assert_eq!(packed.left_behind()?, Vec::<String>::new());
    Ok(())
}

#[test]
fn the_app_runs_mounted_or_else_unpacked() -> Result<()> {
    let packed = Packed::new()?;
    let ran = packed.run(&["one", "two"])?;
    assert_eq!(ran.status.code(), Some(7), "{}", String::from_utf8_lossy(&ran.stderr));
    assert!(said(&ran).contains("args: one two\n"), "{}", said(&ran));
    assert!(said(&ran).contains("called: ") && said(&ran).contains("Small.AppImage"), "{}", said(&ran));
    if ran.stderr.is_empty() {
        assert!(said(&ran).contains("/.mount_"), "{}", said(&ran));
    }
    assert_eq!(packed.left_behind()?, Vec::<String>::new());
    Ok(())
}

#[test]
fn unpacking_gives_back_every_file() -> Result<()> {
    let packed = Packed::new()?;
    assert!(packed.run(&["--appimage-extract"])?.status.success());
    let root = packed.folder.path().join("squashfs-root");
    assert_eq!(fs::read_to_string(root.join("usr/share/long"))?, long());
    assert_eq!(fs::read_link(root.join("usr/share/words"))?, Path::new("слова"));
    assert_eq!(fs::metadata(root.join("AppRun"))?.permissions().mode() & 0o777, 0o755);
    // Once more over what is there: an update by hand.
    assert!(packed.run(&["--appimage-extract"])?.status.success());
    Ok(())
}

#[test]
fn tools_find_the_image_behind_the_program() -> Result<()> {
    let packed = Packed::new()?;
    let offset: usize = said(&packed.run(&["--appimage-offset"])?).trim().parse()?;
    let bytes = fs::read(&packed.file)?;
    assert_eq!(bytes.get(offset..offset + 4), Some(&b"hsqs"[..]), "the mark of SquashFS");
    Ok(())
}

#[test]
fn a_damaged_download_says_so_in_one_line() -> Result<()> {
    let packed = Packed::new()?;
    let bytes = fs::read(&packed.file)?;
    let half = fs::metadata(env!("CARGO_BIN_EXE_appimage-runtime"))?.len() + 200;
    fs::write(&packed.file, &bytes[..usize::try_from(half)?])?;
    let ran = packed.run(&[])?;
    assert_eq!(ran.status.code(), Some(127));
    let complaint = String::from_utf8_lossy(&ran.stderr).into_owned();
    assert!(complaint.contains("damaged: download it again"), "{complaint}");
    assert_eq!(complaint.lines().count(), 1, "{complaint}");
    assert_eq!(packed.run(&["--appimage-nonsense"])?.status.code(), Some(2));
    Ok(())
}
