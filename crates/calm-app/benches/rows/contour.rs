//! The contour in a house that remembers ten thousand experiences.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use calm_app::{AppEvent, Begin, Clock, Conductor, Format, Kind, Lang, Paths, Secrets};
use calm_store::{Store, TurnRecord};
use jiff::{SignedDuration, Timestamp};

use super::{SAID, percentile, print};

const EXPERIENCES: usize = 10_000;
const A_SESSION: usize = 500;
const LEARNED_WITHIN: Duration = Duration::from_secs(600);

/// From the words that were read to the labels, as every turn reports it.
pub fn with_experiences(id: &str) {
    let dir = tempfile::tempdir().expect("a folder");
    let paths = Paths { data: dir.path().join("data"), models: super::models().dir().to_owned() };
    let times = Arc::new(Mutex::new(Vec::new()));
    let noted = Arc::clone(&times);
    let listener = move |event: &AppEvent| {
        if let AppEvent::Contour { micros, .. } = event {
            noted.lock().expect("nobody panicked").push(Duration::from_micros(*micros));
        }
    };
    // A session a day: what was said on the day before is read at every beginning, and nobody says ten thousand things.
    let first = Timestamp::now() - SignedDuration::from_hours(24 * (EXPERIENCES / A_SESSION) as i64);
    for session in 0..EXPERIENCES / A_SESSION {
        let day = first + SignedDuration::from_hours(24 * session as i64);
        let mut conductor = open(&paths, Clock::Fixed(day), |_| {});
        let session_id = begin(&mut conductor, session as u64);
        let mut store = Store::open(&paths.data, Secrets::File).expect("the same database");
        for turn in 0..A_SESSION {
            let number = session * A_SESSION + turn;
            let said = format!("{} и ещё сделка {number}, сетап {}", SAID[number % SAID.len()], number * 7 % 997);
            let record = TurnRecord::new(day, Some(said), "Так, ясно.".into(), "guide".into());
            store.record_turn(session_id, &record, None).expect("a turn");
        }
        conductor.leave().expect("ended");
        assert!(conductor.all_learned(LEARNED_WITHIN), "five hundred turns were not learned in time");
    }
    let mut conductor = open(&paths, Clock::System, listener);
    assert!(conductor.all_learned(LEARNED_WITHIN), "ten thousand turns were not there in time");
    times.lock().expect("nobody panicked").clear();
    for session in 0..150 {
        begin(&mut conductor, session);
        for said in SAID {
            if conductor.running().is_some() {
                conductor.say(said).expect("a turn");
            }
        }
    }
    let mut times = times.lock().expect("nobody panicked");
    let n = times.len();
    print(id, super::millis(percentile(&mut times, 99)), n, &[]);
}

fn open(paths: &Paths, clock: Clock, listener: impl Fn(&AppEvent) + Send + 'static) -> Conductor {
    let opened = Conductor::open(paths.clone(), Secrets::File, clock, Box::new(listener));
    let mut conductor = opened.expect("a database");
    conductor.set_language(Lang::Ru);
    conductor
}

fn begin(conductor: &mut Conductor, seed: u64) -> calm_app::SessionId {
    let begin = Begin::new(Kind::CheckIn, Format::Unlimited, "terminal").seeded(seed);
    conductor.begin(&begin).expect("a session");
    conductor.running().expect("it runs")
}
