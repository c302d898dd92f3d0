use std::fs::{self, OpenOptions};
use std::io::{Seek, SeekFrom, Write};
use std::path::Path;
use std::thread;

use calm_core::Kind;
use calm_store::{KeyPlace, Secrets, Store, StoreError};
use rstest::rstest;
use tempfile::{TempDir, tempdir};

use crate::{child, child_dir, new_session, open, raw, turn};

fn house() -> TempDir {
    let dir = tempdir().unwrap();
    let mut store = open(dir.path());
    let id = store.begin_session(&new_session(Kind::CheckIn, "06:00:00")).unwrap();
    for _ in 0..60 {
        store.record_turn(id, &turn("всё по плану", &"Слышу вас. ".repeat(20)), None).unwrap();
    }
    dir
}

/// Opening fails, and the files stay as they are.
fn refused(dir: &Path) -> StoreError {
    let before = content(dir);
    let error = Store::open(dir, Secrets::File).expect_err("it must not open");
    assert!(content(dir) == before, "a refusal changed the files");
    error
}

fn content(dir: &Path) -> Vec<(String, Vec<u8>)> {
    let mut files: Vec<_> = fs::read_dir(dir)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        // SQLite's shared memory may come and go; it holds nothing.
        .filter(|path| !path.to_string_lossy().ends_with("-shm"))
        .map(|path| (path.display().to_string(), fs::read(path).unwrap()))
        .filter(|(path, bytes)| !(path.ends_with("-wal") && bytes.is_empty()))
        .collect();
    files.sort();
    files
}

fn overwrite(path: &Path, from: u64, bytes: &[u8]) {
    let mut file = OpenOptions::new().write(true).open(path).unwrap();
    file.seek(SeekFrom::Start(from)).unwrap();
    file.write_all(bytes).unwrap();
}

#[test]
fn a_store_may_go_to_another_thread() {
    fn sendable<T: Send>(_: &T) {}
    let dir = tempdir().unwrap();
    sendable(&open(dir.path()));
}

#[test]
fn the_key_lies_in_a_file_beside_the_database_when_told_so() {
    let dir = tempdir().unwrap();
    let store = open(dir.path());
    assert_eq!(*store.key_place(), KeyPlace::File(dir.path().join("calm.key")));
    let text = fs::read_to_string(dir.path().join("calm.key")).unwrap();
    assert_eq!(text.trim().len(), 64);
    store.verify().unwrap();
}

#[test]
fn two_folders_do_not_share_a_key() {
    let (one, two) = (house(), house());
    assert_ne!(fs::read(one.path().join("calm.key")).unwrap(), fs::read(two.path().join("calm.key")).unwrap());
}

#[test]
fn a_folder_can_be_moved_and_have_spaces_and_other_letters() {
    let dir = house();
    let moved = dir.path().parent().unwrap().join(format!("Мои данные {}%?#", std::process::id()));
    fs::rename(dir.path(), &moved).unwrap();
    let turns = open(&moved).session("1".parse().unwrap()).unwrap().unwrap().turns.len();
    fs::rename(&moved, dir.path()).unwrap();
    assert_eq!(turns, 60);
}

#[test]
fn a_missing_key_is_never_replaced() {
    let dir = house();
    fs::rename(dir.path().join("calm.key"), dir.path().join("aside")).unwrap();
    let error = refused(dir.path());
    assert!(matches!(error, StoreError::KeyMissing { .. }), "{error:?}");
    fs::rename(dir.path().join("aside"), dir.path().join("calm.key")).unwrap();
    open(dir.path()).verify().unwrap();
}

#[test]
fn a_wrong_key_is_named_and_changes_nothing() {
    let dir = house();
    fs::write(dir.path().join("calm.key"), "00112233445566778899aabbccddeeff".repeat(2)).unwrap();
    let error = refused(dir.path());
    assert!(matches!(error, StoreError::WrongKey { .. }), "{error:?}");
}

#[rstest]
#[case::empty("")]
#[case::short("00ff")]
#[case::words("swordfish")]
fn a_key_file_without_a_key_is_named(#[case] text: &str) {
    let dir = house();
    fs::write(dir.path().join("calm.key"), text).unwrap();
    let error = refused(dir.path());
    assert!(matches!(error, StoreError::KeyUnreadable { .. }), "{error:?}");
}

#[cfg(unix)]
#[test]
fn a_key_that_others_could_read_is_closed_to_them() {
    use std::os::unix::fs::PermissionsExt;
    let dir = house();
    let path = dir.path().join("calm.key");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
    open(dir.path());
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
}

#[rstest]
#[case::emptied(|db: &Path| fs::write(db, "").unwrap())]
#[case::cut_in_its_first_bytes(|db: &Path| fs::write(db, [7; 10]).unwrap())]
#[case::cut_in_its_first_page(|db: &Path| cut(db, 1000))]
#[case::first_page_overwritten(|db: &Path| overwrite(db, 2000, &[0; 64]))]
fn a_damaged_file_is_named_and_left_alone(#[case] damage: fn(&Path)) {
    let dir = house();
    damage(&dir.path().join("calm.db"));
    let error = refused(dir.path());
    assert!(matches!(error, StoreError::Damaged), "{error:?}");
}

