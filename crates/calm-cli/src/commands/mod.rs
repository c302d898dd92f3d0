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
pub mod passphrase;
pub mod practice;
pub mod prompt;
pub mod reminders;
pub mod servers;
pub mod session;
pub mod settings;
pub mod trades;
pub mod triggers;

use std::io::IsTerminal;
use std::path::PathBuf;

use calm_app::affect;
use calm_app::conductor::Listener;
use calm_app::passphrase::{Passphrase, is_locked, unlock};
use calm_app::voice::Baseline;
use calm_app::{AppError, Clock, Conductor, Lang, Paths, paths};
use jiff::Timestamp;

use crate::asking;

/// What the global options say.
pub struct House {
    pub data_dir: Option<PathBuf>,
    pub language: Option<Lang>,
    pub passphrase_stdin: bool,
}

impl House {
    pub fn paths(&self) -> Result<Paths, AppError> {
        Paths::find(self.data_dir.clone())
    }

    pub fn open(&self, clock: Clock, listener: Listener) -> Result<Conductor, AppError> {
        let paths = self.paths()?;
        self.unlock(&paths)?;
        let mut conductor = Conductor::open(paths, paths::secrets(), clock, listener)?;
        if let Some(language) = self.language {
            conductor.set_language(language);
        }
        Ok(conductor)
    }

    /// Asks for the passphrase where one is set and somebody is there to ask.
    pub fn unlock(&self, paths: &Paths) -> Result<(), AppError> {
        let can_ask = self.passphrase_stdin || std::io::stdin().is_terminal();
        if can_ask && is_locked(paths)? {
            let words = asking::passphrase("passphrase: ").unwrap_or_else(|_| Passphrase::typed(""));
            unlock(paths, &words)?;
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

    /// The language of what is printed: asked for, else the system's.
    pub fn words(&self) -> Lang {
        self.language.unwrap_or_else(paths::system_language)
    }
}
