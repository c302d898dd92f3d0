//! Model servers, and what was sent to them.

use clap::{Args as Arguments, Subcommand};

#[derive(Debug, Arguments)]
pub struct LedgerArgs {
    /// The newest so many
    #[arg(long, default_value_t = 50, value_name = "N")]
    pub limit: u32,
    /// The whole text of one request
    #[arg(long, value_name = "ID")]
    pub full: Option<i64>,
}

#[derive(Debug, Arguments)]
pub struct ServersArgs {
    #[command(subcommand)]
    pub action: Option<ServersAction>,
}

#[derive(Debug, Subcommand)]
pub enum ServersAction {
    /// Your servers, and which one is in use
    List,
    /// Look for Ollama, LM Studio and llama.cpp on this machine
    Discover,
    /// Add a server
    Add(ServerArgs),
    /// Remove a server and forget its key
    Remove { name: String },
    /// Let guide, local or a server of yours hold the sessions to come
    Use { name: String },
    /// Ask a server for its models, and the model for a word
    Test { name: String },
    /// Keep the key of a server; it is read from standard input
    Key { name: String },
}

#[derive(Debug, Arguments)]
pub struct ServerArgs {
    pub name: String,
    /// Up to and with the version, as in http://127.0.0.1:11434/v1
    #[arg(long)]
    pub url: String,
    #[arg(long)]
    pub model: String,
    /// Tools are explained in the prompt and called in the text: for models without a tools API
    #[arg(long)]
    pub text_tools: bool,
    /// Wait for the whole reply
    #[arg(long)]
    pub no_streaming: bool,
    /// The model's window in tokens
    #[arg(long, value_name = "TOKENS")]
    pub context: Option<u32>,
    /// One system message at the beginning, for chat templates that allow no other
    #[arg(long)]
    pub single_system: bool,
    /// Seconds to the first word, 1 to 600
    #[arg(long, default_value_t = 30, value_name = "SECONDS")]
    pub patience: u16,
}
