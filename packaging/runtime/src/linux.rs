//! The options, and the start of the app.

use std::ffi::OsString;
use std::os::unix::fs::symlink;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode};
use std::sync::mpsc::channel;
use std::time::Duration;
use std::{env, fs, io};

use anyhow::{Context, Result, bail};
use fuser::BackgroundSession;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use tempfile::TempDir;

use crate::image::{Image, What};
use crate::mount;

const HELP: &str = "\
options of the package, before those of the app:
  --appimage-extract            unpack into ./squashfs-root
  --appimage-extract-and-run    unpack into a temporary folder, run, remove it; for machines without FUSE
  --appimage-mount              mount, print the folder, and wait for Ctrl-C
  --appimage-offset             print where the SquashFS image begins
  --appimage-version            print the version";

/// Asks for `--appimage-extract-and-run`, for callers that cannot pass it.
const UNPACK: &str = "APPIMAGE_EXTRACT_AND_RUN";

pub fn main() -> ExitCode {
    match run() {
        Ok(code) => code,
        Err(error) => {
            eprintln!("AppImage: {error:#}");
            ExitCode::from(127)
        }
    }
}

fn run() -> Result<ExitCode> {
    // Not argv[0], which the caller may choose.
    let file = env::current_exe().context("this system does not say where the program lies")?;
    let mut args = env::args_os();
    let called_as = args.next().unwrap_or_default();
    let args: Vec<OsString> = args.collect();
    let image = || Image::open(&file).with_context(|| format!("{} is damaged: download it again", file.display()));

    let unpack = env::var_os(UNPACK).is_some_and(|value| value == "1");
    match args.first().and_then(|first| first.to_str()).filter(|first| first.starts_with("--appimage-")) {
        None => start(&file, &image()?, &called_as, &args, unpack),
        Some("--appimage-extract-and-run") => start(&file, &image()?, &called_as, &args[1..], true),
        Some("--appimage-extract") => {
            let to = Path::new("squashfs-root");
            extract(&image()?, to).with_context(|| format!("cannot unpack into {}", to.display()))?;
            said(&to.display().to_string())
        }
        Some("--appimage-mount") => {
            let image = image()?;
            let folder = mount_folder()?;
            let mounted = mount::mount(image, &folder)?;
            let (ended, wait) = channel();
            ctrlc::set_handler(move || {
                ended.send(()).ok();
            })?;
            let printed = said(&folder.display().to_string());
            if printed.is_ok() {
                wait.recv().ok();
            }
            unmount(mounted, &folder);
            printed
        }
        Some("--appimage-offset") => said(&image()?.offset().to_string()),
        Some("--appimage-version") => said(env!("CARGO_PKG_VERSION")),
        Some("--appimage-help") => said(HELP),
        Some(other) => {
            eprintln!("AppImage: there is no option {other}; --appimage-help lists them");
            Ok(ExitCode::from(2))
        }
    }
}

fn said(text: &str) -> Result<ExitCode> {
    use io::Write;
    writeln!(io::stdout(), "{text}").context("standard output is closed")?;
    Ok(ExitCode::SUCCESS)
}

/// Runs the app out of its folder, and takes the folder away when it has ended.
fn start(file: &Path, image: &Image, called_as: &OsString, args: &[OsString], unpack: bool) -> Result<ExitCode> {
    if !unpack {
        let folder = mount_folder()?;
        match Image::open(file).and_then(|image| mount::mount(image, &folder)) {
            Ok(mounted) => {
                let code = app(file, &folder, called_as, args);
                unmount(mounted, &folder);
                return code;
            }
            Err(error) => {
                eprintln!("AppImage: unpacked first, which takes a while: {error:#}");
                fs::remove_dir(&folder).ok();
            }
        }
    }
    let folder = TempDir::with_prefix("appimage_extracted_").context("there is no room for temporary files")?;
    extract(image, folder.path()).context("cannot unpack")?;
    app(file, folder.path(), called_as, args)
}

/// Not removed with what is in it, ever: that would be the mounted files.
fn mount_folder() -> Result<PathBuf> {
    Ok(TempDir::with_prefix(".mount_").context("there is no room for temporary files")?.keep())
}

/// How long the system may take to let go of the files.
const PATIENCE: Duration = Duration::from_secs(5);

/// Where the system refuses (`fusermount3` wants /etc/mtab, for one), nobody is told of it but by the mount that stays:
/// then the process ends all the same, and the mount leads nowhere.
fn unmount(mounted: BackgroundSession, folder: &Path) {
    let (done, wait) = channel();
    std::thread::spawn(move || done.send(mounted.umount_and_join()).ok());
    match wait.recv_timeout(PATIENCE) {
        Ok(Ok(())) => {}
        Ok(Err(error)) => eprintln!("AppImage: {} is still mounted: {error}", folder.display()),
        Err(_) => eprintln!("AppImage: {} is still mounted: fusermount3 did not let go of it", folder.display()),
    }
    fs::remove_dir(folder).ok();
}

fn app(file: &Path, folder: &Path, called_as: &OsString, args: &[OsString]) -> Result<ExitCode> {
    let mut command = Command::new(folder.join("AppRun"));
    command.args(args).env("APPIMAGE", file).env("APPDIR", folder).env("ARGV0", called_as);
    if let Ok(here) = env::current_dir() {
        command.env("OWD", here);
    }
    // For us alone: a program that the app starts may be another AppImage.
    command.env_remove(UNPACK);
    let mut child = command.spawn().context("cannot start AppRun")?;
    let status = pass_on_signals(&child).and_then(|()| Ok(child.wait()?))?;
    let code = status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or(0));
    Ok(ExitCode::from(u8::try_from(code).unwrap_or(1)))
}

/// Whoever ends this process means the app. Its files must not vanish before it.
fn pass_on_signals(child: &Child) -> Result<()> {
    let app = Pid::from_raw(i32::try_from(child.id())?);
    ctrlc::set_handler(move || {
        // It may have ended by itself in this moment.
        kill(app, Signal::SIGTERM).ok();
    })?;
    Ok(())
}

/// Writes every file of the image below `to`. Existing files are written anew.
fn extract(image: &Image, to: &Path) -> Result<()> {
    use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
    fs::create_dir_all(to)?;
    for entry in image.entries() {
        let inside = entry.path.strip_prefix("/").unwrap_or(&entry.path);
        if inside.as_os_str().is_empty() {
            continue;
        }
        if !is_plain(inside) {
            bail!("{} leads out of the folder", inside.display());
        }
        let path = to.join(inside);
        match &entry.what {
            What::Folder => match fs::create_dir(&path) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                made => made?,
            },
            What::Link(target) => {
                fs::remove_file(&path).ok();
                symlink(target, &path)?;
            }
            What::File(_) => {
                fs::remove_file(&path).ok();
                let mode = u32::from(entry.mode);
                let mut out = fs::OpenOptions::new().write(true).create_new(true).mode(mode).open(&path)?;
                image.copy(entry, &mut out).with_context(|| format!("{} cannot be written", path.display()))?;
                out.set_permissions(fs::Permissions::from_mode(mode))?;
            }
        }
    }
    Ok(())
}

/// Only names, no `..`.
fn is_plain(path: &Path) -> bool {
    PathBuf::from(path).components().all(|part| matches!(part, std::path::Component::Normal(_)))
}
