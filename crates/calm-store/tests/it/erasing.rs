use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;

use calm_core::Kind;
use calm_store::{ApiKeys, Passphrase, Secrets, Store, StoreError, erase, rekey};
use tempfile::tempdir;

use crate::{child, child_dir, new_session, open, turn};

const SAID: &str = "двигал стоп и злюсь";

/// Everything that a data folder of the store may hold.
fn lived_in(dir: &Path) {
    let mut store = open(dir);
    let session = store.begin_session(&new_session(Kind::CheckIn, "06:00:00")).unwrap();
    store.record_turn(session, &turn(SAID, "Слышу."), None).unwrap();
    ApiKeys::open(dir, Secrets::File).unwrap().set("work", "sk-secret").unwrap();
    for name in ["calm.db.v3.backup", "calm.db.v2.backup.new", "calm.db.new", "calm.db.new-journal", "calm.key.new"] {
        fs::write(dir.join(name), SAID).unwrap();
    }
    // As after a kill: the log is still there.
    std::mem::forget(store);
}

#[test]
fn whoever_wants_everything_gone_gets_an_empty_folder() {
    let dir = tempdir().unwrap();
    if let Some(dir) = child_dir() {
        return lived_in(&dir);
    }
    let made = child("erasing::whoever_wants_everything_gone_gets_an_empty_folder", dir.path()).status().unwrap();
    assert!(made.success() && dir.path().join("calm.db-wal").exists());
    let mine = dir.path().join("notes of my own.txt");
    fs::write(&mine, "not Calm's").unwrap();

    let erased = erase(dir.path(), Secrets::File).unwrap();
    let names: Vec<_> = erased.files.iter().map(|path| path.file_name().unwrap().to_str().unwrap()).collect();
    assert_eq!(names[..3], ["calm.key.new", "calm.key", "calm.api-keys"], "keys go first");
    for name in ["calm.db", "calm.db-wal", "calm.db.v3.backup", "calm.db.v2.backup.new", "calm.db.new-journal"] {
        assert!(names.contains(&name), "{name} is not in {names:?}");
    }
    let left: Vec<_> = fs::read_dir(dir.path()).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!(left, [mine]);
    assert_eq!(erase(dir.path(), Secrets::File).unwrap().files, [dir.path().join("calm.lock")]);
    assert!(open(dir.path()).history(9, None).unwrap().is_empty(), "a new life begins");
}

#[test]
fn a_forgotten_passphrase_does_not_keep_anybody_from_erasing() {
    let dir = tempdir().unwrap();
    drop(open(dir.path()));
    rekey(dir.path(), Secrets::File, None, Some(&Passphrase::typed("тихий рынок"))).unwrap();
    assert!(matches!(Store::open(dir.path(), Secrets::File), Err(StoreError::Locked)));
    erase(dir.path(), Secrets::File).unwrap();
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
}

/// Holds the database open, in the way that the app does: with more than one connection.
fn hold(dir: &Path) {
    let first = open(dir);
    let second = open(dir);
    drop(second);
    let third = open(dir);
    println!("\nopen");
    std::io::stdout().flush().unwrap();
    std::io::stdin().lock().lines().for_each(drop);
    drop((first, third));
}

#[test]
fn nobody_loses_a_database_that_is_open_elsewhere() {
    if let Some(dir) = child_dir() {
        return hold(&dir);
    }
    let dir = tempdir().unwrap();
    let mut store = open(dir.path());
    let session = store.begin_session(&new_session(Kind::CheckIn, "06:00:00")).unwrap();
    drop(store);
    let mut holder = child("erasing::nobody_loses_a_database_that_is_open_elsewhere", dir.path());
    let mut holder = holder.stdin(std::process::Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(holder.stdout.take().unwrap()).lines().map_while(Result::ok);
    assert!(lines.any(|line| line == "open"));

    assert!(matches!(erase(dir.path(), Secrets::File), Err(StoreError::InUse)));
    let words = Passphrase::typed("тихий рынок");
    assert!(matches!(rekey(dir.path(), Secrets::File, None, Some(&words)), Err(StoreError::InUse)));
    #[cfg(target_os = "linux")]
    {
        use std::os::unix::fs::MetadataExt;
        let inode = format!(":{} ", fs::metadata(dir.path().join("calm.db")).unwrap().ino());
        let locks = fs::read_to_string("/proc/locks").unwrap();
        let held = locks.lines().any(|lock| lock.contains("POSIX") && lock.contains(&inode));
        assert!(held, "opening it once more took SQLite's lock away: {locks}");
    }
    // Whoever comes and goes meanwhile must not take the log away under the one who stays.
    let mut guest = open(dir.path());
    guest.record_turn(session, &turn(SAID, "Слышу."), None).unwrap();
    drop(guest);
    assert!(dir.path().join("calm.db-wal").exists(), "the log of an open database was deleted");

    drop(holder.stdin.take());
    assert!(holder.wait().unwrap().success());
    assert_eq!(open(dir.path()).session(session).unwrap().unwrap().turns.len(), 1);
    erase(dir.path(), Secrets::File).unwrap();
}
