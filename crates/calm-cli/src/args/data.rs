//! The commands about the data itself: out, back in, away, and who may open it.

use std::path::PathBuf;

use calm_app::{Keep, SessionId};
use clap::{Args as Arguments, Subcommand};

#[derive(Debug, Subcommand)]
pub enum HistoryAction {
    /// Delete a session for good, with everything that was made of its words
    Delete {
        session: SessionId,
        /// Do not ask
        #[arg(long)]
        yes: bool,
    },
}

#[derive(Debug, Arguments)]
pub struct ExportArgs {
    /// A new folder, or a new file that ends in .zip
    #[arg(value_name = "DIR|FILE.zip")]
    pub to: PathBuf,
    /// With the recordings that are kept
    #[arg(long)]
    pub audio: bool,
}

#[derive(Debug, Arguments)]
pub struct ImportArgs {
    /// What `calm export` has written
    #[arg(value_name = "DIR|FILE.zip")]
    pub from: PathBuf,
}

#[derive(Debug, Arguments)]
pub struct EraseArgs {
    /// The models too
    #[arg(long)]
    pub models: bool,
    /// Do not ask
    #[arg(long)]
    pub yes: bool,
}

#[derive(Debug, Arguments)]
pub struct RetentionArgs {
    /// What would go if conversations were kept so long: forever, never, or a number of days
    #[arg(long, value_name = "KEEP", value_parser = keep, conflicts_with = "apply")]
    pub transcripts: Option<Keep>,
    /// The same for recordings
    #[arg(long, value_name = "KEEP", value_parser = keep, conflicts_with = "apply")]
    pub recordings: Option<Keep>,
    /// Let go now of what the settings do not keep
    #[arg(long)]
    pub apply: bool,
}

fn keep(text: &str) -> Result<Keep, &'static str> {
    text.parse().map_err(|()| "must be forever, never, or a number of days from 1 to 3650")
}

#[derive(Debug, Arguments)]
pub struct PassphraseArgs {
    #[command(subcommand)]
    pub action: PassphraseAction,
}

/// The words are typed in the terminal, unseen, or come on standard input, a line each; never in the arguments.
#[derive(Debug, Clone, Copy, Subcommand)]
pub enum PassphraseAction {
    /// Lock the database with one
    Set,
    /// Take another: the old one first, then the new one
    Change,
    /// Open it without again
    Remove,
    /// Whether one is set
    Status,
}
