//! An export whose process is killed leaves nothing readable behind once Calm starts again.
#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use calm_app::{Begin, Clock, Conductor, Format, Kind, Lang, Paths, Secrets, Settings};

const FOLDER: &str = "CALM_TEST_CUT_OFF_EXPORT";
const KILLS: u64 = 12;
const PATIENCE: Duration = Duration::from_secs(60);

fn open(dir: &Path) -> Conductor {
    let paths = Paths { data: dir.join("data"), models: dir.join("models") };
    let clock = Clock::Fixed("2026-03-02T09:00:00Z".parse().unwrap());
    Conductor::open(paths, Secrets::File, clock, Box::new(|_| {})).unwrap()
}

fn entries(dir: &Path) -> Vec<PathBuf> {
    let mut found: Vec<_> = fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path()).collect();
    found.sort();
    found
}

#[test]
fn what_a_killed_export_leaves_goes_at_the_next_start_and_whole_exports_stay() {
    if let Some(dir) = std::env::var_os(FOLDER).map(PathBuf::from) {
        let conductor = open(&dir);
        for number in 0.. {
            let ending = if number % 2 == 0 { "" } else { ".zip" };
            let to = dir.join("out").join(format!("{}-{number}{ending}", std::process::id()));
            conductor.export(&to, false).unwrap();
        }
    }
    let dir = tempfile::tempdir().unwrap();
    let (data, out) = (dir.path().join("data"), dir.path().join("out"));
    fs::create_dir(&out).unwrap();
    let mut conductor = open(dir.path());
    conductor.save_settings(Settings { language: Lang::Ru, ..conductor.settings().clone() }).unwrap();
    conductor.begin(&Begin::new(Kind::CheckIn, Format::Short, "window").seeded(1)).unwrap();
    conductor.say("готова на семь, по плану две сделки").unwrap();
    conductor.leave().unwrap();
    drop(conductor);
    let own = entries(&data);

    let (mut cut_off, mut whole) = (0, 0);
    for kill in 0..KILLS {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "what_a_killed_export_leaves_goes_at_the_next_start_and_whole_exports_stay"])
            .env(FOLDER, dir.path())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let since = Instant::now();
        let hidden = || entries(&out).iter().any(|path| path.file_name().unwrap().to_string_lossy().starts_with('.'));
        while !hidden() {
            assert!(child.try_wait().unwrap().is_none() && since.elapsed() < PATIENCE, "no export was begun");
        }
        std::thread::sleep(Duration::from_micros(700 * kill));
        child.kill().unwrap();
        child.wait().unwrap();
        cut_off += u32::from(hidden());
        drop(open(dir.path()));
        assert!(!hidden(), "kill {kill}: {:?}", entries(&out));
        let left: Vec<_> = entries(&data).into_iter().filter(|path| !own.contains(path)).collect();
        assert!(left.iter().all(|path| !path.to_string_lossy().contains("unfinished")), "{left:?}");
        for export in entries(&out) {
            let away = tempfile::tempdir().unwrap();
            let paths = Paths { data: away.path().join("data"), models: away.path().join("models") };
            let brought = calm_app::importing::import(&paths, Secrets::File, &export).unwrap();
            assert_eq!(brought.sessions, 1);
            whole += 1;
            if export.is_dir() { fs::remove_dir_all(export) } else { fs::remove_file(export) }.unwrap();
        }
    }
    println!("{KILLS} kills: {cut_off} cut an export off, {whole} exports were whole");
    assert!(cut_off > 0, "no kill came while an export was written");
}
