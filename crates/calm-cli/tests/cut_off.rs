//! A session that was cut off is there when the trader comes back, with the recording that was under way.

mod support;

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::Stdio;

use calm_app::{Begin, Clock, Conductor, Format, Kind, Paths, Secrets, ears};
use jiff::{SignedDuration, Timestamp};
use support::{House, recording};

#[test]
fn a_recording_that_no_turn_came_of_is_heard_at_the_next_start() {
    let house = House::new();
    let paths = Paths::find(Some(house.data.clone())).expect("a folder");
    let mut conductor = Conductor::open(paths, Secrets::File, Clock::System, Box::new(|_| {})).expect("opens");
    let begin = Begin::new(Kind::CheckIn, Format::Medium, "window").seeded(1);
    conductor.begin(&begin).expect("begins");
    let clip = ears::decode(&recording("checkin_ru_2.flac")).expect("our own recording");
    let spooled = conductor.start_recording().expect("a recording");
    for (second, samples) in clip.samples.chunks(16_000).enumerate() {
        let pcm: Vec<i16> = samples.iter().map(|s| (s * 32_767.0) as i16).collect();
        conductor.store().append_chunk(spooled, second as u32, &pcm).expect("spooled");
    }
    // The program goes away here, before anything was transcribed.
    drop(conductor);

    let run = house.calm(["session", "--resume"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let said = run.one("user_turn");
    assert!(said["text"].as_str().is_some_and(|text| text.contains('8')), "{said}");
    assert_eq!(run.one("session_ended")["arguments"]["extracted_attributes"]["trading_readiness"], 8);
    let again = house.calm(["session", "--resume"]);
    assert_eq!(again.one("error")["code"], "no_open_session", "the recording went with its turn");
}

#[test]
fn what_no_turn_came_of_can_be_written_down_when_the_session_is_long_over() {
    let house = House::new();
    let paths = Paths::find(Some(house.data.clone())).expect("a folder");
    let mut conductor = Conductor::open(paths, Secrets::File, Clock::System, Box::new(|_| {})).expect("opens");
    conductor.begin(&Begin::new(Kind::CheckIn, Format::Medium, "window").seeded(1)).expect("begins");
    let session = conductor.running().expect("a session");
    let clip = ears::decode(&recording("checkin_ru_2.flac")).expect("our own recording");
    let spooled = conductor.start_recording().expect("a recording");
    let pcm: Vec<i16> = clip.samples.iter().map(|s| (s * 32_767.0) as i16).collect();
    conductor.store().append_chunk(spooled, 0, &pcm).expect("spooled");
    conductor.leave().expect("ends");
    drop(conductor);

    for _ in 0..2 {
        let kept = house.calm(["transcribe", "--kept"]);
        let text = &kept.one("transcript")["text"];
        assert!(text.as_str().is_some_and(|text| text.contains('8')), "{text}, {}", kept.stderr);
    }
    assert_eq!(house.calm(["history", "delete", &session.to_string(), "--yes"]).code, 0);
    assert_eq!(house.calm(["transcribe", "--kept"]).events.len(), 0, "it went with its talk");
    assert_eq!(house.calm(["transcribe"]).code, 2, "a file, or --kept");
}

#[test]
fn an_old_recording_waits_for_its_session_and_for_the_real_time() {
    let house = House::new();
    let at = |clock| {
        let paths = Paths::find(Some(house.data.clone())).expect("a folder");
        Conductor::open(paths, Secrets::File, clock, Box::new(|_| {})).expect("opens")
    };
    // Not so long that the clock would be doubted.
    let long_ago = Clock::Fixed(Timestamp::now() - SignedDuration::from_hours(30 * 24));
    let far_away = Clock::Fixed("2099-01-01T09:00:00Z".parse().expect("a moment"));
    let left = |clock| at(clock).store().recordings().expect("the spool").len();

    let mut conductor = at(long_ago);
    let begin = Begin::new(Kind::CheckIn, Format::Short, "window").seeded(1);
    conductor.begin(&begin).expect("begins");
    conductor.start_recording().expect("a recording");
    drop(conductor);
    assert_eq!(left(Clock::System), 1, "its session is open: it can still be heard");

    let mut conductor = at(long_ago);
    conductor.resume().expect("goes on");
    conductor.leave().expect("ends");
    drop(conductor);
    assert_eq!(left(far_away), 1, "a script's idea of the time deletes nothing");
    assert_eq!(left(Clock::System), 0, "a week after it nobody needs it");
}

#[test]
fn a_session_left_open_goes_on_where_it_was() {
    let house = House::new();
    let first = house.calm(["--lang", "en", "session", "check-in", "--stay", "--say", "Slept badly, a bit nervous"]);
    let id = first.one("session_started")["session_id"].clone();
    assert_eq!(first.all("session_ended").count(), 0);
    let second = house.calm(["session", "--resume", "--say", "8 out of 10"]);
    assert_eq!(second.one("session_started")["session_id"], id);
    let attributes = &second.one("session_ended")["arguments"]["extracted_attributes"];
    assert_eq!(attributes["sleep_quality"], "poor", "said before the break");
    assert_eq!(attributes["trading_readiness"], 8, "said after it");
}

#[test]
fn every_given_turn_is_heard_before_the_goodbye() {
    let turns = ["readiness eight", "slept badly", "keeping it small today"];
    let heard = |run: support::Run| {
        assert_eq!(run.code, 0, "{}", run.stderr);
        assert_eq!(run.all("user_turn").count(), turns.len());
        let known = run.one("session_ended")["arguments"]["extracted_attributes"].clone();
        let read = ["trading_readiness", "sleep_quality", "risk_appetite"].map(|name| known[name].clone());
        assert_eq!(serde_json::json!(read), serde_json::json!([8, "poor", "low"]));
    };
    let [first, second, third] = turns;
    let session = ["--lang", "en", "session", "check-in"];
    heard(House::new().calm(session.into_iter().chain(["--say", first, "--say", second, "--say", third])));

    let house = House::new();
    let script = house.data.with_extension("txt");
    fs::write(&script, turns.join("\n")).expect("a script");
    let lines = fs::File::open(&script).expect("the script");
    heard(support::Run::read(&house.command(session).arg("--json").stdin(lines).output().expect("calm starts")));
}

#[test]
fn a_talk_cut_off_between_two_of_its_turns_goes_on_with_the_second() {
    let house = House::new();
    let paths = Paths::find(Some(house.data.clone())).expect("a folder");
    let mut conductor = Conductor::open(paths, Secrets::File, Clock::System, Box::new(|_| {})).expect("opens");
    conductor.begin(&Begin::new(Kind::CheckIn, Format::Short, "terminal").seeded(1)).expect("begins");
    conductor.more_waits(true);
    conductor.say("готовность восемь").expect("heard");
    drop(conductor);

    let run = house.calm(["session", "--resume", "--say", "спал плохо"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let known = &run.one("session_ended")["arguments"]["extracted_attributes"];
    assert_eq!((&known["trading_readiness"], &known["sleep_quality"]), (&8.into(), &"poor".into()));
}

#[test]
fn two_sessions_at_once_are_refused() {
    let house = House::new();
    let mut talking = house
        .command(["session", "check-in", "--json"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("calm starts");
    let mut events = BufReader::new(talking.stdout.take().expect("a pipe")).lines();
    events.next().expect("the session has started").expect("a line");

    let other = house.calm(["session", "check-out", "--say", "plus one"]);
    assert_eq!(other.code, 1);
    assert_eq!(other.one("error")["code"], "session_running");

    drop(talking.stdin.take());
    assert!(talking.wait().expect("ends").success());
    assert_eq!(house.calm(["session", "check-out", "--say", "flat day, by the plan"]).code, 0);
}

#[test]
fn a_new_folder_speaks_the_language_of_the_system() {
    for (locale, language) in [("ru_RU.UTF-8", "ru"), ("en_GB.UTF-8", "en"), ("C", "en")] {
        let house = House::new();
        let run = house
            .command(["session", "check-in", "--say", "ok", "--json"])
            .env("LC_ALL", locale)
            .output()
            .expect("calm starts");
        assert_eq!(support::Run::read(&run).one("session_started")["language"], language, "{locale}");
    }
}
