//! The keychain as it is found on Linux: absent, silent, and real.
#![cfg(target_os = "linux")]

use std::fs;
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::process::Command;

use calm_core::Kind;
use calm_store::{KeyPlace, Secrets, Store, StoreError};
use tempfile::tempdir;

use crate::{child, child_dir, new_session};

/// What a second process does: opens the folder with the keychain allowed, and says where the key is.
#[test]
fn opens_with_the_keychain_allowed() {
    let Some(dir) = child_dir() else { return };
    match Store::open(&dir, Secrets::Auto) {
        Ok(mut store) => {
            store.begin_session(&new_session(Kind::CheckIn, "06:00:00")).unwrap();
            let place = if *store.key_place() == KeyPlace::Keychain { "keychain" } else { "file" };
            println!("\nkey: {place}, sessions: {}", store.history(9, None).unwrap().len());
        }
        Err(StoreError::KeychainClosed { .. }) => println!("\nkeychain closed"),
        Err(StoreError::KeyMissing { .. }) => println!("\nkey missing"),
        Err(error) => panic!("{error}"),
    }
}

fn open_at_bus(dir: &Path, bus: &str) -> Command {
    let mut command = child("keychain::opens_with_the_keychain_allowed", dir);
    command.env("DBUS_SESSION_BUS_ADDRESS", bus);
    command
}

fn said(mut command: Command) -> String {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(String::from_utf8_lossy(&output.stderr), "", "a missing keychain is no noise");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn without_a_keychain_the_key_goes_into_the_file_at_once() {
    let dir = tempdir().unwrap();
    assert!(said(open_at_bus(dir.path(), "unix:path=/nonexistent/bus")).contains("key: file, sessions: 1"));
    assert!(dir.path().join("calm.key").exists());
    // Without that file the same desktop cannot tell whether a keychain had it, and makes no other.
    fs::remove_file(dir.path().join("calm.key")).unwrap();
    assert!(said(open_at_bus(dir.path(), "unix:path=/nonexistent/bus")).contains("keychain closed"));
    assert!(!dir.path().join("calm.key").exists());
}

#[test]
fn a_bus_that_accepts_and_says_nothing_does_not_keep_calm_waiting() {
    let dir = tempdir().unwrap();
    let socket = dir.path().join("bus");
    let _silent = UnixListener::bind(&socket).unwrap();
    let bus = format!("unix:path={}", socket.display());
    assert!(said(open_at_bus(&dir.path().join("data"), &bus)).contains("key: file, sessions: 1"));
}

#[test]
fn a_real_keychain_keeps_the_key_and_no_file_does() {
    let installed = |name| Command::new(name).arg("--version").output().is_ok();
    assert!(
        installed("gnome-keyring-daemon") && installed("dbus-run-session"),
        "this test needs gnome-keyring and dbus (Debian: apt install gnome-keyring dbus)"
    );
    let dir = tempdir().unwrap();
    let data = dir.path().join("data");
    let home = dir.path().join("home");
    fs::create_dir(&home).unwrap();
    let test = child("keychain::opens_with_the_keychain_allowed", &data);
    let keyring = "echo secret | gnome-keyring-daemon --unlock --components=secrets >/dev/null 2>&1";
    let call = r#""$0" "$@""#;
    let session = |script: &str| {
        let mut command = Command::new("dbus-run-session");
        command.args(["--", "sh", "-c", script]).arg(test.get_program()).args(test.get_args());
        command.env("CALM_STORE_CHILD", &data).env("HOME", &home).env("XDG_RUNTIME_DIR", &home);
        let output = command.output().unwrap();
        format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
    };
    let twice = session(&format!("{keyring}; {call} && {call}"));
    assert!(twice.contains("key: keychain, sessions: 1") && twice.contains("key: keychain, sessions: 2"), "{twice}");
    assert!(!data.join("calm.key").exists());

    // The keyring's own file keeps the key over a new login; a folder that moved still finds it.
    let moved = dir.path().join("moved");
    fs::rename(&data, &moved).unwrap();
    let again = session(&format!("{keyring}; CALM_STORE_CHILD={} {call}", moved.display()));
    assert!(again.contains("key: keychain, sessions: 3"), "{again}");

    let before = fs::read(moved.join("calm.db")).unwrap();
    fs::remove_dir_all(home.join(".local")).unwrap();
    let lost = session(&format!("{keyring}; CALM_STORE_CHILD={} {call}", moved.display()));
    assert!(lost.contains("key missing"), "{lost}");
    assert!(fs::read(moved.join("calm.db")).unwrap() == before && !moved.join("calm.key").exists());
}
