//! The user's data from the terminal: out, back in, locked, deleted, erased.

#![allow(clippy::unwrap_used)]

mod support;

use std::fs;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};

use serde_json::Value;
use support::{House, NOW, Run};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

const SAID: &str = "двигал стоп на новостях, минус двести, злюсь на себя";

/// Runs with `typed` on standard input.
fn typing(house: &House, args: &[&str], typed: &str) -> Output {
    let mut calm = house.command(args);
    let mut calm = calm.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // Whoever needs no words does not read them.
    if let Err(error) = calm.stdin.take().unwrap().write_all(typed.as_bytes()) {
        assert_eq!(error.kind(), ErrorKind::BrokenPipe);
    }
    calm.wait_with_output().unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn talk(house: &House, said: &str) -> String {
    let run = house.calm(["--lang", "ru", "session", "check-out", "--seed", "1", "--say", said]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    run.one("session_started")["session_id"].to_string()
}

fn everything_under(dir: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut files = Vec::new();
    for entry in fs::read_dir(dir).unwrap().map(Result::unwrap) {
        if entry.file_type().unwrap().is_dir() {
            files.extend(everything_under(&entry.path()));
        } else {
            files.push((entry.path(), fs::read(entry.path()).unwrap()));
        }
    }
    files.sort();
    files
}

fn holds(bytes: &[u8], word: &str) -> bool {
    bytes.windows(word.len()).any(|window| window == word.as_bytes())
}

fn sessions(run: &Run) -> Vec<String> {
    run.all("session").map(|line| line["started_at"].to_string()).collect()
}

#[test]
fn what_is_exported_can_be_read_by_a_person_holds_no_key_and_comes_back() {
    let house = House::new();
    talk(&house, SAID);
    house.calm(["settings", "set", "name", "Светлана"]);
    house.calm(["servers", "add", "work", "--url", "http://127.0.0.1:9/v1", "--model", "m"]);
    assert!(typing(&house, &["servers", "key", "work"], "sk-very-secret\n").status.success());
    support::write(&house.data, "prompts/ru/base/tone.md", "мои правки");
    let key = fs::read_to_string(house.data.join("calm.key")).unwrap();

    let out = tempfile::tempdir().unwrap();
    for name in ["export", "export.zip"] {
        let to = out.path().join(name);
        let run = house.calm(["export", to.to_str().unwrap(), "--audio"]);
        assert_eq!(run.code, 0, "{:?}", run.events);
        assert!(run.one("exported")["rows"].as_u64().unwrap() > 5);
        let again = house.calm(["export", to.to_str().unwrap()]);
        assert_eq!((again.code, again.types()), (2, vec!["error"]), "an export never writes over anything");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
            assert_eq!(mode(&to), if to.is_dir() { 0o700 } else { 0o600 });
        }
    }
    let files = everything_under(&out.path().join("export"));
    #[cfg(unix)]
    for (path, _) in &files {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(fs::metadata(path).unwrap().permissions().mode() & 0o777, 0o600, "{}", path.display());
    }
    for (path, bytes) in &files {
        for secret in ["sk-very-secret", key.trim()] {
            assert!(!holds(bytes, secret), "{} holds a key", path.display());
        }
    }
    let text = |name: &str| fs::read_to_string(out.path().join("export").join(name)).unwrap();
    let csv = text("csv/turns.csv");
    assert!(csv.starts_with("\u{feff}id,session_id,seq,said_at,user_text") && csv.contains(SAID), "{csv}");
    assert!(text("json/settings.jsonl").contains("Светлана"));
    assert_eq!(text("prompts/ru/base/tone.md"), "мои правки");
    let manifest: Value = serde_json::from_str(&text("calm-export.json")).unwrap();
    assert_eq!((&manifest["format"], &manifest["version"]), (&"calmtrader-export".into(), &1.into()));

    for name in ["export", "export.zip"] {
        let other = House::new();
        let from = out.path().join(name);
        let run = other.calm(["import", from.to_str().unwrap()]);
        assert_eq!(run.code, 0, "{:?}", run.events);
        assert_eq!(run.one("imported")["sessions"], 1);
        assert_eq!(other.calm(["settings", "get", "name"]).one("setting")["value"], "Светлана");
        assert_eq!(other.calm(["history", "--search", "новости"]).all("hit").count(), 1);
        assert_eq!(other.calm(["memory"]).code, 0);
        let again = other.calm(["import", from.to_str().unwrap()]);
        assert_eq!(again.one("imported")["rows"], 0, "nothing comes in twice");
        assert_eq!(sessions(&other.calm(["history"])), sessions(&house.calm(["history"])));
    }
}

#[test]
fn what_is_no_export_is_one_line_and_leaves_no_folder() {
    let files = tempfile::tempdir().unwrap();
    let path = |name: &str| files.path().join(name);
    let zip = |name: &str, content: &[(&str, &[u8])]| {
        let mut zip = ZipWriter::new(fs::File::create(path(name)).unwrap());
        for (file, bytes) in content {
            zip.start_file(*file, SimpleFileOptions::default()).unwrap();
            zip.write_all(bytes).unwrap();
        }
        zip.finish().unwrap();
    };
    let manifest = r#"{"format":"calmtrader-export","version":1,"database":4,"program":"0.1.0","made_at":"",
        "tables":[{"name":"notes","rows":1,"columns":[]}]}"#;
    fs::write(path("notes.zip"), "это заметки, а не архив").unwrap();
    fs::write(path("empty.zip"), "").unwrap();
    fs::create_dir(path("folder")).unwrap();
    zip("other.zip", &[("a.txt", b"hello")]);
    zip("words.zip", &[("calm-export.json", "двигал стоп".as_bytes())]);
    zip("without.zip", &[("calm-export.json", manifest.as_bytes())]);
    zip("wrong.zip", &[("calm-export.json", manifest.as_bytes()), ("json/notes.jsonl", b"{\"text\":7}\n")]);
    // A few kilobytes that would be gigabytes: the row is longer than any row of ours.
    let bomb = vec![b'['; 80 * 1024 * 1024];
    zip("bomb.zip", &[("calm-export.json", manifest.as_bytes()), ("json/notes.jsonl", &bomb)]);
    zip("huge.zip", &[("calm-export.json", &bomb[..8 * 1024 * 1024])]);
    zip("newer.zip", &[("calm-export.json", manifest.replace("\"version\":1", "\"version\":2").as_bytes())]);
    let wrong = [
        "notes.zip",
        "empty.zip",
        "folder",
        "other.zip",
        "words.zip",
        "without.zip",
        "wrong.zip",
        "bomb.zip",
        "huge.zip",
        "newer.zip",
        "missing.zip",
    ];
    for name in wrong {
        let house = House::new();
        let run = house.command(["import", path(name).to_str().unwrap()]).output().unwrap();
        let said = stderr(&run);
        assert_eq!(run.status.code(), Some(2), "{name}: {said}");
        assert_eq!(said.trim_end().lines().count(), 1, "{said}");
        assert!(said.contains(name) && !said.contains("двигал"), "{said}");
        assert!(!house.data.exists(), "{name} left something behind");
    }
}

