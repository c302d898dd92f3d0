//! What can be typed (SPEC §11).

use std::path::PathBuf;

use calm_app::{Format, Kind, Lang, SessionId};
use clap::{ArgMatches, Args as Arguments, CommandFactory, FromArgMatches, Parser, Subcommand};
use jiff::Timestamp;

#[derive(Debug, Parser)]
#[command(name = "calm", version, about = "A calm voice before the first order and after the last one")]
pub struct Args {
    /// Folder of the encrypted database
    #[arg(long, global = true, value_name = "DIR")]
    pub data_dir: Option<PathBuf>,
    /// Language of the session and of the output: ru or en
    #[arg(long, global = true)]
    pub lang: Option<Lang>,
    /// One JSON object a line on stdout
    #[arg(long, global = true)]
    pub json: bool,
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run a check-in (before trading) or a check-out (after)
    Session(SessionArgs),
    /// Write down what is said in audio files
    Transcribe(Files),
    /// Measure the voice in audio files
    Emotion(Files),
    /// Check this machine and say what to do
    Doctor,
    /// List, fetch and verify the models
    Models(ModelsArgs),
    /// Show past sessions
    History(HistoryArgs),
}

#[derive(Debug, Arguments)]
pub struct SessionArgs {
    /// check-in or check-out; not needed with --resume
    #[arg(required_unless_present = "resume")]
    pub kind: Option<Kind>,
    /// short (2 questions), medium (about 5) or unlimited
    #[arg(long, default_value = "short")]
    pub format: Format,
    /// Who answers: guide needs nothing
    #[arg(long, default_value = "guide", value_parser = ["guide"])]
    pub backend: String,
    /// A typed turn; may be given more than once
    #[arg(long, value_name = "TEXT")]
    pub say: Vec<String>,
    /// A spoken turn from a recording; may be given more than once
    #[arg(long, value_name = "FILE")]
    pub audio: Vec<PathBuf>,
    /// Speak into the microphone
    #[arg(long, conflicts_with_all = ["say", "audio"])]
    pub mic: bool,
    /// The moment it is (RFC 3339)
    #[arg(long, value_name = "RFC3339")]
    pub now: Option<Timestamp>,
    /// Fixes the choice of words
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Leave the session open when the given turns are used up
    #[arg(long)]
    pub stay: bool,
    /// Go on with the session that was left open
    #[arg(long, conflicts_with = "kind")]
    pub resume: bool,
    /// `say` and `audio` in the order in which they were typed.
    #[arg(skip)]
    pub turns: Vec<Given>,
}

#[derive(Debug, Clone)]
pub enum Given {
    Say(String),
    Audio(PathBuf),
}

impl Args {
    /// Reads the command line of this process.
    pub fn read() -> Result<Args, clap::Error> {
        let matches = Args::command().try_get_matches()?;
        let mut args = Args::from_arg_matches(&matches)?;
        if let (Command::Session(session), Some(matches)) = (&mut args.command, matches.subcommand_matches("session")) {
            session.turns = in_order(session, matches);
        }
        Ok(args)
    }
}

fn in_order(session: &SessionArgs, matches: &ArgMatches) -> Vec<Given> {
    let places = |name| matches.indices_of(name).into_iter().flatten();
    let said = places("say").zip(session.say.iter().cloned().map(Given::Say));
    let played = places("audio").zip(session.audio.iter().cloned().map(Given::Audio));
    let mut turns: Vec<(usize, Given)> = said.chain(played).collect();
    turns.sort_by_key(|(place, _)| *place);
    turns.into_iter().map(|(_, turn)| turn).collect()
}

#[derive(Debug, Arguments)]
pub struct Files {
    /// WAV, FLAC, MP3, OGG or M4A
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
}

#[derive(Debug, Arguments)]
pub struct ModelsArgs {
    #[command(subcommand)]
    pub action: ModelsAction,
}

#[derive(Debug, Subcommand)]
pub enum ModelsAction {
    /// What there is, and what is here
    List,
    /// Download what is missing (all required models, or the named ones)
    Fetch { names: Vec<String> },
    /// Read every file again and compare its SHA-256
    Verify { names: Vec<String> },
}

#[derive(Debug, Arguments)]
pub struct HistoryArgs {
    /// One session, whole
    #[arg(value_name = "SESSION")]
    pub session: Option<SessionId>,
    /// How many, newest first
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub limit: u32,
}
