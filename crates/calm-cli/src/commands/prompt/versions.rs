//! `calm prompt finalize`, `versions`, `stats` and `rollback`.

use std::process::ExitCode;

use calm_app::prompting::{Draft, Refusal, VersionLine, VersionStatistics, draft_folder};
use calm_app::prompts::versions::{Mean, Share};
use calm_app::{AppError, Conductor};
use serde_json::json;

use super::super::House;
use super::lint::{self, FILE};
use crate::bilingual::{both, say};
use crate::failure::Failure;
use crate::output::{Output, complain, counted};

/// Decisions shown with the versions.
const LOG: u32 = 20;

pub fn finalize(house: &House, version: Option<&str>, note: Option<&str>, out: &Output) -> Result<ExitCode, Failure> {
    let data = house.paths()?.data;
    let nothing = || {
        let folder = draft_folder(&data);
        let folder = folder.display();
        Failure::bad_input(both!(
            "делать версией нечего, новых правок нет: им место в {folder}",
            "there is nothing new to finalize: edits belong in {folder}"
        ))
    };
    if Draft::read(&data).map_err(AppError::from)?.is_none() {
        return Err(nothing());
    }
    match house.quiet()?.finalize_prompts(version, note)? {
        Ok(done) => {
            if out.json() {
                out.event("finalized", &done);
            } else {
                let hash = done.hash.get(..8).unwrap_or_default();
                let (set, version, lang) = (&done.set, &done.version, house.lang());
                let files = FILE.counted(done.files_changed, lang);
                out.line(&say!(
                    lang,
                    "{set} {version} теперь в работе (изменения: {files}, {hash})",
                    "{set} {version} is in use now ({files} changed, {hash})"
                ));
            }
            Ok(ExitCode::SUCCESS)
        }
        Err(Refusal::Lint(linted)) => {
            lint::show(&linted, house.lang(), out);
            Err(Failure::refused(both!(
                "версией это не стало: проверка нашла ошибки",
                "not finalized: the linter has hard fails"
            )))
        }
        Err(Refusal::NothingChanged) => Err(nothing()),
        Err(Refusal::WasRetired(name)) => Err(Failure::bad_input(both!(
            "ровно эти правки уже были версией {name}, и от неё ушли: вернуть её можно через `calm prompt rollback --to {name}`",
            "this very edit was {name} and has been gone back from: `calm prompt rollback --to {name}` brings it back"
        ))),
        Err(Refusal::VersionTaken(name)) => Err(Failure::bad_input(both!(
            "версия {name} уже есть: дай другое имя через --version",
            "there is a version {name} already: choose another name with --version"
        ))),
    }
}

pub fn list(house: &House, diff: Option<&str>, out: &Output) -> Result<ExitCode, Failure> {
    let mut conductor = house.quiet()?;
    if let Some(version) = diff {
        return show_changes(&mut conductor, version, out);
    }
    let versions = conductor.prompt_versions()?;
    for it in &versions {
        if out.json() {
            out.event("version", it);
        } else {
            out.line(version_line(it).trim_end());
        }
    }
    let log = conductor.prompt_log(LOG)?;
    if !out.json() && !log.is_empty() {
        out.line("");
    }
    for entry in log {
        let from = entry.from_version.as_deref();
        if out.json() {
            out.event("decision", &json!({"at": entry.decision.at, "event": entry.event, "actor": entry.decision.actor,
                "from": from, "to": entry.to_version, "reason": entry.decision.reason, "figures": entry.decision.figures}));
            continue;
        }
        let event = json!(entry.event);
        let actor = json!(entry.decision.actor);
        let path = from.map_or_else(|| entry.to_version.clone(), |from| format!("{from} → {}", entry.to_version));
        out.line(&format!(
            "{}  {:<11} {path} (by the {}){}",
            entry.decision.at.strftime("%Y-%m-%d %H:%M"),
            event.as_str().unwrap_or_default().replace('_', " "),
            actor.as_str().unwrap_or_default(),
            entry.decision.reason.map(|reason| format!(": {reason}")).unwrap_or_default(),
        ));
    }
    let draft = match Draft::read(&house.paths()?.data) {
        Ok(draft) => draft,
        Err(error) => {
            complain(&format!("the edits cannot be used as they are: {error}"));
            None
        }
    };
    let draft = draft.filter(|draft| versions.iter().all(|it| it.hash != draft.set.identity().hash));
    if let (Some(draft), false) = (draft, out.json()) {
        out.line("");
        out.line(&format!("edits not finalized: {}", counted(draft.changes.len(), "file")));
        draft.changes.iter().for_each(|change| out.line(&format!("      {}", change.path)));
    }
    Ok(ExitCode::SUCCESS)
}

