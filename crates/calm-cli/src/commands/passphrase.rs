//! `calm passphrase`: lock the database, change the words, open it without.

use std::process::ExitCode;

use calm_app::{KeyPlace, passphrase, paths};
use serde_json::json;

use super::House;
use crate::args::PassphraseAction;
use crate::asking;
use crate::bilingual::{both, say};
use crate::failure::Failure;
use crate::output::Output;

pub fn run(house: &House, action: PassphraseAction, out: &Output) -> Result<ExitCode, Failure> {
    let paths = house.paths()?;
    if !matches!(action, PassphraseAction::Status) && !paths.has_database() {
        return Err(Failure::bad_input(both!(
            "закрывать пока нечего: разговоров ещё не было",
            "there is nothing to lock: nothing has been recorded yet"
        )));
    }
    let lang = house.lang();
    let is_set = passphrase::is_set(&paths)?;
    let (old, new) = match (action, is_set) {
        (PassphraseAction::Status, _) => {
            if out.json() {
                out.event("passphrase", &json!({"set": is_set}));
            } else {
                out.line(&if is_set {
                    say!(lang, "фраза задана", "a passphrase is set")
                } else {
                    say!(lang, "фраза не задана", "no passphrase is set")
                });
            }
            return Ok(ExitCode::SUCCESS);
        }
        // Before anybody types anything.
        (PassphraseAction::Set, true) => {
            return Err(Failure::bad_input(both!(
                "фраза уже задана, сменить её: `calm passphrase change`",
                "a passphrase is set already: calm passphrase change"
            )));
        }
        (PassphraseAction::Change | PassphraseAction::Remove, false) => {
            return Err(Failure::bad_input(both!(
                "фраза не задана, задать её: `calm passphrase set`",
                "no passphrase is set: calm passphrase set"
            )));
        }
        (PassphraseAction::Set, false) => (None, Some(asking::new_passphrase(lang)?)),
        (PassphraseAction::Change, true) => (Some(asking::passphrase(lang)?), Some(asking::new_passphrase(lang)?)),
        (PassphraseAction::Remove, true) => (Some(asking::passphrase(lang)?), None),
    };
    let changed = passphrase::change(&paths, paths::secrets(), old.as_ref(), new.as_ref())?;
    if out.json() {
        out.event("passphrase", &json!({"set": new.is_some(), "left": changed.left}));
    } else {
        out.line(&match changed.place {
            KeyPlace::Keychain => say!(lang, "ключ лежит в хранилище ключей", "the key is in the keychain"),
            KeyPlace::File(file) => {
                let file = file.display();
                say!(lang, "ключ лежит в {file}", "the key is in {file}")
            }
            KeyPlace::Locked(file) => {
                let file = file.display();
                say!(lang, "ключ лежит в {file}, под фразой", "the key is in {file}, behind the passphrase")
            }
        });
        if let Some(why) = changed.left {
            let holds = match new {
                Some(_) => say!(lang, "с этой минуты действует новая фраза", "the new passphrase holds from now on"),
                None => say!(lang, "фраза больше не нужна", "no passphrase is needed now"),
            };
            out.line(&say!(
                lang,
                "{holds}; что-то прежнее осталось: {why}",
                "{holds}; something of before is left: {why}"
            ));
        }
        if new.is_some() {
            out.line(&say!(
                lang,
                "без фразы журнал не открыть никому: если она забудется, он потерян",
                "nobody can open the database without the words: whoever forgets them has lost it"
            ));
        }
    }
    Ok(ExitCode::SUCCESS)
}
