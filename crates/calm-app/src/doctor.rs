//! Looks over this machine and says what to do; it changes nothing.

use std::path::PathBuf;

use calm_models::{ModelError, Models, State};
use calm_store::{KeyPlace, Secrets, Store, StoreError};
use calm_voice::{Aloud, AloudError, MicError, mic};
use serde::Serialize;
use serde::ser::{SerializeStruct, Serializer};

use crate::ears::Ears;
use crate::error::AppError;
use crate::exporting::unfinished::{self, CutOff};
use crate::paths::Paths;
use crate::remembering::MODEL;

/// Without it memories are found by their words alone.
pub const ENCODER: &str = MODEL;

/// One thing that was looked at.
#[derive(Debug)]
pub enum Finding {
    ModelsReady {
        folder: PathBuf,
    },
    ModelsLacking(Vec<Lacking>),
    Recogniser,
    RecogniserFails(AppError),
    MemoryByMeaning,
    MemoryByWords,
    EncoderDamaged,
    EncoderFails(ModelError),
    NoMicrophone,
    /// Every device with the id by which it is chosen, the system's own choice first.
    Microphones(Vec<String>),
    MicrophoneFails(MicError),
    Voice,
    NoVoice(AloudError),
    NoDatabase {
        folder: PathBuf,
    },
    Database {
        folder: PathBuf,
    },
    DatabaseLocked {
        folder: PathBuf,
    },
    DatabaseFails(StoreError),
    Key(KeyPlace),
    /// The user's words are in them, not encrypted; the next start removes them.
    ExportCutOff {
        folders: Vec<PathBuf>,
    },
    /// Not to be recognised as ours, or out of reach now.
    ExportUnclear {
        folders: Vec<PathBuf>,
    },
    Prompts {
        set: String,
        version: String,
    },
}

/// Why a required model cannot be used.
#[derive(Debug)]
pub enum Lacking {
    Missing(String),
    Damaged(String),
    Unknown(ModelError),
}

impl Finding {
    pub fn name(&self) -> &'static str {
        match self {
            Finding::ModelsReady { .. } | Finding::ModelsLacking(_) => "models",
            Finding::Recogniser | Finding::RecogniserFails(_) => "recogniser",
            Finding::MemoryByMeaning | Finding::MemoryByWords => "memory",
            Finding::EncoderDamaged | Finding::EncoderFails(_) => "memory",
            Finding::NoMicrophone | Finding::Microphones(_) | Finding::MicrophoneFails(_) => "microphone",
            Finding::Voice | Finding::NoVoice(_) => "voice",
            Finding::NoDatabase { .. } | Finding::Database { .. } => "database",
            Finding::DatabaseLocked { .. } | Finding::DatabaseFails(_) => "database",
            Finding::Key(_) => "keychain",
            Finding::ExportCutOff { .. } | Finding::ExportUnclear { .. } => "export",
            Finding::Prompts { .. } => "prompts",
        }
    }

    /// Whether nothing has to be done. Speaking is off until somebody asks for it, so a missing voice is no fault, nor
    /// is an encoder that was never fetched.
    pub fn ok(&self) -> bool {
        !matches!(
            self,
            Finding::ModelsLacking(_)
                | Finding::RecogniserFails(_)
                | Finding::EncoderDamaged
                | Finding::EncoderFails(_)
                | Finding::NoMicrophone
                | Finding::MicrophoneFails(_)
                | Finding::DatabaseFails(_)
                | Finding::ExportCutOff { .. }
                | Finding::ExportUnclear { .. }
        )
    }

    /// What is so, in English.
    pub fn detail(&self) -> String {
        match self {
            Finding::ModelsReady { folder } => format!("all required models are in {}", folder.display()),
            Finding::ModelsLacking(lacking) => lacking.iter().map(Lacking::detail).collect::<Vec<_>>().join(", "),
            Finding::Recogniser => "speech recognition and voice analysis load".into(),
            Finding::RecogniserFails(error) => error.to_string(),
            Finding::MemoryByMeaning => "memories are found by what they mean and by their words".into(),
            Finding::MemoryByWords => "memories are found by their words".into(),
            Finding::EncoderDamaged => format!("{ENCODER} is damaged"),
            Finding::EncoderFails(error) => error.to_string(),
            Finding::NoMicrophone => "none is connected".into(),
            Finding::Microphones(names) if names.is_empty() => "connected".into(),
            Finding::Microphones(names) => names.join(", "),
            Finding::MicrophoneFails(error) => error.to_string(),
            Finding::Voice => "the system's voice can say replies (`calm settings set speak_replies yes`)".into(),
            Finding::NoVoice(error) => format!("replies are not said aloud: {error}"),
            Finding::NoDatabase { folder } => format!("none yet in {}; the first session makes it", folder.display()),
            Finding::Database { folder } => format!("encrypted, opens, in {}", folder.display()),
            Finding::DatabaseLocked { folder } => format!("locked with your passphrase, in {}", folder.display()),
            Finding::DatabaseFails(error) => error.to_string(),
            Finding::Key(KeyPlace::Keychain) => "the key is in the system's keychain".into(),
            Finding::Key(KeyPlace::File(file)) => {
                format!("no keychain is used: the key is in {} (only you can read it)", file.display())
            }
            Finding::Key(KeyPlace::Locked(file)) => {
                format!("the key is in {}, behind your passphrase", file.display())
            }
            Finding::ExportCutOff { folders } => {
                format!("cut off, with your words in it, not encrypted: {}", named(folders))
            }
            Finding::ExportUnclear { folders } => {
                format!("cut off, and not to be recognised or not reached now: {}", named(folders))
            }
            Finding::Prompts { set, version } => format!("{set} {version}"),
        }
    }

    /// What to do, in English; empty where nothing is to be done.
    pub fn advice(&self) -> String {
        match self {
            Finding::ModelsLacking(_) => "run `calm models fetch`".into(),
            Finding::RecogniserFails(_) | Finding::EncoderFails(_) => "run `calm models verify`".into(),
            Finding::MemoryByWords => format!("for likeness of meaning, run `calm models fetch {ENCODER}`"),
            Finding::EncoderDamaged => format!("run `calm models fetch {ENCODER}`"),
            Finding::NoMicrophone => "connect one; typing and audio files work without".into(),
            Finding::Microphones(names) if names.len() > 1 => {
                "to choose another, run `calm settings set microphone ID`".into()
            }
            Finding::MicrophoneFails(_) => "typing and audio files work without".into(),
            Finding::DatabaseFails(_) => "nothing was changed; see what the line says".into(),
            Finding::ExportCutOff { .. } => "the next start of Calm removes it".into(),
            Finding::ExportUnclear { .. } => "look whether it is there, and remove it".into(),
            _ => String::new(),
        }
    }
}

