use std::fs;
use std::path::Path;
use std::sync::Mutex;
use std::thread;
use std::time::Duration;

use calm_core::Kind;
use calm_store::{
    ApiKeys, KeyPlace, Passphrase, Secrets, SessionId, Store, StoreError, has_passphrase, is_locked, lock_again, rekey,
    unlock,
};
use tempfile::{TempDir, tempdir};

use crate::{child, child_dir, new_session, open, turn};

/// What was unlocked is known to the whole process, so these tests go one after the other where they share one.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

const KILLS: u32 = 12;
const NAME: &str = "passphrase::a_kill_leaves_a_database_that_opens_with_the_old_or_the_new_words";

fn words(text: &str) -> Passphrase {
    Passphrase::typed(text)
}

fn house() -> (TempDir, SessionId) {
    let dir = tempdir().unwrap();
    let mut store = open(dir.path());
    let session = store.begin_session(&new_session(Kind::CheckIn, "06:00:00")).unwrap();
    for _ in 0..50 {
        store.record_turn(session, &turn("всё по плану", &"Слышу вас. ".repeat(20)), None).unwrap();
    }
    (dir, session)
}

fn turns(dir: &Path, session: SessionId) -> usize {
    open(dir).session(session).unwrap().unwrap().turns.len()
}

#[test]
fn a_passphrase_is_set_asked_for_changed_and_taken_away() {
    let _alone = ONE_AT_A_TIME.lock().unwrap();
    let (dir, session) = house();
    let dir = dir.path();
    let plain = fs::read_to_string(dir.join("calm.key")).unwrap();
    let first = fs::read(dir.join("calm.db")).unwrap();
    ApiKeys::open(dir, Secrets::File).unwrap().set("work", "sk-example").unwrap();
    fs::write(dir.join("calm.db.v3.backup"), "under the old key").unwrap();
    let place = rekey(dir, Secrets::File, None, Some(&words("тихий рынок"))).unwrap().place;
    assert_eq!(place, KeyPlace::Locked(dir.join("calm.key")));
    assert!(is_locked(dir).unwrap() && has_passphrase(dir).unwrap());
    assert!(matches!(Store::open(dir, Secrets::File), Err(StoreError::Locked)));
    assert!(!dir.join("calm.db.v3.backup").exists());

    let before = content(dir);
    assert!(matches!(unlock(dir, &words("тихий рыно")), Err(StoreError::WrongPassphrase)));
    assert!(before == content(dir), "a wrong passphrase left a trace");
    assert!(is_locked(dir).unwrap());
    unlock(dir, &words("тихий рынок")).unwrap();
    let store = open(dir);
    // Other connections of this process come in as well, and so does what lies beside the database.
    assert_eq!(turns(dir, session), 50);
    assert!(ApiKeys::open(dir, Secrets::File).unwrap().get("work").unwrap().is_some());
    assert!(matches!(rekey(dir, Secrets::File, Some(&words("тихий рынок")), None), Err(StoreError::InUse)));
    drop(store);
    lock_again();
    assert!(is_locked(dir).unwrap());

    let wrong = rekey(dir, Secrets::File, Some(&words("другие слова")), Some(&words("новые слова")));
    assert!(matches!(wrong, Err(StoreError::WrongPassphrase)));
    assert!(matches!(rekey(dir, Secrets::File, None, Some(&words("новые слова"))), Err(StoreError::PassphraseSet)));
    rekey(dir, Secrets::File, Some(&words("тихий рынок")), Some(&words("новые слова"))).unwrap();
    assert!(matches!(unlock(dir, &words("тихий рынок")), Err(StoreError::WrongPassphrase)));
    unlock(dir, &words("новые слова")).unwrap();
    assert_eq!(turns(dir, session), 50);
    lock_again();

    rekey(dir, Secrets::File, Some(&words("новые слова")), None).unwrap();
    assert!(!has_passphrase(dir).unwrap());
    assert_eq!(turns(dir, session), 50);
    // The key that lay open at first opens nothing that was written since.
    let now = fs::read_to_string(dir.join("calm.key")).unwrap();
    assert!(now.trim().len() == 64 && now != plain);
    assert!(matches!(rekey(dir, Secrets::File, Some(&words("новые слова")), None), Err(StoreError::NoPassphrase)));
    // A copy from before still has its own key.
    let old = tempdir().unwrap();
    fs::write(old.path().join("calm.db"), first).unwrap();
    fs::write(old.path().join("calm.key"), plain).unwrap();
    assert_eq!(turns(old.path(), session), 50);
}

