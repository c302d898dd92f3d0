//! The commands about memory.

use calm_app::{MemoryId, SessionId};
use clap::{Args as Arguments, Subcommand, ValueEnum};

#[derive(Debug, Arguments)]
pub struct MemoryArgs {
    #[command(subcommand)]
    pub action: Option<MemoryAction>,
}

#[derive(Debug, Subcommand)]
pub enum MemoryAction {
    /// The newest memories
    List(Which),
    /// Memories with these words, or words that begin so
    Search {
        words: String,
        #[command(flatten)]
        which: Which,
    },
    /// One memory and everything that it comes from
    Show { memory: MemoryId },
    /// Put your own words in its place
    Correct { memory: MemoryId, text: String },
    /// Let it not fade
    Pin { memory: MemoryId },
    /// Let it fade again
    Unpin { memory: MemoryId },
    /// A pattern that is not so; it can be taken up again
    Dismiss { memory: MemoryId },
    /// Take up a dismissed pattern
    Restore { memory: MemoryId },
    /// Forget it for good
    Delete { memory: MemoryId },
}

#[derive(Debug, Arguments)]
pub struct Which {
    #[arg(long)]
    pub level: Option<LevelName>,
    #[arg(long, default_value_t = 30, value_name = "N")]
    pub limit: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum LevelName {
    Experiences,
    Patterns,
    Lessons,
}

#[derive(Debug, Arguments)]
pub struct ContourArgs {
    #[arg(long)]
    pub text: String,
    /// The session that these would be the next words of
    #[arg(long, value_name = "ID")]
    pub thread: Option<SessionId>,
}
