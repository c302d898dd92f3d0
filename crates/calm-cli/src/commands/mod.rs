//! One file a command.

pub mod baseline;
pub mod contour;
pub mod data;
pub mod doctor;
pub mod emotion;
pub mod eval;
pub mod facts;
pub mod hear;
pub mod history;
pub mod insights;
pub mod knowledge;
pub mod ledger;
pub mod listen;
pub mod memory;
pub mod models;
pub mod notes;
pub mod passphrase;
pub mod practice;
pub mod prompt;
pub mod reminders;
pub mod servers;
pub mod session;
pub mod settings;
pub mod trades;
pub mod triggers;

use std::cell::Cell;
use std::io::IsTerminal;
use std::path::PathBuf;

use calm_app::affect;
use calm_app::conductor::Listener;
use calm_app::passphrase::{Passphrase, is_locked, unlock};
use calm_app::voice::Baseline;
use calm_app::{AppError, Clock, Conductor, Lang, Paths, Settings, paths};
use jiff::Timestamp;

use crate::asking;

/// What the global options say.
pub struct House {
    data_dir: Option<PathBuf>,
    /// What `--lang` asks for.
    asked: Option<Lang>,
    passphrase_stdin: bool,
    /// The user's own, once it is known.
    own: Cell<Option<Lang>>,
}

impl House {
    pub fn new(data_dir: Option<PathBuf>, asked: Option<Lang>, passphrase_stdin: bool) -> House {
        House { data_dir, asked, passphrase_stdin, own: Cell::new(None) }
    }

    /// Without `--lang`, which is for one run: for settings, where it must not be kept with the rest.
    pub fn as_stored(&self) -> House {
        House::new(self.data_dir.clone(), None, self.passphrase_stdin)
    }

    /// The language of what is printed: that of `--lang`, else of the settings, else of the system. Settings behind a
    /// passphrase tell only once they are unlocked.
    pub fn lang(&self) -> Lang {
        if let Some(lang) = self.asked.or(self.own.get()) {
            return lang;
        }
        let stored = self.paths().ok().and_then(|paths| Settings::stored_language(&paths, paths::secrets()));
        let lang = stored.unwrap_or_else(paths::system_language);
        self.own.set(Some(lang));
        lang
    }

    pub fn paths(&self) -> Result<Paths, AppError> {
        Paths::find(self.data_dir.clone())
    }

    pub fn open(&self, clock: Clock, listener: Listener) -> Result<Conductor, AppError> {
        let paths = self.paths()?;
        self.unlock(&paths)?;
        let mut conductor = Conductor::open(paths, paths::secrets(), clock, listener)?;
        self.own.set(Some(conductor.language()));
        if let Some(language) = self.asked {
            conductor.set_language(language);
        }
        Ok(conductor)
    }

    /// Asks for the passphrase where one is set and somebody is there to ask.
    pub fn unlock(&self, paths: &Paths) -> Result<(), AppError> {
        let can_ask = self.passphrase_stdin || std::io::stdin().is_terminal();
        if can_ask && is_locked(paths)? {
            let words = asking::passphrase(self.lang()).unwrap_or_else(|_| Passphrase::typed(""));
            unlock(paths, &words)?;
            self.own.set(None);
        }
        Ok(())
    }

    /// Without events: for commands that look things up or change them.
    pub fn quiet(&self) -> Result<Conductor, AppError> {
        self.open(Clock::System, Box::new(|_| {}))
    }

    /// The same where there is a database already; looking makes none.
    pub fn existing(&self) -> Result<Option<Conductor>, AppError> {
        if self.paths()?.has_database() { self.quiet().map(Some) } else { Ok(None) }
    }

    /// The same at a moment that stands still: what is old enough to go stays while it is looked at.
    pub fn as_it_is(&self) -> Result<Option<Conductor>, AppError> {
        let now = Clock::Fixed(Timestamp::now());
        if self.paths()?.has_database() { self.open(now, Box::new(|_| {})).map(Some) } else { Ok(None) }
    }

    /// The calm voice at a microphone; looking for it makes no database.
    pub fn stored_baseline(&self, microphone: &str) -> Result<Baseline, AppError> {
        match self.existing()? {
            Some(mut conductor) => affect::baseline(conductor.store(), microphone),
            None => Ok(Baseline::default()),
        }
    }
}