fn content(dir: &Path) -> Vec<(String, Vec<u8>)> {
    let files = fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<_> = files.map(|path| (path.display().to_string(), fs::read(&path).unwrap())).collect();
    files.sort();
    files
}

#[test]
fn a_short_passphrase_changes_nothing() {
    let (dir, session) = house();
    let before = content(dir.path());
    let refused = rekey(dir.path(), Secrets::File, None, Some(&words("короче")));
    assert!(matches!(refused, Err(StoreError::BadPassphrase)));
    assert!(before == content(dir.path()));
    assert_eq!(turns(dir.path(), session), 50);
}

/// A process that is killed after each step of the change.
#[test]
fn a_kill_leaves_a_database_that_opens_with_the_old_or_the_new_words() {
    if let Some(dir) = child_dir() {
        rekey(&dir, Secrets::File, Some(&words("старые слова")), Some(&words("новые слова"))).unwrap();
        return;
    }
    let _alone = ONE_AT_A_TIME.lock().unwrap();
    let (dir, session) = house();
    rekey(dir.path(), Secrets::File, None, Some(&words("старые слова"))).unwrap();
    let start = content(dir.path());
    let restore = || {
        for entry in fs::read_dir(dir.path()).unwrap() {
            fs::remove_file(entry.unwrap().path()).unwrap();
        }
        start.iter().for_each(|(path, bytes)| fs::write(path, bytes).unwrap());
    };
    let header = |name: &str| fs::read(dir.path().join(name)).map(|bytes| bytes[..16].to_vec()).unwrap_or_default();
    let old_header = header("calm.db");
    let two_keys = || fs::read_to_string(dir.path().join("calm.key")).is_ok_and(|text| text.lines().count() == 2);

    let (mut old, mut new) = (0, 0);
    for kill in 0..KILLS {
        restore();
        let mut changing = child(NAME, dir.path()).spawn().unwrap();
        // The kill comes a few milliseconds after a step that can be seen, however slow the machine is.
        let seen = || match kill % 4 {
            0 => true,
            1 => two_keys(),
            2 => dir.path().join("calm.db.new").exists(),
            _ => header("calm.db") != old_header,
        };
        while !seen() && changing.try_wait().unwrap().is_none() {
            thread::sleep(Duration::from_micros(200));
        }
        thread::sleep(Duration::from_millis(3 * u64::from(kill / 4)));
        changing.kill().unwrap();
        changing.wait().unwrap();

        lock_again();
        let opens = |text: &str| match unlock(dir.path(), &words(text)) {
            Ok(()) => true,
            Err(StoreError::WrongPassphrase) => false,
            Err(error) => panic!("{error}"),
        };
        let is_new = opens("новые слова");
        assert!(is_new || opens("старые слова"), "kill {kill}: neither opens");
        if is_new {
            new += 1
        } else {
            old += 1
        }
        let store = open(dir.path());
        store.verify().unwrap();
        assert_eq!(store.session(session).unwrap().unwrap().turns.len(), 50);
        drop(store);
        let key = fs::read_to_string(dir.path().join("calm.key")).unwrap();
        assert_eq!(key.lines().count(), 1, "what was cut off is put right at the first opening");
        assert!(!dir.path().join("calm.db.new").exists());
    }
    println!("{KILLS} kills: {old} left the old words, {new} the new ones");
    assert!(old > 0 && new > 0, "the kills came too early or too late to prove anything: {old} old, {new} new");
}