#[test]
fn a_deleted_conversation_is_nowhere_any_more() {
    let house = House::new();
    let id = talk(&house, SAID);
    talk(&house, "сегодня ровно, по плану, плюс сорок");
    let refused = typing(&house, &["history", "delete", &id], "n\n");
    assert_eq!(refused.status.code(), Some(1));
    assert!(stderr(&refused).contains("1 session, 2 turns"), "it says what would go: {}", stderr(&refused));
    assert_eq!(house.calm(["history"]).all("session").count(), 2);

    let run = house.calm(["history", "delete", &id, "--yes"]);
    let gone = &run.one("deleted")["gone"];
    assert_eq!((&gone["sessions"], &gone["traceless"]), (&1.into(), &true.into()), "{gone}");
    assert!(gone["memories"].as_u64().unwrap() > 0, "{gone}");
    assert_eq!(house.calm(["history"]).all("session").count(), 1);
    assert_eq!(house.calm(["history", "--search", "новости"]).all("hit").count(), 0);
    assert!(!house.calm(["memory"]).events.iter().any(|memory| memory.to_string().contains("новостях")));
    assert_eq!(house.calm(["history", "delete", &id, "--yes"]).code, 2);
    assert_eq!(house.calm(["history", "delete", "nothing", "--yes"]).code, 2);
}

