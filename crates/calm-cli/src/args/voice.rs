//! The voice: measuring it, and the calm that it is measured against.

use std::path::PathBuf;

use calm_app::ears::FROM_FILE;
use clap::{Args as Arguments, Subcommand};

#[derive(Debug, Arguments)]
pub struct TranscribeArgs {
    /// WAV, FLAC, MP3, OGG or M4A
    #[arg(required_unless_present = "kept", value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// What you said and no turn came of, as long as it is kept: a week after its session
    #[arg(long, conflicts_with = "files")]
    pub kept: bool,
}

#[derive(Debug, Arguments)]
pub struct EmotionArgs {
    /// WAV, FLAC, MP3, OGG or M4A
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Print the figures that led to the levels
    #[arg(long)]
    pub explain: bool,
    /// Whose calm voice they are compared with, as `calm baseline` names it
    #[arg(long, value_name = "NAME", default_value = FROM_FILE)]
    pub microphone: String,
}

#[derive(Debug, Arguments)]
pub struct BaselineArgs {
    #[command(subcommand)]
    pub action: Option<BaselineAction>,
    /// `default` is the system's microphone, `file` stands for recordings. Where absent, all are shown or forgotten, and
    /// `file` learns
    #[arg(long, global = true, value_name = "NAME")]
    pub microphone: Option<String>,
}

#[derive(Debug, Subcommand)]
pub enum BaselineAction {
    /// What is known of your calm voice
    Show,
    /// Learn from recordings of your calm voice, about five seconds of speech in each; five make a baseline
    Enrol {
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,
    },
    /// Forget it: levels come again after five calm clips
    Reset,
}