fn cut(db: &Path, length: u64) {
    OpenOptions::new().write(true).open(db).unwrap().set_len(length).unwrap();
}

#[test]
fn a_damaged_page_in_the_middle_is_found_by_the_check() {
    let dir = house();
    let db = dir.path().join("calm.db");
    let pages = fs::metadata(&db).unwrap().len() / 4096;
    overwrite(&db, 4096 * (pages - 2) + 100, b"bit rot");
    let error = open(dir.path()).verify().unwrap_err();
    assert!(matches!(error, StoreError::Damaged), "{error:?}");
}

#[test]
fn a_database_cut_in_half_does_not_pass_the_check() {
    let dir = house();
    cut(&dir.path().join("calm.db"), 4096 * 5);
    let outcome = Store::open(dir.path(), Secrets::File).and_then(|store| store.verify());
    assert!(matches!(outcome, Err(StoreError::Damaged)), "{outcome:?}");
}

#[test]
fn something_else_under_our_name_is_not_touched() {
    let dir = house();
    fs::write(dir.path().join("calm.db"), "SQLite format 3\0 and a plain database".repeat(300)).unwrap();
    let error = refused(dir.path());
    assert!(matches!(error, StoreError::WrongKey { .. }), "{error:?}");
}

#[test]
fn a_database_newer_than_the_program_is_refused() {
    let dir = house();
    raw(dir.path()).execute_batch("PRAGMA user_version = 9").unwrap();
    let error = refused(dir.path());
    assert!(matches!(error, StoreError::NewerDatabase { found: 9, known: 6 }), "{error:?}");
    assert!(error.to_string().contains("version 9"));
}

#[test]
fn a_log_without_its_database_is_not_replayed_into_a_new_one() {
    let dir = house();
    let store = open(dir.path());
    fs::copy(dir.path().join("calm.db"), dir.path().join("calm.db-wal.copy")).unwrap();
    drop(store);
    fs::remove_file(dir.path().join("calm.db")).unwrap();
    fs::rename(dir.path().join("calm.db-wal.copy"), dir.path().join("calm.db-wal")).unwrap();
    let error = refused(dir.path());
    assert!(matches!(error, StoreError::LogWithoutDatabase { .. }), "{error:?}");
}

#[test]
fn an_interrupted_first_start_is_taken_up_again() {
    let dir = tempdir().unwrap();
    drop(open(dir.path()));
    // As if the power had failed before the finished database got its name.
    fs::rename(dir.path().join("calm.db"), dir.path().join("calm.db.new")).unwrap();
    cut(&dir.path().join("calm.db.new"), 5000);
    fs::write(dir.path().join("calm.key.new"), "0011").unwrap();
    open(dir.path()).verify().unwrap();
    assert!(!dir.path().join("calm.db.new").exists());
}

#[test]
fn a_file_where_the_folder_should_be_is_named() {
    let dir = tempdir().unwrap();
    let file = dir.path().join("data");
    fs::write(&file, "mine").unwrap();
    let error = Store::open(&file, Secrets::File).unwrap_err();
    assert!(matches!(&error, StoreError::Folder { .. }), "{error:?}");
    assert!(error.to_string().contains("data"));
    assert_eq!(fs::read(&file).unwrap(), b"mine");
    assert!(Store::open(&file.join("below"), Secrets::File).is_err());
}

#[test]
fn many_who_open_a_new_folder_at_once_share_one_database() {
    let dir = tempdir().unwrap();
    thread::scope(|scope| {
        for _ in 0..6 {
            scope.spawn(|| open(dir.path()).begin_session(&new_session(Kind::CheckIn, "06:00:00")).unwrap());
        }
    });
    assert_eq!(open(dir.path()).history(9, None).unwrap().len(), 6);
}

#[test]
fn window_and_terminal_write_to_the_same_file_at_once() {
    const EACH: u32 = 60;
    if let Some(dir) = child_dir() {
        let mut store = open(&dir);
        for _ in 0..EACH {
            store.record_turn("1".parse().unwrap(), &turn("из терминала", "Слышу."), None).unwrap();
        }
        return;
    }
    let dir = tempdir().unwrap();
    let mut store = open(dir.path());
    let id = store.begin_session(&new_session(Kind::CheckIn, "06:00:00")).unwrap();
    let mut terminal =
        child("opening::window_and_terminal_write_to_the_same_file_at_once", dir.path()).spawn().unwrap();
    for _ in 0..EACH {
        store.record_turn(id, &turn("из окна", "Слышу."), None).unwrap();
    }
    assert!(terminal.wait().unwrap().success());
    let turns = store.session(id).unwrap().unwrap().turns;
    assert_eq!(turns.iter().map(|t| t.seq).collect::<Vec<_>>(), (1..=2 * EACH).collect::<Vec<_>>());
    store.verify().unwrap();
}
