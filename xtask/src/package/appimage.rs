//! The AppImage: the tree, the libraries that it brings, and our own runtime in front of it all.
//!
//! It is made on Debian 12 out of Debian's libraries, and so runs where glibc is 2.36 or newer.

use super::tree::put;
use super::{Parts, VERSION, fresh, libraries, output};
use crate::place;
use anyhow::{Context, Result, bail};
use std::fs;
use std::io::Write;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

/// WebKit's other processes.
const HELPERS: [&str; 3] = ["WebKitWebProcess", "WebKitNetworkProcess", "WebKitGPUProcess"];
const INJECTED: &str = "injected-bundle/libwebkit2gtkinjectedbundle.so";
/// Loaded when it is there: the tray icon.
const TRAY: &str = "libayatana-appindicator3.so.1";
const WEBKIT: &str = "libwebkit2gtk-4.1.so.0";
/// GTK aborts without them when it opens a file chooser.
const SCHEMAS: &str = "usr/share/glib-2.0/schemas";

/// Lays the AppDir out, packs it, and says where the AppImage is.
pub fn build(tree: &Path, app_dir: &Path, folder: &Path, parts: &Parts) -> Result<PathBuf> {
    fresh(app_dir)?;
    output(Command::new("cp").args(["--recursive", "--preserve=mode"]).arg(tree.join("usr")).arg(app_dir))?;
    bring_libraries(app_dir)?;
    bring_schemas(app_dir)?;
    put(&place::root().join("packaging/linux/AppRun"), &app_dir.join("AppRun"), 0o755)?;
    let share = app_dir.join("usr/share");
    put(&share.join("applications/calmtrader.desktop"), &app_dir.join("calmtrader.desktop"), 0o644)?;
    put(&share.join("icons/hicolor/256x256/apps/calmtrader.png"), &app_dir.join("calmtrader.png"), 0o644)?;
    symlink("calmtrader.png", app_dir.join(".DirIcon"))?;

    let image = folder.join("AppDir.squashfs");
    let mut pack = Command::new("mksquashfs");
    pack.arg(app_dir).arg(&image).args(["-root-owned", "-noappend", "-no-xattrs", "-quiet", "-no-progress"]);
    pack.args(["-comp", "zstd", "-Xcompression-level", "15", "-b", "128K"]);
    output(pack.env("SOURCE_DATE_EPOCH", &parts.time))?;

    let package = folder.join(format!("CalmTrader-{VERSION}-x86_64.AppImage"));
    let runtime = marked(fs::read(&parts.runtime)?).context("of the AppImage's runtime")?;
    let mut file = fs::File::create(&package).with_context(|| format!("{} cannot be written", package.display()))?;
    file.write_all(&runtime)?;
    std::io::copy(&mut fs::File::open(&image)?, &mut file)?;
    file.set_permissions(fs::Permissions::from_mode(0o755))?;
    fs::remove_file(&image)?;
    Ok(package)
}

fn bring_libraries(app_dir: &Path) -> Result<()> {
    let system = system_libraries()?;
    let webkit = system.join("webkit2gtk-4.1");
    let mut parts: Vec<PathBuf> = HELPERS.iter().map(|name| webkit.join(name)).collect();
    parts.push(webkit.join(INJECTED));
    let mut roots = parts.clone();
    roots.push(system.join(TRAY));
    roots.extend(["calmtrader", "calm"].map(|name| app_dir.join("usr/bin").join(name)));
    let mut found = libraries::of(&roots)?;
    found.insert(TRAY.to_owned(), system.join(TRAY));

    let lib = app_dir.join("usr/lib");
    libraries::copy(&found, &lib)?;
    for name in ["calmtrader", "calm"] {
        libraries::look_in(&app_dir.join("usr/bin").join(name), "$ORIGIN/../lib")?;
    }
    for part in &parts {
        // As far below `usr` as on the system: that is where WebKit looks.
        let to = app_dir.join(part.strip_prefix("/").unwrap_or(part));
        put(part, &to, 0o755)?;
        let up = to.parent().map_or(0, |folder| folder.strip_prefix(&lib).map_or(0, |below| below.iter().count()));
        libraries::look_in(&to, &format!("$ORIGIN/{}", vec![".."; up].join("/")))?;
    }
    let webkit_library = lib.join(WEBKIT);
    let bytes = fs::read(&webkit_library)?;
    let relative = relative_helpers(bytes, &webkit.display().to_string())?;
    fs::write(&webkit_library, relative)?;

    let originals: Vec<&PathBuf> = found.values().chain(&parts).collect();
    libraries::copy_licences(&originals, &app_dir.join("usr/share/doc"))?;
    Ok(())
}

