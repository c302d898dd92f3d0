//! No word of what was said lies readable in a file or in the logs.

mod support;

use std::fs;
use std::path::Path;

use support::{House, recording};

const WORDS: [&str; 6] = ["Синхрофазотрон", "tachyonic", "восьм", "восем", "двести", "волнуюсь"];

#[test]
fn neither_files_nor_logs_hold_what_was_said() {
    let house = House::new();
    let spoken = recording("checkin_ru.flac").into_os_string();
    let args = ["--lang", "ru", "session", "check-in", "--stay", "--say"].map(Into::into);
    let said = "Синхрофазотрон и tachyonic, волнуюсь, минус двести".into();
    let run = house
        .command(args.into_iter().chain([said, "--audio".into(), spoken, "--json".into()]))
        .env("CALM_LOG", "trace")
        .output()
        .expect("calm starts");
    let stderr = String::from_utf8_lossy(&run.stderr);
    assert!(run.status.success(), "{stderr}");
    assert!(String::from_utf8_lossy(&run.stdout).contains("Синхрофазотрон"), "the session itself shows it");

    let logged: Vec<&str> = WORDS.iter().copied().filter(|word| stderr.contains(word)).collect();
    assert!(logged.is_empty(), "the logs hold {logged:?}");
    let mut files = 0;
    for file in fs::read_dir(&house.data).expect("the data folder") {
        let path = file.expect("an entry").path();
        let bytes = fs::read(&path).expect("a readable file");
        files += 1;
        for word in WORDS {
            assert!(!holds(&bytes, word), "{} holds {word}", name(&path));
        }
    }
    assert!(files >= 2, "the database and its key are there");
}

fn holds(bytes: &[u8], word: &str) -> bool {
    let utf8 = word.as_bytes().to_vec();
    let wide: Vec<u8> = word.encode_utf16().flat_map(u16::to_le_bytes).collect();
    [utf8, wide].iter().any(|needle| bytes.windows(needle.len()).any(|window| window == needle))
}

fn name(path: &Path) -> String {
    path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default()
}
