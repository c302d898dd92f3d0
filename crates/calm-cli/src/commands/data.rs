//! `calm export`, `import`, `erase` and `retention`: everything out, back in, away, and for how long.

use std::process::ExitCode;

use calm_app::forgetting::Deleted;
use calm_app::{AppError, Keep, Lang, erasing, importing, paths};
use serde_json::json;

use super::House;
use crate::args::{EraseArgs, ExportArgs, ImportArgs, RetentionArgs};
use crate::asking;
use crate::bilingual::{DAY, Noun, RECORDING, ROW, SESSION, TABLE, both, say};
use crate::errors;
use crate::failure::Failure;
use crate::output::Output;

pub fn export(house: &House, args: &ExportArgs, out: &Output) -> Result<ExitCode, Failure> {
    let Some(conductor) = house.as_it_is()? else {
        return Err(Failure::bad_input(both!(
            "выгружать пока нечего: разговоров ещё не было",
            "there is nothing to export: nothing has been recorded yet"
        )));
    };
    let exported = conductor.export(&args.to, args.audio)?;
    if out.json() {
        out.event("exported", &exported);
    } else {
        let lang = house.lang();
        let counts = [
            TABLE.counted(exported.tables, lang),
            ROW.counted(whole(exported.rows), lang),
            RECORDING.counted(exported.recordings, lang),
        ];
        out.line(&format!("{}: {}", exported.to.display(), counts.join(", ")));
        for unread in &exported.unread {
            let why = errors::folder(unread);
            out.line(&say!(lang, "промпт не вошёл: {why}", "left out: {unread}"));
        }
        out.line(&say!(
            lang,
            "прочесть это можешь только ты, но шифрования здесь уже нет: храни в надёжном месте",
            "only you can read it, and it is not encrypted any more: keep it where you keep such things"
        ));
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
        let lang = house.lang();
        let sessions = SESSION.counted(whole(imported.sessions), lang);
        let rows = ROW.counted(whole(imported.rows), lang);
        let known = imported.known;
        out.line(&say!(
            lang,
            "добавлено: {sessions}, всего {rows}; уже было здесь: {known}",
            "{sessions}, {rows} in all; {known} were here already"
        ));
    }
    Ok(ExitCode::SUCCESS)
}

