//! Looks over this machine and says what to do; it changes nothing.

use std::path::PathBuf;

use calm_models::{Models, State};
use calm_store::{KeyPlace, Secrets, Store, StoreError};
use calm_voice::{Aloud, mic};
use serde::Serialize;

use crate::ears::Ears;
use crate::exporting::unfinished::{self, CutOff};
use crate::paths::Paths;
use crate::remembering::MODEL;

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "type", rename = "check")]
pub struct Check {
    pub name: &'static str,
    pub ok: bool,
    pub detail: String,
    /// What to do; empty where nothing is to be done.
    pub advice: String,
}

impl Check {
    fn fine(name: &'static str, detail: impl Into<String>) -> Check {
        Check { name, ok: true, detail: detail.into(), advice: String::new() }
    }

    fn wrong(name: &'static str, detail: impl Into<String>, advice: impl Into<String>) -> Check {
        Check { name, ok: false, detail: detail.into(), advice: advice.into() }
    }
}

pub fn examine(paths: &Paths, secrets: Secrets) -> Vec<Check> {
    let models = models(paths);
    let whole = models.ok;
    let mut checks = vec![models];
    if whole {
        checks.push(recogniser(paths));
    }
    checks.push(memory(paths));
    checks.push(microphone());
    checks.push(voice());
    checks.extend(database(paths, secrets));
    checks.extend(exports(paths));
    checks.push(prompts());
    checks
}

fn models(paths: &Paths) -> Check {
    let models = Models::open(&paths.models);
    let mut lacking = Vec::new();
    for id in models.manifest().required() {
        match models.state(id) {
            Ok(State::Ready) => {}
            Ok(State::Missing) => lacking.push(format!("{id} is missing")),
            Ok(State::Damaged) => lacking.push(format!("{id} is damaged")),
            Err(error) => lacking.push(error.to_string()),
        }
    }
    if lacking.is_empty() {
        Check::fine("models", format!("all required models are in {}", paths.models.display()))
    } else {
        Check::wrong("models", lacking.join(", "), "run `calm models fetch`")
    }
}

/// Without the encoder nothing is missing but likeness of meaning.
fn memory(paths: &Paths) -> Check {
    match Models::open(&paths.models).state(MODEL) {
        Ok(State::Ready) => Check::fine("memory", "memories are found by what they mean and by their words"),
        Ok(State::Missing) => Check {
            advice: format!("for likeness of meaning, run `calm models fetch {MODEL}`"),
            ..Check::fine("memory", "memories are found by their words")
        },
        Ok(State::Damaged) => {
            Check::wrong("memory", format!("{MODEL} is damaged"), format!("run `calm models fetch {MODEL}`"))
        }
        Err(error) => Check::wrong("memory", error.to_string(), "run `calm models verify`"),
    }
}

fn recogniser(paths: &Paths) -> Check {
    match Ears::new(&paths.models, true).load() {
        Ok(_) => Check::fine("recogniser", "speech recognition and voice analysis load"),
        Err(error) => Check::wrong("recogniser", error.to_string(), "run `calm models verify`"),
    }
}

/// Speaking is off until somebody asks for it, so a missing voice is no fault.
fn voice() -> Check {
    match Aloud::find() {
        Ok(_) => Check::fine("voice", "the system's voice can say replies (`calm settings set speak_replies yes`)"),
        Err(error) => Check::fine("voice", format!("replies are not said aloud: {error}")),
    }
}

/// Names every device with the id by which it is chosen, the system's own choice first.
fn microphone() -> Check {
    if !mic::is_connected() {
        return Check::wrong("microphone", "none is connected", "connect one; typing and audio files work without");
    }
    match mic::devices() {
        Ok(mut devices) => {
            devices.sort_by_key(|device| !device.default);
            let names: Vec<String> = devices.iter().map(|it| format!("{} [{}]", it.name, it.id)).collect();
            let advice = match names.len() {
                0 | 1 => String::new(),
                _ => "to choose another, run `calm settings set microphone ID`".to_owned(),
            };
            let detail = if names.is_empty() { "connected".to_owned() } else { names.join(", ") };
            Check { advice, ..Check::fine("microphone", detail) }
        }
        Err(error) => Check::wrong("microphone", error.to_string(), "typing and audio files work without"),
    }
}

/// Nothing where every export was finished.
fn exports(paths: &Paths) -> Vec<Check> {
    let named =
        |folders: Vec<PathBuf>| folders.iter().map(|it| it.display().to_string()).collect::<Vec<_>>().join(", ");
    let CutOff { ours, unclear } = unfinished::look(&paths.data);
    let mut checks = Vec::new();
    if !ours.is_empty() {
        let detail = format!("cut off, with your words in it, not encrypted: {}", named(ours));
        checks.push(Check::wrong("export", detail, "the next start of Calm removes it"));
    }
    if !unclear.is_empty() {
        let detail = format!("cut off, and not to be recognised or not reached now: {}", named(unclear));
        checks.push(Check::wrong("export", detail, "look whether it is there, and remove it"));
    }
    checks
}

/// Opens an existing database only: looking must not make one.
fn database(paths: &Paths, secrets: Secrets) -> Vec<Check> {
    if !paths.has_database() {
        return vec![Check::fine(
            "database",
            format!("none yet in {}; the first session makes it", paths.data.display()),
        )];
    }
    match Store::open(&paths.data, secrets) {
        Ok(store) => {
            let key = match store.key_place() {
                KeyPlace::Keychain => Check::fine("keychain", "the key is in the system's keychain"),
                KeyPlace::File(file) => Check::fine(
                    "keychain",
                    format!("no keychain is used: the key is in {} (only you can read it)", file.display()),
                ),
                KeyPlace::Locked(file) => {
                    Check::fine("keychain", format!("the key is in {}, behind your passphrase", file.display()))
                }
            };
            vec![Check::fine("database", format!("encrypted, opens, in {}", paths.data.display())), key]
        }
        Err(StoreError::Locked) => {
            vec![Check::fine("database", format!("locked with your passphrase, in {}", paths.data.display()))]
        }
        Err(error) => vec![Check::wrong("database", error.to_string(), "nothing was changed; see what the line says")],
    }
}

fn prompts() -> Check {
    let set = calm_prompts::PromptSet::shipped();
    let identity = set.identity();
    Check::fine("prompts", format!("{} {}", identity.set, identity.version))
}
