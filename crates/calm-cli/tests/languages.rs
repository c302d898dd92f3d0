//! Every line for people is in their language, whatever command prints it: the one of `--lang`, else of the settings,
//! else of the system.

#![allow(clippy::unwrap_used)]

mod support;

use std::fs;
use std::process::{Output, Stdio};

use rstest::rstest;
use support::{Folder, House, NOW, recording, shipped};

/// Names, units, and values as they are typed. Whatever holds a digit or one of `_/.=` is an id, a file or a value.
const IN_ANY_LANGUAGE: &str = "Calm MetaTrader Binance Interactive Brokers ONNX Runtime Ogg Vorbis FOMO Flex Query \
    activity statement speech-dispatcher FLAC WAV HTML CSV JSON USD UTC EST EDT GET POST FILE Active Facts markdown md txt \
    pdf HIGH MEDIUM LOW CHECK-IN CHECK-OUT generic binance ibkr guide local ru en yes no system weekdays forever never \
    calm small medium whisper whisper-base-onnx silero-vad n u g z P";
/// The name of a column in the test's own file, and what the system says of a connection.
const NOT_OURS: &str = "profit Connection refused os error";

struct Talk {
    lang: &'static str,
    check_in: &'static str,
    check_out: &'static str,
    word: &'static str,
    practice: &'static str,
}

const RU: Talk = Talk {
    lang: "ru",
    check_in: "готов на восьмёрку, стресс четыре, спал хорошо, план две сделки",
    check_out: "минус двести, двигал стоп на новостях, злюсь на себя",
    word: "стоп",
    practice: "дыхание",
};
const EN: Talk = Talk {
    lang: "en",
    check_in: "ready, eight out of ten, stress four, slept well, the plan is two trades",
    check_out: "down two hundred, moved my stop on the news, angry with myself",
    word: "stop",
    practice: "breathing",
};

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// What a person reads, on either stream.
fn read(output: &Output) -> String {
    text(&output.stdout) + &text(&output.stderr)
}

/// The first word of another language in what was printed.
fn stranger(printed: &str, lang: &str) -> Option<String> {
    let known = |word: &str| IN_ANY_LANGUAGE.split(' ').chain(NOT_OURS.split(' ')).any(|known| known == word);
    for line in printed.lines() {
        // What is to be typed stands in backticks; notes that ship in both languages name theirs.
        let outside: String = line.split('`').step_by(2).collect::<Vec<_>>().join(" ");
        if ["  en  ", "  ru  "].iter().any(|of| line.contains(of)) {
            continue;
        }
        for token in outside.split(|c: char| c.is_whitespace() || "«»(),;[]|·…→".contains(c)) {
            let word = token.trim_matches(|c: char| !c.is_alphanumeric());
            let latin = token.trim_end_matches([':', '.']).chars().all(|c| c.is_ascii_alphabetic() || c == '-');
            let foreign = match lang {
                "ru" => latin && !word.is_empty() && !token.starts_with("--") && !known(word),
                _ => word.chars().any(|c| matches!(c, 'а'..='я' | 'А'..='Я' | 'ё' | 'Ё')),
            };
            if foreign {
                return Some(format!("{word:?} in {line:?}"));
            }
        }
    }
    None
}

/// Without the first column, where it is an id.
fn without_ids(args: &[String], printed: &str) -> String {
    if !["settings", "models", "baseline"].contains(&args[0].as_str()) || printed.starts_with("calm: ") {
        return printed.to_owned();
    }
    printed.lines().map(|line| format!("{}\n", line.split_once("  ").map_or(line, |(_, rest)| rest))).collect()
}

/// One that expects this.
fn scenario(expects: &str) -> String {
    let head = "description = \"X1\"\nlanguage = \"ru\"\ntype = \"check-in\"\nformat = \"short\"\n";
    format!("{head}[[turn]]\nsay = \"X1\"\n[expect]\n{expects}\n")
}