#[test]
fn conversations_go_when_they_are_older_than_the_settings_say() {
    let house = House::new();
    let old = ["--lang", "ru", "session", "check-out", "--now", NOW, "--say", SAID];
    assert_eq!(house.calm(old).code, 0);
    talk(&house, "сегодня ровно, по плану");
    assert_eq!(house.calm(["settings", "get", "keep_transcripts"]).one("setting")["value"], "forever");
    let preview = house.calm(["retention", "--transcripts", "30"]);
    assert_eq!(preview.one("retention")["would_go"]["sessions"], 1);
    assert_eq!(house.calm(["history"]).all("session").count(), 2, "a look changes nothing");

    house.calm(["settings", "set", "keep_transcripts", "30"]);
    for _ in 0..2 {
        let preview = house.calm(["retention"]);
        assert_eq!(preview.one("retention")["would_go"]["sessions"], 1, "a look shows what goes, and takes nothing");
    }
    // A script that says what time it is forgets nothing.
    let other = ["session", "check-in", "--now", NOW, "--say", "готовность 8"];
    assert_eq!(house.calm(other).code, 0);
    assert_eq!(house.calm(["history"]).all("session").count(), 1);
    assert_eq!(house.calm(["history", "--search", "новости"]).all("hit").count(), 0);
    assert_eq!(house.calm(["settings", "set", "keep_transcripts", "0"]).code, 2);
}