/// Every state that the files pass through, laid out by hand, so that none depends on when a kill comes.
#[test]
fn every_step_of_the_change_can_be_the_last() {
    let _alone = ONE_AT_A_TIME.lock().unwrap();
    let (dir, session) = house();
    let path = |name: &str| dir.path().join(name);
    let (old_db, old_key) = (fs::read(path("calm.db")).unwrap(), fs::read_to_string(path("calm.key")).unwrap());
    rekey(dir.path(), Secrets::File, None, Some(&words("тихий рынок"))).unwrap();
    let (new_db, new_key) = (fs::read(path("calm.db")).unwrap(), fs::read_to_string(path("calm.key")).unwrap());
    let both = format!("{old_key}next {new_key}");
    for (step, db, key, copy, is_new) in [
        ("both keys", &old_db, &both, None, false),
        ("half a copy", &old_db, &both, Some(&new_db[..5000]), false),
        ("a whole copy", &old_db, &both, Some(&new_db[..]), false),
        ("the new database", &new_db, &both, None, true),
        ("the key was in the keychain", &new_db, &format!("next {new_key}"), None, true),
    ] {
        lock_again();
        fs::write(path("calm.db"), db).unwrap();
        fs::write(path("calm.key"), key).unwrap();
        if let Some(copy) = copy {
            fs::write(path("calm.db.new"), copy).unwrap();
        }
        assert_eq!(is_locked(dir.path()).unwrap(), is_new, "{step}");
        if is_new {
            unlock(dir.path(), &words("тихий рынок")).unwrap();
        }
        assert_eq!(turns(dir.path(), session), 50, "{step}");
        assert_eq!(fs::read_to_string(path("calm.key")).unwrap(), if is_new { new_key.as_str() } else { &old_key });
        assert!(!path("calm.db.new").exists(), "{step}");
    }
}

/// Nobody can write a file where a folder with something in it has its name.
fn block(path: &Path) {
    fs::create_dir_all(path.join("held")).unwrap();
}

#[test]
fn a_change_that_fails_before_the_database_is_replaced_leaves_the_old_words() {
    let _alone = ONE_AT_A_TIME.lock().unwrap();
    let (dir, session) = house();
    let dir = dir.path();
    rekey(dir, Secrets::File, None, Some(&words("старые слова"))).unwrap();
    let before = fs::read(dir.join("calm.key")).unwrap();
    for step in ["calm.key.new", "calm.db.new"] {
        block(&dir.join(step));
        let failed = rekey(dir, Secrets::File, Some(&words("старые слова")), Some(&words("новые слова")));
        assert!(failed.is_err(), "{step}");
        fs::remove_dir_all(dir.join(step)).unwrap();
        lock_again();
        assert!(matches!(unlock(dir, &words("новые слова")), Err(StoreError::WrongPassphrase)), "{step}");
        unlock(dir, &words("старые слова")).unwrap();
        assert_eq!(turns(dir, session), 50, "{step}");
        assert!(fs::read(dir.join("calm.key")).unwrap() == before, "{step}: half of the change stayed");
    }
    lock_again();
}

#[test]
fn a_change_that_fails_once_the_database_is_replaced_is_a_change_and_says_what_is_left() {
    let _alone = ONE_AT_A_TIME.lock().unwrap();
    let (dir, session) = house();
    let dir = dir.path();
    // Large enough for its copy to take a while.
    open(dir).record_turn(session, &turn("и ещё", &"Слышу вас. ".repeat(400_000)), None).unwrap();
    rekey(dir, Secrets::File, None, Some(&words("старые слова"))).unwrap();
    let opens = |old: &str, new: &str, step: &str| {
        lock_again();
        assert!(matches!(unlock(dir, &words(old)), Err(StoreError::WrongPassphrase)), "{step}");
        unlock(dir, &words(new)).unwrap();
        assert_eq!(turns(dir, session), 51, "{step}");
        lock_again();
    };

    // The key file cannot be written a second time.
    let key = dir.join("calm.key.new");
    thread::scope(|scope| {
        scope.spawn(|| {
            while !dir.join("calm.db.new").exists() {
                thread::sleep(Duration::from_micros(200));
            }
            block(&key);
        });
        let changed = rekey(dir, Secrets::File, Some(&words("старые слова")), Some(&words("новые слова"))).unwrap();
        assert!(changed.left.is_some_and(|why| why.to_string().contains("calm.key.new")));
    });
    assert_eq!(fs::read_to_string(dir.join("calm.key")).unwrap().lines().count(), 2);
    fs::remove_dir_all(&key).unwrap();
    opens("старые слова", "новые слова", "both lines are there");
    assert_eq!(fs::read_to_string(dir.join("calm.key")).unwrap().lines().count(), 1);

    // An old copy cannot be removed.
    let copy = dir.join("calm.db.v3.backup");
    block(&copy);
    let changed = rekey(dir, Secrets::File, Some(&words("новые слова")), Some(&words("третьи слова"))).unwrap();
    assert!(changed.left.is_some_and(|why| why.to_string().contains("calm.db.v3.backup")));
    fs::remove_dir_all(&copy).unwrap();
    opens("новые слова", "третьи слова", "a backup is left");
}