/// A house in which everything that can be listed is there.
fn furnished(talk: &Talk) -> (House, Folder) {
    let house = House::new();
    house.calm(["settings", "set", "language", talk.lang]);
    house.calm(["settings", "set", "time_zone", "Europe/Moscow"]);
    for day in 2..5 {
        let at = |hour: u32| format!("2026-03-{day:02}T{hour:02}:00:00Z");
        house.calm(["session", "check-in", "--seed", "1", "--now", &at(6), "--say", talk.check_in]);
        house.calm(["session", "check-out", "--seed", "1", "--now", &at(18), "--say", talk.check_out]);
    }
    let rows: Vec<String> = (1..=12)
        .map(|n| format!("2026-01-{n:02}T15:00:00Z,ES-3.26,{},USD", if n % 3 == 0 { -1250.5 } else { 300.0 }))
        .collect();
    let rows = format!("closed_at,symbol,profit,currency\n{}\n2026-01-13T15:00:00Z,ES-3.26,x,USD\n", rows.join("\n"));
    let folder = Folder::of(&[
        ("trades.csv", &rows),
        ("empty.csv", ""),
        ("facts.md", &format!("## Active facts\n- {}\n", talk.word)),
        ("note.md", &format!("# {}\n\n{}\n", talk.word, talk.check_out)),
        ("not-a-zip.zip", "x"),
        ("broken.pdf", "x"),
        ("list.json", "[1]"),
        ("flag.toml", &scenario("flags = [\"X1\"]")),
        ("scenarios/note.md", talk.word),
        ("prompts/manifest.toml", "id = \"x1\"\nversion = \"1\"\n[[variant]]\nid = \"x1\"\nweight = 1\n"),
    ]);
    (house, folder)
}