#[test]
fn while_the_clock_is_years_ahead_nothing_goes_by_itself_and_that_is_said() {
    let house = House::new();
    talk(&house, SAID);
    let told = |lang: &str| {
        let output = house.command(["retention", "--lang", lang]).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    assert!(!told("ru").contains("часы"));
    fs::write(house.data.join("clock.json"), r#"{"believed":"2020-01-01T09:00:00Z","doubted":null}"#).unwrap();
    assert!(told("ru").contains("само пока ничего не удаляется"), "{}", told("ru"));
    assert!(told("en").contains("nothing goes by itself"), "{}", told("en"));
    assert_eq!(house.calm(["retention"]).one("retention")["clock_ahead"], true);
}

#[test]
fn a_locked_database_opens_with_its_words_and_says_so_without() {
    let house = House::new();
    talk(&house, SAID);
    let early = typing(&House::new(), &["passphrase", "set"], "тихий рынок\n");
    assert_eq!(early.status.code(), Some(2), "there is nothing to lock");
    assert_eq!(typing(&house, &["passphrase", "set"], "коротко\n").status.code(), Some(2));
    let set = typing(&house, &["passphrase", "set"], "тихий рынок\n");
    assert!(set.status.success(), "{}", stderr(&set));
    assert_eq!(house.calm(["passphrase", "status"]).one("passphrase")["set"], true);
    assert_eq!(typing(&house, &["passphrase", "set"], "ещё раз слова\n").status.code(), Some(2));

    let locked = house.calm(["history"]);
    assert_eq!((locked.code, &locked.one("error")["code"]), (1, &"locked".into()));
    assert!(house.calm(["doctor"]).events.iter().any(|check| check["name"] == "database" && check["ok"] == true));
    let before = everything_under(&house.data);
    let wrong = typing(&house, &["history", "--passphrase-stdin"], "шумный рынок\n");
    assert_eq!(wrong.status.code(), Some(2));
    assert_eq!(stderr(&wrong).trim_end(), "calm: the passphrase does not open the database");
    assert!(before == everything_under(&house.data), "a wrong passphrase left a trace");

    // What comes after the words on standard input is said in the session.
    let args = ["--lang", "ru", "--json", "--passphrase-stdin", "session", "check-in", "--seed", "1"];
    let talked = Run::read(&typing(&house, &args, "тихий рынок\nготовность восемь, спокоен\nдве сделки по плану\n"));
    assert_eq!(talked.code, 0, "{}", talked.stderr);
    assert_eq!(talked.all("user_turn").next().unwrap()["text"], "готовность восемь, спокоен");

    let changed = typing(&house, &["passphrase", "change"], "тихий рынок\nещё тише рынок\n");
    assert!(changed.status.success(), "{}", stderr(&changed));
    assert_eq!(typing(&house, &["history", "--passphrase-stdin"], "тихий рынок\n").status.code(), Some(2));
    assert_eq!(typing(&house, &["passphrase", "remove"], "тихий рынок\n").status.code(), Some(2));
    assert!(typing(&house, &["passphrase", "remove"], "ещё тише рынок\n").status.success());
    assert_eq!(house.calm(["history"]).all("session").count(), 2);
}

#[test]
fn after_erasing_no_file_and_no_word_is_left() {
    let house = House::new();
    talk(&house, SAID);
    support::write(&house.data, "prompts/ru/base/tone.md", SAID);
    fs::write(house.data.join("calm.db.v3.backup"), SAID).unwrap();
    let mine = support::write(&house.data, "mine.txt", "not Calm's");
    let refused = typing(&house, &["erase"], "yes\n");
    assert_eq!(refused.status.code(), Some(1), "another word is no agreement");
    assert!(house.data.join("calm.db").exists());

    // A session that runs elsewhere keeps everything.
    let mut running = house.command(["session", "check-in"]);
    let mut running = running.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut first = [0; 1];
    std::io::Read::read_exact(running.stdout.as_mut().unwrap(), &mut first).unwrap();
    let busy = house.calm(["erase", "--yes"]);
    assert_eq!((busy.code, &busy.one("error")["code"]), (1, &"session_running".into()));
    running.kill().unwrap();
    running.wait().unwrap();

    let erased = typing(&house, &["erase", "--json"], "стереть\n");
    assert!(erased.status.success(), "{}", stderr(&erased));
    let run = Run::read(&erased);
    let files: Vec<&str> = run.one("erased")["files"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    assert!(files[0].ends_with("calm.key"), "{files:?}");
    assert_eq!(run.one("erased")["left"], serde_json::json!([mine]));
    let left = everything_under(&house.data);
    assert_eq!(left.iter().map(|(path, _)| path).collect::<Vec<_>>(), [&mine]);
    assert!(left.iter().all(|(_, bytes)| !holds(bytes, SAID)));
    fs::remove_file(mine).unwrap();
    assert_eq!(house.calm(["erase", "--yes"]).code, 0);
    assert!(!house.data.exists());
}

#[test]
fn what_a_small_deletion_left_is_told() {
    let house = House::new();
    let facts = support::write(&house.data, "facts.md", "## Active facts\n- half size until Friday\n");
    let set = |lang: &str, args: &[&str]| {
        let out = house.command([&["--lang", lang, "facts"], args].concat()).output().unwrap();
        assert!(out.status.success(), "{}", stderr(&out));
        String::from_utf8_lossy(&out.stdout).into_owned()
    };
    let file = facts.to_str().unwrap();
    assert!(!set("ru", &["set", file]).contains("следы"));
    let backup = house.data.join("calm.db.v3.backup");
    fs::write(&backup, SAID).unwrap();
    assert!(!set("ru", &["clear"]).contains("следы"));
    assert!(!backup.exists());

    // A copy that cannot be removed as a file is.
    fs::create_dir_all(backup.join("held")).unwrap();
    set("ru", &["set", file]);
    let told = set("ru", &["clear"]);
    assert!(told.contains("последние следы ещё лежат в файле или в его копии"), "{told}");
    set("en", &["set", file]);
    let told = set("en", &["clear", "--json"]);
    let events: Vec<Value> = told.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(events[1]["type"], "traces_left");
    assert!(events[1]["why"].as_str().unwrap().contains("calm.db.v3.backup"), "{told}");
}

#[test]
fn an_export_names_each_prompt_file_that_it_could_not_read_and_takes_the_others() {
    let house = House::new();
    talk(&house, SAID);
    support::write(&house.data, "prompts/ru/base/tone.md", "мои правки");
    support::write(&house.data, "prompts/ru/root.md.patch", "мои правки");
    let broken = house.data.join("prompts/ru/tools.md");
    fs::write(&broken, [SAID.as_bytes(), b"\xff"].concat()).unwrap();
    let large = house.data.join("prompts/ru/base/identity.md");
    fs::File::create(&large).unwrap().set_len(1024 * 1024 + 1).unwrap();
    let out = tempfile::tempdir().unwrap();
    let run = |lang: &str, name: &str| {
        let to = out.path().join(name);
        let run = house.command(["--lang", lang, "export", to.to_str().unwrap()]).output().unwrap();
        assert!(run.status.success(), "{}", stderr(&run));
        String::from_utf8_lossy(&run.stdout).into_owned()
    };
    let ru = run("ru", "ru");
    let left: Vec<&str> = ru.lines().filter(|line| line.starts_with("промпт не вошёл: ")).collect();
    assert_eq!(left.len(), 2, "{ru}");
    assert!(left[0].contains(large.to_str().unwrap()) && left[0].contains("больше 1 МБ"), "{ru}");
    assert!(left[1].contains(broken.to_str().unwrap()) && left[1].contains("не текст"), "{ru}");
    let en = run("en", "en.zip");
    assert_eq!(en.lines().filter(|line| line.starts_with("left out: ")).count(), 2, "{en}");
    assert!(!ru.contains(SAID) && !en.contains(SAID), "what is in the file is nobody's business");
    for edit in ["prompts/ru/base/tone.md", "prompts/ru/root.md.patch"] {
        assert_eq!(fs::read_to_string(out.path().join("ru").join(edit)).unwrap(), "мои правки");
    }
    let to = out.path().join("json");
    let json = house.calm(["export", to.to_str().unwrap()]);
    assert_eq!(json.one("exported")["unread"].as_array().unwrap().len(), 2);
}
