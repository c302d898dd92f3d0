//! One file a command.

pub mod baseline;
pub mod contour;
pub mod doctor;
pub mod emotion;
pub mod eval;
pub mod facts;
pub mod hear;
pub mod history;
pub mod knowledge;
pub mod ledger;
pub mod listen;
pub mod memory;
pub mod models;
pub mod practice;
pub mod prompt;
pub mod reminders;
pub mod servers;
pub mod session;
pub mod settings;
pub mod triggers;

use std::path::PathBuf;

use calm_app::affect;
use calm_app::conductor::Listener;
use calm_app::voice::Baseline;
use calm_app::{AppError, Clock, Conductor, Lang, Paths, paths};

/// What the global options say.
pub struct House {
    pub data_dir: Option<PathBuf>,
    pub language: Option<Lang>,
}

impl House {
    pub fn paths(&self) -> Result<Paths, AppError> {
        Paths::find(self.data_dir.clone())
    }

    pub fn open(&self, clock: Clock, listener: Listener) -> Result<Conductor, AppError> {
        let mut conductor = Conductor::open(self.paths()?, paths::secrets(), clock, listener)?;
        if let Some(language) = self.language {
            conductor.set_language(language);
        }
        Ok(conductor)
    }

    /// Without events: for commands that look things up or change them.
    pub fn quiet(&self) -> Result<Conductor, AppError> {
        self.open(Clock::System, Box::new(|_| {}))
    }

    /// The same where there is a database already; looking makes none.
    pub fn existing(&self) -> Result<Option<Conductor>, AppError> {
        if self.paths()?.has_database() { self.quiet().map(Some) } else { Ok(None) }
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
