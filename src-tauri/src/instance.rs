//! One app for one data folder: a second start hands over what it asks for, and ends.
//!
//! Without a session bus nobody can be asked, and the app starts beside the other; the locks of the data folder keep
//! the two apart.

use std::path::{Path, PathBuf, absolute};

use sha2::{Digest, Sha256};
use tauri::Wry;
use tauri::plugin::TauriPlugin;

use crate::asked::Asked;
use crate::windows;

/// To be the first plugin: a second start goes no further than this.
pub fn plugin(data: &Path) -> TauriPlugin<Wry> {
    tauri_plugin_single_instance::Builder::new()
        .dbus_id(name(data))
        .callback(|app, arguments, _| {
            // The other process has refused what it could not read.
            let asked = Asked::read(arguments.into_iter().skip(1)).unwrap_or_default();
            let own = app.clone();
            // Before the loop runs there is no desk.
            let queued = app.run_on_main_thread(move || windows::answer(&own, asked));
            if let Err(error) = queued {
                tracing::warn!(%error, "a second start could not be answered");
            }
        })
        .build()
}

/// On the bus. Two folders are two journals, and each may be open in a window of its own.
fn name(data: &Path) -> String {
    let digest = Sha256::digest(place(data).as_os_str().as_encoded_bytes());
    let folder: String = digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    format!("io.calmtrader.desktop.folder_{folder}")
}

/// The folder by its real path, also where it does not exist yet.
fn place(data: &Path) -> PathBuf {
    let whole = absolute(data).unwrap_or_else(|_| data.to_owned());
    let known = whole.ancestors().find_map(|there| Some((there, there.canonicalize().ok()?)));
    match known.and_then(|(there, real)| Some(real.join(whole.strip_prefix(there).ok()?))) {
        // Joined with nothing it would end in a slash.
        Some(real) => real.components().collect(),
        None => whole,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_has_one_name_before_and_after_it_is_made() {
        let house = tempfile::tempdir().expect("a folder");
        let data = house.path().join("Данные").join("calm");
        let before = name(&data);
        std::fs::create_dir_all(&data).expect("made");
        assert_eq!(name(&data), before);
        assert_eq!(name(&data.join("..").join("calm")), before);
        assert_ne!(name(house.path()), before);
        let allowed = |c: char| c.is_ascii_alphanumeric() || ".-_".contains(c);
        assert!(before.chars().all(allowed) && before.len() < 200, "{before}");
    }

    #[cfg(unix)]
    #[test]
    fn a_link_to_the_folder_is_the_folder() {
        let house = tempfile::tempdir().expect("a folder");
        let data = house.path().join("calm");
        std::fs::create_dir(&data).expect("made");
        let link = house.path().join("link");
        std::os::unix::fs::symlink(&data, &link).expect("linked");
        assert_eq!(name(&link), name(&data));
    }
}