pub fn erase(house: &House, args: &EraseArgs, out: &Output) -> Result<ExitCode, Failure> {
    let paths = house.paths()?;
    let lang = house.lang();
    if !args.yes {
        let folder = paths.data.display();
        let models = match (args.models, lang) {
            (false, _) => "",
            (true, Lang::Ru) => " и все модели",
            (true, Lang::En) => " and all models",
        };
        let question = say!(
            lang,
            "всё в {folder}{models} уйдёт насовсем; копию сделает `calm export`. Чтобы продолжить, набери «стереть»:",
            "everything in {folder}{models} goes for good; `calm export` keeps a copy. Type erase to go on:"
        );
        if !asking::agreed(&question, &["erase", "стереть"])? {
            return Err(Failure::refused(both!("ничего не стёрто", "nothing was erased")));
        }
    }
    let erased = erasing::erase(&paths, paths::secrets(), args.models)?;
    if out.json() {
        out.event("erased", &erased);
    } else {
        for file in &erased.files {
            let file = file.display();
            out.line(&say!(lang, "стёрто    {file}", "gone  {file}"));
        }
        for file in &erased.left {
            let file = file.display();
            out.line(&say!(lang, "осталось  {file}", "left  {file}"));
        }
        for (file, why) in &erased.stuck {
            let file = file.display();
            out.line(&say!(lang, "застряло  {file}: {why}", "stuck {file}: {why}"));
        }
        if erased.left_in_keychain {
            out.line(&say!(
                lang,
                "хранилище ключей не ответило: в нём мог остаться ключ, который уже ничего не открывает",
                "the keychain did not answer: a key that fits nothing any more may be left in it"
            ));
        }
        out.line(&if !erased.stuck.is_empty() {
            say!(
                lang,
                "сначала ушли ключи, и прочесть застрявшее некому: удали его рукой или повтори `calm erase`",
                "the keys went first, so nobody can read what is stuck: remove it by hand, or run calm erase again"
            )
        } else if erased.left.is_empty() {
            say!(lang, "сначала ушли ключи; файлов не осталось", "the keys went first; no file is left")
        } else {
            say!(
                lang,
                "сначала ушли ключи; что осталось, к журналу не относится",
                "the keys went first; what is left is not the database's"
            )
        });
    }
    Ok(if erased.stuck.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

pub fn retention(house: &House, args: &RetentionArgs, out: &Output) -> Result<ExitCode, Failure> {
    let Some(mut conductor) = house.as_it_is()? else {
        if !out.json() {
            out.line(&say!(house.lang(), "разговоров ещё не было", "nothing has been recorded yet"));
        }
        return Ok(ExitCode::SUCCESS);
    };
    let keep = args.transcripts.unwrap_or(conductor.settings().keep_transcripts);
    let sound = args.recordings.unwrap_or(conductor.settings().keep_recordings);
    let deleted = if args.apply { conductor.expire()? } else { conductor.would_expire(keep, sound)? };
    let gone = if args.apply { "gone" } else { "would_go" };
    let ahead = conductor.clock_is_ahead()?;
    if out.json() {
        let kept = json!({"keep_transcripts": keep.to_string(), "keep_recordings": sound.to_string(), gone: deleted,
            "clock_ahead": ahead});
        out.event("retention", &kept);
    } else {
        let lang = house.lang();
        let keep = kept(keep, say!(lang, "до конца разговора", "never"), lang);
        let sound = kept(sound, say!(lang, "пока не станут словами", "never"), lang);
        let told = told(&deleted, lang);
        out.line(&say!(lang, "разговоры хранятся: {keep}", "transcripts are kept: {keep}"));
        out.line(&say!(lang, "записи голоса хранятся: {sound}", "recordings are kept: {sound}"));
        if ahead {
            out.line(&say!(
                lang,
                "часы ушли вперёд больше чем на год, и само пока ничего не удаляется;",
                "the clock is more than a year ahead of the last time, and for now nothing goes by itself;"
            ));
            out.line(&say!(
                lang,
                "если ошибаются, поправь их, а если верны, через неделю всё пойдёт как обычно",
                "put it right if it is wrong; if it is right, all goes on as usual in a week"
            ));
        }
        out.line(&if args.apply {
            say!(lang, "ушло: {told}", "went: {told}")
        } else {
            say!(lang, "сейчас ушло бы: {told}", "would go now: {told}")
        });
        traces(deleted.left.as_deref(), lang, out);
    }
    Ok(ExitCode::SUCCESS)
}

/// Asks before it deletes: there is no way back.
pub fn delete(house: &House, session: calm_app::SessionId, yes: bool, out: &Output) -> Result<ExitCode, Failure> {
    let Some(mut conductor) = house.existing()? else {
        return Err(Failure::bad_input(both!(
            "такого разговора нет: разговоров ещё не было",
            "there is no such session: nothing has been recorded yet"
        )));
    };
    let preview = conductor.would_delete(session).map_err(|error| match error {
        AppError::Store(_) if error.is_bad_input() => super::history::no_session(session),
        other => other.into(),
    })?;
    let lang = house.lang();
    if !yes {
        let told = told(&preview, lang);
        let question = say!(lang, "насовсем: {told}. Удалить? [д/Н]", "for good: {told}. Delete it? [y/N]");
        if !asking::agreed(&question, &["y", "yes", "д", "да"])? {
            return Err(Failure::refused(both!("ничего не удалено", "nothing was deleted")));
        }
    }
    let deleted = conductor.delete_session(session)?;
    if out.json() {
        out.event("deleted", &json!({"session_id": session, "gone": deleted}));
    } else {
        let told = told(&deleted, lang);
        out.line(&say!(lang, "ушло: {told}", "gone: {told}"));
        if deleted.left.is_none() {
            out.line(&say!(
                lang,
                "файл записан заново, следов в нём не осталось",
                "the file was written anew: nothing of it is left in it"
            ));
        }
        traces(deleted.left.as_deref(), lang, out);
        for pair in &deleted.pairs {
            out.line(&say!(
                lang,
                "чек-аут {pair} опирался на него и может о нём говорить: `calm history delete {pair}`",
                "the check-out {pair} went by it and may speak of it: calm history delete {pair}"
            ));
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// It is gone, and not without a trace: what is `left`, and why.
pub fn traces(left: Option<&str>, lang: Lang, out: &Output) {
    let Some(why) = left else { return };
    if out.json() {
        return out.event("traces_left", &json!({"why": why}));
    }
    out.line(&say!(
        lang,
        "удалено; последние следы ещё лежат в файле или в его копии ({why})",
        "it is deleted; its last traces are still in the file or in a backup ({why})"
    ));
    out.line(&say!(lang, "их уберёт следующий запуск Calm", "the next start of Calm clears them"));
}

/// How long something is kept; what is never kept goes in its own way.
fn kept(keep: Keep, never: String, lang: Lang) -> String {
    match keep {
        Keep::Forever => say!(lang, "пока не удалишь", "forever"),
        Keep::Never => never,
        Keep::Days(days) => DAY.counted(days.into(), lang),
    }
}

const TURN: Noun = Noun::new(["реплика", "реплики", "реплик"], ["turn", "turns"]);
const MEMORY: Noun = Noun::new(
    ["догадка только оттуда", "догадки только оттуда", "догадок только оттуда"],
    ["thing remembered from it alone", "things remembered from it alone"],
);
const REMINDER: Noun = Noun::new(
    ["напоминание оттуда", "напоминания оттуда", "напоминаний оттуда"],
    ["reminder set in it", "reminders set in it"],
);
const TEXT: Noun = Noun::new(
    ["текст в журнале отправленного", "текста в журнале отправленного", "текстов в журнале отправленного"],
    ["text in the ledger", "texts in the ledger"],
);
const BACKUP: Noun = Noun::new(
    ["старая копия журнала", "старые копии журнала", "старых копий журнала"],
    ["old copy of the database", "old copies of the database"],
);

fn told(deleted: &Deleted, lang: Lang) -> String {
    let counts = [
        (deleted.sessions, SESSION),
        (deleted.turns, TURN),
        (deleted.memories, MEMORY),
        (deleted.recordings, RECORDING),
        (deleted.reminders, REMINDER),
        (deleted.requests, TEXT),
        (deleted.backups, BACKUP),
    ];
    let parts = counts.iter().enumerate().filter(|(place, (count, _))| *count > 0 || *place == 0);
    parts.map(|(_, (count, noun))| noun.counted(whole(*count), lang)).collect::<Vec<_>>().join(", ")
}

fn whole(n: impl TryInto<usize>) -> usize {
    n.try_into().unwrap_or(usize::MAX)
}
