//! `calm passphrase`: lock the database, change the words, open it without.

use std::process::ExitCode;

use calm_app::{passphrase, paths};
use serde_json::json;

use super::House;
use crate::args::PassphraseAction;
use crate::asking;
use crate::failure::Failure;
use crate::output::Output;

pub fn run(house: &House, action: PassphraseAction, out: &Output) -> Result<ExitCode, Failure> {
    let paths = house.paths()?;
    if !matches!(action, PassphraseAction::Status) && !paths.has_database() {
        return Err(Failure::bad_input("there is nothing to lock: nothing has been recorded yet"));
    }
    let is_set = passphrase::is_set(&paths)?;
    let (old, new) = match (action, is_set) {
        (PassphraseAction::Status, _) => {
            if out.json() {
                out.event("passphrase", &json!({"set": is_set}));
            } else {
                out.line(if is_set { "a passphrase is set" } else { "no passphrase is set" });
            }
            return Ok(ExitCode::SUCCESS);
        }
        // Before anybody types anything.
        (PassphraseAction::Set, true) => {
            return Err(Failure::bad_input("a passphrase is set already: calm passphrase change"));
        }
        (PassphraseAction::Change | PassphraseAction::Remove, false) => {
            return Err(Failure::bad_input("no passphrase is set: calm passphrase set"));
        }
        (PassphraseAction::Set, false) => (None, Some(asking::new_passphrase()?)),
        (PassphraseAction::Change, true) => {
            (Some(asking::passphrase("passphrase: ")?), Some(asking::new_passphrase()?))
        }
        (PassphraseAction::Remove, true) => (Some(asking::passphrase("passphrase: ")?), None),
    };
    let changed = passphrase::change(&paths, paths::secrets(), old.as_ref(), new.as_ref())?;
    if out.json() {
        out.event("passphrase", &json!({"set": new.is_some(), "left": changed.left}));
    } else {
        out.line(&format!("the key is in {}", changed.place));
        if let Some(why) = changed.left {
            let valid =
                if new.is_some() { "the new passphrase holds from now on" } else { "no passphrase is needed now" };
            out.line(&format!("{valid}; something of before is left: {why}"));
        }
        if new.is_some() {
            out.line("nobody can open the database without the words: whoever forgets them has lost it");
        }
    }
    Ok(ExitCode::SUCCESS)
}