/// Each with the exit code that it ends with.
fn commands(talk: &Talk, folder: &Folder) -> Vec<(Vec<String>, i32)> {
    let path = |name: &str| folder.path(name);
    let sound = |name: &str| recording(name).display().to_string();
    let says = |code: i32, line: &str| (line.split(' ').map(str::to_owned).collect::<Vec<_>>(), code);
    let with = |code: i32, line: &str, rest: &[&str]| {
        let (mut args, code) = says(code, line);
        args.extend(rest.iter().map(|arg| (*arg).to_owned()));
        (args, code)
    };
    vec![
        says(0, "history"),
        says(0, "history 1"),
        with(0, "history --search", &[talk.word]),
        says(0, "history --search кредит"),
        says(0, "history --search и"),
        says(2, "history 99"),
        says(2, "history 1 --set stress_level=11"),
        says(2, "history 1 --set sleep_quality=maybe"),
        says(2, "history 1 --set mood=good"),
        says(2, "history delete 99 --yes"),
        says(1, "history delete 6"),
        says(0, "history delete 5 --yes"),
        says(0, "memory"),
        with(0, "memory search", &[talk.word]),
        says(0, "memory search кредит"),
        says(0, "memory show E1"),
        says(0, "memory pin E1"),
        says(0, "memory unpin E1"),
        with(0, "memory correct E1", &[talk.word]),
        says(2, "memory show E99"),
        with(2, "memory correct E1", &[" "]),
        says(0, "memory delete E1"),
        with(0, "trades import --preview", &[&path("trades.csv")]),
        with(0, "trades import", &[&path("trades.csv")]),
        with(0, "trades import", &[&path("trades.csv")]),
        with(2, "trades import", &[&path("empty.csv")]),
        with(2, "trades import", &[&path("nothing.csv")]),
        with(2, "trades import --map x", &[&path("trades.csv")]),
        says(0, "trades"),
        says(0, "trades list --day 2026-01-03"),
        says(0, "trades list --day 05.01.2025"),
        says(0, "trades formats"),
        says(0, "insights"),
        says(0, "trades undo 1"),
        says(2, "trades undo 1"),
        says(0, "practice list"),
        says(2, "practice run nothing"),
        says(0, "reminders"),
        with(0, "reminders add --in 30m", &[talk.word]),
        with(2, "reminders add --at 2020-01-01T10:00", &[talk.word]),
        with(2, "reminders add --in 30m", &[" "]),
        says(0, "reminders"),
        says(2, "reminders remove 99"),
        with(0, "triggers add --practice breathing --pause 20 --check-out --name X1 --when", &[talk.word]),
        with(2, "triggers add --pause 900 --name X2 --when", &[talk.word]),
        with(2, "triggers add --practice dancing --name X2 --when", &[talk.word]),
        says(0, "triggers"),
        says(0, "triggers run X1"),
        says(2, "triggers run X2"),
        says(0, "notes"),
        with(0, "triggers add --name X3 --when", &[talk.word, "--note", talk.check_out]),
        says(0, "triggers run X3"),
        says(0, "notes"),
        says(2, "notes delete 99"),
        says(0, "notes delete 1"),
        says(0, "facts"),
        with(0, "facts set", &[&path("facts.md")]),
        with(2, "facts set", &[&path("nothing.md")]),
        says(0, "facts clear"),
        with(0, "knowledge add", &[&path("note.md")]),
        with(2, "knowledge add", &[&path("note.md")]),
        with(2, "knowledge add", &[&path("broken.pdf")]),
        with(0, "knowledge answer --question", &[talk.word, "--answer", talk.check_out]),
        with(0, "knowledge search", &["абракадабра"]),
        says(0, "knowledge"),
        says(2, "knowledge remove 999"),
        says(0, "servers"),
        says(2, "servers add guide --url http://127.0.0.1:9/v1 --model m1"),
        says(0, "servers add x1 --url http://127.0.0.1:9/v1 --model m1"),
        says(1, "servers test x1"),
        says(2, "servers remove x2"),
        says(0, "ledger"),
        says(2, "ledger --full 99"),
        says(0, "settings get"),
        says(0, "settings set day_start 04:30"),
        says(2, "settings set day_start soon"),
        says(2, "settings set keep_transcripts 4000"),
        says(0, "retention"),
        says(0, "retention --transcripts 1"),
        says(0, "retention --apply"),
        says(0, "models list"),
        says(2, "models fetch x1"),
        says(2, "models speed silero-vad"),
        says(0, "passphrase status"),
        says(2, "passphrase change"),
        says(0, "baseline"),
        with(2, "baseline enrol", &[&sound("silence.flac")]),
        with(0, "baseline enrol", &[&sound("checkin_ru_1.flac")]),
        says(0, "baseline"),
        with(0, "emotion --explain", &[&sound("checkin_ru_1.flac"), &sound("silence.flac")]),
        says(0, "baseline reset"),
        says(0, "baseline"),
        says(2, "baseline reset --microphone X1"),
        with(0, "transcribe", &[&sound("silence.flac")]),
        says(0, "transcribe --kept"),
        with(2, "transcribe", &[&path("nothing.wav")]),
        with(2, "transcribe", &[&path("note.md")]),
        with(2, "contour --text", &[" "]),
        with(0, "session check-in --seed 1 --audio", &[&sound(&format!("checkin_{}.flac", talk.lang))]),
        with(0, "session check-out --seed 1 --say", &[talk.check_out]),
        with(2, "session check-out --say", &[" "]),
        says(1, "session --resume"),
        says(2, "prompt finalize"),
        says(2, "prompt finalize --version a/b"),
        with(2, "prompt banned add", &[" "]),
        with(2, "prompt banned import", &[&path("nothing.csv")]),
        with(0, "prompt banned add", &[talk.word]),
        says(2, "prompt banned remove 99"),
        says(2, "prompt versions --diff X1"),
        with(2, "prompt render --context", &[&path("list.json")]),
        with(2, "prompt render --context", &[&path("note.md")]),
        with(2, "eval", &[&path("scenarios")]),
        with(2, "eval", &[&path("nothing.toml")]),
        with(2, "eval", &[&path("flag.toml")]),
        with(2, "eval --set", &[&path("prompts")]),
        says(2, "eval --backend X1"),
        with(0, "export", &[&path("out")]),
        with(2, "export", &[&path("out")]),
        with(0, "import", &[&path("out")]),
        with(2, "import", &[&path("not-a-zip.zip")]),
        with(2, "import", &[&path("nothing.zip")]),
        says(1, "erase"),
        says(0, "erase --yes"),
        says(0, "erase --yes"),
        says(0, "history"),
        says(0, "memory"),
        says(0, "insights"),
        says(0, "trades"),
        says(0, "ledger"),
        says(0, "retention"),
        says(0, "facts"),
        says(2, "memory show E1"),
        says(0, "notes"),
        says(2, "notes delete 1"),
        with(2, "export", &[&path("out-2")]),
        says(2, "passphrase set"),
        says(2, "prompt banned remove 1"),
    ]
}