fn version_line(it: &VersionLine) -> String {
    let state = match (it.in_use, it.retired_at.is_some()) {
        (true, _) => "in use",
        (false, true) => "retired",
        (false, false) => "",
    };
    let origin = json!(it.origin);
    let hash = it.hash.get(..8).unwrap_or_default();
    let note = it.note.as_deref().unwrap_or_default();
    format!(
        "{state:<8} {} {:<16} {:<8} {hash}  {}  {note}",
        it.set,
        it.version,
        origin.as_str().unwrap_or_default(),
        it.finalized_at.strftime("%Y-%m-%d %H:%M"),
    )
}

fn show_changes(conductor: &mut Conductor, version: &str, out: &Output) -> Result<ExitCode, Failure> {
    let changes = conductor.prompt_changes(version)?;
    let missing = || Failure::bad_input(both!("версии {version} нет", "there is no version {version}"));
    let changes = changes.ok_or_else(missing)?;
    for change in changes {
        if out.json() {
            out.event("change", &change);
        } else {
            out.line(change.diff.trim_end());
        }
    }
    Ok(ExitCode::SUCCESS)
}

pub fn statistics(house: &House, out: &Output) -> Result<ExitCode, Failure> {
    let list = house.existing()?.map(|mut it| it.prompt_statistics()).transpose()?.unwrap_or_default();
    if !out.json() && list.is_empty() {
        out.line("no finished sessions yet");
    }
    for it in &list {
        if out.json() {
            out.event("prompt_stats", &it);
        } else {
            statistics_of(it).iter().for_each(|line| out.line(line));
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn statistics_of(it: &VersionStatistics) -> Vec<String> {
    let figures = &it.figures;
    let heard = &figures.heard;
    let hits = figures.boundary_hits_per_session.map_or("–".to_owned(), |hits| format!("{hits:.2} a session"));
    vec![
        format!("{} · {} · {}", it.version, it.variant, counted(figures.sessions, "session")),
        format!("      completed      {}", share(figures.completed)),
        format!("      forced ends    {}", share(figures.forced)),
        format!("      Sufler mean    {}", mean(figures.sufler.as_ref())),
        format!("      felt heard     yes {}, partly {}, no {} (n {})", heard.yes, heard.partly, heard.no, heard.n()),
        format!("      stress change  {}", mean(figures.stress_delta.as_ref())),
        format!("      boundary hits  {hits}, in {}", share(figures.sessions_with_hit)),
    ]
}

fn share(share: Share) -> String {
    format!("{} of {}", share.count, share.n)
}

fn mean(mean: Option<&Mean>) -> String {
    let Some(Mean { mean, interval, n }) = mean else { return "–".to_owned() };
    let interval = interval.map(|it| format!(" ({:.2} to {:.2})", it.low, it.high)).unwrap_or_default();
    format!("{mean:.2}{interval}, n {n}")
}

pub fn roll_back(house: &House, to: Option<&str>, reason: Option<&str>, out: &Output) -> Result<ExitCode, Failure> {
    let mut conductor = house.existing()?.ok_or(AppError::NoEarlierPrompts)?;
    let done = conductor.roll_back_prompts(to, reason)?;
    if out.json() {
        out.event("rolled_back", &done);
    } else {
        out.line(&format!("{} makes way for {}", done.from, done.to));
    }
    Ok(ExitCode::SUCCESS)
}
