//! What can be typed (SPEC §11).

mod daily;
mod data;
mod memory;
mod servers;
mod trades;
mod voice;

use std::path::PathBuf;

use calm_app::prompts::lint::Surface;
use calm_app::{BannedTermId, Format, Kind, KnowledgeId, Lang, SessionId};
use clap::{ArgMatches, Args as Arguments, CommandFactory, FromArgMatches, Parser, Subcommand};
use jiff::Timestamp;

pub use daily::{
    NewReminder, NotesAction, NotesArgs, PracticeAction, PracticeArgs, RemindersAction, RemindersArgs, SettingsAction,
    SettingsArgs,
};
pub use data::{EraseArgs, ExportArgs, HistoryAction, ImportArgs, PassphraseAction, PassphraseArgs, RetentionArgs};
pub use memory::{ContourArgs, LevelName, MemoryAction, MemoryArgs, Which};
pub use servers::{LedgerArgs, ServerArgs, ServersAction, ServersArgs};
pub use trades::{TradeImportArgs, TradesAction, TradesArgs};
pub use voice::{BaselineAction, BaselineArgs, EmotionArgs, TranscribeArgs};

#[derive(Debug, Parser)]
#[command(name = "calm", version, about = "A calm voice before the first order and after the last one")]
pub struct Args {
    /// Folder of the encrypted database
    #[arg(long, global = true, value_name = "DIR")]
    pub data_dir: Option<PathBuf>,
    /// Language of the session and of the output, ru or en; that of the settings where absent, else the system's
    #[arg(long, global = true)]
    pub lang: Option<Lang>,
    /// One JSON object a line on stdout
    #[arg(long, global = true)]
    pub json: bool,
    /// The passphrase of the database is the first line of standard input
    #[arg(long, global = true)]
    pub passphrase_stdin: bool,
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run a check-in (before trading) or a check-out (after)
    Session(SessionArgs),
    /// Write down what is said in audio files
    Transcribe(TranscribeArgs),
    /// Measure the voice in audio files
    Emotion(EmotionArgs),
    /// Write down and measure what is said into the microphone; nothing is stored
    Listen(ListenArgs),
    /// Your calm voice, against which stress and energy are measured
    Baseline(BaselineArgs),
    /// Check this machine and say what to do
    Doctor,
    /// List, fetch and verify the models
    Models(ModelsArgs),
    /// Show past sessions
    History(HistoryArgs),
    /// Render, lint and version the prompts
    Prompt(PromptArgs),
    /// Run scenarios and lint what was said in them
    Eval(EvalArgs),
    /// The facts that go into every prompt
    Facts(FactsArgs),
    /// Personal if-then plans
    Triggers(TriggersArgs),
    /// What your plans wrote down for you: look, delete
    Notes(NotesArgs),
    /// Documents and answers that Calm may draw on
    Knowledge(KnowledgeArgs),
    /// What Calm remembers of you: look, search, correct, pin, delete
    Memory(MemoryArgs),
    /// What your sessions and trades say, each with what it rests on
    Insights,
    /// Trades from a broker's report
    Trades(TradesArgs),
    /// What the contour makes of a sentence: state, labels, time taken
    Contour(ContourArgs),
    /// What you wanted to be reminded of
    Reminders(RemindersArgs),
    /// Short practices, step by step
    Practice(PracticeArgs),
    /// Look at the settings, or change one
    Settings(SettingsArgs),
    /// Model servers that may hold a session in place of the guide
    Servers(ServersArgs),
    /// Every request that left this machine, or was about to
    Ledger(LedgerArgs),
    /// Everything that is stored, as JSON and CSV
    Export(ExportArgs),
    /// Bring an export in; what is here stays
    Import(ImportArgs),
    /// How long conversations are kept, and what would go
    Retention(RetentionArgs),
    /// Lock the database with a passphrase
    Passphrase(PassphraseArgs),
    /// Erase everything, keys first
    Erase(EraseArgs),
}

#[derive(Debug, Arguments)]
pub struct ListenArgs {
    /// Stop after so many turns; without it, Ctrl-C stops
    #[arg(long, value_name = "N")]
    pub turns: Option<u32>,
}

