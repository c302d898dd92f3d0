//! Deleting a talk while the program runs: nothing of it comes back in the next one.
#![allow(clippy::unwrap_used)]

use std::sync::{Arc, Mutex};
use std::time::Duration;

use calm_app::passphrase::Passphrase;
use calm_app::{
    AppError, AppEvent, Begin, Clock, Conductor, Format, Keep, Kind, Lang, Paths, Recalled, Secrets, SessionId,
    Settings, passphrase,
};

const PATIENCE: Duration = Duration::from_secs(60);
const LOSS: &str = "минус двести на новостях, двигал стоп и злюсь на себя";

type Heard = Arc<Mutex<Vec<Recalled>>>;

fn paths(dir: &tempfile::TempDir) -> Paths {
    Paths { data: dir.path().join("data"), models: dir.path().join("models") }
}

fn open(dir: &tempfile::TempDir) -> (Conductor, Heard) {
    let heard = Heard::default();
    let listener = Arc::clone(&heard);
    let listen = move |event: &AppEvent| {
        if let AppEvent::Contour { recalled, .. } = event {
            listener.lock().unwrap().extend(recalled.clone());
        }
    };
    let clock = Clock::Fixed("2026-03-02T09:00:00Z".parse().unwrap());
    let mut conductor = Conductor::open(paths(dir), Secrets::File, clock, Box::new(listen)).unwrap();
    let settings = conductor.settings().clone();
    conductor.save_settings(Settings { language: Lang::Ru, ..settings }).unwrap();
    (conductor, heard)
}

fn talk(conductor: &mut Conductor, said: &str) -> SessionId {
    conductor.begin(&Begin::new(Kind::CheckOut, Format::Unlimited, "window").seeded(1)).unwrap();
    let id = conductor.running().unwrap();
    conductor.say(said).unwrap();
    assert!(conductor.all_learned(PATIENCE));
    conductor.leave().unwrap();
    id
}

#[test]
fn a_deleted_talk_does_not_come_back_to_mind_in_the_same_run() {
    let dir = tempfile::tempdir().unwrap();
    let (mut conductor, heard) = open(&dir);
    let first = talk(&mut conductor, LOSS);
    let running = {
        conductor.begin(&Begin::new(Kind::CheckOut, Format::Unlimited, "window").seeded(2)).unwrap();
        conductor.running().unwrap()
    };
    assert!(matches!(conductor.delete_session(running), Err(AppError::SessionRunning)));
    conductor.leave().unwrap();
    let gone = conductor.delete_session(first).unwrap();
    assert!(gone.traceless && gone.memories > 0 && gone.turns > 0, "{gone:?}");
    talk(&mut conductor, "опять на новостях двигал стоп, минус сто");
    assert_eq!(*heard.lock().unwrap(), []);
    assert!(conductor.page(first).unwrap().is_none());
}

#[test]
fn what_would_go_is_said_before_it_does() {
    let dir = tempfile::tempdir().unwrap();
    let (mut conductor, _) = open(&dir);
    talk(&mut conductor, LOSS);
    assert_eq!(conductor.would_expire(Keep::Forever, Keep::Never).unwrap().sessions, 0);
    assert_eq!(conductor.would_expire(Keep::Days(1), Keep::Never).unwrap().sessions, 0);
    assert_eq!(conductor.history(9).unwrap().len(), 1);
    assert_eq!(conductor.expire().unwrap().sessions, 0, "by default conversations stay");
}

/// The window's way: it drops its conductor, changes the passphrase, and opens another one.
#[test]
fn a_locked_house_opens_for_every_part_of_the_program_once_the_words_were_given() {
    let dir = tempfile::tempdir().unwrap();
    let (mut conductor, _) = open(&dir);
    talk(&mut conductor, LOSS);
    let words = Passphrase::typed("тихий рынок");
    let busy = passphrase::change(&paths(&dir), Secrets::File, None, Some(&words)).unwrap_err();
    assert_eq!(busy.code(), "in_use");
    drop(conductor);
    passphrase::change(&paths(&dir), Secrets::File, None, Some(&words)).unwrap();
    assert!(passphrase::is_locked(&paths(&dir)).unwrap());
    let refused = Conductor::open(paths(&dir), Secrets::File, Clock::System, Box::new(|_| {}));
    assert_eq!(refused.err().map(|error| error.code()), Some("locked"));
    let wrong = passphrase::unlock(&paths(&dir), &Passphrase::typed("шумный рынок")).unwrap_err();
    assert_eq!((wrong.code(), wrong.is_bad_input()), ("wrong_passphrase", true));

    passphrase::unlock(&paths(&dir), &words).unwrap();
    let (mut conductor, heard) = open(&dir);
    // Memory's thread has a connection of its own.
    talk(&mut conductor, "опять на новостях двигал стоп, минус сто");
    assert_eq!(heard.lock().unwrap().len(), 1);
}

#[test]
fn a_clock_that_is_years_ahead_deletes_nothing_until_it_has_gone_on_for_a_week() {
    let dir = tempfile::tempdir().unwrap();
    let (mut conductor, _) = open(&dir);
    let id = talk(&mut conductor, LOSS);
    let settings = conductor.settings().clone();
    conductor.save_settings(Settings { keep_transcripts: Keep::Days(90), ..settings }).unwrap();
    assert_eq!(conductor.expire_by_itself().unwrap().sessions, 0);
    drop(conductor);
    let at = |moment: &str| {
        let clock = Clock::Fixed(moment.parse().unwrap());
        Conductor::open(paths(&dir), Secrets::File, clock, Box::new(|_| {})).unwrap()
    };
    for moment in ["2036-03-02T09:00:00Z", "2036-03-08T09:00:00Z", "2026-03-03T09:00:00Z", "2036-03-10T09:00:00Z"] {
        let mut ahead = at(moment);
        assert_eq!(ahead.expire_by_itself().unwrap().sessions, 0, "{moment}");
        assert!(ahead.page(id).unwrap().is_some());
    }
    let mut asked = at("2036-03-18T09:00:00Z");
    assert_eq!(asked.expire_by_itself().unwrap().sessions, 1, "it has gone on for a week");
}

#[test]
fn what_the_user_asks_to_let_go_of_goes_whatever_the_clock_has_done() {
    let dir = tempfile::tempdir().unwrap();
    let (mut conductor, _) = open(&dir);
    talk(&mut conductor, LOSS);
    let settings = conductor.settings().clone();
    conductor.save_settings(Settings { keep_transcripts: Keep::Days(90), ..settings }).unwrap();
    drop(conductor);
    let clock = Clock::Fixed("2036-03-02T09:00:00Z".parse().unwrap());
    let mut ahead = Conductor::open(paths(&dir), Secrets::File, clock, Box::new(|_| {})).unwrap();
    assert_eq!(ahead.expire_by_itself().unwrap().sessions, 0);
    assert_eq!(ahead.expire().unwrap().sessions, 1);
}
