//! Personal plans in a talk: what they did is kept with the session, in its language.
#![allow(clippy::unwrap_used)]

use calm_app::core::tools::PracticeType;
use calm_app::triggers::Action;
use calm_app::{Begin, Clock, Conductor, Format, Kind, Lang, Paths, Secrets};

fn house(dir: &tempfile::TempDir) -> Conductor {
    let paths = Paths { data: dir.path().join("data"), models: dir.path().join("models") };
    let mut conductor = Conductor::open(paths, Secrets::File, Clock::System, Box::new(|_| {})).unwrap();
    conductor.set_language(Lang::Ru);
    let begin = Begin::new(Kind::CheckOut, Format::Medium, "window").seeded(1);
    conductor.begin(&begin).unwrap();
    conductor
}

fn breathe() -> [Action; 2] {
    [Action::Practice { practice: PracticeType::Breathing }, Action::Note { text: "ушёл от экрана".into() }]
}

#[test]
fn what_a_plan_did_belongs_to_the_talk_and_a_note_is_kept() {
    let dir = tempfile::tempdir().unwrap();
    let mut conductor = house(&dir);
    let plan = conductor.add_plan("пауза", "тянет отыграться", &breathe()).unwrap();
    let answer = conductor.run_plan("пауза").unwrap();
    assert_eq!(answer["trigger"]["id"], plan.id.as_str());
    let session = conductor.running().unwrap();
    let runs = conductor.store().trigger_runs_of_session(session).unwrap();
    assert!(
        runs[0].outcome.starts_with("практика: ") && runs[0].outcome.ends_with("; записано"),
        "{}",
        runs[0].outcome
    );
    let [note] = &conductor.notes(9).unwrap()[..] else { panic!("one note") };
    assert_eq!((note.text.as_str(), note.session), ("ушёл от экрана", Some(session)));
}

#[test]
fn in_a_crisis_no_practice_is_offered() {
    let dir = tempfile::tempdir().unwrap();
    let mut conductor = house(&dir);
    conductor.add_plan("пауза", "тянет отыграться", &breathe()).unwrap();
    conductor.say("я не хочу больше жить").unwrap();
    let answer = conductor.run_plan("пауза").unwrap();
    assert_eq!(answer["actions"][0]["outcome"], "практика не сейчас");
    assert!(answer["actions"][0].get("practice").is_none());
}