#[derive(Debug, Arguments)]
pub struct SessionArgs {
    /// check-in or check-out; not needed with --resume
    #[arg(required_unless_present = "resume")]
    pub kind: Option<Kind>,
    /// short (2 questions), medium (about 5) or unlimited
    #[arg(long, default_value = "short")]
    pub format: Format,
    /// Who answers: guide (needs nothing), local (a model server on this machine), the name of a server, or its address
    #[arg(long, value_name = "guide|local|NAME|URL")]
    pub backend: Option<String>,
    /// The model that the server is to use
    #[arg(long, value_name = "MODEL", requires = "backend")]
    pub model: Option<String>,
    /// A typed turn; may be given more than once
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
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
    /// Remove models from this machine; `fetch` brings them back
    Delete {
        #[arg(required = true)]
        names: Vec<String>,
    },
    /// How fast they write down speech here (all speech models that are here, or the named ones)
    Speed { names: Vec<String> },
}

#[derive(Debug, Arguments)]
#[command(args_conflicts_with_subcommands = true)]
pub struct HistoryArgs {
    #[command(subcommand)]
    pub action: Option<HistoryAction>,
    /// One session, whole
    #[arg(value_name = "SESSION")]
    pub session: Option<SessionId>,
    /// Put a value that was taken from your words right, such as trading_readiness=7; empty where it was not said
    #[arg(long, value_name = "NAME=VALUE", requires = "session", value_parser = correction)]
    pub set: Vec<(String, String)>,
    /// Look for what you or Calm said: all these words, in any form; the last may be the beginning of one
    #[arg(long, value_name = "WORDS", conflicts_with = "session")]
    pub search: Option<String>,
    /// How many, newest first; of a search, the best first
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub limit: u32,
}

fn correction(text: &str) -> Result<(String, String), &'static str> {
    let (name, value) = text.split_once('=').ok_or("needs a name and a value with = between")?;
    Ok((name.trim().to_owned(), value.trim().to_owned()))
}

#[derive(Debug, Arguments)]
pub struct PromptArgs {
    #[command(subcommand)]
    pub action: PromptAction,
}

#[derive(Debug, Subcommand)]
pub enum PromptAction {
    /// Print the exact messages that would be sent
    Render(RenderArgs),
    /// Look for mistakes; without a path, in your edits or else in the shipped set
    Lint {
        /// Prompt files, or folders of them
        paths: Vec<PathBuf>,
        /// Where the words will be read: window, tray, voice or notification
        #[arg(long, default_value = "window")]
        surface: Surface,
        /// Terms never to be used, as a CSV sheet
        #[arg(long, value_name = "FILE")]
        banned: Option<PathBuf>,
    },
    /// Which files and which sides of conditions the scenarios reach
    Coverage {
        /// Another prompt set
        #[arg(long, value_name = "DIR")]
        set: Option<PathBuf>,
        /// Other scenarios: a file or a folder
        #[arg(long, value_name = "PATH")]
        scenarios: Option<PathBuf>,
    },
    /// Make your edits a version, if the linter lets them pass
    Finalize {
        /// Its name; the shipped version's with a number where absent
        #[arg(long)]
        version: Option<String>,
        /// Why
        #[arg(long)]
        note: Option<String>,
    },
    /// What versions there are, and what was decided about them
    Versions {
        /// Show what this version changed
        #[arg(long, value_name = "VERSION")]
        diff: Option<String>,
    },
    /// How the versions do
    Stats,
    /// Go back to an earlier version
    Rollback {
        /// Which; the one before where absent
        #[arg(long)]
        to: Option<String>,
        /// Why
        #[arg(long)]
        reason: Option<String>,
    },
    /// Terms that neither prompts nor replies should use
    Banned {
        #[command(subcommand)]
        action: Option<BannedAction>,
    },
}

#[derive(Debug, Subcommand)]
pub enum BannedAction {
    List,
    Add {
        term: String,
    },
    /// Take over a CSV sheet of terms
    Import {
        file: PathBuf,
    },
    Remove {
        number: BannedTermId,
    },
}

