//! What the shell remembers from one start to the next: where the window stood, how it can be drawn here, and
//! what it has reminded of.
//!
//! It lies beside the database and not in it, as it is needed before any passphrase. It says nothing of the user.

use std::fs;
use std::io;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::healing::Renderer;
use crate::placing::Area;

/// `calm_app::erasing` removes it with the rest.
const FILE: &str = calm_app::paths::WINDOW_FILE;

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Keepsake {
    /// The main window, when it was not maximised.
    pub frame: Option<Area>,
    pub maximised: bool,
    pub renderer: Renderer,
    /// The newest call of the market's hours that was answered for.
    pub called_at: Option<Timestamp>,
    /// The version of the app that found the renderer out; a newer one begins with the usual again.
    pub found_by: String,
}

impl Keepsake {
    /// The defaults where there is none, or none that can be read.
    pub fn read(data: &Path) -> Keepsake {
        let text = fs::read(data.join(FILE)).unwrap_or_default();
        serde_json::from_slice(&text).unwrap_or_default()
    }

    /// Changes what is remembered; in a folder that is not there nothing is.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn change(data: &Path, change: impl FnOnce(&mut Keepsake)) -> io::Result<()> {
        // Windows, reminders and healing do so from threads of their own.
        static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
        let _one = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
        let before = Keepsake::read(data);
        let mut kept = before.clone();
        change(&mut kept);
        if kept == before { Ok(()) } else { kept.write(data) }
    }

    fn write(&self, data: &Path) -> io::Result<()> {
        let unfinished = data.join(format!("{FILE}.new"));
        fs::write(&unfinished, serde_json::to_vec(self)?)?;
        fs::rename(unfinished, data.join(FILE))
    }

    /// The renderer that worked last time.
    pub fn renderer(&self, version: &str) -> Renderer {
        if self.found_by == version { self.renderer } else { Renderer::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_reads_back_and_a_damaged_one_is_none() {
        let house = tempfile::tempdir().expect("a folder");
        assert_eq!(Keepsake::read(house.path()), Keepsake::default());
        let kept = Keepsake {
            frame: Some(Area { x: -1200, y: 30, width: 960, height: 640 }),
            maximised: true,
            renderer: Renderer::Software,
            called_at: Some(Timestamp::UNIX_EPOCH),
            found_by: "0.1.0".into(),
        };
        Keepsake::change(house.path(), |before| *before = kept.clone()).expect("written");
        assert_eq!(Keepsake::read(house.path()), kept);
        fs::write(house.path().join(FILE), b"{\"frame\": 3").expect("damaged");
        assert_eq!(Keepsake::read(house.path()), Keepsake::default());
    }

    #[test]
    fn a_folder_that_is_gone_is_not_made_again() {
        let house = tempfile::tempdir().expect("a folder");
        let data = house.path().join("erased");
        assert!(Keepsake::change(&data, |kept| kept.maximised = true).is_err());
        assert!(!data.exists());
    }

    #[test]
    fn a_new_version_tries_the_usual_renderer_again() {
        let kept = Keepsake { renderer: Renderer::Software, found_by: "0.1.0".into(), ..Keepsake::default() };
        assert_eq!(kept.renderer("0.1.0"), Renderer::Software);
        assert_eq!(kept.renderer("0.2.0"), Renderer::Usual);
    }
}