impl Lacking {
    fn detail(&self) -> String {
        match self {
            Lacking::Missing(id) => format!("{id} is missing"),
            Lacking::Damaged(id) => format!("{id} is damaged"),
            Lacking::Unknown(error) => error.to_string(),
        }
    }
}

pub fn named(folders: &[PathBuf]) -> String {
    folders.iter().map(|it| it.display().to_string()).collect::<Vec<_>>().join(", ")
}

/// `check{name, ok, detail, advice}`, in English.
impl Serialize for Finding {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut check = serializer.serialize_struct("check", 5)?;
        check.serialize_field("type", "check")?;
        check.serialize_field("name", self.name())?;
        check.serialize_field("ok", &self.ok())?;
        check.serialize_field("detail", &self.detail())?;
        check.serialize_field("advice", &self.advice())?;
        check.end()
    }
}

pub fn examine(paths: &Paths, secrets: Secrets) -> Vec<Finding> {
    let models = models(paths);
    let whole = models.ok();
    let mut findings = vec![models];
    if whole {
        findings.push(match Ears::new(&paths.models, true).load() {
            Ok(_) => Finding::Recogniser,
            Err(error) => Finding::RecogniserFails(error),
        });
    }
    findings.push(memory(paths));
    findings.push(microphone());
    findings.push(Aloud::find().map_or_else(Finding::NoVoice, |_| Finding::Voice));
    findings.extend(database(paths, secrets));
    findings.extend(exports(paths));
    let set = calm_prompts::PromptSet::shipped();
    let identity = set.identity();
    findings.push(Finding::Prompts { set: identity.set, version: identity.version });
    findings
}

fn models(paths: &Paths) -> Finding {
    let models = Models::open(&paths.models);
    let mut lacking = Vec::new();
    for id in models.manifest().required() {
        match models.state(id) {
            Ok(State::Ready) => {}
            Ok(State::Missing) => lacking.push(Lacking::Missing(id.to_owned())),
            Ok(State::Damaged) => lacking.push(Lacking::Damaged(id.to_owned())),
            Err(error) => lacking.push(Lacking::Unknown(error)),
        }
    }
    if lacking.is_empty() {
        Finding::ModelsReady { folder: paths.models.clone() }
    } else {
        Finding::ModelsLacking(lacking)
    }
}

fn memory(paths: &Paths) -> Finding {
    match Models::open(&paths.models).state(ENCODER) {
        Ok(State::Ready) => Finding::MemoryByMeaning,
        Ok(State::Missing) => Finding::MemoryByWords,
        Ok(State::Damaged) => Finding::EncoderDamaged,
        Err(error) => Finding::EncoderFails(error),
    }
}

fn microphone() -> Finding {
    if !mic::is_connected() {
        return Finding::NoMicrophone;
    }
    match mic::devices() {
        Ok(mut devices) => {
            devices.sort_by_key(|device| !device.default);
            Finding::Microphones(devices.iter().map(|it| format!("{} [{}]", it.name, it.id)).collect())
        }
        Err(error) => Finding::MicrophoneFails(error),
    }
}

/// Nothing where every export was finished.
fn exports(paths: &Paths) -> impl Iterator<Item = Finding> {
    let CutOff { ours, unclear } = unfinished::look(&paths.data);
    let ours = (!ours.is_empty()).then_some(Finding::ExportCutOff { folders: ours });
    let unclear = (!unclear.is_empty()).then_some(Finding::ExportUnclear { folders: unclear });
    ours.into_iter().chain(unclear)
}

/// Opens an existing database only: looking must not make one.
fn database(paths: &Paths, secrets: Secrets) -> Vec<Finding> {
    let folder = paths.data.clone();
    if !paths.has_database() {
        return vec![Finding::NoDatabase { folder }];
    }
    match Store::open(&paths.data, secrets) {
        Ok(store) => vec![Finding::Database { folder }, Finding::Key(store.key_place().clone())],
        Err(StoreError::Locked) => vec![Finding::DatabaseLocked { folder }],
        Err(error) => vec![Finding::DatabaseFails(error)],
    }
}