#[derive(Debug, Arguments)]
pub struct RenderArgs {
    /// The session's context: a JSON object with session, user, voice_analysis, previous_checkin
    #[arg(long, value_name = "FILE")]
    pub context: PathBuf,
    /// Another prompt set
    #[arg(long, value_name = "DIR")]
    pub set: Option<PathBuf>,
    /// Another template of the set to start from
    #[arg(long, value_name = "FILE")]
    pub root: Option<String>,
    /// A variant of the set
    #[arg(long, value_name = "ID")]
    pub variant: Option<String>,
    /// Language of the envelope: ru, en, es or id; any other gives English
    #[arg(long, value_name = "CODE")]
    pub envelope: Option<String>,
    /// How the model calls tools: native or text
    #[arg(long, value_name = "KIND", value_parser = ["native", "text"])]
    pub tools: Option<String>,
    /// Without the knowledge base
    #[arg(long)]
    pub plain: bool,
    /// The moment it is (RFC 3339)
    #[arg(long, value_name = "RFC3339")]
    pub now: Option<Timestamp>,
    /// Where the session was opened from: tray, shortcut, reminder, window or terminal
    #[arg(long, value_name = "PLACE", default_value = "terminal",
        value_parser = ["tray", "shortcut", "reminder", "window", "terminal"])]
    pub from: String,
    /// The reminder or plan that opened the session
    #[arg(long, value_name = "TEXT")]
    pub task: Option<String>,
    /// What the user says; the knowledge is searched for it
    #[arg(long, value_name = "TEXT")]
    pub say: Option<String>,
}

#[derive(Debug, Arguments)]
pub struct EvalArgs {
    /// A scenario file or a folder of them; those of the program where absent
    pub scenarios: Option<PathBuf>,
    /// Who answers: guide (needs nothing), local (a model server on this machine), the name of a server, or its address
    #[arg(long, default_value = "guide", value_name = "guide|local|NAME|URL")]
    pub backend: String,
    /// The model that the server is to use
    #[arg(long, value_name = "MODEL")]
    pub model: Option<String>,
    /// Another prompt set to render and lint with
    #[arg(long, value_name = "DIR")]
    pub set: Option<PathBuf>,
    /// Print the talks as well
    #[arg(long)]
    pub transcripts: bool,
    /// Run each talk with and without the contour's labels, and say what they change
    #[arg(long, conflicts_with = "transcripts")]
    pub compare_labels: bool,
}

#[derive(Debug, Arguments)]
pub struct FactsArgs {
    #[command(subcommand)]
    pub action: Option<FactsAction>,
}

#[derive(Debug, Subcommand)]
pub enum FactsAction {
    /// Print them, and what goes into prompts
    Show,
    /// Keep a markdown file with a section "## Active facts"; - reads standard input
    Set { file: PathBuf },
    /// Forget them
    Clear,
}

#[derive(Debug, Arguments)]
pub struct TriggersArgs {
    #[command(subcommand)]
    pub action: Option<TriggersAction>,
}

#[derive(Debug, Subcommand)]
pub enum TriggersAction {
    /// All plans
    List,
    /// When this happens, do that
    Add(TriggerArgs),
    /// Switch a plan on
    Enable {
        id: String,
    },
    /// Switch a plan off
    Disable {
        id: String,
    },
    Remove {
        id: String,
    },
    /// Do now what the plan says
    Run {
        id: String,
    },
}

#[derive(Debug, Arguments)]
pub struct TriggerArgs {
    /// A short name
    #[arg(long)]
    pub name: String,
    /// The condition, in your own words
    #[arg(long = "when", value_name = "TEXT")]
    pub condition: String,
    /// Open a practice: breathing, grounding, visualization, journaling, physical or pause
    #[arg(long, value_name = "TYPE")]
    pub practice: Option<String>,
    /// Take a pause
    #[arg(long, value_name = "MINUTES")]
    pub pause: Option<u32>,
    /// Write something down
    #[arg(long, value_name = "TEXT")]
    pub note: Option<String>,
    /// Be reminded of something
    #[arg(long, value_name = "TEXT", requires = "after")]
    pub remind: Option<String>,
    /// When to be reminded
    #[arg(long, value_name = "MINUTES", requires = "remind")]
    pub after: Option<u32>,
    /// Suggest the check-out
    #[arg(long)]
    pub check_out: bool,
}

#[derive(Debug, Arguments)]
pub struct KnowledgeArgs {
    #[command(subcommand)]
    pub action: Option<KnowledgeAction>,
}

#[derive(Debug, Subcommand)]
pub enum KnowledgeAction {
    /// Your documents and answers, and our own notes
    List,
    /// Read documents: md, txt, pdf, or question-answer pairs as md or csv
    Add {
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,
    },
    /// Keep one answer to one question
    Answer {
        #[arg(long)]
        question: String,
        #[arg(long)]
        answer: String,
    },
    /// What would be found for these words
    Search {
        words: String,
        #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=50))]
        limit: u32,
    },
    Remove {
        number: KnowledgeId,
    },
}