/// `/usr/lib/x86_64-linux-gnu`, or what it is called on this machine.
fn system_libraries() -> Result<PathBuf> {
    let answer = output(Command::new("pkg-config").args(["--variable=libdir", "webkit2gtk-4.1"]))?;
    Ok(PathBuf::from(answer.trim()))
}

fn bring_schemas(app_dir: &Path) -> Result<()> {
    let to = app_dir.join(SCHEMAS);
    for entry in fs::read_dir(Path::new("/").join(SCHEMAS))? {
        let file = entry?.path();
        let name = file.file_name().unwrap_or_default();
        if name.to_string_lossy().starts_with("org.gtk.Settings.") {
            put(&file, &to.join(name), 0o644)?;
        }
    }
    output(Command::new("glib-compile-schemas").arg(&to)).map(drop)
}

/// The library with `/usr/lib/…/webkit2gtk-4.1` as `././/lib/…`, of the same length: the helpers are then found from
/// the working folder, which `AppRun` sets to `usr`. There is no setting for it outside of WebKit's own test builds.
fn relative_helpers(mut library: Vec<u8>, absolute: &str) -> Result<Vec<u8>> {
    let relative = match absolute.strip_prefix("/usr/") {
        Some(rest) => format!("././/{rest}"),
        None => bail!("WebKit's helpers lie in {absolute}, which is not below /usr"),
    };
    let (from, to) = (absolute.as_bytes(), relative.as_bytes());
    let places: Vec<usize> =
        library.windows(from.len()).enumerate().filter(|(_, it)| *it == from).map(|(at, _)| at).collect();
    if places.is_empty() {
        bail!("WebKit does not name {absolute}: where are its helpers?");
    }
    for at in places {
        if let Some(place) = library.get_mut(at..at + to.len()) {
            place.copy_from_slice(to);
        }
    }
    Ok(library)
}

/// The runtime with the mark of an AppImage of type 2 in its ELF header. The image follows right behind it.
fn marked(mut runtime: Vec<u8>) -> Result<Vec<u8>> {
    match runtime.get_mut(..11) {
        Some(header) if header.starts_with(b"\x7fELF") => header[8..].copy_from_slice(b"AI\x02"),
        _ => bail!("it is no program"),
    }
    Ok(runtime)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn helpers_are_looked_for_below_the_working_folder() -> Result<()> {
        let folder = "/usr/lib/x86_64-linux-gnu/webkit2gtk-4.1";
        let library = format!("\0{folder}\0WebKit\0{folder}/injected-bundle/\0").into_bytes();
        let length = library.len();
        let patched = String::from_utf8(relative_helpers(library, folder)?)?;
        assert_eq!(patched.len(), length);
        assert!(!patched.contains("/usr/"), "{patched:?}");
        assert_eq!(patched.matches("\0././/lib/x86_64-linux-gnu/webkit2gtk-4.1").count(), 2);
        Ok(())
    }

    #[test]
    fn a_library_without_the_path_is_not_shipped() {
        assert!(relative_helpers(b"WebKit from elsewhere".to_vec(), "/usr/lib/webkit2gtk-4.1").is_err());
        assert!(relative_helpers(b"/opt/webkit".to_vec(), "/opt/webkit").is_err());
    }

    #[test]
    fn the_mark_lies_where_desktops_look_for_it() -> Result<()> {
        let runtime = marked(fs::read(std::env::current_exe()?)?)?;
        assert_eq!(runtime.get(8..11), Some(&b"AI\x02"[..]));
        assert!(marked(b"#!/bin/sh\nexit 0\n".to_vec()).is_err());
        Ok(())
    }
}
