use calm_core::Kind;
use calm_store::{NewTrigger, SessionId, Store, StoreError, TriggerId};
use jiff::Timestamp;
use rstest::rstest;
use serde_json::{Value, json};
use tempfile::tempdir;

use crate::{at, new_session, open, raw};

const MORNING: &str = "2026-03-02T06:00:00Z";
const NOON: &str = "2026-03-02T12:00:00Z";

fn plan(name: &str, time: &str) -> NewTrigger {
    NewTrigger {
        name: name.into(),
        condition: "если три убытка подряд".into(),
        actions: json!([{"type": "pause", "minutes": 15}, {"type": "note", "text": "«хватит»"}]),
        created_at: at(time),
    }
}

fn session(store: &mut Store) -> SessionId {
    store.begin_session(&new_session(Kind::CheckIn, "06:00:00")).unwrap()
}

#[test]
fn a_plan_is_kept_as_it_was_made_until_it_is_removed() {
    let dir = tempdir().unwrap();
    let mut store = open(dir.path());
    let (later, earlier) = (plan("пауза", NOON), plan("дыхание", MORNING));
    let later_id = store.add_trigger(&later).unwrap();
    let earlier_id = store.add_trigger(&earlier).unwrap();
    drop(store);

    let mut store = open(dir.path());
    assert_eq!(names(&store), ["дыхание", "пауза"], "oldest first");
    let stored = store.trigger(later_id).unwrap().unwrap();
    assert!((stored.id, &stored.condition, &stored.actions) == (later_id, &later.condition, &later.actions));
    assert!(stored.enabled && stored.created_at == later.created_at);

    store.set_trigger_enabled(later_id, false).unwrap();
    assert!(!store.trigger(later_id).unwrap().unwrap().enabled);
    assert!(store.trigger(earlier_id).unwrap().unwrap().enabled);
    store.set_trigger_enabled(later_id, true).unwrap();
    assert!(store.trigger(later_id).unwrap().unwrap().enabled);

    store.remove_trigger(earlier_id).unwrap();
    assert_eq!(names(&store), ["пауза"]);
}

fn names(store: &Store) -> Vec<String> {
    store.triggers().unwrap().into_iter().map(|plan| plan.name).collect()
}

#[test]
fn an_identity_is_a_random_uuid_that_survives_being_written_by_a_model() {
    let dir = tempdir().unwrap();
    let mut store = open(dir.path());
    let id = store.add_trigger(&plan("пауза", NOON)).unwrap();
    assert_ne!(id, store.add_trigger(&plan("пауза", NOON)).unwrap());
    let text = id.to_string();
    assert_eq!((text.len(), text.as_bytes()[14]), (36, b'4'), "{text} is no UUID of version 4");
    for written in [text.clone(), text.to_uppercase(), text.replace('-', ""), format!(" {text}\n")] {
        assert_eq!(written.parse::<TriggerId>().unwrap(), id, "{written}");
    }
    assert_eq!(json!(id), json!(text));
    for wrong in ["", "1", "pause", &text[1..]] {
        assert!(wrong.parse::<TriggerId>().is_err(), "{wrong}");
    }
}

#[rstest]
#[case::object(json!({"type": "pause"}))]
#[case::text(json!("pause"))]
#[case::nothing(Value::Null)]
fn actions_that_are_no_list_are_refused(#[case] actions: Value) {
    let dir = tempdir().unwrap();
    let mut store = open(dir.path());
    assert!(store.add_trigger(&NewTrigger { actions, ..plan("пауза", NOON) }).is_err());
    assert_eq!(names(&store).len(), 0);
}

#[test]
fn what_ran_in_a_session_is_listed_by_name_and_goes_with_its_plan_and_its_session() {
    let dir = tempdir().unwrap();
    let mut store = open(dir.path());
    let (here, elsewhere) = (session(&mut store), session(&mut store));
    let pause = store.add_trigger(&plan("пауза", MORNING)).unwrap();
    let breath = store.add_trigger(&plan("дыхание", MORNING)).unwrap();
    store.record_trigger_run(breath, Some(here), "3 минуты", at(NOON)).unwrap();
    store.record_trigger_run(pause, Some(here), "15 минут", at(NOON)).unwrap();
    store.record_trigger_run(pause, Some(elsewhere), "отклонено", at(NOON)).unwrap();
    store.record_trigger_run(pause, None, "без разговора", at(NOON)).unwrap();

    let runs = store.trigger_runs_of_session(here).unwrap();
    let shown: Vec<_> = runs.iter().map(|run| (&*run.name, run.trigger, &*run.outcome, run.session)).collect();
    assert_eq!(shown, [("дыхание", breath, "3 минуты", Some(here)), ("пауза", pause, "15 минут", Some(here))]);
    assert_eq!(runs[0].at, at(NOON));

    store.remove_trigger(pause).unwrap();
    assert_eq!(outcomes(&store, here), ["3 минуты"]);
    assert_eq!(stored_runs(&store), 1);
    raw(dir.path()).execute("DELETE FROM sessions WHERE id = ?1", [here.to_string()]).unwrap();
    assert_eq!(stored_runs(&store), 0);
}