/// `doctor` depends on the machine: only its words are looked at. The language is the settings' own until they are
/// erased, and the system's from then on.
#[rstest]
#[case::russian(RU, "ru_RU.UTF-8")]
#[case::english(EN, "en_US.UTF-8")]
fn all_that_is_printed_is_in_one_language(#[case] talk: Talk, #[case] locale: &str) {
    let (house, folder) = furnished(&talk);
    let (data, files) = (house.data.display().to_string(), folder.0.path().display().to_string());
    // Folders of the test have names in either language.
    let run = |args: &[String]| house.command(args).env("LC_ALL", locale).output().unwrap();
    let ours = |printed: &str| printed.replace(&data, "/data").replace(&files, "/files");
    let mut faults = Vec::new();
    for (args, code) in commands(&talk, &folder) {
        let output = run(&args);
        let printed = ours(&read(&output));
        let quiet = ["remove", "clear"].iter().any(|verb| args.get(1).is_some_and(|arg| arg == verb));
        if output.status.code() != Some(code) || (printed.is_empty() && !quiet) {
            faults.push(format!("{args:?} ended with {:?} and printed {printed:?}", output.status.code()));
        }
        faults.extend(stranger(&without_ids(&args, &printed), talk.lang).map(|word| format!("{args:?}: {word}")));
    }
    // A device is called as its maker calls it, and the sound system has a voice of its own on stderr.
    let doctor = ours(&text(&run(&["doctor".to_owned()]).stdout));
    let known: String = doctor.lines().filter(|line| !line.contains('[')).map(|line| format!("{line}\n")).collect();
    faults.extend(stranger(&known, talk.lang).map(|word| format!("doctor: {word}")));
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    let practices = text(&run(&["practice".to_owned(), "list".to_owned()]).stdout);
    assert!(practices.contains(talk.practice), "{practices}");
}

#[rstest]
#[case::russian(RU, "Отвечай так: я языковая модель от OpenAI.", "Говори тише.")]
#[case::english(EN, "Answer: as an AI language model I cannot feel.", "Speak more quietly.")]
fn what_becomes_of_an_edit_is_said_in_one_language(#[case] talk: Talk, #[case] bad: &str, #[case] good: &str) {
    let house = House::new();
    house.calm(["settings", "set", "language", talk.lang]);
    let tone = format!("{}/base/tone.md", talk.lang);
    let edit = |line: &str| support::write(&house.data.join("prompts"), &tone, &(shipped(&tone) + "\n" + line + "\n"));
    // The findings quote the edit; what is made of them is the last line.
    let finalize = |code: i32, args: &[&str]| {
        let output = house.command(["prompt", "finalize"].iter().chain(args)).output().unwrap();
        let told = read(&output).replace(&house.data.display().to_string(), "/data");
        let last = told.lines().last().unwrap();
        assert_eq!((output.status.code(), stranger(last, talk.lang)), (Some(code), None), "{last}");
    };
    edit(bad);
    finalize(1, &[]);
    edit(good);
    finalize(0, &[]);
    finalize(2, &[]);
    house.calm(["prompt", "rollback"]);
    finalize(2, &[]);
    edit(&good.to_uppercase());
    finalize(2, &["--version", "0.3.0-mine.1"]);
    fs::write(house.data.join("prompts").join(&tone), b"\xff").unwrap();
    finalize(2, &[]);
}

#[test]
fn the_language_is_that_of_the_option_else_of_the_settings_else_of_the_system() {
    let house = House::new();
    let nothing_yet = |locale: &str, args: &[&str]| {
        let output = house.command(["history"].iter().chain(args)).env("LC_ALL", locale).output().unwrap();
        read(&output)
    };
    let (ru, en) = ("разговоров пока нет: начни первый, `calm session check-in`\n", "no sessions yet: begin one");
    assert_eq!(nothing_yet("ru_RU.UTF-8", &[]), ru);
    assert!(nothing_yet("de_DE.UTF-8", &[]).starts_with(en));
    assert!(nothing_yet("ru_RU.UTF-8", &["--lang", "en"]).starts_with(en));
    assert!(!house.data.exists(), "asking for the language makes no database");

    house.calm(["settings", "set", "language", "ru"]);
    assert_eq!(nothing_yet("en_US.UTF-8", &[]), ru);
    assert!(nothing_yet("ru_RU.UTF-8", &["--lang", "en"]).starts_with(en));
    // Before anything is opened, too.
    let missing = house.command(["transcribe", "нет.wav"]).env("LC_ALL", "en_US.UTF-8").output().unwrap();
    assert_eq!(read(&missing), "calm: нет.wav: такого файла нет\n");
    // The language of a run is not kept.
    house.calm(["--lang", "en", "servers", "add", "x1", "--url", "http://127.0.0.1:9/v1", "--model", "m1"]);
    assert_eq!(nothing_yet("en_US.UTF-8", &[]), ru);
}

