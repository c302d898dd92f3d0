//! Starting at login, hidden in the tray. The desktop keeps that, so it is asked each time and stored nowhere else.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use auto_launch::{AutoLaunch, AutoLaunchBuilder};
use tauri::{AppHandle, Manager};

const ARGUMENT: &str = "--hidden";

/// This program, as another can start it: where it came as an AppImage, that file.
///
/// # Errors
/// The system does not say.
pub fn program(app: &AppHandle) -> std::io::Result<PathBuf> {
    tauri::process::current_binary(&app.env())
}

pub fn is_on(app: &AppHandle) -> Result<bool> {
    Ok(entry(&program(app)?)?.is_enabled()?)
}

pub fn turn(app: &AppHandle, on: bool) -> Result<()> {
    let entry = entry(&program(app)?)?;
    if on {
        entry.enable()?;
    } else {
        entry.disable()?;
    }
    Ok(())
}

fn entry(program: &Path) -> Result<AutoLaunch> {
    let path = program.to_str().context("the path of this program is no text")?;
    let path = if cfg!(target_os = "linux") { quoted(path) } else { path.to_owned() };
    Ok(AutoLaunchBuilder::new().set_app_name("CalmTrader").set_app_path(&path).set_args(&[ARGUMENT]).build()?)
}

/// As the `Exec` key of a desktop entry wants it (freedesktop.org, Desktop Entry Specification, "The Exec key"): what
/// a shell would read is escaped once for the quotes and once more for the file, and `%` is doubled.
fn quoted(path: &str) -> String {
    let mut text = String::from("\"");
    for letter in path.chars() {
        match letter {
            '"' | '`' | '$' => text.extend(["\\\\", &letter.to_string()]),
            '\\' => text.push_str("\\\\\\\\"),
            '%' => text.push_str("%%"),
            letter => text.push(letter),
        }
    }
    text.push('"');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_with_spaces_and_signs_stays_one_word() {
        assert_eq!(quoted("/home/Иван/My Apps/Calm.AppImage"), "\"/home/Иван/My Apps/Calm.AppImage\"");
        assert_eq!(quoted("/a$b/100%"), "\"/a\\\\$b/100%%\"");
        assert_eq!(quoted("/a\\b"), "\"/a\\\\\\\\b\"");
    }
}
