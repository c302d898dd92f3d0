//! `calm export`, `import`, `erase` and `retention`: everything out, back in, away, and for how long.

use std::process::ExitCode;

use calm_app::forgetting::Deleted;
use calm_app::{AppError, erasing, importing, paths};
use serde_json::json;

use super::House;
use crate::args::{EraseArgs, ExportArgs, ImportArgs, RetentionArgs};
use crate::asking;
use crate::failure::Failure;
use crate::output::{Output, counted};

pub fn export(house: &House, args: &ExportArgs, out: &Output) -> Result<ExitCode, Failure> {
    let Some(conductor) = house.as_it_is()? else {
        return Err(Failure::bad_input("there is nothing to export: nothing has been recorded yet"));
    };
    let exported = conductor.export(&args.to, args.audio)?;
    if out.json() {
        out.event("exported", &exported);
    } else {
        let rows = usize::try_from(exported.rows).unwrap_or(usize::MAX);
        out.line(&format!(
            "{}: {}, {}, {}",
            exported.to.display(),
            counted(exported.tables, "table"),
            counted(rows, "row"),
            counted(exported.recordings, "recording")
        ));
        out.line("only you can read it, and it is not encrypted any more: keep it where you keep such things");
    }
    Ok(ExitCode::SUCCESS)
}

pub fn import(house: &House, args: &ImportArgs, out: &Output) -> Result<ExitCode, Failure> {
    let paths = house.paths()?;
    house.unlock(&paths)?;
    let imported = importing::import(&paths, paths::secrets(), &args.from)?;
    if out.json() {
        out.event("imported", &imported);
    } else {
        out.line(&format!(
            "{} sessions, {} rows in all; {} were here already",
            imported.sessions, imported.rows, imported.known
        ));
    }
    Ok(ExitCode::SUCCESS)
}

pub fn erase(house: &House, args: &EraseArgs, out: &Output) -> Result<ExitCode, Failure> {
    let paths = house.paths()?;
    if !args.yes {
        let models = if args.models { " and all models" } else { "" };
        let question = format!(
            "everything in {}{models} goes for good; `calm export` keeps a copy. Type erase to go on:",
            paths.data.display()
        );
        if !asking::agreed(&question, &["erase", "стереть"])? {
            return Err(Failure::refused("nothing was erased"));
        }
    }
    let erased = erasing::erase(&paths, paths::secrets(), args.models)?;
    if out.json() {
        out.event("erased", &erased);
    } else {
        erased.files.iter().for_each(|file| out.line(&format!("gone  {}", file.display())));
        erased.left.iter().for_each(|file| out.line(&format!("left  {}", file.display())));
        erased.stuck.iter().for_each(|(file, why)| out.line(&format!("stuck {}: {why}", file.display())));
        if erased.left_in_keychain {
            out.line("the keychain did not answer: a key that fits nothing any more may be left in it");
        }
        out.line(if !erased.stuck.is_empty() {
            "the keys went first, so nobody can read what is stuck: remove it by hand, or run calm erase again"
        } else if erased.left.is_empty() {
            "the keys went first; no file is left"
        } else {
            "the keys went first; what is left is not the database's"
        });
    }
    Ok(if erased.stuck.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

pub fn retention(house: &House, args: &RetentionArgs, out: &Output) -> Result<ExitCode, Failure> {
    let Some(mut conductor) = house.as_it_is()? else {
        if !out.json() {
            out.line("nothing has been recorded yet");
        }
        return Ok(ExitCode::SUCCESS);
    };
    let keep = args.transcripts.unwrap_or(conductor.settings().keep_transcripts);
    let sound = args.recordings.unwrap_or(conductor.settings().keep_recordings);
    let deleted = if args.apply { conductor.expire()? } else { conductor.would_expire(keep, sound)? };
    let (gone, verb) = if args.apply { ("gone", "went") } else { ("would_go", "would go now") };
    if out.json() {
        let kept = json!({"keep_transcripts": keep.to_string(), "keep_recordings": sound.to_string(), gone: deleted});
        out.event("retention", &kept);
    } else {
        out.line(&format!("transcripts are kept: {keep}"));
        out.line(&format!("recordings are kept: {sound}"));
        out.line(&format!("{verb}: {}", told(&deleted)));
        deleted.left.iter().for_each(|why| traces(why, out));
    }
    Ok(ExitCode::SUCCESS)
}

/// Asks before it deletes: there is no way back.
pub fn delete(house: &House, session: calm_app::SessionId, yes: bool, out: &Output) -> Result<ExitCode, Failure> {
    let Some(mut conductor) = house.existing()? else {
        return Err(Failure::bad_input("there is no such session: nothing has been recorded yet"));
    };
    let preview = conductor.would_delete(session).map_err(|error| match error {
        AppError::Store(_) if error.is_bad_input() => Failure::bad_input(format!("there is no session {session}")),
        other => other.into(),
    })?;
    if !yes {
        let question = format!("for good: {}. Delete it? [y/N]", told(&preview));
        if !asking::agreed(&question, &["y", "yes", "д", "да"])? {
            return Err(Failure::refused("nothing was deleted"));
        }
    }
    let deleted = conductor.delete_session(session)?;
    if out.json() {
        out.event("deleted", &json!({"session_id": session, "gone": deleted}));
    } else {
        out.line(&format!("gone: {}", told(&deleted)));
        match &deleted.left {
            None => out.line("the file was written anew: nothing of it is left in it"),
            Some(why) => traces(why, out),
        }
        for pair in &deleted.pairs {
            out.line(&format!("the check-out {pair} went by it and may speak of it: calm history delete {pair}"));
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// It is gone, and not without a trace.
fn traces(why: &str, out: &Output) {
    out.line(&format!("it is deleted; its last traces are still in the file or in a backup ({why})"));
    out.line("the next start of Calm clears them");
}

fn told(deleted: &Deleted) -> String {
    let counts = [
        (deleted.sessions, "session", "sessions"),
        (deleted.turns, "turn", "turns"),
        (deleted.memories, "thing remembered from it alone", "things remembered from it alone"),
        (deleted.recordings, "recording", "recordings"),
        (deleted.reminders, "reminder set in it", "reminders set in it"),
        (deleted.requests, "text in the ledger", "texts in the ledger"),
        (deleted.backups, "old copy of the database", "old copies of the database"),
    ];
    let parts = counts.iter().filter(|(count, one, _)| *count > 0 || *one == "session");
    let parts = parts.map(|(count, one, many)| format!("{count} {}", if *count == 1 { one } else { many }));
    parts.collect::<Vec<_>>().join(", ")
}