fn outcomes(store: &Store, session: SessionId) -> Vec<String> {
    store.trigger_runs_of_session(session).unwrap().into_iter().map(|run| run.outcome).collect()
}

fn stored_runs(store: &Store) -> u32 {
    let folder = store.path().parent().unwrap();
    raw(folder).query_row("SELECT COUNT(*) FROM trigger_runs", [], |row| row.get(0)).unwrap()
}

#[test]
fn what_does_not_exist_is_named() {
    let dir = tempdir().unwrap();
    let mut store = open(dir.path());
    let nobody: SessionId = "9".parse().unwrap();
    let known = store.add_trigger(&plan("пауза", NOON)).unwrap();
    let unknown: TriggerId = "00000000-0000-4000-8000-000000000000".parse().unwrap();
    assert!(store.trigger(unknown).unwrap().is_none());
    let missing = [
        (store.record_trigger_run(known, Some(nobody), "", at(NOON)).err(), "session"),
        (store.record_trigger_run(unknown, None, "", at(NOON)).err(), "trigger"),
        (store.set_trigger_enabled(unknown, true).err(), "trigger"),
        (store.remove_trigger(unknown).err(), "trigger"),
        (store.add_note(at(NOON), Some(nobody), "").err(), "session"),
        (store.remove_note("9".parse().unwrap()).err(), "note"),
        (store.finish_reminder("9".parse().unwrap(), at(NOON)).err(), "reminder"),
        (store.remove_reminder("9".parse().unwrap()).err(), "reminder"),
    ];
    for (error, what) in missing {
        assert!(matches!(error, Some(StoreError::NotFound(named)) if named == what), "{error:?} for {what}");
    }
    assert_eq!(stored_runs(&store), 0);
}

#[test]
fn notes_come_newest_first_and_outlive_their_session() {
    let dir = tempdir().unwrap();
    let mut store = open(dir.path());
    let here = session(&mut store);
    store.add_note(at(NOON), Some(here), "не входить после обеда").unwrap();
    let early = store.add_note(at(MORNING), None, "план — две сделки").unwrap();
    let texts = |store: &Store, limit| -> Vec<_> {
        store.notes(limit).unwrap().into_iter().map(|note| (note.text, note.session)).collect()
    };
    let (noon, morning) = ("не входить после обеда".to_owned(), "план — две сделки".to_owned());
    assert_eq!(texts(&store, 9), [(noon.clone(), Some(here)), (morning, None)]);
    assert_eq!(texts(&store, 1).len(), 1);

    raw(dir.path()).execute("DELETE FROM sessions WHERE id = ?1", [here.to_string()]).unwrap();
    store.remove_note(early).unwrap();
    assert_eq!(texts(&store, 9), [(noon, None)]);
}

#[test]
fn a_reminder_is_due_from_its_time_until_somebody_has_shown_it() {
    let dir = tempdir().unwrap();
    let mut store = open(dir.path());
    let noon = store.add_reminder(at(NOON), "обед", at(MORNING)).unwrap();
    let overdue = store.add_reminder(at("2026-03-01T12:00:00Z"), "вчерашнее", at(MORNING)).unwrap();
    let due = |store: &Store, now: &str| -> Vec<_> {
        store.due_reminders(at(now)).unwrap().into_iter().map(|reminder| reminder.id).collect()
    };
    assert_eq!(due(&store, "2026-03-02T11:59:59.999Z"), [overdue]);
    assert_eq!(due(&store, NOON), [overdue, noon], "the longest overdue first");

    let done = at("2026-03-02T12:00:01Z");
    assert!(store.finish_reminder(noon, done).unwrap());
    assert!(!open(dir.path()).finish_reminder(noon, at("2026-03-02T12:00:02Z")).unwrap(), "shown twice");
    assert_eq!(due(&store, NOON), [overdue]);
    let kept = store.reminders(9).unwrap().into_iter().find(|reminder| reminder.id == noon).unwrap();
    assert_eq!(
        (kept.text.as_str(), kept.at, kept.created_at, kept.done_at),
        ("обед", at(NOON), at(MORNING), Some(done))
    );
    store.remove_reminder(overdue).unwrap();
    assert!(due(&store, NOON).is_empty());
}

#[test]
fn the_list_of_reminders_begins_with_what_comes_next() {
    let dir = tempdir().unwrap();
    let mut store = open(dir.path());
    let hour = |hour: u32| -> Timestamp { at(&format!("2026-03-02T{hour:02}:00:00Z")) };
    for due in [15, 12, 18, 9, 10] {
        let id = store.add_reminder(hour(due), &due.to_string(), hour(6)).unwrap();
        // The one of ten o'clock was noticed before the one of nine.
        match due {
            9 => assert!(store.finish_reminder(id, hour(11)).unwrap()),
            10 => assert!(store.finish_reminder(id, hour(10)).unwrap()),
            _ => {}
        }
    }
    let listed = |limit| -> Vec<String> { store.reminders(limit).unwrap().into_iter().map(|r| r.text).collect() };
    assert_eq!(listed(9), ["12", "15", "18", "9", "10"]);
    assert_eq!(listed(2), ["12", "15"]);
}