#[test]
fn behind_a_passphrase_the_language_is_known_once_it_is_unlocked() {
    let house = House::new();
    house.calm(["settings", "set", "language", "ru"]);
    let typing = |args: &[&str], typed: &str| {
        let mut calm = house.command(args);
        calm.env("LC_ALL", "en_US.UTF-8").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut calm = calm.spawn().unwrap();
        std::io::Write::write_all(&mut calm.stdin.take().unwrap(), typed.as_bytes()).ok();
        read(&calm.wait_with_output().unwrap())
    };
    let set = typing(&["passphrase", "set"], "очень длинная фраза\n");
    assert!(set.contains("под фразой\nбез фразы журнал не открыть никому"), "{set}");
    let locked = typing(&["history"], "");
    assert_eq!(
        locked,
        "calm: the database is locked with a passphrase: type it in a terminal, or give it with --passphrase-stdin\n"
    );
    let wrong = typing(&["history", "--lang", "ru", "--passphrase-stdin"], "не та фраза\n");
    assert_eq!(wrong, "calm: фраза не подошла\n");
    let open = typing(&["history", "--passphrase-stdin"], "очень длинная фраза\n");
    assert!(open.starts_with("разговоров пока нет"), "{open}");
}

#[test]
fn figures_days_and_counts_are_written_as_a_russian_writes_them() {
    let (house, folder) = furnished(&RU);
    let run = |args: &[&str]| text(&house.command(args).args(["--lang", "ru"]).output().unwrap().stdout);
    let taken = run(&["trades", "import", &folder.path("trades.csv")]);
    assert!(taken.contains("  03.01.2026     1  −1250,5 USD\n"), "{taken}");
    assert!(taken.contains("12 сделок; часы: указаны в файле\n"), "{taken}");
    assert!(taken.contains("не прочитано: 1 строка\n  строка 14, «profit»: не число\n"), "{taken}");
    assert!(run(&["trades", "undo", "1"]).ends_with("ушло: 12 сделок\n"));
    let listed = run(&["history", "--limit", "2"]);
    let check_in = "    5  04.03.2026 09:00  чек-ин     готовность 8/10  стресс 4/10\n       Перед торговлей: ";
    assert!(listed.contains(check_in), "{listed}");
    assert!(listed.lines().all(|line| line.chars().count() <= 100), "{listed}");
    let gone = run(&["history", "delete", "6", "--yes"]);
    assert!(gone.starts_with("ушло: 1 разговор, 2 реплики"), "{gone}");
}

#[test]
fn a_script_reads_the_same_whatever_the_language() {
    let house = House::new();
    for args in [&["history", "7"][..], &["transcribe", "nothing.wav"], &["settings", "set", "day_start", "soon"]] {
        let [ru, en] = ["ru", "en"].map(|lang| house.calm(args.iter().chain(&["--lang", lang])));
        assert_eq!((ru.code, &ru.events), (2, &en.events), "{args:?}");
    }
    let doctor = ["ru", "en"].map(|lang| house.calm(["doctor", "--lang", lang]).events);
    assert_eq!(doctor[0], doctor[1]);
}

#[test]
fn a_reminder_is_set_for_a_time_as_it_is_said_in_russian() {
    let house = House::new();
    house.calm(["settings", "set", "time_zone", "Europe/Moscow"]);
    let add = |at: &str| house.calm(["reminders", "add", "--at", at, "записать план", "--now", NOW]);
    assert_eq!(add("завтра в 9 утра").one("reminder")["at"], "2026-03-05T09:00:00+03:00");
    assert_eq!(add("как-нибудь потом").code, 2);
}

#[test]
fn a_recording_is_written_down_by_the_model_of_the_settings() {
    let house = House::new();
    let none = tempfile::tempdir().unwrap();
    let transcribe = || {
        let file = recording("checkin_ru.flac");
        let args = ["transcribe".as_ref(), file.as_os_str(), "--json".as_ref()];
        let run = house.command(args).env("CALM_MODELS_DIR", none.path()).output().unwrap();
        support::Run::read(&run).one("error")["message"].as_str().unwrap().to_owned()
    };
    assert!(transcribe().starts_with("whisper-base-onnx is not on this machine yet"));
    assert!(!house.data.exists());
    house.calm(["settings", "set", "speech_model", "whisper-small"]);
    assert!(transcribe().starts_with("whisper-small is not on this machine yet"));
    assert!(fs::read_dir(none.path()).unwrap().next().is_none());
}
